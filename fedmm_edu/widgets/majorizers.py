"""Lessons 1 and 2: drag the point of expansion, watch the descent, break MM-1 and MM-2."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.arrays import Array
from fedmm_edu.examples.toy import Toy
from fedmm_edu.figures.families import draw_toy_surrogate, least_gap, least_squares, three_families
from fedmm_edu.figures.majorizers import Scene, draw_majoriser, draw_path
from fedmm_edu.widgets.live import MENU, WIDE, Live


def _slider(scene: Scene, at: float, description: str) -> widgets.FloatSlider:
    step = 0.05 if scene.high - scene.low > 4.0 else 0.025  # ends and starts of all scenes lie on this grid
    return widgets.FloatSlider(at, min=scene.low, max=scene.high, step=step, description=description, **WIDE)


class DragMajoriser:
    """One majoriser: a slider for τ. `next` is T(E_π[S̄(Z, τ)])."""

    def __init__(self, scene: Scene, tau: float) -> None:
        self.scene = scene
        self.tau = _slider(scene, tau, "expansion point τ")
        self.live = Live(self._draw, self.tau, width=7.0, height=4.0)
        self.view = self.live.view

    @property
    def next(self) -> float:
        return self.scene.next(self.tau.value)

    def _draw(self, ax: Axes) -> str:
        tau, goal = self.tau.value, self.next
        before, after = self.scene.objective([tau, goal])
        draw_majoriser(ax, self.scene, tau)
        return f"from τ = {tau:.3f} to T(s) = {goal:.3f}: the objective falls from {before:.4f} to {after:.4f}"


class Descent:
    """MM from a start that can be dragged, with a slider for the number of steps. `path` holds the iterates."""

    def __init__(self, scene: Scene, start: float, steps: int = 3) -> None:
        self.scene = scene
        self.start = _slider(scene, start, "start θ₀")
        self.steps = widgets.IntSlider(steps, 0, 20, description="steps", **WIDE)
        self.live = Live(self._draw, self.start, self.steps, width=7.0, height=4.0)
        self.view = self.live.view

    @property
    def path(self) -> Array:
        return self.scene.path(self.start.value, self.steps.value)

    def _draw(self, ax: Axes) -> str:
        draw_path(ax, self.scene, self.start.value, self.steps.value)
        end = self.path[-1]
        value = self.scene.objective(end)[0]
        return f"after {self.steps.value} steps: θ = {end:.4f}, objective {value:.4f}"


class Families:
    """The three families of Section 2 through the same four lines of code: a menu and a slider for τ."""

    def __init__(self) -> None:
        self.scenes = three_families()
        self.family = widgets.Dropdown(options=list(self.scenes), description="family", **MENU)
        self.tau = widgets.FloatSlider(0.25, min=0.0, max=1.0, step=0.01, description="τ, across the window", **WIDE)
        self.live = Live(self._draw, self.family, self.tau, width=7.0, height=4.0)
        self.view = self.live.view

    @property
    def scene(self) -> Scene:
        return self.scenes[self.family.value]

    @property
    def at(self) -> float:
        """τ itself."""
        return self.scene.low + self.tau.value * (self.scene.high - self.scene.low)

    def _draw(self, ax: Axes) -> str:
        draw_majoriser(ax, self.scene, self.at)
        s = ", ".join(f"{value:.3f}" for value in self.scene.s(self.at))
        return f"s = E[S̄(Z, τ)] = ({s}), T(s) = {self.scene.next(self.at):.3f}"


class StepTooLong:
    """MM-1 that fails: ρ as a multiple of 1/L, and τ. `least_gap` is negative where the surrogate lies below f."""

    def __init__(self) -> None:
        self.ratio = widgets.FloatSlider(1.0, min=0.25, max=4.0, step=0.05, description="ρ L", **WIDE)
        self.tau = _slider(self.scene, -1.0, "expansion point τ")
        self.live = Live(self._draw, self.ratio, self.tau, width=7.0, height=4.0)
        self.view = self.live.view

    @property
    def scene(self) -> Scene:
        return least_squares(self.ratio.value)

    @property
    def least_gap(self) -> float:
        return least_gap(self.scene, self.tau.value)

    def _draw(self, ax: Axes) -> str:
        scene, tau = self.scene, self.tau.value
        draw_majoriser(ax, scene, tau, below=True)
        before, after = scene.objective([tau, scene.next(tau)])
        verdict = "MM-1 holds" if self.least_gap >= -1e-9 else f"MM-1 fails, by {-self.least_gap:.3f} in this window"
        move = "falls" if after <= before else "RISES"
        return f"{verdict}; the step {move} from {before:.3f} to {after:.3f}"


class NoMinimiser:
    """MM-2 that fails: 1/θ + sθ for s that leaves 𝒮. `has_minimiser` says whether s lies in 𝒮."""

    def __init__(self) -> None:
        self.s = widgets.FloatSlider(0.5, min=-0.3, max=1.5, step=0.01, description="surrogate s", **WIDE)
        self.live = Live(self._draw, self.s, width=7.0, height=4.0)
        self.view = self.live.view

    @property
    def has_minimiser(self) -> bool:
        return Toy().contains(np.array([self.s.value]))

    def _draw(self, ax: Axes) -> str:
        s = self.s.value
        draw_toy_surrogate(ax, s)
        if not self.has_minimiser:
            return f"s = {s:.2f} ∉ 𝒮: T(s) does not exist"
        return f"s = {s:.2f} ∈ 𝒮: one minimiser, T(s) = {Toy().T(np.array([s]))[0]:.2f}"
