"""The space in which messages are aggregated: the one thing that FedMM and the naive algorithm do not share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedmm_edu.arrays import Array, as_array
from fedmm_edu.faces import Faces
from fedmm_edu.federation import Clients, Draws
from fedmm_edu.surrogate import Surrogate


class AggregationSpace(Faces):
    """What the loop asks of the space in which x lives."""

    has_B: ClassVar[bool] = False
    """Whether x is a surrogate, which B(x) of A7 can measure."""
    covered: ClassVar[bool] = False
    """Whether Theorem 1 is about it."""

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

    has_B, covered = True, True

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


@dataclass(frozen=True)
class ParameterSpace(AggregationSpace):
    """x = θ ∈ Θ: clients minimise their own surrogates and send parameters (eq. `agg_in_Theta`)."""

    def dim(self, problem: Surrogate) -> int:
        return problem.d

    def broadcast(self, problem: Surrogate) -> int:
        return problem.d

    def check(self, problem: Surrogate, x: Array) -> Array:
        return problem.in_Theta(as_array("theta", x, shape=(problem.d,)))

    def point(self, problem: Surrogate, clients: Clients, theta: Array) -> Array:
        return theta

    def theta(self, problem: Surrogate, x: Array, carry: Array) -> Array:
        return x

    def from_surrogates(self, problem: Surrogate, S: Array) -> Array:
        return problem.Ts(S)

    def surrogate(self, problem: Surrogate, clients: Clients, x: Array) -> Array:
        return clients.mean_S_bar(problem, x)

    def project(self, problem: Surrogate, x: Array, B: Array | None) -> Array:
        return problem.Theta.project(x, B)
