"""Rates that are proved, for the settings of a comparison: what they promise, beside what was measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.federation import FullBatch
from fedmm_edu.relatives import Beginning, LinearRate, Relative, Scales
from fedmm_edu.studies.relatives.grid import takes
from fedmm_edu.studies.relatives.problems import Contest
from fedmm_edu.studies.relatives.race import Knobs, Measures, problem_for

FARTHEST = 10**6
"""Rounds after which a rate is no longer drawn."""


@dataclass(frozen=True, eq=False)
class Promise:
    """A rate, the setting it is about, a run with it, the number of clients, and the setting in words."""

    rate: LinearRate
    choice: Knobs
    run: Measures
    n: int
    says: str

    def cost(self, gap: float, column: str) -> float:
        """What the bound says it takes to E[W] − min W ≤ gap."""
        start, slope = self._line(column)
        return start + slope * self.rate.steps(gap)

    def path(self, column: str, gap: float) -> tuple[Array, Array]:
        """The cost after 0, 1, … rounds (or gradient steps) and the bound, until it is at most `gap`."""
        last = min(self.rate.steps(gap), FARTHEST)
        steps = np.unique(np.rint(np.geomspace(1.0, max(last, 1.0), 200)))
        start, slope = self._line(column)
        return start + slope * steps, self.rate.first * self.rate.factor**steps

    def _line(self, column: str) -> tuple[float, float]:
        """Cost at the start, and of a step: of a round, the same in all; of a gradient step, in the mean over coins."""
        values = self.run.column(column)
        rounds = len(values) - 1
        round_costs = float(values[-1] - values[0]) / rounds if rounds else np.inf
        if not self.rate.by_gradients:
            return float(values[0]), round_costs
        return float(values[0]), float(self.n) if column == "gradients" else self.choice.p * round_costs


def promised(
    relative: Relative, contest: Contest, size: Scales | None, choice: Knobs, run: Measures, best: float, star: Array
) -> Promise | None:
    """What is proved of this setting; None where no theorem covers it. star: θ_⋆, as far as it is known."""
    if relative.certified is None or size is None:
        return None
    problem, mu = problem_for(relative, contest), contest.clients.mu
    slopes = [problem.gradient(star, problem.mean_S_bar(z, star)) for z in contest.clients]
    norms = np.array([slope @ slope for slope in slopes])
    distance = float(np.sum((contest.start - star) ** 2))
    start = Beginning(float(run.objective[0]) - best, distance, float(mu @ norms))
    rate = relative.certified(size, choice.tuning(size.d, 0, FullBatch()), start)
    if rate is None or rate.factor >= 1.0:
        return None
    return Promise(rate, choice, run, len(mu), choice.says(takes(relative, contest), size.L))
