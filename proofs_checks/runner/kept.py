"""Outcomes of earlier runs of the very same files: where nothing has changed, `fedmm verify` need not judge again.

The key is the content of every file of both packages, with the versions of what they call: whatever could change an
outcome changes it. Only what would come again is kept: nothing that overran its time, or ended in an error.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from fedmm_edu import errors
from fedmm_edu.errors import InvalidInput
from fedmm_edu.files import write_bytes
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.runner.judge import Outcome, Part

ROOTS = (Path(errors.__file__).parent, Path(__file__).parents[1])
"""The folders of the two packages."""
CALLED = ("sympy", "mpmath", "python-flint", "z3-solver", "cvc5", "numpy", "scipy")
"""Packages whose version an outcome may depend on."""
CHANCE = ("error", "time limit", "not run")
"""Methods of verdicts that say how a run went, not what holds."""


def key(roots: Iterable[Path] = ROOTS) -> str:
    """One SHA-256 for all files below `roots` (compiled ones aside), and for the versions of what they call."""
    digest = hashlib.sha256(f"{platform.python_version()} {platform.machine()}".encode())
    for name in CALLED:
        digest.update(f"{name} {_version(name)}\n".encode())
    for root in roots:
        for file in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if file.is_file() and "__pycache__" not in file.parts:
                content = hashlib.sha256(file.read_bytes()).hexdigest()
                digest.update(f"{file.relative_to(root.parent).as_posix()} {content}\n".encode())
    return digest.hexdigest()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


class Kept:
    """The outcomes in `file`, if they come from these very files; none where not, or where all is to be judged `fresh`.

    `found` counts those that were asked for.
    """

    def __init__(self, file: Path, *, fresh: bool = False) -> None:
        self.file, self.key, self.found = file, key(), 0
        self.outcomes = {} if fresh else self._read()

    def _read(self) -> dict[Part, Outcome]:
        try:
            stored = json.loads(self.file.read_text(encoding="utf-8"))
            if stored["key"] == self.key:
                return {Part(*part): _outcome(found) for part, found in stored["outcomes"]}
        except (OSError, ValueError, KeyError, TypeError, InvalidInput, RecursionError):
            pass  # no run, or its file is damaged: everything is judged
        return {}

    def of(self, parts: Sequence[Part]) -> dict[Part, Outcome]:
        """The outcomes of those parts that have one."""
        known = {part: self.outcomes[part] for part in parts if part in self.outcomes}
        self.found += len(known)
        return known

    def add(self, found: Mapping[Part, Outcome]) -> None:
        """Keep these outcomes, too; the file is written whole or not at all."""
        new = {part: outcome for part, outcome in found.items() if self.outcomes.get(part) != outcome}
        new = {part: outcome for part, outcome in new.items() if _comes_again(outcome)}
        if not new:
            return
        self.outcomes |= new
        stored = {"key": self.key, "outcomes": [(part, _plain(outcome)) for part, outcome in self.outcomes.items()]}
        write_bytes(self.file, json.dumps(stored, ensure_ascii=False).encode(), private=True)


def _comes_again(outcome: Outcome) -> bool:
    return isinstance(outcome, Witness) or outcome.method not in CHANCE


def _plain(outcome: Outcome) -> dict[str, Any]:
    """The outcome in the types of JSON."""
    if isinstance(outcome, Witness):
        return {"point": dict(outcome.point), "says": outcome.says, "values": dict(outcome.values)}
    return {
        "status": outcome.status,
        "method": outcome.method,
        "evidence": [(step.claim, step.why) for step in outcome.evidence],
        "witness": outcome.witness and _plain(outcome.witness),
        "seconds": outcome.seconds,
        "missing": outcome.missing and (outcome.missing.claim, outcome.missing.why),
    }


def _outcome(found: dict[str, Any]) -> Outcome:
    if "says" in found:
        return Witness(**found)
    witness, missing = found["witness"], found["missing"]
    return Verdict(
        **{
            **found,
            "evidence": tuple(Step(*step) for step in found["evidence"]),
            "witness": witness and Witness(**witness),
            "missing": missing and Step(*missing),
        }
    )
