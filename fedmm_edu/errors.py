"""The exceptions of the package and the small validators that raise them.

Every message says which value is wrong, which rule it breaks and what to do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class FedMMError(Exception):
    """Base class of every error that this package raises on purpose."""


class InvalidInput(FedMMError, ValueError):
    """A value breaks a rule; the message names the value, the rule and the fix."""


class MissingExtra(FedMMError, ImportError):
    """A part of the package needs an optional dependency that is not installed."""


class StateMismatch(FedMMError):
    """A saved run does not belong to the settings it is resumed with, or its file is damaged."""


def as_array(name: str, value: ArrayLike, *, shape: tuple[int | None, ...]) -> Array:
    """`value` as a float64 array of `shape` (None: any size) with finite entries, else `InvalidInput`."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be numeric, got {type(value).__name__}: convert it to float64.") from error
    fits = array.ndim == len(shape) and all(
        want is None or have == want for have, want in zip(array.shape, shape, strict=True)
    )
    if not fits:
        wanted = "(" + ", ".join("any" if k is None else str(k) for k in shape) + ")"
        raise InvalidInput(f"{name} has shape {array.shape}, expected {wanted}: reshape it, one row per sample.")
    if not np.isfinite(array).all():
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InvalidInput(f"{name}[{where}] is {array[where]}: entries must be finite; remove or impute it first.")
    return array


def as_weights(name: str, value: ArrayLike, *, size: int) -> Array:
    """`value` as `size` non-negative weights that sum to one (to 1e-12 per entry), else `InvalidInput`."""
    weights = as_array(name, value, shape=(size,))
    if (weights < 0).any():
        raise InvalidInput(f"{name} has the negative entry {weights.min()}: weights must be >= 0.")
    total = float(weights.sum())
    if abs(total - 1.0) > 1e-12 * max(size, 1):
        raise InvalidInput(f"{name} sums to {total!r}, not 1: divide it by its sum.")
    return weights


def in_interval(name: str, value: float, *, low: float, high: float, open_low: bool = False) -> float:
    """`value` as a float in [low, high] (or (low, high] with `open_low`), else `InvalidInput`."""
    number = float(value)
    if not (low < number <= high if open_low else low <= number <= high):
        bracket = "(" if open_low else "["
        raise InvalidInput(f"{name} = {number} is outside {bracket}{low}, {high}]: choose a value inside.")
    return number


def as_count(name: str, value: int, *, low: int = 1, high: int | None = None) -> int:
    """`value` as an integer in [low, high], else `InvalidInput`."""
    if isinstance(value, bool) or int(value) != value or value < low or (high is not None and value > high):
        top = "" if high is None else f" and at most {high}"
        raise InvalidInput(f"{name} = {value!r}: choose an integer of at least {low}{top}.")
    return int(value)
