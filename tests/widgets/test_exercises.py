"""Exercises: every solution passes its own check, every known slip gets its hint, and no answer breaks the checker."""

import re
from fractions import Fraction
from html import escape
from importlib import import_module
from itertools import combinations
from pathlib import Path

import jupytext
import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from book.generate.downloads import lessons
from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.federation import RandK
from fedmm_edu.widgets.answers import number, same, words
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.exercises import lesson_00, lesson_02, lesson_06, lesson_07, lesson_11
from proofs_checks import sections

LESSONS = {f"lesson_{path.name[:2]}": path for path in lessons()}


def exercises_of(module):
    """Those that the module defines, by name and in its order."""
    found = vars(import_module(f"fedmm_edu.widgets.exercises.{module}"))
    return {name: exercise for name, exercise in found.items() if isinstance(exercise, Exercise)}


ALL = [pytest.param(it, id=f"{module}-{name}") for module in LESSONS for name, it in exercises_of(module).items()]
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
        assert feedback.says == f"{slip.hint} {exercise.against(slip.answer())}".strip()


@pytest.mark.parametrize("exercise", ALL)
def test_junk_is_answered_and_not_accepted(exercise):
    """Whatever stands in the cell, the reader gets a sentence and no traceback."""
    for answer in JUNK:
        feedback = exercise.check(answer)
        assert feedback.right is False
        assert feedback.says


@pytest.mark.parametrize(("module", "lesson"), LESSONS.items(), ids=LESSONS)
def test_each_exercise_is_asked_and_then_solved_in_its_lesson(module, lesson):
    """In the order of the module: a cell with None, and under it a cell, folded up, that `confirm`s a solution.

    That the solutions are right shows when the lesson runs: `confirm` raises otherwise.
    """
    cells = [cell for cell in jupytext.read(lesson).cells if cell.cell_type == "code"]
    asked = [k for k, cell in enumerate(cells) if ".check(None)" in cell.source]
    names = [cells[k].source.split("exercises.")[-1].split(".")[0] for k in asked]
    assert names == list(exercises_of(module))
    for k, name in zip(asked, names, strict=True):
        assert "hide-cell" in cells[k + 1].metadata["tags"]  # for the site
        assert cells[k + 1].metadata["jupyter"] == {"source_hidden": True, "outputs_hidden": True}  # for JupyterLab
        assert f"exercises.{name}.confirm(" in cells[k + 1].source
        assert re.match(r"# Solution of exercise \d+\n", cells[k + 1].source)  # JupyterLab shows this line


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


def test_a_rounded_answer_and_a_misspelt_word_are_told_apart_from_an_error():
    """Within ten times the tolerance it is nearly right; a word that is no choice is named, with the choices."""
    assert _double(tolerance=1e-3).check(2.01).says.startswith("Nearly")
    assert _double(tolerance=1e-3).check(2.03).says == "think"
    choices = _double(solution=lambda: {"ridge"}, slips=(), among=("ridge", "box"))
    assert choices.check({"Ridge "}).right
    assert choices.check({"box"}).says == "think"
    assert "'rigde': choose from 'ridge', 'box'" in choices.check({"rigde", "box"}).says


@pytest.mark.parametrize("answer", ["majorizes tangent minimizes", "Majorizes, tangent, minimizes"])
def test_three_words_may_have_commas(answer):
    assert lesson_02.which.check(answer).right


@pytest.mark.parametrize("c", [0.2, 0.5, 0.9])
def test_a_parabola_too_flat_meets_a_point_at_which_it_lies_below(c):
    """The point that the checker names, put in with NumPy: the loss is above, by what the checker says."""
    says = lesson_07.curvature.check(c).says
    at = {name: float(Fraction(value)) for name, value in re.findall(r"(tau|theta|z) = (-?[\d/]+)", says)}
    low, high = map(float, re.findall(r"gap = \[([^,]+), ([^]]+)\]", says)[0])

    def loss(theta: float) -> float:
        return float(np.log1p(np.exp(2 * (theta - at["z"]))))

    slope = 2 / (1 + np.exp(-2 * (at["tau"] - at["z"])))
    step = at["theta"] - at["tau"]
    gap = loss(at["tau"]) + slope * step + c / 2 * step**2 - loss(at["theta"])
    assert low - 1e-9 <= gap <= high + 1e-9 < 0.0


@pytest.mark.parametrize(
    ("exercise", "answer", "says"),
    [
        (lesson_02.own, 1 / (2 * sp.sqrt(1 + sp.Symbol("z", real=True) ** 2)), "refutes “MM-1: tangent” at tau = "),
        (lesson_02.own, 0.5, "refutes “MM-1: tangent” at tau = "),
        (lesson_07.minimiser, lesson_07.s, "refutes “MM-2: T minimizes” at s = "),
        (lesson_11.multipliers, (3, 1), "leaves 3 ⟨u, v⟩ - ‖v‖²"),
        (lesson_11.best, 2.5, "Put in a = 2, b = 1"),
    ],
)
def test_a_wrong_answer_meets_its_counterexample(exercise, answer, says):
    """From the checkers of the ledger: a point to put in, or what a wrong identity leaves over."""
    assert says in exercise.check(answer).says


def test_a_wrong_solution_stops_the_lesson():
    """`confirm` is what makes the run of a lesson a test of its solutions."""
    solved = _double(why="a < b").confirm(2.0, "first")
    assert repr(solved) == "first\n✓ Right. a < b"
    assert "<details>" in solved._repr_html_()  # folded: who runs all cells has not asked for it
    assert "first\n✓ Right. a &lt; b</pre>" in solved._repr_html_()
    with pytest.raises(FedMMError, match="does not pass: half"):
        _double().confirm(1.0)


@given(st.floats(-1e6, 1e6).filter(lambda x: abs(x) > 1e-3), st.floats(-0.1, 0.1))
def test_numbers_are_equal_up_to_the_tolerance(x, error):
    """Relative to the wanted number, on both sides."""
    assert same(x * (1 + error), x, 0.02) == (abs(x * (1 + error) - x) <= 0.02 * abs(x))


@pytest.mark.parametrize("answer", [None, "x", [1.0, 2.0], np.nan, 1j])
def test_what_is_no_number_is_refused(answer):
    with pytest.raises(InvalidInput, match="one number"):
        number(answer)


def test_words_are_compared_as_words():
    """Case and blanks do not count; a text is a set of the words between its commas, a set of two no word."""
    assert words(["L1 ", "box"]) == {"l1", "box"}
    assert same(" Tangent", "tangent", 0.0)
    assert words("l1, box") == {"l1", "box"}
    with pytest.raises(InvalidInput, match="quotes"):
        same({"a", "b"}, "tangent", 0.0)
    with pytest.raises(InvalidInput, match="quotes"):
        same(3.0, "tangent", 0.0)


CODE = {
    "lesson_00": ["fix"],
    "lesson_01": ["mm_step"],
    "lesson_02": ["own"],
    "lesson_03": ["own_field"],
    "lesson_04": ["online"],
    "lesson_05": ["server"],
    "lesson_06": ["whole_round", "compressor"],
    "lesson_07": ["minimiser", "four_lines"],
    "lesson_08": ["slope", "step_size"],
    "lesson_09": ["ridge_fit"],
    "lesson_10": ["match"],
    "lesson_11": ["certificate"],
    "lesson_12": ["into_scaffold", "into_ef21", "spend"],
}
"""Exercises in which the reader writes lines or formulas: every lesson has one."""


@pytest.mark.parametrize(("module", "names"), CODE.items())
def test_code_exercises_have_three_hints(module, names):
    """Each folded into the one before; the page shows the form of what needs no Python beside them."""
    for name in names:
        exercise = exercises_of(module)[name]
        assert len(set(exercise.hints)) == 3
        page = exercise.check(None)._repr_html_()
        places = [page.index(f"<p>{escape(hint)}</p>") for hint in exercise.hints]
        assert places == sorted(places)
        assert page.count("</details></details></details>") == 1


def test_there_are_fifteen_code_exercises_and_a_lesson_without_any_is_none():
    assert sum(map(len, CODE.values())) >= 15
    assert set(CODE) == set(LESSONS)


@pytest.mark.parametrize(
    ("mine", "says"),
    [
        (lambda waits: waits[1] / 0, "stops with"),
        (lambda waits: "a fifth", "no numbers"),
        (lambda: 1.0, "stops with TypeError"),
        (lambda waits: [1.0, 2.0], "wanted 0.2"),
        (lambda waits: waits.clear() or 0.2, "At waits = [4., 4.] yours gives 0.2, wanted 0.25."),
    ],
)
def test_whatever_a_function_does_the_reader_hears_where(mine, says):
    """An exception, a word, a wrong number of arguments or results; and it cannot change what the next one is given."""
    feedback = lesson_00.fix.check(mine)
    assert feedback.right is False
    assert says in feedback.says


def test_a_wrong_function_and_a_wrong_formula_are_drawn():
    """The picture is made when it is shown."""
    four = ("-theta", "exp(theta)", "z", "log(s)")
    models = [lesson_02.own.check(1), lesson_07.minimiser.check("s"), lesson_07.curvature.check(0.5)]
    for feedback in [lesson_00.fix.check(np.mean), lesson_07.four_lines.check(four), *models]:
        assert "data:image/png;base64" in feedback._repr_html_()


def test_the_compressor_that_is_asked_for_is_unbiased():
    """Averaged over all choices of k coordinates it is x, as RandK is in the package."""
    right, x = lesson_06.compressor.solution(), np.array([1.0, -2.0, 3.0, 5.0])
    for k in range(1, 5):
        every = [right(x, list(kept)) for kept in combinations(range(4), k)]
        np.testing.assert_allclose(np.mean(every, axis=0), x)
        spread = np.mean([np.sum((each - x) ** 2) for each in every])
        np.testing.assert_allclose(spread, RandK(k).omega(4) * np.sum(x**2))
