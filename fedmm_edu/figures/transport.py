"""Pictures of transport maps: clients' samples, the image of a grid, scores over rounds, an animation."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image
from scipy.spatial import KDTree

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures.style import PALETTE, plain_log
from fedmm_edu.files import write_bytes

DASHES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))
COLOURS = tuple(PALETTE[name] for name in ("S", "other", "Theta", "reference", "extra"))


def draw_clients(ax: Axes, data: Sequence[Array], *, most: int = 150) -> Axes:
    """The samples of each client in the plane, at most `most` of each, in a colour and a mark of its own."""
    marks = ("o", "s", "^", "v", "D", "P", "X", "<", ">", "*")
    colours = plt.get_cmap("viridis")(np.linspace(0.0, 0.95, len(data)))
    for i, z in enumerate(data):
        ax.plot(*z[:most].T, marks[i % len(marks)], color=colours[i], markersize=3, alpha=0.7, linestyle="none")
    return _plane(ax, "samples of $P$, a mark per client")


def draw_image(ax: Axes, image: Callable[[Array], Array], grid: Array, target: Array, title: str) -> Axes:
    """The image of the lines of a grid, shape (lines, points, 2), over samples of Q."""
    ax.plot(*target[:1500].T, ".", color=PALETTE["light"], markersize=2, alpha=0.5)
    seen = np.isfinite(grid).all(axis=-1)
    lines = np.full_like(grid, np.nan)
    lines[seen] = image(grid[seen])
    half = len(lines) // 2
    for k, line in enumerate(lines):
        ax.plot(*line.T, color=PALETTE["S"] if k < half else PALETTE["Theta"], linewidth=0.8)
    return _plane(ax, title)


def grid_lines(samples: Array, lines: int = 13, points: int = 80, near: int = 5) -> Array:
    """Vertical, then horizontal lines over the central 98 % of samples in the plane: shape (2 lines, points, 2).

    Points that lie further from their `near`-th sample than 98 % of the samples do are NaN: there a map is not
    determined by P and Q, and a picture of it would show nothing but how the network goes on.
    """
    low, high = np.quantile(samples, [0.01, 0.99], axis=0)
    found = []
    for axis in (0, 1):
        for value in np.linspace(low[axis], high[axis], lines):
            line = np.empty((points, 2))
            line[:, axis], line[:, 1 - axis] = value, np.linspace(low[1 - axis], high[1 - axis], points)
            found.append(line)
    grid, tree = np.stack(found), KDTree(samples)
    reach = np.quantile(tree.query(samples, near + 1)[0][:, -1], 0.98)
    grid[tree.query(grid, near)[0][..., -1] > reach] = np.nan
    return grid


def draw_scores(
    ax: Axes,
    curves: Mapping[str, tuple[Array, Array]],
    references: Mapping[str, float],
    *,
    xlabel: str,
    legend: bool = True,
) -> Axes:
    """L2-UVP (logarithmic, percent) of each method against rounds or seconds x, shape (rows,) or (seeds, rows).

    UVP has the shape (seeds, rows): the line is the mean, the band from the least to the largest. Rows that a run did
    not live to see (not finite) are left out. `references` are horizontal lines. Panels with the same names in the
    same order need one legend.
    """
    for k, (name, (x, y)) in enumerate(curves.items()):
        seen = np.isfinite(y).all(axis=0)
        x, y = np.mean(np.atleast_2d(x), axis=0)[seen], y[:, seen]
        ax.plot(x, y.mean(axis=0), linestyle=DASHES[k % 5], color=COLOURS[k % 5], label=name)
        if len(y) > 1:
            ax.fill_between(x, y.min(axis=0), y.max(axis=0), color=COLOURS[k % 5], alpha=0.2, linewidth=0)
    for k, (name, value) in enumerate(references.items()):
        ax.axhline(value, color=PALETTE["light"], linewidth=1, linestyle=DASHES[k % 4], label=name)
    ax.set_yscale("log")
    plain_log(ax.yaxis)
    top = max([*references.values(), 100.0])
    ax.set_ylim(top=2.0 * top)  # what diverges leaves the picture
    ax.set_xlabel(xlabel)
    ax.set_title(r"$L_2$-UVP in % (lower is better)", loc="left")
    if legend:
        ax.legend(edgecolor="none", framealpha=0.85, fontsize=8)
    return ax


def save_gif(draw: Callable[[int], Figure], frames: int, path: str | Path, *, seconds: float = 0.35) -> None:
    """Write an animation atomically: `draw(k)` makes frame k; the last one stays for two seconds."""
    if frames < 1:
        raise InvalidInput(f"an animation of {frames} frames: give at least one.")
    images = []
    for k in range(frames):
        figure, buffer = draw(k), io.BytesIO()
        figure.savefig(buffer, format="png", dpi=70, metadata={"Software": None})
        plt.close(figure)
        images.append(Image.open(buffer).convert("RGB").quantize(64))
    buffer = io.BytesIO()
    durations = [int(1000 * seconds)] * (frames - 1) + [2000]
    images[0].save(buffer, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=True)
    write_bytes(path, buffer.getvalue())


def _plane(ax: Axes, title: str) -> Axes:
    ax.set_aspect("equal")
    ax.grid(False)
    ax.set_title(title, loc="left")
    return ax
