"""The two figures of Section 6: metrics by column, data by row; mean and one standard deviation over the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fedmm_edu.figures.style import _RC, PALETTE

if TYPE_CHECKING:  # experiments import figures, not the other way round
    from fedmm_edu.experiments.dictionary.criteria import Curves
    from fedmm_edu.experiments.dictionary.effects import Effect

METRICS = {
    "objective": "objective",
    "parameter": r"parameter update $\mathcal{E}^{p,s}$, $\mathcal{E}^{p}$",
    "surrogate": r"surrogate update $\mathcal{E}^{s}$, $\mathcal{E}^{s,p}$",
}
ROWS = {
    "homogeneous": "synthetic, homogeneous",
    "heterogeneous": "synthetic, heterogeneous",
    "movielens": "MovieLens 1M",
    "patches": "image patches",
    "digits": "digits",
}
ARMS = {
    "fedmm": ("FedMM", "S", "-", "o"),
    "naive": (r"naive (aggregate in $\Theta$)", "Theta", "--", "s"),
    "alpha = 0": (r"$\alpha = 0$ (no control variates)", "Theta", "--", "s"),
    "alpha = 0.01": (r"$\alpha = 0.01$", "S", "-", "o"),
}


def grid(rows: int, columns: int) -> tuple[Figure, np.ndarray]:
    """Panels in rows and columns, in the style of the project."""
    with plt.rc_context(_RC):
        return plt.subplots(rows, columns, figsize=(4.2 * columns, 3.0 * rows), layout="constrained", squeeze=False)


def draw_panels(panels: Mapping[str, Mapping[str, Curves]], *, against: str = "t") -> Figure:
    """A figure with a row for each data set; `against`: "t", the rounds, or "bits", those that all clients sent."""
    figure, axes = grid(len(panels), len(METRICS))
    for row, (data, arms) in zip(axes, panels.items(), strict=True):
        for ax, metric in zip(row, METRICS, strict=True):
            draw_metric(ax, arms, metric, against=against)
        row[0].set_ylabel(ROWS[data])
    for ax, title in zip(axes[0], METRICS.values(), strict=True):
        ax.set_title(title, loc="left")
    for ax in axes[-1]:
        ax.set_xlabel("round" if against == "t" else "megabytes sent by the clients")
    with plt.rc_context(_RC):
        axes[0, 0].legend(frameon=False)
    return figure


def draw_metric(ax: Axes, arms: Mapping[str, Curves], metric: str, *, against: str = "t") -> Axes:
    """Mean and one standard deviation (where it is positive, on a logarithmic axis) of one metric."""
    for k, (arm, curves) in enumerate(arms.items()):
        label, colour, dash, mark = ARMS[arm]
        values = getattr(curves, metric)
        x = curves.t if against == "t" else curves.bits / 8e6
        shown = np.isfinite(values).all(axis=0)  # row 0 has no updates, and a run may have diverged
        values, x = values[:, shown], x[shown]
        mean, spread = values.mean(axis=0), values.std(axis=0)
        low = mean - spread
        if metric != "objective":
            low = np.maximum(low, values.min(axis=0))  # the axis has no place for what is not positive
            ax.set_yscale("log")
        ax.fill_between(x, low, mean + spread, color=PALETTE[colour], alpha=0.2, linewidth=0)
        every = max(1, len(x) // 8)
        ax.plot(
            x, mean, dash, color=PALETTE[colour], marker=mark, markersize=5, markevery=(k * every // 2, every),
            markerfacecolor="white" if k else PALETTE[colour], label=label,
        )  # fmt: skip
    return ax


def draw_effects(effects: Sequence[Effect]) -> Figure:
    """A column for each factor: final objective, late surrogate update and recovered atoms, by its values."""
    rows = {
        "objective": "final objective",
        "surrogate": r"late $\mathcal{E}^{s}$, $\mathcal{E}^{s,p}$",
        "recovery": r"$|\cos|$ to the atoms of $\theta_\star$",
    }
    figure, axes = grid(len(rows), len(effects))
    for row, (name, title) in zip(axes, rows.items(), strict=True):
        for ax, effect in zip(row, effects, strict=True):
            draw_effect(ax, effect, name)
        row[0].set_ylabel(title)
    for ax, effect in zip(axes[-1], effects, strict=True):
        ax.set_xlabel(effect.factor)
    with plt.rc_context(_RC):
        axes[0, 0].legend(frameon=False)
    return figure


def draw_effect(ax: Axes, effect: Effect, name: str) -> Axes:
    """Mean and one standard deviation of one number at the end, for each value of a factor."""
    for k, arm in enumerate(("fedmm", "naive")):
        label, colour, dash, mark = ARMS[arm]
        ends = [effect.ends[value][arm][name] for value in effect.values]
        place = np.arange(len(ends)) + (0.08 * k - 0.04)  # side by side, so that neither hides the other
        ax.errorbar(
            place, [end.mean() for end in ends], [end.std() for end in ends], linestyle=dash, marker=mark,
            color=PALETTE[colour], markerfacecolor="white" if k else PALETTE[colour], capsize=3, label=label,
        )  # fmt: skip
    ax.set_xticks(range(len(effect.values)), effect.values)
    if name == "surrogate":
        ax.set_yscale("log")
    return ax
