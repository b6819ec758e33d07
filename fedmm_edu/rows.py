"""What surrogates do with rows of samples: row by row, client by client, to the same bits whoever stands beside."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import as_strided

from fedmm_edu.arrays import Array, Indices, Mask, Offsets, all_finite, counts_of


def row_products(x: Array, theta: Array) -> Array:
    """⟨x, θ⟩ of each row of x, or ⟨x, θ_k⟩ of each column of θ: shape (N,) or (N, K).

    Unlike those of x @ θ, the bits of a row do not depend on the rows beside it.
    """
    return np.vecdot(x, theta) if theta.ndim == 1 else np.vecdot(x[:, None], np.ascontiguousarray(theta.T))


def row_log_sums(x: Array) -> Array:
    """log Σ_k exp(x_k) of each row of x, shape (N, 1).

    To the bit what `scipy.special.logsumexp` gives, which takes ten times as long where rows are few.
    """
    x, axis = _reducible(x)
    top = x.max(axis=axis, keepdims=True)
    most = x == top
    if all_finite(top):
        return _log_sums(x, axis, top, most).reshape(-1, 1)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):  # a row of −∞, or one with ∞ or NaN
        out = _log_sums(x, axis, top, most)
        out = np.where(np.isfinite(out), out, np.log(np.exp(x).sum(axis=axis, keepdims=True)))
        return out.reshape(-1, 1)


def _log_sums(x: Array, axis: int, top: Array, most: Mask) -> Array:
    """log Σ exp(x) over an axis, given the largest entries there, and where they are."""
    others = np.exp(np.where(most, -np.inf, x) - top).sum(axis=axis, keepdims=True)
    count = most.sum(axis=axis, keepdims=True)
    return np.log1p(others / count) + np.log(count) + top


def row_softmax(x: Array) -> Array:
    """exp(x_k)/Σ_l exp(x_l) of each row of x, in its shape: to the bit what `scipy.special.softmax` gives, sooner."""
    e, axis = _reducible(x)
    e = np.exp(e - e.max(axis=axis, keepdims=True))
    e = e / e.sum(axis=axis, keepdims=True)
    return e if axis else np.ascontiguousarray(e.T)


def _reducible(x: Array) -> tuple[Array, int]:
    """The array to reduce for each row of x, and along which axis: x, or for narrow rows its transposed copy.

    A few long rows are added in a fifth of the time of many short ones; from 8 numbers on in another order.
    """
    return (x, 1) if x.shape[1] >= 8 else (x.T.copy(), 0)


HELD = 2**16
"""Numbers of an array that is made and used up at once: half a MiB, which stays in the cache, and with it all others
that are made on the way to it."""


def by_rows(of: Callable[[Array], Array], x: Array, width: int) -> Array:
    """What `of` makes of the rows of x, each by itself, in blocks for which it holds `HELD` numbers, `width` a row."""
    size = max(1, HELD // width)
    if len(x) <= size:
        return of(x)
    return np.concatenate([of(x[start : start + size]) for start in range(0, len(x), size)])


def by_clients(of: Callable[[Array, Offsets], Array], x: Array, offsets: Offsets, width: int) -> Array:
    """What `of` makes of clients with the rows offsets[i]:offsets[i+1] of x, each by itself: likewise in blocks."""
    if len(x) * width <= HELD:
        return of(x, offsets)
    parts, start = [], 0
    while start < len(offsets) - 1:
        most = offsets[start] + HELD // width
        stop = max(start + 1, int(np.searchsorted(offsets, most, side="right")) - 1)
        parts.append(of(x[offsets[start] : offsets[stop]], offsets[start : stop + 1] - offsets[start]))
        start = stop
    return np.concatenate(parts)


def segment_means(rows: Array, offsets: Offsets) -> Array:
    """The mean of rows offsets[i]:offsets[i+1] for each i: shape (m, ...)."""
    counts = counts_of(offsets).reshape(-1, *[1] * (rows.ndim - 1))
    return np.add.reduceat(rows, offsets[:-1], axis=0) / counts


def segment_products(weights: Array, rows: Array, offsets: Offsets) -> Array:
    """Σ_j weights_j rows_j over j = offsets[i], …, offsets[i+1] − 1 for each i: shape (m, d)."""
    return segment_batches(lambda w, x: (w[:, None] @ x)[:, 0], offsets, weights, rows)


FEW, LARGE = 32, 2**12
"""Fewer segments than FEW, and segments of more than LARGE numbers, cost less one by one than gathered."""


def segment_batches(batch: Callable[..., Array], offsets: Offsets, *arrays: Array) -> Array:
    """What `batch` makes of the rows offsets[i]:offsets[i+1] of `arrays`, for each i: shape (m, ...).

    `batch` maps arrays of shapes (k, size, ...), k segments of one size, to one of shape (k, ...), each segment by
    itself. Segments of one size are taken together, so that no loop runs over many small ones, whatever their sizes;
    where sizes never fall, they lie together and nothing is copied.
    """

    def alone(i: int) -> Array:
        return batch(*(array[None, offsets[i] : offsets[i + 1]] for array in arrays))[0]

    sizes = counts_of(offsets)
    if np.count_nonzero(sizes == sizes[0]) == len(sizes):
        return batch(*(array.reshape(len(sizes), -1, *array.shape[1:]) for array in arrays))
    if not np.count_nonzero(sizes[1:] < sizes[:-1]):
        ends = [0, *(np.flatnonzero(sizes[1:] != sizes[:-1]) + 1).tolist(), len(sizes)]
        cuts = [(stop - start, slice(offsets[start], offsets[stop])) for start, stop in pairwise(ends)]
        return np.concatenate([batch(*(a[cut].reshape(k, -1, *a.shape[1:]) for a in arrays)) for k, cut in cuts])
    scattered = any(array.ndim > 1 and array.shape[1] > 1 and array.strides[1] != array.itemsize for array in arrays)
    if len(sizes) < FEW or scattered:
        return np.stack([alone(i) for i in range(len(sizes))])
    out: Array | None = None
    order = by_size(sizes)
    for who in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1):
        size = int(sizes[who[0]])
        if len(who) == 1 or size * max(array[0].size for array in arrays) > LARGE:
            made = np.stack([alone(i) for i in who])
        else:
            parts = {id(array): _segments(array, offsets[who], size) for array in arrays}  # given twice, copied once
            made = batch(*(parts[id(array)] for array in arrays))
        out = np.empty((len(order), *made.shape[1:])) if out is None else out
        out[who] = made
    assert out is not None  # there is one segment at least
    return out


def by_size(sizes: Indices) -> Indices:
    """The order in which sizes never fall, and equal ones stay as they are."""
    return np.argsort(sizes.astype(np.uint16) if sizes.max() < 2**16 else sizes, kind="stable")  # a radix sort


def _segments(array: Array, starts: Indices, size: int) -> Array:
    """The rows starts[i], …, starts[i] + size − 1 for each i: shape (k, size, ...).

    Each segment is copied in one piece, what lies between its rows included. So the strides stay what they are in
    `array`, and with them the bits of products: BLAS adds in another order where strides differ.
    """
    item = array.itemsize
    piece = (size - 1) * (array.strides[0] // item) + array[0].size
    copied = as_strided(array, (len(array) - size + 1, piece), (array.strides[0], item))[starts]
    return as_strided(copied, (len(starts), size, *array.shape[1:]), (piece * item, *array.strides))
