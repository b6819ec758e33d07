"""A run of the experiments: what it depends on, and what it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedmm_edu.algorithms import FedMM, Harmonic, ParameterSpace, SqrtDecay, State, SurrogateSpace
from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.examples.dictionary import DictionaryLearning
from fedmm_edu.federation import FixedSize, FullBatch, Identity, MiniBatch, UniformQuantization
from fedmm_edu.studies.dictionary.data import Data, Source, load_source
from fedmm_edu.studies.tasks import Task, Unfinished

STARTS = ("shared", "samples", "apart")
LARGEST = 1e6
"""A run whose objective exceeds this multiple of the first one has diverged: the rest of its curves is infinite."""


@dataclass(frozen=True, eq=False)
class DictionaryRun:
    """What a task gave: rows over recorded rounds (row 0: the start), and the last dictionary, shape (p, K)."""

    t: Array
    bits: Array
    objective: Array
    parameter: Array
    surrogate: Array
    theta: Array


@dataclass(frozen=True)
class DictionaryTask(Task[DictionaryRun]):
    """Everything that a run depends on. naive: aggregate in Θ; bits = 0: no compression; batch = 0: all local samples;
    beta = 0: γ_t = 1/t.

    start: the dictionary θ_init has N(0, 1) entries ("shared", "apart"), or consists of random samples ("samples").
    FedMM starts at Ŝ_0 = 𝒯(θ_init), hence at θ_0 = T(Ŝ_0). The naive algorithm starts at this θ_0, too, so that all
    curves begin in one point; with "apart" it starts at θ_init, one step of MM behind. rows: recorded rounds, about.
    """

    kind = DictionaryRun

    source: Source
    naive: bool
    beta: float
    seed: int
    rounds: int
    alpha: float = 0.01
    bits: int = 8
    batch: int = 50
    active: int = 10
    variates: str = "zero"
    start: str = "shared"
    rows: int = 50

    def __post_init__(self) -> None:
        for name, low in (("rounds", 1), ("rows", 1), ("batch", 0), ("bits", 0)):
            as_count(name, getattr(self, name), low=low)
        as_count("active", self.active, high=self.source.clients)
        if self.start not in STARTS:
            raise InvalidInput(f"start = {self.start!r}: choose one of {', '.join(STARTS)}.")

    @property
    def name(self) -> str:
        arm = "naive" if self.naive else "fedmm"
        return f"{self.source.name}-{arm}-a{self.alpha:g}-b{self.beta:g}-s{self.seed}"

    @property
    def cost(self) -> float:
        """Samples coded per round times the size of a code's system, roughly."""
        real = self.source.name not in ("homogeneous", "heterogeneous")
        return self.rounds * (10.0 if real else 1.0) * (1.0 if self.batch else 1.5)

    def make(self, folder: Path | None = None, unfinished: Unfinished | None = None) -> DictionaryRun:
        """The run; one that diverged gets infinite rows for the rounds that it did not reach."""
        theta, found = np.empty(0), []
        for row in steps(self, load_source(self.source, folder)):
            theta = row.pop("theta")
            found.append(row)
        for t in sorted(self.recorded())[len(found) - 1 :]:
            found.append(dict.fromkeys(found[0], np.inf) | {"t": t, "bits": found[-1]["bits"]})
        return DictionaryRun(**{name: np.array([float(row[name]) for row in found]) for name in found[0]}, theta=theta)

    def recorded(self) -> set[int]:
        """Rounds 1, 2, 5 and multiples of T/rows, and the last."""
        step = max(1, self.rounds // self.rows)
        return {t for t in (1, 2, 5) if t <= self.rounds} | set(range(step, self.rounds + 1, step)) | {self.rounds}


class Meter:
    """The objective and 𝒯(θ) from one pass of sparse coding over all samples."""

    def __init__(self, data: Data) -> None:
        self.problem, self.z = data.problem(), data.pool
        self.energy = float((self.z**2).sum(axis=1).mean())

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """(28) and 𝒯(θ), by ½‖Z − θh‖² = ½‖Z‖² − ⟨S̄(Z, θ), φ(θ)⟩ with the codes h."""
        h = self.problem.codes(self.z, theta, slice(0, len(self.z)))
        s = np.concatenate([(h.T @ h).ravel(), (self.z.T @ h).ravel()]) / len(h)
        chi = float(self.problem.coder.chi(h).mean())
        return 0.5 * self.energy - float(s @ self.problem.phi(theta)) + chi + self.problem.g(theta), s


def prepare(task: DictionaryTask, data: Data) -> tuple[FedMM, State]:
    """The algorithm and its start."""
    problem = data.problem()
    fed = FedMM(
        problem,
        data.clients,
        SqrtDecay(task.beta) if task.beta else Harmonic(),
        MiniBatch(task.batch) if task.batch else FullBatch(),
        FixedSize(task.active),
        UniformQuantization(task.bits) if task.bits else Identity(),
        task.alpha,
        ParameterSpace() if task.naive else SurrogateSpace(),
        seed=task.seed,
    )
    rng = np.random.default_rng([task.seed, 6])
    first = rng.normal(size=(problem.p, problem.K))
    if task.start == "samples":
        first = data.pool[rng.choice(len(data.pool), problem.K, replace=False)].T.copy()
    s = Meter(data)(first.ravel())[1]
    if not task.naive:
        return fed, fed.init(s, task.variates)
    return fed, fed.init(first.ravel() if task.start == "apart" else problem.T(s), task.variates)


def steps(task: DictionaryTask, data: Data) -> Iterator[dict]:
    """The recorded rows, one by one, each with its dictionary.

    Not `run`: it ends where the objective, finite yet, is hopeless, and one sparse coding gives it and 𝒯(θ).
    """
    fed, state = prepare(task, data)
    meter, wanted, spare = Meter(data), task.recorded(), None
    problem: DictionaryLearning = meter.problem
    theta = fed.theta(state)
    least, _ = meter(theta)
    yield {"t": 0, "bits": 0, "objective": least, "parameter": np.nan, "surrogate": np.nan, "theta": theta}
    while state.t < task.rounds:
        after = fed.step(state, onto=spare)
        if after.t in wanted:
            gamma, old, theta = fed.step_size(after.t), fed.theta(state), fed.theta(after)
            objective, s = meter(theta)
            before = meter(old)[1] if task.naive else state.x
            moved = (s if task.naive else after.x) - before
            yield {
                "t": after.t,
                "bits": after.bits_up,
                "objective": objective,
                "parameter": float(np.sum((theta - old) ** 2)) / gamma**2,
                "surrogate": float(np.sum(moved**2)) / gamma**2,
                "theta": theta.reshape(problem.p, problem.K),
            }
            if not objective < LARGEST * least:
                return
        spare, state = (state if state.t else None), after  # the first state may share its memory with `init`
