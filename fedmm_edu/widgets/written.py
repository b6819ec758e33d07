"""Exercises whose answer is a function: the reader writes a few lines, and the package runs its own beside them.

step = written("a function (y, tau)", right=one_step, inputs=lambda: [((0.0, 1.0), 0.0)], slips=…, hints=…)
step.check(mine)      # right, a slip with its hint, or the first input at which the two differ, with a picture
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.widgets.exercise import Exercise, Slip

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Function = Callable[..., Any]
Inputs = Callable[[], Sequence[tuple]]


def written(asks: str, right: Function, inputs: Inputs, slips: Sequence[tuple[Function, str]], hints: tuple[str, ...],
            why: str = "", nudge: str = "Put the numbers below into your lines, one by one.") -> Exercise:  # fmt: skip
    """An exercise that a function solves: it agrees with `right` on all `inputs`, the simplest of them first.

    `slips` are wrong functions with their hints: an answer that agrees with one of them gets it.
    """

    def agrees(other: Function) -> Callable[[Any], bool]:
        return lambda mine: first_difference(mine, other, inputs()) == ""

    def against(mine: Any) -> str:
        return first_difference(mine, right, inputs())

    return Exercise(
        asks=asks, solution=lambda: right, accepts=agrees(right), against=against, hints=hints, why=why, nudge=nudge,
        slips=tuple(Slip(lambda wrong=wrong: wrong, hint, agrees(wrong)) for wrong, hint in slips),
        drawn=lambda mine: _drawn(mine, right, inputs()),
    )  # fmt: skip


def first_difference(mine: Any, right: Function, inputs: Sequence[tuple]) -> str:
    """The first input at which two functions differ, in words; "" where there is none. `InvalidInput`: no function."""
    names = list(inspect.signature(right).parameters)
    for given in inputs:
        wanted, found = _flat(right(*deepcopy(given))), _called(mine, given, names)
        if isinstance(found, str):
            return f"At {_named(names, given)} {found}."
        if found.shape != wanted.shape or not np.allclose(found, wanted, rtol=1e-9, atol=1e-12):
            return f"At {_named(names, given)} yours gives {_said(found)}, wanted {_said(wanted)}."
    return ""


def _called(mine: Any, given: tuple, names: Sequence[str]) -> Array | str:
    """What the reader's function gives, or what is to be said of it."""
    if not callable(mine):
        raise InvalidInput(f"{mine!r} is no function: write `def mine({', '.join(names)}): return …`, and give `mine`.")
    try:
        return _flat(mine(*deepcopy(given)))
    except InvalidInput:
        return "yours gives no numbers"
    except Exception as error:  # whatever a reader's lines may raise
        return f"yours stops with {type(error).__name__}: {error}"


def _flat(values: Any) -> Array:
    """Numbers, arrays and tuples of them as one array."""
    parts = values if isinstance(values, (tuple, list)) else [values]
    try:
        return np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in parts]) if parts else np.zeros(0)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{values!r} holds no numbers.") from error


def _said(values: Array) -> str:
    numbers = [f"{value:.6g}" for value in values]
    return numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"


def _named(names: Sequence[str], given: tuple) -> str:
    shown = (np.array2string(np.asarray(each), precision=4, separator=", ") for each in given)
    return ", ".join(f"{name} = {' '.join(each.split())}" for name, each in zip(names, shown, strict=True))


def _drawn(mine: Any, right: Function, inputs: Sequence[tuple]) -> Figure | None:
    """What is wanted against what the reader's function gives: right ones lie on the line."""
    from fedmm_edu.figures.style import PALETTE, panels

    names = list(inspect.signature(right).parameters)
    pairs = [(_flat(right(*deepcopy(given))), _called(mine, given, names)) for given in inputs]
    points = [(w, f) for w, f in pairs if not isinstance(f, str) and f.shape == w.shape and np.isfinite(f).all()]
    if not points:
        return None
    wanted, found = (np.concatenate(each) for each in zip(*points, strict=True))
    good = np.isclose(wanted, found, rtol=1e-9, atol=1e-12)
    figure, (ax,) = panels(1, width=4.4, height=3.4)
    ends = [min(wanted.min(), found.min()), max(wanted.max(), found.max())]
    ax.plot(ends, ends, color=PALETTE["light"], linewidth=1, label="yours = wanted")
    ax.plot(wanted[good], found[good], "o", color=PALETTE["S"], label="right")
    ax.plot(wanted[~good], found[~good], "X", color=PALETTE["Theta"], markersize=9, label="wrong")
    ax.set_xlabel("wanted")
    ax.set_ylabel("yours")
    ax.legend(frameon=False, fontsize=9)
    return figure
