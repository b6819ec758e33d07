"""How a sentence of the paper about its figures is judged: by a criterion, in each setting that it speaks of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Finding(NamedTuple):
    """Whether the criterion holds, and the numbers that decide it."""

    holds: bool
    evidence: str


def verdict(findings: Iterable[Finding]) -> str:
    """Reproduced (in all settings), not reproduced (in none), or depends."""
    held = [finding.holds for finding in findings]
    return "reproduced" if all(held) else "depends" if any(held) else "not reproduced"
