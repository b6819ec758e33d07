"""Exercises that say more than right or wrong: an answer is compared with a computation, and a known slip has its hint.

    step = Exercise(
        asks="the next point, a number",
        solution=lambda: float(problem.T(s)[0]),
        slips=(Slip(lambda: float(s[0]), "This is s itself: apply T to it."),),
    )
    step.check(None)      # says what is asked
    step.check(1.25)      # right, a slip with its hint, or wrong

Neither solutions nor slips are written down as numbers: both are computed by the package when an answer is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from fedmm_edu.errors import FedMMError, InvalidInput


@dataclass(frozen=True)
class Feedback:
    """What a reader gets back; `right` is None while there is no answer."""

    right: bool | None
    says: str

    def __repr__(self) -> str:
        return {None: "… ", True: "✓ Right. ", False: "✗ Not yet. "}[self.right] + self.says


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
    (default: equal to the solution, numbers up to `tolerance` relative). `why` is said with a right answer, `nudge`
    with a wrong one that is no known slip. Words must be `among` the given ones. `against` says what a checker finds
    against a wrong answer: a point to put in, or "".
    """

    asks: str
    solution: Callable[[], Any]
    slips: tuple[Slip, ...]
    why: str = ""
    nudge: str = "Do the first step on paper, and compare it with a cell above."
    accepts: Callable[[Any], bool] | None = None
    tolerance: float = 2e-3
    among: tuple[str, ...] = ()
    against: Callable[[Any], str] = lambda answer: ""

    def check(self, answer: Any) -> Feedback:
        """What to say to `answer`; None is no answer yet."""
        if answer is None:
            return Feedback(None, f"No answer yet: replace None by {self.asks}.")
        try:
            if self.among:
                _chosen(answer, self.among)
            if self.accepts(answer) if self.accepts else same(answer, self.solution(), self.tolerance):
                return Feedback(True, self.why)
            return Feedback(False, f"{self._hint(answer)} {self.against(answer)}".strip())
        except InvalidInput as error:
            return Feedback(False, f"{error} Wanted: {self.asks}.")

    def _hint(self, answer: Any) -> str:
        """What to say to an answer that is not right."""
        for slip in self.slips:
            if slip.matches(answer) if slip.matches else same(answer, slip.answer(), self.tolerance):
                return slip.hint
        if not self.accepts and same(answer, self.solution(), 10.0 * self.tolerance):
            return "Nearly: give more digits, or look for a small slip."
        return self.nudge

    def confirm(self, answer: Any, *lines: str) -> Solved:
        """`check` for the solutions printed in lessons: a lesson whose solution is not right stops with an error.

        `lines` are what else the solution has to show.
        """
        feedback = self.check(answer)
        if not feedback.right:
            raise FedMMError(f"the lesson's own solution {answer!r} does not pass: {feedback.says}")
        return Solved(feedback, lines)


def same(answer: Any, wanted: Any, tolerance: float) -> bool:
    """Whether two answers are equal: words by their letters, sets of words as sets, numbers and vectors by size.

    `InvalidInput` says so when `answer` is of another kind than `wanted`.

    >>> same({"L1", " ridge"}, {"l1", "ridge"}, 0.0), same(0.3334, 1 / 3, 1e-3), same([1, 2], [1, 3], 1e-3)
    (True, True, False)
    """
    if isinstance(wanted, str):
        if not isinstance(answer, str):
            raise InvalidInput(f"{answer!r} is no word: put the answer between quotes.")
        return answer.strip().casefold() == wanted.casefold()
    if isinstance(wanted, (set, frozenset)):
        return words(answer) == {word.casefold() for word in wanted}
    numbers = np.asarray(wanted, dtype=float)
    given = _numbers(answer, numbers.shape)
    return bool(np.linalg.norm(given - numbers) <= tolerance * max(float(np.linalg.norm(numbers)), 1e-9))


def number(answer: Any) -> float:
    """The answer as one finite number, else `InvalidInput`."""
    return float(_numbers(answer, ()))


def words(answer: Any) -> set[str]:
    """The answer as a set of words in small letters, else `InvalidInput`."""
    if not isinstance(answer, (set, frozenset, list, tuple)) or not all(isinstance(word, str) for word in answer):
        raise InvalidInput(f"{answer!r} is no set of words: write {{'one', 'two'}}, and set() for none.")
    return {word.strip().casefold() for word in answer}


def holding(*those: str) -> Callable[[Any], bool]:
    """What a slip `matches`: every set that holds one of these words."""
    return lambda answer: not words(answer).isdisjoint(those)


def part_of(wanted: Callable[[], set[str]]) -> Callable[[Any], bool]:
    """What a slip `matches`: every set that lacks some of the words wanted, and holds no other."""
    return lambda answer: words(answer) < {word.casefold() for word in wanted()}


def _chosen(answer: Any, among: tuple[str, ...]) -> None:
    """`InvalidInput` for a word, alone or in a set, that is none of `among`."""
    if not isinstance(answer, (str, set, frozenset, list, tuple)):
        return  # what else is wrong with it is said elsewhere
    given = {answer.strip().casefold()} if isinstance(answer, str) else words(answer)
    if strange := given - {word.casefold() for word in among}:
        raise InvalidInput(f"{', '.join(map(repr, sorted(strange)))}: choose from {', '.join(map(repr, among))}.")


def _numbers(answer: Any, shape: tuple[int, ...]) -> np.ndarray:
    wanted = "one number" if shape == () else f"a list of {shape[0]} numbers"
    try:
        given = np.asarray(answer, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{answer!r} is no number: give {wanted}.") from error
    if given.shape != shape or not np.isfinite(given).all():
        raise InvalidInput(f"{answer!r} does not fit: give {wanted}, finite.")
    return given
