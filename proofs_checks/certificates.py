"""The certificates behind the rows of the ledger, and their Coq files."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from sympy import __version__ as sympy_version

from fedmm_edu.errors import FedMMError
from fedmm_edu.proofs.coq.export import PRELUDE, Export, Lemma, file_text
from fedmm_edu.proofs.coq.prelude import prelude
from fedmm_edu.proofs.recording import Certificate, recording
from proofs_checks import SECTIONS, Rows
from proofs_checks.coq.chain import FOLDER, chain_files, stated_rows
from proofs_checks.index import listed, no_such_id
from proofs_checks.ledger import Claim

__all__ = ["chain", "claim_of"]

CHAIN = tuple(name for name in SECTIONS if name.startswith(("appendix_d", "beyond")))
ROOT = Path(__file__).resolve().parent.parent
CONFIRMED = Path("build/coq/confirmed.json")
"""Where a run of the second kernel leaves what it accepted."""


@dataclass(frozen=True)
class CoqFiles:
    """An export: file texts by module name in the order of compilation, what it has of each row, and how long it took.

    `rows` has the lemmas of each row, from its certificates; `stated` the file whose theorem states the row. `seconds`
    is the processor time in which our own kernel judged the rows, with their solvers and searches.
    """

    texts: Mapping[str, str]
    rows: Mapping[str, tuple[Lemma, ...]]
    stated: Mapping[str, str]
    seconds: float = field(default=0.0, compare=False)

    @property
    def lemmas(self) -> list[Lemma]:
        return [lemma for lemmas in self.rows.values() for lemma in lemmas]

    def names(self, row: str) -> tuple[str, ...]:
        """The names of the row's lemmas."""
        return tuple(lemma.name for lemma in self.rows.get(row, ()))


def chain() -> list[str]:
    """The ids of Appendix D and of our own statements beyond the paper but open ones, in the order of the ledger."""
    return [claim.id for _, claims in _sections(CHAIN) for claim in claims if claim.expected != "open"]


def certificates_of(claim: Claim) -> list[Certificate]:
    """The certificates that prove the row: its printed form, or the amended one; `FedMMError` if that is not proved."""
    with recording() as found:
        verdict = claim.check(**claim.true_form)
    if verdict.status != "proved":
        raise FedMMError(f"row {claim.id} is {verdict.status}, not proved: fedmm verify {claim.id} tells more.")
    return found


def coq_files(ids: Sequence[str]) -> CoqFiles:
    """The Coq files of these rows, each of which may use earlier lemmas, then those of `coq_chain` that state a row."""
    export, texts, rows, seconds = Export(), {PRELUDE: prelude()}, {}, 0.0
    left = set(ids)
    for name, claims in _sections():
        written: list[Lemma] = []
        for claim in claims:
            start = _processor_time()
            found = certificates_of(claim) if claim.id in left else []
            seconds += _processor_time() - start
            lemmas = [export.add(_lemma_name(claim.id, k), c) for k, c in enumerate(found, 1)]
            if lemmas:
                rows[claim.id] = tuple(lemmas)
                written += lemmas
        if written:
            texts[name.title().replace("_", "")] = file_text(written, texts)
        left -= {claim.id for claim in claims}
        if not left:
            texts |= chain_files(export.lemmas, ids)
            stated = {row: file for row, file in stated_rows(texts).items() if row in ids}
            return CoqFiles(texts, rows, stated, seconds)
    raise no_such_id(min(left), listed())


def _processor_time() -> float:
    """Seconds of processor time of this process and of the solvers that it has run."""
    return sum(os.times()[:4])


def claim_of(name: str) -> Claim:
    """The row with this id, or `InvalidInput`."""
    rows = Rows()
    if name not in rows:
        raise no_such_id(name, listed())
    return rows[name]


def _lemma_name(row: str, number: int) -> str:
    return f"{''.join(c if c.isalnum() else '_' for c in row)}_{number}"


def _sections(
    names: Iterable[str] = (*CHAIN, *(name for name in SECTIONS if name not in CHAIN)),
) -> Iterator[tuple[str, list[Claim]]]:
    """Each section's module name and claims, imported when it is its turn."""
    for name in names:
        yield name, list(import_module(f"proofs_checks.{name}.claims").CLAIMS)


def sources() -> dict[str, str]:
    """The SHA-256 of every file of this project that is imported by now, by its path, and the version of SymPy."""
    packages = ("fedmm_edu", "proofs_checks")
    files = {module.__file__ for name, module in sys.modules.items() if name.split(".")[0] in packages}
    found = {str(Path(file).relative_to(ROOT)): _digest(Path(file)) for file in sorted(filter(None, files))}
    found |= {str(file.relative_to(ROOT)): _digest(file) for file in sorted(FOLDER.glob("*.v"))}
    return {**found, "sympy": sympy_version}


def confirmed(ids: Collection[str], path: Path = CONFIRMED) -> set[str]:
    """Which of these rows the second kernel accepted, as long as nothing that they came from has changed since.

    The certificates are a function of the files that their run had imported, so those are compared: that is quick.
    """
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        rows, then = set(run["rows"]), dict(run["sources"])
    except (OSError, ValueError, KeyError, TypeError):
        return set()  # no run, or its file is damaged
    now = {name: sympy_version if name == "sympy" else _digest(ROOT / name) for name in then}
    return rows & set(ids) if then and now == then else set()


def _digest(file: Path) -> str:
    """The SHA-256 of a file, "" if it is not there."""
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
