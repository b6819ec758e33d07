"""Pictures of Theorem 1: its bound and three terms over rounds, and how far runs stay below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.figures.style import PALETTE, labelled
from fedmm_edu.theory import Constants, bound


def draw_bound(ax: Axes, constants: Constants, *, most_rounds: int, target: float | None = None, **settings) -> Axes:
    """The bound and its terms against T on logarithmic axes; zero terms are left out, `settings` as for `bound`."""
    T = np.unique(np.round(np.logspace(0, np.log10(max(10, most_rounds)), 200)).astype(int))
    found = [bound(constants, rounds=int(t), **settings) for t in T]
    lines = (
        ("total", "bound", "reference", "-"),
        ("initial", "initial gap", "S", "--"),
        ("control_variates", "control variates", "other", "-."),
        ("noise", "noise of the oracles", "Theta", ":"),
    )
    for name, label, colour, dash in lines:
        y = np.array([getattr(entry, name) for entry in found])
        if (y > 0).any():
            ax.plot(T, y, dash, color=PALETTE[colour], label=label)
    if target is not None:
        ax.axhline(target, color=PALETTE["light"], linewidth=1, label="target")
    ax.set_xscale("log")
    ax.set_yscale("log")
    return labelled(ax, r"Theorem 1: $\frac{1}{T}\sum_t E[\bar E_t] \leq$", "rounds $T$")


STYLES = {
    "printed": ("Theorem 1, printed", "light", ":", "o"),
    "sharper": ("Theorem 1, sharper", "reference", "--", "s"),
    "own-any": ("own-any: any projection", "Theta", "-.", "^"),
    "own-projected": (r"own-projected: noise $\gamma^2$", "S", "-", "D"),
    "own-biased": ("own-biased: contractions", "other", "-", "P"),
    "own-lip": (r"own-lip: no A7 (bounds $E\|h\|^2$)", "other", (0, (5, 1, 1, 1, 1, 1)), "v"),
    "own-seminorm": ("own-seminorm: $B(s)$ may be singular", "extra", "--", "X"),
}
"""Label, colour, dashes and marker of each theorem: dashes and marker tell them apart without colours."""


def draw_comparison(ax: Axes, T: Sequence[int] | np.ndarray, curves: Mapping[str, Sequence[float]]) -> Axes:
    """The bounds of several theorems over T, each at its best step size, on logarithmic axes."""
    for name, values in curves.items():
        label, colour, dash, mark = STYLES[name]
        ax.plot(T, values, linestyle=dash, marker=mark, markevery=4, markersize=4, color=PALETTE[colour], label=label)
    ax.set_xscale("log")
    ax.set_yscale("log")
    return labelled(ax, r"bounds on $\frac{1}{T}\sum_t E[\bar E_t]$", "rounds $T$, each with its best step size")


def draw_ratios(ax: Axes, ratios: Mapping[str, Sequence[float]]) -> Axes:
    """Measured average over bound, one row per problem, one mark per setting; the theorem says that none passes 1."""
    marks = ("o", "s", "^", "D", "v", "P")
    colours = [PALETTE[name] for name in ("S", "Theta", "other", "reference", "light")]
    for k, (name, values) in enumerate(ratios.items()):
        height = k + np.linspace(-0.25, 0.25, len(values))
        ax.plot(values, height, marks[k % 6], color=colours[k % 5], alpha=0.6, markersize=5, label=name)
    _ratio_axes(ax, list(ratios))
    ax.set_xlabel("measured / bound")
    ax.set_title("dashed: the bound of Theorem 1", loc="left")
    return ax


def draw_by_theorem(ax: Axes, ratios: Mapping[str, Mapping[str, float]], title: str) -> Axes:
    """Measured over claimed, one row per theorem, one mark per problem; dashed: what none passes."""
    problems = list(dict.fromkeys(problem for row in ratios.values() for problem in row))
    marks, colours = "os^Dv", ("S", "Theta", "other", "reference", "extra")
    for k, problem in enumerate(problems):
        rows = [j for j, name in enumerate(ratios) if problem in ratios[name]]
        values = [ratios[name][problem] for name in ratios if problem in ratios[name]]
        ax.plot(values, rows, marks[k % 5], color=PALETTE[colours[k % 5]], alpha=0.8, markersize=6, label=problem)
    _ratio_axes(ax, list(ratios))
    return labelled(ax, title, fontsize=8)


TICKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Ratios at the axis of measured over bound."""


def _ratio_axes(ax: Axes, rows: Sequence[str]) -> None:
    """A logarithmic axis of ratios, with 1 dashed, and a line for each of `rows`, the first one above."""
    ax.axvline(1.0, color=PALETTE["reference"], linestyle="--", linewidth=1)
    ax.set_xscale("log")
    low = ax.get_xlim()[0]
    ticks = [tick for tick in TICKS if tick >= low]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xticks([], minor=True)
    ax.set_yticks(range(len(rows)), rows)
    ax.invert_yaxis()
