"""The pictures of `fedmm run transport`: the map as it is learned, and the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fedmm_edu.figures import panels, save_png
from fedmm_edu.figures.transport import draw_clients, draw_image, draw_scores, grid_lines, save_gif
from fedmm_edu.studies.transport.curves import Row
from fedmm_edu.studies.transport.setting import Federation
from fedmm_edu.transport import as_map


def save_map(given: Federation, traces: Mapping[str, Sequence[Row]], out: Path) -> str:
    """Draw the map of the best method, whose name is returned, at its end and, more often early, over the rounds."""
    name = min(traces, key=lambda key: traces[key][-1].score.uvp)
    rows = traces[name]
    save_png(draw_map(given, rows[-1]), out / "map.png")
    frames = np.unique(np.round((len(rows) - 1) * np.linspace(0.0, 1.0, 12) ** 2).astype(int))
    save_gif(lambda k: draw_map(given, rows[frames[k]]), len(frames), out / "map.gif")
    return name


def draw_map(given: Federation, row: Row):
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


def save_scores(given: Federation, traces: Mapping[str, Sequence[Row]], out: Path) -> None:
    """UVP against rounds, and against CPU seconds."""
    figure, axes = panels(2, width=5.0)
    for ax, xlabel, of in ((axes[0], "round", "t"), (axes[1], "CPU seconds", "seconds")):
        curves = {
            key: (np.array([getattr(row, of) for row in rows]), np.array([[row.score.uvp for row in rows]]))
            for key, rows in traces.items()
        }
        draw_scores(ax, curves, given.references(), xlabel=xlabel)
    save_png(figure, out / "scores.png")
