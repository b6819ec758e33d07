"""How what `kernel.solve_rows` calls is compiled, where most of a first call goes.

Nothing here is called from Python, so there are no entries for it, each of which numba would compile with a copy of
the function. What is compiled for itself is optimised again in each function that calls it.
"""

from __future__ import annotations

from typing import Any

from numba import njit

FAST = {"contract", "reassoc", "nsz", "arcp"}  # not nnan, ninf: pivots are compared, infinities are used
_INSIDE: dict[str, Any] = {
    "fastmath": FAST,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "no_rewrites": True,
}

small = njit(inline="always", **_INSIDE)
"""Put where it is called before anything is compiled. This takes time as the square of the function."""

large = njit(forceinline=True, **_INSIDE)
"""Compiled for itself, then put where it is called, which is one place: a call with all its scratch costs time."""

apart = njit(forceinline=False, **_INSIDE)
"""Called where it is needed. To say so matters: else what a `large` function calls is put there as well."""
