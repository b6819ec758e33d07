"""Lesson 4: the memory of SA-SSMM, and online EM."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.algorithms import Constant, Harmonic, SqrtDecay
from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.arrays import Array
from fedmm_edu.figures.stochastic import draw_memory, draw_online_em, memory, online_em
from fedmm_edu.widgets.live import MENU, WIDE, Live

RULES = ("constant", "1/t", "√ decay")


def rule(name: str, size: float) -> StepSize:
    """The step-size rule of a menu entry: γ_t = size, 1/t, or β/√(β + t) with β = 1.6·size (β ≤ 1.6 keeps γ_1 ≤ 1)."""
    if name == "1/t":
        return Harmonic()
    return Constant(size) if name == "constant" else SqrtDecay(1.6 * size)


class Memory:
    """How much each past oracle weighs in Ŝ_t: a menu for the rule, sliders for γ and t. `weights` are the numbers."""

    def __init__(self) -> None:
        self.rule = widgets.Dropdown(options=RULES, description="step sizes", **MENU)
        self.gamma = widgets.FloatSlider(0.2, min=0.05, max=1.0, step=0.05, description="γ", **WIDE)
        self.t = widgets.IntSlider(20, 1, 40, description="round t", **WIDE)
        self.live = Live(self._draw, self.rule, self.gamma, self.t, width=6.5, height=3.6)
        self.view = self.live.view

    @property
    def weights(self) -> Array:
        return memory(rule(self.rule.value, self.gamma.value), self.t.value)

    def _draw(self, ax: Axes) -> str:
        draw_memory(ax, rule(self.rule.value, self.gamma.value), self.t.value, self.rule.value)
        return f"weights sum to {self.weights.sum():.3f}; the start keeps {self.weights[0]:.4f}"


class OnlineEM:
    """SA-SSMM on a mixture: the rule, γ, the batch size and the seed. `theta` and `limit` hold what is drawn."""

    def __init__(self, rounds: int = 200) -> None:
        self.rounds = rounds
        self.rule = widgets.Dropdown(options=RULES, description="step sizes", **MENU)
        self.gamma = widgets.FloatSlider(0.2, min=0.05, max=1.0, step=0.05, description="γ", **WIDE)
        self.b = widgets.IntSlider(2, 1, 50, description="batch size b", **WIDE)
        self.seed = widgets.IntSlider(0, 0, 9, description="seed", **WIDE)
        self.live = Live(self._draw, self.rule, self.gamma, self.b, self.seed, width=6.5, height=3.6)
        self.view = self.live.view

    def _draw(self, ax: Axes) -> str:
        steps = rule(self.rule.value, self.gamma.value)
        self.theta, self.limit = online_em(steps, self.b.value, self.rounds, self.seed.value)
        draw_online_em(ax, self.theta, self.limit)
        return f"mean distance to the limit of EM over the last 50 rounds: {self.spread:.3f}"

    @property
    def spread(self) -> float:
        """The mean distance to EM's limit over the last 50 rounds."""
        return float(np.linalg.norm(self.theta[-50:] - self.limit, axis=1).mean())
