"""The compiled solver: one sample at a time on the K × K Gram matrix, many samples per call, no allocation per sample.

For one sample, with G = θᵀθ + ridge·I and c = θᵀz, minimise ½hᵀGh − cᵀh + λ‖h‖₁ (h ≥ 0 if `positive`).

* Cold (`homotopy`): the homotopy in the penalty level, from max|c| down to λ. Between two events h is affine in the
  level; an event is a coefficient that enters or leaves. (G_AA)⁻¹ is updated by rank one, so an event costs O(s² + Ks).
* Warm, and after the path (`pattern`): solve on the sign pattern. If the solution keeps the signs, check the
  optimality condition: done, or let sweeps of coordinate descent bring the violators in. Otherwise go towards the
  solution until a first coefficient is zero, drop it, solve again.
* `warm` says which starts are tried, and how long. `products` has θᵀθ and θᵀz.

What `polish` returns is the solution of one fresh solve on the final pattern, in the order of the indices: it depends
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

from fedmm_edu.sparse_coding.homotopy import homotopy
from fedmm_edu.sparse_coding.lanes import borrow, scale1
from fedmm_edu.sparse_coding.pattern import polish
from fedmm_edu.sparse_coding.products import ALONE, TOGETHER, correlate, fill_gram, in_panels, pad, squares
from fedmm_edu.sparse_coding.rows import FAST
from fedmm_edu.sparse_coding.scratch import CodeProblem, Scratch
from fedmm_edu.sparse_coding.warm import EARN, FIRST, RISK, SAVE, SHARE, isolated, look_work, near, path_work


def _fingerprint() -> str:
    """Of every source file in this room."""
    found = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        found.update(file.read_bytes())
    return found.hexdigest()


def _compiled(sources: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """`prepare` and `solve_rows`. numba's cache watches this file alone, and what they enclose: hence `sources`."""

    @njit(fastmath=FAST, error_model="numpy", nogil=True, cache=True)
    def prepare(theta, ridge, panelled, whole, alone):
        """θ (p, K padded); its panels, or none; rows of the Gram matrix, which of them are known, and its diagonal."""
        assert sources
        p, count = theta.shape
        stride = (count + 7) // 8 * 8
        padded = theta
        if stride > count:
            padded = np.empty((p, stride))
            pad(borrow(theta, 0), p, count, borrow(padded, 0), stride)
        flat = padded.ravel()
        panels = in_panels(flat, p, stride) if panelled or whole else np.empty(0)
        gram, known, diagonal = np.empty(stride * stride), np.empty(stride + 1, np.int64), np.empty(stride)
        known[:] = whole
        known[stride] = -ALONE if alone else 0
        if whole:
            fill_gram(panels, p, stride, count, ridge, gram)
            for j in range(stride):
                diagonal[j] = gram[j * stride + j]
        else:
            squares(borrow(flat, 0), p, stride, ridge, borrow(diagonal, 0))
        return padded, panels, gram, known, diagonal

    @njit(fastmath=FAST, error_model="numpy", nogil=True, cache=True)
    def solve_rows(
        data,
        indices,
        indptr,
        prepared,
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
        `prepared` is what `prepare` returns; rows of the Gram matrix that are not known are formed when they are
        needed. Scratch, which the caller keeps alive: `room`, 2 pitch² + (7 + TOGETHER) pitch + p floats with pitch = K
        padded + 8, and `places`, 4 pitch + p integers.
        """
        assert sources
        theta, panels, gram, known, diagonal = prepared
        p, stride, count = theta.shape[0], theta.shape[1], out.shape[1]
        pitch = stride + 8
        room[: 7 * pitch] = 0.0  # the vectors; of the matrices only that is read which was written
        problem = CodeProblem(
            borrow(theta, 0), p, ridge, borrow(gram, 0), borrow(known, 0), borrow(diagonal, 0), diagonal.max(), count,
            stride, count if ridge > 0.0 else min(p, count), lam, positive, tol, limit,
        )  # fmt: skip
        one = Scratch(
            borrow(room, 0), borrow(room, pitch), borrow(room, 2 * pitch), borrow(room, 3 * pitch),
            borrow(room, 4 * pitch), borrow(room, 5 * pitch), borrow(room, 6 * pitch),
            borrow(places, 0), borrow(places, pitch), borrow(places, 2 * pitch), borrow(places, 3 * pitch),
            borrow(room, 7 * pitch), borrow(room, (7 + pitch) * pitch),
        )  # fmt: skip
        together, weights = borrow(room, (7 + 2 * pitch) * pitch), borrow(room, (7 + TOGETHER + 2 * pitch) * pitch)
        offsets, flat = borrow(places, 4 * pitch), borrow(theta, 0)
        h, purse = one.h, min(RISK * out.shape[0], SAVE)
        for n in range(out.shape[0]):
            if n % TOGETHER == 0:
                last = min(n + TOGETHER, out.shape[0])
                correlate(data, indices, indptr, flat, p, stride, panels, n, last, offsets, weights, together)
            for m in range(0, stride, 8):
                scale1(one.c, m, together, n % TOGETHER * stride, 1.0)
                scale1(h, m, one.c, 0, 0.0)
            size, total = 0, 0
            if warm and purse >= 0.0:
                for j in range(count):
                    value = start[n, j]
                    if (value > 0.0) if positive else (value != 0.0):
                        h[j], one.support[size] = value, j
                        size += 1
            attempt, spent, worst = size > 0, 0.0, np.inf
            while True:
                budget = np.inf
                if attempt:
                    spent = look_work(size, stride)
                    budget = (
                        min(SHARE, FIRST + purse) * path_work(size, size, stride) if near(problem, one, size) else 0.0
                    )
                else:
                    events, size = homotopy(problem, one)
                    total += events
                    purse = min(purse + EARN, max(purse, 0.0)) - spent / path_work(events, size, stride)
                if budget > 0.0:
                    worst, solved, work, size = polish(problem, one, budget)
                    total += solved
                    spent += work
                if not attempt:
                    break
                if worst <= tol and isolated(problem, one):
                    purse = min(purse + 1.0 - spent / path_work(size, size, stride), SAVE)
                    break
                attempt = False
            violation[n], solves[n] = worst, total
            for j in range(count):
                out[n, j] = h[j]

    return prepare, solve_rows


prepare, solve_rows = _compiled(_fingerprint())
