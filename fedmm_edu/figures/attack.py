"""Records rebuilt from messages: how near they are, by how many messages of the client were heard."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.figures.style import PALETTE

COLOURS = ("reference", "S", "other", "Theta")


def draw_rebuilt(ax: Axes, errors: Mapping[str, tuple[Indices, Array]]) -> Axes:
    """A curve for each client of one record: messages heard, and max |rebuilt − record|."""
    for k, (name, (heard, error)) in enumerate(errors.items()):
        ax.semilogy(heard, error, "o-", color=PALETTE[COLOURS[k % len(COLOURS)]], label=name)
    ax.set_xlabel("messages of the client that were heard")
    ax.set_ylabel("largest error of the rebuilt record")
    if errors:
        ax.legend(frameon=False, fontsize=9)
    return ax
