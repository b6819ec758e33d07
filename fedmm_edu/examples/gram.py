"""What the examples with a matrix statistic share: products of samples client by client, and normal equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from fedmm_edu.arrays import Array, Offsets, counts_of
from fedmm_edu.convex_sets import EPS
from fedmm_edu.errors import InvalidInput
from fedmm_edu.rows import segment_batches


def dense(rows: Any) -> Array:
    """Samples, dense or CSR, as an array."""
    return rows.toarray() if sp.issparse(rows) else np.asarray(rows)


def client_products(a: Array, b: Array, offsets: Offsets) -> Array:
    """A_iᵀB_i for each client i, the rows offsets[i]:offsets[i+1] of a (dense or CSR) and b (dense): shape (m, p, K).

    What a client gets depends on its own rows only, bit for bit; where a is b, it is exactly symmetric.
    """
    if not sp.issparse(a):
        return segment_batches(lambda a, b: np.matmul(a.transpose(0, 2, 1), b), offsets, a, b)
    rows: Any = a  # CSR: one product with the transposed rows of each client below those of the one before
    m, (N, p) = len(offsets) - 1, rows.shape
    below = np.repeat(p * np.arange(m), counts_of(rows.indptr[offsets]))
    return (sp.csc_array((rows.data, rows.indices + below, rows.indptr), shape=(m * p, N)) @ b).reshape(m, p, -1)


def solve_normal_equations(A: Array, b: Array, name: str = "s₁") -> Array:
    """A⁻¹b for a symmetric A that must be positive definite beyond rounding; `InvalidInput` says what `name` lacks."""
    try:
        least = 4.0 * len(A) * EPS * max(A.diagonal().tolist())
        regular = all(root * root > least for root in np.linalg.cholesky(A).diagonal().tolist())
    except np.linalg.LinAlgError:
        regular = False
    if not regular:
        raise InvalidInput(
            f"{name} is singular (an atom or a direction that no sample uses), so T(s) is not unique: choose eta > 0."
        )
    return np.asarray(np.linalg.solve(A, b), dtype=np.float64)
