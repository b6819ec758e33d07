"""From h to a code, by solves on sign patterns: the short way, from zero, or the sure one, from a start or the path.

The short way: the largest moves of single coefficients, one solve on their pattern, and again. A move of h_j to where
coordinate descent would bring it costs one pass over the atoms, an event of the path many. Most moves find an atom that
the code uses; what they leave, the solve does at once. Nothing says that this arrives, so it has a limit.

The sure way: where signs would turn, go towards the solution until a first coefficient is zero; where the optimality
condition fails, let a sweep of coordinate descent bring the violators in. Each goes downhill, to one of finitely many
patterns. From a start that is near this is the shorter one, too: what it turns, it seldom turns back. It has a limit
there, and ends early where many turn.
"""

from __future__ import annotations

import numpy as np

from fedmm_edu.sparse_coding.inside import large, small
from fedmm_edu.sparse_coding.pattern import leave_null_space, solve_pattern, sweep, take_solution
from fedmm_edu.sparse_coding.products import need_row
from fedmm_edu.sparse_coding.rows import residual
from fedmm_edu.sparse_coding.scan import largest_move, optimality
from fedmm_edu.sparse_coding.work import move_work, path_work, solve_work

_ROUNDING = 8 * 2.0**-52  # a violation below _ROUNDING times the size of the terms is rounding: no use to go on
_SMALL = 0.03  # of λ: a smaller move waits for the solve
_MOVES, _MOVES_EACH = 16, 4  # so many moves, and so many more for each atom in use: beyond, it does not arrive


@small
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


@large
def to_a_code(problem, room, s, sure, share):
    """From h of s atoms to a code: its `optimality` (violation, margin), steps, work, atoms; h is what was certified.

    Without a certificate after `limit` solves, or when only rounding is left, the violation says so. It is infinite,
    and h no code, where the way would cost more than a finite `share` of a path to so many atoms (one solve it may
    have), or where the short way, not `sure`, leads to more atoms than θ has rank. The short way begins at h = w = 0.
    """
    c, h, g, x, w, support, rows = room.c, room.h, room.g, room.x, room.w, room.support, room.rows
    gram, stride, diagonal = problem.gram, problem.stride, problem.diagonal
    bound, steps, work, late = _SMALL * problem.lam, 0, 0.0, False
    while steps < problem.limit and not late:
        if not sure:
            moves, s = _descend(problem, room, s, bound, problem.limit - steps)
            steps += moves
            work += moves * move_work(stride)
            ahead = work + solve_work(s, stride)  # a way that ends here pays for it: it was the next to do
            late = steps > moves and ahead > share * path_work(s, s, stride)
            if late or s > problem.rank or steps >= problem.limit:
                return np.inf, 0.0, steps, ahead, s
        s, rank = solve_pattern(problem, room)
        steps += 1
        cost = solve_work(s, stride)
        work += cost
        budget = share * path_work(s, s, stride)
        late = sure and work + cost > budget
        if rank < s:
            if not sure:
                return np.inf, 0.0, steps, work, s
            leave_null_space(c, h, support, rank, room.u, room.unit, stride + 8, x)
            continue
        hit, step, turned = -1, 1.0, 0
        for i in range(s):
            value = h[support[i]]
            if x[i] * value <= 0.0:
                turned += 1
                if hit < 0 or value / (value - x[i]) < step:
                    hit, step = i, value / (value - x[i])
        if hit < 0:
            worst, margin = take_solution(problem, room, s)
            if worst <= problem.tol:
                return worst, margin, steps, work, s
            if sure:
                size = 0.0
                for j in range(problem.size):
                    size = max(size, abs(c[j]))
                for i in range(s):
                    size += problem.largest * abs(h[support[i]])
                if worst <= _ROUNDING * size:
                    return worst, margin, steps, work, s
                sweep(problem, c, h, g)
                continue
            bound = min(bound, 0.5 * worst)
            for i in range(s):
                w[support[i]] = diagonal[support[i]] * x[i]
        elif sure:
            late = work + turned * cost > budget  # most of them will leave, one at a time
            for i in range(s):
                j = support[i]
                there = h[j] + step * (x[i] - h[j])
                h[j] = there if i != hit and there * h[j] > 0.0 else 0.0 * c[j]  # equal atoms arrive at once
        else:  # all that turn leave at once
            left = 0
            for i in range(s):
                j = support[i]
                h[j] = x[i] if x[i] * h[j] > 0.0 else 0.0 * c[j]
                w[j] = diagonal[j] * h[j]
                x[left], rows[left] = h[j], j * stride
                left += h[j] != 0.0
            s = left
            residual(g, c, stride, gram, rows, x, s)
    if share < np.inf:
        return np.inf, 0.0, steps, work, s
    s = 0
    for j in range(problem.size):
        if h[j] != 0.0:
            need_row(problem, j)
            rows[s], x[s] = j * stride, h[j]
            s += 1
    residual(g, c, stride, gram, rows, x, s)
    worst, margin = optimality(h, g, diagonal, problem.lam, problem.positive, stride // 8)
    return worst, margin, steps, work, s
