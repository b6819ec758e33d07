"""What a code is: the penalty, the certificate, and what may be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from fedmm_edu.arrays import Array, Indices, Samples, as_array
from fedmm_edu.errors import InvalidInput, in_interval

_SPARSE = (sp.sparray, sp.spmatrix)


@dataclass(frozen=True)
class CodePenalty:
    """χ(h) = λ‖h‖₁ + (ridge/2)‖h‖², restricted to h ≥ 0 if `nonnegative`; λ ≥ 0, ridge ≥ 0."""

    lam: float
    ridge: float = 0.0
    nonnegative: bool = False

    def __post_init__(self) -> None:
        largest = float(np.finfo(np.float64).max)
        object.__setattr__(self, "lam", in_interval("lam", self.lam, low=0.0, high=largest))
        object.__setattr__(self, "ridge", in_interval("ridge", self.ridge, low=0.0, high=largest))

    def value(self, h: Array) -> Array:
        """χ of each row of `h` (N, K); +inf where h ≥ 0 is asked and fails."""
        values = self.lam * np.abs(h).sum(axis=1) + 0.5 * self.ridge * (h * h).sum(axis=1)
        return np.where((h < 0).any(axis=1), np.inf, values) if self.nonnegative else values


@dataclass(frozen=True)
class Codes:
    """Codes with their certificate, one row per sample.

    h: (N, K). violation: (N,), the largest distance of −gradient_j to the subdifferential of λ|·| at h_j (absolute).
    iterations: (N,), linear systems solved, events of the path and moves of one coefficient (reference path: proximal
    steps and systems).
    """

    h: Array
    violation: Array
    iterations: Indices


def distance_to_subdifferential(h: Array, descent: Array, penalty: CodePenalty) -> Array:
    """max_j dist(descent_j, λ∂|h_j| (+ normal cone of h ≥ 0)) per row; `descent` is −gradient of the smooth part."""
    at_zero = descent - penalty.lam if penalty.nonnegative else np.abs(descent) - penalty.lam
    gaps = np.where(h == 0, np.maximum(at_zero, 0.0), np.abs(descent - penalty.lam * np.sign(h)))
    if penalty.nonnegative:
        gaps = np.where(h < 0, np.inf, gaps)
    return gaps.max(axis=1, initial=0.0)


def kkt_violation(z: Samples, theta: ArrayLike, penalty: CodePenalty, h: ArrayLike) -> Array:
    """How far each row of `h` is from optimal, shape (N,): 0 exactly at a minimiser, +inf if h ≥ 0 is asked and fails.

    Computed from the residual θh − z, not from the Gram matrix that the solvers use.
    """
    samples, dictionary = check_samples(z, theta)
    code = as_array("h", h, shape=(samples.shape[0], dictionary.shape[1]))
    residual = np.asarray(samples - code @ dictionary.T)
    return distance_to_subdifferential(code, residual @ dictionary - penalty.ridge * code, penalty)


def check_samples(z: Samples, theta: ArrayLike, *, later: bool = False) -> tuple[Any, Array]:
    """`z` (N, p) as a C-ordered array or a canonical CSR array, `theta` (p, K), both finite; else `InvalidInput`.

    later: whether the caller sees to it that both are finite.
    """
    dictionary = as_array("theta", theta, shape=(None, None), finite=later)
    p, size = dictionary.shape
    if p == 0 or size == 0:
        raise InvalidInput(f"theta has shape {dictionary.shape}: give it at least one row and one atom (column).")
    if not isinstance(z, _SPARSE):
        return np.ascontiguousarray(as_array("z", z, shape=(None, p), finite=later)), dictionary
    rows: Any = sp.csr_array(z, dtype=np.float64)
    if rows.shape[1] != p:
        raise InvalidInput(f"z has shape {rows.shape}, expected (any, {p}): theta has {p} rows.")
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    as_array("z.data", rows.data, shape=(None,), finite=later)
    return rows, dictionary


def check_unique(gram: Array, penalty: CodePenalty) -> None:
    """Refuse λ = 0 without a ridge where θ has dependent columns: then a whole affine set minimises."""
    if penalty.lam > 0 or penalty.ridge > 0:
        return
    size = len(gram)
    values = np.linalg.eigvalsh(gram)
    if values[0] <= 64 * size * np.finfo(np.float64).eps * max(values[-1], 0.0):
        raise InvalidInput(
            f"lam = ridge = 0 and the {size} atoms of theta are linearly dependent (eigenvalues of thetaᵀtheta from "
            f"{values[0]:.1e} to {values[-1]:.1e}): codes are not unique; give lam > 0 or ridge > 0, or drop atoms."
        )
