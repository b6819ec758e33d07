"""Pairs (P, Q) of measures whose optimal transport map m* is known: m* = T is the gradient of a convex function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from fedmm_edu.arrays import Array, as_array
from fedmm_edu.errors import InvalidInput, as_count

Map = Callable[[Array], Array]
"""Points, shape (N, d), to points."""
MOMENT_SAMPLES = 2**16
"""Samples from which the moments of Q are taken where they have no closed form: 0.4 % error of a standard deviation."""


@dataclass(frozen=True, eq=False)
class Pair:
    """P with its sampler, Q = T∘P, and the first two moments of both."""

    name: str
    d: int
    draw: Callable[[np.random.Generator, int], Array]
    T: Map
    mean_P: Array
    cov_P: Array
    mean_Q: Array
    cov_Q: Array

    def sample(self, N: int, seed: int) -> Array:
        """N samples of P: shape (N, d)."""
        as_count("N", N)
        return self.draw(np.random.default_rng(seed), N)

    def sample_target(self, N: int, seed: int) -> Array:
        """N samples of Q, independent of those of P under another seed: shape (N, d)."""
        return self.T(self.sample(N, seed))


@dataclass(frozen=True, eq=False)
class Mixture:
    """The law of std · maps[k] z + centers[k] for k uniform and z standard normal."""

    centers: Array
    maps: Array
    std: float = 0.4

    @staticmethod
    def of_benchmark(d: int, components: int = 3, seed: int = 0) -> Mixture:
        """The random mixture of the W2 benchmark, drawn in its order, with mean 0 and trace of the covariance d."""
        rng = np.random.RandomState(seed)  # the legacy generator: the benchmark's files belong to its draws
        centers = np.stack([rng.choice(components, components, replace=False) for _ in range(d)], axis=1)
        centers = centers - (components - 1) / 2
        maps = rng.normal(size=(components, d, d)).astype(np.float32).astype(np.float64)
        maps /= np.sqrt((maps**2).sum(axis=2, keepdims=True))
        spread = np.sqrt((centers**2).sum(axis=1).mean() / d + 0.4**2)
        return Mixture(centers / spread, maps / spread)

    def draw(self, rng: np.random.Generator, N: int) -> Array:
        """N samples: shape (N, d)."""
        k = rng.integers(len(self.centers), size=N)
        x = rng.standard_normal((N, self.centers.shape[1]))
        for j, (center, matrix) in enumerate(zip(self.centers, self.maps, strict=True)):
            x[k == j] = self.std * x[k == j] @ matrix.T + center
        return x

    def moments(self) -> tuple[Array, Array]:
        """Mean and covariance."""
        mean = self.centers.mean(axis=0)
        within = self.std**2 * np.einsum("kij,klj->il", self.maps, self.maps) / len(self.maps)
        return mean, within + (self.centers - mean).T @ (self.centers - mean) / len(self.centers)


def linear_map(mean_P: ArrayLike, cov_P: ArrayLike, mean_Q: ArrayLike, cov_Q: ArrayLike) -> tuple[Array, Array]:
    """(M, c) of x ↦ M x + c, the optimal map between the Gaussians with these moments (Bures), M ≻ 0.

    M = Σ_P^{-1/2} (Σ_P^{1/2} Σ_Q Σ_P^{1/2})^{1/2} Σ_P^{-1/2}; of all maps between the two Gaussians it is the best.
    """
    d = np.shape(mean_P)[0]
    first, second = (as_array(name, x, shape=(d,)) for name, x in (("mean_P", mean_P), ("mean_Q", mean_Q)))
    root = _power("cov_P", as_array("cov_P", cov_P, shape=(d, d)), 0.5)
    inverse = np.linalg.inv(root)
    M = inverse @ _power("cov_Q", root @ as_array("cov_Q", cov_Q, shape=(d, d)) @ root, 0.5) @ inverse
    M = 0.5 * (M + M.T)
    return M, second - M @ first


def _power(name: str, matrix: Array, exponent: float) -> Array:
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    if values[0] <= 1e-12 * values[-1]:
        raise InvalidInput(f"{name} has the eigenvalue {values[0]:.3g}: covariances must be positive definite.")
    return (vectors * values**exponent) @ vectors.T


def gaussians(mean_P: ArrayLike, cov_P: ArrayLike, mean_Q: ArrayLike, cov_Q: ArrayLike) -> Pair:
    """Two Gaussians; the map is linear."""
    M, c = linear_map(mean_P, cov_P, mean_Q, cov_Q)
    moments = [np.asarray(x, dtype=np.float64) for x in (mean_P, cov_P, mean_Q, cov_Q)]
    root = np.linalg.cholesky(moments[1])

    def draw(rng: np.random.Generator, N: int) -> Array:
        return moments[0] + rng.standard_normal((N, len(c))) @ root.T

    return Pair("Gaussians", len(c), draw, lambda x: x @ M + c, *moments)


def log_sum_exp(d: int, pieces: int = 20, sharpness: float = 1.25, seed: int = 1) -> Pair:
    """P the benchmark's mixture; T the standardised gradient of 0.1‖x‖² + log Σ_j exp⟨x, c_j⟩, in closed form.

    T(x) = scale · (0.2 x + Σ_j softmax_j(⟨x, c_j⟩) c_j − shift) with `pieces` centres c_j ~ N(0, sharpness² I), and
    scale, shift such that Q has mean 0 and trace of the covariance d. With the default settings and d = 16 the identity
    scores 72 and the best linear map 36.
    """
    as_count("d", d)
    as_count("pieces", pieces)
    rng = np.random.default_rng([seed, d])
    centres = sharpness * rng.standard_normal((pieces, d))
    mixture = Mixture.of_benchmark(d)

    def raw(x: Array) -> Array:
        return 0.2 * x + softmax(x @ centres.T, axis=1) @ centres

    return standardised("log-sum-exp", mixture, raw)


def standardised(name: str, mixture: Mixture, raw: Map) -> Pair:
    """The pair of a mixture and scale · (raw − shift), for which Q has mean 0 and trace of the covariance d."""
    images = raw(mixture.draw(np.random.default_rng(0), MOMENT_SAMPLES))
    d, shift, cov = images.shape[1], images.mean(axis=0), np.cov(images.T, bias=True).reshape(images.shape[1], -1)
    scale = float(np.sqrt(d / np.trace(cov)))
    return Pair(name, d, mixture.draw, lambda x: scale * (raw(x) - shift), *mixture.moments(), np.zeros(d),
                scale**2 * cov)  # fmt: skip
