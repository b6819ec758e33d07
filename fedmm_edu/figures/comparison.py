"""Curves over rounds, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from fedmm_edu.figures.style import PALETTE, labelled


@dataclass(frozen=True, eq=False)
class Curve:
    """One line: x and y of equal length, a label, a colour of `PALETTE` and a line style."""

    x: ArrayLike
    y: ArrayLike
    label: str
    colour: str
    dash: str = "-"


def compare(
    ax: Axes,
    curves: Sequence[Curve],
    *,
    title: str,
    xlabel: str = "round",
    log: bool = False,
    floor: float = 1e-16,
    reference: tuple[float, str] | None = None,
) -> Axes:
    """Draw curves on `ax`, with a dotted horizontal `reference` (value, label) if given.

    With `log`, values below `floor` (rounding) are drawn at `floor`.
    """
    for curve in curves:
        y = np.asarray(curve.y, dtype=float)
        y = np.where(y < floor, floor, y) if log else y
        ax.plot(curve.x, y, curve.dash, color=PALETTE[curve.colour], label=curve.label)
    if reference is not None:
        value, label = reference
        ax.axhline(value, color=PALETTE["reference"], linestyle=":", label=label)
    if log:
        ax.set_yscale("log")
    return labelled(ax, title, xlabel)
