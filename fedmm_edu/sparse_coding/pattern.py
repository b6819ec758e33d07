"""Solving on a sign pattern, and moving from one pattern to the next, until the optimality condition holds."""

from __future__ import annotations

import numpy as np
from numba import njit

from fedmm_edu.sparse_coding.lanes import dot, scale1, subtract1, subtract4
from fedmm_edu.sparse_coding.products import need_row
from fedmm_edu.sparse_coding.rows import FAST, residual
from fedmm_edu.sparse_coding.warm import solve_work

SINGULAR = 64 * 2.0**-52  # a pivot below SINGULAR times its diagonal entry is rounding: the atoms are dependent
_ROUNDING = 8 * 2.0**-52  # a violation below _ROUNDING times the size of the terms is rounding: no use to go on


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
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
        k = 0
        while k + 4 <= i:
            o = k * pitch
            f0, f1, f2, f3 = unit[o + i], unit[o + pitch + i], unit[o + 2 * pitch + i], unit[o + 3 * pitch + i]
            shift = o - row
            for m in range(row + first, row + end, 8):
                subtract4(upper, m, upper, shift, shift + pitch, shift + 2 * pitch, shift + 3 * pitch, f0, f1, f2, f3)
            k += 4
        while k < i:
            o = k * pitch
            for m in range(row + first, row + end, 8):
                subtract1(upper, m, upper, o - row, unit[o + i])
            k += 1
        pivot = upper[row + i]
        if not pivot > SINGULAR * diagonal:
            return i
        inverse = 1.0 / pivot
        for m in range(row + first, row + end, 8):
            scale1(unit, m, upper, 0, inverse)
        for m in range(first, i + 1):
            unit[row + m] = 0.0
    return s


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def _back(unit, pitch, n, column, x):
    """Solve Lᵀx = column of `unit`, for the leading n rows; x is zero up to the next multiple of 8."""
    padded = (n + 7) // 8 * 8
    for m in range(padded):
        x[m] = 0.0
    for k in range(n - 1, -1, -1):
        o, first = k * pitch, k // 8 * 8
        x[k] = unit[o + column] - dot(unit, o + first, x, first, (padded - first) // 8)


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def _sweep(problem, h, g):
    """One pass of coordinate descent; g = c − Gh is kept."""
    gram, stride, diagonal, lam, positive = (
        problem.gram, problem.stride, problem.diagonal, problem.lam, problem.positive
    )  # fmt: skip
    for j in range(problem.size):
        old, u = h[j], g[j]
        if old == 0.0 and u <= lam and (positive or u >= -lam):
            continue
        o, inverse = j * stride, 1.0 / diagonal[j] if diagonal[j] > 0.0 else 0.0
        u += diagonal[j] * old
        if u > lam:
            new = (u - lam) * inverse
        elif u < -lam and not positive:
            new = (u + lam) * inverse
        else:
            new = 0.0
        if new != old:
            h[j] = new
            need_row(problem, j)
            for m in range(0, stride, 8):
                subtract1(g, m, gram, o, new - old)


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def _leave_null_space(h, support, r, rhs, unit, pitch, x):
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
        h[support[k]] += step * side * x[k]
    h[support[hit]] = 0.0


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def _violation(h, g, lam, positive, count):
    """max_j of the distance of g_j = −gradient_j to λ∂|h_j| (to its extension by h ≥ 0)."""
    worst = 0.0
    for j in range(count):
        at_zero = (g[j] if positive else abs(g[j])) - lam
        at_sign = abs(g[j] - (lam if h[j] > 0.0 else -lam))
        worst = max(worst, at_zero if h[j] == 0.0 else at_sign)
    return worst


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
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


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def _certify(c, gram, stride, lam, positive, count, tol, h, g, support, rows, s, upper, unit, pitch, x):
    """Take the pattern's solution x into h; its violation, after at most two steps of refinement."""
    violation = np.inf
    for attempt in range(3):
        for i in range(s):
            h[support[i]] = h[support[i]] + x[i] if attempt else x[i]
        for i in range(s):
            x[i] = h[support[i]]
            rows[i] = support[i] * stride
        residual(g, c, stride, gram, rows, x, s)
        on_support = 0.0
        for i in range(s):
            on_support = max(on_support, abs(g[support[i]] - (lam if x[i] > 0.0 else -lam)))
        violation = _violation(h, g, lam, positive, count)
        if on_support <= tol:
            break
        if attempt < 2:
            _refine(c, g, lam, h, support, s, unit, upper, pitch, x)
    return violation


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def polish(problem, room, budget):
    """From h to a certified minimiser; returns (violation, solves, work, atoms). On return h is what was certified.

    Without a certificate after `limit` solves, or when only rounding is left, the violation says so. It is infinite,
    and h no code, where the solves that are left to do would spend more than `budget`.
    """
    gram, stride, count, lam, positive, tol = (
        problem.gram, problem.stride, problem.size, problem.lam, problem.positive, problem.tol
    )  # fmt: skip
    c, h, g, x, rhs, support, rows = room.c, room.h, room.g, room.x, room.u, room.support, room.rows
    upper, unit, pitch = room.upper, room.unit, stride + 8
    biggest, work = 0.0, 0.0
    for j in range(count):
        biggest = max(biggest, abs(c[j]))
    for solves in range(1, problem.limit + 1):
        s = 0
        for j in range(count):
            support[s] = j
            s += h[j] != 0.0
        for i in range(s):
            need_row(problem, support[i])
            rhs[i] = c[support[i]] - (lam if h[support[i]] > 0.0 else -lam)
        cost = solve_work(s, stride)
        if solves > 1 and work + cost > budget:
            return np.inf, solves - 1, work, s
        work += cost
        rank = _factor(gram, stride, support, s, rhs, upper, unit, pitch)
        if rank < s:
            _leave_null_space(h, support, rank, rhs, unit, pitch, x)
            continue
        _back(unit, pitch, s, s, x)
        hit, step, turned = -1, 1.0, 0
        for i in range(s):
            value = h[support[i]]
            if x[i] * value <= 0.0:
                turned += 1
                if hit < 0 or value / (value - x[i]) < step:
                    hit, step = i, value / (value - x[i])
        if hit >= 0:
            if work + turned * cost > budget:
                return np.inf, solves, work, s
            for i in range(s):
                h[support[i]] += step * (x[i] - h[support[i]])
            h[support[hit]] = 0.0
            continue
        violation = _certify(c, gram, stride, lam, positive, count, tol, h, g, support, rows, s, upper, unit, pitch, x)
        size = biggest
        for i in range(s):
            size += problem.largest * abs(h[support[i]])
        if violation <= max(tol, _ROUNDING * size):
            return violation, solves, work, s
        if work + cost > budget:
            return np.inf, solves, work, s
        _sweep(problem, h, g)
    s = 0
    for j in range(count):
        if h[j] != 0.0:
            need_row(problem, j)
            rows[s], x[s] = j * stride, h[j]
            s += 1
    residual(g, c, stride, gram, rows, x, s)
    return _violation(h, g, lam, positive, count), problem.limit, work, s
