"""The E-step of a Gaussian mixture: responsibilities, and sums of statistics client by client in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array, Offsets
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.gram import client_products
from fedmm_edu.examples.symmetric import svec

PIECE, LEAST = 2**16, 256
"""Numbers that an array holds in one pass over samples: few enough for a cache; at least so many samples, for NumPy."""
WIDE, TILE = 9, 256
"""Samples of so many numbers are worth products of matrices, so many samples at a time."""


@dataclass(frozen=True, eq=False)
class Features:
    """f(z): `of` maps samples as columns, shape (p, c), to features as rows, shape (F, c)."""

    of: Callable[[Array], Array]
    F: int

    @property
    def numbers(self) -> int:
        """How many numbers of a sample an array holds at a time."""
        return self.F

    def total(self, columns: Array, weights: Array) -> Array:
        """Σ_j weights_ℓj f(z_j) for weights ≥ 0: shape (L, F)."""
        return weights @ self.of(columns).T

    def totals(self, columns: Array, weights: Array, offsets: Offsets) -> Array:
        """The same of the columns offsets[i]:offsets[i+1], for each i: shape (m, L, F)."""
        f, out = self.of(columns), np.empty((len(offsets) - 1, len(weights), self.F))
        for component, row in enumerate(weights):  # one component at a time: half the memory traffic of all at once
            out[:, component] = np.add.reduceat(row * f, offsets[:-1], axis=1).T
        return out


class SecondMoments(Features):
    """f(z) = svec((z, 1)(z, 1)ᵀ), whose sums are products of matrices: no sample's features are written down."""

    @property
    def numbers(self) -> int:
        return math.isqrt(2 * self.F)  # p + 1 where F = (p + 1)(p + 2)/2

    def total(self, columns: Array, weights: Array) -> Array:
        extended = _with_ones(columns)
        return np.stack([svec(half @ half.T) for half in (root * extended for root in np.sqrt(weights))])

    def totals(self, columns: Array, weights: Array, offsets: Offsets) -> Array:
        rows = _with_ones(columns).T.copy()
        halves = (root[:, None] * rows for root in np.sqrt(weights))
        return np.stack([svec(client_products(half, half, offsets)) for half in halves], axis=1)


def _with_ones(columns: Array) -> Array:
    """(z, 1) of each column z."""
    return np.concatenate([columns, np.ones((1, columns.shape[1]))])


@dataclass(frozen=True, eq=False)
class Components:
    """log p(z, ℓ) = log_scales[ℓ] − ½‖roots[ℓ](z − means[ℓ])‖² with upper triangular roots."""

    log_scales: Array
    means: Array
    roots: Array

    @staticmethod
    def of(weights: Array, means: Array, values: Array, vectors: Array) -> Components:
        """From ν (L,), m (L, p) and the eigenvalues and eigenvectors of Γ⁻¹, without the constant −(p/2) log 2π."""
        roots = np.asarray(np.linalg.qr(np.sqrt(values)[..., None] * np.swapaxes(vectors, -1, -2), mode="r"))
        with np.errstate(divide="ignore"):  # a component of weight 0 has density 0
            return Components(np.log(weights) + 0.5 * np.log(values).sum(axis=-1), means, roots)


def posterior(columns: Array, of: Components) -> tuple[Array, Array]:
    """Responsibilities (L, c) and log Σ_ℓ p(z, ℓ) (c,) of samples given as columns (p, c).

    Column by column: what a sample gets does not depend, not even in its last bit, on the samples beside it.
    """
    log_joint = np.empty((len(of.means), columns.shape[1]))
    distances = _distances_by_tiles if len(columns) >= WIDE else _distances_by_rows
    with np.errstate(over="ignore", invalid="ignore"):
        for row, scale, mean, root in zip(log_joint, of.log_scales, of.means, of.roots, strict=True):
            row[:] = scale - 0.5 * distances(columns, mean, root)
    top = log_joint.max(axis=0)
    if not np.isfinite(top).all():
        worst = columns[:, np.argmin(np.isfinite(top))]
        raise InvalidInput(f"the sample {worst} is so far out that its density overflows: rescale or remove it.")
    weights = np.exp(log_joint - top)
    total = _add_rows(weights)
    return weights / total, top + np.log(total)


def _distances_by_rows(columns: Array, mean: Array, root: Array) -> Array:
    """‖root(z − mean)‖² of each column z, root upper triangular: shape (c,)."""
    centred = columns - mean[:, None]
    white = root[:, :1] * centred[0]
    for j in range(1, len(mean)):
        white[: j + 1] += root[: j + 1, j : j + 1] * centred[j]
    return _add_rows(white * white)


def _distances_by_tiles(columns: Array, mean: Array, root: Array) -> Array:
    """The same by products of one shape, the last tile filled with zeros: so no column meets another order of sums."""
    p, c = columns.shape
    padded = np.zeros((p, -(-c // TILE) * TILE))
    np.subtract(columns, mean[:, None], out=padded[:, :c])
    white = root @ padded.reshape(p, -1, TILE).transpose(1, 0, 2)
    return (white * white).sum(axis=1).ravel()[:c]


def _add_rows(x: Array) -> Array:
    """x.sum(axis=0), in one order of addition whatever the number of columns is."""
    total = x[0].copy()
    for row in x[1:]:
        total += row
    return total


def all_posteriors(z: Array, of: Components) -> tuple[Array, Array]:
    """Responsibilities (N, L) and log-densities (N,) of samples (N, p), up to the constant of `Components`."""
    responsibilities, log_density = np.empty((len(z), len(of.means))), np.empty(len(z))
    for cut in _pieces(len(z), _at_once(len(of.means))):
        r, log_density[cut] = posterior(z[cut].T, of)
        responsibilities[cut] = r.T
    return responsibilities, log_density


def segment_sums(z: Array, offsets: Offsets, of: Components, features: Features) -> Array:
    """Σ_j r_ℓ(z_j) f_k(z_j) over the rows offsets[i]:offsets[i+1] of z, for each i: shape (m, L, F)."""
    L, m = len(of.means), len(offsets) - 1
    size, out, first = _at_once(max(L, features.numbers)), np.empty((m, L, features.F)), 0
    while first < m:
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + size, "right")) - 1)
        start, stop = offsets[first], offsets[last]
        if stop - start <= size:
            columns = np.ascontiguousarray(z[start:stop].T)
            out[first:last] = features.totals(columns, posterior(columns, of)[0], offsets[first : last + 1] - start)
        else:  # one client with more samples than a piece
            out[first] = 0.0
            for cut in _pieces(stop - start, size):
                columns = np.ascontiguousarray(z[start:stop][cut].T)
                out[first] += features.total(columns, posterior(columns, of)[0])
        first = last
    return out


def weighted_sum(z: Array, weights: Array, of: Components, features: Features) -> Array:
    """Σ_j weights_j r_ℓ(z_j) f_k(z_j) over all rows of z: shape (L, F)."""
    out = np.zeros((len(of.means), features.F))
    for cut in _pieces(len(z), _at_once(max(len(out), features.numbers))):
        columns = np.ascontiguousarray(z[cut].T)
        out += features.total(columns, posterior(columns, of)[0] * weights[cut])
    return out


def _at_once(rows: int) -> int:
    return max(LEAST, PIECE // rows)


def _pieces(count: int, size: int) -> Iterator[slice]:
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
