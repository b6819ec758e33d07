"""Answers as readers give them, right in many forms, wrong and junk: `check` agrees with each, and so does the page.

They are data, a file for each lesson in `graded/`, for teachers to add to.
"""

import json
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.widgets import judgements
from fedmm_edu.widgets.answers import number, spelling, words
from fedmm_edu.widgets.exercise import sheet
from fedmm_edu.widgets.exercises import lesson_02, lesson_07
from tests.widgets.test_explorables import call, javascript

GRADED = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(Path(__file__).parent.glob("graded/*"))}
NAMES = [(lesson, name) for lesson, found in GRADED.items() for name in found]
FEWEST = 300


def exercise_of(lesson: str, name: str):
    return getattr(import_module(f"fedmm_edu.widgets.exercises.{lesson}"), name)


@cache
def sheet_of(lesson: str, name: str):
    return sheet(exercise_of(lesson, name))


def test_there_are_many():
    """At least 300, over every lesson, with right, wrong and junk ones of each exercise."""
    lists = [each[kind] for found in GRADED.values() for each in found.values() for kind in ("right", "wrong", "junk")]
    assert sum(map(len, lists)) >= FEWEST
    assert all(lists)


@pytest.mark.parametrize(("lesson", "name"), NAMES)
def test_check_agrees_with_the_graded_answers(lesson, name):
    """Right is right, wrong gets its hint, junk a sentence that says what is wanted."""
    exercise, graded = exercise_of(lesson, name), GRADED[lesson][name]
    for answer in graded["right"]:
        assert exercise.check(answer).right is True, answer
    for answer, says in graded["wrong"]:
        feedback = exercise.check(answer)
        assert feedback.right is False, answer
        assert says in feedback.says, answer
    for answer in graded["junk"]:
        feedback = exercise.check(answer)
        assert feedback.right is False, answer
        assert exercise.asks in feedback.says or "choose from" in feedback.says, answer


def test_the_page_says_the_same():
    """What needs no kernel is judged in Node as it is in Python, for all graded answers at once."""
    calls, said = [], []
    for lesson, name in NAMES:
        exercise, data = exercise_of(lesson, name), sheet_of(lesson, name)
        if data is None:
            continue
        data = json.loads(json.dumps(data))
        for answer in [*GRADED[lesson][name]["right"], *(answer for answer, _ in GRADED[lesson][name]["wrong"])]:
            feedback = exercise.check(answer)
            calls.append(asked(data, answer))
            said.append([feedback.right, exercise.why if feedback.right else exercise.hint(answer)])
    assert javascript("sheet.js", calls) == said
    assert len(said) > FEWEST / 2


def asked(data: dict, answer) -> dict:
    """The call that a page makes for an answer."""
    if data["kind"] == "numbers":
        given = answer if isinstance(answer, list) else [answer]
        return call("gradeNumbers", data, given)
    among = [spelling(each) for each in data["among"]]
    if data["kind"] == "set":
        return call("gradeChoice", data, [int(each in words(answer)) for each in among])
    given = answer if isinstance(answer, list) else answer.replace(",", " ").replace(";", " ").split()
    return call("gradeChoice", data, [among.index(spelling(each)) for each in given])


def test_enough_exercises_are_answered_without_a_kernel():
    assert sum(sheet_of(*each) is not None for each in NAMES) >= 30


@pytest.mark.parametrize("form", [np.array, lambda x: np.array([x]), lambda x: [x], sp.Rational, str, np.float64])
def test_a_number_is_read_in_every_form(form):
    """Scalars, arrays of one element, lists of one, SymPy's numbers, text."""
    assert number(form(0.25)) == 0.25


@pytest.mark.parametrize("answer", [True, 10**400, 1j, "0,5", "1/0", sp.I, sp.Symbol("x"), [[1], [2, 3]], {3}, {}])
def test_what_is_no_number_says_so(answer):
    with pytest.raises(InvalidInput, match="one number"):
        number(answer)


THETA, Z = lesson_07.theta, lesson_07.z
RESIDUAL = 1 + (Z - THETA) ** 2


@pytest.mark.parametrize(
    "weight",
    [sp.cos(sp.atan(Z - THETA)), 1 / sp.cosh(sp.asinh(Z - THETA)), -sp.diff(sp.sqrt(RESIDUAL), THETA) / (Z - THETA),
     1 / sp.sqrt(1 + (sp.Symbol("z") - sp.Symbol("theta")) ** 2), RESIDUAL**-0.5],
)  # fmt: skip
def test_a_weight_is_right_in_every_form(weight):
    """Built from SymPy, with symbols of the reader's own, too."""
    assert lesson_02.own.check(weight).right is True


@pytest.mark.parametrize(
    "junk", [sp.Eq(Z, THETA), sp.nan, sp.oo, sp.I, True, sp.Matrix([1]), Z > THETA, sp.S(0), 10**400]
)
def test_no_formula_ends_in_a_traceback(junk):
    assert lesson_02.own.check(junk).right is False
    assert lesson_07.minimiser.check(junk).right is False


def test_what_cannot_be_decided_is_called_open(monkeypatch):
    """Neither right nor wrong: the reader hears that nobody can tell."""
    monkeypatch.setattr(judgements, "judged", lambda *_: {"MM-2: T minimizes": type("V", (), {"status": "undecided"})})
    feedback = lesson_07.minimiser.check("s**s")
    assert feedback.right is None
    assert feedback.says.startswith("Open")
