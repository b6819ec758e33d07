"""Losses ρ of a residual that grow more slowly than r²/2, with the weight w(r) = ρ'(r)/r.

For each, ρ(√u) is concave in u and ρ'' ≤ 1: the two facts from which the two surrogates of `kernel.py` follow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import in_interval


class RobustLoss(ABC):
    """An even function ρ with ρ(0) = 0 and ρ''(0) = 1."""

    @abstractmethod
    def value(self, r: Array) -> Array:
        """ρ(r), elementwise."""

    @abstractmethod
    def weight(self, r: Array) -> Array:
        """w(r) = ρ'(r)/r in (0, 1], elementwise; w(0) = 1."""


@dataclass(frozen=True)
class Huber(RobustLoss):
    """ρ(r) = r²/2 for |r| ≤ δ, δ|r| − δ²/2 beyond: convex. δ = 1.345 is usual for residuals of variance 1."""

    delta: float = 1.345

    def __post_init__(self) -> None:
        in_interval("delta", self.delta, low=0.0, high=np.inf, open_low=True)

    def value(self, r: Array) -> Array:
        inner = np.minimum(np.abs(r), self.delta)
        return inner * (np.abs(r) - inner / 2.0)

    def weight(self, r: Array) -> Array:
        return self.delta / np.maximum(np.abs(r), self.delta)


@dataclass(frozen=True)
class PseudoHuber(RobustLoss):
    """ρ(r) = c²(√(1 + (r/c)²) − 1): convex, smooth everywhere."""

    c: float = 1.0

    def __post_init__(self) -> None:
        in_interval("c", self.c, low=0.0, high=np.inf, open_low=True)

    def value(self, r: Array) -> Array:
        return r**2 / (1.0 + np.hypot(1.0, r / self.c))  # c²(√(1 + u²) − 1) without cancellation

    def weight(self, r: Array) -> Array:
        return 1.0 / np.hypot(1.0, r / self.c)


@dataclass(frozen=True)
class GemanMcClure(RobustLoss):
    """ρ(r) = ½r²/(1 + (r/c)²): bounded by c²/2, not convex; a gross outlier has almost no weight."""

    c: float = 1.0

    def __post_init__(self) -> None:
        in_interval("c", self.c, low=0.0, high=np.inf, open_low=True)

    def value(self, r: Array) -> Array:
        return 0.5 * r**2 * self._share(r)

    def weight(self, r: Array) -> Array:
        return self._share(r) ** 2

    def _share(self, r: Array) -> Array:
        return 1.0 / (1.0 + (r / self.c) ** 2)
