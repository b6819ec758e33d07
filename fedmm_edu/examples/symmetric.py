"""Symmetric matrices as vectors whose inner products are those of the matrices, and the cone of the positive ones.

A symmetric k×k matrix is stored as k(k+1)/2 numbers, its upper triangle row by row with the entries off the diagonal
times √2 (`svec`): inner products and distances of the vectors are those of the matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fedmm_edu.arrays import Array, Indices, all_finite, as_array
from fedmm_edu.convex_sets import EPS, ConvexSet, have_factors, nearest_in_norm, no_eigenvalue_below


@lru_cache
def triangle(k: int) -> tuple[np.ndarray, np.ndarray, Array]:
    """Rows, columns and factors (1 or √2) of the stored entries of a k×k matrix."""
    rows, columns = np.triu_indices(k)
    return rows, columns, np.where(rows == columns, 1.0, np.sqrt(2.0))


@lru_cache
def _stored(k: int) -> Indices:
    """Where the stored entries stand among the k² of a matrix."""
    rows, columns, _ = triangle(k)
    return rows * k + columns


@lru_cache
def _places(k: int) -> Indices:
    """Which stored entry stands at each place of a k×k matrix."""
    rows, columns, _ = triangle(k)
    places = np.empty((k, k), dtype=np.int64)
    places[rows, columns] = places[columns, rows] = np.arange(len(rows))
    return places


def svec(matrices: Array) -> Array:
    """Symmetric matrices (..., k, k) as vectors (..., k(k+1)/2)."""
    k = matrices.shape[-1]
    return matrices.reshape(*matrices.shape[:-2], k * k).take(_stored(k), axis=-1) * triangle(k)[2]


def smat(vectors: Array, k: int) -> Array:
    """The inverse of `svec`."""
    return (vectors / triangle(k)[2]).take(_places(k), axis=-1)


def spectral(values: Array, vectors: Array) -> Array:
    """The symmetric matrices with these eigenvalues (..., k) and orthonormal eigenvectors (..., k, k)."""
    return (vectors * values[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def nearest_psd(matrices: Array, least: float = 0.0) -> Array:
    """The nearest matrices with eigenvalues ≥ `least` in the Frobenius norm: smaller eigenvalues become `least`."""
    values, vectors = np.linalg.eigh(matrices)
    return spectral(np.maximum(values, least), vectors)


def all_at_least(matrices: Array, least: float, tol: float) -> bool:
    """Whether all eigenvalues are ≥ `least` up to `tol` and the rounding of the entries.

    Below the least normal number rounding is absolute, not relative: that much is allowed for besides.
    """
    if least == 0.0 and have_factors(matrices):
        return True
    size = np.abs(matrices).max(axis=(-2, -1), initial=0.0)
    rounding = 4 * matrices.shape[-1] * EPS * size + np.finfo(np.float64).tiny
    return no_eigenvalue_below(matrices, least - (tol + rounding))


@dataclass(frozen=True)
class SymmetricPSD(ConvexSet):
    """{svec(M): M ⪰ 0 of size k}, of dimension k(k + 1)/2."""

    k: int

    @property
    def dim(self) -> int:  # type: ignore[override]
        return self.k * (self.k + 1) // 2

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        if np.shape(x) != (self.dim,) or not all_finite(np.asarray(x)):
            return False
        return all_at_least(smat(np.asarray(x), self.k), 0.0, tol)

    def project(self, x: Array, B: Array | None = None) -> Array:
        x = as_array("x", x, shape=(self.dim,))
        if B is not None:
            return nearest_in_norm(self, x, B)
        return x.copy() if self.contains(x) else svec(nearest_psd(smat(x, self.k)))
