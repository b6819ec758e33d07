"""The toy of Remark 1 (`rem:aggr_in_S`) as a numeric kernel."""

from __future__ import annotations

import numpy as np

from fedmm_edu.arrays import Array, Names, Offsets, as_array
from fedmm_edu.convex_sets import Box
from fedmm_edu.errors import InvalidInput
from fedmm_edu.rows import segment_means
from fedmm_edu.surrogate import Surrogate


class Toy(Surrogate):
    """ℓ(Z, θ) = Zθ + 1/θ on θ > 0, for samples Z > 0 of shape (N, 1).

    φ(θ) = −θ, ψ(θ) = 1/θ, S̄(Z, τ) = Z, T(s) = 1/√s: MM-1 holds with equality. The paper takes 𝒮 = ℝ_{>0}, onto which
    nothing can be projected; here 𝒮 = [low, high] with 0 < low, and Θ = T(𝒮).
    """

    def __init__(self, low: float = 1e-6, high: float = 1e6) -> None:
        if not 0.0 < low < high < np.inf:
            raise InvalidInput(f"low = {low}, high = {high}: choose 0 < low < high < inf.")
        self.S = Box([low], [high])
        self.Theta = Box([high**-0.5], [low**-0.5])

    def S_bar(self, z: Array, theta: Array) -> Array:
        z = as_array("z", z, shape=(None, 1))
        box = Box.of(self.S)
        outside = (z < box.low) | (z > box.high)
        if np.count_nonzero(outside):
            raise InvalidInput(f"the sample Z = {z[outside][0]} lies outside 𝒮 = [{box.low[0]}, {box.high[0]}].")
        return z

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        return segment_means(self.S_bar(z, theta), offsets)

    def T(self, s: Array) -> Array:
        return 1.0 / np.sqrt(self.in_S(s))

    def phi(self, theta: Array) -> Array:
        return -theta

    def psi(self, theta: Array) -> float:
        return float(1.0 / theta[0])

    def grad_psi(self, theta: Array) -> Array:
        return -(theta**-2.0)

    def jac_phi(self, theta: Array) -> Array:
        return np.array([[-1.0]])

    def g(self, theta: Array) -> float:
        return 0.0 if self.Theta.contains(theta, tol=1e-12) else np.inf

    def loss(self, z: Array, theta: Array) -> Array:
        return z[:, 0] * theta[0] + 1.0 / theta[0]

    def B(self, s: Array) -> Array:
        """B(s) = s^(−3/2)/2, the derivative of φ∘T = −s^(−1/2)."""
        return 0.5 * self.in_S(s)[:, None] ** -1.5
