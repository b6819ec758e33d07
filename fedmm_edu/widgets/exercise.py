"""Exercises that say more than right or wrong: an answer is compared with a computation, and a known slip has its hint.

    step = Exercise(
        asks="the next point, a number",
        solution=lambda: float(problem.T(s)[0]),
        slips=(Slip(lambda: float(s[0]), "This is s itself: apply T to it."),),
    )
    step.check(None)      # says what is asked; on a page, also a form to answer in
    step.check(1.25)      # right, a slip with its hint, or wrong

Neither solutions nor slips are written down as numbers: both are computed by the package when an answer is checked.

On a page without a kernel an exercise is a sheet: solutions and slips as data, made by the same Python when the page is
made. A number is compared with the solution, then with each slip; for words there are few answers, and each has been
judged beforehand. `sheet.js` does the rest. What only a checker can judge (a formula, a function) has no sheet.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.widgets.answers import Between, check_choice, same
from fedmm_edu.widgets.bundle import element

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEARLY = "Nearly: give more digits, or look for a small slip."
"""What is said within ten times the tolerance of a number."""
MOST = 600
"""Answers in words that are judged beforehand."""
LADDER = ("A hint", "More", "Nearly all of it")
"""What the three hints of an exercise are called."""


@dataclass(frozen=True)
class Feedback:
    """What a reader gets back; `right` is None while nothing is decided. `more` is what a page shows beside it."""

    right: bool | None
    says: str
    more: Callable[[], str] = lambda: ""

    def __repr__(self) -> str:
        return {None: "… ", True: "✓ Right. ", False: "✗ Not yet. "}[self.right] + self.says

    def _repr_html_(self) -> str:
        return f'<div class="feedback"><p>{escape(repr(self))}</p>{self.more()}</div>'


@dataclass(frozen=True)
class Solved:
    """What is said to a lesson's own solution: folded up on a page, for a reader who runs all cells has not asked."""

    feedback: Feedback
    lines: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n".join([*self.lines, repr(self.feedback)])

    def _repr_html_(self) -> str:
        style = "white-space: pre-wrap"
        return f'<details><summary>What it gives</summary><pre style="{style}">{escape(repr(self))}</pre></details>'


@dataclass(frozen=True)
class Slip:
    """A plausible wrong answer, its hint, and what else counts as the same slip (default: answers equal to it)."""

    answer: Callable[[], Any]
    hint: str
    matches: Callable[[Any], bool] | None = None


@dataclass(frozen=True)
class Exercise:
    """One question whose answer the package computes.

    `asks` says in words what is wanted; `solution` computes an answer; `accepts` judges one where several are right
    (default: equal to the solution, numbers up to `tolerance` relative), and gives None where it cannot tell. `why` is
    said with a right answer, `nudge` with a wrong one that is no known slip. Words must be `among` the given ones;
    `slots` names the places of an answer of several. `against` says what a checker finds against a wrong answer: a
    point to put in, or ""; `drawn` is a picture of it, or None. `hints` are three, each of which says more.
    """

    asks: str
    solution: Callable[[], Any]
    slips: tuple[Slip, ...]
    why: str = ""
    nudge: str = "Do the first step on paper, and compare it with a cell above."
    accepts: Callable[[Any], bool | None] | None = None
    tolerance: float = 2e-3
    among: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    against: Callable[[Any], str] = lambda answer: ""
    drawn: Callable[[Any], Figure | None] = lambda answer: None
    hints: tuple[str, ...] = ()

    def check(self, answer: Any) -> Feedback:
        """What to say to `answer`; None is no answer yet."""
        if answer is None:
            return Feedback(None, f"No answer yet: replace None by {self.asks}.", self._beside)
        try:
            if self.among and not self.slots:
                check_choice(answer, self.among)
            right = self.judge(answer)
            if right is None:
                return Feedback(None, "Open: the checker finds neither a proof nor a counterexample. Write it simpler.")
            if right:
                return Feedback(True, self.why)
            says = f"{self.hint(answer)} {self.against(answer)}".strip()
            return Feedback(False, says, lambda: _picture(self.drawn(answer)))
        except InvalidInput as error:
            return Feedback(False, f"{error} Wanted: {self.asks}.")

    def judge(self, answer: Any) -> bool | None:
        """Whether the answer is right; None where nobody can tell."""
        return self.accepts(answer) if self.accepts else same(answer, self.solution(), self.tolerance)

    def hint(self, answer: Any) -> str:
        """What to say to an answer that is not right."""
        for slip in self.slips:
            if slip.matches(answer) if slip.matches else same(answer, slip.answer(), self.tolerance):
                return slip.hint
        if not self.accepts and same(answer, self.solution(), 10.0 * self.tolerance):
            return NEARLY
        return self.nudge

    def confirm(self, answer: Any, *lines: str) -> Solved:
        """`check` for the solutions printed in lessons: a lesson whose solution is not right stops with an error.

        `lines` are what else the solution has to show.
        """
        feedback = self.check(answer)
        if not feedback.right:
            raise FedMMError(f"the lesson's own solution {answer!r} does not pass: {feedback.says}")
        return Solved(feedback, lines)

    def _beside(self) -> str:
        """The form to answer in on a page, and the hints, each folded into the one before."""
        data, folded = sheet(self), ""
        for name, hint in reversed(tuple(zip(LADDER, self.hints, strict=False))):
            folded = f"<details><summary>{name}</summary><p>{escape(hint)}</p>{folded}</details>"
        return (element("sheet", data) if data else "") + folded


def _picture(figure: Figure | None) -> str:
    """The figure as an element of a page; "" for none."""
    if figure is None:
        return ""
    from matplotlib.pyplot import close

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=80)
    close(figure)
    return f'<img alt="the counterexample" src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}">'


def sheet(exercise: Exercise) -> dict[str, Any] | None:
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


def _words(exercise: Exercise) -> dict[str, Any] | None:
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
