"""Pictures of the site that no lesson draws: the still one of the first page, and one for each example."""

from __future__ import annotations

import io
import logging
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from fedmm_edu.examples import Example, examples
from fedmm_edu.federation import Clients
from fedmm_edu.figures import panels
from fedmm_edu.figures.aggregation import toy_aggregation
from fedmm_edu.figures.style import PALETTE, save_png
from fedmm_edu.files import write_bytes
from fedmm_edu.surrogate import objective, surrogate_value

mpl.use("Agg")
logging.getLogger("matplotlib.mathtext").setLevel(logging.WARNING)  # each substituted letter is a line otherwise


def make_pictures(folder: Path) -> None:
    """Write all pictures into `folder`."""
    save_png(idea(), folder / "idea.png", dpi=90)
    save_icon(folder / "favicon.ico")
    for example in examples():
        save_png(majorised(example), folder / f"{example.name}.png")


def save_icon(path: Path) -> None:
    """A majoriser that touches its curve, in the size of a tab."""
    buffer, x = io.BytesIO(), np.linspace(-1.0, 1.0, 50)
    figure = Figure(figsize=(1, 1), dpi=64)
    ax = figure.add_axes((0.02, 0.02, 0.96, 0.96))
    ax.set_axis_off()
    ax.plot(x, 0.5 * x**2, color=PALETTE["reference"], linewidth=7)
    ax.plot(x, 1.6 * x**2, color=PALETTE["S"], linewidth=7)
    ax.plot(0.0, 0.0, "o", color=PALETTE["Theta"], markersize=15)
    figure.savefig(buffer, format="png", transparent=True)
    icon = io.BytesIO()
    Image.open(buffer).save(icon, "ICO", sizes=[(64, 64), (32, 32), (16, 16)])
    write_bytes(path, icon.getvalue())


def idea() -> Figure:
    """Two clients of Remark 1 that differ: their surrogates, the average, its minimiser, the average of minimisers."""
    figure, (ax,) = panels(1, width=7.2, height=4.0)
    toy_aggregation(ax, [0.2, 4.8], [0.5, 0.5])
    ax.set_title("two clients (grey) and the average of their surrogates (black)", loc="left", size=11)
    return figure


def majorised(example: Example) -> Figure:
    """The objective of the example's first case along the line from a point τ through the next point of MM."""
    figure, (ax,) = panels(1, width=6.0, height=3.6)
    case, rng = next(iter(example.cases.values())), np.random.default_rng(0)
    clients = Clients.of([case.draw_z(rng, 30)])
    problem, tau = case.problem(clients), case.draw_theta(rng)
    s = problem.mean_S_bar(clients.z, tau)
    goal = problem.T(s)
    steps = np.array([t for t in np.linspace(-0.6, 2.2, 141) if problem.Theta.contains(tau + t * (goal - tau))])
    points = [tau + t * (goal - tau) for t in steps]
    curve = np.array([objective(problem, clients.z, theta) for theta in points])
    lift = objective(problem, clients.z, tau) - surrogate_value(problem, tau, s)
    upper = np.array([surrogate_value(problem, theta, s) for theta in points]) + lift
    _draw(ax, steps, curve, upper)
    at = [objective(problem, clients.z, theta) for theta in (tau, goal)]
    ax.plot(0.0, at[0], "o", color=PALETTE["S"], markersize=9, label=r"touches at $\tau$")
    ax.plot(1.0, at[1], "D", color=PALETTE["Theta"], markersize=8, label="objective at the next point")
    ax.legend(frameon=False, fontsize=9)
    return figure


def _draw(ax: Axes, steps: np.ndarray, curve: np.ndarray, upper: np.ndarray) -> None:
    ax.plot(steps, curve, color=PALETTE["reference"], label="objective $f + g$")
    ax.plot(steps, upper, "--", color=PALETTE["S"], label=r"majoriser at $\tau$")
    ax.set_xlabel(r"$0$: $\tau$;  $1$: the minimiser of the majoriser")
    room = float(np.ptp(curve)) or 1.0
    ax.set_ylim(float(curve.min()) - 0.15 * room, float(curve.max()) + 0.35 * room)
