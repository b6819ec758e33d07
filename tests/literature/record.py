"""What was said of each surrogate, as JSON beside this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.literature.inquiry import recorded

RECORD = Path(__file__).with_name("verdicts.json")
GOAL = 60.0
"""Seconds of processor time that no check should exceed."""
BEYOND_MM = "A1: convex"


@dataclass(frozen=True)
class Found:
    """`rows` gives each row's status, and is empty where the check was given up; `breaks` is "" for a right model."""

    source: str
    breaks: str
    digest: str
    rows: Mapping[str, str]
    seconds: float

    @property
    def refuted(self) -> list[str]:
        """The refuted rows of MM-1 and MM-2."""
        return [row for row, status in self.rows.items() if status == "refuted" and row != BEYOND_MM]

    @property
    def unproved(self) -> list[str]:
        """The rows of MM-1 and MM-2 that are neither proved nor refuted."""
        return [row for row, status in self.rows.items() if status in ("open", "supported") and row != BEYOND_MM]

    @property
    def mistaken(self) -> bool:
        """A right surrogate is refuted, or a wrong one is not, or its broken row is called proved."""
        if not self.breaks:
            return bool(self.refuted)
        return not self.refuted or self.rows[self.breaks] == "proved"


def conclusion(found: Found) -> str:
    """What the rows of MM-1 and MM-2 add up to."""
    if not found.rows:
        return "given up"
    if found.refuted:
        return f"refuted: {', '.join(found.refuted)}"
    return f"not proved: {', '.join(found.unproved)}" if found.unproved else "proved"


def summary(found: Mapping[str, Found]) -> str:
    """One sentence on the whole table."""
    right = [f for f in found.values() if not f.breaks]
    wrong = [f for f in found.values() if f.breaks]
    proved = sum(conclusion(f) == "proved" for f in right)
    slow = [name for name, f in found.items() if f.seconds > GOAL or not f.rows]
    return (
        f"{len(right)} right surrogates: {proved} proved in full, {sum(bool(f.refuted) for f in right)} refuted; "
        f"{len(wrong)} wrong ones: {sum(f.breaks in f.refuted for f in wrong)} refuted in the row that breaks, "
        f"{sum(bool(f.refuted) for f in wrong)} refuted at all; "
        f"beyond {GOAL:.0f} s of processor time: {', '.join(slow) or 'none'}."
    )


def read() -> dict[str, Found]:
    """The record as it is kept."""
    return recorded(RECORD, Found)
