"""The convex sets 𝒮 and Θ that a surrogate lives in: membership and projection.

`project(x, B)` is Π(x, B) of the paper (eq. `projector:Pi`): the minimiser over the set of (s − x)ᵀ B (s − x). A
projection exists for closed sets only, so the sets here are closed; where the paper writes an open half-line, an
example takes a closed interval inside it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.optimize import lsq_linear

from fedmm_edu.errors import Array, InvalidInput, as_array


class ConvexSet(ABC):
    """A closed convex subset of ℝ^dim."""

    dim: int

    @abstractmethod
    def contains(self, x: Array, tol: float = 0.0) -> bool:
        """Whether x, shape `(dim,)`, lies in the set up to `tol` per coordinate."""

    @abstractmethod
    def project(self, x: Array, B: Array | None = None) -> Array:
        """The point of the set nearest to x in the norm ‖u‖_B = √(uᵀBu); `B=None` is the Euclidean norm."""


@dataclass(frozen=True)
class WholeSpace(ConvexSet):
    """ℝ^dim: contains everything, projects nothing."""

    dim: int

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        return np.shape(x) == (self.dim,) and bool(np.isfinite(x).all())

    def project(self, x: Array, B: Array | None = None) -> Array:
        return as_array("x", x, shape=(self.dim,))


class Box(ConvexSet):
    """{x : low ≤ x ≤ high} coordinatewise; bounds may be infinite.

    >>> Box([0.0, 0.0], [1.0, np.inf]).project(np.array([2.0, -3.0]))
    array([1., 0.])
    """

    def __init__(self, low, high) -> None:
        self.low = np.atleast_1d(np.asarray(low, dtype=np.float64))
        self.high = np.atleast_1d(np.asarray(high, dtype=np.float64))
        if self.low.shape != self.high.shape or self.low.ndim != 1:
            raise InvalidInput(f"box bounds have shapes {self.low.shape}, {self.high.shape}: give two equal vectors.")
        if not (self.low <= self.high).all():
            raise InvalidInput(f"box bounds low = {self.low}, high = {self.high}: each low must be <= its high.")
        self.dim = self.low.size

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        x = np.asarray(x)
        return x.shape == (self.dim,) and bool(((x >= self.low - tol) & (x <= self.high + tol)).all())

    def project(self, x: Array, B: Array | None = None) -> Array:
        x = as_array("x", x, shape=(self.dim,))
        if B is None or self.dim == 1 or self.contains(x):
            return np.clip(x, self.low, self.high)
        # (s − x)ᵀB(s − x) = ‖Rᵀ... ‖²: with B = C Cᵀ this is a bounded least-squares problem in s.
        factor = spd_factor(B, self.dim).T
        free = self.low < self.high  # the solver wants an interior: coordinates with low = high are constants
        target = factor @ (x - np.where(free, 0.0, self.low))
        s = self.low.copy()
        solution = lsq_linear(
            factor[:, free], target, bounds=(self.low[free], self.high[free]), method="bvls", tol=1e-14
        )
        s[free] = np.clip(solution.x, self.low[free], self.high[free])
        return s


def spd_factor(B: Array, dim: int) -> Array:
    """The lower Cholesky factor of B, or `InvalidInput` when B is not symmetric positive definite."""
    B = as_array("B", B, shape=(dim, dim))
    if not np.allclose(B, B.T, rtol=1e-12, atol=0.0):
        raise InvalidInput("B is not symmetric: a norm needs a symmetric matrix; pass (B + B.T)/2.")
    try:
        return np.linalg.cholesky(B)
    except np.linalg.LinAlgError as error:
        least = float(np.linalg.eigvalsh(B)[0])
        raise InvalidInput(f"B has smallest eigenvalue {least:.3g}: it must be positive definite (A7(ii)).") from error
