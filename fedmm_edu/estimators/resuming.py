"""What sees every round of a fit, and the file from which a fit goes on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from fedmm_edu.algorithms import FedMM, State, run
from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.algorithms.run import Column
from fedmm_edu.arrays import Array
from fedmm_edu.errors import StateMismatch
from fedmm_edu.files import read_arrays, write_arrays

EVERY = 100
"""Rounds between two writings."""


@dataclass(frozen=True)
class FitProgress:
    """What a callback is told after round t: how far s moved, divided by γ_t, and who took part."""

    t: int
    moved: float
    active: int
    theta: Callable[[], Array] = field(repr=False)
    """θ_t in the standard units of the fit, when it is called."""


Callback = Callable[[FitProgress], bool | None]
"""Called after every round; a true answer ends the run."""


class Watch:
    """Sees every round: stops where nothing moves any more, counts who took part, and measures the visited 𝒮."""

    def __init__(self, n: int, tol: float, calm: int, callback: Callback | None, exact: bool) -> None:
        self.tol, self.calm, self.callback, self.exact = tol, calm, callback, exact
        self.taken = np.zeros(n, dtype=np.int64)
        self.moves: list[float] = []
        self.steepest = {"L": 0.0, "L_T": 0.0, "ell": 0.0}
        self.quiet, self.converged, self.told, self._last = 0, False, False, None

    def __call__(self, fed: FedMM, before: State, after: State) -> bool:
        self.taken += after.active
        field_ = (after.x - before.x) / fed.step_size(after.t)
        if self.exact:
            self._measure(before.x, field_, lambda: fed.problem.phi(fed.theta(before)))
        return self.moved(after.t, float(np.linalg.norm(field_)), int(after.active.sum()), lambda: fed.theta(after))

    def moved(self, t: int, size: float, active: int, theta: Callable[[], Array]) -> bool:
        """Whether the run is to end after round t, in which s moved by γ_t times `size`."""
        self.moves.append(size)
        self.quiet = self.quiet + 1 if size <= self.tol else 0
        self.converged = self.quiet >= self.calm
        self.told = self.callback is not None and bool(self.callback(FitProgress(t, size, active, theta)))
        return self.converged or self.told

    def _measure(self, s: Array, h: Array, image: Callable[[], Array]) -> None:
        """Slopes of h, φ∘T and the mean oracle between two visited points: lower bounds of L, L_T and ℓ."""
        here = (s, h, image() if len(self.moves) < 64 else None)
        if self._last is not None:
            s0, h0, image0 = self._last
            self._slope("L", h - h0, s - s0)
            if here[2] is not None and image0 is not None:
                self._slope("L_T", here[2] - image0, s - s0)
                self._slope("ell", s + h - s0 - h0, here[2] - image0)
        self._last = here

    def _slope(self, name: str, change: Array, move: Array) -> None:
        top, bottom = float(np.linalg.norm(change)), float(np.linalg.norm(move))
        if bottom > 1e-9:  # nearer points show rounding
            self.steepest[name] = max(self.steepest[name], top / bottom)

    def arrays(self) -> dict[str, Any]:
        """What it has seen, as arrays."""
        last = {} if self._last is None else {f"last_{k}": v for k, v in enumerate(self._last) if v is not None}
        told = np.array([self.quiet, self.converged, self.told])
        return {"taken": self.taken, "moves": np.array(self.moves), "steepest": np.array([*self.steepest.values()]),
                "told": told, **last}  # fmt: skip

    def restore(self, kept: Mapping[str, Any]) -> None:
        """The state whose `arrays` these are."""
        self.taken, self.moves = kept["taken"], kept["moves"].tolist()
        self.steepest = dict(zip(self.steepest, kept["steepest"].tolist(), strict=True))
        self.quiet, self.converged, self.told = int(kept["told"][0]), bool(kept["told"][1]), bool(kept["told"][2])
        self._last = (kept["last_0"], kept["last_1"], kept.get("last_2")) if "last_0" in kept else None


def resumed(
    fed: FedMM, start: State, rounds: int, watch: Watch, columns: Mapping[str, Column], every: Collection[int],
    path: Path,
) -> tuple[State, Array]:  # fmt: skip
    """`run` in pieces, each of which ends in the file, and the objective of round 0, of `every` and of the last.

    `StateMismatch` for a file that is damaged, or of other settings, another table, or a run of more rounds.
    """
    name = fingerprint((fed, start, watch.tol, watch.calm))
    state, seen = _read(path, name, start, watch) if path.exists() else (start, {})
    if state.t > rounds:
        raise StateMismatch(f"{path} holds round {state.t}, and {rounds} are asked for: ask for more, or delete it.")
    columns = {"t": lambda fed, before, after: np.float64(after.t), **columns}
    while state.t < rounds and not (watch.converged or watch.told):
        upto = min(rounds, state.t + EVERY)
        state, history = run(fed, state, upto, columns=columns, every=every, until=watch)
        seen |= dict(zip(history.columns["t"].tolist(), history.objective.tolist(), strict=True))
        seen = {t: value for t, value in seen.items() if t in (0, state.t) or t in every}
        _write(path, name, state, seen, watch)
    return state, np.array([seen[t] for t in sorted(seen)])


def _write(path: Path, name: str, state: State, seen: Mapping[float, float], watch: Watch) -> None:
    arrays: dict[str, Any] = {"name": name, "rounds": [*seen], "objective": [*seen.values()]}
    arrays |= {f"state_{key}": array for key, array in state.arrays().items()}
    arrays |= {f"watch_{key}": array for key, array in watch.arrays().items()}
    write_arrays(path, arrays, private=True)


def _read(path: Path, name: str, like: State, watch: Watch) -> tuple[State, dict[float, float]]:
    found = read_arrays(path, "a fit that was kept", "start anew")
    if str(found.get("name", "")) != name:
        raise StateMismatch(f"{path} keeps a fit of other settings or rows: use another file name, or delete it.")
    try:
        state = State.of({f.name: found[f"state_{f.name}"] for f in fields(State)})
        watch.restore({key.removeprefix("watch_"): value for key, value in found.items() if key.startswith("watch_")})
        seen = dict(zip(found["rounds"].tolist(), found["objective"].tolist(), strict=True))
    except (LookupError, ValueError, TypeError) as error:
        raise StateMismatch(f"{path} keeps no fit ({error}): delete it to start anew.") from error
    if any(np.shape(array) != np.shape(like.arrays()[key]) for key, array in state.arrays().items()):
        raise StateMismatch(f"{path} keeps no fit of this table: delete it to start anew.")
    return state, seen
