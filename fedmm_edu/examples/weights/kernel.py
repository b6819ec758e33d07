"""EM for the weights of a mixture of known Gaussians, as a numeric kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.arrays import Array, Names, Offsets, as_array, as_samples
from fedmm_edu.convex_sets import Simplex
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.rows import by_clients, by_rows, row_log_sums, segment_batches
from fedmm_edu.surrogate import ZeroPsi


class MixtureWeights(ZeroPsi):
    """EM for the weights θ of L known Gaussians N(m_ℓ, 1): ℓ(Z, θ) = −log Σ_ℓ θ_ℓ p_ℓ(Z), g(θ) = −λ Σ log θ_ℓ.

    Samples have shape (N, 1). S̄(Z, τ)_ℓ = τ_ℓ p_ℓ(Z)/Σ_j τ_j p_j(Z), φ = log, ψ = 0, T(s) = (s + λ)/(1 + Lλ), and 𝒮
    and Θ are the simplex. φ∘T has the derivative B(s) = diag(1/(s + λ)), and its second one is at most 1/λ²: A7 holds
    with v_min = 1/(1 + λ), v_max = C_⋆⋆ = 1/λ and C_⋆ = 1/(2λ²), on an 𝒮 that is no box.
    """

    def __init__(self, means: ArrayLike, lam: float) -> None:
        self.means = as_array("means", means, shape=(None,))
        if len(self.means) < 2:
            raise InvalidInput(f"means = {self.means}: one component has weight 1; give at least two.")
        self.lam = in_interval("lam", lam, low=0.0, high=np.inf, open_low=True)
        self.S = self.Theta = Simplex(len(self.means))

    def _log_joint(self, z: Array, theta: Array) -> Array:
        return self.phi(theta) - 0.5 * (z - self.means) ** 2

    def _posteriors(self, z: Array, theta: Array) -> Array:
        def posterior(rows: Array) -> Array:
            joint = self._log_joint(rows, theta)
            return np.exp(joint - row_log_sums(joint))

        return by_rows(posterior, z, len(self.means))

    def S_bar(self, z: Array, theta: Array) -> Array:
        return self._posteriors(as_samples(z, 1), theta)

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        def means(rows: Array, ends: Offsets) -> Array:
            S = self._posteriors(rows, theta)
            return segment_batches(lambda S: np.add.reduce(S, axis=1) / S.shape[1], ends, S)

        return by_clients(means, as_samples(z, 1, names), offsets, len(self.means))

    def T(self, s: Array) -> Array:
        return (self.in_S(s) + self.lam) / (1.0 + len(self.means) * self.lam)

    def phi(self, theta: Array) -> Array:
        if np.count_nonzero(theta) == len(theta):
            return np.log(theta)
        with np.errstate(divide="ignore"):  # −∞ on the boundary of Θ, where g is infinite
            return np.log(theta)

    def jac_phi(self, theta: Array) -> Array:
        return np.diag(1.0 / theta)

    def g(self, theta: Array) -> float:
        if not self.Theta.contains(theta, tol=1e-12) or (theta <= 0.0).any():
            return np.inf
        return -self.lam * float(np.log(theta).sum())

    def loss(self, z: Array, theta: Array) -> Array:
        def minus_log(rows: Array) -> Array:
            return -row_log_sums(self._log_joint(rows, theta))[:, 0]

        return by_rows(minus_log, as_samples(z, 1), len(self.means))

    def B(self, s: Array) -> Array:
        """B(s) = diag(1/(s + λ)), the derivative of φ∘T."""
        return np.diag(1.0 / (self.in_S(s) + self.lam))
