"""One problem with all or some of its clients: what each relative pays for an accuracy, by each cost.

For each question, an accuracy and a cost, a relative has the setting that was cheapest at it on the seed of the tuning;
what is reported is the median over other seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fedmm_edu.relatives import relatives
from fedmm_edu.studies.record import rounded
from fedmm_edu.studies.relatives.compare import COSTS, least, reached, spent
from fedmm_edu.studies.relatives.grid import choices, scales_of, takes, why_not
from fedmm_edu.studies.relatives.problems import Contest, Given
from fedmm_edu.studies.relatives.race import Knobs, Measures, Race
from fedmm_edu.studies.tasks import Pool

PLAIN = "fedmm, as printed"
"""Algorithm 2 with ρ = 1/L (where there is a ρ) and γ = 1, floats up, Ŝ_t and θ_t down: nothing is tuned."""


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
    seed: int = 0


def field_of(name: str, active: int, size: Size, pool: Pool) -> Field:
    """Tune every relative that runs on the problem, then run what was cheapest at something on the other seeds."""
    source = Given(name)
    contest = source.contest()
    best, first = least(source, size.rounds, pool), contest.W_0
    finest = best + min(size.accuracies) * (first - best)

    def race(key: str, choice: Knobs, seed: int) -> Race:
        return Race(source, key, choice, seed, size.rounds, finest, size.passes)

    why = {key: why_not(relative, contest, active) for key, relative in relatives().items()}
    arms = {key: _choices(key, contest, active, size) for key in why if not why[key]}
    if "fedmm" in arms:
        arms[PLAIN] = [Knobs(active=active)]
    tried = {arm: [race(_key(arm), choice, size.seed) for choice in of] for arm, of in arms.items()}
    tuned = pool.run(tried, f"{name}: tuning")
    best = min([best, *(float(run.objective.min()) for of in tuned.values() for run in of)])
    questions = [Goal(accuracy, cost) for accuracy in size.accuracies for cost in COSTS]
    won = {(arm, q): _winner(tuned[arm], q, best, first) for arm in arms for q in questions}
    wanted = {(arm, k): [race(_key(arm), arms[arm][k], size.seed + 1 + j) for j in range(size.seeds)]
              for (arm, _), k in won.items()}  # fmt: skip
    runs = pool.run(wanted, f"{name}: seeds")
    prices = {arm: {q: _price(arm, contest, arms[arm][won[arm, q]], runs[arm, won[arm, q]], q, best, first)
                    for q in questions} for arm in arms}  # fmt: skip
    ends = {arm: rounded(min(_end(run, best, first) for run in tuned[arm])) for arm in arms}
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


def _winner(runs: Sequence[Measures], question: Goal, best: float, first: float) -> int:
    """The setting that gets there at the least cost; if none does, the one that comes nearest."""
    level = best + question.accuracy * (first - best)

    def key(k: int) -> tuple[float, float]:
        row = reached(runs[k], level)
        return (np.inf, _end(runs[k], best, first)) if row is None else (spent(runs[k], row)[question.cost], 0.0)

    return min(range(len(runs)), key=key)


def _price(
    arm: str, contest: Contest, choice: Knobs, runs: Sequence[Measures], question: Goal, best: float, first: float
) -> Paid | None:
    level = best + question.accuracy * (first - best)
    rows = [reached(run, level) for run in runs]
    paid = [spent(run, row)[question.cost] for run, row in zip(runs, rows, strict=True) if row is not None]
    if len(paid) < len(runs):
        return None
    relative = relatives()[_key(arm)]
    size = scales_of(relative, contest)
    said = choice.says(takes(relative, contest), 1.0 if size is None else size.L)
    median, low, high = (rounded(value) or 0.0 for value in (float(np.median(paid)), min(paid), max(paid)))
    return Paid(median, low, high, choice, said)
