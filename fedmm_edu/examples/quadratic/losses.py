"""Smooth losses of a linear model for the quadratic surrogate; a sample is a row (x, y) of length d + 1."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput


class Loss(ABC):
    """ℓ(Z, θ) = c(⟨x, θ⟩, y) with a scalar function c that is differentiable in its first argument."""

    curvature: float
    """The largest second derivative of c, hence ∇ℓ(Z, ·) is curvature·‖x‖²-Lipschitz."""

    @abstractmethod
    def value(self, u: Array, y: Array) -> Array:
        """c(u, y), shape (N,)."""

    @abstractmethod
    def slope(self, u: Array, y: Array) -> Array:
        """∂c/∂u, shape (N,)."""

    @abstractmethod
    def check(self, y: Array) -> None:
        """Refuse targets for which the loss is not meant."""

    def lipschitz(self, z: Array, weights: Array | None = None) -> float:
        """L_f, a Lipschitz constant of ∇f for f = E_π[ℓ(Z, ·)]: curvature · λ_max(E_π[x xᵀ])."""
        x = z[:, :-1]
        moment = x.T @ x / len(x) if weights is None else (x * weights[:, None]).T @ x
        return self.curvature * float(np.linalg.eigvalsh(moment)[-1])


@dataclass(frozen=True)
class LeastSquares(Loss):
    """ℓ(Z, θ) = ½(⟨x, θ⟩ − y)²."""

    curvature = 1.0

    def check(self, y: Array) -> None:
        """Every real target is fine."""

    def value(self, u: Array, y: Array) -> Array:
        return 0.5 * (u - y) ** 2

    def slope(self, u: Array, y: Array) -> Array:
        return u - y


@dataclass(frozen=True)
class Logistic(Loss):
    """ℓ(Z, θ) = log(1 + exp(−y⟨x, θ⟩)) with y ∈ {−1, 1}."""

    curvature = 0.25

    def check(self, y: Array) -> None:
        wrong = ~np.isin(y, (-1.0, 1.0))
        if wrong.any():
            raise InvalidInput(f"the logistic loss got the target y = {y[wrong][0]}: code the classes as -1 and 1.")

    def value(self, u: Array, y: Array) -> Array:
        return np.logaddexp(0.0, -y * u)

    def slope(self, u: Array, y: Array) -> Array:
        return -y * expit(-y * u)
