"""Smooth losses of a linear model for the quadratic surrogate; a sample is a row (x, y) of length d + 1.

A new loss is a class here, with all that is said of it, and an entry of `EACH_LOSS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import expit

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.faces import Faces

if TYPE_CHECKING:
    import sympy as sp


class Loss(Faces, ABC):
    """ℓ(Z, θ) = c(⟨x, θ⟩, y) with a scalar function c that is differentiable in its first argument."""

    name: ClassVar[str]
    """In the names of cases, models and rows."""
    curvature: ClassVar[float]
    """The largest second derivative of c, hence ∇ℓ(Z, ·) is curvature·‖x‖²-Lipschitz."""

    @abstractmethod
    def value(self, u: Array, y: Array) -> Array:
        """c(u, y), shape (N,)."""

    @abstractmethod
    def slope(self, u: Array, y: Array) -> Array:
        """∂c/∂u, shape (N,)."""

    @abstractmethod
    def steepest(self, reach: Array, y: Array) -> Array:
        """A bound on |∂c/∂u| over all |u| ≤ reach (which may be infinite), shape (N,)."""

    @abstractmethod
    def check(self, y: Array) -> None:
        """Refuse targets for which the loss is not meant."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, n: int) -> Array:
        """n targets at random, of those for which the loss is meant."""

    @classmethod
    @abstractmethod
    def twin(cls, u: sp.Expr, y: sp.Symbol) -> tuple[sp.Expr, tuple[sp.Basic, ...]]:
        """c(u, y) in SymPy, and the relations that say which targets it is meant for."""

    def lipschitz(self, z: Array, weights: Array | None = None) -> float:
        """L_f, a Lipschitz constant of ∇f for f = E_π[ℓ(Z, ·)]: curvature · λ_max(E_π[x xᵀ])."""
        x = z[:, :-1]
        moment = x.T @ x / len(x) if weights is None else (x * weights[:, None]).T @ x
        return self.curvature * float(np.linalg.eigvalsh(moment)[-1])


@dataclass(frozen=True)
class LeastSquares(Loss):
    """ℓ(Z, θ) = ½(⟨x, θ⟩ − y)²."""

    name = "least squares"
    curvature = 1.0

    def check(self, y: Array) -> None:
        """Every real target is fine."""

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return rng.normal(size=n)

    def value(self, u: Array, y: Array) -> Array:
        return 0.5 * (u - y) ** 2

    def slope(self, u: Array, y: Array) -> Array:
        return u - y

    def steepest(self, reach: Array, y: Array) -> Array:
        return reach + np.abs(y)

    @classmethod
    def twin(cls, u: sp.Expr, y: sp.Symbol) -> tuple[sp.Expr, tuple[sp.Basic, ...]]:
        return (y - u) ** 2 / 2, ()


@dataclass(frozen=True)
class Logistic(Loss):
    """ℓ(Z, θ) = log(1 + exp(−y⟨x, θ⟩)) with y ∈ {−1, 1}."""

    name = "logistic"
    curvature = 0.25

    def check(self, y: Array) -> None:
        wrong = ~np.isin(y, (-1.0, 1.0))
        if wrong.any():
            raise InvalidInput(f"the logistic loss got the target y = {y[wrong][0]}: code the classes as -1 and 1.")

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return rng.choice([-1.0, 1.0], n)

    def value(self, u: Array, y: Array) -> Array:
        return np.logaddexp(0.0, -y * u)

    def slope(self, u: Array, y: Array) -> Array:
        return -y * expit(-y * u)

    def steepest(self, reach: Array, y: Array) -> Array:
        return np.ones_like(y)

    @classmethod
    def twin(cls, u: sp.Expr, y: sp.Symbol) -> tuple[sp.Expr, tuple[sp.Basic, ...]]:
        import sympy as sp

        return sp.log(1 + sp.exp(-y * u)), (sp.Eq(y**2, 1),)


EACH_LOSS: tuple[Loss, ...] = (LeastSquares(), Logistic())
"""One of each kind, of which the example's cases, models and rows are made."""
