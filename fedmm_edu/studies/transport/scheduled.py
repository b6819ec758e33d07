"""Steps that fall over the rounds: which runs are made, and how the size of the steps is chosen for every method alike.

A schedule ends at zero, so that a run must be as long as it is compared: FedMM-OT makes R rounds, and FedAdam, which
sends two networks where FedMM-OT sends one, three runs: of R rounds; of as many as send the same bytes; of as many as
take the same CPU time, by the time that a round of either took in tuning.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, product
from typing import NamedTuple, TypeVar

import numpy as np

from fedmm_edu.algorithms import Constant, Cosine, FedMM, Staircase, State
from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.studies.tasks import Pool
from fedmm_edu.studies.transport.runs import TransportRun, TransportTask
from fedmm_edu.studies.transport.setting import Federation, OTMethod, Setting, federation_of
from fedmm_edu.studies.transport.statements import ScoreCurves
from fedmm_edu.studies.transport.tuning import TUNING_SEED

SCHEDULES = {"cosine": Cosine, "staircase": Staircase, "constant": lambda gamma, rounds: Constant(gamma)}
"""Each makes a rule t ↦ step of the first step and the rounds of the run."""
FEDMM_OT, FEDMM_OT_ADAPTIVE, FEDADAM = "FedMM-OT", "FedMM-OT, adaptive server", "FedAdam"
BASES: Mapping[str, OTMethod] = {
    FEDMM_OT: OTMethod(lam=1.0, rate=0.02, server_rate=3e-3),
    FEDMM_OT_ADAPTIVE: OTMethod(lam=1.0, gamma=3e-3, server_rate=3e-3, adaptive=True),
    FEDADAM: OTMethod(lam=1.0, gamma=3e-3, adaptive=True, joint=True),
}
"""The methods with the middle of the grid of steps: Adam's are the same for every network."""
FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0)
"""The grid: all steps of a method times each."""
TUNING_SEEDS = (TUNING_SEED, TUNING_SEED + 1)


class LongRun(NamedTuple):
    """A run where a published score is to be met: its rounds, which one core makes in less than an hour.

    patience: how many times the rounds of the comparison's tuning runs those have that choose its step. below: how many
    places in the grid below the chosen one its step is.
    """

    d: int
    rounds: int
    patience: int = 1
    below: int = 0

    @property
    def words(self) -> str:
        """What tells it from other runs in its dimension."""
        longer = "" if self.patience == 1 else f"tuning runs {self.patience} times as long"
        smaller = ("", "the next smaller step")[self.below] if self.below < 2 else f"{self.below} steps further down"
        return ", ".join(filter(None, (longer, smaller)))

    @property
    def key(self) -> str:
        """What it is called in a record."""
        return ", ".join(filter(None, ("hour", self.words)))


HOUR = (
    LongRun(2, 60_000),
    LongRun(2, 60_000, below=1),
    LongRun(8, 60_000, patience=5),
    LongRun(8, 60_000, patience=5, below=1),
    LongRun(16, 12_000),
    LongRun(32, 60_000),
    LongRun(64, 30_000),
    LongRun(64, 30_000, patience=5),
    LongRun(128, 10_000),
)
"""In 64 dimensions short tuning runs chose a step with which the run ended above the published score: that run stands
beside the one whose step was chosen with more patience. In 2 and 8 dimensions tuning runs chose a step that was too
large for long ones, of which the second died: they stand beside those with the next smaller one."""
WITH_AN_HOUR = tuple(dict.fromkeys(run.d for run in HOUR))
"""The dimensions that have one."""
EQUAL = {"rounds": "t", "bytes": "megabytes", "CPU time": "seconds"}
"""What is held equal, and the axis along which it is counted."""


def held_equal(schedule: str) -> tuple[str, ...]:
    """What is held equal: constant steps are there to tell what a schedule gives, at equal rounds."""
    return ("rounds",) if schedule == "constant" else tuple(EQUAL)


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
CurveKey = tuple[int, str, str, str]
"""Dimension, schedule, method, and what FedAdam's rounds are equal in."""


@dataclass(frozen=True)
class ScheduledTask(TransportTask):
    """A run whose server steps follow a schedule; gradients in closed form."""

    schedule: str = "constant"

    @property
    def name(self) -> str:
        return f"{super().name}-{self.schedule}"

    def rule(self, gamma: float) -> StepSize:
        """The steps of the run, from the first one."""
        return SCHEDULES[self.schedule](gamma, self.rounds)

    def begin(self, given: Federation) -> tuple[FedMM, State]:
        return self.method.start(given.closed(), self.setting, self.rule)


@dataclass(frozen=True)
class SchedulePlan:
    """rounds: R; tuning_rounds: of a run that tunes; rows: recorded rounds of a run, about.

    dimensions: of the comparison. hours: those in which longer runs are made, `HOUR`.
    """

    dimensions: tuple[int, ...] = (2, 4, 8, 16, 32, 64, 128)
    hours: tuple[int, ...] = WITH_AN_HOUR
    schedules: tuple[str, ...] = ("cosine", "constant")
    seeds: int = 3
    rounds: int = 2000
    tuning_rounds: int = 300
    rows: int = 20
    base: Setting = field(default_factory=lambda: Setting(pair="benchmark", samples=50_000, target=100_000))

    def __post_init__(self) -> None:
        as_count("seeds", self.seeds, high=TUNING_SEED)
        for name in ("rounds", "tuning_rounds", "rows"):
            as_count(name, getattr(self, name))
        if self.rounds < 2 * self.rows:
            raise InvalidInput(f"rows = {self.rows} of {self.rounds} rounds: record at most every second round.")
        for d in self.hours:
            if d not in WITH_AN_HOUR:
                raise InvalidInput(
                    f"hours = {d}: none is planned there, choose of {', '.join(map(str, WITH_AN_HOUR))}."
                )
        for name in self.schedules:
            if name not in SCHEDULES:
                raise InvalidInput(f"there is no schedule {name!r}: choose of {', '.join(SCHEDULES)}.")

    @property
    def long_runs(self) -> tuple[LongRun, ...]:
        """Those of its `hours`."""
        return tuple(run for run in HOUR if run.d in self.hours)

    def quick(self) -> SchedulePlan:
        """Few rounds on the pair that needs no files, in the plane: to see that all works."""
        base = replace(self.base, pair="log-sum-exp", samples=1000, target=2000)
        return replace(self, dimensions=(2,), hours=(), seeds=2, rounds=40, tuning_rounds=10, rows=10, base=base)

    def task(self, method: OTMethod, schedule: str, d: int, seed: int, rounds: int, scores: int) -> ScheduledTask:
        """A run of so many rounds with so many scores after the first, about."""
        every = max(1, rounds // scores)
        return ScheduledTask(method, replace(self.base, d=d, seed=seed), rounds, every, schedule)

    def tuning_minutes(self, run: LongRun, tuned: FactorTuning) -> float:
        """CPU minutes of the runs that choose a step, by the quickest round."""
        rounds = run.patience * self.tuning_rounds * len(FACTORS) * len(TUNING_SEEDS)
        return rounds * tuned.round_seconds / 60

    def tuning(self, name: str, schedule: str, d: int) -> dict[float, list[ScheduledTask]]:
        """The runs that score each factor of the grid: the same for all methods."""
        return {
            factor: [self.task(with_factor(BASES[name], factor), schedule, d, seed, self.tuning_rounds, 1)
                     for seed in TUNING_SEEDS]
            for factor in FACTORS
        }  # fmt: skip


def with_factor(method: OTMethod, factor: float) -> OTMethod:
    """All its steps times a factor."""
    return replace(method, **{rate: float(f"{factor * getattr(method, rate):.3g}") for rate in method.rates})


@dataclass(frozen=True, eq=False)
class FactorTuning:
    """The mean UVP at the end of the tuning runs by factor, and the CPU seconds that a round took.

    below: how many places in the grid below the factor of the least UVP the chosen one is.
    """

    name: str
    uvp: Mapping[float, float]
    round_seconds: float
    below: int = 0

    @property
    def factor(self) -> float:
        """The chosen one."""
        best = min(self.uvp, key=lambda factor: self.uvp[factor])
        return sorted(self.uvp)[max(0, sorted(self.uvp).index(best) - self.below)]

    @property
    def method(self) -> OTMethod:
        """The method with the steps that were chosen."""
        return with_factor(BASES[self.name], self.factor)

    @property
    def at_the_edge(self) -> bool:
        """Whether no larger, or no smaller, step was tried."""
        return self.factor in (FACTORS[0], FACTORS[-1])


@dataclass(frozen=True, eq=False)
class ScheduledCurves(ScoreCurves):
    """With the megabytes that clients sent, shape (rows,), and the UVP of the inverse map, shape (seeds, rows)."""

    megabytes: Array
    inverse: Array

    @staticmethod
    def of(runs: Sequence[TransportRun]) -> ScheduledCurves:
        plain, inverse = ScoreCurves.of(runs), np.stack([run.inverse_uvp for run in runs])
        bits = np.max([run.bits for run in runs], axis=0)  # the same for all that live
        return ScheduledCurves(plain.t, plain.seconds, plain.uvp, bits / 8e6, inverse)

    def axis(self, name: str) -> Array:
        return np.broadcast_to(self.megabytes, self.uvp.shape) if name == "megabytes" else super().axis(name)

    @cached_property
    def ways(self) -> dict[str, ScheduledCurves]:
        """The scores of the map, and those of its inverse in their place."""
        return {"forward": self, "inverse": replace(self, uvp=self.inverse)}


@dataclass(frozen=True, eq=False)
class Scheduled:
    """What was run: curves by dimension, schedule, method and what is equal; tuning by dimension, schedule, method."""

    plan: SchedulePlan
    curves: Mapping[CurveKey, ScheduledCurves]
    tuned: Mapping[tuple[int, str, str], FactorTuning]
    references: Mapping[int, Mapping[str, float]]

    def of(self, d: int, schedule: str, name: str, equal: str) -> ScheduledCurves:
        """The curves of a method in a comparison: only FedAdam's differ from one to the other."""
        return self.curves[d, schedule, name, equal if name == FEDADAM else "rounds"]

    def beside(self, kept: Scheduled) -> Scheduled:
        """With what was kept of the other dimensions of the plan, in its order."""

        def both(own: Mapping[K, V], other: Mapping[K, V], d_of: Callable[[K], int]) -> dict[K, V]:
            known = {**own, **other}
            return {key: known[key] for d in self.plan.dimensions for key in known if d_of(key) == d}

        return Scheduled(
            self.plan,
            both(self.curves, kept.curves, lambda key: key[0]),
            both(self.tuned, kept.tuned, lambda key: key[0]),
            both(self.references, kept.references, lambda d: d),
        )


def make_scheduled(plan: SchedulePlan, pool: Pool, kept: Scheduled | None = None) -> Scheduled:
    """Tune each method for each schedule and dimension, then run all seeds: one dimension after the other.

    What `kept` has of a dimension is not run again.
    """
    missing = [d for d in plan.dimensions if kept is None or d not in kept.plan.dimensions]
    _announce(plan, pool, missing)
    tuned: dict[tuple[int, str, str], FactorTuning] = {}
    runs: dict[CurveKey, list[TransportRun]] = {}
    for d in missing:
        for schedule, name in product(plan.schedules, BASES):
            tuned[d, schedule, name] = tune_factor(plan, pool, name, schedule, d)
        for seed, schedule in product(range(plan.seeds), plan.schedules):  # samples and clients of a seed are made once
            methods = {name: tuned[d, schedule, name] for name in BASES}
            tasks = {
                (d, schedule, name, equal): [plan.task(methods[name].method, schedule, d, seed, rounds, plan.rows)]
                for (name, equal), rounds in _lengths(plan, schedule, methods).items()
            }
            for curve, made in pool.run(tasks, f"{schedule}, d = {d}").items():
                runs.setdefault(curve, []).extend(made)
    references = {d: federation_of(replace(plan.base, d=d), pool.folder).references() for d in missing}
    made = Scheduled(plan, {curve: ScheduledCurves.of(of) for curve, of in runs.items()}, tuned, references)
    return made if kept is None else made.beside(kept)


def _announce(plan: SchedulePlan, pool: Pool, dimensions: Sequence[int]) -> None:
    """What will be asked for, about: how long FedAdam runs for the same CPU time is known after tuning only."""
    for d, schedule, name in product(dimensions, plan.schedules, BASES):
        for task in chain.from_iterable(plan.tuning(name, schedule, d).values()):
            pool.expect(task)
        curves = len(held_equal(schedule)) if name == FEDADAM else 1
        pool.expect(plan.task(BASES[name], schedule, d, 0, plan.rounds, plan.rows), curves * plan.seeds)


def tune_factor(plan: SchedulePlan, pool: Pool, name: str, schedule: str, d: int) -> FactorTuning:
    """All factors of the grid on the seeds of tuning."""
    found = pool.run(plan.tuning(name, schedule, d), f"tuning {name}, {schedule}, d = {d}")
    uvp = {factor: float(np.mean([run.uvp[-1] for run in runs])) for factor, runs in found.items()}
    pace = min(run.seconds[-1] / plan.tuning_rounds for runs in found.values() for run in runs)
    return FactorTuning(name, uvp, float(pace))


def _lengths(plan: SchedulePlan, schedule: str, tuned: Mapping[str, FactorTuning]) -> dict[tuple[str, str], int]:
    """Rounds of each method, by what they are equal in."""
    ratio = tuned[FEDMM_OT_ADAPTIVE].round_seconds / tuned[FEDADAM].round_seconds
    theirs = {"rounds": plan.rounds, "bytes": plan.rounds // 2, "CPU time": max(1, round(plan.rounds * ratio))}
    found = {(name, "rounds"): plan.rounds for name in (FEDMM_OT, FEDMM_OT_ADAPTIVE)}
    return found | {(FEDADAM, equal): theirs[equal] for equal in held_equal(schedule)}


@dataclass(frozen=True, eq=False)
class LongRuns:
    """One run of FedMM-OT with an adaptive server for each, and how its step was chosen."""

    curves: Mapping[LongRun, ScheduledCurves]
    tuned: Mapping[LongRun, FactorTuning]


def make_hour(plan: SchedulePlan, pool: Pool, kept: LongRuns | None = None) -> LongRuns:
    """The long runs of the plan, with the steps chosen for the cosine; those that are `kept` are not made again."""
    curves, tuned = ({}, {}) if kept is None else (dict(kept.curves), dict(kept.tuned))
    tasks: dict[LongRun, list[ScheduledTask]] = {}
    for run in plan.long_runs:
        if run not in curves:
            longer = replace(plan, tuning_rounds=run.patience * plan.tuning_rounds)
            tuned[run] = replace(tune_factor(longer, pool, FEDMM_OT_ADAPTIVE, "cosine", run.d), below=run.below)
            rounds = run.rounds if plan.base.pair == "benchmark" else min(run.rounds, 2 * plan.rounds)
            tasks[run] = [plan.task(tuned[run].method, "cosine", run.d, 0, rounds, 2 * plan.rows)]
    curves |= {run: ScheduledCurves.of(of) for run, of in pool.run(tasks, "an hour of one core").items()}
    return LongRuns({run: curves[run] for run in plan.long_runs}, {run: tuned[run] for run in plan.long_runs})
