"""Running many rounds: what is recorded, and how a run is saved, killed and resumed bit for bit."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from fedmm_edu.algorithms.fedmm import FedMM, State
from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.algorithms.step_sizes import checked
from fedmm_edu.arrays import Array
from fedmm_edu.errors import StateMismatch, as_count
from fedmm_edu.files import write_bytes


@dataclass(frozen=True, eq=False)
class History:
    """One row per recorded round (row 0: the start), as arrays of equal length.

    objective: Σ μ_i f_i(θ_t) + g(θ_t). surrogate_update: E^s (or E^{s,p}) of the experiments, ‖Ŝ_t − Ŝ_{t−1}‖²/γ_t²
    (or ‖𝒯(θ_t) − 𝒯(θ_{t−1})‖²/γ_t²). parameter_update: E^{p,s} (or E^p), ‖θ_t − θ_{t−1}‖²/γ_t². nonzeros: of θ_t.
    active: the clients of the round, shape (rows, n). theta: θ_t, shape (rows, d).
    """

    t: Array
    gamma: Array
    objective: Array
    surrogate_update: Array
    parameter_update: Array
    nonzeros: Array
    bits_up: Array
    bits_down: Array
    active: np.ndarray
    theta: Array

    @staticmethod
    def start(fed: FedMM, state: State) -> History:
        """The history that holds the start alone; its updates and step size are NaN."""
        theta = fed.theta(state)
        nan = np.array([np.nan])
        objective = np.array([fed.clients.objective(fed.problem, theta)])
        counts = [np.array([float(v)]) for v in (np.count_nonzero(theta), state.bits_up, state.bits_down)]
        return History(np.array([float(state.t)]), nan, objective, nan, nan, *counts, state.active[None], theta[None])

    def extended(self, rows: list[dict]) -> History:
        """This history with further rows."""
        if not rows:
            return self
        names = (f.name for f in fields(self))
        return History(**{name: np.concatenate([getattr(self, name), [row[name] for row in rows]]) for name in names})


def measure(fed: FedMM, before: State, after: State) -> dict:
    """The row of the history for the round that led from `before` to `after`."""
    gamma = checked(fed.gamma, after.t)
    theta, theta_before = fed.theta(after), fed.theta(before)
    surrogate = [fed.space.surrogate(fed.problem, fed.clients, state.x) for state in (before, after)]
    return {
        "t": float(after.t),
        "gamma": gamma,
        "objective": fed.clients.objective(fed.problem, theta),
        "surrogate_update": float(np.sum((surrogate[1] - surrogate[0]) ** 2)) / gamma**2,
        "parameter_update": float(np.sum((theta - theta_before) ** 2)) / gamma**2,
        "nonzeros": float(np.count_nonzero(theta)),
        "bits_up": float(after.bits_up),
        "bits_down": float(after.bits_down),
        "active": after.active,
        "theta": theta,
    }


def run(
    fed: FedMM,
    state: State,
    rounds: int,
    *,
    every: int = 1,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 100,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[State, History]:
    """Run until round `rounds`, recording every `every`-th round and the last one.

    With `checkpoint`, a run that was interrupted or killed goes on from the file, and ends bit for bit where an
    uninterrupted one would; a file of other settings or another start is refused. `progress(t, rounds)` is called
    after each round.
    """
    as_count("rounds", rounds)
    as_count("every", every)
    as_count("checkpoint_every", checkpoint_every)
    history, rows = History.start(fed, state), []
    given, spare = state, None  # spare: the state before the current one, whose memory serves the next
    name = "" if checkpoint is None else fingerprint((fed, state, every))
    if checkpoint is not None and Path(checkpoint).exists():
        state, history = load(checkpoint, name)
    try:
        while state.t < rounds:
            after = fed.step(state, onto=spare)
            if after.t % every == 0 or after.t == rounds:
                rows.append(measure(fed, state, after))
            spare = None if state.V_clients is given.V_clients else state  # the caller's memory is not ours
            state = after  # last: an interrupt before this line leaves a row too many, which `finally` drops
            if checkpoint is not None and state.t % checkpoint_every == 0:
                history, rows = history.extended(rows), []
                save(checkpoint, state, history, name)
            if progress is not None:
                progress(state.t, rounds)
    finally:
        history = history.extended([row for row in rows if row["t"] <= state.t])
        if checkpoint is not None:
            save(checkpoint, state, history, name)
    return state, history


def save(path: str | Path, state: State, history: History, name: str) -> None:
    """Write state and history atomically; `name` is the fingerprint of the settings."""
    arrays = {f"state_{key}": array for key, array in state.arrays().items()}
    arrays |= {f"history_{f.name}": getattr(history, f.name) for f in fields(history)}
    buffer = io.BytesIO()
    np.savez(buffer, fingerprint=np.array(name), **arrays)
    write_bytes(Path(path), buffer.getvalue())


def load(path: str | Path, name: str) -> tuple[State, History]:
    """Read what `save` wrote; `StateMismatch` when the file is damaged or belongs to other settings."""
    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
            found = str(file["fingerprint"])
            state = State.of({f.name: file[f"state_{f.name}"] for f in fields(State)})
            history = History(**{f.name: file[f"history_{f.name}"] for f in fields(History)})
    except (OSError, KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise StateMismatch(f"{path} is not a saved run ({error}): delete it to start anew.") from error
    if found != name:
        raise StateMismatch(f"{path} was saved by a run with other settings or another start: use another file name.")
    return state, history
