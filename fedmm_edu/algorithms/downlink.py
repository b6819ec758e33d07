"""What the server sends down, and what it costs: Ŝ_t and T(Ŝ_t) as printed, the shorter of the two, or differences."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from fedmm_edu.algorithms.reference import ReferencePoint
from fedmm_edu.algorithms.spaces import AggregationSpace
from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.faces import Faces
from fedmm_edu.federation import Compressor, Draws
from fedmm_edu.federation.compressor import FLOAT_BITS
from fedmm_edu.surrogate import Surrogate


class Parts(NamedTuple):
    """Which of x_t and θ_t travel to a client."""

    x: bool
    theta: bool


class Downlink(Faces):
    """What clients are told of x_t. What they were told in the past is `shared`, a flat vector."""

    covered: ClassVar[bool] = False
    """Whether Theorem 1 is about it."""
    travels: ClassVar[bool] = True
    """Whether it is what the requests to nodes hold."""

    def check(self, space: AggregationSpace, reference: ReferencePoint) -> None:
        """`InvalidInput` for a space or a reference that clients could not follow."""

    def start(self, x: Array) -> Array:
        """`shared` at the start x_0, which all know."""
        return np.zeros(0)

    def seen(self, space: AggregationSpace, problem: Surrogate, x: Array, shared: Array) -> Array:
        """x_t as the clients see it."""
        return x

    def advance(self, x: Array, shared: Array, draws: Draws) -> Array:
        """`shared` after the round of `draws` has led to x."""
        return shared

    @abstractmethod
    def parts(self, space: AggregationSpace, problem: Surrogate, reference: ReferencePoint) -> Parts:
        """What of x_t and θ_t a client is sent."""

    @abstractmethod
    def bits(self, space: AggregationSpace, problem: Surrogate, reference: ReferencePoint, m: int, n: int) -> int:
        """Bits of a round in which m of n clients are active, V_t not counted."""


@dataclass(frozen=True)
class Printed(Downlink):
    """What the space says: Ŝ_t and T(Ŝ_t), q + d numbers to each active client (Algorithm 2)."""

    covered = True

    def parts(self, space: AggregationSpace, problem: Surrogate, reference: ReferencePoint) -> Parts:
        return Parts(True, space.broadcast(problem) > space.dim(problem))  # in Θ, x is θ

    def bits(self, space: AggregationSpace, problem: Surrogate, reference: ReferencePoint, m: int, n: int) -> int:
        return m * FLOAT_BITS * space.broadcast(problem)


@dataclass(frozen=True)
class Shorter(Downlink):
    """x_t, from which the client computes θ_t; or θ_t alone, where the reference needs no more and d < dim."""

    covered = True

    def check(self, space: AggregationSpace, reference: ReferencePoint) -> None:
        if not space.explicit:
            raise InvalidInput(f"{space!r} keeps more than x, which clients need for θ: use downlink=Printed().")

    def parts(self, space: AggregationSpace, problem: Surrogate, reference: ReferencePoint) -> Parts:
        alone = not reference.needs_x and problem.d < space.dim(problem)
        return Parts(not alone, alone)

    def bits(self, space: AggregationSpace, problem: Surrogate, reference: ReferencePoint, m: int, n: int) -> int:
        return m * FLOAT_BITS * (problem.d if self.parts(space, problem, reference).theta else space.dim(problem))


@dataclass(frozen=True)
class Differences(Downlink):
    """Everyone hears C(x_t − w_t): the clients' x_t is Π(w_t + C(x_t − w_t)), and w_{t+1} = w_t + β C(x_t − w_t).

    w_0 = x_0 is what all know. C unbiased, β ≤ 1/(1 + ω): MCM's memory (Philippenko and Dieuleveut 2021). C biased,
    β = 1: what was held back is sent later, as error feedback does (STC, Sattler et al. 2019). Counted for all n
    clients, as who misses one difference cannot use the next. It does not travel to nodes: requests hold floats.
    """

    compressor: Compressor
    beta: float = 1.0
    travels = False

    def __post_init__(self) -> None:
        in_interval("beta", self.beta, low=0.0, high=1.0, open_low=True)

    def check(self, space: AggregationSpace, reference: ReferencePoint) -> None:
        Shorter().check(space, reference)

    def start(self, x: Array) -> Array:
        return np.concatenate([x, x])  # w_t, and what the clients see

    def seen(self, space: AggregationSpace, problem: Surrogate, x: Array, shared: Array) -> Array:
        return space.project(problem, np.split(shared, 2)[1], None)

    def advance(self, x: Array, shared: Array, draws: Draws) -> Array:
        w = np.split(shared, 2)[0]
        server = Draws(draws.seed, draws.round, np.zeros(1, dtype=np.int64), turn=1)  # turn 0 is client 0's own
        heard = self.compressor.of_round(draws).compress((x - w)[None], server)[0]
        return np.concatenate([w + self.beta * heard, w + heard])

    def parts(self, space: AggregationSpace, problem: Surrogate, reference: ReferencePoint) -> Parts:
        return Parts(True, False)

    def bits(self, space: AggregationSpace, problem: Surrogate, reference: ReferencePoint, m: int, n: int) -> int:
        return n * self.compressor.bits(space.dim(problem))
