"""One run of one relative, with all that it costs: rounds, bits, gradients, and the server's processor time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fedmm_edu.algorithms import FedMM, State, run
from fedmm_edu.algorithms.downlink import Differences, Downlink, Printed, Shorter
from fedmm_edu.algorithms.run import Column
from fedmm_edu.algorithms.settings import Sight, Standing
from fedmm_edu.arrays import Array, Names, Offsets
from fedmm_edu.errors import Diverged, InvalidInput
from fedmm_edu.federation import (
    Clients,
    Compressor,
    Draws,
    FullBatch,
    Identity,
    Oracle,
    RandK,
    TopK,
    UniformQuantization,
    largest_alpha,
)
from fedmm_edu.federation.compressor import FLOAT_BITS
from fedmm_edu.relatives import Demand, Folded, Relative, Tuning, relatives
from fedmm_edu.studies.relatives.problems import Contest, Given
from fedmm_edu.studies.tasks import Task, Unfinished
from fedmm_edu.surrogate import Surrogate


@dataclass
class Expense:
    """What a run has cost so far: passes of a client over its data, and seconds of the server."""

    gradients: int = 0
    seconds: float = 0.0
    _inside: bool = False

    @contextmanager
    def server(self) -> Iterator[None]:
        """The server is at work; within itself it is counted once."""
        if self._inside:
            yield
            return
        self._inside, began = True, time.thread_time()
        try:
            yield
        finally:
            self._inside, self.seconds = False, self.seconds + time.thread_time() - began


@dataclass(frozen=True)
class Counted(Oracle):
    """Every sample of a client, and how often a client was asked."""

    meter: Expense = field(compare=False)

    def rows(self, clients: Clients, draws: Draws) -> tuple[Names, Offsets]:
        return FullBatch().rows(clients, draws)

    def __call__(self, problem: Surrogate, clients: Clients, theta: Array, draws: Draws) -> Array:
        self.meter.gradients += len(draws.clients)
        return super().__call__(problem, clients, theta, draws)


@dataclass(frozen=True, eq=False)
class Timed(FedMM):
    """The same rounds; the server's half of each is timed."""

    meter: Expense = field(default_factory=Expense, kw_only=True)

    def theta(self, state: Standing) -> Array:
        with self.meter.server():
            return super().theta(state)

    def sight(self, state: Standing) -> Sight:
        with self.meter.server():
            return super().sight(state)

    def moved(self, state: Standing, at: Sight, H: Array, draws: Draws) -> dict[str, Any]:
        with self.meter.server():
            return super().moved(state, at, H, draws)


def channel(name: str, dim: int) -> Compressor:
    """The compressor of this name for rows of length dim."""
    quarter = max(1, dim // 4)
    return {"none": Identity(), "8 bits": UniformQuantization(8), "random quarter": RandK(quarter),
            "top quarter": TopK(quarter)}[name]  # fmt: skip


def down(name: str, up: Compressor, dim: int) -> Downlink:
    """The downlink of this name, where the channel up is `up` and x has the length dim."""
    if name == "differences":
        return Differences(up, largest_alpha(up.omega(dim)) if up.unbiased else 1.0)
    return {"printed": Printed(), "floats": Shorter()}[name]


@dataclass(frozen=True)
class Knobs:
    """A setting in plain values; each relative takes of it what it takes. active = 0: everyone."""

    eta: float = 1.0
    steps: int = 1
    gamma: float = 1.0
    pull: float = 1.0
    p: float = 1.0
    compressor: str = "none"
    active: int = 0
    rho: float = 1.0
    downlink: str = "printed"

    def tuning(self, dim: int, seed: int, oracle: Oracle) -> Tuning:
        """The same as a `Tuning`, for messages of length dim."""
        up = channel(self.compressor, dim)
        return Tuning(
            self.eta, self.steps, self.gamma, self.active or None, up, None, self.pull, self.p, oracle, seed, self.rho,
            down(self.downlink, up, dim),
        )  # fmt: skip

    def says(self, names: frozenset[str], unit: float) -> str:
        """The fields `names` in words, η, ρ and the pull in the units of 1/L and L."""
        texts = {
            "gamma": f"γ = {self.gamma:g}", "eta": f"η = {self.eta * unit:.3g}/L", "steps": f"K = {self.steps}",
            "rho": f"ρ = {self.rho:g}/L", "p": f"p = {self.p:.3g}",
            "pull": f"a = {self.pull / unit:.3g} L", "compressor": self.compressor,
            "downlink": f"{self.downlink} down",
        }  # fmt: skip
        return ", ".join(text for name, text in texts.items() if name in names)


DRAWN = frozenset({"8 bits", "random quarter"})
"""The channels that draw."""


def problem_for(relative: Relative, contest: Contest) -> Surrogate:
    """The problem as it stands, or with its smooth g in every f_i for a relative that asks for g = 0."""
    return Folded(contest.problem, contest.start) if Demand.NO_PENALTY in relative.needs else contest.problem


def on(relative: Relative, contest: Contest, choice: Knobs, seed: int, oracle: Oracle) -> FedMM:
    """The relative on a problem with a setting; `InvalidInput` where they do not fit."""
    problem = problem_for(relative, contest)
    sends_S = Demand.SURROGATE in relative.needs and relative.on(problem, contest.clients).space.has_B
    return relative.on(problem, contest.clients, choice.tuning(problem.q if sends_S else problem.d, seed, oracle))


@dataclass(frozen=True, eq=False)
class Measures:
    """Row by row from the start: W, and what it has cost; `ended`: "reached" the level, "diverged", or "rounds"."""

    objective: Array
    rounds: Array
    bits_up: Array
    bits_down: Array
    gradients: Array
    seconds: Array
    nonzeros: Array
    theta: Array
    ended: str

    def column(self, name: str) -> Array:
        """What was spent: rounds, gradients, seconds, bits up, or bits both ways."""
        every = {"bits up": self.bits_up, "bits": self.bits_up + self.bits_down, "rounds": self.rounds,
                 "gradients": self.gradients, "seconds": self.seconds}  # fmt: skip
        return every[name]


@dataclass(frozen=True)
class Race(Task[Measures]):
    """A run until W ≤ level, or for so many rounds; with patience, until the least W is so many rounds old, too.

    passes: the run ends when a client has gone over its data so often in the mean; 0 for no such end.
    """

    kind = Measures

    source: Given
    relative: str
    choice: Knobs
    seed: int
    rounds: int
    level: float
    passes: int = 0
    patience: int = 0

    @property
    def name(self) -> str:
        return f"{self.relative}-{self.seed}"

    @property
    def takes(self) -> frozenset[str]:
        """The settings that count."""
        contest = self.source.contest()
        return relatives()[self.relative].takes(contest.problem, len(contest.clients))

    @property
    def cost(self) -> float:
        takes = self.takes
        passes = (self.choice.steps if "steps" in takes else 1) / (self.choice.p if "p" in takes else 1.0)
        return self.rounds * (5.0 + passes)

    def with_seeds(self, seeds: Sequence[int]) -> list[Race]:
        """On each of these seeds; again and again on the first where nothing is drawn, so that one run is made."""
        takes = self.takes
        drawn = "compressor" in takes and self.choice.compressor in DRAWN
        if not (self.choice.active or drawn or ("p" in takes and self.choice.p < 1.0)):
            seeds = [seeds[0]] * len(seeds)
        return [replace(self, seed=seed) for seed in seeds]

    def make(self, folder: Path | None = None, unfinished: Unfinished | None = None) -> Measures:
        relative, contest, meter = relatives()[self.relative], self.source.contest(), Expense()
        plain = on(relative, contest, self.choice, self.seed, Counted(meter))
        fed = Timed(**{f.name: getattr(plain, f.name) for f in fields(FedMM)}, meter=meter)
        # Ŝ_0 is the mean of S̄ at θ_0, and control variates may start at h_i: a round of its own, sent in full
        n, first = len(contest.clients), int(fed.space.has_B or relative.V == "mean_field")
        up, down = first * n * FLOAT_BITS * fed.dim, first * n * FLOAT_BITS * fed.problem.d

        @lru_cache(maxsize=2)
        def W(f: FedMM, state: State) -> float:  # f, the run's own, keeps T(Ŝ_t): to ask for it costs nothing
            return contest.W(f.theta(state), state.memory)

        columns: Mapping[str, Column] = {
            "objective": lambda f, b, after: W(f, after),
            "rounds": lambda f, b, after: float(after.t + first),
            "bits_up": lambda f, b, after: float(after.bits_up + up),
            "bits_down": lambda f, b, after: float(after.bits_down + down),
            "gradients": lambda f, b, after: float(meter.gradients + first * n),
            "seconds": lambda f, b, after: meter.seconds,
            "nonzeros": lambda f, b, after: float(np.count_nonzero(f.theta(after))),
        }
        start, worst, least = relative.start(fed, contest.start), 1e6 * (1.0 + abs(contest.W_0)), Least()

        def ends(f: FedMM, before: State, after: State) -> bool:
            tired = 0 < self.patience <= least.age(W(f, after), after.t)
            return not self.level < W(f, after) <= worst or tired or 0 < self.passes * n <= meter.gradients

        meter.seconds = 0.0
        try:
            state, history = run(fed, start, self.rounds, columns=columns, every=1, until=ends)
        except Diverged as error:
            return Measures(**error.history.columns, theta=fed.theta(error.state), ended="diverged")
        except InvalidInput as error:  # an iterate at which the model has no value
            rows = [np.array([value]) for value in (contest.W_0, *[0.0] * 6)]
            return Measures(*rows, theta=contest.start, ended=f"stopped: {error}")
        last = float(history.objective[-1])
        ended = "reached" if last <= self.level else "diverged" if last > worst else "rounds"
        return Measures(**history.columns, theta=fed.theta(state), ended=ended)


@dataclass
class Least:
    """The least number so far."""

    value: float = np.inf
    t: int = 0

    def age(self, value: float, t: int) -> int:
        """For how many rounds no number was below it."""
        if value < self.value:
            self.value, self.t = value, t
        return t - self.t
