"""Lesson 8: Theorem 1 as sliders."""

from __future__ import annotations

import ipywidgets as widgets
from matplotlib.axes import Axes

from fedmm_edu.federation import omega_p
from fedmm_edu.figures.style import PALETTE
from fedmm_edu.figures.theorem import draw_bound
from fedmm_edu.theory import Bound, Constants, bound, largest_gamma, rounds_for
from fedmm_edu.widgets.live import MENU, WIDE, Live


class BoundSliders:
    """Theorem 1 for given constants and initial gap Δ: how the bound moves with γ, p, ω and the number of rounds.

    γ is a share of the largest admissible step, which moves with the others. `gamma`, `together` (ω_p) and `found`
    are the step, the variance factor and the bound that the sliders stand for.
    """

    def __init__(self, constants: Constants, gap: float) -> None:
        self.constants, self.gap = constants, gap
        self.share = widgets.FloatSlider(0.5, min=0.01, max=0.99, step=0.01, description="γ / largest γ", **WIDE)
        self.p = widgets.FloatSlider(0.5, min=0.05, max=1.0, step=0.05, description="participation p", **WIDE)
        self.omega = widgets.FloatSlider(0.0, min=0.0, max=4.0, step=0.1, description="compression ω", **WIDE)
        self.power = widgets.IntSlider(6, 1, 9, description="rounds T = 10^", **WIDE)
        self.version = widgets.Dropdown(options=["sharper", "printed"], description="constants", **MENU)
        controls = self.share, self.p, self.omega, self.power, self.version
        self.live = Live(self._draw, *controls, width=6.5, height=3.8)
        self.view = self.live.view

    @property
    def together(self) -> float:
        return omega_p(self.omega.value, self.p.value)

    @property
    def gamma(self) -> float:
        return self.share.value * largest_gamma(self.constants, self.together, version=self.version.value)

    @property
    def found(self) -> Bound:
        return bound(self.constants, rounds=10**self.power.value, **self._settings)

    @property
    def _settings(self) -> dict:
        return {"gamma": self.gamma, "initial_gap": self.gap, "omega_p": self.together, "version": self.version.value}

    def _draw(self, ax: Axes) -> str:
        draw_bound(ax, self.constants, most_rounds=10**9, **self._settings)
        ax.set_title(r"Theorem 1: the mean of $E[\bar E_t]$ over the rounds is at most", loc="left")
        ax.axvline(10**self.power.value, color=PALETTE["light"], linewidth=1)
        twice = 2.0 * self.found.noise
        rounds = rounds_for(twice, self.constants, **self._settings) if twice else None
        text = f"γ = {self.gamma:.3g}, ω<sub>p</sub> = {self.together:.3g}: "
        text += f"the bound after 10<sup>{self.power.value}</sup> rounds is {self.found.total:.3g}"
        return text + (f"; it comes to twice its noise after {rounds:,} rounds." if rounds else ".")
