"""Exercises: every solution passes its own check, every known slip gets its hint, and no answer breaks the checker."""

import re
from importlib import import_module
from pathlib import Path

import jupytext
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.widgets.exercise import Exercise, Slip, number, same, words
from proofs_checks import sections

LESSONS = {
    "lesson_01": "01_majorize_minimize",
    "lesson_02": "02_one_template",
    "lesson_03": "03_two_spaces",
    "lesson_04": "04_sa_ssmm",
    "lesson_05": "05_aggregate_where",
    "lesson_06": "06_fedmm_line_by_line",
    "lesson_07": "07_is_your_surrogate_one",
    "lesson_08": "08_constants_and_theorem1",
    "lesson_09": "09_dictionary_learning",
    "lesson_10": "10_optimal_transport",
    "lesson_11": "11_reading_a_paper_with_a_machine",
}
ALL = [
    pytest.param(exercise, id=f"{module}-{name}")
    for module in LESSONS
    for name, exercise in import_module(f"fedmm_edu.widgets.exercises.{module}").EXERCISES.items()
]
JUNK = ("banana", "one two three", float("nan"), float("inf"), [], {}, set(), {"banana"}, [1.0, "x"], object(), 1e9, -7)


@pytest.mark.parametrize("exercise", ALL)
def test_the_solution_passes_and_each_slip_gets_its_hint(exercise):
    """No hint is said to a right answer, and no slip is taken for another one."""
    assert exercise.check(exercise.solution()).right is True
    assert exercise.check(None).right is None
    assert len(exercise.slips) >= 2
    for slip in exercise.slips:
        feedback = exercise.check(slip.answer())
        assert feedback.right is False
        assert feedback.says == slip.hint


@pytest.mark.parametrize("exercise", ALL)
def test_junk_is_answered_and_not_accepted(exercise):
    """Whatever stands in the cell, the reader gets a sentence and no traceback."""
    for answer in JUNK:
        feedback = exercise.check(answer)
        assert feedback.right is False
        assert feedback.says


@pytest.mark.parametrize(("module", "lesson"), LESSONS.items())
def test_each_exercise_is_asked_and_then_solved_in_its_lesson(module, lesson):
    """In the order of the module: a cell with None, and under it a hidden cell that `confirm`s a solution.

    That the solutions are right shows when the lesson runs: `confirm` raises otherwise.
    """
    path = Path(__file__).parents[2] / "notebooks" / f"{lesson}.md"
    cells = [cell for cell in jupytext.read(path).cells if cell.cell_type == "code"]
    asked = [k for k, cell in enumerate(cells) if ".check(None)" in cell.source]
    names = [cells[k].source.split("exercises.")[-1].split(".")[0] for k in asked]
    assert names == list(import_module(f"fedmm_edu.widgets.exercises.{module}").EXERCISES)
    for k, name in zip(asked, names, strict=True):
        assert "hide-cell" in cells[k + 1].metadata["tags"]
        assert f"exercises.{name}.confirm(" in cells[k + 1].source


@pytest.mark.parametrize("module", LESSONS)
def test_rows_in_hints_exist(module):
    """A reader who is sent to a row of the ledger finds it."""
    source = Path(import_module(f"fedmm_edu.widgets.exercises.{module}").__file__ or "").read_text("utf-8")
    ids = {claim.id for _, claims in sections() for claim in claims}
    assert set(re.findall(r"\brow ([a-zA-Z0-9]+-[a-zA-Z0-9-]+)", source)) <= ids


def _double(**changes) -> Exercise:
    parts = {"asks": "2", "solution": lambda: 2.0, "slips": (Slip(lambda: 1.0, "half"),), "nudge": "think"}
    return Exercise(**(parts | changes))


def test_the_three_kinds_of_feedback():
    """A right answer, a slip and any other are told apart; a right one is never called a slip."""
    exercise = _double(why="indeed")
    assert [exercise.check(x).says for x in (2.001, 1.0, 5.0)] == ["indeed", "half", "think"]
    assert repr(exercise.check(2.0)).startswith("✓")
    assert repr(exercise.check(1.0)).startswith("✗")
    assert _double(slips=(Slip(lambda: 2.0, "never said"),)).check(2.0).right is True


def test_a_wrong_solution_stops_the_lesson():
    """`confirm` is what makes the run of a lesson a test of its solutions."""
    assert _double().confirm(2.0).right
    with pytest.raises(FedMMError, match="does not pass: half"):
        _double().confirm(1.0)


@given(st.floats(-1e6, 1e6).filter(lambda x: abs(x) > 1e-3), st.floats(-0.1, 0.1))
def test_numbers_are_equal_up_to_the_tolerance(x, error):
    """Relative to the wanted number, on both sides."""
    assert same(x * (1 + error), x, 0.02) == (abs(x * (1 + error) - x) <= 0.02 * abs(x))


@pytest.mark.parametrize("answer", [None, "x", [1.0], np.nan, 1j])
def test_what_is_no_number_is_refused(answer):
    with pytest.raises(InvalidInput, match="one number"):
        number(answer)


def test_words_are_compared_as_words():
    """Case and blanks do not count; a word is no set, and a set no word."""
    assert words(["L1 ", "box"]) == {"l1", "box"}
    assert same(" Tangent", "tangent", 0.0)
    with pytest.raises(InvalidInput, match="set of words"):
        words("l1")
    with pytest.raises(InvalidInput, match="quotes"):
        same(3.0, "tangent", 0.0)
