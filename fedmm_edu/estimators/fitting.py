"""One fit: a task, the settings of its channel, its rounds on an engine, and what they leave for the certificate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fedmm_edu.algorithms import FedMM, State, run
from fedmm_edu.algorithms.settings import Standing
from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.announced import Requirement
from fedmm_edu.arrays import Array, Indices, counts_of
from fedmm_edu.distributed import Engine, Plan, in_process, one_round
from fedmm_edu.distributed.state import ServerState, Variates
from fedmm_edu.errors import InvalidInput
from fedmm_edu.estimators.channel import Channel
from fedmm_edu.estimators.resuming import Callback, Watch, resumed
from fedmm_edu.federation import (
    Clients,
    FullBatch,
    Oracle,
)
from fedmm_edu.federation.compressor import FLOAT_BITS
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.theory.assumptions import Cell

EXACT = FullBatch()
MakeEngine = Callable[[FedMM, Plan], Engine]
"""What carries the messages of a plan: an engine whose nodes hold the clients of the run."""
Carrier = Literal["memory", "nodes", "flower"] | MakeEngine
"""What an estimator's `engine` may be."""


def maker(engine: Carrier) -> MakeEngine | None:
    """What makes the engine of a run; None for arrays in this process. `MissingExtra` where Flower is not installed."""
    if engine == "flower":
        from fedmm_edu.distributed.on_flower import OnFlower

        return OnFlower()
    if isinstance(engine, str) and engine in ("memory", "nodes"):
        return None if engine == "memory" else in_process
    if callable(engine):
        return engine
    raise InvalidInput(
        f"engine = {engine!r}: choose 'memory', 'nodes', 'flower', or a function of (fed, plan) that makes one."
    )


@dataclass(frozen=True, eq=False)
class FitTask:
    """What an estimator asks of the loop: a problem on clients in standard units, and where to start.

    example: the example whose assumptions hold of `problem`. floor: a lower bound of W, None where none is known.
    flat: L_T and ℓ of the theorem without A7 (φ∘T is L_T-Lipschitz, the mean oracle ℓ-Lipschitz in φ∘T), where known.
    majorises: whether the condition of MM-1 holds on this data, and in words for which f. field: the bound of A6(i)
    where that of the example does not serve. meets: of what rows of a ledger may ask, that which the problem does not
    show. plain, of: the example's own problem and samples, where rows have weights
    or holes besides; foreign: why its formulas of the data do not serve then. notes: what the certificate is to say
    besides. oracle: what clients compute, all of their rows' mean and perhaps noise. rests: rows of the ledger that the
    fit rests on besides, each after what it is about. opening: Ŝ_0 where no row may be asked for it; else it is
    Σ μ_i S̄_i(θ_0), which each client sends its part of.
    """

    example: str
    problem: Surrogate
    clients: Clients
    start: Callable[[int], Array]
    floor: float | None = None
    flat: tuple[float, float] | None = None
    majorises: tuple[bool, str] = (True, "")
    field: Cell | None = None
    meets: frozenset[Requirement] = frozenset()
    foreign: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    oracle: Oracle = EXACT
    rests: tuple[tuple[str, str], ...] = ()
    opening: Array | None = None
    plain: Surrogate = None  # type: ignore[assignment]
    of: Clients = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.plain is None:
            object.__setattr__(self, "plain", self.problem)
        if self.of is None:
            object.__setattr__(self, "of", self.clients)

    @property
    def sigma(self) -> float:
        """σ of A3 and Theorem 1, σ² = n Σ μ_i² σ_i²: of noise that clients add; 0 where they add none."""
        mu, sizes = self.clients.mu, counts_of(self.clients.offsets)
        each = np.array([self.oracle.noise(int(size), self.problem.q) for size in sizes])
        return float(np.sqrt(len(mu) * (mu**2 @ each**2)))


@dataclass(frozen=True, eq=False)
class Trace:
    """What a run left: θ and s at its end, and what it cost.

    objective: W at recorded rounds, 0 and the last among them. start: Ŝ_0. moved: ‖Ŝ_t − Ŝ_{t−1}‖/γ_t of every round;
    for an exact channel that is ‖h(Ŝ_{t−1})‖. taken: the rounds in which each client took part. gamma: the last step.
    told: whether the callback ended the run.
    """

    theta: Array
    s: Array
    rounds: int
    converged: bool
    objective: Array
    start: Array
    moved: Array
    taken: Indices
    bits_up: int
    bits_down: int
    steepest: Mapping[str, float]
    gamma: float
    told: bool


def settings(task: FitTask, channel: Channel, gamma: StepSize, seed: int) -> FedMM:
    """The run of a task over a channel."""
    if channel.chosen is not None:
        return channel.chosen.on(
            task.problem, task.clients, lambda: task.start(seed), channel.compressor, channel.participation, gamma, seed
        )
    return FedMM(
        task.problem, task.clients, gamma, oracle=task.oracle, participation=channel.participation,
        compressor=channel.compressor, alpha=channel.alpha, seed=seed, secure_sum=channel.secure,
    )  # fmt: skip


def first_point(task: FitTask, fed: FedMM, seed: int) -> Array:
    """Ŝ_0."""
    return fed.point(task.start(seed)) if task.opening is None else task.opening


def fit(
    task: FitTask, channel: Channel, gamma: StepSize, seed: int, rounds: int, tol: float, *,
    engine: Carrier = "memory", callback: Callback | None = None,
    checkpoint: Path | None = None,
) -> Trace:  # fmt: skip
    """Run until nothing moves by more than `tol` or for `rounds` rounds, from the task's start for this seed.

    Where messages are rounded to a grid, a move that this may make is none.

    With `checkpoint` (in memory), a fit that did not end goes on from the file.
    """
    fed = settings(task, channel, gamma, seed)
    x = first_point(task, fed, seed)
    V = channel.chosen.relative.V if channel.chosen is not None else "zero"
    calm = 1 if channel.exact else 5 + int(np.ceil(5.0 / channel.p))  # a round in which few took part says little
    tol = max(tol, channel.least) if tol > 0.0 else tol
    watch = Watch(len(task.clients), tol, calm, callback, channel.exact)
    if (make := maker(engine)) is None:
        return _in_memory(fed, fed.init(x, V), rounds, watch, checkpoint)
    return _over_nodes(fed, x, V, rounds, watch, make)


def _in_memory(fed: FedMM, start: State, rounds: int, watch: Watch, checkpoint: Path | None) -> Trace:
    powers = {2**k for k in range(rounds.bit_length())}
    columns = {"objective": lambda fed, before, after: fed.clients.objective(fed.problem, fed.theta(after))}
    if checkpoint is not None:
        state, objective = resumed(fed, start, rounds, watch, columns, powers, checkpoint)
        return _trace(fed, start, state, watch, objective, state.bits_up, state.bits_down)
    state, history = run(fed, start, rounds, columns=columns, every=powers, until=watch)
    return _trace(fed, start, state, watch, history.objective, state.bits_up, state.bits_down)


def _over_nodes(fed: FedMM, x: Array, V: Variates, rounds: int, watch: Watch, make: MakeEngine) -> Trace:
    """The same rounds as messages: one node a client. Nobody but the node sees its rows."""
    plan = Plan.of(fed, len(fed.clients))
    start = ServerState.start(plan, x, V)
    with closing(make(fed, plan)) as engine:
        state = _watched(plan, engine, start, rounds, watch)
    ends = [fed.clients.objective(fed.problem, fed.theta(end)) for end in (start, state)]
    down = int(watch.taken.sum()) * FLOAT_BITS * fed.space.broadcast(fed.problem)
    return _trace(fed, start, state, watch, np.array(ends), 8 * state.rows_up, down)


def _watched(plan: Plan, engine: Engine, state: ServerState, rounds: int, watch: Watch) -> ServerState:
    """The state after the last round."""
    while state.t < rounds:
        before = state
        state, report = one_round(plan, engine, before)
        if state.t == 0:  # the opening, in which nothing moves
            continue
        watch.taken[list(report.arrived)] += 1
        move = float(np.linalg.norm(state.x - before.x)) / plan.step_size(state.t)
        if watch.moved(state.t, move, len(report.arrived), lambda s=state: plan.theta(s)):
            break
    return state


def _trace(fed: FedMM, start: Standing, end: Standing, watch: Watch, objective: Any, up: int, down: int) -> Trace:
    """s is Ŝ_t; of a run in Θ, Σ μ_i S̄_i at its θ_t."""
    s_0, s = (at.x if fed.space.has_B else fed.clients.mean_S_bar(fed.problem, fed.theta(at)) for at in (start, end))
    return Trace(
        fed.theta(end), s, end.t, watch.converged, np.asarray(objective), s_0, np.array(watch.moves), watch.taken, up,
        down, watch.steepest, fed.step_size(max(end.t, 1)), watch.told,
    )  # fmt: skip
