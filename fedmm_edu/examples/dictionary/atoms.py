"""Penalties and constraints g on the dictionary, each with the minimiser T of MM-2 (eq. `MF:tool2`).

All have the form g = η‖θ‖² + a constraint. With c and A = s₁ + (η/c)I, T(s) minimises ½Tr(θᵀθA) − Tr(θᵀs₂) under the
constraint. A ≻ 0 makes it unique: that is so for η > 0 on all of 𝒮, and for η = 0 only where s₁ ≻ 0, that is where the
codes of the samples span ℝ^K. An atom that no code uses (a zero row and column of s₁, s₂) becomes 0 when η > 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from fedmm_edu.arrays import Array
from fedmm_edu.convex_sets import Box, ColumnBalls, ConvexSet, WholeSpace
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.examples.dictionary.coders import certified_codes
from fedmm_edu.examples.gram import solve_normal_equations
from fedmm_edu.sparse_coding import CodePenalty

_LARGEST = np.finfo(np.float64).max


class Atoms(ABC):
    """g(θ) = η‖θ‖² on the convex set `domain`, +inf outside."""

    eta: float

    @abstractmethod
    def domain(self, p: int, K: int) -> ConvexSet:
        """Θ, of dimension pK."""

    @abstractmethod
    def minimiser(self, A: Array, b: Array) -> Array:
        """argmin over Θ of ½Tr(θᵀθA) − Tr(θᵀb), shape (p, K); `InvalidInput` for a singular A."""


@dataclass(frozen=True)
class Ridge(Atoms):
    """g(θ) = η‖θ‖² (the squared sum of all entries), as in the experiments: T(s) = s₂(s₁ + (η/c)I)⁻¹."""

    eta: float

    def __post_init__(self) -> None:
        in_interval("eta", self.eta, low=0.0, high=_LARGEST)

    def domain(self, p: int, K: int) -> ConvexSet:
        return WholeSpace(p * K)

    def minimiser(self, A: Array, b: Array) -> Array:
        return solve_normal_equations(A, b.T).T


@dataclass(frozen=True)
class NonNegative(Atoms):
    """g(θ) = η‖θ‖² for θ ≥ 0: the dictionary of non-negative matrix factorisation.

    With A = LLᵀ, row i of T(s) is the non-negative code of L⁻¹b_i for the dictionary Lᵀ: p least-squares problems.
    """

    eta: float

    def __post_init__(self) -> None:
        in_interval("eta", self.eta, low=0.0, high=_LARGEST)

    def domain(self, p: int, K: int) -> ConvexSet:
        return Box(np.zeros(p * K), np.full(p * K, np.inf))

    def minimiser(self, A: Array, b: Array) -> Array:
        free = solve_normal_equations(A, b.T).T
        if (free >= 0.0).all():
            return free
        L = np.linalg.cholesky(A)
        return certified_codes(solve_triangular(L, b.T, lower=True).T, L.T, CodePenalty(0.0, nonnegative=True), 1e-13)


@dataclass(frozen=True)
class UnitBall(Atoms):
    """g(θ) = η‖θ‖² for ‖θ_{·k}‖ ≤ 1, k = 1, …, K: the closed set of Mairal et al. (2010), theirs with η = 0."""

    eta: float = 0.0

    def __post_init__(self) -> None:
        in_interval("eta", self.eta, low=0.0, high=_LARGEST)

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
        if (np.linalg.norm(inside, axis=0) <= 1.0).all():
            return inside
        root = np.linalg.qr(b, mode="r") if len(b) > len(A) else b  # columns of root M are as long as those of bM
        lam = np.zeros(len(A))
        for count in range(100):
            M, theta, value = _dual(A, root, lam)
            norms = np.linalg.norm(theta, axis=0)
            scale = _to_spheres(norms, lam)
            move = theta * (scale - 1.0)
            gap = 0.5 * float((move @ A * move).sum() + lam @ (norms - 1.0) ** 2)
            digits = 1e-12 if count < 50 else 1e-9  # rounding may hide the last ones where A is nearly singular
            if np.sqrt(2.0 * gap) <= digits * np.sqrt(np.trace(A) + lam.sum()):
                found = np.linalg.solve(A + np.diag(lam), b.T).T
                return found * _to_spheres(np.linalg.norm(found, axis=0), lam)
            slope = 0.5 * (norms**2 - 1.0)
            free = (lam > 0.0) | (slope > 0.0)
            curvature = (theta.T @ theta * M)[np.ix_(free, free)]
            curvature[np.diag_indices_from(curvature)] += 1e-14 * np.trace(curvature)  # an atom that is 0 has none
            step = np.zeros_like(lam)
            step[free] = np.linalg.solve(curvature, slope[free])
            lam = _ascend(A, root, lam, step, slope, value)
        raise InvalidInput("the dictionary in the unit ball was not found in 100 steps: s₁ is too near to singular.")


def _dual(A: Array, root: Array, lam: Array) -> tuple[Array, Array, float]:
    """(A + diag λ)⁻¹, the columns θ up to a rotation, and the negative dual function."""
    M = np.linalg.inv(A + np.diag(lam))
    theta = root @ M
    return M, theta, 0.5 * float((theta * root).sum() + lam.sum())


def _ascend(A: Array, root: Array, lam: Array, step: Array, slope: Array, value: float) -> Array:
    """λ after the longest of the steps 1, ½, ¼, … that gains, up to rounding, 1e-4 of what its slope promises."""
    length, new = 1.0, lam
    while length > 1e-12:
        new = np.maximum(lam + length * step, 0.0)
        gain = value - _dual(A, root, new)[2]
        if gain >= 1e-4 * float(slope @ (new - lam)) - 1e-12 * abs(value):
            break
        length /= 2.0
    return new


def _to_spheres(norms: Array, lam: Array) -> Array:
    """The factors that bring the columns of norm > 1, and those of λ_k > 0, to norm 1."""
    return 1.0 / np.where((norms > 1.0) | (lam > 0.0), np.maximum(norms, np.finfo(np.float64).tiny), 1.0)
