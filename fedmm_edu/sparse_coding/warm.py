"""Whether a warm start is worth an attempt, and what work costs.

An attempt that fails is lost, so it has a limit. A start that cannot be near is not tried. An attempt ends when it
would spend more than a share of what the path costs: a small one, and what the batch has saved. A batch may lose a
little at its beginning; when it has, it tries again only after a share of its paths has paid for it.

Which starts are tried thus depends on the rows before. The codes do not: an attempt counts only where its code is
certainly the only one, to which every way leads; elsewhere the path decides.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fedmm_edu.sparse_coding.products import need_row
from fedmm_edu.sparse_coding.rows import FAST, residual

SHARE = 0.9  # of the path's work, which an attempt may spend at most,
FIRST = 0.15  # and which it may spend without savings
RISK = 0.05  # paths' worth of savings for each row of a batch, at its beginning
EARN = 0.04  # of its path, which a row adds where the batch has lost work
SAVE = 4.0  # paths' worth of savings, which a batch may keep


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def look_work(s, stride):
    """`near`, in nanoseconds of one machine, to which this and the next two were fitted: ratios are what counts."""
    return s * stride / 16.0 + 0.7 * stride + 20.0


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def solve_work(s, stride):
    """One solve on a pattern of s atoms, with its test of optimality."""
    return s * s * (s + 12.0) / 60.0 + s * stride / 20.0 + stride + 36.0 * s + 20.0


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def path_work(events, s, stride):
    """A path of so many events to a pattern of s atoms, and the solve at its end."""
    return events * (s * s / 12.5 + s * stride / 23.0 + 0.55 * stride + 5.0 * s + 50.0) + solve_work(s, stride)


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def near(problem, room, s):
    """Whether the start h, on the support of s atoms, may be near: c − Gh tells on about how many atoms it is wrong.

    At the code, cᵀh = λ‖h‖₁ + hᵀGh, and no more atoms are needed than θ has rank.
    """
    h, c, g, support, lam, stride = room.h, room.c, room.g, room.support, problem.lam, problem.stride
    if s > problem.rank:
        return False
    fit, size = 0.0, 0.0
    for j in range(problem.size):
        fit += c[j] * h[j]
        size += abs(h[j])
    if not fit > lam * size:
        return False
    for i in range(s):
        need_row(problem, support[i])
        room.x[i], room.rows[i] = h[support[i]], support[i] * stride
    residual(g, c, stride, problem.gram, room.rows, room.x, s)
    wrong, lowest = 0, -np.inf if problem.positive else -lam
    for j in range(problem.size):
        ahead = g[j] + problem.diagonal[j] * h[j]  # where the coordinate alone would go, times G_jj
        sign, turned = (h[j] > 0.0) - (h[j] < 0.0), (ahead > lam) - (ahead < lowest)
        wrong += sign != turned
    return 4 * wrong <= s + 4


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def isolated(problem, room):
    """Whether h is certainly the only code: no other atom near the level, none of its (independent) atoms near 0."""
    h, g, lam, positive = room.h, room.g, problem.lam, problem.positive
    margin = min(1000.0 * problem.tol, 0.001 * lam)
    close = 0
    for j in range(problem.size):
        size, level = abs(h[j]) * problem.diagonal[j], g[j] if positive else abs(g[j])
        close += (size if size > 0.0 else lam - level) <= margin
    return close == 0
