"""Losses ρ of a residual that grow more slowly than r²/2, with the weight w(r) = ρ'(r)/r.

For each, ρ(√u) is concave in u and ρ'' ≤ 1: the two facts from which the two surrogates of `kernel.py` follow. A new
loss is a class here, with all that is said of it, and an entry of `EACH_ROBUST_LOSS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import in_interval
from fedmm_edu.faces import Faces

if TYPE_CHECKING:
    import sympy as sp


class RobustLoss(Faces, ABC):
    """An even function ρ with ρ(0) = 0 and ρ''(0) = 1; its fields are sizes of residuals."""

    name: ClassVar[str]
    """In the names of cases, models and rows."""

    def __post_init__(self) -> None:
        for name, size in vars(self).items():
            in_interval(name, size, low=0.0, high=np.inf, open_low=True)

    @property
    @abstractmethod
    def scale(self) -> float:
        """The residual from which on ρ grows visibly more slowly than r²/2."""

    @abstractmethod
    def value(self, r: Array) -> Array:
        """ρ(r), elementwise."""

    @abstractmethod
    def weight(self, r: Array) -> Array:
        """w(r) = ρ'(r)/r in (0, 1], elementwise; w(0) = 1."""

    @classmethod
    @abstractmethod
    def twin(cls, r: sp.Expr, c: sp.Symbol) -> tuple[sp.Expr, sp.Expr] | None:
        """ρ(r) and w(r) in SymPy with the scale c, or None for a formula with cases (see `model.py`)."""


@dataclass(frozen=True)
class Huber(RobustLoss):
    """ρ(r) = r²/2 for |r| ≤ δ, δ|r| − δ²/2 beyond: convex. δ = 1.345 is usual for residuals of variance 1."""

    delta: float = 1.345
    name = "Huber"

    def value(self, r: Array) -> Array:
        inner = np.minimum(np.abs(r), self.delta)
        return inner * (np.abs(r) - inner / 2.0)

    def weight(self, r: Array) -> Array:
        return self.delta / np.maximum(np.abs(r), self.delta)

    @property
    def scale(self) -> float:
        return self.delta

    @classmethod
    def twin(cls, r: sp.Expr, c: sp.Symbol) -> None:
        return None


@dataclass(frozen=True)
class PseudoHuber(RobustLoss):
    """ρ(r) = c²(√(1 + (r/c)²) − 1): convex, smooth everywhere."""

    c: float = 1.0
    name = "pseudo-Huber"

    def value(self, r: Array) -> Array:
        return r**2 / (1.0 + np.hypot(1.0, r / self.c))  # c²(√(1 + u²) − 1) without cancellation

    def weight(self, r: Array) -> Array:
        return 1.0 / np.hypot(1.0, r / self.c)

    @property
    def scale(self) -> float:
        return self.c

    @classmethod
    def twin(cls, r: sp.Expr, c: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
        import sympy as sp

        u = 1 + (r / c) ** 2
        return c**2 * (sp.sqrt(u) - 1), 1 / sp.sqrt(u)


@dataclass(frozen=True)
class GemanMcClure(RobustLoss):
    """ρ(r) = ½r²/(1 + (r/c)²): bounded by c²/2, not convex; a gross outlier has almost no weight."""

    c: float = 1.0
    name = "Geman-McClure"

    def value(self, r: Array) -> Array:
        return 0.5 * r**2 * self._share(r)

    def weight(self, r: Array) -> Array:
        return self._share(r) ** 2

    @property
    def scale(self) -> float:
        return self.c

    @classmethod
    def twin(cls, r: sp.Expr, c: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
        u = 1 + (r / c) ** 2
        return r**2 / (2 * u), 1 / u**2

    def _share(self, r: Array) -> Array:
        return 1.0 / (1.0 + (r / self.c) ** 2)


EACH_ROBUST_LOSS: tuple[RobustLoss, ...] = (Huber(0.8), PseudoHuber(0.6), GemanMcClure(1.5))
"""One of each kind, of which the example's cases and models are made."""
