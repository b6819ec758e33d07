"""The criteria by which sentences about the figures of Section 6 are judged.

Words that they share, for a curve of one run over recorded rounds:

    level       the geometric mean of the curve over a part of the rounds: updates range over decades
    most seeds  at least 9 of 10 (a fair coin does this with a chance of 1.1 %)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.studies.judging import Finding

if TYPE_CHECKING:
    from fedmm_edu.studies.dictionary.runs import DictionaryRun

RISE, GROWTH, EQUAL, EXACT, MOST, LOWER = 1e-3, 1.05, 0.01, 1e-9, 0.9, 0.5
UPDATES = ("parameter", "surrogate")


@dataclass(frozen=True, eq=False)
class Curves:
    """The runs of one algorithm on one data set: t, gamma and bits (sent by all clients so far), shape (rows,); the
    three metrics, shape (seeds, rows). Row 0 is the start, where the updates are NaN; a run that diverged is infinite.
    """

    t: Array
    bits: Array
    objective: Array
    parameter: Array
    surrogate: Array

    @staticmethod
    def of(runs: Sequence[DictionaryRun]) -> Curves:
        """Runs that differ in their seeds."""
        rows = [np.stack([getattr(run, name) for run in runs]) for name in ("objective", *UPDATES)]
        return Curves(runs[0].t, np.mean([run.bits for run in runs], axis=0), *rows)

    def part(self, low: float, high: float) -> np.ndarray:
        """The recorded rounds in (low T, high T]."""
        return (self.t > low * self.t[-1]) & (self.t <= high * self.t[-1])


Runs = Mapping[str, Curves]
"""The curves of one data set, by algorithm."""


def level(values: Array, where: np.ndarray) -> Array:
    """The geometric mean over some rounds, per run: shape (seeds,)."""
    with np.errstate(divide="ignore"):
        return np.exp(np.log(values[:, where]).mean(axis=1))


def decay(curves: Curves, values: Array) -> Array:
    """The level in the last quarter of the rounds over that in the first, per run."""
    first, last = level(values, curves.part(0.0, 0.25)), level(values, curves.part(0.75, 1.0))
    return np.where(np.isfinite(first), last / first, np.inf)


def most(truth: np.ndarray) -> bool:
    """Whether it is so for at least 9 of 10 runs."""
    return bool(truth.mean() >= MOST)


def monotone(runs: Runs) -> Finding:
    mean = runs["fedmm"].objective.mean(axis=0)
    drop = mean[0] - mean.min()
    rise = float(np.diff(mean).max())
    ups = int((np.diff(mean) > 0.0).sum())
    return Finding(
        bool(drop > 0.0 and rise <= RISE * drop),
        f"{mean[0]:.4g} → {mean[-1]:.4g}; largest rise {max(rise, 0.0) / drop:.1e} of the fall, {ups} rises",
    )


def naive_diverges(runs: Runs) -> Finding:
    curves = runs["naive"]
    mean = curves.objective.mean(axis=0)
    if not np.isfinite(mean).all():
        return Finding(True, "not finite")
    end, before = (float(mean[curves.part(*cut)].mean()) for cut in ((0.9, 1.0), (0.8, 0.9)))
    return Finding(
        end > GROWTH * mean.min() and end > before,
        f"{mean[0]:.4g} → {end:.4g}, least {mean.min():.4g}; {'still growing' if end > before else 'not growing'}",
    )


def better(runs: Runs) -> Finding:
    ours, naive = (runs[name].objective[:, -1] for name in ("fedmm", "naive"))
    wins = ours < naive
    return Finding(
        most(wins), f"{ours.mean():.4g} against {naive.mean():.4g}; lower in {wins.sum()} of {wins.size} runs"
    )


def decays(names: tuple[str, ...], metric: str, *, up: bool = False) -> Callable[[Runs], Finding]:
    def judge(runs: Runs) -> Finding:
        found = {name: decay(runs[name], getattr(runs[name], metric)) for name in names}
        holds = all(most(ratio > 1.0 if up else ratio < 1.0) for ratio in found.values())
        return Finding(holds, "; ".join(f"{name}: × {middle(ratio):.3g}" for name, ratio in found.items()))

    return judge


def naive_faster(runs: Runs) -> Finding:
    ours, naive = (decay(runs[name], runs[name].parameter) for name in ("fedmm", "naive"))
    return Finding(
        most(naive < ours), f"naive × {middle(naive):.3g}, FedMM × {middle(ours):.3g} ({(naive < ours).sum()} runs)"
    )


def overtaken(runs: Runs) -> Finding:
    early, late = (
        [level(runs[name].parameter, runs[name].part(*cut)) for name in ("fedmm", "naive")]
        for cut in ((0.1, 0.25), (0.9, 1.0))
    )
    holds = most(early[0] < early[1]) and most(late[1] < late[0])
    ratios = [middle(pair[0] / pair[1]) for pair in (early, late)]
    return Finding(holds, f"FedMM/naive: {ratios[0]:.3g} early, {ratios[1]:.3g} at the end")


def unstable(runs: Runs) -> Finding:
    curves, values = runs["naive"], runs["naive"].surrogate
    fell = level(values, curves.part(0.25, 0.5)) < level(values, curves.part(0.0, 0.25))
    rough = [
        float(np.abs(np.diff(np.log(values[:, curves.part(*cut)]), axis=1)).mean()) for cut in ((0.25, 0.5), (0.75, 1))
    ]
    return Finding(
        most(fell) and rough[1] > 2.0 * rough[0],
        f"falls in {fell.sum()} of {fell.size} runs; roughness {rough[0]:.3g}, then {rough[1]:.3g}",
    )


def both_ways(runs: Runs) -> Finding:
    naive = runs["naive"]
    down, up = decay(naive, naive.parameter), decay(naive, naive.surrogate)
    return Finding(most(down < 1.0) and most(up > 1.0), f"parameter × {middle(down):.3g}, surrogate × {middle(up):.3g}")


def same_objective(runs: Runs) -> Finding:
    plain, with_cv = (runs[name].objective.mean(axis=0) for name in ("alpha = 0", "alpha = 0.01"))
    gap = float(np.abs(plain - with_cv).max() / (plain[0] - plain.min()))
    return Finding(gap <= EQUAL, f"largest difference {gap:.1e} of the fall")


def exactly_cancel(runs: Runs) -> Finding:
    pairs = [(getattr(runs["alpha = 0"], m)[:, 1:], getattr(runs["alpha = 0.01"], m)[:, 1:]) for m in UPDATES]
    gap = max(float(np.abs(b / a - 1.0).max()) for a, b in pairs)
    return Finding(gap <= EXACT, f"the updates differ by up to {gap:.1e} of their size")


def lower(runs: Runs) -> Finding:
    plain, with_cv = runs["alpha = 0"], runs["alpha = 0.01"]
    ratios = []
    for metric in UPDATES:
        a, b = (level(getattr(c, metric), c.part(0.75, 1.0)) for c in (plain, with_cv))
        ratios.append(b / a)
    holds = all(most(ratio < 1.0) and middle(ratio) <= LOWER for ratio in ratios)
    found = ", ".join(f"{middle(r):.3g} ({metric})" for r, metric in zip(ratios, UPDATES, strict=True))
    return Finding(holds, f"with/without: {found}")


def middle(ratios: Array) -> float:
    """The median."""
    return float(np.median(ratios)) if np.isfinite(ratios).all() else math.inf
