"""The codes M(Z, θ) = argmin_h c‖Z − θh‖² + χ(h) (eq. `MF:tool1`), for each penalty χ that the kernel offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.sparse_coding import CodePenalty, codes


def certified_codes(z: Array, theta: Array, penalty: CodePenalty, tol: float, start: Array | None = None) -> Array:
    """The codes whose optimality condition holds up to tol·max(1, ‖Z‖ max_k‖θ_{·k}‖), row by row: shape (N, K).

    The bound of a sample depends on nothing but this sample and θ; the second term leaves room for rounding.
    """
    found = codes(z, theta, penalty, start=start, tol=tol, uncertified="return")
    over = np.flatnonzero(~(found.violation <= tol))
    if over.size:
        rows = z[over].toarray() if sp.issparse(z) else z[over]
        allowed = tol * np.maximum(1.0, np.linalg.norm(rows, axis=1) * np.linalg.norm(theta, axis=0).max())
        excess = found.violation[over] / allowed
        if not (excess <= 1.0).all():
            worst = over[np.argmax(excess)]
            raise InvalidInput(
                f"the code of sample {worst} is optimal up to {found.violation[worst]:.1e} only, more than "
                f"tol = {tol:.1e} times its size: choose a larger tol, or rescale the samples."
            )
    return found.h


class Coder(ABC):
    """A penalty χ on ℝ^K, +inf outside its domain, with its codes."""

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

    def _penalty(self, scale: float) -> CodePenalty:
        """χ/scale: with 2c, the fit becomes ½‖Z − θh‖²."""
        return CodePenalty(self.lam / scale, self.ridge / scale, self.nonnegative)


@dataclass(frozen=True)
class OneHot(Coder):
    """χ = 0 on the unit vectors e_1, …, e_K, +inf elsewhere: k-means, an atom being a centre.

    Each sample goes to its nearest atom, the first of them where several are equally near.
    """

    def encode(self, z: Array, theta: Array, c: float, *, start: Array | None, tol: float) -> Array:
        distance = (theta**2).sum(axis=0) - 2.0 * (z @ theta)  # less ‖z‖², which all atoms share
        h = np.zeros(distance.shape)
        h[np.arange(len(h)), np.argmin(distance, axis=1)] = 1.0
        return h

    def chi(self, h: Array) -> Array:
        return np.zeros(len(h))
