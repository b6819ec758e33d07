"""What an entry of the table must tell: the faces of a smooth function and of one with kinks.

Arguments of a face are expressions, exact numbers (`fmpq`) or balls (`arb`), as each face says. Whatever is said of a
ball holds for every number in it: a face that claims too much would prove what is false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import sympy as sp
from flint import arb, fmpq

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.functions.signs import Condition, Signs

ExactOrBall = fmpq | arb
Positive = Callable[[Any], bool]
"""Whether an expression that is not zero is positive."""

TABLE_FILE = "fedmm_edu/symbolic/functions/table.py"
MISSING: Any = object()


class Unclear(Exception):
    """The precision at hand does not decide a sign that a value depends on."""


def _require_faces(entry: Smooth | Kinked) -> None:
    for face in fields(entry):
        if getattr(entry, face.name) is MISSING:
            name = getattr(entry.function, "__name__", "a function")
            raise InvalidInput(f"{name} in {TABLE_FILE} has no face `{face.name}`: give it one (faces.py says what).")


@dataclass(frozen=True, kw_only=True)
class Smooth:
    """A function that has all derivatives inside its domain (SymPy's; their functions stand in the table, too).

    function: SymPy's class.
    domain(*args): the conditions under which the value is real, for expressions, numbers and balls alike.
    exact: integers at which the value (of the last argument) is this integer; anywhere else it counts as irrational.
    ball(*args): a ball around every value on balls of arguments; its arguments satisfy `domain`, or it is not finite.
    signs(of, *args): a set with every sign that occurs, `of` giving that of an expression.
    rewritten(*args): the same function in other functions of the table, for identities and solvers; None for none.
    squared(*args): its square in other functions of the table; None where there is no such law.
    facts(value, *args): conditions that hold for value = function(*args) wherever it is defined; for the solvers.
    numpy: the function on arrays; None where SymPy's NumPy printer has it.
    parameters: so many leading arguments are written whole numbers ≥ 0.
    """

    function: Any = MISSING
    domain: Callable[..., Sequence[Condition]] = MISSING
    exact: Mapping[int, int] = MISSING
    ball: Callable[..., arb] = MISSING
    signs: Callable[..., Signs] = MISSING
    rewritten: Callable[..., sp.Expr] | None = MISSING
    squared: Callable[..., sp.Expr] | None = MISSING
    facts: Callable[..., Sequence[Condition]] = MISSING
    numpy: Callable[..., Any] | None = MISSING
    parameters: int = 0

    def __post_init__(self) -> None:
        _require_faces(self)

    def at(self, *args: ExactOrBall) -> ExactOrBall:
        """The value for exact arguments or balls that satisfy `domain`: exact where it is known to be."""
        for known, value in self.exact.items():
            if args[-1] == known:
                return fmpq(value)
        return self.ball(*map(arb, args))

    def over(self, *args: arb) -> arb:
        """A ball around every value on balls of arguments; not finite where one of them may leave the domain."""
        inside = all(meets(value, op) for value, op in self.domain(*args))
        return self.ball(*args) if inside else arb("nan")


@dataclass(frozen=True, kw_only=True)
class Kinked:
    """A function defined everywhere that follows one formula or another, by the signs of its switches.

    function: SymPy's class.
    at(*args), over(*args): as for `Smooth`; `at` raises `Unclear` where it needs a sign that balls leave open.
    signs(of, *args): a set with every sign that occurs.
    switches(*args): the expressions at whose zeros the formula changes.
    piece(positive, *args): the formula where no switch is zero.
    bend: 1 where it is convex (−1: concave) in all arguments together, 0 where neither.
    smt(*terms): the value as a term of SMT-LIB, its arguments being such terms.
    numpy: the function on arrays; None where SymPy's NumPy printer has it.
    """

    function: Any = MISSING
    at: Callable[..., ExactOrBall] = MISSING
    over: Callable[..., arb] = MISSING
    signs: Callable[..., Signs] = MISSING
    switches: Callable[..., Sequence[sp.Expr]] = MISSING
    piece: Callable[..., sp.Expr] = MISSING
    bend: Literal[-1, 0, 1] = MISSING
    smt: Callable[..., str] = MISSING
    numpy: Callable[..., Any] | None = MISSING

    parameters = 0

    def __post_init__(self) -> None:
        _require_faces(self)

    def domain(self, *args: Any) -> Sequence[Condition]:
        """No condition: it is defined everywhere."""
        return ()


def certain_sign(value: ExactOrBall) -> int:
    """The sign of an exact number, or of every number of a ball; `Unclear` where they differ."""
    if isinstance(value, fmpq):
        return (value > 0) - (value < 0)
    if value > 0 or value < 0:
        return 1 if value > 0 else -1
    raise Unclear


def meets(value: Any, op: str) -> bool:
    """Whether `value op 0`, of a ball for every number in it."""
    return {">": value > 0, ">=": value >= 0, "==": value == 0, "!=": value != 0}[op]
