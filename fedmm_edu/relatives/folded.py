"""A smooth penalty counted in every f_i: what relatives for g = 0 run on."""

from __future__ import annotations

import numpy as np

from fedmm_edu.arrays import Array, Names, Offsets
from fedmm_edu.surrogate import Surrogate


class Folded(Surrogate):
    """The same W with f_i + g in the place of f_i, g = 0, and ψ + g in the place of ψ: S̄, φ and T stay as they are.

    MM-1 for f_i with ψ is MM-1 for f_i + g with ψ + g. `InvalidInput` where g has kinks.
    """

    def __init__(self, inner: Surrogate, theta: Array) -> None:
        inner.grad_g(theta)  # says so where g has no gradient
        self.inner, self.S, self.Theta = inner, inner.S, inner.Theta

    @property
    def loss_in_S_bars(self) -> float:
        return self.inner.loss_in_S_bars

    def S_bar(self, z: Array, theta: Array) -> Array:
        return self.inner.S_bar(z, theta)

    def mean_S_bar(self, z: Array, theta: Array, weights: Array | None = None) -> Array:
        return self.inner.mean_S_bar(z, theta, weights)

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        return self.inner.mean_S_bars(z, offsets, theta, names)

    def T(self, s: Array) -> Array:
        return self.inner.T(s)

    def Ts(self, S: Array) -> Array:
        return self.inner.Ts(S)

    def phi(self, theta: Array) -> Array:
        return self.inner.phi(theta)

    def psi(self, theta: Array) -> float:
        return self.inner.psi(theta) + self.inner.g(theta)

    def g(self, theta: Array) -> float:
        return 0.0 if self.Theta.contains(theta, tol=1e-12) else np.inf

    def loss(self, z: Array, theta: Array) -> Array:
        return self.inner.loss(z, theta) + self.inner.g(theta)

    def grad_psi(self, theta: Array) -> Array:
        return self.inner.grad_psi(theta) + self.inner.grad_g(theta)

    def jac_phi(self, theta: Array) -> Array:
        return self.inner.jac_phi(theta)

    def gradient(self, theta: Array, S: Array) -> Array:
        return self.inner.gradient(theta, S) + self.inner.grad_g(theta)

    def grad_g(self, theta: Array) -> Array:
        return np.zeros(self.d)
