"""Exercises that turn FedMM into another system: the answer is a dictionary of settings, and both are run.

into = turned(relatives()["ef21"], Tuning(…), solution={"compressor": TopK(1), "alpha": 1.0}, slips=…, …)
into.check({"compressor": TopK(1)})     # right, a slip with its hint, or the first round in which the two differ
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fedmm_edu.algorithms import FedMM
from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.relatives import Relative, Tuning
from fedmm_edu.relatives.knobs import KNOBS
from fedmm_edu.widgets.bowls import DEPARTURE, plane, trail, travelled
from fedmm_edu.widgets.exercise import Exercise, Slip

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Answer = Mapping[str, Any]
ROUNDS = 6
"""Played of both."""


def turned(relative: Relative, at: Tuning, *, solution: Answer, slips: Sequence[tuple[Answer, str]], given: str,
           why: str, hints: tuple[str, ...]) -> Exercise:  # fmt: skip
    """An exercise that settings of FedMM solve with which it makes the rounds of `relative` in the plane.

    Those who are active are the same, and so is where both begin. Whatever makes the same rounds is right.
    """

    def differ(settings: Answer, other: Answer | None = None) -> str:
        """The first round that differs from those of the relative, or of other settings; "" where none does."""
        mine, theirs = path(settings, relative, at), path(other, relative, at)
        if isinstance(mine, str) or isinstance(theirs, str):
            return mine if isinstance(mine, str) else theirs if isinstance(theirs, str) else ""
        for t, (u, v) in enumerate(zip(mine, theirs, strict=True), start=1):
            if not np.allclose(u, v, rtol=0.0, atol=1e-9):
                return f"Round {t} is the first that differs: yours is at {_said(u)}, {relative.name} at {_said(v)}."
        return ""

    def matches(wrong: Answer) -> Callable[[Any], bool]:
        return lambda settings: differ(settings, wrong) == ""

    return Exercise(
        asks=f"a dictionary of settings of FedMM, {given}",
        solution=lambda: solution,
        accepts=lambda settings: differ(settings) == "",
        against=differ,
        slips=tuple(Slip(lambda wrong=wrong: wrong, hint, matches(wrong)) for wrong, hint in slips),
        drawn=lambda settings: _drawn(path(settings, relative, at), path(None, relative, at), relative.name),
        why=why,
        nudge="Set the board to this relative, and compare its code with yours.",
        hints=hints,
    )


def path(settings: Answer | None, relative: Relative, at: Tuning) -> Array | str:
    """θ_1, … with these settings, or of the relative itself; or what is to be said of settings with which none come."""
    if settings is None:
        return travelled(relative, at, ROUNDS)[1:]
    problem, clients, _ = plane()
    try:
        fed = FedMM(problem, clients, 1.0, participation=at.participation, beyond_theorem=True, **parts_only(settings))
        return trail(fed, fed.init(DEPARTURE, relative.V), ROUNDS)[1:]
    except InvalidInput:
        raise
    except Exception as error:  # whatever a value may raise that is no part of FedMM
        return f"FedMM with these settings stops with {type(error).__name__}: {error}."


def parts_only(settings: Any) -> dict[str, Any]:
    """The settings, or `InvalidInput` where they are no dictionary of parts of FedMM."""
    names = [name for fields in KNOBS.values() for name in fields]
    if not isinstance(settings, Mapping):
        raise InvalidInput(f"{settings!r} is no dictionary: write {{'alpha': 0.5, 'compressor': RandK(1)}}.")
    if strange := [name for name in settings if name not in names]:
        raise InvalidInput(f"{', '.join(map(repr, strange))}: choose settings from {', '.join(names)}.")
    return dict(settings)


def _said(theta: Array) -> str:
    return f"({', '.join(f'{x:.4f}' for x in theta)})"


def _drawn(mine: Array | str, theirs: Array | str, name: str) -> Figure | None:
    """Both paths in the plane."""
    from fedmm_edu.figures import Curve, compare, panels

    if isinstance(mine, str) or isinstance(theirs, str):
        return None
    figure, (ax,) = panels(1, width=4.6, height=3.4)
    (x, y), (u, v) = (np.vstack([DEPARTURE, points]).T for points in (theirs, mine))
    curves = [Curve(x, y, name, "S"), Curve(u, v, "yours", "Theta", "--")]
    compare(ax, curves, title="the first rounds", xlabel=r"$\theta_1$")
    return figure
