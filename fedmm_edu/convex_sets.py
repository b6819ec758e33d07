"""The convex sets 𝒮 and Θ that a surrogate lives in: membership and projection.

`project(x, B)` is Π(x, B) of the paper (eq. `projector:Pi`): the minimiser over the set of (s − x)ᵀ B (s − x). A
projection exists for closed sets only, so the sets here are closed; where the paper writes an open half-line, an
example takes a closed interval inside it.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from fedmm_edu.arrays import Array, all_finite, as_array
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.faces import Faces

EPS = float(np.finfo(np.float64).eps)


class ConvexSet(Faces):
    """A closed convex subset of ℝ^dim."""

    dim: int

    @abstractmethod
    def contains(self, x: Array, tol: float = 0.0) -> bool:
        """Whether x, shape `(dim,)`, lies in the set up to `tol` per coordinate."""

    @abstractmethod
    def project(self, x: Array, B: Array | None = None) -> Array:
        """The point of the set nearest to x in the norm ‖u‖_B = √(uᵀBu); `B=None` is the Euclidean norm."""

    @classmethod
    def of(cls, given: ConvexSet) -> Self:
        """`given` itself, for who needs more of it than its interface: a set of another kind is refused."""
        if not isinstance(given, cls):
            raise InvalidInput(f"the set is a {type(given).__name__}, and a {cls.__name__} is needed: give one.")
        return given


@dataclass(frozen=True)
class WholeSpace(ConvexSet):
    """ℝ^dim: contains everything, projects nothing."""

    dim: int

    def __post_init__(self) -> None:
        as_count("dim", self.dim)

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        return np.shape(x) == (self.dim,) and all_finite(np.asarray(x))

    def project(self, x: Array, B: Array | None = None) -> Array:
        return as_array("x", x, shape=(self.dim,))


class Box(ConvexSet):
    """{x : low ≤ x ≤ high} coordinatewise; bounds may be infinite.

    >>> Box([0.0, 0.0], [1.0, np.inf]).project(np.array([2.0, -3.0]))
    array([1., 0.])
    """

    def __init__(self, low, high) -> None:
        self.low, self.high = _bounds("low", low), _bounds("high", high)
        if self.low.shape != self.high.shape or self.low.ndim != 1:
            raise InvalidInput(f"box bounds have shapes {self.low.shape}, {self.high.shape}: give two equal vectors.")
        if not (self.low <= self.high).all():
            raise InvalidInput(f"box bounds low = {self.low}, high = {self.high}: each low must be <= its high.")
        self.dim = self.low.size

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        x = np.asarray(x)
        if x.shape != (self.dim,):
            return False
        low, high = (self.low - tol, self.high + tol) if tol else (self.low, self.high)
        return np.count_nonzero((x >= low) & (x <= high)) == self.dim  # `.all()` takes three times as long on few

    def project(self, x: Array, B: Array | None = None) -> Array:
        x = as_array("x", x, shape=(self.dim,))
        if B is None or self.dim == 1 or self.contains(x):
            return np.minimum(np.maximum(x, self.low), self.high)
        from scipy.optimize import lsq_linear  # half a second, which no call of `fedmm` should wait for

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


def _bounds(name: str, given) -> Array:
    """Bounds of a box, of its own; they may be infinite."""
    try:
        array = np.atleast_1d(np.asarray(given))
    except ValueError as error:
        raise InvalidInput(f"box bound {name} = {given!r:.100}: give a vector.") from error
    if np.isnan(array).any() if array.dtype.kind == "f" else array.dtype.kind not in "iub":
        raise InvalidInput(f"box bound {name} = {given!r:.100}: give real numbers, or ±inf.")
    return array.astype(np.float64)


class PSDCone(ConvexSet):
    """𝓜_K⁺: symmetric positive semidefinite K × K matrices, row after row in a vector of length K².

    Eigenvalues are known up to rounding only: one that is negative by no more than rounding counts as 0.

    >>> PSDCone(2).project(np.array([1.0, 4.0, 0.0, 1.0]))
    array([1.5, 1.5, 1.5, 1.5])
    """

    def __init__(self, K: int) -> None:
        self.K = as_count("K", K)
        self.dim = self.K**2

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        x = np.asarray(x, dtype=np.float64)
        if x.shape != (self.dim,) or not all_finite(x):
            return False
        X = x.reshape(self.K, self.K)
        if np.count_nonzero(X == X.T) == x.size and have_factors(X):
            return True  # as nearly always, and soon known
        rounding = 8.0 * self.K * EPS * float(np.abs(x).max())
        if np.abs(X - X.T).max() > 2.0 * tol + rounding:
            return False
        return no_eigenvalue_below((X + X.T) / 2.0, -(tol + rounding))

    def project(self, x: Array, B: Array | None = None) -> Array:
        x = as_array("x", x, shape=(self.dim,))
        if B is not None:
            return nearest_in_norm(self, x, B)
        X = x.reshape(self.K, self.K)
        symmetric = (X + X.T) / 2.0
        if have_factors(symmetric) or no_eigenvalue_below(
            symmetric, -8.0 * self.K * EPS * float(np.abs(symmetric).max())
        ):
            return symmetric.ravel()
        values, vectors = np.linalg.eigh(symmetric)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return (root @ root.T).ravel()


class ColumnBalls(ConvexSet):
    """{θ ∈ ℝ^{p × K} : ‖θ_{·k}‖ ≤ 1 for each column k}, row after row in a vector of length pK.

    A norm that exceeds 1 by no more than rounding counts as 1.
    """

    def __init__(self, p: int, K: int) -> None:
        self.shape = (as_count("p", p), as_count("K", K))
        self.dim = p * K

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        x = np.asarray(x, dtype=np.float64)
        if x.shape != (self.dim,):
            return False
        rounding = (self.shape[0] + 4) * EPS
        return bool((np.linalg.norm(x.reshape(self.shape), axis=0) <= 1.0 + tol + rounding).all())

    def project(self, x: Array, B: Array | None = None) -> Array:
        x = as_array("x", x, shape=(self.dim,))
        if B is not None:
            return nearest_in_norm(self, x, B)
        columns = x.reshape(self.shape)
        return (columns / np.maximum(np.linalg.norm(columns, axis=0), 1.0)).ravel()


@dataclass(frozen=True)
class Simplex(ConvexSet):
    """{s ∈ ℝ^dim: s ≥ 0, Σ s = total}, total > 0.

    >>> Simplex(3).project(np.array([0.5, 1.5, -3.0]))
    array([0., 1., 0.])
    """

    dim: int
    total: float = 1.0

    def __post_init__(self) -> None:
        as_count("dim", self.dim)
        in_interval("total", self.total, low=0.0, high=np.finfo(np.float64).max, open_low=True)

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        if np.shape(x) != (self.dim,) or not all_finite(np.asarray(x)):
            return False
        rounding = 4 * EPS * max(1.0, self.total)
        near = abs(float(np.add.reduce(x)) - self.total) <= (tol + rounding) * len(x)
        return near and np.count_nonzero(x >= -tol) == len(x)

    def project(self, x: Array, B: Array | None = None) -> Array:
        """For a diagonal B, max(x_ℓ − c/B_ℓℓ, 0) for the one c that fits (Held et al. 1974 for B = I)."""
        x, b = as_array("x", x, shape=(self.dim,)), 1.0
        if B is not None:
            spd_factor(B, self.dim)
            b = np.diag(B)
            if (np.diag(b) != B).any():
                return nearest_in_norm(self, x, B)
        order = (-x * b).argsort()
        sums = np.arange(1.0, self.dim + 1.0) if B is None else (1.0 / np.diag(B)[order]).cumsum()
        c = (x.take(order).cumsum() - self.total) / sums
        kept = ((x * b).take(order) > c).nonzero()[0]
        if not kept.size:  # beside so large an x no digit of `total` is left; x and x − c/b have one projection
            return self.project(x - (x * b).max() / b, B)
        return np.maximum(x - c[kept[-1]] / b, 0.0)


class Product(ConvexSet):
    """The product of sets: their vectors one after the other.

    >>> Product(Box([0.0], [1.0]), WholeSpace(1)).project(np.array([2.0, 5.0]))
    array([1., 5.])
    """

    def __init__(self, *factors: ConvexSet) -> None:
        if not factors:
            raise InvalidInput("a product of no sets: give at least one.")
        self.factors = factors
        ends = [0, *np.cumsum([factor.dim for factor in factors]).tolist()]
        self.cuts = list(pairwise(ends))
        self.dim = ends[-1]

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        if np.shape(x) != (self.dim,):
            return False
        x = np.asarray(x)
        return all(f.contains(x[i:j], tol) for f, (i, j) in zip(self.factors, self.cuts, strict=True))

    def project(self, x: Array, B: Array | None = None) -> Array:
        x = as_array("x", x, shape=(self.dim,))
        if B is not None:
            return nearest_in_norm(self, x, B)
        return np.concatenate([f.project(x[i:j]) for f, (i, j) in zip(self.factors, self.cuts, strict=True)])


def nearest_in_norm(of: ConvexSet, x: Array, B: Array, tol: float = 1e-10) -> Array:
    """The point of the set nearest to x in the B-norm, from Euclidean projections P alone, to `tol`·(1 + ‖x‖).

    Accelerated projected gradient on ½(s − x)ᵀB(s − x), whose Hessian has eigenvalues in [μ, L]. For s⁺ = P(s − B(s −
    x)/L), the optimality conditions of s⁺ and of the minimiser s⋆ add up to ‖s⁺ − s⋆‖ ≤ (L/μ − 1)‖s⁺ − s‖: the loop
    ends when this bound is small. `InvalidInput` when B is so badly conditioned that rounding hides it.
    """
    spd_factor(B, of.dim)
    values = np.linalg.eigvalsh(B)
    ratio = float(values[-1] / values[0])
    steps = 100 + int(60.0 * np.sqrt(ratio)) if ratio * EPS < tol else 0  # e⁻⁶⁰ is below rounding
    momentum = (np.sqrt(ratio) - 1.0) / (np.sqrt(ratio) + 1.0)
    s = before = of.project(x)
    for _ in range(steps):
        point = s + momentum * (s - before)
        before, s = s, of.project(point - B @ (point - x) / values[-1])
        if (ratio - 1.0) * np.linalg.norm(s - point) <= tol * (1.0 + np.linalg.norm(x)):
            return s
    raise InvalidInput(f"B has condition number {ratio:.3g}, too large to project in its norm: use a larger λ_min(B).")


def no_eigenvalue_below(matrices: Array, bound: float | Array) -> bool:
    """Whether all eigenvalues of symmetric matrices (..., K, K) reach their `bound`, shape (...), up to rounding."""
    shifted = matrices.copy()
    shifted.reshape(*matrices.shape[:-2], -1)[..., :: matrices.shape[-1] + 1] -= np.asarray(bound)[..., None]
    return have_factors(shifted) or bool((np.linalg.eigvalsh(matrices)[..., 0] >= bound).all())


def have_factors(matrices: Array) -> bool:
    """Whether symmetric matrices (..., K, K) have Cholesky factors: several times cheaper to know than eigenvalues, and
    in the interior of the cone they have. Then no eigenvalue is below 0 by more than rounding."""
    try:
        np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        return False
    return True


def spd_factor(B: Array, dim: int) -> Array:
    """The lower Cholesky factor of B, or `InvalidInput` when B is not symmetric positive definite."""
    B = as_array("B", B, shape=(dim, dim))
    if not np.allclose(B, B.T, rtol=1e-12, atol=0.0):
        raise InvalidInput("B is not symmetric: a norm needs a symmetric matrix; pass (B + B.T)/2.")
    try:
        return np.linalg.cholesky(B).astype(np.float64, copy=False)
    except np.linalg.LinAlgError as error:
        least = float(np.linalg.eigvalsh(B)[0])
        raise InvalidInput(f"B has smallest eigenvalue {least:.3g}: it must be positive definite (A7(ii)).") from error
