"""Lesson 3: the mean field by hand, a bias by hand, and the penalties without one."""

from __future__ import annotations

from functools import cache

import numpy as np

from fedmm_edu.examples.quadratic import L1, BoxConstraint, ElasticNet, Quadratic, Ridge, Zero
from fedmm_edu.examples.toy import Toy
from fedmm_edu.figures.spaces import every_batch
from fedmm_edu.surrogate import mean_field, mean_loss
from fedmm_edu.widgets.answers import holding, lacking
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.written import written

_RIDGE = Quadratic(1, 0.5, penalty=Ridge(1.0))
_Z = np.array([[1.0, 1.0], [1.0, 3.0]])
_S = np.array([3.0])


def _h(s: np.ndarray = _S) -> float:
    return float(mean_field(_RIDGE, _Z, s)[0])


field = Exercise(
    asks="h(s) at s = 3, a number",
    solution=_h,
    slips=(
        Slip(
            lambda: float(_RIDGE.mean_S_bar(_Z, _RIDGE.T(_S))[0]),
            "That is E[S̄(Z, T(s))], the next s. h(s) says how far it is from s: subtract s.",
        ),
        Slip(lambda: -_h(), "The sign: h points from s to the next s."),
        Slip(
            lambda: float((_RIDGE.mean_S_bar(_Z, _S) - _S)[0]),
            "You put s into S̄. S̄ takes a parameter: compute T(s) first.",
        ),
        Slip(
            lambda: float((_RIDGE.mean_S_bar(_Z, _RIDGE.T(_S)) - _RIDGE.T(_S))[0]),
            "You subtracted T(s), a point of Θ. h lives in 𝒮: subtract s.",
        ),
    ),
    why="One step of MM in 𝒮 is s + h(s), so a root of h is where MM stands still.",
    nudge="First T(s) = s/(1 + ρλ), then E[S̄] = T(s) − ρ(T(s) − E[y]), then subtract s.",
)


def _bias() -> float:
    return float(every_batch(Toy(), np.array([[1.0], [4.0]]), np.ones(1), 1).bias_in_Theta[0])


def _through_T(value: float) -> float:
    return float(Toy().T(np.array([value]))[0])


bias = Exercise(
    asks="E[T(S)] − T(E[S]) for Z = 1 or 4 with probability ½ each and T(s) = 1/√s, a number",
    solution=_bias,
    slips=(
        Slip(lambda: 0.0, "Zero would be the answer for an affine T. This one bends."),
        Slip(lambda: -_bias(), "The sign: a convex T lifts the mean (Jensen), so E[T(S)] is the larger one."),
        Slip(
            lambda: (_through_T(1.0) + _through_T(4.0)) / 2,
            "That is E[T(S)]. Subtract T(E[S]), what the exact oracle gives.",
        ),
        Slip(lambda: _through_T(2.5), "That is T(E[S]). Subtract it from E[T(S)]."),
    ),
    why="The oracle S is unbiased; T(S) is not. No number of rounds averages this gap away.",
    nudge="T(1) = 1 and T(4) = ½: E[T(S)] is their mean. T(E[S]) is T of the mean of 1 and 4.",
)

PENALTIES = {
    "zero": Zero(),
    "ridge": Ridge(0.5),
    "l1": L1(0.5),
    "elastic net": ElasticNet(0.5, 0.5),
    "box": BoxConstraint(-1.0, 1.0),
}


@cache
def without_bias() -> set[str]:
    """The penalties whose T shows no bias on ten spread samples, one at a time.

    Ten points across all kinks find those with a bias; that zero and ridge have none follows from T(s) = s/(1 + ρλ).
    """
    z = np.column_stack([np.ones(10), np.linspace(-3.0, 4.0, 10) ** 3 / 10.0])
    found = {name: every_batch(Quadratic(1, 1.0, penalty=g), z, np.zeros(1), 1) for name, g in PENALTIES.items()}
    return {name for name, batches in found.items() if abs(batches.bias_in_Theta[0]) < 1e-12}


penalties = Exercise(
    asks="a set of words out of " + ", ".join(repr(name) for name in PENALTIES),
    solution=without_bias,
    slips=(
        Slip(
            lambda: {"zero", "ridge", "l1"},
            "The soft threshold consists of straight pieces, but has kinks between them; batches fall on several.",
            holding("l1", "elastic net"),
        ),
        Slip(
            lambda: {"zero", "ridge", "box"},
            "The projection onto a box is flat outside it: it has kinks.",
            holding("box"),
        ),
        Slip(set, "Two are missing: what is T without a penalty?", lacking("zero", "ridge")),
        Slip(
            lambda: {"zero"},
            "One is missing: which proximal operator only divides s by a constant?",
            lacking("ridge"),
        ),
        Slip(lambda: {"ridge"}, "One is missing: without a penalty T(s) = s, and nothing bends.", lacking("zero")),
    ),
    among=tuple(PENALTIES),
    why="T = s and T = s/(1 + ρλ) are affine. With kinks, some law of S always shows a bias (row ssmm-T-bias).",
)


def _field(y: object, s: float) -> float:
    readings = np.asarray(y, dtype=float)
    return float(mean_field(_RIDGE, np.column_stack([np.ones(len(readings)), readings]), np.array([s]))[0])


own_field = written(
    "a function `h(y, s)`, the mean field for readings y, ρ = ½ and the ridge of exercise 1",
    right=_field,
    inputs=lambda: [([1, 3], 3.0), ([1, 3], 0.0), ([2], 2.0), ([0, 0, 6], -1.5)],
    slips=(
        (lambda y, s: _field(y, s) + s, "This is where the step leads. h is the arrow: subtract s."),
        (lambda y, s: -_field(y, s), "The sign: the arrow points from s to the next s."),
        (lambda y, s: s - 0.5 * (s - np.mean(y)) - s, "You put s into S̄, which takes a parameter: T(s) first."),
    ),
    hints=(
        "Three lines: from s to θ, from θ to the mean of S̄, and the difference.",
        "theta = s / (1 + 1/2); the mean of S̄ is theta − ½ (theta − mean of y).",
        "theta = s / 1.5; return theta - 0.5 * (theta - np.mean(y)) - s",
    ),
    why="Where your function is 0, MM stands still.",
)


def _slope() -> float:
    """The slope of f + g at T(3), by differences: both are quadratic, so these are exact up to rounding."""
    theta = _RIDGE.T(_S)
    above, below = (mean_loss(_RIDGE, _Z, theta + d) + _RIDGE.g(theta + d) for d in (0.5, -0.5))
    return float(above - below)


steep = Exercise(
    asks="the slope of f + g at T(3), a number",
    solution=_slope,
    slips=(
        Slip(lambda: -_slope(), "The sign: h points downhill, so the slope is minus something times h."),
        Slip(lambda: -_h(), "h is measured in 𝒮. Its unit is changed by the slope of φ, 1/ρ = 2."),
        Slip(_h, "That is h(3). Part (ii) of Proposition 1: the slope is −φ′ · h."),
        Slip(lambda: 0.0, "That is f′(2) alone. The penalty has a slope, too, and h knows of both."),
    ),
    why="−φ′ h(3) = −2 · (−1). By hand: f′(2) = 0, and g′(2) = 2.",
    nudge="Part (ii) of Proposition 1: the slope is −φ′ · h(3), with φ′ = 1/ρ.",
)
