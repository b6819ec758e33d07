"""What the examples with a matrix statistic share: products of samples client by client, and normal equations."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from fedmm_edu.arrays import Array, Offsets
from fedmm_edu.errors import InvalidInput
from fedmm_edu.surrogate import segment_batches


def dense(rows: Any) -> Array:
    """Samples, dense or CSR, as an array."""
    return rows.toarray() if sp.issparse(rows) else np.asarray(rows)


def client_products(a: Array, b: Array, offsets: Offsets) -> Array:
    """A_iᵀB_i for each client i, the rows offsets[i]:offsets[i+1] of a (dense or CSR) and b: shape (m, p, K).

    What a client gets depends on its own rows only, bit for bit; where a is b, it is exactly symmetric.
    """
    if not sp.issparse(a):
        return segment_batches(lambda a, b: np.matmul(a.transpose(0, 2, 1), b), offsets, a, b)
    out = np.empty((len(offsets) - 1, a.shape[1], b.shape[1]))
    for i, (start, stop) in enumerate(pairwise(offsets)):
        rows = a[start:stop]
        out[i] = rows.T @ (rows if b is a else b[start:stop])
    return out


def solve_normal_equations(A: Array, b: Array, name: str = "s₁") -> Array:
    """A⁻¹b for a symmetric A that must be positive definite beyond rounding; `InvalidInput` says what `name` lacks."""
    try:
        pivots = np.diag(np.linalg.cholesky(A)) ** 2
        regular = pivots.min() > 4.0 * len(A) * np.finfo(np.float64).eps * float(np.diag(A).max())
    except np.linalg.LinAlgError:
        regular = False
    if not regular:
        raise InvalidInput(
            f"{name} is singular (an atom or a direction that no sample uses), so T(s) is not unique: choose eta > 0."
        )
    return np.asarray(np.linalg.solve(A, b), dtype=np.float64)
