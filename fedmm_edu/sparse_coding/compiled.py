"""The compiled method: the batch cut into pieces, each solved by `kernel.solve_rows` in a thread of its own.

Threads of Python, which the kernel lets run at once: no thread pool of a compiler's runtime stays behind, so a process
may fork later. Memory beside the result: N numbers and N integers, K² for the Gram matrix, and 2K² per thread.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.sparse as sp

from fedmm_edu.arrays import Array
from fedmm_edu.sparse_coding import kernel
from fedmm_edu.sparse_coding.lanes import LANES
from fedmm_edu.sparse_coding.problem import CodePenalty, Codes

_WORTH_A_THREAD = 4_000_000  # N K² below which starting a thread costs more than it saves
_NONE = np.empty(0, np.int64)


def solve(
    samples: Any,
    theta: Array,
    penalty: CodePenalty,
    start: Array | None,
    tol: float,
    limit: int,
    threads: int | None,
    processors: int,
) -> Codes:
    """Codes of checked input."""
    rows, size = samples.shape[0], theta.shape[1]
    stride = -(-size // LANES) * LANES
    padded = np.zeros((theta.shape[0], stride))
    padded[:, :size] = theta
    gram = kernel.gram_matrix(padded, size, penalty.ridge)
    h, violation, solves = np.empty((rows, size)), np.empty(rows), np.empty(rows, np.int64)
    dense = not sp.issparse(samples)

    def piece(begin: int, end: int) -> None:
        pitch = stride + LANES
        part = slice(begin, end)
        if dense:
            data, indices, indptr = samples[part].ravel(), _NONE, _NONE
        else:
            data, indices, indptr = samples.data, samples.indices, samples.indptr[begin : end + 1]
        kernel.solve_rows(
            data,
            indices.astype(np.int64, copy=False),
            indptr.astype(np.int64, copy=False),
            theta.shape[0],
            padded,
            gram,
            penalty.lam,
            penalty.nonnegative,
            h[part] if start is None else start[part],
            start is not None,
            tol,
            limit,
            np.zeros(2 * pitch * pitch + 8 * pitch),
            np.zeros((4, pitch), np.int64),
            h[part],
            violation[part],
            solves[part],
        )

    if threads is None:
        threads = processors if rows * size * size > _WORTH_A_THREAD else 1
    if threads == 1 or rows < 2:
        piece(0, rows)
    else:
        cuts = np.linspace(0, rows, min(4 * threads, rows) + 1).astype(int)
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(piece, cuts[:-1], cuts[1:]))
    return Codes(h, violation, solves)
