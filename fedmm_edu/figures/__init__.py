"""Figures: each function draws on an `ax` and returns it; the style is one for all."""

from fedmm_edu.figures.aggregation import toy_aggregates, toy_aggregation
from fedmm_edu.figures.comparison import Curve, compare
from fedmm_edu.figures.style import PALETTE, panels, save_png

__all__ = ["PALETTE", "Curve", "compare", "panels", "save_png", "toy_aggregates", "toy_aggregation"]
