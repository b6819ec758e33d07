"""Lesson 1: one step by hand, the constant that does not matter, and where the descent ends."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import root_scalar

from fedmm_edu.examples.robust import Huber, RobustRegression
from fedmm_edu.figures.families import readings
from fedmm_edu.widgets.answers import Between
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.written import written

SCENE = readings()

_SMALL = np.array([0.0, 1.0, 6.0])
_HUBER = RobustRegression(1, 0.0, Huber(1.0))
_Z = np.column_stack([np.ones(3), _SMALL])
_AT = np.zeros(1)


def _weights() -> np.ndarray:
    return _HUBER.rho.weight(_SMALL - _AT[0])


step = Exercise(
    asks="T(s) for y = (0, 1, 6), Huber's loss with δ = 1 and τ = 0, a number",
    solution=lambda: float(_HUBER.T(_HUBER.mean_S_bar(_Z, _AT))[0]),
    slips=(
        Slip(lambda: float(_SMALL.mean()), "That is the plain mean: you gave every reading the weight 1."),
        Slip(
            lambda: float(np.median(_SMALL)),
            "That is the median, where |r| would lead in the end. One step with Huber's loss is a weighted mean.",
        ),
        Slip(
            lambda: float(_weights() @ _SMALL / len(_SMALL)),
            "You divided by the number of readings. A weighted mean is divided by the sum of its weights.",
        ),
        Slip(
            lambda: float(_weights() @ _SMALL),
            "That is Σ w y, the second statistic times 3. It is still to be divided by Σ w.",
        ),
    ),
    why="T(s) = s₂/s₁ is the mean of the readings with the weights w = 1, 1 and 1/6.",
    nudge="Compute the three weights w = δ/max(|y − τ|, δ) first; then their weighted mean of y.",
)


def _lift(tau: float = 2.0) -> float:
    s = SCENE.s(tau)
    return float(SCENE.objective([tau])[0] - SCENE.surrogate(s, [tau])[0])


lift = Exercise(
    asks="the constant that lifts the surrogate at τ = 2 until it touches the objective, a number",
    solution=_lift,
    slips=(
        Slip(
            lambda: float(SCENE.objective([2.0])[0]),
            "That is the objective at τ. Subtract what the surrogate g + ψ − ⟨s, φ⟩ says there.",
        ),
        Slip(
            lambda: float(SCENE.surrogate(SCENE.s(2.0), [2.0])[0]),
            "That is the surrogate at τ. The lift is what is missing from there to the objective.",
        ),
        Slip(lambda: -_lift(), "The sign: the surrogate is moved up to the objective, not down from it."),
        Slip(
            lambda: float(SCENE.objective([SCENE.next(2.0)])[0] - SCENE.surrogate(SCENE.s(2.0), [SCENE.next(2.0)])[0]),
            "You compared them at T(s). They touch at τ.",
        ),
    ),
    why="Any other constant gives the same minimiser: s decides where to go, the constant only how high the curve is.",
    nudge="Both functions have a value at τ = 2: scene.objective and scene.surrogate give them.",
)


def _end(start: float) -> float:
    return float(SCENE.path(start, 200)[-1])


def _middle() -> float:
    """Halfway between the means of the two groups of readings."""
    y = SCENE.z[:, 1]
    return float((y[:5].mean() + y[5:].mean()) / 2)


@cache
def _top() -> float:
    """The top of the hill: from its left MM ends in the lower valley, from its right in the upper one."""

    def side(start: float) -> float:
        return -1.0 if abs(_end(start) - _end(SCENE.high)) < 1e-3 else 1.0

    return root_scalar(side, bracket=(SCENE.low, SCENE.high), method="bisect", xtol=1e-3).root


start = Exercise(
    asks="a start θ₀ between −2 and 7 from which MM ends in the lower of the two valleys, although the mean of the "
    "three readings on the right (4.6, 5.0, 5.3) is nearer to it than the mean of the five on the left",
    solution=lambda: 2.75,
    accepts=Between(_middle, _top),
    slips=(
        Slip(
            lambda: 4.0,
            "From there MM ends in the upper valley. It goes down, and never climbs over a hill: start on its left.",
            Between(_top, lambda: SCENE.high),
        ),
        Slip(
            lambda: 1.0,
            "MM ends in the lower valley, but your start is nearer to the readings on the left.",
            Between(lambda: SCENE.low, _middle),
        ),
    ),
    nudge="Stay between −2 and 7.",
    why="The top of the hill decides, not the distance to the readings. MM is a descent, so the start matters.",
)


def _huber_step(y: object, tau: float) -> float:
    readings = np.asarray(y, dtype=float)
    z = np.column_stack([np.ones(len(readings)), readings])
    return float(_HUBER.T(_HUBER.mean_S_bar(z, np.array([tau])))[0])


def _weighted(y: object, tau: float) -> tuple[np.ndarray, np.ndarray]:
    readings = np.asarray(y, dtype=float)
    return readings, 1 / np.maximum(abs(readings - tau), 1)


mm_step = written(
    "a function `mm_step(y, tau)` that makes one step of MM with Huber's loss, δ = 1",
    right=_huber_step,
    inputs=lambda: [([0, 1, 6], 0.0), ([0, 1, 6], 1.0), ([2, 2.5, 9], -1.0), ([5], 0.0), ([-3, 0, 4, 8, 8.5], 2.0)],
    slips=(
        (lambda y, tau: np.mean(y), "You gave every reading the weight 1. Far readings count less."),
        (lambda y, tau: np.mean(np.prod(_weighted(y, tau), axis=0)), "That is s₂. T(s) is s₂/s₁."),
        (lambda y, tau: tau, "This stays where it is: T(s) does not begin with τ."),
    ),
    hints=(
        "Which weight has a reading at the distance r from τ? w = 1/max(|r|, 1).",
        "s₁ is the mean of the weights, s₂ the mean of weight times reading; T(s) = s₂/s₁.",
        "w = 1 / np.maximum(abs(y - tau), 1); return (w * y).sum() / w.sum(), with y = np.array(y).",
    ),
    why="A weighted mean of the readings: this is a whole step of MM, and the loop around it is the algorithm.",
)
