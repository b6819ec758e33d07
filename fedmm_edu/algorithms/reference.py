"""The reference r_t of the difference that clients send, S_{t+1,i} − r_t − V_{t,i}: a point that both sides know."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.faces import Faces


class ReferencePoint(Faces):
    """r_t as a function of what was sent down."""

    needs_x: ClassVar[bool]
    """Whether clients have to know x_t; otherwise θ_t will do."""
    covered: ClassVar[bool] = False
    """Whether Theorem 1 is about it."""
    offset: ClassVar[bool] = True
    """Whether H holds r_t − x_t, so that x moves towards what clients aim at, wherever r_t is."""

    @abstractmethod
    def at(self, x: Array, theta: Array) -> Array:
        """r_t, shape (dim,), of x_t (as the clients see it) and θ_t."""


@dataclass(frozen=True)
class AtX(ReferencePoint):
    """r_t = x_t, as in Algorithm 2."""

    needs_x, covered = True, True

    def at(self, x: Array, theta: Array) -> Array:
        return x


@dataclass(frozen=True)
class AsSeen(ReferencePoint):
    """r_t = x_t as the clients see it, while the server moves its own x_t by their differences (MCM)."""

    needs_x, offset = True, False

    def at(self, x: Array, theta: Array) -> Array:
        return x


@dataclass(frozen=True)
class Origin(ReferencePoint):
    """r_t = 0: with V_{t,i} = 0 what clients send is the compressed iterate (GDCI)."""

    needs_x = False

    def at(self, x: Array, theta: Array) -> Array:
        return np.zeros(len(x))


@dataclass(frozen=True)
class AtTheta(ReferencePoint):
    """r_t = θ_t, where x and θ are of one kind: S̄ − θ = −ρ∇f_i for the quadratic surrogate (prox-DIANA)."""

    needs_x = False

    def at(self, x: Array, theta: Array) -> Array:
        if len(x) != len(theta):
            raise InvalidInput(f"x has {len(x)} numbers, θ has {len(theta)}: AtTheta needs them to agree.")
        return theta
