"""The compiled solver: one sample at a time on the K × K Gram matrix, many samples per call, no allocation per sample.

For one sample, with G = θᵀθ + ridge·I and c = θᵀz, minimise ½hᵀGh − cᵀh + λ‖h‖₁ (h ≥ 0 if `positive`).

* First (`to_a_code`) from a start, downhill as after the path, or from zero: the largest moves of single coefficients,
  a solve on the sign pattern that they lead to, and so on. Where this does not end with what is certainly the only
  code:
* `homotopy`: the path in the penalty level, from max|c| down to λ. Between two events h is affine in the level; an
  event is a coefficient that enters or leaves. (G_AA)⁻¹ is updated by rank one, so an event costs O(s² + Ks).
* After the path (`to_a_code`, too): solve on the sign pattern. If the solution keeps the signs, check the optimality
  condition: done, or let sweeps of coordinate descent bring the violators in. Otherwise go towards the solution until
  a first coefficient is zero, drop it, solve again.
* `attempts` says which of these are tried, and how long. `products` has θᵀθ, `shared` θᵀz.

What is returned is the solution of one fresh solve on the final pattern, in the order of the indices: it depends
on z, θ, the penalty and this pattern, on nothing else. No BLAS is called, so no thread setting can change a bit.

Rows of matrices are padded to a multiple of 8 with zeros and stored flat.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from fedmm_edu.sparse_coding.attempts import RISK, SAVE, read_start, solve_row
from fedmm_edu.sparse_coding.inside import FAST
from fedmm_edu.sparse_coding.lanes import LANES, borrow, scale
from fedmm_edu.sparse_coding.scratch import VECTORS, CodeProblem, Scratch
from fedmm_edu.sparse_coding.shared import TOGETHER, correlate, share_products


def _fingerprint() -> str:
    """Of every source file in this room."""
    found = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        found.update(file.read_bytes())
    return found.hexdigest()


def _compiled(sources: str) -> Callable[..., Any]:
    """`solve_rows`. numba's cache watches this file alone, and what it encloses: hence `sources`."""

    @njit(fastmath=FAST, error_model="numpy", nogil=True, cache=True)
    def solve_rows(
        data,
        indices,
        indptr,
        theta,
        shared,
        known,
        ready,
        trusted,
        panelled,
        whole,
        ridge,
        lam,
        positive,
        start,
        warm,
        tol,
        limit,
        room,
        places,
        out,
        violation,
        solves,
    ):
        """Codes of the rows of Z, written to `out` (N, K) with their violations and numbers of solves.

        Z is CSR, or dense where `indptr` is empty: then `data` holds rows of p. `start` (N, K) is read if `warm`.
        `shared` and `known` are filled unless `ready` (`shared.share_products`); rows of the Gram matrix that are
        not known are formed when they are needed. Unless all entries of θ, Z and the start are `trusted` to be finite,
        those of θ are seen from their squares, those of a row of Z from the first entry of θᵀz, and those of the start
        as they are read. Returns whether they were; only then all codes are written.

        Scratch: `room`, 2 pitch² + (VECTORS + TOGETHER) pitch + p floats with pitch = K padded + 8, and `places`,
        3 pitch + p integers. The caller keeps all four alive.
        """
        assert sources
        p, count = theta.shape
        stride = (count + 7) // 8 * 8
        pitch = stride + 8
        flat, width = (borrow(theta, 0), count) if count >= 8 else (borrow(shared, 0), 8)
        gram, diagonal = borrow(shared, p * stride), borrow(shared, (p + stride) * stride)
        ends = VECTORS * pitch  # of the vectors; of the matrices only that is read which was written
        room[:ends] = 0.0
        behind = ends + 2 * pitch * pitch
        together, weights = borrow(room, behind), borrow(room, behind + TOGETHER * pitch)
        samples = out.shape[0]
        alone = indptr.size == 0 and samples == 1 and not whole  # its θᵀz takes no pass of its own
        if not ready:
            if alone:
                z = borrow(data, 0)
            else:
                for k in range(p):
                    weights[k] = 0.0
                z = weights
            finite = share_products(theta, ridge, panelled, whole, z, shared, known, samples, together)
            if not (finite or trusted):
                return False
        largest = 0.0
        for j in range(count):
            largest = max(largest, diagonal[j])
        problem = CodeProblem(
            flat, p, width, borrow(shared, 0), panelled or count < 8, ridge, gram, borrow(known, 0), diagonal,
            borrow(shared, (p + stride + 1) * stride), largest, count, stride,
            count if ridge > 0.0 else min(p, count), lam, positive, tol, limit, borrow(room, pitch),
        )  # fmt: skip
        begun = borrow(start, 0)
        h, support, offsets = borrow(room, 0), borrow(places, 0), borrow(places, 3 * pitch)
        purse = min(RISK * samples, SAVE)
        faith = purse if whole and lam > 0.0 and stride > 2 * LANES else -np.inf  # in few atoms the path is short
        for n in range(samples):
            if not whole:
                known[stride + 1] = n + 1
            if n % TOGETHER == 0 and not alone:
                last = min(n + TOGETHER, samples)
                correlate(
                    data, indices, indptr, flat, p, width, stride, borrow(shared, 0), panelled, n, last, offsets,
                    weights, together,
                )  # fmt: skip
            c = borrow(together, n % TOGETHER * stride)
            scale(h, 0, stride, c, 0, 0.0)
            size = read_start(begun, n * count, count, positive, purse >= 0.0, h, support) if warm else 0
            if not (trusted or (size >= 0 and abs(c[0]) < np.inf)):
                return False
            one = Scratch(
                c, h, borrow(room, pitch), borrow(room, 2 * pitch), borrow(room, 3 * pitch), borrow(room, 4 * pitch),
                borrow(room, 5 * pitch), borrow(room, 6 * pitch), borrow(room, 7 * pitch), borrow(room, ends),
                borrow(room, ends + pitch * pitch), support, borrow(places, pitch), borrow(places, 2 * pitch),
            )  # fmt: skip
            violation[n], solves[n], purse, faith = solve_row(problem, one, size, purse, faith)
            for j in range(count):
                out[n, j] = h[j]
        return True

    return solve_rows


solve_rows = _compiled(_fingerprint())
