"""Sentences of the paper about its figures, each with a criterion, judged in each setting that it speaks of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

K = TypeVar("K", bound=Hashable)
P = TypeVar("P")


class Finding(NamedTuple):
    """Whether the criterion holds, and the numbers that decide it."""

    holds: bool
    evidence: str

    def __str__(self) -> str:
        return f"{'yes' if self.holds else 'no'} ({self.evidence})"


@dataclass(frozen=True)
class Statement(Generic[P]):
    """A sentence of the paper (`line` of its source) about `figure`, and its criterion, fixed before any run was seen.

    judge: applies the criterion to what was found in one setting. settings: those that the sentence names; none: all.
    """

    id: str
    figure: str
    line: str
    says: str
    criterion: str
    judge: Callable[[P], Finding]
    settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judged(Generic[K, P]):
    """A statement with what was found in each setting that was run; `about`: what else tells it from others."""

    statement: Statement[P]
    findings: Mapping[K, Finding]
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Reproduced (in all settings that it names), not reproduced (in none), depends, or not run."""
        if not set(self.statement.settings) <= set(self.findings):
            return "not run"
        held = [finding.holds for finding in self.findings.values()]
        return "reproduced" if all(held) else "depends" if any(held) else "not reproduced"

    def plain(self, says: Callable[[K], str] = str) -> dict[str, Any]:
        """Plain values, for a file; `says` names a setting."""
        found = {says(key): finding._asdict() for key, finding in self.findings.items()}
        return {"id": self.statement.id, **self.about, "verdict": self.verdict, **found}


def judge_all(
    statements: Iterable[Statement[P]], panels: Mapping[K, P], about: Mapping[str, str] | None = None
) -> list[Judged[K, P]]:
    """Each statement, in the settings of `panels` that it names."""

    def finding(statement: Statement[P], key: K) -> Finding:
        with np.errstate(invalid="ignore"):  # ∞ − ∞ in a run that diverged is no number, and satisfies nothing
            holds, evidence = statement.judge(panels[key])
        return Finding(bool(holds), evidence)

    return [
        Judged(s, {key: finding(s, key) for key in panels if not s.settings or key in s.settings}, about or {})
        for s in statements
    ]


def counted(judged: Sequence[Judged], section: str) -> str:
    """How many statements of a section were reproduced everywhere, somewhere and nowhere, as a sentence."""
    held = Counter(one.verdict for one in judged)
    left = f"; {held['not run']} were not judged" if held["not run"] else ""
    return (f"**Of {len(judged)} statements of {section} about its experiments, these runs reproduce "
            f"{held['reproduced']} in all settings, {held['depends']} in some and {held['not reproduced']} in none"
            f"{left}.**")  # fmt: skip


def contrary(judged: Iterable[Judged[K, Any]], lead: str, says: Callable[[K], str] = str) -> list[str]:
    """An item for each sentence that does not hold in all settings that it names, with what was found instead."""
    items = []
    for one in judged:
        against = [f"{says(key)}: {finding.evidence}" for key, finding in one.findings.items() if not finding.holds]
        if against:
            items.append(f"- {lead}: {one.statement.says}. Not so on {'; on '.join(against)}.")
    return items
