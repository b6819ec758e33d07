"""The exceptions and warnings of the package, and the small validators of numbers that raise them.

Every message says which value is wrong, which rule it breaks and what to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from typing import Any

MOST = 2**53
"""The largest count: beyond it, a float is no integer any more."""


class FedMMError(Exception):
    """Base class of every error that this package raises on purpose."""


class InvalidInput(FedMMError, ValueError):
    """A value breaks a rule; the message names the value, the rule and the fix."""


class MissingFace(FedMMError, TypeError):
    """A class leaves out what its interface asks of it; the message names class, file and face."""


class MissingExtra(FedMMError, ImportError):
    """A part of the package needs an optional dependency that is not installed."""


class StateMismatch(FedMMError):
    """A saved run does not belong to the settings it is resumed with, or its file is damaged."""


@contextmanager
def needs(extra: str, what: str) -> Iterator[None]:
    """Around imports of optional dependencies: where one is missing, `MissingExtra` says what to install for `what`."""
    try:
        yield
    except ModuleNotFoundError as error:
        says = f"{what} needs {error.name}, which is not installed: pip install 'fedmm-edu[{extra}]'."
        raise MissingExtra(says, name=error.name) from error


class Diverged(FedMMError):
    """A run left the floats; the message names round, step size and what to do.

    Where `run` raises it, `state` is the last finite state and `history` holds the rows until then.
    """

    state: Any = None
    history: Any = None


class OutOfScale(FedMMError):
    """A message does not fit the scale on which all clients round; the message names both, and what to do."""


class BeyondTheorem(UserWarning):
    """A setting that Theorem 1 does not cover; the message names value, bound, and how to say that it is meant."""


def in_interval(name: str, value: float, *, low: float, high: float, open_low: bool = False) -> float:
    """`value` as a float in [low, high] (or (low, high] with `open_low`), else `InvalidInput`."""
    try:
        if isinstance(value, (str, bytes)) or getattr(value, "ndim", 0):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{name} = {value!r:.100} is no number: give one in [{low}, {high}].") from error
    if not (low < number <= high if open_low else low <= number <= high):
        bracket = "(" if open_low else "["
        raise InvalidInput(f"{name} = {number} is outside {bracket}{low}, {high}]: choose a value inside.")
    return number


def read_count(name: str, text: str, *, low: int = 1, high: int | None = None) -> int:
    """The integer in [low, high] that decimal digits say, no more of them than `MOST` has, else `InvalidInput`."""
    if not text.isdecimal() or len(text) > len(str(MOST)):
        raise InvalidInput(f"{name} = {text!r:.100}: write an integer in decimal digits.")
    return as_count(name, int(text), low=low, high=high)


def as_count(name: str, value: int, *, low: int = 1, high: int | None = None) -> int:
    """`value` as an integer in [low, high], else `InvalidInput`."""
    try:
        whole = low - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        whole = low - 1
    if whole < low or whole > (MOST if high is None else high):
        top = "" if high is None else f" and at most {high}"
        raise InvalidInput(f"{name} = {value!r:.100}: choose an integer of at least {low}{top}.")
    return whole
