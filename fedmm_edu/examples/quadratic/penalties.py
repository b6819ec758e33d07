"""Penalties g with their proximal operators, prox_{ρg}(s) = argmin_θ ρ g(θ) + ½‖θ − s‖².

Each is a value, a prox and a domain Θ. `smooth` says whether g is twice differentiable on ℝ^d.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.convex_sets import Box, ConvexSet, WholeSpace
from fedmm_edu.errors import InvalidInput, in_interval


class Penalty(ABC):
    """A proper closed convex function on ℝ^d."""

    @abstractmethod
    def value(self, theta: Array) -> float:
        """g(θ), +inf outside its domain."""

    @abstractmethod
    def prox(self, s: Array, rho: float) -> Array:
        """prox_{ρg}(s), shape (d,)."""

    def domain(self, d: int) -> ConvexSet:
        """Θ, the domain of g."""
        return WholeSpace(d)


def soft_threshold(s: Array, threshold: float) -> Array:
    """sign(s) max(|s| − threshold, 0), coordinatewise."""
    return np.sign(s) * np.maximum(np.abs(s) - threshold, 0.0)


@dataclass(frozen=True)
class Zero(Penalty):
    """g = 0."""

    def value(self, theta: Array) -> float:
        return 0.0

    def prox(self, s: Array, rho: float) -> Array:
        return s.copy()


@dataclass(frozen=True)
class Ridge(Penalty):
    """g(θ) = (λ/2)‖θ‖²."""

    lam: float

    def __post_init__(self) -> None:
        in_interval("lam", self.lam, low=0.0, high=np.inf)

    def value(self, theta: Array) -> float:
        return 0.5 * self.lam * float(theta @ theta)

    def prox(self, s: Array, rho: float) -> Array:
        return s / (1.0 + rho * self.lam)


@dataclass(frozen=True)
class ElasticNet(Penalty):
    """g(θ) = λ₁‖θ‖₁ + (λ₂/2)‖θ‖²."""

    lam1: float
    lam2: float

    def __post_init__(self) -> None:
        in_interval("lam1", self.lam1, low=0.0, high=np.inf)
        in_interval("lam2", self.lam2, low=0.0, high=np.inf)

    def value(self, theta: Array) -> float:
        return self.lam1 * float(np.abs(theta).sum()) + 0.5 * self.lam2 * float(theta @ theta)

    def prox(self, s: Array, rho: float) -> Array:
        return soft_threshold(s, rho * self.lam1) / (1.0 + rho * self.lam2)


@dataclass(frozen=True)
class L1(Penalty):
    """g(θ) = λ‖θ‖₁."""

    lam: float

    def __post_init__(self) -> None:
        in_interval("lam", self.lam, low=0.0, high=np.inf)

    def value(self, theta: Array) -> float:
        return self.lam * float(np.abs(theta).sum())

    def prox(self, s: Array, rho: float) -> Array:
        return soft_threshold(s, rho * self.lam)


@dataclass(frozen=True)
class GroupL1(Penalty):
    """g(θ) = λ Σ_G ‖θ_G‖ over disjoint groups of coordinates; coordinates in no group are not penalised."""

    lam: float
    groups: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        in_interval("lam", self.lam, low=0.0, high=np.inf)
        flat = [j for group in self.groups for j in group]
        if len(flat) != len(set(flat)) or any(j < 0 for j in flat):
            raise InvalidInput(f"groups = {self.groups}: list each coordinate (0, 1, …) at most once.")

    def value(self, theta: Array) -> float:
        return self.lam * float(sum(np.linalg.norm(theta[list(group)]) for group in self.groups))

    def prox(self, s: Array, rho: float) -> Array:
        theta = s.copy()
        for group in self.groups:
            norm = np.linalg.norm(s[list(group)])
            theta[list(group)] *= max(0.0, 1.0 - rho * self.lam / norm) if norm > 0 else 0.0
        return theta

    def domain(self, d: int) -> ConvexSet:
        last = max((j for group in self.groups for j in group), default=-1)
        if last >= d:
            raise InvalidInput(f"groups name coordinate {last}, but θ has d = {d} coordinates.")
        return WholeSpace(d)


@dataclass(frozen=True)
class BoxConstraint(Penalty):
    """g = indicator of {low ≤ θ_j ≤ high for all j}."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise InvalidInput(f"box [{self.low}, {self.high}]: choose low < high.")

    def value(self, theta: Array) -> float:
        return 0.0 if ((theta >= self.low) & (theta <= self.high)).all() else np.inf

    def prox(self, s: Array, rho: float) -> Array:
        return np.clip(s, self.low, self.high)

    def domain(self, d: int) -> ConvexSet:
        return Box(np.full(d, self.low), np.full(d, self.high))
