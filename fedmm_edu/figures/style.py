"""One style for every figure: colours safe for colour-blind readers (Okabe and Ito), never colour alone."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter
from matplotlib.typing import RcKeyType

from fedmm_edu.files import write_bytes

PALETTE = {
    "S": "#0072B2", "Theta": "#D55E00", "reference": "#000000", "other": "#009E73", "extra": "#CC79A7",
    "light": "#999999", "soft": "#666666",
}  # fmt: skip
"""Colours by what they stand for: aggregation in 𝒮, in Θ, the reference, anything else, a fifth thing, the background,
small print. The figures that move on a page have them from `widgets/explorables/dom.js`."""
OUTSIDE: Mapping[str, Any] = {"facecolor": "#EEEEEE", "hatch": "///", "edgecolor": "#CCCCCC", "linewidth": 0}
"""A patch where a point may not be."""

_RC: dict[RcKeyType, Any] = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "savefig.facecolor": "white",
}
"""What axes have from the start, and a file; what is drawn on them later has the reader's own settings."""


def grid(rows: int, columns: int, *, width: float = 4.2, height: float = 3.0) -> tuple[Figure, np.ndarray]:
    """Empty panels in the style of the project, an array of axes (rows, columns); sizes in inches per panel."""
    plt.draw_if_interactive()  # loads the backend here: inside rc_context its "interactive" would be undone
    with plt.rc_context(_RC):
        size = (width * columns, height * rows)
        return plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)


def panels(columns: int, *, width: float = 4.2, height: float = 3.4) -> tuple[Figure, list[Axes]]:
    """A row of empty panels, as in `grid`."""
    figure, axes = grid(1, columns, width=width, height=height)
    return figure, list(axes[0])


def stack(rows: int, *, width: float = 5.4, height: float = 3.2) -> tuple[Figure, list[Axes]]:
    """A column of empty panels, as in `grid`: for pages that are read on a phone, too."""
    figure, axes = grid(rows, 1, width=width, height=height)
    return figure, list(axes[:, 0])


def labelled(ax: Axes, title: str = "", xlabel: str = "", **legend: Any) -> Axes:
    """The axes with a title on the left, a label below and a legend, which has no frame unless `legend` says so."""
    ax.set_title(title, loc="left")
    ax.set_xlabel(xlabel)
    ax.legend(**{"frameon": False, **legend})
    return ax


class _Plain(LogFormatter):
    def __call__(self, x: float, pos: int | None = None) -> str:
        return f"{x:g}" if super().__call__(x, pos) else ""


def plain_log(axis: Axis) -> None:
    """Numbers of a logarithmic axis as people write them: 0.1 and 40, not 10⁻¹ and 4 × 10¹."""
    axis.set_major_formatter(_Plain(minor_thresholds=(1.5, 0.5)))
    axis.set_minor_formatter(_Plain(minor_thresholds=(1.5, 0.5)))


def save_png(figure: Figure, path: str | Path, *, dpi: int = 130) -> None:
    """Write the figure atomically as PNG, without a date, so that equal figures are equal files; then close it."""
    buffer = io.BytesIO()
    with plt.rc_context(_RC):
        figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    plt.close(figure)
    write_bytes(path, buffer.getvalue())
