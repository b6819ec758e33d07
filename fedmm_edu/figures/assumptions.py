"""The matrix example × assumption as a picture."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures.style import PALETTE

LOOKS: Mapping[bool | None, tuple[str, str]] = {True: ("✓", "S"), False: ("✗", "Theta"), None: ("–", "light")}


def draw_matrix(ax: Axes, rows: Mapping[str, Mapping[str, bool | None]]) -> Axes:
    """A row for each key of `rows`, a column for each assumption: ✓ holds, ✗ fails, – is not about the example."""
    columns = list(next(iter(rows.values()), {}))
    if not columns or any(list(row) != columns for row in rows.values()):
        raise InvalidInput("the rows of the matrix have different columns, or none: give each the same assumptions.")
    pale = np.array([[[0.75 + 0.25 * c for c in to_rgb(PALETTE[LOOKS[row[name]][1]])] for name in columns]
                     for row in rows.values()])  # fmt: skip
    ax.imshow(pale, aspect="auto")
    for y, row in enumerate(rows.values()):
        for x, name in enumerate(columns):
            mark, colour = LOOKS[row[name]]
            ax.text(x, y, mark, ha="center", va="center", color=PALETTE[colour], fontsize=12, fontweight="bold")
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), list(rows), fontsize=9)
    ax.xaxis.tick_top()
    ax.grid(visible=False)
    ax.tick_params(length=0)
    return ax
