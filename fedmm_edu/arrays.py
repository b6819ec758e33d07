"""The arrays of this package, by what they hold and what they are for, and the small validators that make them.

A type says what an array holds; its shape stands in the docstring of whoever takes or returns it. Letters of shapes: N
samples of p numbers each, n clients (m of them asked), θ of length d, s of length q, K components or atoms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from fedmm_edu.errors import InvalidInput

Array = NDArray[np.float64]
"""Numbers: parameters, surrogates, data, weights."""
Indices = NDArray[np.int64]
"""Counts, and places in another array: clients, rows, rounds, labels."""
Mask = NDArray[np.bool_]
"""Yes or no for each entry."""
Words = NDArray[np.uint64]
"""Bit patterns: the counters that draws are made from, the codes on the wire."""

_DOUBLE = np.dtype(np.float64)

Samples = ArrayLike | sparse.sparray | sparse.spmatrix
"""What samples are given as, shape (N, p): dense, or sparse."""
Offsets = Indices
"""Where each of m clients begins in the rows of z, and where the last one ends: strictly increasing, m + 1 entries."""
Names = slice | Indices
"""Which of all samples the rows of z are: for kernels that remember something of each sample. Rows that have names are
those of `Clients`, who found them finite when they were made."""
UNNAMED: Names = slice(0)
"""The names of rows of `Clients` that nobody remembers by name: the rows are known to be finite, and that is all."""


def counts_of(offsets: Offsets) -> Indices:
    """How many rows each client holds, shape (m,): `np.diff` takes ten times as long where m is small."""
    return offsets[1:] - offsets[:-1]


def as_array(name: str, value: ArrayLike, *, shape: tuple[int | None, ...], finite: bool = False) -> Array:
    """`value` as a float64 array of `shape` (None: any size) with finite entries, else `InvalidInput`.

    finite: whether its entries are known to be, and need no second look.
    """
    ready = type(value) is np.ndarray and value.dtype is _DOUBLE  # as nearly all are: no time is to be lost on them
    array: Array = value if ready else _converted(name, value)  # pyright: ignore[reportAssignmentType]
    if array.shape != shape:
        fits = array.ndim == len(shape)
        for have, want in zip(array.shape, shape, strict=False):
            fits = fits and (want is None or have == want)
        if not fits:
            wanted = "(" + ", ".join("any" if k is None else str(k) for k in shape) + ")"
            raise InvalidInput(f"{name} has shape {array.shape}, expected {wanted}: reshape it, one row per sample.")
    if not finite and not all_finite(array):
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InvalidInput(f"{name}[{where}] is {array[where]}: entries must be finite; remove or impute it first.")
    return array


_MANY = 2**16
"""Numbers whose squares are sooner added than they are looked at one by one."""


def all_finite(array: Array) -> bool:
    """Whether no entry is infinite or NaN; `.all()` takes three times as long where there are few."""
    if array.size >= _MANY and array.flags.forc:
        flat = array.ravel(order="K")
        with np.errstate(over="ignore", under="ignore"):  # if too large, though finite, each is looked at
            if np.isfinite(np.dot(flat, flat)):  # as it never is where an entry is not
                return True
    return np.count_nonzero(np.isfinite(array)) == array.size


def _converted(name: str, value: ArrayLike) -> Array:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise InvalidInput(f"{name} has masked entries: fill them, or leave out their samples.")
    try:
        given = np.asarray(value)
        if given.dtype.kind in "cSUMmV":
            raise TypeError
        return given.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{name} must be numeric and real, not {_kind(value)}: convert it to float64.") from error


def as_samples(z: ArrayLike, columns: int, names: Names | None = None) -> Array:
    """`z` as finite samples, one a row: shape (N, columns) with N ≥ 1, else `InvalidInput`."""
    samples = as_array("z", z, shape=(None, columns), finite=names is not None)
    if len(samples) == 0:
        raise InvalidInput("z has no rows: give at least one sample.")
    return samples


def _kind(value: object) -> str:
    dtype = getattr(value, "dtype", None)
    return type(value).__name__ if dtype is None else f"of type {dtype}"


def as_weights(name: str, value: ArrayLike, *, size: int) -> Array:
    """`value` as `size` non-negative weights that sum to one (to 1e-12 per entry), else `InvalidInput`."""
    weights = as_array(name, value, shape=(size,))
    if (weights < 0).any():
        raise InvalidInput(f"{name} has the negative entry {weights.min()}: weights must be >= 0.")
    total = float(weights.sum())
    if abs(total - 1.0) > 1e-12 * max(size, 1):
        raise InvalidInput(f"{name} sums to {total!r}, not 1: divide it by its sum.")
    return weights
