"""The matrix products θᵀθ and θᵀz: blocks of eight rows and sixteen columns that stay in registers, or row by row.

Every entry is summed over the rows of θ in their order, whatever the way, so that its bits do not depend on the way.
For blocks θ is packed in panels: eight columns side by side, so that a block reads memory in one stream.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fedmm_edu.sparse_coding.lanes import add_squares, borrow, scale1, tile1, tile2
from fedmm_edu.sparse_coding.rows import FAST, subtract_rows

TOGETHER = 32  # samples whose θᵀz are formed together
_DEPTH = 256  # rows of θ at a time: two panels of them stay in the first cache
_LAZY = 16  # one row costs as much as seven rows in blocks: after K/16 rows of the Gram matrix, the others in blocks
ALONE = 16  # so many rows more for a sample alone, which needs few
_SEEN = 29  # every 29th entry of the samples tells how full they are
_FULL = 4  # blocks multiply zeros, too: they are for samples of which more than a quarter is not zero


@njit(fastmath=FAST, error_model="numpy")
def _in_panels(theta, p, stride, panels):
    """`theta` (p, stride), flat, in panels: entry (k, 8b + r) stands at (bp + k)·8 + r."""
    for k in range(p):
        for m in range(0, stride, 8):
            target = m * p + 8 * k
            scale1(panels, target, theta, k * stride + m - target, 1.0)


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def _block(y, o, stride, columns, a, i, step, rise, panels, j, p, depth):
    """Eight rows and up to sixteen columns of a product."""
    if columns >= 16:
        tile2(y, o, stride, a, i, step, rise, panels, j, 8 * p, depth)
    else:
        tile1(y, o, stride, a, i, step, rise, panels, j, 0, depth)


@njit(fastmath=FAST, error_model="numpy")
def _fill_gram(panels, p, stride, count, ridge, gram):
    """gram = θᵀθ + ridge·I, flat and padded: blocks on and above the diagonal, then their mirror images."""
    for k in range(stride * stride):
        gram[k] = 0.0
    for first in range(0, p, _DEPTH):
        depth = min(_DEPTH, p - first)
        for column in range(0, stride, 16):
            j = column * p + 8 * first
            for row in range(0, min(column + 16, stride), 8):
                i, o = row * p + 8 * first, row * stride + column
                _block(gram, o, stride, stride - column, panels, i, 8, 1, panels, j, p, depth)
    for row in range(0, stride, 8):
        for column in range(row + 8, stride, 8):
            for i in range(row, row + 8):
                for j in range(column, column + 8):
                    gram[j * stride + i] = gram[i * stride + j]
    for j in range(count):
        gram[j * stride + j] += ridge


@njit(fastmath=FAST, error_model="numpy")
def _form_row(j, theta, p, stride, ridge, count, gram, known):
    """Row j of the Gram matrix, or all rows once there are many; known[stride] counts those that came alone."""
    if known[stride] * _LAZY >= count:
        panels = np.empty(p * stride)
        _in_panels(theta, p, stride, borrow(panels, 0))
        _fill_gram(borrow(panels, 0), p, stride, count, ridge, gram)
        for k in range(stride):
            known[k] = 1
        return
    rows, weights = np.empty(p, np.int64), np.empty(p)
    for k in range(p):
        rows[k], weights[k] = k * stride, -theta[k * stride + j]
    first = j * stride
    for k in range(stride):
        gram[first + k] = 0.0
    subtract_rows(gram, first, stride, theta, rows, weights, p)
    gram[first + j] += ridge
    known[j] = 1
    known[stride] += 1


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def need_row(problem, j):
    """See that row j of the Gram matrix is there."""
    if problem.known[j] == 0:
        _form_row(
            j, problem.theta, problem.p, problem.stride, problem.ridge, problem.size, problem.gram, problem.known
        )  # fmt: skip


@njit(fastmath=FAST, error_model="numpy")
def _pad(theta, p, count, padded, stride):
    """Rows of `count` numbers, flat, as rows of `stride`, with zeros beyond."""
    whole = count // 8 * 8
    for k in range(p):
        first, shift = k * stride, k * (count - stride)
        for m in range(first, first + whole, 8):
            scale1(padded, m, theta, shift, 1.0)
        for m in range(first + whole, first + count):
            padded[m] = theta[m + shift]
        for m in range(first + count, first + stride):
            padded[m] = 0.0


@njit(fastmath=FAST, error_model="numpy")
def _squares(theta, p, stride, ridge, diagonal):
    """The diagonal of the Gram matrix."""
    for j in range(stride):
        diagonal[j] = 0.0
    for k in range(0, p * stride, stride):
        for m in range(0, stride, 8):
            add_squares(diagonal, m, theta, k)
    for j in range(stride):
        diagonal[j] += ridge


@njit(fastmath=FAST, error_model="numpy")
def share_products(theta, ridge, panelled, whole, shared, known):
    """What all rows of a call share, one behind the other in `shared`, (2p + K + 2)·K numbers with K padded.

    θ padded, if it is not already; its panels if `panelled`; the Gram matrix if `whole`; its diagonal and inverse.
    `known`, K + 1 integers, says which rows of the Gram matrix are there.
    """
    p, count = theta.shape
    stride = (count + 7) // 8 * 8
    flat, panels = borrow(theta, 0), borrow(shared, p * stride)
    gram, diagonal = borrow(shared, 2 * p * stride), borrow(shared, (2 * p + stride) * stride)
    if stride > count:
        _pad(flat, p, count, borrow(shared, 0), stride)
        flat = borrow(shared, 0)
    if panelled:
        _in_panels(flat, p, stride, panels)
    if whole:
        _fill_gram(panels, p, stride, count, ridge, gram)
        for j in range(stride):
            diagonal[j] = gram[j * stride + j]
    else:
        _squares(flat, p, stride, ridge, diagonal)
    for j in range(stride):
        diagonal[stride + j] = 1.0 / diagonal[j] if diagonal[j] > 0.0 else 0.0
        known[j] = whole


@njit(fastmath=FAST, error_model="numpy")
def correlate(data, indices, indptr, theta, p, stride, panels, panelled, first, last, offsets, weights, c):
    """θᵀz of the samples first … last, in rows of `stride`; for Z see `kernel.solve_rows`."""
    rows, done = last - first, 0
    for k in range(rows * stride):
        c[k] = 0.0
    if indptr.size == 0 and panelled and rows >= 8:
        full, seen = 0, 0
        for q in range(first * p, last * p, _SEEN):
            full += data[q] != 0.0
            seen += 1
        if full * _FULL > seen:
            done = rows // 8 * 8
    for begin in range(0, p if done else 0, _DEPTH):
        depth = min(_DEPTH, p - begin)
        for column in range(0, stride, 16):
            j = column * p + 8 * begin
            for row in range(0, done, 8):
                i, o = (first + row) * p + begin, row * stride + column
                _block(c, o, stride, stride - column, data, i, 1, p, panels, j, p, depth)
    for row in range(done, rows):
        n, full = first + row, 0
        if indptr.size:
            for q in range(indptr[n], indptr[n + 1]):
                offsets[full], weights[full] = indices[q] * stride, -data[q]
                full += 1
        else:
            for k in range(p):
                if data[n * p + k] != 0.0:
                    offsets[full], weights[full] = k * stride, -data[n * p + k]
                    full += 1
        subtract_rows(c, row * stride, stride, theta, offsets, weights, full)
