"""Solving on a sign pattern, its optimality condition, and steps to another pattern that go downhill."""

from __future__ import annotations

import numpy as np

from fedmm_edu.sparse_coding.inside import small
from fedmm_edu.sparse_coding.lanes import clear, dot, scale, subtract, subtract_above
from fedmm_edu.sparse_coding.products import need_row
from fedmm_edu.sparse_coding.rows import residual
from fedmm_edu.sparse_coding.scan import lowest, nonzero, optimality

SINGULAR = 64 * 2.0**-52  # a pivot below SINGULAR times its diagonal entry is rounding: the atoms are dependent


@small
def _factor(gram, stride, support, s, rhs, upper, unit, pitch):
    """G_AA = L D Lᵀ: rows of `upper` hold D Lᵀ, rows of `unit` Lᵀ with zeros on and before the diagonal.

    Column s holds L⁻¹rhs in `upper` and D⁻¹L⁻¹rhs in `unit`. Returns s, or the index of a pivot that is rounding.
    """
    end = s + 1
    padded = (end + 7) // 8 * 8
    for i in range(s):
        row, source = i * pitch, support[i] * stride
        for m in range(i, s):
            upper[row + m] = gram[source + support[m]]
        upper[row + s] = rhs[i]
        for m in range(end, padded):
            upper[row + m] = 0.0
    for i in range(s):
        row, first = i * pitch, i // 8 * 8
        diagonal = upper[row + i]
        subtract_above(upper, row + first, row + end, upper, -row, pitch, unit, i, i)
        pivot = upper[row + i]
        if not pivot > SINGULAR * diagonal:
            return i
        inverse = 1.0 / pivot
        scale(unit, row + first, row + end, upper, 0, inverse)
        for m in range(first, i + 1):
            unit[row + m] = 0.0
    return s


@small
def _back(unit, pitch, n, column, x):
    """Solve Lᵀx = column of `unit`, for the leading n rows; x is zero up to the next multiple of 8."""
    padded = (n + 7) // 8 * 8
    clear(x, 0, padded)
    for k in range(n - 1, -1, -1):
        o, first = k * pitch, k // 8 * 8
        x[k] = unit[o + column] - dot(unit, o + first, x, first, (padded - first) // 8)


@small
def sweep(problem, c, h, g):
    """One pass of coordinate descent; g = c − Gh is kept."""
    gram, stride, diagonal, lam, positive = (
        problem.gram, problem.stride, problem.diagonal, problem.lam, problem.positive
    )  # fmt: skip
    for j in range(problem.size):
        old, u = h[j], g[j]
        if old == 0.0 and u <= lam and (positive or u >= -lam):
            continue
        o, inverse = j * stride, problem.inverse[j]
        u += diagonal[j] * old
        if u > lam:
            new = (u - lam) * inverse
        elif u < -lam and not positive:
            new = (u + lam) * inverse
        else:
            new = 0.0 * c[j]
        if new != old:
            h[j] = new
            need_row(problem, j)
            subtract(g, 0, stride, gram, o, new - old)


@small
def leave_null_space(c, h, support, r, rhs, unit, pitch, x):
    """Atom r depends on those before: move along the dependence, downhill, until a first coefficient is zero."""
    _back(unit, pitch, r, r, x)
    slope = rhs[r]
    for k in range(r):
        x[k] = -x[k]
        slope += rhs[k] * x[k]
    x[r] = 1.0
    side = 1.0 if slope >= 0.0 else -1.0
    hit, step = -1, np.inf
    for _ in range(2):
        for k in range(r + 1):
            value, move = h[support[k]], side * x[k]
            if move * value < 0.0 and -value / move < step:
                hit, step = k, -value / move
        if hit >= 0:
            break
        side = -side
    for k in range(r + 1):
        j = support[k]
        there = h[j] + step * side * x[k]
        h[j] = there if k != hit and there * h[j] > 0.0 else 0.0 * c[j]


@small
def _refine(c, g, lam, h, support, s, unit, upper, pitch, x):
    """x += (G_AA)⁻¹ (residual of the pattern's equations at h), with the factors at hand."""
    for i in range(s):
        unit[i * pitch + s] = g[support[i]] - (lam if h[support[i]] > 0.0 else -lam)
    for k in range(s):
        o = k * pitch
        for m in range(k + 1, s):
            unit[m * pitch + s] -= unit[o + s] * unit[o + m]
        unit[o + s] /= upper[o + k]
    _back(unit, pitch, s, s, x)


@small
def solve_pattern(problem, room):
    """G_AA x = c_A − λ sign(h_A) on the support A of h; returns its size and the rank: an index, where one depends."""
    h, support, rhs, lam, pitch = room.h, room.support, room.u, problem.lam, problem.stride + 8
    s = 0
    for m in range(0, problem.stride, 8):
        bits = nonzero(h, m)
        while bits:
            support[s] = m + lowest(bits)
            bits &= bits - 1
            s += 1
    for i in range(s):
        j = support[i]
        need_row(problem, j)
        rhs[i] = room.c[j] - (lam if h[j] > 0.0 else -lam)
    rank = _factor(problem.gram, problem.stride, support, s, rhs, room.upper, room.unit, pitch)
    if rank == s:
        _back(room.unit, pitch, s, s, room.x)
    return s, rank


@small
def take_solution(problem, room, s):
    """Take the pattern's solution x into h, with at most two steps of refinement, and g = c − Gh: its `optimality`."""
    c, h, g, x, support, rows, lam = room.c, room.h, room.g, room.x, room.support, room.rows, problem.lam
    stride, worst, margin = problem.stride, np.inf, 0.0
    for attempt in range(3):
        for i in range(s):
            h[support[i]] = h[support[i]] + x[i] if attempt else x[i]
        for i in range(s):
            x[i] = h[support[i]]
            rows[i] = support[i] * stride
        residual(g, c, stride, problem.gram, rows, x, s)
        worst, margin = optimality(h, g, problem.diagonal, lam, problem.positive, stride // 8)
        if worst <= problem.tol or attempt == 2:
            break
        on_support = 0.0
        for i in range(s):
            on_support = max(on_support, abs(g[support[i]] - (lam if x[i] > 0.0 else -lam)))
        if on_support <= problem.tol:
            break
        _refine(c, g, lam, h, support, s, room.unit, room.upper, stride + 8, x)
    return worst, margin
