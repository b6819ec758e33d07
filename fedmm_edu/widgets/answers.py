"""What a reader answers: numbers, words, sets of words and formulas, in the many forms in which they are written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fedmm_edu.errors import InvalidInput

if TYPE_CHECKING:
    import sympy as sp

LARGEST = 10**9
"""In a formula of a reader's."""


def same(answer: Any, wanted: Any, tolerance: float) -> bool:
    """Whether two answers are equal: words by their letters, sets of words as sets, numbers and vectors by size.

    `InvalidInput` says so when `answer` is of another kind than `wanted`.

    >>> same({"L1", " ridge"}, {"l1", "ridge"}, 0.0), same(0.3334, 1 / 3, 1e-3), same([1, 2], [1, 3], 1e-3)
    (True, True, False)
    """
    if isinstance(wanted, str):
        return spelling(word(answer)) == spelling(wanted)
    if isinstance(wanted, (set, frozenset)):
        return words(answer) == {spelling(each) for each in wanted}
    numbers = np.asarray(wanted, dtype=float)
    given = _numbers(answer, numbers.shape)
    return bool(np.linalg.norm(given - numbers) <= tolerance * max(float(np.linalg.norm(numbers)), 1e-9))


def spelling(text: str) -> str:
    """The letters and digits of a word, in one spelling: what is compared.

    >>> spelling("MM-1: Majorises"), spelling("Non-negative "), spelling("ℓ1")
    ('mm1majorizes', 'nonnegative', 'l1')
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = re.sub(r"is(?=(?:e[sdr]?|ing|ation)\b)", "iz", plain)
    return "".join(letter for letter in plain if letter.isalnum())


def number(answer: Any) -> float:
    """The answer as one finite number, else `InvalidInput`."""
    return float(_numbers(answer, ()))


def as_fraction(answer: Any) -> Fraction:
    """The answer as the fraction that its digits say: 0.1 is 1/10. `InvalidInput` where it is no finite number."""
    return Fraction(repr(number(answer)))


def word(answer: Any) -> str:
    """The answer as one word, alone or in brackets, else `InvalidInput`."""
    if isinstance(answer, (set, frozenset, list, tuple)) and len(answer) == 1:
        (answer,) = answer
    if not isinstance(answer, str):
        raise InvalidInput(f"{answer!r} is no word: put the answer between quotes.")
    return answer


def words(answer: Any) -> set[str]:
    """The keys of the answer's words, a set or a text with commas; else `InvalidInput`."""
    if isinstance(answer, str):
        answer = [part for part in re.split(r"[,;]", answer) if part.strip()] or None
    if not isinstance(answer, (set, frozenset, list, tuple)) or not all(isinstance(each, str) for each in answer):
        raise InvalidInput(f"{answer!r} is no set of words: write {{'one', 'two'}}, and set() for none.")
    return {spelling(each) for each in answer}


def holding(*those: str) -> Callable[[Any], bool]:
    """What a slip `matches`: every set that holds one of these words."""
    return lambda answer: not words(answer).isdisjoint(map(spelling, those))


def lacking(*those: str) -> Callable[[Any], bool]:
    """What a slip `matches`: every set that lacks all of these words."""
    return lambda answer: words(answer).isdisjoint(map(spelling, those))


@dataclass(frozen=True)
class Between:
    """What a slip `matches`, or an exercise `accepts`: every number between two ends, which are none of them.

    Data, and no function of the answer: so a page without a kernel can judge by it, too.
    """

    low: Callable[[], float]
    high: Callable[[], float]

    def __call__(self, answer: Any) -> bool:
        return self.low() < number(answer) < self.high()


def as_formula(answer: Any, *symbols: sp.Symbol) -> sp.Expr:
    """The answer as an expression in these symbols, known by their names; text is read and never evaluated.

    `InvalidInput` for what is none: an equation, an infinity, a matrix, a name that is not among the symbols.
    """
    import sympy as sp

    from fedmm_edu.symbolic.functions.reading import read_formula

    names = {symbol.name: symbol for symbol in symbols}
    allowed = " and ".join(names)
    if isinstance(answer, str):
        answer = read_formula(re.sub(r"\babs\(", "Abs(", answer), lambda name: names.get(name, sp.Symbol(name)))
    if isinstance(answer, np.ndarray) and answer.size == 1:
        answer = answer.item()
    if isinstance(answer, (int, float, Fraction, np.number)) and not isinstance(answer, bool):
        answer = sp.sympify(answer)
    if not isinstance(answer, sp.Expr):
        raise InvalidInput(f"{answer!r} is no formula: build an expression from {allowed}.")
    expr = answer.xreplace({symbol: names.get(symbol.name, symbol) for symbol in answer.free_symbols})
    if not expr.free_symbols <= set(symbols):
        raise InvalidInput(f"{expr} contains more than {allowed}.")
    if expr.has(sp.nan, sp.zoo, sp.oo, -sp.oo, sp.I):
        raise InvalidInput(f"{expr} is no real number: write a finite formula.")
    if any(abs(value) > LARGEST for value in expr.atoms(sp.Number)):
        raise InvalidInput(f"a number in the formula is larger than {LARGEST}: write a smaller one.")
    return sp.nsimplify(expr, rational=True)  # 0.5 is meant exactly


def check_choice(answer: Any, among: tuple[str, ...]) -> None:
    """`InvalidInput` for a word, alone or in a set, that is none of `among`."""
    if not isinstance(answer, (str, set, frozenset, list, tuple)):
        return  # what else is wrong with it is said elsewhere
    known = {spelling(each) for each in among}
    given = [answer] if isinstance(answer, str) and spelling(answer) in known else answer
    if isinstance(given, str):
        given = [part.strip() for part in re.split(r"[,;]", given)]
    if strange := [each for each in given if not isinstance(each, str) or spelling(each) not in known]:
        raise InvalidInput(f"{', '.join(sorted(map(repr, strange)))}: choose from {', '.join(map(repr, among))}.")


def _numbers(answer: Any, shape: tuple[int, ...]) -> np.ndarray:
    wanted = "one number" if shape == () else f"a list of {shape[0]} numbers"
    try:
        if isinstance(answer, str):
            answer = float(Fraction(answer.replace(" ", "").replace("−", "-")))
        if isinstance(answer, bool):
            raise TypeError
        given = np.asarray(answer, dtype=float)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise InvalidInput(f"{answer!r} is no number: give {wanted}.") from error
    if given.size != int(np.prod(shape)) or not np.isfinite(given).all():
        raise InvalidInput(f"{answer!r} does not fit: give {wanted}, finite.")
    return given.reshape(shape)
