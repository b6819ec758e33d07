"""The codes M(Z, θ) = argmin_h c‖Z − θh‖² + χ(h) (eq. `MF:tool1`), for each penalty χ that the kernel offers.

A new χ is a class here, with all that is said of it. Of χ = λ‖·‖₁ + (κ/2)‖·‖² and a code h of Z for θ, r = Z − θh:

- λ‖h‖₁ + κ‖h‖² = 2c⟨θh, r⟩ ≤ c‖Z‖²/2, so that ‖h‖ ≤ H, the root of λH + κH² = c‖Z‖²/2 (attained by one atom);
- |2c⟨θ_k, r⟩| = λ + κ|h_k| for the atoms in use, ≤ λ for the others.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.gram import dense
from fedmm_edu.faces import Faces
from fedmm_edu.sparse_coding import CodePenalty, codes


def certified_codes(z: Array, theta: Array, penalty: CodePenalty, tol: float, start: Array | None = None) -> Array:
    """The codes whose optimality condition holds up to tol·max(1, ‖Z‖ max_k‖θ_{·k}‖), row by row: shape (N, K).

    The bound of a sample depends on nothing but this sample and θ; the second term leaves room for rounding.
    """
    found = codes(z, theta, penalty, start=start, tol=tol, uncertified="return")
    over = np.flatnonzero(~(found.violation <= tol))
    if over.size:
        rows = dense(z[over])
        allowed = tol * np.maximum(1.0, np.linalg.norm(rows, axis=1) * np.linalg.norm(theta, axis=0).max())
        excess = found.violation[over] / allowed
        if not (excess <= 1.0).all():
            worst = over[np.argmax(excess)]
            raise InvalidInput(
                f"the code of sample {worst} is optimal up to {found.violation[worst]:.1e} only, more than "
                f"tol = {tol:.1e} times its size: choose a larger tol, or rescale the samples."
            )
    return found.h


Tie = tuple[Array, Array, Array, Array]
"""A dictionary at which a sample has two codes, a move of it, and two dictionaries near it with one code each."""


class Coder(Faces, ABC):
    """A penalty χ on ℝ^K, +inf outside its domain, with its codes."""

    nonnegative: bool
    """Whether χ is +inf where h ≥ 0 does not hold."""

    @property
    @abstractmethod
    def tie(self) -> str:
        """Where f has a kink, since a sample has two codes, in words; empty if codes are unique and continuous."""

    @abstractmethod
    def tied(self, z: Array, K: int, gap: float) -> Tie | None:
        """A tie of the sample z, shape (p,), with dictionaries of shape (p, K) on both sides, `gap` away; or None."""

    @abstractmethod
    def longest(self, energy: Array) -> Array:
        """A bound H on ‖h‖ over all dictionaries, for samples with energy = c‖Z‖², shape (N,)."""

    @abstractmethod
    def change(self, z: Array, c: float, K: int, delta: float) -> tuple[Array, Array]:
        """For p = 1: bounds on how fast codes of z change along a move (U, V) of s, per ‖U‖ and per ‖V‖; else inf."""

    @abstractmethod
    def encode(self, z: Array, theta: Array, c: float, *, start: Array | None, tol: float) -> Array:
        """The codes of z, shape (N, p), dense or CSR, for the dictionary theta, shape (p, K): shape (N, K)."""

    @abstractmethod
    def chi(self, h: Array) -> Array:
        """χ of each row of h: shape (N,)."""


@dataclass(frozen=True)
class SparseCodes(Coder):
    """χ(h) = λ‖h‖₁ + (κ/2)‖h‖², over all h or over h ≥ 0: the lasso, the elastic net, and the codes of NMF.

    The code is unique for κ > 0 (in the ledger: `dl-uniqueness`); else it is one of the minimisers.
    """

    lam: float
    ridge: float = 0.0
    nonnegative: bool = False

    def __post_init__(self) -> None:
        self._penalty(1.0)  # its own checks, by name

    def encode(self, z: Array, theta: Array, c: float, *, start: Array | None, tol: float) -> Array:
        return certified_codes(z, theta, self._penalty(2.0 * c), tol, start)

    def chi(self, h: Array) -> Array:
        return self._penalty(1.0).value(h)

    @property
    def tie(self) -> str:
        return "" if self.ridge > 0.0 else "two atoms compete for a code that is not unique (row dl-A2)"

    def tied(self, z: Array, K: int, gap: float) -> Tie | None:
        """Two atoms along z of the same length: which of them serves is a matter of the gap."""
        if self.ridge > 0.0:
            return None
        theta, first = np.zeros((len(z), K)), np.zeros((len(z), K))
        first[:, 0] = 1.0
        theta[:, :2] = 0.9 * (z / float(np.linalg.norm(z)))[:, None]
        move = theta * first
        return theta, move, theta + gap * move, theta + gap * theta * np.roll(first, 1, axis=1)

    def longest(self, energy: Array) -> Array:
        b = energy / 2.0
        root = self.lam + np.sqrt(self.lam**2 + 4.0 * self.ridge * b)
        return np.divide(2.0 * b, root, out=np.zeros_like(b), where=b > 0.0)  # the code of Z = 0 is 0

    def change(self, z: Array, c: float, K: int, delta: float) -> tuple[Array, Array]:
        """With A the atoms in use, M = 2cθ_Aᵀθ_A + κI and dT = (V − TU)(s₁ + δI)⁻¹:

        dh_A = M⁻¹(2c dT_Aᵀr − 2cθ_Aᵀ dT h). Its first term is at most (2c|Z| ‖V‖ + (√K λ + κH)‖U‖)/(κδ); in the
        second, ‖M⁻¹2cθ_Aᵀ‖ ≤ √(2c)/(2√κ), and ‖M⁻¹2cθ_Aᵀθ‖ ≤ √K, for no atom is longer than the longest in use.
        """
        if self.ridge == 0.0:
            return np.full(len(z), math.inf), np.full(len(z), math.inf)
        lam, kappa, size, H = self.lam, self.ridge, np.abs(z[:, 0]), self.longest(c * (z**2).sum(axis=1))
        in_U = ((math.sqrt(K) * lam + kappa * H) / kappa + math.sqrt(K) * H) / delta
        in_V = (2.0 * c * size / kappa + math.sqrt(c / (2.0 * kappa)) * H) / delta
        return in_U, in_V

    def _penalty(self, scale: float) -> CodePenalty:
        """χ/scale: with 2c, the fit becomes ½‖Z − θh‖²."""
        return CodePenalty(self.lam / scale, self.ridge / scale, self.nonnegative)


@dataclass(frozen=True)
class OneHot(Coder):
    """χ = 0 on the unit vectors e_1, …, e_K, +inf elsewhere: k-means, an atom being a centre.

    Each sample goes to its nearest atom, the first of them where several are equally near.
    """

    nonnegative = True

    def encode(self, z: Array, theta: Array, c: float, *, start: Array | None, tol: float) -> Array:
        distance = (theta**2).sum(axis=0) - 2.0 * (z @ theta)  # less ‖z‖², which all atoms share
        return np.eye(distance.shape[1])[np.argmin(distance, axis=1)]

    def chi(self, h: Array) -> Array:
        return np.zeros(len(h))

    @property
    def tie(self) -> str:
        return "a sample is equally near to two centres"

    def tied(self, z: Array, K: int, gap: float) -> Tie:
        """The middle between two centres; the others are far."""
        first = np.zeros((len(z), K))
        first[:, 0] = 1.0
        theta = 1e3 + np.arange(K) * np.ones((len(z), 1))
        theta[:, 0], theta[:, 1] = z - 1.0, z + 1.0
        return theta, first, theta + gap * first, theta - gap * first

    def longest(self, energy: Array) -> Array:
        return np.ones(len(energy))

    def change(self, z: Array, c: float, K: int, delta: float) -> tuple[Array, Array]:
        return np.full(len(z), math.inf), np.full(len(z), math.inf)
