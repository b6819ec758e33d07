"""The E-step of a Gaussian mixture: responsibilities, and sums of statistics client by client in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array, Offsets, as_array
from fedmm_edu.errors import InvalidInput

PIECE, LEAST = 2**16, 256
"""Numbers that an array holds in one pass over samples: few enough for a cache; at least so many samples, for NumPy."""

Features = Callable[[Array], Array]
"""Samples as columns, shape (p, c) ↦ features as rows, shape (F, c)."""


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


def samples(z: Array, p: int) -> Array:
    """z as samples of shape (N, p), N ≥ 1, or `InvalidInput`."""
    z = as_array("z", z, shape=(None, p))
    if len(z) == 0:
        raise InvalidInput("z has no rows: give at least one sample.")
    return z


def posterior(columns: Array, of: Components) -> tuple[Array, Array]:
    """Responsibilities (L, c) and log Σ_ℓ p(z, ℓ) (c,) of samples given as columns (p, c).

    Column by column: what a sample gets does not depend, not even in its last bit, on the samples beside it.
    """
    log_joint = np.empty((len(of.means), columns.shape[1]))
    with np.errstate(over="ignore"):
        for row, scale, mean, root in zip(log_joint, of.log_scales, of.means, of.roots, strict=True):
            centred = columns - mean[:, None]
            white = root[:, :1] * centred[0]
            for j in range(1, len(mean)):
                white[: j + 1] += root[: j + 1, j : j + 1] * centred[j]
            row[:] = scale - 0.5 * _add_rows(white * white)
    top = log_joint.max(axis=0)
    if not np.isfinite(top).all():
        worst = columns[:, np.argmin(np.isfinite(top))]
        raise InvalidInput(f"the sample {worst} is so far out that its density overflows: rescale or remove it.")
    weights = np.exp(log_joint - top)
    total = _add_rows(weights)
    return weights / total, top + np.log(total)


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


def segment_sums(z: Array, offsets: Offsets, of: Components, features: Features, F: int) -> Array:
    """Σ_j r_ℓ(z_j) f_k(z_j) over the rows offsets[i]:offsets[i+1] of z, for each i: shape (m, L, F)."""
    L, m = len(of.means), len(offsets) - 1
    size, out, first = _at_once(max(L, F)), np.empty((m, L, F)), 0
    while first < m:
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + size, "right")) - 1)
        start, stop = offsets[first], offsets[last]
        if stop - start <= size:
            r, f = _expected(z[start:stop], of, features)
            for component, row in enumerate(r):  # one component at a time: half the memory traffic of all at once
                out[first:last, component] = np.add.reduceat(row * f, offsets[first:last] - start, axis=1).T
        else:  # one client with more samples than a piece
            out[first] = 0.0
            for cut in _pieces(stop - start, size):
                r, f = _expected(z[start:stop][cut], of, features)
                out[first] += r @ f.T
        first = last
    return out


def weighted_sum(z: Array, weights: Array, of: Components, features: Features, F: int) -> Array:
    """Σ_j weights_j r_ℓ(z_j) f_k(z_j) over all rows of z: shape (L, F)."""
    out = np.zeros((len(of.means), F))
    for cut in _pieces(len(z), _at_once(max(out.shape))):
        r, f = _expected(z[cut], of, features)
        out += (r * weights[cut]) @ f.T
    return out


def _expected(rows: Array, of: Components, features: Features) -> tuple[Array, Array]:
    columns = np.ascontiguousarray(rows.T)
    return posterior(columns, of)[0], features(columns)


def _at_once(rows: int) -> int:
    return max(LEAST, PIECE // rows)


def _pieces(count: int, size: int) -> Iterator[slice]:
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
