"""Sliders for the picture of Section 3.1."""

from __future__ import annotations

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display

from fedmm_edu.errors import Array
from fedmm_edu.figures import panels, toy_aggregates, toy_aggregation


class ToyAggregation:
    """Remark 1 with n clients whose means spread around 2, and a weight for the first of them.

    `view` is the widget to display; `means` and `mu` say what the sliders stand for; `gap` is
    Σ μ_i T(s_i) − T(Σ μ_i s_i).
    """

    def __init__(self) -> None:
        wide = {"style": {"description_width": "11em"}, "layout": {"width": "34em"}}
        self.n = widgets.IntSlider(4, 2, 10, description="clients n", **wide)
        self.spread = widgets.FloatSlider(0.8, min=0.0, max=0.95, step=0.05, description="heterogeneity", **wide)
        self.first = widgets.FloatSlider(0.25, min=0.05, max=0.95, step=0.05, description="weight of client 1", **wide)
        self.text = widgets.HTML()
        self._picture = widgets.Output()
        self.view = widgets.VBox([self.n, self.spread, self.first, self.text, self._picture])
        for slider in (self.n, self.spread, self.first):
            slider.observe(self._redraw, names="value")
        self._redraw()

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

    def _redraw(self, change: object = None) -> None:
        in_S, in_Theta = toy_aggregates(self.means, self.mu)
        self.text.value = (
            f"Aggregation in 𝒮 reaches θ⋆ = {in_S:.4f}; aggregation in Θ reaches {in_Theta:.4f}, "
            f"which is {in_Theta - in_S:.4f} too large."
        )
        figure, (ax,) = panels(1, width=6.5, height=3.8)
        toy_aggregation(ax, self.means, self.mu)
        with self._picture:
            self._picture.clear_output(wait=True)
            display(figure)
        plt.close(figure)
