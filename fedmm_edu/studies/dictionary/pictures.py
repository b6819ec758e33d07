"""The figures of dictionary learning; lines are means over the runs, bands and bars one standard deviation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fedmm_edu.arrays import Array
from fedmm_edu.figures.style import PALETTE, grid, plain_log, stack
from fedmm_edu.studies.dictionary.criteria import Runs
from fedmm_edu.studies.dictionary.statements import Panels

__all__ = ["METRICS", "draw_metric"]

METRICS = {
    "objective": "objective",
    "parameter": r"parameter update $\mathcal{E}^{p,s}$, $\mathcal{E}^{p}$",
    "surrogate": r"surrogate update $\mathcal{E}^{s}$, $\mathcal{E}^{s,p}$",
}
"""The curves of Section 6 by the name of their field, with their titles."""
FAR = 1.5
"""Ratios that are larger, or smaller than its inverse, are drawn on a logarithmic axis."""
OUTCOME = {"objective": "objective", "parameter": "parameter update", "surrogate": "surrogate update"}
DATA_SETS = {
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
    "fedmm 1/t": (r"FedMM, $\gamma_t = 1/t$", "S", (0, (6, 2)), "P"),
    "central": (r"one machine, same $\gamma_t$", "other", ":", "^"),
    "central 1/t": (r"one machine, $\gamma_t = 1/t$", "reference", "-.", "D"),
}
"""Label, colour, line and marker of each algorithm."""
EndValues = Mapping[str, Mapping[str, Mapping[str, Array]]]
"""What runs end with, shape (seeds,), by the value of a factor, algorithm and metric."""


def draw_metrics(data: Panels, *, against: str = "t") -> Figure:
    """A column of panels for each data set; `against`: "t", the rounds, or "bits", those that all clients sent."""
    figure, axes = grid(len(METRICS), len(data), width=3.3, height=2.3)
    for column, (name, arms) in zip(axes.T, data.items(), strict=True):
        for ax, (metric, title) in zip(column, METRICS.items(), strict=True):
            draw_metric(ax, arms, metric, against=against)
            ax.set_title(title, loc="left", fontsize=10)
        column[0].set_title(f"{DATA_SETS[name]}: {METRICS['objective']}", loc="left", fontsize=10)
        column[-1].set_xlabel("round" if against == "t" else "megabytes sent by the clients")
    axes[0, 0].legend(frameon=False, fontsize=9)
    return figure


def draw_outcome(found: Mapping[str, Mapping[str, Array]]) -> Figure:
    """By data set and metric, what one algorithm ends with over what another does, shape (seeds,)."""
    figure, axes = grid(2, 1, width=6.0, height=1.9)
    for ax, names in zip(axes[:, 0], (("objective",), ("parameter", "surrogate")), strict=True):
        rows = [(f"{OUTCOME[name]}, {data}", of[name]) for name in names for data, of in found.items()]
        draw_ends_over_ends(ax, dict(rows))
    axes[1, 0].set_xlabel("FedMM / naive algorithm")
    return figure


def draw_ends_over_ends(ax: Axes, ratios: Mapping[str, Array]) -> Axes:
    """A line for each row, a dot for each run, on an axis about 1; 0 and ∞ are hollow, on its edges."""
    every = np.concatenate(list(ratios.values()))
    inner = every[np.isfinite(every) & (every > 0.0)]
    edge = max(1.02, float(np.exp(np.abs(np.log(inner)).max()))) ** 1.3 if inner.size else 2.0
    ax.axvline(1.0, color=PALETTE["reference"], linewidth=1.2)
    for k, values in enumerate(ratios.values()):
        known = np.isfinite(values) & (values > 0.0)
        ax.plot(values[known], np.full(known.sum(), k), "o", color=PALETTE["S"], alpha=0.6, markersize=6)
        wild = np.clip(values[~known & ~np.isnan(values)], 1.0 / edge, edge)
        ax.plot(wild, np.full(len(wild), k), "o", color=PALETTE["S"], fillstyle="none", markersize=6)
    if edge > FAR:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    ax.set_xlim(1.0 / edge, edge)
    ax.set_yticks(range(len(ratios)), list(ratios))
    ax.set_ylim(len(ratios) - 0.5, -0.5)
    return ax


def draw_metric(ax: Axes, arms: Runs, metric: str, *, against: str = "t") -> Axes:
    """Mean and one standard deviation (where it is positive, on a logarithmic axis) of one metric."""
    for k, (arm, curves) in enumerate(arms.items()):
        values, x = getattr(curves, metric), curves.t if against == "t" else curves.bits / 8e6
        _draw_band(ax, x, values, arm, (k, len(arms)), log=metric != "objective")
    return ax


def _draw_band(ax: Axes, x: Array, values: Array, arm: str, place: tuple[int, int], *, log: bool) -> None:
    """One algorithm, the k-th of m in its panel (`place`: k, m); values, shape (seeds, rows)."""
    label, colour, dash, mark = ARMS[arm]
    k, m = place
    shown = np.isfinite(values).all(axis=0)  # row 0 has no updates, and a run may have diverged
    values, x = values[:, shown], x[shown]
    mean, spread = values.mean(axis=0), values.std(axis=0)
    low = mean - spread
    if log:
        low = np.maximum(low, values.min(axis=0))  # the axis has no place for what is not positive
        ax.set_yscale("log")
        plain_log(ax.yaxis)
    ax.fill_between(x, low, mean + spread, color=PALETTE[colour], alpha=0.2, linewidth=0)
    every = max(1, len(x) // 8)
    ax.plot(
        x, mean, linestyle=dash, color=PALETTE[colour], marker=mark, markersize=5, markevery=(k * every // m, every),
        markerfacecolor="white" if k % 2 else PALETTE[colour], label=label,
    )  # fmt: skip


def draw_effects(factor: str, ends: EndValues, *, legend: bool) -> Figure:
    """One factor: final objective and late surrogate update, one above the other, by its values."""
    figure, axes = grid(2, 1, width=3.6, height=2.3)
    titles = {"objective": "final objective", "surrogate": r"late $\mathcal{E}^{s}$, $\mathcal{E}^{s,p}$"}
    for ax, (name, title) in zip(axes[:, 0], titles.items(), strict=True):
        draw_effect(ax, ends, name)
        ax.set_title(title, loc="left", fontsize=10)
    axes[1, 0].set_xlabel(factor)
    if legend:
        axes[0, 0].legend(frameon=False, fontsize=9)
    return figure


def draw_effect(ax: Axes, of: EndValues, name: str) -> Axes:
    """Mean and one standard deviation of one number at the end, for each value of a factor."""
    for k, arm in enumerate(("fedmm", "naive")):
        label, colour, dash, mark = ARMS[arm]
        ends = [arms[arm][name] for arms in of.values()]
        place = np.arange(len(ends)) + (0.08 * k - 0.04)  # side by side, so that neither hides the other
        ax.errorbar(
            place, [end.mean() for end in ends], [end.std() for end in ends], linestyle=dash, marker=mark,
            color=PALETTE[colour], markerfacecolor="white" if k else PALETTE[colour], capsize=3, label=label,
        )  # fmt: skip
    ax.set_xticks(range(len(of)), list(of))
    if name == "surrogate":
        ax.set_yscale("log")
        plain_log(ax.yaxis)
    return ax


def draw_central(curves: Runs, recovery: Mapping[str, Array], samples: int) -> Figure:
    """Objective over samples seen (`samples` a round); and, for each algorithm, how much of θ_⋆ it recovers."""
    figure, (above, below) = stack(2)
    for k, (arm, of) in enumerate(curves.items()):
        _draw_band(above, of.t * samples / 1e3, of.objective, arm, (k, len(curves)), log=False)
        _, colour, _, mark = ARMS[arm]
        below.errorbar(
            k, recovery[arm].mean(), recovery[arm].std(), marker=mark, markersize=8, capsize=4, color=PALETTE[colour],
            markerfacecolor="white" if k % 2 else PALETTE[colour],
        )  # fmt: skip
    below.axhline(recovery["chance"].mean(), color=PALETTE["reference"], linestyle=":", label="by chance")
    above.set_xlabel("thousand samples seen")
    above.set_title("objective", loc="left")
    below.set_xticks(range(len(curves)), [ARMS[arm][0].replace(", ", "\n").replace(" (", "\n(") for arm in curves])
    below.tick_params(axis="x", labelsize=8)
    below.margins(x=0.1)
    below.set_title(r"mean $|\cos|$ to the atoms of $\theta_\star$", loc="left")
    for ax in (above, below):
        ax.legend(frameon=False)
    return figure
