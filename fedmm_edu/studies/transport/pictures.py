"""Pictures of the map as it is learned, and of the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from fedmm_edu.figures import panels
from fedmm_edu.figures.style import grid
from fedmm_edu.figures.transport import draw_clients, draw_image, draw_scores, grid_lines
from fedmm_edu.studies.transport.curves import ScoredRound
from fedmm_edu.studies.transport.setting import Federation
from fedmm_edu.studies.transport.statements import Panel
from fedmm_edu.transport import as_map

__all__ = ["draw_map"]


def draw_map(given: Federation, row: ScoredRound) -> Figure:
    """Clients, truth, and the map as it was at a record."""
    figure, axes = panels(3, width=3.6, height=3.8)
    draw_clients(axes[0], given.clients.data)
    grid = grid_lines(given.test)
    truth = "known map of a grid, over $Q$"
    draw_image(axes[1], given.pair.T, grid, given.problem.target, truth)
    title = f"learned, round {row.t}: UVP {row.score.uvp:.1f} %"
    draw_image(axes[2], as_map(given.network, row.omega), grid, given.problem.target, title)
    low, high = given.problem.target.min(axis=0), given.problem.target.max(axis=0)
    for ax in axes[1:]:
        for limit, k in ((ax.set_xlim, 0), (ax.set_ylim, 1)):
            limit(low[k] - 0.1 * (high[k] - low[k]), high[k] + 0.1 * (high[k] - low[k]))
    return figure


def draw_traces(given: Federation, traces: Mapping[str, Sequence[ScoredRound]]) -> Figure:
    """UVP against rounds, and against CPU seconds."""
    figure, axes = panels(2, width=5.0)
    for ax, xlabel, of in ((axes[0], "round", "t"), (axes[1], "CPU seconds", "seconds")):
        curves = {
            key: (np.array([getattr(row, of) for row in rows]), np.array([[row.score.uvp for row in rows]]))
            for key, rows in traces.items()
        }
        draw_scores(ax, curves, given.references(), xlabel=xlabel)
    return figure


def draw_dimensions(panels: Mapping[int, Panel], references: Mapping[int, Mapping[str, float]], axis: str) -> Figure:
    """A column for each dimension, a row for each λ; `axis`: "t", the rounds, or "seconds" of CPU time."""
    first = next(iter(panels.values()))
    figure, axes = grid(len(first), len(panels), height=3.3)
    for column, (d, panel) in zip(axes.T, panels.items(), strict=True):
        for ax, (lam, curves) in zip(column, panel.items(), strict=True):
            drawn = {name: (of.t if axis == "t" else of.seconds, of.uvp) for name, of in curves.items()}
            xlabel = "round" if axis == "t" else "CPU seconds"
            draw_scores(ax, drawn, references[d], xlabel=xlabel, legend=ax is axes[0, 0])
            ax.set_xlim(right=min(float(np.max(x)) for x, _ in drawn.values()))  # as far as all methods go
            ax.set_title(f"$d = {d}$, $\\lambda = {lam}$", loc="left")
    for ax in axes[:, 0]:
        ax.set_ylabel("$L_2$-UVP in %")
    return figure
