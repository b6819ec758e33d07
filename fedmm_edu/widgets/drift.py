"""Lesson 12: local steps in the plane, and where they end."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.arrays import Array
from fedmm_edu.figures import Curve, compare
from fedmm_edu.relatives import Tuning, relatives
from fedmm_edu.widgets.bowls import BENDS, MINIMA, plane, travelled
from fedmm_edu.widgets.live import WIDE, Live


class LocalDrift:
    """FedAvg and SCAFFOLD with K local steps of size η in the plane, from one point, for 40 rounds.

    `end` is where the equation Σ μ_i Q_i ∇f_i = 0 says that FedAvg ends; `paths` are those of the two.
    """

    def __init__(self, steps: int = 5, eta: float = 0.25) -> None:
        self.steps = widgets.IntSlider(steps, 1, 40, description="local steps K", **WIDE)
        self.eta = widgets.FloatSlider(eta, min=0.05, max=0.5, step=0.05, description="local step size η", **WIDE)
        self.live = Live(self._draw, self.steps, self.eta, width=6.0, height=4.2)
        self.view = self.live.view

    @property
    def tuning(self) -> Tuning:
        return Tuning(eta=self.eta.value, steps=self.steps.value)

    @property
    def end(self) -> Array:
        Q = relatives()["fedavg"].ends.Q
        assert Q is not None
        moved = np.array([np.diag(Q(np.diag(bend), self.tuning)) for bend in BENDS]) * BENDS
        return (moved * MINIMA).sum(axis=0) / moved.sum(axis=0)

    @property
    def paths(self) -> dict[str, Array]:
        return {key: travelled(relatives()[key], self.tuning, 40) for key in ("fedavg", "scaffold")}

    def _draw(self, ax: Axes) -> str:
        (x, y), (u, v) = (path.T for path in self.paths.values())
        compare(ax, [Curve(x, y, "FedAvg", "Theta"), Curve(u, v, "SCAFFOLD", "other")], title="40 rounds in the plane",
                xlabel=r"$\theta_1$")  # fmt: skip
        best, mean, end = plane()[2], MINIMA.mean(axis=0), self.end
        for point, mark, label in (
            (best, "*", "optimum"),
            (mean, "s", "mean of the minima"),
            (end, "x", "the equation"),
        ):
            ax.plot(*point, mark, color="black", markersize=9, label=label)
        ax.set_ylabel(r"$\theta_2$")
        ax.legend(frameon=False, fontsize=9)
        far = np.linalg.norm(end - best)
        return (
            f"FedAvg ends at ({end[0]:.4f}, {end[1]:.4f}), {far:.4f} from the optimum; 40 rounds of it stop "
            f"{np.linalg.norm(self.paths['fedavg'][-1] - end):.1e} short. SCAFFOLD is "
            f"{np.linalg.norm(self.paths['scaffold'][-1] - best):.1e} from the optimum."
        )
