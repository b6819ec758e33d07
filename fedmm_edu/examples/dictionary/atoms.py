"""Penalties and constraints g on the dictionary, each with the minimiser T of MM-2 (eq. `MF:tool2`).

All have the form g = η‖θ‖² + a constraint. With c and A = s₁ + (η/c)I, T(s) minimises ½Tr(θᵀθA) − Tr(θᵀs₂) under the
constraint. A ≻ 0 makes it unique: that is so for η > 0 on all of 𝒮, and for η = 0 only where s₁ ≻ 0, that is where the
codes of the samples span ℝ^K. An atom that no code uses (a zero row and column of s₁, s₂) becomes 0 when η > 0. A new
constraint is a class here, with all that is said of it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.linalg import solve_triangular

from fedmm_edu.arrays import Array
from fedmm_edu.convex_sets import Box, ColumnBalls, ConvexSet, WholeSpace
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.examples.dictionary.coders import certified_codes
from fedmm_edu.examples.gram import solve_normal_equations
from fedmm_edu.faces import Faces
from fedmm_edu.sparse_coding import CodePenalty

if TYPE_CHECKING:
    import sympy as sp


@dataclass(frozen=True)
class AtomsTwin:
    """T of one atom in SymPy, with Θ and the samples for which the code h = θᵀZ/(‖θ‖² + κ) has no cases.

    wrong: formulas for T that look likely, each with the row of `check_model` that refutes it.
    """

    T: sp.Expr
    Theta: tuple[sp.Basic, ...] = ()
    Z: tuple[sp.Basic, ...] = ()
    wrong: Mapping[str, tuple[str, sp.Expr]] = field(default_factory=dict)


class Atoms(Faces, ABC):
    """g(θ) = η‖θ‖² on the convex set `domain`, +inf outside."""

    eta: float
    name: ClassVar[str]
    """In the names of models and rows; empty for no constraint."""
    reach: ClassVar[float]
    """The supremum of the length of an atom over Θ, or inf."""
    nonnegative: ClassVar[bool]
    """Whether θ ≥ 0 on Θ."""
    kink: ClassVar[str]
    """Where T has a kink, in words; empty if it has none."""

    def __post_init__(self) -> None:
        in_interval("eta", self.eta, low=0.0, high=np.finfo(np.float64).max)

    @abstractmethod
    def domain(self, p: int, K: int) -> ConvexSet:
        """Θ, of dimension pK."""

    @abstractmethod
    def minimiser(self, A: Array, b: Array) -> Array:
        """argmin over Θ of ½Tr(θᵀθA) − Tr(θᵀb), shape (p, K); `InvalidInput` for a singular A."""

    @classmethod
    @abstractmethod
    def twin(cls, theta: sp.Symbol, z: sp.Symbol, free: sp.Expr) -> AtomsTwin:
        """The same for p = K = 1, where `free` is T(s) without a constraint."""


@dataclass(frozen=True)
class Unconstrained(Atoms):
    """g(θ) = η‖θ‖² (the squared sum of all entries), as in the experiments: T(s) = s₂(s₁ + (η/c)I)⁻¹."""

    eta: float
    name, reach, nonnegative, kink = "", math.inf, False, ""

    def domain(self, p: int, K: int) -> ConvexSet:
        return WholeSpace(p * K)

    def minimiser(self, A: Array, b: Array) -> Array:
        return solve_normal_equations(A, b.T).T

    @classmethod
    def twin(cls, theta: sp.Symbol, z: sp.Symbol, free: sp.Expr) -> AtomsTwin:
        return AtomsTwin(free)


@dataclass(frozen=True)
class NonNegative(Atoms):
    """g(θ) = η‖θ‖² for θ ≥ 0: the dictionary of non-negative matrix factorisation.

    With A = LLᵀ, row i of T(s) is the non-negative code of L⁻¹b_i for the dictionary Lᵀ: p least-squares problems.
    """

    eta: float
    name, reach, nonnegative, kink = "non-negative", math.inf, True, "where an entry reaches 0"

    def domain(self, p: int, K: int) -> ConvexSet:
        return Box(np.zeros(p * K), np.full(p * K, np.inf))

    def minimiser(self, A: Array, b: Array) -> Array:
        free = solve_normal_equations(A, b.T).T
        if (free >= 0.0).all():
            return free
        L = np.linalg.cholesky(A)
        rows, penalty = solve_triangular(L, b.T, lower=True).T, CodePenalty(0.0, nonnegative=True)
        return certified_codes(rows, np.asarray(L.T, dtype=np.float64), penalty, 1e-13)

    @classmethod
    def twin(cls, theta: sp.Symbol, z: sp.Symbol, free: sp.Expr) -> AtomsTwin:
        import sympy as sp

        top, bottom = free.as_numer_denom()
        wrong = {"negative atoms dropped": ("MM-2: T in Theta", free)}
        return AtomsTwin(sp.Max(top, 0) / bottom, (theta >= 0,), (z >= 0,), wrong)


@dataclass(frozen=True)
class UnitBall(Atoms):
    """g(θ) = η‖θ‖² for ‖θ_{·k}‖ ≤ 1, k = 1, …, K: the closed set of Mairal et al. (2010), theirs with η = 0."""

    eta: float = 0.0
    name, reach, nonnegative, kink = "unit ball", 1.0, False, "where an atom reaches length 1"

    def domain(self, p: int, K: int) -> ConvexSet:
        return ColumnBalls(p, K)

    def minimiser(self, A: Array, b: Array) -> Array:
        """By Newton's method on the dual, K numbers λ ≥ 0 with θ = b(A + diag λ)⁻¹.

        The dual function to maximise is −½Tr(b(A + diag λ)⁻¹bᵀ) − ½Σλ_k; its gradient is ½(‖θ_k‖² − 1), its Hessian
        −(θᵀθ) ∘ (A + diag λ)⁻¹. Steps are projected onto λ ≥ 0 (Bertsekas 1982) and halved until they ascend. Let θ̃ be
        θ with the columns of norm n_k > 1 or of λ_k > 0 rescaled to norm 1. Its duality gap is ½Tr((θ̃ − θ)A(θ̃ − θ)ᵀ) +
        ½Σ λ_k(n_k − 1)², and is at least ½Tr((θ̃ − T(s))A(θ̃ − T(s))ᵀ): the loop ends when this certifies twelve digits.
        """
        inside = solve_normal_equations(A, b.T).T
        if (_lengths(inside) <= 1.0).all():
            return inside
        root = (
            np.asarray(np.linalg.qr(b, mode="r")) if len(b) > len(A) else b
        )  # columns of root M are as long as those of bM
        lam = np.zeros(len(A))
        M, theta, value = _dual(A, root, lam)
        for count in range(100):
            norms = _lengths(theta)
            scale = _to_spheres(norms, lam)
            move = theta * (scale - 1.0)
            gap = 0.5 * float((move @ A * move).sum() + lam @ (norms - 1.0) ** 2)
            digits = 1e-12 if count < 50 else 1e-9  # rounding may hide the last ones where A is nearly singular
            if np.sqrt(2.0 * gap) <= digits * np.sqrt(np.trace(A) + lam.sum()):
                found = np.asarray(np.linalg.solve(_raised(A, lam), b.T), dtype=np.float64).T
                return found * _to_spheres(_lengths(found), lam)
            slope = 0.5 * (norms**2 - 1.0)
            free = (lam > 0.0) | (slope > 0.0)
            curvature = (theta.T @ theta * M)[free][:, free]
            curvature = _raised(curvature, 1e-14 * np.trace(curvature))  # an atom that is 0 has none
            step = np.zeros_like(lam)
            step[free] = np.linalg.solve(curvature, slope[free])
            lam, (M, theta, value) = _ascend(A, root, lam, step, slope, value)
        raise InvalidInput("the dictionary in the unit ball was not found in 100 steps: s₁ is too near to singular.")

    @classmethod
    def twin(cls, theta: sp.Symbol, z: sp.Symbol, free: sp.Expr) -> AtomsTwin:
        import sympy as sp

        wrong = {"ball not applied": ("MM-2: T in Theta", free)}
        return AtomsTwin(sp.Min(sp.Max(free, -1), 1), (theta >= -1, theta <= 1), wrong=wrong)


EACH_ATOMS: tuple[type[Atoms], ...] = (Unconstrained, UnitBall, NonNegative)
"""Every kind, of which the models are made."""


_Dual = tuple[Array, Array, float]
"""(A + diag λ)⁻¹, the columns θ up to a rotation, and the negative dual function."""


def _dual(A: Array, root: Array, lam: Array) -> _Dual:
    """At λ, for a root whose columns have the products bᵀb."""
    M = np.asarray(np.linalg.inv(_raised(A, lam)), dtype=np.float64)
    theta = root @ M
    return M, theta, 0.5 * float((theta * root).sum() + lam.sum())


def _ascend(A: Array, root: Array, lam: Array, step: Array, slope: Array, value: float) -> tuple[Array, _Dual]:
    """λ, and the `_dual` there, after the longest of the steps 1, ½, ¼, …, 2⁻³⁹ that gains, up to rounding, 1e-4 of
    what its slope promises."""
    length = 1.0
    while True:
        new = np.maximum(lam + length * step, 0.0)
        there = _dual(A, root, new)
        gain = value - there[2]
        length /= 2.0
        if gain >= 1e-4 * float(slope @ (new - lam)) - 1e-12 * abs(value) or length <= 1e-12:
            return new, there


def _raised(A: Array, by: Array | float) -> Array:
    """A + diag(by)."""
    out = A.copy()
    out.reshape(-1)[:: len(A) + 1] += by
    return out


def _lengths(columns: Array) -> Array:
    """‖·‖ of each column: shape (K,). `np.linalg.norm` has these bits, in twice the time where they are few."""
    return np.sqrt((columns * columns).sum(axis=0))


def _to_spheres(norms: Array, lam: Array) -> Array:
    """The factors that bring the columns of norm > 1, and those of λ_k > 0, to norm 1."""
    return 1.0 / np.where((norms > 1.0) | (lam > 0.0), np.maximum(norms, np.finfo(np.float64).tiny), 1.0)
