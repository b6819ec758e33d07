"""The short way to a code: the largest moves of single coefficients, then one solve on their pattern, and again.

A move of h_j to where coordinate descent would bring it costs one pass over the atoms, an event of the path many. Near
the code most moves find an atom that it uses; what they leave, the solve on the pattern does at once. Nothing says that
this arrives: it is an attempt, with a limit.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fedmm_edu.sparse_coding.pattern import solve_pattern, take_solution
from fedmm_edu.sparse_coding.products import need_row
from fedmm_edu.sparse_coding.rows import FAST, residual
from fedmm_edu.sparse_coding.scan import largest_move
from fedmm_edu.sparse_coding.work import move_work, path_work, solve_work

_SMALL = 0.03  # of λ: a smaller move waits for the solve
_MOVES, _MOVES_EACH = 16, 4  # so many moves, and so many more for each atom in use: beyond, it does not arrive


@njit(fastmath=FAST, error_model="numpy", inline="always")
def _descend(problem, room, s, bound, limit):
    """The largest moves of single coefficients until G_jj times none exceeds `bound`; how many, and how many atoms."""
    g, h, w, gram, stride, lam = room.g, room.h, room.w, problem.gram, problem.stride, problem.lam
    low, moves = -np.inf if problem.positive else -lam, 0
    j = largest_move(g, room.c, 0, 0.0, w, low, lam, stride // 8)
    while moves < min(limit, _MOVES + _MOVES_EACH * s):
        old, ahead = w[j], g[j] + w[j]
        new = ahead - min(max(ahead, low), lam)
        if not abs(new - old) > bound:
            break
        need_row(problem, j)
        inverse = problem.inverse[j]
        w[j], h[j] = new, new * inverse if new != 0.0 else 0.0 * room.c[j]
        s += (new != 0.0) - (old != 0.0)
        j = largest_move(g, gram, j * stride, (new - old) * inverse, w, low, lam, stride // 8)
        moves += 1
    return moves, s


@njit(fastmath=FAST, error_model="numpy")
def pursue(problem, room, s, share):
    """From h of s atoms, with g = c − Gh and w_j = G_jj h_j: (violation, steps, work, atoms), infinite where it failed.

    It fails where it would spend more than `share` of what a path to so many atoms costs; one solve it may have.
    """
    h, x, w, support, rows, diagonal = room.h, room.x, room.w, room.support, room.rows, problem.diagonal
    bound, steps, work, solves = _SMALL * problem.lam, 0, 0.0, 0
    while True:
        if solves > 0 or s == 0:  # a start that is near is solved as it is
            moves, s = _descend(problem, room, s, bound, problem.limit - steps)
            steps += moves
            work += moves * move_work(problem.stride)
        cost = solve_work(s, problem.stride)
        late = solves > 0 and work + cost > share * path_work(s, s, problem.stride)
        if late or s > problem.rank or steps >= problem.limit:
            return np.inf, steps, work, s
        s, rank = solve_pattern(problem, room)
        solves, steps, work = solves + 1, steps + 1, work + cost
        if rank < s:
            return np.inf, steps, work, s
        turned = 0
        for i in range(s):
            turned += x[i] * h[support[i]] <= 0.0
        if turned == 0:
            worst = take_solution(problem, room, s)
            if worst <= problem.tol:
                return worst, steps, work, s
            bound = min(bound, 0.5 * worst)
            for i in range(s):
                w[support[i]] = diagonal[support[i]] * x[i]
        else:
            left = 0
            for i in range(s):
                j = support[i]
                h[j] = x[i] if x[i] * h[j] > 0.0 else 0.0 * room.c[j]
                w[j] = diagonal[j] * h[j]
                x[left], rows[left] = h[j], j * problem.stride
                left += h[j] != 0.0
            s = left
            residual(room.g, room.c, problem.stride, problem.gram, rows, x, s)
