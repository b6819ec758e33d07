"""Runs over nodes that fail: the error against the fault-free limit, and what uneven drop-out does to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.arrays import Array
from fedmm_edu.figures.style import PALETTE

FLOOR = 1e-17
"""Where an error of zero is drawn."""
STYLES = (("reference", "-"), ("S", "--"), ("other", "-."), ("Theta", ":"))


def draw_errors(ax: Axes, errors: Mapping[str, Array], end: float, title: str) -> Axes:
    """The error of each run over rounds, and a line where the faults end; `title`: what the names of the runs say."""
    for (name, error), (colour, dash) in zip(errors.items(), STYLES, strict=False):
        ax.semilogy(np.arange(1, len(error) + 1), np.maximum(error, FLOOR), dash, color=PALETTE[colour], label=name)
    ax.axvline(end, color=PALETTE["light"], linewidth=1)
    ax.annotate("the faults\nend here", (end, ax.get_ylim()[1]), xytext=(4, -10), textcoords="offset points",
                ha="left", fontsize=9, va="top", color=PALETTE["soft"])  # fmt: skip
    ax.set_xlabel("round")
    ax.set_ylabel("error against the fault-free limit")
    ax.legend(title=title, frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=len(errors))
    return ax


def draw_injected(ax: Axes, counts: Mapping[str, int]) -> Axes:
    """How often each fault was injected; its name stands in its bar, so that the bars have the whole width."""
    ax.barh(range(len(counts)), list(counts.values()), color=PALETTE["S"])
    for row, name in enumerate(counts):
        ax.annotate(name, (0, row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8, color="white")
    ax.set_yticks([])
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.set_xlabel("times injected")
    return ax


def draw_drop_out(ax: Axes, errors: Mapping[str, Array], predicted: float) -> Axes:
    """The error over rounds with and without control variates; dashed: the bias that the weights predict."""
    for (name, error), (colour, dash) in zip(errors.items(), (("Theta", "-"), ("S", "-.")), strict=True):
        ax.semilogy(np.arange(1, len(error) + 1), np.maximum(error, FLOOR), dash, color=PALETTE[colour], label=name)
    ax.axhline(predicted, color=PALETTE["reference"], linestyle="--", linewidth=1, label="predicted bias")
    ax.set_xlabel("round")
    ax.set_ylabel("error against the limit of all clients")
    ax.legend(frameon=False, fontsize=9, loc="center right")
    return ax


def draw_bias(ax: Axes, answers: Sequence[float], runs: Mapping[str, Sequence[float]], predicted: Array) -> Axes:
    """The error at the end against the probability of an answer; the line is computed without running anything.

    `predicted`: rows of (probability, error).
    """
    ax.plot(*predicted.T, "--", color=PALETTE["reference"], linewidth=1, label="predicted bias")
    for (name, ends), (colour, mark) in zip(runs.items(), (("Theta", "o"), ("S", "D")), strict=True):
        ax.plot(answers, ends, mark, color=PALETTE[colour], label=name)
    ax.set_xlabel("probability that node 0 answers")
    ax.set_ylabel("error at the end")
    ax.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(0.0, 0.3))
    return ax
