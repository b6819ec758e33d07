"""Lesson 5: both aggregates by hand, the worst weights, a threshold, a mean of means, and where both agree."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import minimize_scalar

from fedmm_edu.examples.mixture import GaussianMeans
from fedmm_edu.examples.quadratic import L1, BoxConstraint, Quadratic, Ridge, Zero
from fedmm_edu.figures import toy_aggregates
from fedmm_edu.widgets.answers import holding, lacking
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.written import written

_MEANS, _MU = (1.0, 9.0), (0.75, 0.25)

both = Exercise(
    asks="what aggregation in Θ gives, a number",
    solution=lambda: toy_aggregates(_MEANS, _MU)[1],
    slips=(
        Slip(lambda: toy_aggregates(_MEANS, _MU)[0], "That is aggregation in 𝒮, T(¾·1 + ¼·9) = T(3)."),
        Slip(lambda: toy_aggregates(_MEANS, (0.5, 0.5))[1], "The weights are ¾ and ¼."),
        Slip(lambda: toy_aggregates(_MEANS, _MU[::-1])[1], "You gave client 2 the weight ¾."),
    ),
    why="¾·1 + ¼·⅓ = ⅚, while the optimum is 1/√3 = 0.577.",
    nudge="Each client alone finds 1/√m. Then average with the weights.",
)


def _gap(weight: float) -> float:
    in_S, in_Theta = toy_aggregates(_MEANS, (weight, 1.0 - weight))
    return in_Theta - in_S


def _worst() -> float:
    return float(minimize_scalar(lambda w: -_gap(w), bounds=(0.0, 1.0), method="bounded").x)


worst = Exercise(
    asks="the weight μ of the first client, a number between 0 and 1",
    solution=_worst,
    slips=(
        Slip(lambda: 0.5, "At ½ the gap is large, but not largest: T bends more where s is small."),
        Slip(lambda: 1.0 - _worst(), "That is the weight of the second client, the one with the mean 9."),
        Slip(lambda: 1.0, "With one client alone there is no gap."),
        Slip(lambda: 0.0, "With one client alone there is no gap, whichever it is."),
    ),
    why="⅔ − 4(9 − 8μ)^(−3/2) vanishes at 9 − 8μ = 6^(2/3).",
    nudge="The gap is μ + (1 − μ)/3 − 1/√(9 − 8μ). Set its derivative in μ to 0, or draw it.",
    tolerance=5e-3,
)

_LASSO, _CLIENTS = Quadratic(1, 1.0, penalty=L1(1.0)), np.array([[2.0], [-0.5]])


def _thresholded(s: np.ndarray) -> float:
    return float(_LASSO.T(s)[0])


threshold = Exercise(
    asks="the coefficient after aggregation in Θ, a number",
    solution=lambda: float(np.mean([_thresholded(s) for s in _CLIENTS])),
    slips=(
        Slip(
            lambda: _thresholded(_CLIENTS.mean(axis=0)),
            "That is aggregation in 𝒮, T(¾): a true zero. In Θ each client thresholds first.",
        ),
        Slip(lambda: float(_CLIENTS.mean()), "Each client applies T before it sends."),
        Slip(lambda: _thresholded(_CLIENTS[0]), "That is what client 1 sends. Client 2 sends a zero."),
    ),
    why="(1 + 0)/2 = ½. The zero of client 2 is lost; in 𝒮 the average is small, and T makes it zero.",
    nudge="T(s) = sign(s) · max(|s| − 1, 0), client by client; then the mean.",
)

_MIX = GaussianMeans([0.5, 0.5], [[[1.0]], [[1.0]]], lam=1e-9)
_STATISTICS = np.array([[0.9 * 1.0, 0.1 * 4.0, 0.9, 0.1], [0.1 * 5.0, 0.9 * 4.0, 0.1, 0.9]])
"""(s_1 of both groups, s_2 of both groups) of two clients: how much of each group, and its mean there."""

group = Exercise(
    asks="the mean of group 1 after aggregation in 𝒮, a number",
    solution=lambda: float(_MIX.T(_STATISTICS.mean(axis=0))[0]),
    slips=(
        Slip(
            lambda: float(_MIX.Ts(_STATISTICS)[:, 0].mean()),
            "That is the mean of the two means, aggregation in Θ. Client 2 has seen group 1 nine times less often.",
        ),
        Slip(
            lambda: float(_STATISTICS[:, 0].mean()),
            "That is the averaged s₁ = E[r Z]: divide by s₂ = E[r], averaged.",
        ),
        Slip(lambda: float(_MIX.T(_STATISTICS[1])[0]), "That is what client 2 sees alone."),
    ),
    why="(0.9·1 + 0.1·5)/(0.9 + 0.1): a client counts as much as it has seen.",
    nudge="Average E[r Z] and E[r] over the clients; then divide.",
)

PENALTIES = {"none": Zero(), "ridge": Ridge(0.5), "l1": L1(0.5), "box": BoxConstraint(-1.0, 1.0)}


@cache
def agreeing() -> set[str]:
    """The penalties with T(½(a + b)) = ½(T(a) + T(b)) for all pairs of a grid across their kinks.

    That none and ridge agree everywhere follows from T(s) = s/(1 + ρλ) (row own-aggr-Theta-when).
    """
    grid = np.linspace(-3.0, 3.0, 13)[:, None]
    found = set()
    for name, penalty in PENALTIES.items():
        T = Quadratic(1, 1.0, penalty=penalty).T
        gaps = [abs(float((T((a + b) / 2) - (T(a) + T(b)) / 2)[0])) for a in grid for b in grid]
        if max(gaps) < 1e-12:
            found.add(name)
    return found


agree = Exercise(
    asks="a set of words out of " + ", ".join(repr(name) for name in PENALTIES),
    solution=agreeing,
    slips=(
        Slip(lambda: {"none", "ridge", "l1"}, "Exercise 3 was a counterexample for l1.", holding("l1")),
        Slip(
            lambda: {"none", "ridge", "box"}, "A box has kinks: put one client inside and one outside.", holding("box")
        ),
        Slip(set, "There are two. What is T without a penalty?", lacking("none", "ridge")),
        Slip(lambda: {"none"}, "One more: which penalty only divides s by a constant?", lacking("ridge")),
        Slip(lambda: {"ridge"}, "One more: without a penalty T(s) = s, and both average the same.", lacking("none")),
    ),
    among=tuple(PENALTIES),
    why="T(s) = s/(1 + ρλ) is linear. For any other T some clients disagree (row own-aggr-Theta-when).",
    nudge="Is the proximal operator a straight line?",
)


def _soft(s: float, lam: float) -> float:
    return float(Quadratic(1, 1.0, penalty=L1(lam)).T(np.array([s]))[0])


server = written(
    "a function `server(s, mu, lam)`: what the server answers when clients send s with weights mu, g = λ|θ|, ρ = 1",
    right=lambda s, mu, lam: _soft(float(np.dot(mu, s)), lam),
    inputs=lambda: [
        ([2, -0.5], [0.5, 0.5], 1.0),
        ([2, 4], [0.5, 0.5], 1.0),
        ([-3, 1], [0.75, 0.25], 0.5),
        ([2, 0, 7], [0.2, 0.5, 0.3], 0.0),
    ],
    slips=(
        (
            lambda s, mu, lam: sum(m * _soft(float(x), lam) for m, x in zip(mu, s, strict=True)),
            "You threshold before you average: aggregation in Θ.",
        ),
        (lambda s, mu, lam: float(np.dot(mu, s)), "The average of s is no parameter yet: apply T."),
        (lambda s, mu, lam: _soft(float(np.mean(s)), lam), "The clients have weights."),
        (lambda s, mu, lam: max(abs(float(np.dot(mu, s))) - lam, 0.0), "The sign is lost: T(−3) is negative."),
    ),
    hints=(
        "Two lines: average what was sent, then T, once.",
        "T(a) = sign(a) · max(|a| − λ, 0).",
        "a = np.dot(mu, s); return np.sign(a) * max(abs(a) - lam, 0)",
    ),
    why="Aggregate in 𝒮, then minimise once.",
)
