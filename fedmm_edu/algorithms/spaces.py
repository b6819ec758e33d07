"""The space in which messages are aggregated: the one thing that FedMM and the naive algorithm do not share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedmm_edu.arrays import Array, as_array
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.faces import Faces
from fedmm_edu.federation import Clients, Draws
from fedmm_edu.surrogate import Surrogate


class AggregationSpace(Faces):
    """What the loop asks of the space in which x lives."""

    has_B: ClassVar[bool] = False
    """Whether x is a surrogate, which B(x) of A7 can measure."""
    covered: ClassVar[bool] = False
    """Whether Theorem 1 is about it."""
    passes: ClassVar[int] = 1
    """How often `surrogate` goes over all samples."""

    @property
    def explicit(self) -> bool:
        """Whether θ is a function of x alone: nothing is kept beside it."""
        return type(self).start is AggregationSpace.start

    @abstractmethod
    def dim(self, problem: Surrogate) -> int:
        """The length of x."""

    @abstractmethod
    def broadcast(self, problem: Surrogate) -> int:
        """How many numbers the server sends to each active client."""

    @abstractmethod
    def check(self, problem: Surrogate, x: Array) -> Array:
        """x itself when it lies in the space, else `InvalidInput`."""

    @abstractmethod
    def point(self, problem: Surrogate, clients: Clients, theta: Array) -> Array:
        """The x at which a run from the parameter θ starts."""

    @abstractmethod
    def theta(self, problem: Surrogate, x: Array, carry: Array) -> Array:
        """The parameter that x stands for; it is what the clients receive."""

    def start(self, problem: Surrogate, x: Array) -> Array:
        """What the server keeps beside x, a flat vector: nothing, where the minimiser is a function of x."""
        return np.zeros(0)

    def advance(self, problem: Surrogate, x: Array, carry: Array, draws: Draws) -> Array:
        """What the server keeps after a round that led to x: for minimisers that are only approached, step by step."""
        return carry

    @abstractmethod
    def from_surrogates(self, problem: Surrogate, S: Array) -> Array:
        """What clients aim at, given their surrogates S, shape (m, q): shape (m, dim)."""

    @abstractmethod
    def surrogate(self, problem: Surrogate, clients: Clients, x: Array) -> Array:
        """The surrogate that the experiments compare between rounds: Ŝ_t itself, or 𝒯(θ_t)."""

    @abstractmethod
    def project(self, problem: Surrogate, x: Array, B: Array | None) -> Array:
        """The nearest point of the space in the B-norm."""


@dataclass(frozen=True)
class SurrogateSpace(AggregationSpace):
    """x = s ∈ 𝒮: clients send surrogates, the server minimises once (eq. `agg_in_S`)."""

    has_B, covered, passes = True, True, 0

    def dim(self, problem: Surrogate) -> int:
        return problem.q

    def broadcast(self, problem: Surrogate) -> int:
        return problem.q + problem.d  # Ŝ_t and T(Ŝ_t), as Algorithm 2 says

    def check(self, problem: Surrogate, x: Array) -> Array:
        return problem.in_S(x)

    def point(self, problem: Surrogate, clients: Clients, theta: Array) -> Array:
        return clients.mean_S_bar(problem, theta)

    def theta(self, problem: Surrogate, x: Array, carry: Array) -> Array:
        return problem.T(x)

    def from_surrogates(self, problem: Surrogate, S: Array) -> Array:
        return S

    def surrogate(self, problem: Surrogate, clients: Clients, x: Array) -> Array:
        return x

    def project(self, problem: Surrogate, x: Array, B: Array | None) -> Array:
        return problem.project(x, B)


class _Points(AggregationSpace):
    """What the spaces share in which x is a point of ℝ^d, as θ is; any point, unless a leaf says otherwise."""

    def dim(self, problem: Surrogate) -> int:
        return problem.d

    def broadcast(self, problem: Surrogate) -> int:
        return problem.d

    def check(self, problem: Surrogate, x: Array) -> Array:
        return x

    def point(self, problem: Surrogate, clients: Clients, theta: Array) -> Array:
        return theta

    def from_surrogates(self, problem: Surrogate, S: Array) -> Array:
        return problem.Ts(S)

    def project(self, problem: Surrogate, x: Array, B: Array | None) -> Array:
        return x


class _Parameters(_Points):
    """What the spaces share in which x is θ itself; they differ in what becomes of an average that lies outside Θ."""

    def check(self, problem: Surrogate, x: Array) -> Array:
        return problem.in_Theta(as_array("theta", x, shape=(problem.d,)))

    def theta(self, problem: Surrogate, x: Array, carry: Array) -> Array:
        return x

    def surrogate(self, problem: Surrogate, clients: Clients, x: Array) -> Array:
        return clients.mean_S_bar(problem, x)


@dataclass(frozen=True)
class ParameterSpace(_Parameters):
    """x = θ ∈ Θ: clients minimise their own surrogates and send parameters (eq. `agg_in_Theta`)."""

    def project(self, problem: Surrogate, x: Array, B: Array | None) -> Array:
        return problem.Theta.project(x, B)


@dataclass(frozen=True)
class ProximalSpace(_Points):
    """x ∈ ℝ^d and θ = prox_{ρg}(x): 𝒮 and T of the quadratic surrogate, for any problem whose g has a prox."""

    rho: float

    def __post_init__(self) -> None:
        in_interval("rho", self.rho, low=0.0, high=np.inf, open_low=True)

    def theta(self, problem: Surrogate, x: Array, carry: Array) -> Array:
        return problem.prox_g(x, self.rho)

    def surrogate(self, problem: Surrogate, clients: Clients, x: Array) -> Array:
        return clients.mean_S_bar(problem, self.theta(problem, x, np.zeros(0)))


@dataclass(frozen=True)
class ProximalAverage(_Parameters):
    """x = θ, and prox_{ρg} of what the server has averaged in the place of the projection (FedMiD)."""

    rho: float

    def __post_init__(self) -> None:
        in_interval("rho", self.rho, low=0.0, high=np.inf, open_low=True)

    def project(self, problem: Surrogate, x: Array, B: Array | None) -> Array:
        return problem.prox_g(x, self.rho)


@dataclass(frozen=True)
class DualSpace(_Points):
    """x = z, the dual average, and θ = prox_{τ_t g}(z) with τ_t = t · `per_round` (FedDualAvg, Euclidean).

    Clients are sent z_t and find τ_t from t; the server keeps τ_t beside it.
    """

    per_round: float

    def __post_init__(self) -> None:
        in_interval("per_round", self.per_round, low=0.0, high=np.inf)

    def theta(self, problem: Surrogate, x: Array, carry: Array) -> Array:
        return problem.prox_g(x, float(carry[0])) if carry.size else x

    def start(self, problem: Surrogate, x: Array) -> Array:
        return np.zeros(2)  # τ_t, and t

    def advance(self, problem: Surrogate, x: Array, carry: Array, draws: Draws) -> Array:
        return np.array([self.per_round * (carry[1] + 1.0), carry[1] + 1.0])

    def surrogate(self, problem: Surrogate, clients: Clients, x: Array) -> Array:
        raise InvalidInput("a dual average is the surrogate of a θ that depends on t, too: record other columns.")
