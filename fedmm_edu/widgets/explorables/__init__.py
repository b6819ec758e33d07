"""Figures that work on a page without a kernel: the same ES modules serve the course site and notebooks."""

from fedmm_edu.widgets.explorables.figure import Explorable, bundled
from fedmm_edu.widgets.explorables.relatives import board, ends
from fedmm_edu.widgets.explorables.states import (
    aggregation,
    averages,
    field,
    hidden,
    majoriser,
    rounds,
    slope,
    theorem,
)

__all__ = [
    "Explorable",
    "aggregation",
    "averages",
    "board",
    "bundled",
    "ends",
    "field",
    "hidden",
    "majoriser",
    "rounds",
    "slope",
    "theorem",
]
