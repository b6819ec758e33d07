"""`fedmm compare`: the relatives of FedMM on one problem: what each accuracy costs, and who never gets there.

Each relative is tuned over the same lists, on seeds that are not reported; then its best setting runs on other seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.relatives import Relative, Scales, relatives
from fedmm_edu.studies.record import rounded
from fedmm_edu.studies.relatives.certified import Promise, promised
from fedmm_edu.studies.relatives.ends import never
from fedmm_edu.studies.relatives.grid import LISTS, choices, from_theory, scales_of, takes, why_not
from fedmm_edu.studies.relatives.problems import Contest, Given
from fedmm_edu.studies.relatives.race import Knobs, Measures, Race
from fedmm_edu.studies.relatives.sending import Option, options
from fedmm_edu.studies.tasks import Pool

COSTS = ("kb up", "kb both ways", "gradients", "rounds", "server ms")
"""What an accuracy costs, as the columns of the table have it."""
LONG, PATIENCE = 10_000, 300
"""Rounds of the runs that find the least W, and how many of them may pass without a lower one."""
BY = {"both": "kb both ways", "up": "kb up", "gradients": "gradients", "rounds": "rounds", "server": "server ms"}
"""The cost that a setting is chosen by."""


@dataclass(frozen=True)
class ComparePlan:
    """How much is run. active = 0: everyone. names: the relatives, empty for all. by: a key of `BY`.

    Tuned on the seeds seed, …, seed + tuning − 1; the `seeds` next ones are reported.
    """

    accuracies: tuple[float, ...] = (1e-1, 1e-2, 1e-3, 1e-4)
    active: int = 0
    rounds: int = 400
    passes: int = 800
    seeds: int = 3
    settings: int = 8
    seed: int = 0
    tuning: int = 2
    by: str = "both"
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("rounds", "passes", "seeds", "settings", "tuning"):
            as_count(name, getattr(self, name))
        as_count("seed", self.seed, low=0)
        for accuracy in self.accuracies:
            in_interval("accuracy", accuracy, low=0.0, high=1.0, open_low=True)
        if self.by not in BY:
            raise InvalidInput(f"by = {self.by!r}: choose one of {', '.join(BY)}.")
        if unknown := [name for name in self.names if name not in relatives()]:
            raise InvalidInput(f"no relative {unknown[0]!r}: choose among {', '.join(relatives())}.")

    @property
    def tuned_on(self) -> range:
        """The seeds of the tuning."""
        return range(self.seed, self.seed + self.tuning)

    @property
    def reported(self) -> range:
        """The seeds that are reported."""
        return range(self.tuned_on.stop, self.tuned_on.stop + self.seeds)

    @property
    def finest(self) -> float:
        """The smallest accuracy."""
        return min(self.accuracies)


class Cost(NamedTuple):
    """Median, least and largest over the seeds."""

    median: float
    least: float
    most: float


@dataclass(frozen=True, eq=False)
class Entrant:
    """One relative: the setting that won, how many were tried, its runs, and what theory gives in its place.

    costs: per accuracy, by the names of `COSTS`; None where some seed did not get there, and `why` says why. promise:
    a rate that is proved of the setting that won, of the one that theory gives, or of the plain one.
    """

    relative: Relative
    choice: Knobs
    tried: int
    says: str
    runs: list[Measures]
    costs: Mapping[float, Mapping[str, Cost] | None]
    why: str
    theory: str
    nonzeros: Cost
    promise: Promise | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Who ran, best first at the finest accuracy that anybody reached; who could not, and why; W_0 and the least W.

    sent: what a client may send, where something is proved of the problem.
    """

    contest: Contest
    plan: ComparePlan
    first: float
    best: float
    entrants: list[Entrant]
    out: Mapping[str, str]
    sent: list[Option]

    def gap(self, run: Measures) -> Array:
        """(W − min W)/(W_0 − min W), row by row."""
        return np.maximum(run.objective - self.best, 0.0) / (self.first - self.best)


def compare_relatives(source: Given, plan: ComparePlan, pool: Pool) -> Comparison:
    """Tune, run, and count."""
    contest = source.contest()
    as_count("active", plan.active or len(contest.clients), high=len(contest.clients))
    out = {key: why_not(relatives()[key], contest, plan.active) for key in plan.names or relatives()}
    keys, out = [key for key, why in out.items() if not why], {key: why for key, why in out.items() if why}
    if not keys:
        raise InvalidInput(f"none of them runs on {contest.title}: {'; '.join(f'{k}: {v}' for k, v in out.items())}")
    W_0, best = contest.W_0, least(source, plan.rounds, pool)
    level = best + plan.finest * (W_0 - best)
    units = {key: scales_of(relatives()[key], contest) for key in keys}

    def races(key: str, choice: Knobs, seeds: Sequence[int]) -> list[Race]:
        return Race(source, key, choice, 0, plan.rounds, level, plan.passes).with_seeds(seeds)

    given = {key: choices(relatives()[key], contest, units[key], plan.settings, plan.active) for key in keys}
    tried = {(key, choice): races(key, choice, plan.tuned_on) for key in keys for choice in given[key]}
    tuned = pool.run(tried, "tuning")
    won = {key: of[cheapest([tuned[key, choice] for choice in of], level, BY[plan.by])] for key, of in given.items()}
    runs = pool.run({key: races(key, choice, plan.reported) for key, choice in won.items()}, "seeds")
    theory = {key: from_theory(relatives()[key], contest, units[key], choice) for key, choice in won.items()}
    theirs = pool.run({key: races(key, choice, plan.reported) for key, choice in theory.items() if choice is not None},
                      "theory")  # fmt: skip
    every = [run for group in (tuned, runs, theirs) for of in group.values() for run in of]
    lowest = min(every, key=lambda run: float(np.nan_to_num(run.objective[-1], nan=np.inf)))
    found = Comparison(contest, plan, W_0, min(best, *(float(run.objective.min()) for run in every)), [], out, [])
    plain = Knobs(active=plan.active)
    first = plan.reported[:1]
    bare = pool.run({key: races(key, plain, first) for key in won if relatives()[key].certified is not None},
                    "certified")  # fmt: skip
    for key in won:
        of = theirs.get(key, [])
        settings = [(won[key], runs[key]), (theory[key], of), (plain, bare.get(key, []))]
        promise = _promise(found, key, settings, units[key], lowest.theta)
        entrant = _entrant(found, key, won[key], len(given[key]), runs[key], theory[key], of, units[key], promise)
        found.entrants.append(entrant)
    ours = [race for key in ("fedmm", "accelerated") if key in won for race in races(key, plain, first)]
    promises = {one.relative.key: one.promise for one in found.entrants if one.promise is not None}
    if contest.curvature is not None:
        found.sent.extend(options(source, ours, promises, found.best, plan.finest * (W_0 - found.best), pool))
    found.entrants.sort(key=lambda entrant: _rank(entrant, plan))
    return found


def least(source: Given, rounds: int, pool: Pool) -> float:
    """The least W that FedMM with γ = 1 and its acceleration find, everyone active, in many rounds from θ_0.

    Where weights are personal: that FedMM with them finds.
    """
    keys = ("marfoq-in-s",) if source.contest().personal else ("fedmm", "accelerated")
    long = [Race(source, key, Knobs(), 0, max(LONG, 5 * rounds), -np.inf, patience=PATIENCE) for key in keys]
    found = pool.run({"reference": long}, "reference")["reference"]
    return min(float(run.objective.min()) for run in found)


def reached(run: Measures, level: float) -> int | None:
    """The first row with W ≤ level."""
    rows = np.flatnonzero(run.objective <= level)
    return int(rows[0]) if rows.size else None


def spent(run: Measures, row: int) -> dict[str, float]:
    """What a run has cost by this row."""
    up, down = float(run.bits_up[row]) / 8e3, float(run.bits_down[row]) / 8e3
    values = (up, up + down, float(run.gradients[row]), float(run.rounds[row]), 1e3 * float(run.seconds[row]))
    return dict(zip(COSTS, values, strict=True))


def paid(runs: Sequence[Measures], level: float) -> list[dict[str, float]] | None:
    """What each run has cost when it gets to the level; None where some run does not get there."""
    rows = [reached(run, level) for run in runs]
    each = [spent(run, row) for run, row in zip(runs, rows, strict=True) if row is not None]
    return each if len(each) == len(runs) else None


def cheapest(tuned: Sequence[Sequence[Measures]], level: float, by: str) -> int:
    """Which setting gets to the level at the least cost, given the runs of each on the seeds of the tuning.

    As prices are reported: the median over the seeds, of those that get there on every seed. If none does, the one
    whose worst run comes nearest.
    """

    def key(k: int) -> tuple[float, float]:
        each = paid(tuned[k], level)
        if each is not None:
            return float(np.median([one[by] for one in each])), 0.0
        return np.inf, max(float(np.nan_to_num(run.objective[-1], nan=np.inf)) for run in tuned[k])

    return min(range(len(tuned)), key=key)


def _over(values: Sequence[float]) -> Cost:
    return Cost(float(np.median(values)), min(values), max(values))


def _costs(found: Comparison, runs: list[Measures], accuracy: float) -> Mapping[str, Cost] | None:
    each = paid(runs, found.best + accuracy * (found.first - found.best))
    return None if each is None else {name: _over([one[name] for one in each]) for name in COSTS}


def _entrant(
    found: Comparison, key: str, choice: Knobs, tried: int, runs: list[Measures], given: Knobs | None,
    theirs: list[Measures], size: Scales | None, promise: Promise | None,
) -> Entrant:  # fmt: skip
    relative, unit = relatives()[key], 1.0 if size is None else size.L
    names = takes(relative, found.contest)
    costs = {accuracy: _costs(found, runs, accuracy) for accuracy in found.plan.accuracies}
    finest = found.plan.finest
    why = never(relative, found.contest, choice, runs, found.best, finest) if costs[finest] is None else ""
    theory = ""
    if given is not None:
        price = _costs(found, theirs, finest)
        word = BY[found.plan.by]
        cost = f"{price[word].median:.4g} {word}" if price else never(
            relative, found.contest, given, theirs, found.best, finest)  # fmt: skip
        theory = f"{given.says(names, unit)}: {cost}"
    nonzeros = _over([float(run.nonzeros[-1]) for run in runs])
    return Entrant(relative, choice, tried, choice.says(names, unit), runs, costs, why, theory, nonzeros, promise)


def _promise(
    found: Comparison,
    key: str,
    settings: Sequence[tuple[Knobs | None, list[Measures]]],
    size: Scales | None,
    star: Array,
) -> Promise | None:
    """Of the first of the settings that a theorem covers."""
    for choice, runs in settings:
        if choice is not None and runs:
            made = promised(relatives()[key], found.contest, size, choice, runs[0], found.best, star)
            if made is not None:
                return made
    return None


def _rank(entrant: Entrant, plan: ComparePlan) -> tuple[float, ...]:
    """By the cost of the finest accuracy, then the next."""
    costs = [entrant.costs[accuracy] for accuracy in sorted(plan.accuracies)]
    return tuple(np.inf if cost is None else cost[BY[plan.by]].median for cost in costs)


def as_numbers(found: Comparison) -> dict[str, Any]:
    """Everything in plain values."""

    def cost(one: Cost) -> dict[str, float | None]:
        return {name: rounded(value) for name, value in one._asdict().items()}

    def entrant(one: Entrant) -> dict[str, Any]:
        at = {f"{accuracy:g}": None if costs is None else {name: cost(c) for name, c in costs.items()}
              for accuracy, costs in one.costs.items()}  # fmt: skip
        setting = {name: getattr(one.choice, name) for name in sorted(takes(one.relative, found.contest))}
        return {"key": one.relative.key, "name": one.relative.name, "setting": setting, "says": one.says,
                "tried": one.tried, "costs": at, "why_not": one.why, "theory": one.theory,
                "certified": _certified(one.promise),
                "nonzeros": cost(one.nonzeros), "ended": [run.ended for run in one.runs]}  # fmt: skip

    return {
        "problem": found.contest.title, "plan": vars(found.plan), "W_0": found.first, "least_W": found.best,
        "lists": {name: list(values) for name, values in LISTS.items()},
        "what_to_send": [{name: rounded(v) if isinstance(v, float) else v for name, v in vars(one).items()}
                         for one in found.sent],
        "relatives": [entrant(one) for one in found.entrants], "out": dict(found.out),
    }  # fmt: skip


def _certified(promise: Promise | None) -> dict[str, Any] | None:
    return None if promise is None else {"setting": vars(promise.choice), **vars(promise.rate)}


OUT = Path("results/compare")
"""Where it is written, each problem in a folder of its own."""
