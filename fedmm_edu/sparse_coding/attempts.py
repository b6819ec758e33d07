"""The code of one row: from its start, by moves from zero, or along the path, which always arrives.

An attempt that fails is lost, so it has a limit. A start that cannot be near is not tried. An attempt ends when it
would spend more than a share of what it may save: a small one, and what the batch has saved. A batch may lose a little
at its beginning; when it has, it tries again only after a share of its rows has paid for it.

Which attempts are made thus depends on the rows before. The codes do not: an attempt counts only where its code is
certainly the only one, to which every way leads; elsewhere the path decides.
"""

from __future__ import annotations

import numpy as np

from fedmm_edu.sparse_coding.homotopy import homotopy
from fedmm_edu.sparse_coding.inside import small
from fedmm_edu.sparse_coding.lanes import LANES, clear, scale
from fedmm_edu.sparse_coding.products import need_row
from fedmm_edu.sparse_coding.rows import residual
from fedmm_edu.sparse_coding.scan import finite, lowest, nonzero, turn_signs
from fedmm_edu.sparse_coding.to_a_code import to_a_code
from fedmm_edu.sparse_coding.work import cold_work, look_work, path_work

_SHARE = 0.9  # of the work that it may save, which an attempt may spend at most,
_FIRST = 0.15  # and which it may spend without savings
_LONGER = 1.6  # a path has so many events for each atom of the code: a start saves them all
RISK = 0.05  # rows' worth of savings for each row of a batch, at its beginning
_EARN = 0.04  # of its work, which a row adds where the batch has lost work
SAVE = 4.0  # rows' worth of savings, which a batch may keep
_TRUST = 2.0  # of them by moves from zero: such a batch has no need of paths, and a start saves less
_NONE, _START, _ZERO, _PATH = range(4)  # from where


@small
def read_start(start, o, count, positive, used, h, support):
    """h and its support, if `used`, from `count` numbers of `start`, o and on: how many, −1 where one is not finite."""
    size, whole = 0, count // LANES * LANES
    for m in range(0, count, LANES):
        if m < whole:
            bits, known = nonzero(start, o + m), finite(start, o + m)
        else:  # the eight would end in the next row
            bits, known = 0, True
            for j in range(m, count):
                bits |= (start[o + j] != 0.0) << (j - m)
                known = known and abs(start[o + j]) < np.inf
        if not known:
            return -1
        while used and bits:
            j = m + lowest(bits)
            bits &= bits - 1
            if not (positive and start[o + j] < 0.0):
                h[j], support[size] = start[o + j], j
                size += 1
    return size


@small
def _near(problem, room, s):
    """Whether the start h, on the support of s atoms, may be near: c − Gh tells on about how many atoms it is wrong.

    These are turned as coordinate descent would turn them: of supports that are near, most become the code's.
    At the code, cᵀh = λ‖h‖₁ + hᵀGh, and no more atoms are needed than θ has rank.
    """
    h, c, g, support, lam, stride = room.h, room.c, room.g, room.support, problem.lam, problem.stride
    if s > problem.rank:
        return False
    fit, size = 0.0, 0.0
    for i in range(s):
        j = support[i]
        room.x[i], room.rows[i] = h[j], j * stride
        fit += c[j] * h[j]
        size += abs(h[j])
    if not fit > lam * size:
        return False
    for i in range(s):
        need_row(problem, support[i])
    residual(g, c, stride, problem.gram, room.rows, room.x, s)
    low = -np.inf if problem.positive else -lam
    wrong = turn_signs(h, g, c, problem.diagonal, problem.inverse, low, lam, stride // 8)
    return 4 * wrong <= s + 4


@small
def solve_row(problem, room, size, purse, faith):
    """From a start h of `size` atoms (or none), w = 0 and c: h becomes the code; violation, steps, savings.

    `purse` is what was saved by starts, `faith` by moves from zero; a negative one makes no attempt.
    """
    total, lost, cold, stride = 0, 0.0, 0.0, problem.stride
    far = min(1000.0 * problem.tol, 0.001 * problem.lam)  # where no atom is nearer to its turn, this is the only code
    attempt, share = _NONE, np.inf
    if size > 0:
        lost = look_work(size, stride)
        if _near(problem, room, size):
            attempt = _START
            share = min(_SHARE, _FIRST + purse) * _LONGER
    while True:
        if attempt == _NONE:
            attempt = _ZERO if faith >= 0.0 else _PATH
        elif attempt == _ZERO:
            attempt = _PATH
        if attempt == _ZERO:
            scale(room.g, 0, stride, room.c, 0, 1.0)
            scale(room.h, 0, stride, room.c, 0, 0.0)
            clear(room.w, 0, stride)
            size, share = 0, min(_SHARE, _FIRST + faith)
        elif attempt == _PATH:
            events, size = homotopy(problem, room)
            total += events
            share = np.inf
            cold += path_work(events, size, stride)
            faith = min(faith + _EARN, max(faith, 0.0))
        worst, margin, steps, work, size = to_a_code(problem, room, size, attempt != _ZERO, share)
        total += steps
        found = attempt == _PATH or (worst <= problem.tol and margin > far)
        if attempt == _START:
            lost += work
            if found:
                return worst, total, min(purse + 1.0 - lost / cold_work(size, stride, faith > _TRUST), SAVE), faith
            attempt = _NONE
            continue
        if attempt == _ZERO:
            cold += work
            faith = min(faith + found - work / path_work(size, size, stride), SAVE)
        if found:
            return worst, total, min(purse + _EARN, max(purse, 0.0)) - lost / cold, faith
