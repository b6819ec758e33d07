"""The class's rounds: `FedMM.step` over the clients of the room, with what a person may switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fedmm_edu.algorithms import FedMM, State
from fedmm_edu.arrays import Array, Mask
from fedmm_edu.classroom.problem import GAMES, Lines, Reading, clients_of, surrogate, theta_star
from fedmm_edu.classroom.scenes import Rule
from fedmm_edu.federation import CustomLaw, Identity, UniformQuantization

MOST_ROUNDS = 2000
"""A run is not longer than this: its trace is sent to every screen."""
V_ALPHA = 0.25
"""α of a run for which the teacher switches V on: within Theorem 1 for every rule of the script."""


@dataclass(frozen=True)
class Point:
    """One round as the screens show it. `gap` is V − Σ μ_i V_i, zero unless an update was lost."""

    t: int
    theta: tuple[float, ...]
    heard: int
    bits: int
    gap: tuple[float, ...]
    lost: bool = False


@dataclass(frozen=True, eq=False)
class Run:
    """Rounds of one scene: `members` are the numbers of the phones that take part, in the order of the clients."""

    scene: str
    members: tuple[int, ...]
    readings: tuple[Reading, ...]
    lines: Lines
    fed: FedMM
    p: float
    state: State
    trace: tuple[Point, ...]

    @staticmethod
    def start(
        scene: str, rule: Rule, who: Sequence[tuple[int, Reading]], lines: Lines, *, V: bool = False, seed: int = 0
    ) -> Run:
        """Round 0, from the s that a client with z = 1 in each game sends."""
        members, readings = zip(*who, strict=True)
        problem = surrogate(lines)
        compressor = UniformQuantization(rule.bits) if rule.bits else Identity()
        alpha = max(rule.alpha, V_ALPHA) if V else rule.alpha
        fed = FedMM(problem, clients_of(readings), rule.gamma, compressor=compressor, alpha=alpha, seed=seed)
        lucky = np.ones((1, len(GAMES)))
        state = fed.init(problem.S_bar(lucky, lucky[0])[0])
        return Run(scene, members, readings, lines, fed, rule.p, state, (_point(fed, state),))

    def round(self, on: Mask, *, lose: bool = False) -> Run:
        """One round in which a client is heard if it is `on` and a coin of chance p says so.

        With `lose` the server forgets V_{t+1} and goes on with V_t, while the clients have moved their V_i.
        """
        law = CustomLaw(lambda u: (u < self.p) & on, self.p)
        fed = replace(self.fed, participation=law)
        after = fed.step(self.state)
        if lose:
            after = replace(after, V_server=self.state.V_server)
        return replace(self, state=after, trace=(*self.trace, _point(fed, after, lost=lose)))

    @property
    def has_V(self) -> bool:
        """Whether control variates are on."""
        return self.fed.alpha > 0.0

    @property
    def best(self) -> Array:
        """θ_⋆ of the members."""
        return theta_star(self.readings)

    def heard(self, number: int) -> bool:
        """Whether the phone took part in the last round."""
        return number in self.members and bool(self.state.active[self.members.index(number)])


def _point(fed: FedMM, state: State, *, lost: bool = False) -> Point:
    gap = state.V_server - fed.clients.mu @ state.V_clients
    shown = np.where(np.abs(gap) < 1e-9, 0.0, gap)  # rounding is not a loss
    heard = int(state.active.sum())
    return Point(state.t, tuple(fed.theta(state).tolist()), heard, state.bits_up, tuple(shown.tolist()), lost)
