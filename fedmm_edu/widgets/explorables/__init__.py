"""Figures that work on a page without a kernel: the same ES modules serve the course site and notebooks."""

from fedmm_edu.widgets.explorables.figure import Explorable, bundled
from fedmm_edu.widgets.explorables.relatives import board, ends
from fedmm_edu.widgets.explorables.states import (
    aggregation,
    averages,
    classmates,
    hidden,
    majoriser,
    roots,
    rounds,
    tangents,
    theorem,
)

__all__ = [
    "Explorable",
    "aggregation",
    "averages",
    "board",
    "bundled",
    "classmates",
    "ends",
    "hidden",
    "majoriser",
    "roots",
    "rounds",
    "tangents",
    "theorem",
]
