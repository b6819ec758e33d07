"""Running many rounds: what is recorded, and how a run is saved, killed and resumed bit for bit."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedmm_edu.algorithms.checkpoints import Checkpoint, Noted, joined
from fedmm_edu.algorithms.fedmm import FedMM, State
from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.arrays import all_finite
from fedmm_edu.errors import Diverged, InvalidInput, StateMismatch, as_count

Rounds = int | Collection[int]
"""Rounds to record: every so many from the start on, or those in a collection. The last one is always among them."""
Column = Callable[[FedMM, State | None, State], ArrayLike]
"""What a column holds of the round from `before` to `after`: a number, or an array of one shape. In row 0, the start,
`before` is None."""


def _per_step(move: Callable[[FedMM, State, State], NDArray[Any]]) -> Column:
    """‖move‖²/γ_t², NaN at the start."""

    def column(fed: FedMM, before: State | None, after: State) -> float:
        if before is None:
            return np.nan
        return float(np.sum(move(fed, before, after) ** 2)) / fed.step_size(after.t) ** 2

    return column


STANDARD: Mapping[str, Column] = {
    "t": lambda fed, before, after: float(after.t),
    "gamma": lambda fed, before, after: np.nan if before is None else fed.step_size(after.t),
    "objective": lambda fed, before, after: fed.clients.objective(fed.problem, fed.theta(after)),
    "surrogate_update": _per_step(lambda fed, before, after: fed.surrogate(after) - fed.surrogate(before)),
    "parameter_update": _per_step(lambda fed, before, after: fed.theta(after) - fed.theta(before)),
    "nonzeros": lambda fed, before, after: float(np.count_nonzero(fed.theta(after))),
    "bits_up": lambda fed, before, after: float(after.bits_up),
    "bits_down": lambda fed, before, after: float(after.bits_down),
    "active": lambda fed, before, after: after.active,
    "theta": lambda fed, before, after: fed.theta(after),
}
"""What `run` records unless it is told otherwise; `History` says what each column holds."""
ITERATES: Mapping[str, Column] = {"x": lambda fed, before, after: after.x}
"""x: Ŝ_t (or θ_t) alone."""

_PASSES: Mapping[int, Callable[[FedMM], float]] = {
    **{id(column): lambda fed: 0.0 for column in (*STANDARD.values(), *ITERATES.values())},
    id(STANDARD["objective"]): lambda fed: fed.problem.loss_in_S_bars,
    id(STANDARD["surrogate_update"]): lambda fed: 2.0 * fed.space.passes,  # at both ends of the round
}
"""How many S̄ of each sample a row costs for a column of ours, by the column's id."""

SHARE = 10
"""A row looks at a tenth at most of what the rounds until the next one look at."""
A_ROUND, A_ROW = 2**12, 2**14
"""Numbers that a round and a row count besides those that they look at, for what they cost where these are few."""


def affordable(fed: FedMM, columns: Mapping[str, Column] = STANDARD) -> int:
    """Every how many rounds `run` records `columns` unless it is told, so that this costs less than a fifth of them.

    It is the smallest k ≥ 10 for which a row looks at a tenth at most of the numbers that k rounds look at in
    expectation. A round looks at the samples that its active clients ask for, a row at all of them for the objective,
    twice for `surrogate_update` where x is θ, and once for a column of your own, of which nothing is known; a sample is
    its p numbers and the d of θ. Besides, a round counts dim + 2^12 numbers and a row dim + 2^14, for what they cost
    however few samples there are. So k is counted and never timed, and the same whenever these settings run. The fifth
    is that of some hundreds of rounds, 3 k at least: start and end are rows of a shorter run, too.

    >>> from fedmm_edu.examples.quadratic import Quadratic
    >>> from fedmm_edu.federation import Bernoulli, Clients
    >>> all_of_them = FedMM(Quadratic(9, 0.1), Clients.of_rows(np.ones((10**5, 10)), [50] * 2000), 0.5)
    >>> half = FedMM(all_of_them.problem, all_of_them.clients, 0.5, participation=Bernoulli(0.5))
    >>> affordable(all_of_them), affordable(half), affordable(half, ITERATES)
    (11, 21, 10)
    """
    samples, width = fed.clients.z.shape
    numbers = width + fed.problem.d
    row = A_ROW + fed.dim + numbers * samples * sum(_passes(fed, column) for column in columns.values())
    a_round = A_ROUND + fed.dim + numbers * fed.samples_a_round
    return math.ceil(SHARE * max(1.0, row / a_round) * (1.0 - 1e-12))  # the sum over clients has a rounding error


def _passes(fed: FedMM, column: Column) -> float:
    """How many S̄ of each sample a row costs for this column."""
    return _PASSES.get(id(column), lambda fed: fed.problem.loss_in_S_bars)(fed)


@dataclass(frozen=True, eq=False)
class History:
    """What a run recorded: `history.NAME` is the column NAME, one row per recorded round (row 0: the start).

    Columns share their rounds, so that `plt.plot(history.t, history.objective)` is a line, unless they were given
    rounds of their own: by default every `affordable(fed, columns)`-th and the last, with `every=1` each.

    The standard ones: t; gamma: γ_t; objective: Σ μ_i f_i(θ_t) + g(θ_t). surrogate_update: E^s (or E^{s,p}) of the
    experiments, ‖Ŝ_t − Ŝ_{t−1}‖²/γ_t² (or ‖𝒯(θ_t) − 𝒯(θ_{t−1})‖²/γ_t²). parameter_update: E^{p,s} (or E^p),
    ‖θ_t − θ_{t−1}‖²/γ_t². nonzeros: of θ_t. bits_up, bits_down: sent so far. active: the clients of the round, shape
    (rows, n). theta: θ_t, shape (rows, d).
    """

    columns: Mapping[str, NDArray[Any]]

    def __getattr__(self, name: str) -> NDArray[Any]:
        columns = self.__dict__.get("columns", {})
        if name not in columns:
            raise AttributeError(f"the run recorded no column {name!r}: it has {', '.join(columns)}.")
        return columns[name]


def run(
    fed: FedMM,
    state: State,
    rounds: int,
    *,
    columns: Mapping[str, Column] = STANDARD,
    every: Rounds | Mapping[str, Rounds] | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 100,
    progress: Callable[[int, int], None] | None = None,
    until: Callable[[FedMM, State, State], bool] | None = None,
) -> tuple[State, History]:
    """Run until round `rounds`, recording `columns` in every `every`-th round (or the rounds in `every`) and the last.

    A column is a function of (fed, before, after), the states around the round; before is None for the start. Unless
    `every` is told it is `affordable(fed, columns)`, so that recording takes less than a fifth of what the rounds take:
    each round is recorded with `every=1`. The objective, which is over all samples, then costs half a round where all
    is tiny, one to two where half of the clients are active at the paper's sizes, and ten where a round takes a tenth
    of the samples and each needs a code; the other columns together cost a tenth of a round, or half of a tiny one. A
    mapping `every` gives columns rounds of their own, and the others each round (`every={"objective": 50}`): where a
    column was not asked for, it is NaN.
    With `checkpoint`, a run that was interrupted or killed goes on from the file (and from the rows in the one beside
    it, `checkpoint`.rows), and ends bit for bit where an uninterrupted one would; a file of other settings, other
    columns or another start, or that is ahead, is refused.
    `progress(t, rounds)` is called after each round. `until(fed, before, after)` is asked after each round, with the
    states around it: the run ends with the first round of which it says so, and with a checkpoint is then over: called
    again with the same `until`, it is the same result. `Diverged` when x, or the objective where it is recorded, is not
    finite: the last finite state and the rows until then are in the error, and in the checkpoint.
    """
    as_count("rounds", rounds, low=0)
    as_count("checkpoint_every", checkpoint_every)
    every = affordable(fed, columns) if every is None else every
    due = _due(every, columns, rounds)
    recorded = _any_of(due)
    measured, rows = _remembering(fed), []
    parts: list[Noted] = [{name: np.array([of(measured, None, state)]) for name, of in columns.items()}]
    blank = _blank(parts[0], every)
    given, spare = state, None  # spare: the state before the current one, whose memory serves the next
    over, asked, file = False, () if until is None else (until,), None
    if checkpoint is not None:
        file = Checkpoint(checkpoint, fingerprint((fed, state, every, tuple(columns.items()), *asked)))
        if (found := file.load(state, columns)) is not None:
            state, saved, over = found
            parts = [saved]
            if state.t > rounds:
                raise StateMismatch(
                    f"{checkpoint} holds round {state.t}, and rounds = {rounds}: ask for as many at least, or use "
                    "another file name."
                )
    try:
        while state.t < rounds and not over:
            with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is not finite, and named
                after = measured.step(state, onto=spare)
                if not all_finite(after.x):
                    raise fed.diverged(after.t, "x")
                ends = until is not None and bool(until(measured, state, after))
                last = ends or after.t == rounds
                if columns and (last or recorded(after.t)):
                    row = {name: of(measured, state, after) for name, of in columns.items()
                           if last or after.t in due[name]}  # fmt: skip
                    if not np.isfinite(row.get("objective", 0.0)).all():
                        raise fed.diverged(after.t, "the objective")
                    rows.append((after.t, {name: row.get(name, blank.get(name)) for name in columns}))
            spare = None if state.V_clients is given.V_clients else state  # the caller's memory is not ours
            state, over = after, ends  # an interrupt before this line leaves a row too many, which `_until` drops
            if state.t % checkpoint_every == 0:
                parts, rows = _until(parts, rows, state), []
                if file is not None:
                    file.save(state, parts, over)
            if progress is not None:
                progress(state.t, rounds)
    except Diverged as error:
        error.state, error.history = state, History(joined(_until(parts, rows, state)))
        raise
    finally:
        parts = _until(parts, rows, state)
        if file is not None:
            file.save(state, parts, over)
    return state, History(joined(parts))


def _own(every: Rounds | Mapping[str, Rounds]) -> dict[str, Rounds] | None:
    """The columns that `every` gives rounds of their own; None where all have the same."""
    return {str(name): asked for name, asked in every.items()} if isinstance(every, Mapping) else None


def _due(every: Rounds | Mapping[str, Rounds], columns: Collection[str], rounds: int) -> dict[str, Collection[int]]:
    """The rounds of each column."""
    own = _own(every)
    for name in own or ():
        if name not in columns:
            raise InvalidInput(f"every names {name!r}, and the columns are {', '.join(columns)}: choose one of them.")
    if own is None:
        return dict.fromkeys(columns, _schedule(every, rounds))
    return {name: _schedule(own.get(name, 1), rounds) for name in columns}


def _schedule(asked: Any, rounds: int) -> Collection[int]:
    """The rounds that are asked for."""
    if isinstance(asked, str | bytes | Mapping):
        raise InvalidInput(f"every = {asked!r}: give a whole number, or a collection of rounds.")
    return asked if isinstance(asked, Collection) else range(0, rounds + 1, as_count("every", asked))


def _any_of(due: Mapping[str, Collection[int]]) -> Callable[[int], bool]:
    """Whether a round is one of some column."""
    schedules = tuple({id(told): told for told in due.values()}.values())
    if len(schedules) == 1:  # all share it; asked in each round
        return schedules[0].__contains__
    return lambda t: any(t in told for told in schedules)


def _blank(first: Noted, every: Rounds | Mapping[str, Rounds]) -> Noted:
    """What stands where a column with rounds of its own was not asked: NaN, in its shape."""
    blank = {name: np.full(first[name].shape[1:], np.nan) for name in _own(every) or ()}
    for name in blank:
        if first[name].dtype.kind != "f":
            raise InvalidInput(
                f"every gives rounds of its own to {name!r}, which holds {first[name].dtype} and so no NaN where it is "
                "not recorded: make it a float column, or record all columns in the same rounds."
            )
    return blank


def _until(parts: list[Noted], rows: list[tuple[int, dict[str, ArrayLike]]], state: State) -> list[Noted]:
    """With the rows until `state` as one part more."""
    told = [row for t, row in rows if t <= state.t]
    return [*parts, {name: np.array([row[name] for row in told]) for name in told[0]}] if told else parts


def _remembering(fed: FedMM) -> FedMM:
    """The same settings; what is dear of the two states of a round is computed once, whoever asks for it."""
    twin = copy.copy(fed)
    for name in ("theta", "surrogate"):
        object.__setattr__(twin, name, lru_cache(maxsize=2)(getattr(fed, name)))
    return twin
