"""Lesson 3: MM in both spaces, and oracles before and after T."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.arrays import Array
from fedmm_edu.examples.quadratic import L1, Quadratic, Ridge
from fedmm_edu.examples.toy import Toy
from fedmm_edu.figures.majorizers import Scene, draw_path
from fedmm_edu.figures.spaces import Batches, draw_oracles, draw_plane, every_batch, path_in_S
from fedmm_edu.surrogate import Surrogate, mean_field
from fedmm_edu.widgets.live import MENU, WIDE, Live


class TwoSpaces:
    """MM in 𝒮 = ℝ_{≥0} × ℝ beside its mirror in Θ: sliders for s_0 and for the steps. `path` holds s_0, s_1, …"""

    def __init__(self, scene: Scene, start: tuple[float, float], *, low: tuple, high: tuple, steps: int = 3) -> None:
        self.scene, self.low, self.high = scene, low, high
        sliders = [
            widgets.FloatSlider(at, min=a, max=b, step=0.05, description=f"start, s{'₁₂'[k]}", **WIDE)
            for k, (at, a, b) in enumerate(zip(start, (max(low[0], 0.05), low[1]), high, strict=True))
        ]
        self.first, self.second = sliders
        self.steps = widgets.IntSlider(steps, 0, 20, description="steps", **WIDE)
        self.live = Live(self._draw, *sliders, self.steps, columns=2, width=5.2, height=4.0)
        self.view = self.live.view

    @property
    def start(self) -> Array:
        return np.array([self.first.value, self.second.value])

    @property
    def path(self) -> Array:
        return path_in_S(self.scene, self.start, self.steps.value)

    def _draw(self, left: Axes, right: Axes) -> str:
        draw_plane(left, self.scene, self.start, self.steps.value, low=self.low, high=self.high)
        draw_path(right, self.scene, float(self.scene.problem.T(self.start)[0]), self.steps.value)
        end = self.path[-1]
        length = np.linalg.norm(mean_field(self.scene.problem, self.scene.z, end))
        return f"T(s) = {self.scene.problem.T(end)[0]:.4f}, ‖h(s)‖ = {length:.1e}"


def mappings() -> dict[str, tuple[Surrogate, Array]]:
    """Problems with q = d = 1, each with eight samples: T of Remark 1, a ridge penalty, an ℓ1 penalty."""
    level = np.array([-1.6, -0.9, -0.4, 0.1, 0.3, 0.8, 1.5, 2.4])
    line = np.column_stack([np.ones(8), level])
    return {
        "Remark 1: T(s) = 1/√s": (Toy(), np.array([[0.3], [0.5], [0.8], [1.2], [2.0], [3.0], [5.0], [8.0]])),
        "ridge: T(s) = s/(1 + ρλ)": (Quadratic(1, 1.0, penalty=Ridge(0.5)), line),
        "ℓ1: T is a soft threshold": (Quadratic(1, 1.0, penalty=L1(0.7)), line),
    }


class OracleBias:
    """Every batch of b of eight samples, through T: a menu for T and a slider for b. `batches` holds the numbers."""

    def __init__(self) -> None:
        self.cases = mappings()
        self.case = widgets.Dropdown(options=list(self.cases), description="T", **MENU)
        self.b = widgets.IntSlider(1, 1, 8, description="batch size b", **WIDE)
        self.live = Live(self._draw, self.case, self.b, width=6.5, height=4.0)
        self.view = self.live.view

    @property
    def batches(self) -> Batches:
        problem, z = self.cases[self.case.value]
        return every_batch(problem, z, np.ones(1), self.b.value)

    def _draw(self, ax: Axes) -> str:
        batches = self.batches
        draw_oracles(ax, self.cases[self.case.value][0], batches)
        in_S, in_Theta = _clean(batches.bias_in_S[0]), _clean(batches.bias_in_Theta[0])
        return f"{len(batches.S)} batches: bias in 𝒮 {in_S:.4f}, bias in Θ {in_Theta:.4f}"


def _clean(x: float) -> float:
    """x, without the sign of a zero that is rounding."""
    return 0.0 if abs(x) < 1e-12 else float(x)
