"""Local work that remembers: gradients (MARINA), what was not sent (error feedback), x_{t−1}, own weights."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fedmm_edu.algorithms.work import LocalView, LocalWork, Surrogates
from fedmm_edu.arrays import Array
from fedmm_edu.errors import in_interval
from fedmm_edu.surrogate import Surrogate


@dataclass(frozen=True)
class FreshDifferences(LocalWork):
    """V_i ← V_i + Q(D_i(θ_t) − D_i(θ_{t−1})), or V_i ← D_i(θ_t) with probability p, for D_i = S̄_i − r_t (MARINA).

    For everyone, α = 1 and the channel `Sometimes(Q, p)`, whose coin it is. Memory: D_i of the last round, and whether
    there was one; a client that comes for the first time aims at D_i itself.
    """

    p: float
    inner: LocalWork = field(default_factory=Surrogates)

    def __post_init__(self) -> None:
        in_interval("p", self.p, low=0.0, high=1.0, open_low=True)

    @property
    def asks(self) -> float:
        return self.inner.asks

    def start(self, problem: Surrogate, dim: int) -> Array:
        return np.zeros(dim + 1)

    def __call__(self, view: LocalView) -> tuple[Array, Array]:
        aim, _ = self.inner(view)
        fresh = aim - view.r
        last, known = view.memory[:, :-1], view.memory[:, -1:] > 0.0
        if view.draws.coin() >= self.p:
            aim = np.where(known, view.r + view.V + (fresh - last), aim)
        return aim, np.hstack([fresh, np.ones((view.m, 1))])


@dataclass(frozen=True)
class ErrorFeedback(LocalWork):
    """Aim e_i farther than `inner`, where e_i is what the channel has kept back so far (Seide et al. 2014).

    e_i ← (S_i + e_i − r − V_i) − C(S_i + e_i − r − V_i), from e_i = 0. Used with α = 0.
    """

    inner: LocalWork = field(default_factory=Surrogates)

    @property
    def asks(self) -> float:
        return self.inner.asks

    def start(self, problem: Surrogate, dim: int) -> Array:
        return np.zeros(dim)

    def __call__(self, view: LocalView) -> tuple[Array, Array]:
        return self.inner(view)[0] + view.memory, view.memory

    def sent(self, view: LocalView, memory: Array, aim: Array, message: Array) -> Array:
        return (aim - view.r - view.V) - message


@dataclass(frozen=True)
class VFromIterates(LocalWork):
    """`inner`, which asks for V_t, where nobody sends it: V_t = (x_t − x_{t−1})/γ, which all know who know both.

    So it is where everyone takes part, α = 1, r_t = x_t and the server steps by γH: then H_t = V_t. V_0 = 0. Memory:
    x_{t−1}, and whether there was one; `inner` keeps none.
    """

    gamma: float
    inner: LocalWork

    def __post_init__(self) -> None:
        in_interval("gamma", self.gamma, low=0.0, high=np.inf, open_low=True)

    @property
    def asks(self) -> float:
        return self.inner.asks

    def start(self, problem: Surrogate, dim: int) -> Array:
        return np.zeros(dim + 1)

    def __call__(self, view: LocalView) -> tuple[Array, Array]:
        last, known = view.memory[:, :-1], view.memory[:, -1:] > 0.0
        aim, _ = self.inner(view._replace(V_server=np.where(known, (view.r - last) / self.gamma, 0.0)))
        return aim, np.hstack([np.tile(view.r, (view.m, 1)), np.ones((view.m, 1))])


@dataclass(frozen=True)
class PersonalWeights(LocalWork):
    """Each client's mixture has weights π_i of its own: S_i is E[S̄] under them, and π_i ← the mean responsibilities.

    One E-step and the M-step for π_i of Marfoq et al. 2021; from π_i = 1/L. The components stay common.
    """

    def start(self, problem: Surrogate, dim: int) -> Array:
        L = len(problem.weights_of(np.zeros(problem.q)))
        return np.full(L, 1.0 / L)

    def __call__(self, view: LocalView) -> tuple[Array, Array]:
        S, memory = np.empty((view.m, view.problem.q)), np.empty_like(view.memory)
        for i, weights in enumerate(view.memory):
            own, draws = view.problem.with_weights(weights), view.draws.only(slice(i, i + 1))
            S[i] = view.oracle(own, view.clients, view.theta, draws)[0]
            found = np.maximum(own.weights_of(S[i]), np.finfo(float).tiny)  # no component is lost to underflow
            memory[i] = found / found.sum()
        return view.space.from_surrogates(view.problem, S), memory
