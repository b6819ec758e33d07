"""What every quadratic surrogate shares, whatever its loss: prox-gradient steps in s = τ − ρ∇ℓ(Z, τ)."""

from __future__ import annotations

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.convex_sets import WholeSpace
from fedmm_edu.errors import in_interval
from fedmm_edu.examples.quadratic.penalties import Penalty, Zero
from fedmm_edu.surrogate import Surrogate


class Proximal(Surrogate):
    """ψ(θ) = ‖θ‖²/(2ρ), φ(θ) = θ/ρ, T = prox_{ρg}, 𝒮 = ℝ^d (Example 1, `ex:gdt`); a subclass adds ℓ and S̄."""

    def __init__(self, d: int, rho: float, penalty: Penalty | None = None) -> None:
        self.rho = in_interval("rho", rho, low=0.0, high=np.inf, open_low=True)
        self.penalty = penalty or Zero()
        self.S, self.Theta = WholeSpace(d), self.penalty.domain(d)

    def T(self, s: Array) -> Array:
        return self.penalty.prox(self.in_S(s), self.rho)

    def phi(self, theta: Array) -> Array:
        return theta / self.rho

    def psi(self, theta: Array) -> float:
        return float(theta @ theta) / (2.0 * self.rho)

    def g(self, theta: Array) -> float:
        return self.penalty.value(theta)

    def grad_psi(self, theta: Array) -> Array:
        return theta / self.rho

    def jac_phi(self, theta: Array) -> Array:
        return np.eye(self.d) / self.rho

    def gradient(self, theta: Array, S: Array) -> Array:
        """(θ − S)/ρ, without the d × d array Jφ."""
        return (theta - S) / self.rho

    def prox_g(self, theta: Array, rho: float) -> Array:
        return self.penalty.prox(theta, rho)

    def grad_g(self, theta: Array) -> Array:
        return self.penalty.slope(theta)
