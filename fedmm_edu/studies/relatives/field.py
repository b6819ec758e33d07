"""One problem with all or some of its clients: what each relative pays for an accuracy, by each cost.

For each question, an accuracy and a cost, a relative has the setting that was cheapest at it on the seeds of the
tuning; what is reported is the median over other seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fedmm_edu.relatives import relatives
from fedmm_edu.studies.record import rounded
from fedmm_edu.studies.relatives.compare import COSTS, cheapest, least, paid
from fedmm_edu.studies.relatives.grid import choices, scales_of, takes, why_not
from fedmm_edu.studies.relatives.problems import Contest, Given
from fedmm_edu.studies.relatives.race import Knobs, Measures, Race
from fedmm_edu.studies.tasks import Pool

PLAIN = "fedmm, as printed"
"""Algorithm 2 with ρ = 1/L (where there is a ρ) and γ = 1, floats up, Ŝ_t and θ_t down: nothing is tuned."""


def named(arm: str) -> str:
    """An arm in words."""
    return "FedMM as printed" if arm == PLAIN else relatives()[arm].name.partition(",")[0]


class Goal(NamedTuple):
    """What the cheapest way is asked to: a share of W_0 − min W, and one of `COSTS`."""

    accuracy: float
    cost: str


class Paid(NamedTuple):
    """Median, least and largest cost over the seeds, and the setting that paid it."""

    median: float
    least: float
    most: float
    choice: Knobs
    says: str


@dataclass(frozen=True, eq=False)
class Field:
    """What was found: `prices` by arm and question, None where some seed did not get there; `out`: who could not run.

    An arm is the key of a relative, or `PLAIN`. nearest: by arm, the least gap at the end of a run of the tuning, as
    a share of W_0 − min W. Numbers have the four digits that are recorded.
    """

    title: str
    active: int
    n: int
    prices: Mapping[str, Mapping[Goal, Paid | None]]
    nearest: Mapping[str, float]
    out: Mapping[str, str]
    runs: int

    def cheapest(self, question: Goal, among: Sequence[str] = ()) -> str:
        """The arm that pays least, of `among` if any are named; empty where nobody gets there."""
        found = {arm: price.median for arm in among or self.prices if (price := self.prices[arm][question])}
        return min(found, key=found.__getitem__) if found else ""

    def paid(self, arm: str, question: Goal) -> float:
        """The median; ∞ where it was not reached or the arm did not run."""
        price = self.prices.get(arm, {}).get(question)
        return np.inf if price is None else price.median


@dataclass(frozen=True)
class Size:
    """How much is run of a field."""

    accuracies: tuple[float, ...]
    rounds: int
    passes: int
    settings: int
    seeds: int
    tuning: int = 2

    @property
    def reported(self) -> range:
        """The seeds that are reported; those of the tuning are the ones below."""
        return range(self.tuning, self.tuning + self.seeds)


def field_of(name: str, active: int, size: Size, pool: Pool) -> Field:
    """Tune every relative that runs on the problem, then run what was cheapest at something on the other seeds."""
    source = Given(name)
    contest = source.contest()
    best, first = least(source, size.rounds, pool), contest.W_0
    finest = best + min(size.accuracies) * (first - best)

    def races(arm: str, choice: Knobs, seeds: Sequence[int]) -> list[Race]:
        return Race(source, _key(arm), choice, 0, size.rounds, finest, size.passes).with_seeds(seeds)

    why = {key: why_not(relative, contest, active) for key, relative in relatives().items()}
    arms = {key: _choices(key, contest, active, size) for key in why if not why[key]}
    if "fedmm" in arms:
        arms[PLAIN] = [Knobs(active=active)]
    tried = {
        (arm, k): races(arm, choice, range(size.tuning)) for arm, of in arms.items() for k, choice in enumerate(of)
    }
    runs = pool.run(tried, f"{name}: tuning")
    best = min([best, *(float(run.objective.min()) for of in runs.values() for run in of)])
    tuned = {arm: [runs[arm, k] for k in range(len(of))] for arm, of in arms.items()}
    questions = [Goal(accuracy, cost) for accuracy in size.accuracies for cost in COSTS]
    won = {(arm, q): cheapest(tuned[arm], best + q.accuracy * (first - best), q.cost)
           for arm in arms for q in questions}  # fmt: skip
    wanted = {(arm, k): races(arm, arms[arm][k], size.reported) for (arm, _), k in won.items()}
    runs = pool.run(wanted, f"{name}: seeds")
    prices = {arm: {q: _price(arm, contest, arms[arm][won[arm, q]], runs[arm, won[arm, q]], q, best, first)
                    for q in questions} for arm in arms}  # fmt: skip
    ends = {arm: rounded(min(_end(run, best, first) for of in tuned[arm] for run in of)) for arm in arms}
    nearest = {arm: np.inf if end is None else end for arm, end in ends.items()}
    made = len({each for of in (*tried.values(), *wanted.values()) for each in of})
    out = {key: says for key, says in why.items() if says}
    return Field(contest.title, active, len(contest.clients), prices, nearest, out, made)


def _key(arm: str) -> str:
    return "fedmm" if arm == PLAIN else arm


def _choices(key: str, contest: Contest, active: int, size: Size) -> list[Knobs]:
    relative = relatives()[key]
    return choices(relative, contest, scales_of(relative, contest), size.settings, active)


def _end(run: Measures, best: float, first: float) -> float:
    gap = float(run.objective[-1]) - best
    return max(gap / (first - best), 0.0) if np.isfinite(gap) else np.inf


def _price(
    arm: str, contest: Contest, choice: Knobs, runs: Sequence[Measures], question: Goal, best: float, first: float
) -> Paid | None:
    each = paid(runs, best + question.accuracy * (first - best))
    if each is None:
        return None
    costs = [one[question.cost] for one in each]
    relative = relatives()[_key(arm)]
    size = scales_of(relative, contest)
    said = choice.says(takes(relative, contest), 1.0 if size is None else size.L)
    median, low, high = (rounded(value) or 0.0 for value in (float(np.median(costs)), min(costs), max(costs)))
    return Paid(median, low, high, choice, said)
