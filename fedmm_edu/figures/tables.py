"""Scores of several ways to fit one model, table by table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from fedmm_edu.figures.style import PALETTE

SHADES = ("reference", "S", "other", "Theta", "soft", "light")


def draw_scores_of(ax: Axes, scores: Mapping[str, Sequence[float]], title: str, least: float) -> Axes:
    """The score of each way on each split, and a line at their mean; what is below `least` is drawn there."""
    for k, values in enumerate(scores.values()):
        shown = [max(value, least) for value in values]
        colour = PALETTE[SHADES[k % len(SHADES)]]
        ax.plot(shown, [k] * len(shown), "o", color=colour, alpha=0.7, markersize=5)
        ax.plot([sum(shown) / len(shown)] * 2, [k - 0.3, k + 0.3], color=colour, linewidth=2)
    ax.set_yticks(range(len(scores)), list(scores))
    ax.invert_yaxis()
    ax.set_title(title, fontsize=10)
    return ax
