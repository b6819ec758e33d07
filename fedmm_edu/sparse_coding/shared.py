"""What the rows of a call share, and their products θᵀz: in blocks, where there are enough of them, or row by row.

As in `products`, every entry is summed over the rows of θ in their order, whatever the way.
"""

from __future__ import annotations

import numpy as np

from fedmm_edu.sparse_coding.inside import apart
from fedmm_edu.sparse_coding.lanes import borrow, clear, meet4
from fedmm_edu.sparse_coding.products import BLOCK_DEPTH, block, fill_gram, in_panels, sum_rows

TOGETHER = 32  # samples whose θᵀz are formed together
_SEEN = 29  # every 29th entry of the samples tells how full they are
_FULL = 4  # blocks multiply zeros, too: they are for samples of which more than a quarter is not zero


@apart
def _meet(z, theta, p, pitch, first, end, c, squares):
    """c = θᵀz and Σ_k θ_k² in one pass, for the columns from `first` to `end`, a multiple of 8 of them."""
    clear(c, first, end)
    clear(squares, first, end)
    k = 0
    while k + 4 <= p:
        for m in range(first, end, 8):
            meet4(c, squares, m, theta, k * pitch, pitch, z[k], z[k + 1], z[k + 2], z[k + 3])
        k += 4
    while k < p:
        for m in range(first, end, 8):
            meet4(c, squares, m, theta, k * pitch, 0, z[k], 0.0, 0.0, 0.0)
        k += 1


@apart
def share_products(theta, ridge, panelled, whole, z, shared, known, samples, c):
    """What all rows of a call share, one behind the other in `shared`, (p + K + 2)·K numbers with K padded.

    The panels of θ if `panelled`; the Gram matrix if `whole`; its diagonal and inverse. Fewer than eight columns are
    always in a panel, which is θ padded. `known`, K + 3 integers: which rows of the Gram matrix are there, how many
    of them were formed because they were needed, how many samples are begun, and of how many. If not `whole`, c = θᵀz.
    Returns whether the diagonal is finite: then θ is, too.
    """
    p, count = theta.shape
    stride = (count + 7) // 8 * 8
    flat, pitch, panels = borrow(theta, 0), count, borrow(shared, 0)
    gram, diagonal = borrow(shared, p * stride), borrow(shared, (p + stride) * stride)
    if panelled or count < 8:
        in_panels(flat, p, count, panels)
    if count < 8:
        flat, pitch = panels, 8
    if whole:
        fill_gram(panels, p, stride, count, ridge, gram)
        for j in range(stride):
            diagonal[j] = gram[j * stride + j]
    else:
        last = pitch - 8 if pitch % 8 else pitch  # the last eight overlap; those before overwrite
        for first, end in ((last, pitch), (0, pitch // 8 * 8)):
            _meet(z, flat, p, pitch, first, end, c, diagonal)
        for j in range(pitch, stride):
            c[j], diagonal[j] = 0.0, 0.0
        for j in range(stride):
            diagonal[j] += ridge
    total = 0.0
    for j in range(stride):
        total += diagonal[j]
        diagonal[stride + j] = 1.0 / diagonal[j] if diagonal[j] > 0.0 else 0.0
        known[j] = whole
    known[stride], known[stride + 1], known[stride + 2] = 0, 1, samples
    return total < np.inf


@apart
def correlate(data, indices, indptr, theta, p, pitch, stride, panels, panelled, first, last, offsets, weights, c):
    """θᵀz of the samples first … last, in rows of `stride`; for Z see `kernel.solve_rows`."""
    rows, done = last - first, 0
    if indptr.size == 0 and panelled and rows >= 8:
        full, seen = 0, 0
        for q in range(first * p, last * p, _SEEN):
            full += data[q] != 0.0
            seen += 1
        if full * _FULL > seen:
            done = rows // 8 * 8
    clear(c, 0, done * stride)
    for begin in range(0, p if done else 0, BLOCK_DEPTH):
        depth = min(BLOCK_DEPTH, p - begin)
        for column in range(0, stride, 16):
            j = column * p + 8 * begin
            for row in range(0, done, 8):
                i, o = (first + row) * p + begin, row * stride + column
                block(c, o, stride, stride - column, data, i, 1, p, panels, j, p, depth)
    for row in range(done, rows):
        n, full = first + row, 0
        if indptr.size:
            for q in range(indptr[n], indptr[n + 1]):
                offsets[full], weights[full] = indices[q] * pitch, -data[q]
                full += 1
        else:
            for k in range(p):
                if data[n * p + k] != 0.0:
                    offsets[full], weights[full] = k * pitch, -data[n * p + k]
                    full += 1
        sum_rows(c, row * stride, theta, pitch, offsets, weights, full)
