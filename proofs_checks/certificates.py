"""The certificates behind the rows of the ledger, and their Coq files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.symbolic.coq import PRELUDE, Export, Lemma, file_text
from fedmm_edu.symbolic.coq_prelude import prelude
from fedmm_edu.symbolic.recording import Certificate, recording
from proofs_checks import SECTIONS
from proofs_checks.ledger import Claim

CONFIRMED = Path("build/coq/confirmed.json")
"""Where a run of the second kernel leaves what it accepted."""


@dataclass(frozen=True)
class CoqFiles:
    """An export: file texts by module name in the order of compilation, and the lemmas of each row."""

    texts: Mapping[str, str]
    rows: Mapping[str, tuple[Lemma, ...]]

    @property
    def lemmas(self) -> list[Lemma]:
        return [lemma for lemmas in self.rows.values() for lemma in lemmas]

    @property
    def hashes(self) -> dict[str, str]:
        """For each row the SHA-256 of everything that was checked up to it: the prelude and all lemmas so far."""
        digest, found = hashlib.sha256(self.texts[PRELUDE].encode()), {}
        for row, lemmas in self.rows.items():
            for lemma in lemmas:
                digest.update(lemma.text.encode())
            found[row] = digest.hexdigest()
        return found


def chain() -> list[str]:
    """The ids of Appendix D and of our own statements beyond the paper, in the order of the ledger."""
    names = [name for name in SECTIONS if name.startswith(("appendix_d", "beyond"))]
    return [claim.id for _, claims in _sections(names) for claim in claims]


def certificates_of(claim: Claim) -> list[Certificate]:
    """The certificates that prove the row: its printed form, or the amended one; `FedMMError` if that is not proved."""
    form = claim.form if claim.amended is None else claim.amended.form
    with recording() as found:
        verdict = claim.check(**form)
    if verdict.status != "proved":
        raise FedMMError(f"row {claim.id} is {verdict.status}, not proved: fedmm verify {claim.id} tells more.")
    return found


def coq_files(ids: Sequence[str]) -> CoqFiles:
    """The Coq files of these rows (each may use the lemmas of earlier ones); rows without certificates have none."""
    export, texts, rows = Export(), {PRELUDE: prelude()}, {}
    left = set(ids)
    for name, claims in _sections():
        written: list[Lemma] = []
        for claim in claims:
            found = certificates_of(claim) if claim.id in left else []
            lemmas = [export.add(_lemma_name(claim.id, k), c) for k, c in enumerate(found, 1)]
            if lemmas:
                rows[claim.id] = tuple(lemmas)
                written += lemmas
        if written:
            texts[name.title().replace("_", "")] = file_text(written, texts)
        left -= {claim.id for claim in claims}
        if not left:
            return CoqFiles(texts, rows)
    raise InvalidInput(f"no statement has the id {min(left)!r}: fedmm verify --list shows all.")


def claim_of(name: str) -> Claim:
    """The row with this id, or `InvalidInput`."""
    found = next((claim for _, claims in _sections() for claim in claims if claim.id == name), None)
    if found is None:
        raise InvalidInput(f"no statement has the id {name!r}: fedmm verify --list shows all.")
    return found


def _lemma_name(row: str, number: int) -> str:
    return f"{''.join(c if c.isalnum() else '_' for c in row)}_{number}"


def _sections(names: Iterable[str] = SECTIONS) -> Iterator[tuple[str, list[Claim]]]:
    """Each section's module name and claims, imported when it is its turn."""
    for name in names:
        yield name, list(import_module(f"proofs_checks.{name}").CLAIMS)


def read_confirmed(path: Path = CONFIRMED) -> dict[str, str]:
    """What the last run of the second kernel accepted: row → hash; {} if there was no run, or its file is damaged."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {str(row): str(value) for row, value in rows.items()} if isinstance(rows, dict) else {}


def confirmed(ids: Collection[str], path: Path = CONFIRMED) -> set[str]:
    """Which of these rows the second kernel accepted in the very text (by its hash) that they are exported as now."""
    accepted = read_confirmed(path)
    if not set(ids) & set(accepted):
        return set()
    try:
        now = coq_files(list(accepted)).hashes
    except FedMMError:  # a row is gone or no longer proved: the run is of another state
        return set()
    return {row for row in ids if row in accepted and now.get(row) == accepted[row]}
