"""Mixtures of Gaussians as numeric kernels: what those with known and with estimated covariances share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from fedmm_edu.arrays import Array, Names, Offsets, as_array, as_samples, counts_of
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.mixture.posterior import (
    Components,
    Features,
    all_posteriors,
    segment_sums,
    weighted_sum,
)
from fedmm_edu.federation import Clients
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.theory.assumptions import Cell, Place


class MixtureEM(Surrogate):
    """ℓ(Z, θ) = −log Σ_ℓ p(Z, ℓ, θ) with Gaussian p(·, ℓ, θ), ψ = 0 and S(Z, h) made of features f(Z) times 1{h = ℓ}.

    S̄(Z, τ) puts the responsibility r_ℓ = p(Z, ℓ, τ)/Σ_j p(Z, j, τ) in the place of 1{h = ℓ}. Samples have shape (N, p).
    The mean over samples costs memory for one piece of them, never for all.
    """

    L: int
    p: int
    F: int
    """Features a component."""
    constant: float = 0.0
    """What the loss adds to −log Σ_ℓ p(Z, ℓ, θ) as `Components` counts it."""

    @abstractmethod
    def components(self, theta: Array) -> Components:
        """p(·, ℓ, θ) for ℓ = 1, …, L."""

    @abstractmethod
    def features(self, columns: Array) -> Array:
        """f(z) of samples given as columns (p, c): shape (F, c)."""

    @property
    def summed(self) -> Features:
        """The features, and how they are summed."""
        return Features(self.features, self.F)

    @abstractmethod
    def flat(self, sums: Array) -> Array:
        """Statistics (..., L, F), one row of features for each component, as surrogates (..., q)."""

    @abstractmethod
    def bounds(self, clients: Clients) -> dict[str, Cell]:
        """The cells of A1, A3, A6(i) and A7 (see `assumptions.py`)."""

    @abstractmethod
    def places(self, clients: Clients, gap: float) -> Iterator[Place]:
        """Where an assumption that fails is seen to fail, for a gap ≤ 0.1."""

    def responsibilities(self, z: Array, theta: Array) -> Array:
        """The posterior law of the label given Z and θ: shape (N, L), rows that sum to 1."""
        return all_posteriors(as_samples(z, self.p), self.components(theta))[0]

    def statistics(self, z: Array, labels: Array) -> Array:
        """S(Z, h) of each sample, shape (N, q), for indicators or responsibilities `labels`, shape (N, L)."""
        z = as_samples(z, self.p)
        labels = as_array("labels", labels, shape=(len(z), self.L))
        return self.flat(labels[:, :, None] * self.features(z.T).T[:, None, :])

    def S_bar(self, z: Array, theta: Array) -> Array:
        return self.statistics(z, self.responsibilities(z, theta))

    def mean_S_bar(self, z: Array, theta: Array, weights: Array | None = None) -> Array:
        if weights is None:
            return self.mean_S_bars(z, np.array([0, len(z)]), theta)[0]
        z = as_samples(z, self.p)
        return self.flat(weighted_sum(z, weights, self.components(theta), self.summed))

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        sums = segment_sums(as_samples(z, self.p, names), offsets, self.components(theta), self.summed)
        sums /= counts_of(offsets)[:, None, None]
        return self.flat(sums)

    def loss(self, z: Array, theta: Array) -> Array:
        return self.constant - all_posteriors(as_samples(z, self.p), self.components(theta))[1]

    def T(self, s: Array) -> Array:
        return self.Ts(self.in_S(s)[None])[0]

    def psi(self, theta: Array) -> float:
        return 0.0


def covariances_of(name: str, value: Array, L: int, p: int) -> Array:
    """L symmetric positive definite p×p matrices, or `InvalidInput`."""
    matrices = as_array(name, value, shape=(L, p, p))
    if not np.allclose(matrices, np.swapaxes(matrices, 1, 2), rtol=1e-12, atol=0.0):
        raise InvalidInput(f"{name} holds a matrix that is not symmetric: pass (G + G.T)/2 of each.")
    least = np.linalg.eigvalsh(matrices)[:, 0]
    if (least <= 0).any():
        i = int(np.argmin(least))
        raise InvalidInput(f"{name}[{i}] has smallest eigenvalue {least[i]:.3g}: it must be positive definite.")
    return (matrices + np.swapaxes(matrices, 1, 2)) / 2
