"""Lesson 10: a map between Gaussians, an inverse, a score by hand, how large λ must be, and what one map can do."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import linear_sum_assignment, root_scalar

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.transport import ICNN, TransportProblem, gaussians, log_sum_exp
from fedmm_edu.transport.score import l2_uvp
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.written import written

PAIR = gaussians([0.0], [[1.0]], [3.0], [[4.0]])
"""From N(0, 1) to N(3, 4): a variance of 4, a standard deviation of 2."""


def _image(x: float) -> float:
    return float(PAIR.T(np.array([[x]]))[0, 0])


image = Exercise(
    asks="where the optimal map sends x = 1, a number",
    solution=lambda: _image(1.0),
    slips=(
        Slip(lambda: 2.0 * _image(0.0) - _image(1.0), "x ↦ 3 − 2x has the right law, too, but its paths cross."),
        Slip(lambda: 3.0 + 4.0 * 1.0, "Stretch by the ratio of standard deviations, not of variances."),
        Slip(lambda: _image(1.0) - _image(0.0), "Now the mean: Q has the mean 3."),
        Slip(lambda: _image(0.0), "That is the image of the mean of P, x = 0."),
    ),
    why="x ↦ 3 + 2x is increasing, the derivative of the convex x² + 3x, and has the law Q.",
    nudge="Between Gaussians on a line the map is m_Q + (σ_Q/σ_P)(x − m_P).",
)


def _slope(x: float) -> float:
    """∇f of f(x) = 2x²."""
    return 4.0 * x


inverse = Exercise(
    asks="∇f_θ(1) when f_ω(x) = 2x² and f_θ is its conjugate, a number",
    solution=lambda: root_scalar(lambda x: _slope(x) - 1.0, bracket=(-10.0, 10.0), method="bisect").root,
    slips=(
        Slip(lambda: _slope(1.0), "That is ∇f_ω(1). The gradient of the conjugate goes back."),
        Slip(lambda: 1.0 / 8.0, "That is f^c(1) = 1²/8, the conjugate itself. Its derivative is asked for."),
        Slip(lambda: 1.0 / 2.0, "∇f_ω(x) = 4x, not 2x."),
    ),
    why="∇f^c is the inverse of ∇f: which x has 4x = 1? R_Q measures how far the two networks are from that.",
    nudge="∇f_θ is the inverse of ∇f_ω. Which x has ∇f_ω(x) = 1?",
)


def _identity_scores() -> float:
    x = np.array([[-1.0], [1.0]])  # mean 0 and variance 1, as P
    return l2_uvp(x, 2.0 * x, np.array([[4.0]]))


uvp = Exercise(
    asks="the L2-UVP of the identity, in percent, a number",
    solution=_identity_scores,
    slips=(
        Slip(lambda: 100.0, "That is the score of the best constant map."),
        Slip(lambda: _identity_scores() * 2.0, "Divide by the variance of Q, 4, not by its standard deviation."),
        Slip(lambda: _identity_scores() / 100.0, "In percent."),
    ),
    why="E|X − 2X|² = 1, and Var(Q) = 4.",
    nudge="100 · E|m(X) − m⋆(X)|² / Var(Q), with m the identity and m⋆(x) = 2x.",
)


def least_lambda(kappa: float) -> float:
    """The λ from which on the printed joint minimum is not refused (row ot-regulariser), by asking the package."""
    network, target = ICNN(1, (2, 2, 2), kappa=kappa), np.zeros((1, 1))

    def allowed(lam: float) -> float:
        try:
            TransportProblem(network, target, lam=lam, reading="printed")
        except InvalidInput:
            return -1.0
        return 1.0

    return root_scalar(allowed, bracket=(0.0, 1e3), method="bisect", xtol=1e-9).root


lam = Exercise(
    asks="the bound that λ must exceed for κ = ¼, a number",
    solution=lambda: least_lambda(0.25),
    slips=(
        Slip(lambda: least_lambda(0.25) / 2.0, "1/(2κ) with κ = ¼ is not 1."),
        Slip(lambda: 0.5 * 0.25, "1/(2κ), not κ/2: weakly convex potentials need a *large* λ."),
        Slip(lambda: 4.0, "That is 1/κ. One half of it is enough."),
    ),
    why="λ > 1/(2κ). For the benchmark's κ = 1e-4 that would be 5000: the package takes the reading min max.",
    nudge="The row ot-regulariser has the condition, with β for κ.",
)


@cache
def whose() -> str:
    """Whose samples the known map of the lesson sends onto Q, judged by the mean of Q alone; two clients, cut at 0."""
    pair = log_sum_exp(2)
    x = pair.sample(4000, 0)
    left = x[:, 0] < 0.0

    def lands(part: Array) -> bool:
        return bool(np.linalg.norm(pair.T(part).mean(axis=0) - pair.mean_Q) < 0.1)

    if lands(x[left]) and lands(x[~left]):
        return "each"
    return "mixture" if lands(x) else "none"


onto = Exercise(
    asks="'mixture', 'each' or 'none', a word between quotes",
    solution=whose,
    slips=(
        Slip(lambda: "each", "So says Section 7.1. But look at the first figure: each colour lands in a part of Q."),
        Slip(lambda: "none", "All samples together do land on Q: that is what is learned."),
    ),
    why="One map cannot send different laws onto one Q, unless it forgets where it came from (row ot-single-map).",
    among=("mixture", "each", "none"),
)


def _matched(x: object, y: object) -> Array:
    points, targets = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    rows, columns = linear_sum_assignment((points[:, None] - targets[None]) ** 2)
    return targets[columns[np.argsort(rows)]]


match = written(
    "a function `match(x, y)` that gives, for points x on a line, the target of each, with the least squared distances",
    right=_matched,
    inputs=lambda: [([0.0, 1.0], [5.0, 3.0]), ([2.0, 0.0, 1.0], [10.0, 30.0, 20.0]), ([1.0, -1.0], [0.0, 9.0]),
                    ([3.0, 1.0, 2.0, 0.0], [0.0, 9.0, 3.0, 1.0])],
    slips=(
        (lambda x, y: y, "Two paths cross: exchange their targets, and it costs less."),
        (lambda x, y: sorted(y), "The targets are in order; the points need not be. Who is the smallest of x?"),
        (lambda x, y: np.sort(y)[::-1][np.argsort(np.argsort(x))], "Every two paths cross: the other way round."),
    ),
    hints=("Crossing never pays. Which order do the targets have?", "The smallest x goes to the smallest y.",
           "np.sort(y)[np.argsort(np.argsort(x))]"),
    why="On a line the best map is increasing: the derivative of a convex function.",
)  # fmt: skip
