"""The loops of `draws`, `compression` and `oracles` worth compiling; the NumPy versions there give the same bits.

This file imports Numba; `draws.compiled_for` imports this file, for arrays large enough to repay it. One thread: a
draw costs less than waking a second one, and a serial loop may run in a forked process or in any thread.
"""

from __future__ import annotations

from math import copysign

import numpy as np
from numba import njit

_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_HIGH_BITS, _LOW_BITS = np.uint64(21), np.uint64(11)
_UNIT = 2.0**-53


@njit(inline="always")
def _pair(block, client, round, purpose, k0, k1):
    """The two uniforms of one block of Philox4x32-10."""
    x0, x1, x2, x3 = block, client, round, purpose
    for _ in range(10):
        product0, product1 = _M0 * x0, _M1 * x2
        x0, x1, x2, x3 = (
            (product1 >> _SHIFT) ^ x1 ^ k0,
            product1 & _LOW,
            (product0 >> _SHIFT) ^ x3 ^ k1,
            product0 & _LOW,
        )
        k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
    first = ((x0 << _HIGH_BITS) | (x1 >> _LOW_BITS)) * _UNIT
    second = ((x2 << _HIGH_BITS) | (x3 >> _LOW_BITS)) * _UNIT
    return first, second


@njit(cache=True)
def uniforms(size, k0, k1, round, purpose, clients):
    """What `draws.uniforms` returns, shape (len(clients), size)."""
    m, blocks = len(clients), size // 2
    out = np.empty((m, size))
    for i in range(m):
        for b in range(blocks):
            out[i, 2 * b], out[i, 2 * b + 1] = _pair(np.uint64(b), clients[i], round, purpose, k0, k1)
        if size % 2:
            out[i, size - 1] = _pair(np.uint64(blocks), clients[i], round, purpose, k0, k1)[0]
    return out


@njit(cache=True)
def quantize(target, origin, variates, rows, levels, k0, k1, round, purpose, clients):
    """What `UniformQuantization` makes of target[i] − origin − variates[rows[i]], i = 0, 1, …: shape (m, q).

    One pass for the difference and its scale, one for drawing and rounding.
    """
    m, q = target.shape
    out = np.empty((m, q))
    for i in range(m):
        top = 0.0
        for j in range(q):
            out[i, j] = target[i, j] - origin[j] - variates[rows[i], j]
            top = max(top, abs(out[i, j]))
        scale = top / levels
        divisor = scale if scale > 0.0 else 1.0
        for b in range((q + 1) // 2):
            u0, u1 = _pair(np.uint64(b), clients[i], round, purpose, k0, k1)
            out[i, 2 * b] = _round(out[i, 2 * b], divisor, scale, levels, u0)
            if 2 * b + 1 < q:
                out[i, 2 * b + 1] = _round(out[i, 2 * b + 1], divisor, scale, levels, u1)
    return out


@njit(cache=True)
def keep_signs(x, u, norms, block):
    """What `BlockQuantization` makes of the rows of x with the draws u: ±norm with probability |x|/norm, else 0."""
    m, q = x.shape
    out = np.empty((m, q))
    for i in range(m):
        for b in range(norms.shape[1]):
            norm = norms[i, b]
            for j in range(b * block, min((b + 1) * block, q)):
                out[i, j] = copysign(norm, x[i, j]) if u[i, j] * norm < abs(x[i, j]) else 0.0
    return out


@njit(cache=True)
def add_to_rows(variates, rows, gains, messages):
    """variates[rows[i]] += gains[i]·messages[i] for each i."""
    for i in range(len(rows)):
        for j in range(messages.shape[1]):
            variates[rows[i], j] += gains[i] * messages[i, j]


@njit(cache=True)
def pieces(z, starts, sizes, to):
    """Rows starts[i], …, starts[i] + sizes[i] − 1 of z as rows to[i], to[i] + 1, …, for each i: read in this order."""
    p = z.shape[1]
    out = np.empty((sizes.sum(), p))
    numbers, copied = z.ravel(), out.ravel()  # views
    for i in range(len(starts)):
        first, size, place = starts[i] * p, sizes[i] * p, to[i] * p
        piece, here = numbers[first : first + size], copied[place : place + size]
        for j in range(size):  # two thirds of the time that an assignment of the piece takes
            here[j] = piece[j]
    return out


@njit(cache=True)
def subsets(u, sizes):
    """What `oracles.subsets` returns, shape (m, b): each new place is put where it belongs among those before."""
    m, b = u.shape
    out = np.empty((m, b), np.int64)
    for i in range(m):
        for step in range(b):
            k = sizes[i] - b + step
            j = int(u[i, step] * (k + 1))
            at = step
            while at > 0 and out[i, at - 1] > j:
                at -= 1
            if at > 0 and out[i, at - 1] == j:
                j, at = k, step  # k is larger than all before
            for later in range(step, at, -1):
                out[i, later] = out[i, later - 1]
            out[i, at] = j
    return out


@njit(inline="always")
def _round(value, divisor, scale, levels, u):
    unit = min(abs(value) / divisor, levels)
    floor = np.floor(unit)
    magnitude = (floor + (1.0 if u < unit - floor else 0.0)) * scale
    return magnitude if value > 0.0 else -magnitude if value < 0.0 else 0.0
