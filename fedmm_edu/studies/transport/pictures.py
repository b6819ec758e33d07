"""Pictures of the map as it is learned, and of the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fedmm_edu.arrays import Array
from fedmm_edu.figures import panels, stack
from fedmm_edu.figures.style import PALETTE, grid, plain_log
from fedmm_edu.figures.transport import draw_clients, draw_image, draw_scores, grid_lines
from fedmm_edu.studies.transport.curves import ScoredRound
from fedmm_edu.studies.transport.outcome import UVPAtEnd
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
    figure, axes = grid(len(first), len(panels), width=3.6, height=3.0)
    for column, (d, panel) in zip(axes.T, panels.items(), strict=True):
        for ax, (lam, curves) in zip(column, panel.items(), strict=True):
            drawn = {name: (of.t if axis == "t" else of.seconds, of.uvp) for name, of in curves.items()}
            xlabel = "round" if axis == "t" else "CPU seconds"
            draw_scores(ax, drawn, references[d], xlabel=xlabel, legend=False)
            ax.set_xlim(right=min(float(np.max(x)) for x, _ in drawn.values()))  # as far as all methods go
            ax.set_title(f"$L_2$-UVP in %, $d = {d}$, $\\lambda = {lam}$", loc="left", fontsize=10)
    named = axes[0, 0].get_legend_handles_labels()
    figure.legend(*named, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure


def draw_ends(ends: UVPAtEnd, references: Mapping[int, Mapping[str, float]]) -> Figure:
    """A line for each dimension and λ; for each method a sign at the mean of its runs, a bar from least to largest."""
    figure, (ax,) = panels(1, width=6.4, height=0.8 + 0.55 * len(ends))
    lines = {f"$d = {d}$, $\\lambda = {lam}$": arms for (d, lam), arms in ends.items()}
    _signs(ax, lines, [{"light": references[d]["linear"]} for d, _ in ends])
    ax.legend(frameon=False, fontsize=9, ncols=3, loc="lower center", bbox_to_anchor=(0.4, 1.0))
    return figure


def draw_ways(ways: Mapping[str, UVPByLine], marks: Mapping[str, Sequence[Mapping[str, float]]]) -> Figure:
    """A panel for each way of the map, its lines as in `draw_ends`; marks: upright lines by their colours' names."""
    rows = len(next(iter(ways.values())))
    figure, axes = stack(len(ways), width=6.4, height=1.1 + 0.5 * rows)
    for ax, (way, lines) in zip(axes, ways.items(), strict=True):
        _signs(ax, lines, marks[way])
        ax.set_title(way, loc="left", pad=24)  # above the names
        ax.legend(frameon=False, fontsize=9, ncols=3, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)
    return figure


UVPByLine = Mapping[str, Mapping[str, Array]]
"""What runs ended with, shape (seeds,), by method, for each line of a picture."""


def _signs(ax: Axes, lines: UVPByLine, marks: Sequence[Mapping[str, float]]) -> None:
    """A line for each setting; a run that died stands hollow at the right edge."""
    finite = [of[np.isfinite(of)] for arms in lines.values() for of in arms.values()]
    edge = 1.4 * float(max(of.max() for of in finite if of.size))
    for row, (arms, upright) in enumerate(zip(lines.values(), marks, strict=True)):
        for colour, at in upright.items():
            ax.plot(2 * [at], [row - 0.4, row + 0.4], color=PALETTE[colour], linewidth=2.5)
        for k, (name, of) in enumerate(arms.items()):
            y, colour, lives = row + 0.22 * (k - 1), PALETTE[("S", "other", "Theta")[k]], bool(np.isfinite(of).all())
            ax.plot([of.min(), min(of.max(), edge)], [y, y], color=colour, linewidth=1.4)
            ax.plot(of.mean() if lives else edge, y, "os^"[k], color=colour, markersize=7,
                    label=name if row == 0 else None, fillstyle="full" if lives else "none")  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlim(right=1.05 * max([edge, *(1.1 * at for upright in marks for at in upright.values())]))
    plain_log(ax.xaxis)
    ax.set_yticks(range(len(lines)), list(lines))
    ax.set_ylim(len(lines) - 0.5, -0.5)
    ax.set_xlabel(r"$L_2$-UVP in %")
