"""The Gram matrix θᵀθ, all of it, or rows when they are needed: by blocks that stay in registers, or one by one.

Every entry is summed over the rows of θ in their order, whatever the way, so that its bits do not depend on the way.
For blocks θ is packed in panels: eight columns side by side, so that a block reads memory in one stream. One sample, or
a few, read θ as it is: the last eight of its K columns overlap the eight before.
"""

from __future__ import annotations

import math

import numpy as np

from fedmm_edu.sparse_coding.inside import apart, small
from fedmm_edu.sparse_coding.lanes import (
    LANES,
    borrow,
    clear,
    half_tile1,
    half_tile2,
    scale,
    subtract_rows,
    tile1,
    tile2,
)

BLOCK_DEPTH = 256  # rows of θ at a time: two panels of them stay in the first cache
_ALL = 0.5  # what all rows of the Gram matrix cost in blocks, beside the same rows eight at a time: it is symmetric
_NEAR = 0.4  # of the way from λ to |g_j|: atoms beyond are expected to be needed soon after atom j
_SHALLOW = 16  # rows of θ, up to which a row of the Gram matrix costs less than to look for others


@apart
def in_panels(theta, p, count, panels):
    """`theta` (p, count), flat, in panels: entry (k, 8b + r) stands at (bp + k)·8 + r; zeros beyond `count` columns."""
    whole = count // 8 * 8
    for k in range(p):
        for m in range(0, whole, 8):
            target = m * p + 8 * k
            scale(panels, target, target + 8, theta, k * count + m - target, 1.0)
        if whole < count:
            target = whole * p + 8 * k
            for r in range(8):
                panels[target + r] = theta[k * count + whole + r] if whole + r < count else 0.0


@small
def block(y, o, stride, columns, a, i, step, rise, panels, j, p, depth):
    """Eight rows and up to sixteen columns of a product."""
    if columns >= 16:
        tile2(y, o, stride, a, i, step, rise, panels, j, 8 * p, 8, depth)
    else:
        tile1(y, o, stride, a, i, step, rise, panels, j, 0, 8, depth)


@apart
def fill_gram(panels, p, stride, count, ridge, gram):
    """gram = θᵀθ + ridge·I, flat and padded: blocks on and above the diagonal, then their mirror images."""
    clear(gram, 0, stride * stride)
    for first in range(0, p, BLOCK_DEPTH):
        depth = min(BLOCK_DEPTH, p - first)
        for column in range(0, stride, 16):
            j = column * p + 8 * first
            for row in range(0, min(column + 16, stride), 8):
                i, o = row * p + 8 * first, row * stride + column
                block(gram, o, stride, stride - column, panels, i, 8, 1, panels, j, p, depth)
    for row in range(0, stride, 8):
        for column in range(row + 8, stride, 8):
            for i in range(row, row + 8):
                for j in range(column, column + 8):
                    gram[j * stride + i] = gram[i * stride + j]
    for j in range(count):
        gram[j * stride + j] += ridge


@small
def sum_rows(y, first, theta, count, offsets, weights, n):
    """y[first : + count] = −Σ_i weights[i] θ[offsets[i] : + count], zero beyond, up to a multiple of 8."""
    whole = count // 8 * 8
    clear(y, first, first + count)
    if whole < count:
        subtract_rows(y, first + count - 8, first + count, borrow(theta, count - 8), offsets, weights, n)
        for m in range(first + count - 8, first + whole):
            y[m] = 0.0
    subtract_rows(y, first, first + whole, theta, offsets, weights, n)


@small
def _choose(problem, j, chosen, sizes):
    """Atom j, and those others whose rows are not known and that may enter next: how many, one, or up to four or eight.

    They are those of the largest |g|. Only those beyond _NEAR are counted on; what room they leave is filled,
    as it costs the same. A row of a block costs a third of a row alone.
    """
    known, g, bar, n = problem.known, problem.g, problem.lam, 1
    chosen[0] = j
    for k in range(problem.size):
        size = g[k] if problem.positive else abs(g[k])
        if size > bar and known[k] == 0 and k != j:
            i = min(n, LANES - 1)
            n = i + 1
            while i > 1 and sizes[i - 1] < size:
                chosen[i], sizes[i] = chosen[i - 1], sizes[i - 1]
                i -= 1
            chosen[i], sizes[i] = k, size
            if n == LANES:
                bar = sizes[LANES - 1]
    likely, bar = 1, problem.lam + _NEAR * (abs(g[j]) - problem.lam)
    while likely < n and sizes[likely] > bar:
        likely += 1
    return 1 if likely == 1 else min(n, 4 if likely <= 4 else LANES)


@small
def _several(problem, chosen, n):
    """Rows `chosen` of the Gram matrix, two to eight, in one pass over θ; the first fills what room is left."""
    p, pitch, stride, count, gram = problem.p, problem.pitch, problem.stride, problem.size, problem.gram
    wide = stride + 8  # the last eight columns, which overlap those before, stand behind
    rows = 4 if n <= 4 else 8
    values, sums = np.empty(BLOCK_DEPTH * rows), np.zeros(rows * wide)
    for r in range(n, rows):
        chosen[r] = chosen[0]
    b, width, pace, columns = problem.theta, 8, pitch, count // 8 * 8
    if problem.panelled:
        b, width, pace, columns = problem.panels, 8 * p, 8, stride
    ends = columns if columns >= count else columns + 8
    for first in range(0, p, BLOCK_DEPTH):
        depth = min(BLOCK_DEPTH, p - first)
        for k in range(depth):
            for r in range(rows):
                values[k * rows + r] = problem.theta[(first + k) * pitch + chosen[r]]
        column = 0
        while column < ends:
            j, o = first * pace + column * width // 8, column
            if column >= columns:
                j, o = first * pace + count - 8, stride
            if column + 16 <= columns:
                if rows == 4:
                    half_tile2(sums, o, wide, values, 0, rows, 1, b, j, width, pace, depth)
                else:
                    tile2(sums, o, wide, values, 0, rows, 1, b, j, width, pace, depth)
                column += 16
            else:
                if rows == 4:
                    half_tile1(sums, o, wide, values, 0, rows, 1, b, j, width, pace, depth)
                else:
                    tile1(sums, o, wide, values, 0, rows, 1, b, j, width, pace, depth)
                column += 8
    for r in range(n):
        target, source = chosen[r] * stride, r * wide
        scale(gram, target, target + stride, sums, source - target, 1.0)
        if columns < count:
            scale(gram, target + count - 8, target + count, sums, source + stride - target - count + 8, 1.0)


@apart
def _form_row(problem, j):
    """Row j of the Gram matrix and those that may be needed next, or all: see `shared.share_products` for `known`."""
    p, pitch, stride, count = problem.p, problem.pitch, problem.stride, problem.size
    theta, gram, known = problem.theta, problem.gram, problem.known
    done, begun, samples = known[stride], known[stride + 1], known[stride + 2]
    needed = count * (1.0 - math.exp(-done * samples / (begun * count)))  # in the end, if atoms are drawn at random
    if needed - done > _ALL * count:
        if not problem.panelled:
            in_panels(theta, p, count, problem.panels)
        fill_gram(problem.panels, p, stride, count, problem.ridge, gram)
        for k in range(stride):
            known[k] = 1
        return
    chosen, n = np.empty(LANES, np.int64), 1
    chosen[0] = j
    if p > _SHALLOW:
        n = _choose(problem, j, chosen, np.empty(LANES))
    if n > 1:
        _several(problem, chosen, n)
    else:
        offsets, weights = np.empty(p, np.int64), np.empty(p)
        for k in range(p):
            offsets[k], weights[k] = k * pitch, -theta[k * pitch + j]
        sum_rows(gram, j * stride, theta, pitch, offsets, weights, p)
    for r in range(n):
        k = chosen[r]
        gram[k * stride + k] += problem.ridge
        known[k] = 1
    known[stride] += n


@small
def need_row(problem, j):
    """See that row j of the Gram matrix is there."""
    if problem.known[j] == 0:
        _form_row(problem, j)
