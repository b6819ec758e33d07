"""Dictionaries as pictures: all atoms of one in a single image, and how much each atom is used."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.arrays import Array, as_array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures.style import PALETTE


def mosaic(theta: Array, shape: tuple[int, int], columns: int) -> Array:
    """The atoms of a dictionary, shape (p, K), as tiles of `shape`, row after row, with NaN between and after them.

    An atom and its negative are the same atom (the codes change sign): each is shown with the sign that makes its
    pixels sum to something positive.

    >>> mosaic(np.array([[1.0, 0.0], [1.0, -2.0]]), (1, 2), 1).tolist()
    [[nan, nan, nan, nan], [nan, 1.0, 1.0, nan], [nan, nan, nan, nan], [nan, -0.0, 2.0, nan], [nan, nan, nan, nan]]
    """
    theta = as_array("theta", theta, shape=(None, None))
    height, width = shape
    if theta.shape[0] != height * width:
        raise InvalidInput(f"atoms of {theta.shape[0]} numbers are no pictures of {height} × {width} pixels.")
    tiles = (theta * np.where(theta.sum(axis=0) < 0.0, -1.0, 1.0)).T.reshape(-1, height, width)
    rows = -(-len(tiles) // columns)
    image = np.full((rows * (height + 1) + 1, columns * (width + 1) + 1), np.nan)
    for k, tile in enumerate(tiles):
        top, left = 1 + (k // columns) * (height + 1), 1 + (k % columns) * (width + 1)
        image[top : top + height, left : left + width] = tile
    return image


def draw_mosaic(ax: Axes, theta: Array, shape: tuple[int, int], *, columns: int = 5, title: str = "") -> Axes:
    """The atoms, dark where they are positive and light where they are negative; grey is 0, as in an unused atom."""
    size = max(float(np.abs(theta).max()), np.finfo(float).tiny)
    ax.imshow(mosaic(theta, shape, columns), cmap="gray_r", vmin=-size, vmax=size)
    ax.set_axis_off()
    ax.set_title(title, loc="left", fontsize=11)
    return ax


def draw_use(ax: Axes, use: Array, atom: int) -> Axes:
    """How much each client uses one atom: E_i[h_k²], shape (n,), as bars."""
    ax.bar(np.arange(len(use)), use, color=PALETTE["S"])
    ax.set_xticks(range(len(use)))
    ax.set_xlabel("client")
    ax.set_title(rf"use of atom {atom + 1}: $E_i[h_{{{atom + 1}}}^2]$", loc="left")
    return ax
