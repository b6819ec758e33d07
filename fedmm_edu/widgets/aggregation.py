"""Lessons 0 and 5: aggregation in 𝒮 against aggregation in Θ, for the toy of Section 3.1 and for a mixture."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.arrays import Array
from fedmm_edu.figures import draw_waits, toy_aggregates, toy_aggregation
from fedmm_edu.figures.mixtures import draw_em_paths, draw_samples, em_paths, two_clients
from fedmm_edu.widgets.live import WIDE, Live


class TwoWaits:
    """Lesson 0: how long two clients waited. `gap` is the average of their chances less the chance of both together."""

    def __init__(self) -> None:
        self.first = widgets.IntSlider(2, 1, 20, description="Ann's wait, in throws", **WIDE)
        self.second = widgets.IntSlider(8, 1, 20, description="Ben's wait, in throws", **WIDE)
        self.live = Live(self._draw, self.second, self.first, width=6.5, height=3.8)
        self.view = self.live.view

    @property
    def gap(self) -> float:
        a, b = self.first.value, self.second.value
        return (1.0 / a + 1.0 / b) / 2.0 - 2.0 / (a + b)

    def _draw(self, ax: Axes) -> str:
        a, b = self.first.value, self.second.value
        draw_waits(ax, [a, b])
        together = f"2 successes in {a + b} throws are {2 / (a + b):.4f}; the average of 1/{a} and 1/{b} is "
        return together + f"{(1 / a + 1 / b) / 2:.4f}, which is {self.gap:.4f} more."


class ToyAggregation:
    """Remark 1 with n clients whose means spread around 2, and a weight for the first of them.

    `means` and `mu` say what the sliders stand for; `gap` is Σ μ_i T(s_i) − T(Σ μ_i s_i).
    """

    def __init__(self) -> None:
        self.n = widgets.IntSlider(4, 2, 10, description="clients n", **WIDE)
        self.spread = widgets.FloatSlider(0.8, min=0.0, max=0.95, step=0.05, description="heterogeneity", **WIDE)
        self.first = widgets.FloatSlider(0.25, min=0.05, max=0.95, step=0.05, description="weight of client 1", **WIDE)
        self.live = Live(self._draw, self.n, self.spread, self.first, width=6.5, height=3.8)
        self.view = self.live.view

    @property
    def means(self) -> Array:
        """E_i[Z] of each client."""
        return 2.0 * (1.0 + self.spread.value * np.linspace(-1.0, 1.0, self.n.value))

    @property
    def mu(self) -> Array:
        """The weights μ_i."""
        rest = (1.0 - self.first.value) / (self.n.value - 1)
        return np.array([self.first.value] + [rest] * (self.n.value - 1))

    @property
    def gap(self) -> float:
        """How far averaging parameters ends from the optimum."""
        in_S, in_Theta = toy_aggregates(self.means, self.mu)
        return in_Theta - in_S

    def _draw(self, ax: Axes) -> str:
        in_S, in_Theta = toy_aggregates(self.means, self.mu)
        toy_aggregation(ax, self.means, self.mu)
        text = f"Aggregation in 𝒮 reaches θ<sub>⋆</sub> = {in_S:.4f}; aggregation in Θ reaches {in_Theta:.4f}, "
        return text + f"which is {in_Theta - in_S:.4f} too large."


class MixtureAggregation:
    """EM over two clients, one slider: how unevenly two groups are divided between them.

    `paths` are the means over the rounds in 𝒮 and in Θ; `gap` is the distance between their ends.
    """

    def __init__(self) -> None:
        self.share = widgets.FloatSlider(
            0.9, min=0.5, max=1.0, step=0.05, description="share of group 1 at client 1", **WIDE
        )
        self.live = Live(self._draw, self.share, columns=2, width=4.6, height=3.6)
        self.view = self.live.view

    @property
    def gap(self) -> float:
        return float(np.linalg.norm(self.paths[0][-1] - self.paths[1][-1]))

    def _draw(self, left: Axes, right: Axes) -> str:
        problem, clients = two_clients(self.share.value)
        self.paths = em_paths(problem, clients)
        draw_samples(left, clients)
        draw_em_paths(right, *self.paths)
        ends = [f"({path[-1][0]:.3f}, {path[-1][1]:.3f})" for path in self.paths]
        return f"The means end at {ends[0]} in 𝒮 and at {ends[1]} in Θ, {self.gap:.3f} apart."
