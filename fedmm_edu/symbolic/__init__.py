"""The checkers: a SymPy model → MM-1, MM-2, aggregation → verdicts with evidence; and a numeric kernel from it."""

from fedmm_edu.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)  # pyright: ignore[reportUnsupportedDunderAll]
