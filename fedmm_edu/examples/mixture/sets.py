"""The sets 𝒮 and Θ of Gaussian mixtures, with exact Euclidean projections; matrices are stored as by `svec`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import root_scalar

from fedmm_edu.arrays import Array, all_finite, as_array
from fedmm_edu.convex_sets import EPS, ConvexSet, Simplex
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.symmetric import all_at_least, nearest_psd, smat, svec


def _euclidean(B: Array | None) -> None:
    if B is not None:
        raise InvalidInput("this set is projected onto in the Euclidean norm only: use metric='euclidean'.")


@dataclass(frozen=True)
class FreeAndWeights(ConvexSet):
    """ℝ^free × {w ∈ ℝ^L: w ≥ 0, Σ w = 1}, or Σ w ≤ 1 with `at_most=True`."""

    free: int
    L: int
    at_most: bool = False

    @property
    def dim(self) -> int:  # type: ignore[override]
        return self.free + self.L

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        if np.shape(x) != (self.dim,) or not all_finite(np.asarray(x)):
            return False
        w = x[self.free :]
        if self.at_most:
            return bool((w >= -tol).all()) and float(w.sum()) <= 1.0 + (tol + 4 * EPS) * self.L
        return self._simplex.contains(w, tol)

    def project(self, x: Array, B: Array | None = None) -> Array:
        _euclidean(B)
        x = as_array("x", x, shape=(self.dim,)).copy()
        if self.contains(x):
            return x
        w = np.maximum(x[self.free :], 0.0)
        x[self.free :] = w if self.at_most and w.sum() <= 1.0 else self._simplex.project(x[self.free :])
        return x

    @cached_property
    def _simplex(self) -> Simplex:
        return Simplex(self.L)


@dataclass(frozen=True)
class Shares(ConvexSet):
    """{w ∈ ℝ^L: w_ℓ ≥ least, Σ w = 1}, least ≤ 1/L."""

    L: int
    least: float

    @property
    def dim(self) -> int:  # type: ignore[override]
        return self.L

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        return Simplex(self.L).contains(x, tol) and bool((x >= self.least - tol).all())

    def project(self, x: Array, B: Array | None = None) -> Array:
        _euclidean(B)
        x = as_array("x", x, shape=(self.dim,))
        return self.least + Simplex(self.L, 1.0 - self.L * self.least).project(x - self.least)


@dataclass(frozen=True)
class Moments(ConvexSet):
    """{(M_1, …, M_L): M_ℓ ⪰ 0 of size p + 1, Σ_ℓ (M_ℓ)_{last, last} = 1}, the hull of E[r_ℓ (z, 1)(z, 1)ᵀ].

    The nearest point to X is M_ℓ = (X_ℓ + c E)₊ with E = e eᵀ, e the last unit vector, for the one c that makes the
    sum 1: the Lagrangian of the one equation splits into L projections onto the cone. Where they cut nothing, as in
    most rounds, that c is known.
    """

    L: int
    p: int

    @property
    def dim(self) -> int:  # type: ignore[override]
        return self.L * (self.p + 1) * (self.p + 2) // 2

    def matrices(self, x: Array) -> Array:
        """x, shape (..., dim), as matrices, shape (..., L, p + 1, p + 1)."""
        return smat(x.reshape(*x.shape[:-1], self.L, -1), self.p + 1)

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        if np.shape(x) != (self.dim,) or not all_finite(np.asarray(x)):
            return False
        x = np.asarray(x)
        excess = float(self._counts(x).sum()) - 1.0
        return abs(excess) <= (tol + 4 * EPS) * self.L and all_at_least(self.matrices(x), 0.0, tol)

    def project(self, x: Array, B: Array | None = None) -> Array:
        _euclidean(B)
        x = as_array("x", x, shape=(self.dim,)).copy()
        if self.contains(x):
            return x
        X, counts = self.matrices(x), self._counts(x)
        counts += (1.0 - counts.sum()) / self.L
        if self.contains(x):
            return x
        E = np.zeros((self.p + 1, self.p + 1))
        E[-1, -1] = 1.0

        def excess(c: float) -> float:
            return float(nearest_psd(X + c * E)[:, -1, -1].sum()) - 1.0

        low, high, step = 0.0, 0.0, 1.0 + float(np.abs(X).max())
        while excess(high) < 0.0:
            low, high, step = high, high + step, 2 * step
        while excess(low) > 0.0:
            low, high, step = low - step, low, 2 * step
        options = {"bracket": (low, high), "method": "brentq", "xtol": 1e-15 * step, "rtol": 4 * EPS}
        c = low if low == high else float(root_scalar(excess, **options).root)
        return svec(nearest_psd(X + c * E)).reshape(-1)

    def _counts(self, x: Array) -> Array:
        """(M_ℓ)_{last, last}, shape (L,), where they stand in x."""
        return x.reshape(self.L, -1)[:, -1]


@dataclass(frozen=True)
class NaturalParameters(ConvexSet):
    """{(ν, b, Ω): ν_ℓ ≥ least_weight, Σ ν = 1, b ∈ ℝ^{L×p}, Ω_ℓ ⪰ least_precision I}, for ν, Γ_ℓ⁻¹m_ℓ and Γ_ℓ⁻¹."""

    L: int
    p: int
    least_weight: float
    least_precision: float

    @property
    def dim(self) -> int:  # type: ignore[override]
        return self.L * (self.p + 1) * (self.p + 2) // 2

    def split(self, x: Array) -> tuple[Array, Array, Array]:
        """ν (..., L), b (..., L, p) and Ω (..., L, p, p) of x (..., dim)."""
        L, p, front = self.L, self.p, x.shape[:-1]
        b, omega = x[..., L : L + L * p], x[..., L + L * p :]
        return x[..., :L], b.reshape(*front, L, p), smat(omega.reshape(*front, L, -1), p)

    def join(self, weights: Array, b: Array, omega: Array) -> Array:
        """The inverse of `split`."""
        front = weights.shape[:-1]
        return np.concatenate([weights, b.reshape(*front, -1), svec(omega).reshape(*front, -1)], axis=-1)

    def contains(self, x: Array, tol: float = 0.0) -> bool:
        if np.shape(x) != (self.dim,) or not all_finite(np.asarray(x)):
            return False
        weights, _, omega = self.split(np.asarray(x))
        return self._shares.contains(weights, tol) and all_at_least(omega, self.least_precision, tol)

    def project(self, x: Array, B: Array | None = None) -> Array:
        _euclidean(B)
        x = as_array("x", x, shape=(self.dim,)).copy()
        if self.contains(x):
            return x
        weights, b, omega = self.split(x)
        return self.join(self._shares.project(weights), b, nearest_psd(omega, self.least_precision))

    @property
    def _shares(self) -> Shares:
        return Shares(self.L, self.least_weight)
