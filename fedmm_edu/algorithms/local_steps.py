"""Local work in steps of a gradient: what clients do in FedAvg, FedProx, SCAFFOLD, Scaffnew, ProxSkip, FedDyn, FedMiD.

Each client goes y_{i,0} = θ_t, y_{i,k+1} = y_{i,k} − η(∇f_i(y_{i,k}) + …) with the oracle's gradients. What a client
keeps between rounds is its V_{t,i}, which the loop keeps for it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fedmm_edu.algorithms.work import LocalView, LocalWork
from fedmm_edu.arrays import Array
from fedmm_edu.errors import as_count, in_interval
from fedmm_edu.faces import Faces
from fedmm_edu.federation import Draws


class StepCount(Faces):
    """How many local steps a round has: the same for all clients, and known to the server."""

    @abstractmethod
    def of(self, draws: Draws) -> int:
        """The number of steps in the round of `draws`."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """Its expectation."""


@dataclass(frozen=True)
class Fixed(StepCount):
    """K steps."""

    K: int = 1

    def __post_init__(self) -> None:
        as_count("K", self.K)

    def of(self, draws: Draws) -> int:
        return self.K

    @property
    def mean(self) -> float:
        return float(self.K)


@dataclass(frozen=True)
class Geometric(StepCount):
    """As many steps as coins are tossed until the first head, which shows with probability p: 1/p in the mean."""

    p: float

    def __post_init__(self) -> None:
        in_interval("p", self.p, low=0.0, high=1.0, open_low=True)

    def of(self, draws: Draws) -> int:
        return 1 if self.p == 1.0 else 1 + int(math.log1p(-draws.coin()) / math.log1p(-self.p))

    @property
    def mean(self) -> float:
        return 1.0 / self.p


def descend(view: LocalView, eta: float, steps: int, push: Callable[[Array], Array | float]) -> Array:
    """y_{i,K} of y ← y − η(∇f_i(y) + push(y)) from θ_t, for each client: shape (m, d)."""
    y = np.tile(view.theta, (view.m, 1))
    for k in range(steps):
        y = y - eta * (view.gradients(y, k) + push(y))
    return y


class _Steps(LocalWork):
    """What the works share that go `steps` steps, each by a gradient of its own."""

    steps: StepCount

    @property
    def asks(self) -> float:
        return self.steps.mean


@dataclass(frozen=True)
class LocalSteps(_Steps):
    """y ← y − η(∇f_i(y) + λ(y − θ_t)); aim at y_K. λ = 0: FedAvg; λ > 0: FedProx, exact in the limit of many steps."""

    eta: float
    steps: StepCount = Fixed(1)
    pull: float = 0.0

    def __post_init__(self) -> None:
        in_interval("eta", self.eta, low=0.0, high=math.inf, open_low=True)
        in_interval("pull", self.pull, low=0.0, high=math.inf)

    def __call__(self, view: LocalView) -> tuple[Array, Array]:
        push = (lambda y: self.pull * (y - view.theta)) if self.pull else (lambda y: 0.0)
        return descend(view, self.eta, self.steps.of(view.draws), push), view.memory


@dataclass(frozen=True)
class ControlledSteps(_Steps):
    """y ← y − η∇f_i(y) − U_i/E[K], U_i = V_i − V + (r − θ_t); aim at y_K + U_i: what is sent is y_K − θ_t − V.

    In Θ (r = θ_t) with V_i = −ηK c_i these are the steps of SCAFFOLD, and with `Geometric(p)` those of Scaffnew. In
    `ProximalSpace(η/p)`, r = x_t, they are ProxSkip: there Σ μ_i h_i ≠ 0, and −(η/p) times it is x_t − θ_t. What all
    V_i have in common never matters.
    """

    eta: float
    steps: StepCount = Fixed(1)
    hears_V = True

    def __post_init__(self) -> None:
        in_interval("eta", self.eta, low=0.0, high=math.inf, open_low=True)

    def __call__(self, view: LocalView) -> tuple[Array, Array]:
        own = view.V - view.V_server + (view.r - view.theta)
        push = own / (self.eta * self.steps.mean)
        return descend(view, self.eta, self.steps.of(view.draws), lambda y: push) + own, view.memory


@dataclass(frozen=True)
class DynamicSteps(_Steps):
    """y ← y − η(∇f_i(y) + aV_i + a(y − θ_t)), aim at y_K + V_i, which descends f_i − ⟨g_i, ·⟩ + (a/2)‖· − θ_t‖².

    g_i = −aV_i. With α = p and the server step `WithNewV` this is FedDyn; g_i ← g_i − a(y_K − θ_t), which is ∇f_i(y_K)
    where y_K is the minimiser.
    """

    eta: float
    a: float
    steps: StepCount = Fixed(1)

    def __post_init__(self) -> None:
        in_interval("eta", self.eta, low=0.0, high=math.inf, open_low=True)
        in_interval("a", self.a, low=0.0, high=math.inf, open_low=True)

    def __call__(self, view: LocalView) -> tuple[Array, Array]:
        own = view.V
        y = descend(view, self.eta, self.steps.of(view.draws), lambda y: self.a * own + self.a * (y - view.theta))
        return y + own, view.memory


@dataclass(frozen=True)
class ProximalSteps(_Steps):
    """y ← prox_{ηg}(y − η∇f_i(y)), aim at y_K: the clients of FedMiD in the Euclidean geometry."""

    eta: float
    steps: StepCount = Fixed(1)

    def __post_init__(self) -> None:
        in_interval("eta", self.eta, low=0.0, high=math.inf, open_low=True)

    def __call__(self, view: LocalView) -> tuple[Array, Array]:
        y = np.tile(view.theta, (view.m, 1))
        for k in range(self.steps.of(view.draws)):
            y = y - self.eta * view.gradients(y, k)
            y = np.stack([view.problem.prox_g(row, self.eta) for row in y])
        return y, view.memory


@dataclass(frozen=True)
class DualSteps(_Steps):
    """z ← z − η∇f_i(prox_{(τ_t + ηk)g}(z)) from z_t in the dual, aim at z_K: the clients of FedDualAvg.

    τ_t = t · `per_round` is the weight of g that the server has come to (`DualSpace`).
    """

    eta: float
    per_round: float
    steps: StepCount = Fixed(1)

    def __post_init__(self) -> None:
        in_interval("eta", self.eta, low=0.0, high=math.inf, open_low=True)
        in_interval("per_round", self.per_round, low=0.0, high=math.inf)

    def __call__(self, view: LocalView) -> tuple[Array, Array]:
        z = np.tile(view.r, (view.m, 1))  # z_t; θ_t is not needed
        tau = self.per_round * (view.draws.round - 1)
        for k in range(self.steps.of(view.draws)):
            points = np.stack([view.problem.prox_g(row, tau + self.eta * k) for row in z])
            z = z - self.eta * view.gradients(points, k)
        return z, view.memory
