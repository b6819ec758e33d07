"""Sums of rows of a flat, padded matrix: what the solvers do most."""

from __future__ import annotations

from numba import njit

from fedmm_edu.sparse_coding.lanes import scale1, subtract1, subtract4

FAST = {"contract", "reassoc", "nsz", "arcp"}  # not nnan, ninf: pivots are compared, infinities are used


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def subtract_rows(y, first, width, x, offsets, coefficients, n):
    """y[first : + width] -= Σ_i coefficients[i] · x[offsets[i] : + width]."""
    i = 0
    while i + 4 <= n:
        o0, o1, o2, o3 = offsets[i] - first, offsets[i + 1] - first, offsets[i + 2] - first, offsets[i + 3] - first
        a0, a1, a2, a3 = coefficients[i], coefficients[i + 1], coefficients[i + 2], coefficients[i + 3]
        for m in range(first, first + width, 8):
            subtract4(y, m, x, o0, o1, o2, o3, a0, a1, a2, a3)
        i += 4
    while i < n:
        for m in range(first, first + width, 8):
            subtract1(y, m, x, offsets[i] - first, coefficients[i])
        i += 1


@njit(fastmath=FAST, error_model="numpy", forceinline=True)
def residual(g, c, width, gram, rows, values, n):
    """g = c − Σ_i values[i] · (row of `gram` that begins at rows[i])."""
    for m in range(0, width, 8):
        scale1(g, m, c, 0, 1.0)
    subtract_rows(g, 0, width, gram, rows, values, n)
