"""Exercises on a page without a kernel: solutions and slips as data, made by the same Python when the page is made.

A number is compared with the solution, then with each slip; for words there are few answers, and each has been judged
beforehand. `sheet.js` does the rest. What only a checker can judge (a formula, a function) has no sheet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from itertools import product
from typing import Any, Protocol

import numpy as np

from fedmm_edu.widgets.answers import Between
from fedmm_edu.widgets.bundle import bundled

NEARLY = "Nearly: give more digits, or look for a small slip."
"""What is said within ten times the tolerance of a number."""
MOST = 600
"""Answers in words that are judged beforehand."""


class Wrong(Protocol):
    """What a sheet asks of a slip."""

    @property
    def answer(self) -> Callable[[], Any]: ...
    @property
    def hint(self) -> str: ...
    @property
    def matches(self) -> Callable[[Any], bool] | None: ...


class Asked(Protocol):
    """What a sheet asks of an exercise, which knows the sheet."""

    @property
    def asks(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def nudge(self) -> str: ...
    @property
    def tolerance(self) -> float: ...
    @property
    def among(self) -> tuple[str, ...]: ...
    @property
    def slots(self) -> tuple[str, ...]: ...
    @property
    def solution(self) -> Callable[[], Any]: ...
    @property
    def accepts(self) -> Callable[[Any], bool | None] | None: ...
    @property
    def slips(self) -> Sequence[Wrong]: ...
    def judge(self, answer: Any) -> bool | None: ...
    def hint(self, answer: Any) -> str: ...


def sheet(exercise: Asked) -> dict[str, Any] | None:
    """What a page needs to judge an answer, as JSON values; None where that takes Python."""
    if exercise.among:
        return _words(exercise)
    rules = [slip.matches for slip in exercise.slips]
    if not all(rule is None or isinstance(rule, Between) for rule in (exercise.accepts, *rules)):
        return None
    wanted = exercise.solution()
    try:
        numbers = np.atleast_1d(np.asarray(wanted, dtype=float))
    except (TypeError, ValueError):
        return None
    return {
        "kind": "numbers", "asks": exercise.asks, "right": _rule(exercise.accepts, numbers), "why": exercise.why,
        "count": numbers.size, "tolerance": exercise.tolerance, "nudge": exercise.nudge,
        "slips": [{**_rule(slip.matches, np.atleast_1d(np.asarray(slip.answer(), dtype=float))), "says": slip.hint}
                  for slip in exercise.slips],
        "nearly": NEARLY if exercise.accepts is None else None,
    }  # fmt: skip


def _rule(rule: object, numbers: np.ndarray) -> dict[str, Any]:
    return {"between": [rule.low(), rule.high()]} if isinstance(rule, Between) else {"value": numbers.tolist()}


def _words(exercise: Asked) -> dict[str, Any] | None:
    """Each answer that can be ticked, and what is said to it: one box a word, or one menu a slot."""
    several = isinstance(exercise.solution(), (set, frozenset))
    answers: list[Any]
    if exercise.slots:
        answers = [" ".join(each) for each in product(exercise.among, repeat=len(exercise.slots))]
    elif several:
        picks = product((False, True), repeat=len(exercise.among))
        answers = [{each for each, pick in zip(exercise.among, row, strict=True) if pick} for row in picks]
    else:
        answers = list(exercise.among)
    if len(answers) > MOST:
        return None
    judged = [(bool(right := exercise.judge(a)), exercise.why if right else exercise.hint(a)) for a in answers]
    says = list(dict.fromkeys(judged))
    kind = "slots" if exercise.slots else "set" if several else "word"
    return {
        "kind": kind, "asks": exercise.asks, "among": exercise.among, "slots": exercise.slots,
        "says": says, "table": [says.index(each) for each in judged],
    }  # fmt: skip


def form(exercise: Asked) -> str:
    """The form on a page in which an exercise is answered; "" where that takes Python."""
    data = sheet(exercise)
    if data is None:
        return ""
    return element("sheet", data)


def element(name: str, data: object, inside: Sequence[str] = ()) -> str:
    """An element of the class `name` with its data, which the module `name`.js makes alive."""
    held = escape(json.dumps(data, allow_nan=False, ensure_ascii=False))
    script = bundled(f"{name}.js")
    return (
        f'<div class="{name}" data-{name}="{held}">{"".join(inside)}'
        "<noscript>This needs JavaScript, which is switched off.</noscript></div>\n"
        f'<script type="module">\n{script}\nmountAll();\n</script>'
    )
