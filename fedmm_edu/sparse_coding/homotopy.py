"""The homotopy: the code as the penalty level falls from max|c| to λ, an event at a time."""

from __future__ import annotations

import numpy as np

from fedmm_edu.sparse_coding.inside import large, small
from fedmm_edu.sparse_coding.lanes import clear, scale, subtract, subtract_rows
from fedmm_edu.sparse_coding.products import need_row
from fedmm_edu.sparse_coding.scan import crossings, largest_move

_DEPENDENT = 1e-12  # a pivot this small beside its diagonal entry is skipped: the updated inverse is less exact


@small
def _border(j, sign, slope, gram, stride, entered, s, m_inverse, pitch, offsets, column, u, d):
    """Border M = (G_AA)⁻¹ by atom j and bring d = Mσ up to date, in O(s²); `slope` = G_jA d.

    With u = (M G_Aj, −1) and rest = G_jj − G_jA M G_Aj: M += uuᵀ/rest and d += u (slope − σ_j)/rest.
    False, and nothing changed, if j depends on the atoms of A.
    """
    padded = (s + 8) // 8 * 8
    clear(u, 0, padded)
    for i in range(s):
        column[i] = -gram[j * stride + entered[i]]
    subtract_rows(u, 0, s, m_inverse, offsets, column, s)
    diagonal = gram[j * stride + j]
    rest = diagonal
    for i in range(s):
        rest += column[i] * u[i]
    if not rest > _DEPENDENT * diagonal:
        return False
    if s % 8 == 0:  # a new block of columns: M and d are zero beyond A
        for i in range(s):
            clear(m_inverse, i * pitch + s, i * pitch + padded)
        clear(d, s, padded)
    clear(m_inverse, s * pitch, s * pitch + padded)
    u[s] = -1.0
    inverse = 1.0 / rest
    for i in range(s + 1):
        subtract(m_inverse, i * pitch, i * pitch + padded, u, -i * pitch, -inverse * u[i])
    subtract(d, 0, padded, u, 0, inverse * (sign - slope))
    return True


@small
def _unborder(i, s, m_inverse, pitch, u, d):
    """Take index i out of M = (G_AA)⁻¹ and of d = Mσ, in O(s²); the last index moves to its place."""
    last, padded = s - 1, (s + 7) // 8 * 8
    scale(u, 0, padded, m_inverse, i * pitch, 1.0)
    inverse = 1.0 / u[i]
    subtract(d, 0, padded, u, 0, inverse * d[i])
    for k in range(s):
        subtract(m_inverse, k * pitch, k * pitch + padded, u, -k * pitch, inverse * u[k])
    for m in range(s):
        m_inverse[i * pitch + m] = m_inverse[last * pitch + m]
    for k in range(s):
        m_inverse[k * pitch + i] = m_inverse[k * pitch + last]
        m_inverse[k * pitch + last] = 0.0
    d[i] = d[last]
    d[last] = 0.0


@small
def _next_event(g, a, level, lam, positive, stride, bar, values, d, s):
    """Length of the step in the level, and its event: −1 end, 0 … s−1 this index leaves, s + j atom j enters."""
    step, event = level - lam, -1
    for i in range(s):
        if d[i] * values[i] < 0.0 and -values[i] / d[i] < step:
            step, event = -values[i] / d[i], i
    for m in range(0, stride, 8):
        if crossings(g, a, bar, m, level, step, positive) == 0:
            continue
        for j in range(m, m + 8):
            ahead = g[j] - step * a[j]
            bound = level - step
            if ahead > bound and bar[j] == 0.0 and 1.0 - a[j] > _DEPENDENT:
                step, event = max((level - g[j]) / (1.0 - a[j]), 0.0), s + j
            elif ahead < -bound and not positive and bar[j] == 0.0 and 1.0 + a[j] > _DEPENDENT:
                step, event = max((level + g[j]) / (1.0 + a[j]), 0.0), s + j
    return step, event


@large
def homotopy(problem, room):
    """h(λ) by the homotopy from h = 0, up to rounding and skipped ties; the numbers of events and of atoms."""
    gram, stride, lam, positive = problem.gram, problem.stride, problem.lam, problem.positive
    c, h, g, values, u, d, a = room.c, room.h, room.g, room.x, room.u, room.d, room.a
    entered, rows, offsets, bar, m_inverse = room.support, room.rows, room.offsets, room.bar, room.upper
    pitch = stride + 8
    scale(g, 0, stride, c, 0, 1.0)
    scale(h, 0, stride, c, 0, 0.0)
    clear(bar, 0, stride)
    clear(values, 0, stride)
    event = largest_move(g, c, 0, 0.0, h, -np.inf if positive else 0.0, 0.0, stride // 8)
    level = g[event] if positive else abs(g[event])
    if not level > lam:
        level, event = lam, -1
    s, events = 0, 0
    while event >= 0 and events < problem.limit:
        events += 1
        if event >= s:
            j = event - s
            need_row(problem, j)
            bar[j] = np.inf
            sign = 1.0 if g[j] > 0.0 else -1.0
            slope = a[j] if s > 0 else 0.0
            if _border(j, sign, slope, gram, stride, entered, s, m_inverse, pitch, offsets, a, u, d):
                entered[s], rows[s], offsets[s], values[s] = j, j * stride, s * pitch, 0.0
                s += 1
            free = -1
        else:
            free = entered[event]
            _unborder(event, s, m_inverse, pitch, u, d)
            s -= 1
            entered[event], rows[event], values[event] = entered[s], rows[s], values[s]
            values[s] = 0.0
            for j in range(stride):  # what depended on A may enter now; the one that left, one step later
                bar[j] = np.inf if j == free else 0.0
            for i in range(s):
                bar[entered[i]] = np.inf
        for i in range(s):
            u[i] = -d[i]
        clear(a, 0, stride)
        subtract_rows(a, 0, stride, gram, rows, u, s)  # a = G_A d: g falls by step · a
        step, event = _next_event(g, a, level, lam, positive, stride, bar, values, d, s)
        subtract(values, 0, s, d, 0, -step)
        subtract(g, 0, stride, a, 0, step)
        level -= step
        if free >= 0:
            bar[free] = 0.0
    for i in range(s):
        h[entered[i]] = values[i]
    return events, s
