"""What a check says: proved, refuted, supported or open, with the evidence that earned it.

A verdict is a value of plain strings, so that it travels between processes and into JSON unchanged. It cannot be
built without evidence: `proved` needs steps, `refuted` needs a witness.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from fedmm_edu.errors import InvalidInput
from fedmm_edu.text.plain import plain

Status = Literal["proved", "refuted", "supported", "open"]
"""What a verdict says; `open` where nothing was decided."""


@dataclass(frozen=True)
class Step:
    """One line of evidence: what holds and why. Both may contain LaTeX between dollar signs."""

    claim: str
    why: str


@dataclass(frozen=True)
class Witness:
    """A point at which a statement fails (or, for non-vacuity, at which its hypotheses hold).

    `point` gives each variable an exact value ("3/8", "-1"); `values` gives what follows from it, exactly or as an
    enclosure "[a, b]"; `says` reads it out in one sentence.
    """

    point: Mapping[str, str]
    says: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check.

    `method` names how we know ("identity", "factorisation", "z3 + cvc5", "calculus", "derivation", "sampling" …).
    `missing` is what keeps an open or supported verdict from being proved: the last step unless another is given. A
    verdict that is proved or refuted misses nothing.
    """

    status: Status
    method: str
    evidence: tuple[Step, ...] = ()
    witness: Witness | None = None
    seconds: float = 0.0
    missing: Step | None = None

    def __post_init__(self) -> None:
        decided = self.status in ("proved", "refuted")
        last = self.evidence[-1] if self.evidence else None
        object.__setattr__(self, "missing", None if decided else self.missing or last)
        if self.status == "refuted" and self.witness is None:
            raise InvalidInput("a refuted verdict needs a witness: give the point at which the statement fails.")
        if self.status in ("proved", "supported") and not self.evidence:
            raise InvalidInput(f"a {self.status} verdict needs evidence: give at least one step.")

    @property
    def finding(self) -> str:
        """In plain characters: the point at which it fails, or what keeps it from being proved; "" where it is."""
        if self.witness is not None:
            point, values = (_listed(found) for found in (self.witness.point, self.witness.values))
            return plain((f"at {point}: " if point else "") + self.witness.says + (f" [{values}]" if values else ""))
        return plain(f"{self.missing.claim}: {self.missing.why}") if self.missing is not None else ""

    def timed(self, seconds: float) -> Verdict:
        """The same verdict with the time its check took, in seconds."""
        return replace(self, seconds=seconds)


def _listed(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def proved(method: str, *evidence: Step) -> Verdict:
    """The statement holds, by exact means."""
    return Verdict("proved", method, evidence)


def refuted(method: str, witness: Witness, *evidence: Step) -> Verdict:
    """The statement fails at `witness`."""
    return Verdict("refuted", method, evidence, witness)


def supported(method: str, *evidence: Step) -> Verdict:
    """No counterexample was found; this is not a proof."""
    return Verdict("supported", method, evidence)


def undecided(method: str, *evidence: Step) -> Verdict:
    """Neither a proof nor a counterexample was found ("open" is an honest answer)."""
    return Verdict("open", method, evidence)


def conjunction(parts: Mapping[str, Verdict]) -> Verdict:
    """The verdict on "all of `parts`": refuted by the first refuted part, else as weak as the weakest part.

    What is missing is what the first of the weakest parts misses, under its name.
    """
    if not parts:
        raise InvalidInput("a conjunction of no verdicts says nothing: give at least one part.")
    steps = tuple(
        Step(f"{name}: {step.claim}", step.why) for name, verdict in parts.items() for step in verdict.evidence
    )
    method = ", ".join(dict.fromkeys(verdict.method for verdict in parts.values()))
    for name, verdict in parts.items():
        if verdict.witness is not None and verdict.status == "refuted":
            witness = replace(verdict.witness, says=f"{name}: {verdict.witness.says}")
            return Verdict("refuted", verdict.method, steps, witness)
    for status in ("open", "supported"):
        for name, verdict in parts.items():
            if verdict.status == status:
                reason = verdict.missing or Step(f"not decided by {verdict.method}", f"it is {status}")
                missing = Step(f"{name}: {reason.claim}", reason.why)
                return Verdict(status, method, steps, missing=missing)
    return Verdict("proved", method, steps)
