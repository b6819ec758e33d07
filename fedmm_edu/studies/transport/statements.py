"""What Section 7 says about its figure, with a numerical criterion for each sentence.

The paper does not say λ, nor whether "faster" counts rounds or work, nor which value of a curve is meant; the sentences
speak of all dimensions. So each is judged for each dimension and λ (the same for both methods, or for each its own, of
the lesser UVP in tuning), at equal rounds and at equal CPU seconds; the criteria were fixed before a run of full length
was seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.studies.judging import Finding, Judged, Statement, judge_all

if TYPE_CHECKING:
    from fedmm_edu.studies.transport.runs import TransportRun

LOWER = 0.9
AXES = {"t": "rounds", "seconds": "CPU seconds"}
UNITS = AXES | {"megabytes": "MB"}


@dataclass(frozen=True, eq=False)
class ScoreCurves:
    """The runs of one method: the recorded rounds t, shape (rows,); CPU seconds and UVP, shape (seeds, rows)."""

    t: np.ndarray
    seconds: Array
    uvp: Array

    @staticmethod
    def of(runs: Sequence[TransportRun]) -> ScoreCurves:
        """Runs that differ in their seeds."""
        return ScoreCurves(runs[0].t, np.stack([run.seconds for run in runs]), np.stack([run.uvp for run in runs]))

    def axis(self, name: str) -> Array:
        """What the curves are drawn against: shape (seeds, rows)."""
        return self.seconds if name == "seconds" else np.broadcast_to(self.t, self.uvp.shape)

    def upto(self, name: str, horizon: float) -> ScoreCurves:
        """The rows of which no seed is beyond the horizon."""
        kept = self.axis(name).max(axis=0) <= horizon
        return replace(self, **{f.name: getattr(self, f.name)[..., kept] for f in fields(self)})


class Compared(NamedTuple):
    """What is compared: two methods, along an axis."""

    ours: ScoreCurves
    theirs: ScoreCurves
    axis: str

    def reached(self) -> tuple[ScoreCurves, ScoreCurves]:
        """Both up to the round, or the CPU time, that all their runs reach."""
        both = self.ours, self.theirs
        horizon = min(float(of.axis(self.axis)[:, -1].min()) for of in both)
        return both[0].upto(self.axis, horizon), both[1].upto(self.axis, horizon)


def ends_lower(pair: Compared) -> Finding:
    """The last values: every run below every one of the others, and a mean at most LOWER times theirs."""
    return _lower(*(of.uvp[:, -1] for of in pair.reached()))


def best_lower(pair: Compared) -> Finding:
    """The same of the best values."""
    return _lower(*(of.uvp.min(axis=1) for of in pair.reached()))


def _lower(a: Array, b: Array) -> Finding:
    holds = bool(a.max() < b.min() and a.mean() <= LOWER * b.mean())
    return Finding(holds, f"{a.mean():.3g} [{a.min():.3g}, {a.max():.3g}] against {b.mean():.3g} "
                   f"[{b.min():.3g}, {b.max():.3g}]")  # fmt: skip


def faster(pair: Compared) -> Finding:
    """In every seed ours reaches the best UVP of the other method before that does."""
    ours, theirs = pair.reached()
    first = []
    for of in (ours, theirs):
        reached = of.uvp <= theirs.uvp.min(axis=1, keepdims=True)
        when = of.axis(pair.axis)[np.arange(len(reached)), reached.argmax(axis=1)]
        first.append(np.where(reached.any(axis=1), when, np.inf))
    holds = bool((first[0] < first[1]).all())
    ours_at, theirs_at = (f"{when:.3g}" if np.isfinite(when) else "never" for when in map(np.median, first))
    return Finding(holds, f"{ours_at} against {theirs_at} {UNITS[pair.axis]}, medians")


_LOWER = "every run below every run of FedAdam (equal methods: chance 1/20 with 3 seeds), and the mean at most 90 %"
SECTION_7: tuple[Statement[Compared], ...] = (
    Statement(
        "ot-better", "fig3", "L 977", "FedMM-OT significantly outperforms FedAdam in all dimensions (last value)",
        _LOWER, ends_lower,
    ),
    Statement(
        "ot-better-best", "fig3", "L 977", "FedMM-OT significantly outperforms FedAdam in all dimensions (best value)",
        f"the same of the least value that a run had: {_LOWER}", best_lower,
    ),
    Statement(
        "ot-faster", "fig3", "L 981", "in all settings FedMM-OT converges faster than FedAdam",
        "in every seed it reaches FedAdam's best UVP before FedAdam does", faster,
    ),
)  # fmt: skip

Panel = Mapping[str, Mapping[str, ScoreCurves]]
"""Curves of one dimension, by λ ("0", "1" or "own") and method."""
Key = tuple[str, str, int]
"""λ, axis and dimension."""


def judge_scores(panels: Mapping[int, Panel], ours: str) -> list[Judged[Key, Compared]]:
    """All sentences, with `ours` in the place of FedMM-OT."""
    pairs = {
        (lam, axis, d): Compared(panel[lam][ours], panel[lam]["FedAdam"], axis)
        for d, panel in panels.items()
        for lam, axis in product(panel, AXES)
    }
    return judge_all(SECTION_7, pairs, {"ours": ours})
