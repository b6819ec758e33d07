"""Figures: each function draws on an `ax` and returns it; the style is one for all. Needs the extra `plot`."""

from fedmm_edu.errors import needs
from fedmm_edu.lazy import attach

with needs("plot", "drawing"):
    import matplotlib  # noqa: F401

__getattr__, __dir__, __all__ = attach(__name__)  # pyright: ignore[reportUnsupportedDunderAll]
