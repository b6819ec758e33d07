"""The picture of Section 3.1: clients' surrogates, their average, and where each aggregation ends."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from fedmm_edu.arrays import as_array, as_weights
from fedmm_edu.examples.toy import Toy
from fedmm_edu.figures.style import PALETTE, labelled


def toy_aggregates(means: ArrayLike, mu: ArrayLike) -> tuple[float, float]:
    """For Remark 1 with client means E_i[Z] and weights μ: (T(Σ μ_i s_i), Σ μ_i T(s_i)).

    >>> toy_aggregates([1.0, 7.0], [0.5, 0.5])[0], toy_aggregates([0.25, 4.0], [0.5, 0.5])[1]
    (0.5, 1.25)
    """
    s = as_array("means", means, shape=(None,))
    weights = as_weights("mu", mu, size=s.size)
    toy = Toy()
    in_S = toy.T(np.array([weights @ s]))[0]
    in_Theta = weights @ np.array([toy.T(np.array([value]))[0] for value in s])
    return float(in_S), float(in_Theta)


def toy_aggregation(ax: Axes, means: ArrayLike, mu: ArrayLike) -> Axes:
    """Draw each client's objective E_i[Z]θ + 1/θ, their average, and the points that the two aggregations reach."""
    s, weights = np.asarray(means, dtype=float), np.asarray(mu, dtype=float)
    in_S, in_Theta = toy_aggregates(s, weights)
    theta = np.linspace(0.15, 2.6, 300)
    for value in s:
        ax.plot(theta, value * theta + 1 / theta, color=PALETTE["light"], linewidth=1)
        ax.plot(value**-0.5, 2 * value**0.5, "|", color=PALETTE["light"], markersize=12)
    pooled = float(weights @ s)
    ax.plot(theta, pooled * theta + 1 / theta, color=PALETTE["reference"], label="average of the clients' objectives")
    for x, key, marker, label in (
        (in_S, "S", "o", rf"aggregate in $\mathcal{{S}}$: {in_S:.3f}, the optimum"),
        (in_Theta, "Theta", "X", rf"aggregate in $\Theta$: {in_Theta:.3f}"),
    ):
        ax.plot(x, pooled * x + 1 / x, marker, color=PALETTE[key], markersize=10, label=label)
    ax.set_xlim(theta[0], theta[-1])
    ax.set_ylim(0, 12)
    return labelled(ax, "grey: one client each, with its own minimiser", r"$\theta$")


def draw_waits(ax: Axes, waits: ArrayLike) -> Axes:
    """Lesson 0: the curve T(s) = 1/s with a point for each client, their average, and the point below it."""
    s = as_array("waits", waits, shape=(None,))
    grid = np.linspace(0.8, max(12.0, 1.1 * float(s.max())), 300)
    middle, chances = float(s.mean()), 1.0 / s
    ax.plot(grid, 1.0 / grid, color=PALETTE["reference"], linewidth=1, label="$T(s) = 1/s$")
    ax.plot(s, chances, color=PALETTE["light"], linewidth=1)
    ax.plot(s, chances, "o", color=PALETTE["light"], markersize=8, label="a client alone")
    ax.plot(middle, chances.mean(), "X", color=PALETTE["Theta"], markersize=10,
            label=f"average of the chances: {chances.mean():.3f}")  # fmt: skip
    ax.plot(middle, 1.0 / middle, "o", color=PALETTE["S"], markersize=10,
            label=f"$T$ of the average wait: {1.0 / middle:.3f}")  # fmt: skip
    return labelled(ax, "chance of a success in one throw", "wait $s$, in throws")
