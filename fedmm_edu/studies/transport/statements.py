"""What Section 7 says about its figure, with a numerical criterion for each sentence.

The paper does not say λ, nor whether "faster" counts rounds or work, nor which value of a curve is meant; the sentences
speak of all dimensions. So each is judged for each dimension and λ (the same for both methods, or for each its own, of
the lesser UVP in tuning), at equal rounds and at equal CPU seconds; the criteria were fixed before a run of full length
was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.studies.judging import Finding, verdict

LOWER = 0.9
AXES = {"t": "rounds", "seconds": "CPU seconds"}


@dataclass(frozen=True, eq=False)
class Curves:
    """The runs of one method: the recorded rounds t, shape (rows,); CPU seconds and UVP, shape (seeds, rows)."""

    t: Array
    seconds: Array
    uvp: Array

    def axis(self, name: str) -> Array:
        """What the curves are drawn against: shape (seeds, rows)."""
        return self.seconds if name == "seconds" else np.broadcast_to(self.t, self.uvp.shape)

    def upto(self, name: str, horizon: float) -> Curves:
        """The rows of which no seed is beyond the horizon."""
        kept = self.axis(name).max(axis=0) <= horizon
        return Curves(self.t[kept], self.seconds[:, kept], self.uvp[:, kept])


def together(ours: Curves, theirs: Curves, axis: str) -> tuple[Curves, Curves]:
    """Both up to the round, or the CPU time, that all their runs reach."""
    horizon = min(float(curves.axis(axis)[:, -1].min()) for curves in (ours, theirs))
    return ours.upto(axis, horizon), theirs.upto(axis, horizon)


def ends_lower(ours: Curves, theirs: Curves, axis: str) -> Finding:
    """The last values: every run below every one of the others, and a mean at most LOWER times theirs."""
    return _lower(*(curves.uvp[:, -1] for curves in together(ours, theirs, axis)))


def best_lower(ours: Curves, theirs: Curves, axis: str) -> Finding:
    """The same of the best values."""
    return _lower(*(curves.uvp.min(axis=1) for curves in together(ours, theirs, axis)))


def _lower(a: Array, b: Array) -> Finding:
    holds = bool(a.max() < b.min() and a.mean() <= LOWER * b.mean())
    return Finding(holds, f"{a.mean():.3g} [{a.min():.3g}, {a.max():.3g}] against {b.mean():.3g} "
                   f"[{b.min():.3g}, {b.max():.3g}]")  # fmt: skip


def faster(ours: Curves, theirs: Curves, axis: str) -> Finding:
    """In every seed ours reaches the best UVP of the other method before that does."""
    ours, theirs = together(ours, theirs, axis)
    first = []
    for curves in (ours, theirs):
        reached = curves.uvp <= theirs.uvp.min(axis=1, keepdims=True)
        when = curves.axis(axis)[np.arange(len(reached)), reached.argmax(axis=1)]
        first.append(np.where(reached.any(axis=1), when, np.inf))
    holds = bool((first[0] < first[1]).all())
    ours_at, theirs_at = (f"{when:.3g}" if np.isfinite(when) else "never" for when in map(np.median, first))
    return Finding(holds, f"{ours_at} against {theirs_at} {AXES[axis]}, medians")


@dataclass(frozen=True)
class Statement:
    """A sentence of Section 7 about its figure, and its criterion."""

    id: str
    line: str
    says: str
    criterion: str
    judge: Callable[[Curves, Curves, str], Finding]


_LOWER = "every run below every run of FedAdam (equal methods: chance 1/20 with 3 seeds), and the mean at most 90 %"
STATEMENTS = (
    Statement("ot-better", "L 977", "FedMM-OT significantly outperforms FedAdam in all dimensions (last value)",
              _LOWER, ends_lower),
    Statement("ot-better-best", "L 977", "FedMM-OT significantly outperforms FedAdam in all dimensions (best value)",
              f"the same of the least value that a run had: {_LOWER}", best_lower),
    Statement("ot-faster", "L 981", "in all settings FedMM-OT converges faster than FedAdam",
              "in every seed it reaches FedAdam's best UVP before FedAdam does", faster),
)  # fmt: skip

Panel = Mapping[str, Mapping[str, Curves]]
"""Curves of one dimension, by λ ("0", "1" or "own") and method."""


@dataclass(frozen=True)
class Judged:
    """A statement about `ours`, with what was found for each (λ, axis, d)."""

    statement: Statement
    ours: str
    findings: Mapping[tuple[str, str, int], Finding]

    @property
    def verdict(self) -> str:
        """Reproduced (in all settings), not reproduced (in none), or depends."""
        return verdict(self.findings.values())


def judge(panels: Mapping[int, Panel], ours: str) -> list[Judged]:
    """All statements, with `ours` in the place of FedMM-OT."""
    keys = [(lam, axis, d) for d, panel in panels.items() for lam, axis in product(panel, AXES)]

    def finding(statement: Statement, lam: str, axis: str, d: int) -> Finding:
        arms = panels[d][lam]
        return statement.judge(arms[ours], arms["FedAdam"], axis)

    return [Judged(s, ours, {key: finding(s, *key) for key in keys}) for s in STATEMENTS]
