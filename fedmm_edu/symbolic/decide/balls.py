"""Rigorous values of an expression at an exact rational point.

Rational arithmetic stays exact; everything else becomes a ball (python-flint's `arb`), at growing precision until its
sign is certain. Zero is reported only when it was reached by exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq, fmpz

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.decide.domain import Relation, relations_of
from fedmm_edu.symbolic.decide.ranges import six_digits
from fedmm_edu.symbolic.functions.faces import ExactOrBall, Unclear, certain_sign
from fedmm_edu.symbolic.functions.signs import ALLOWED
from fedmm_edu.symbolic.functions.table import FUNCTIONS, IRRATIONALS, LANGUAGE

PRECISIONS = (64, 256, 1024, 4096)
FAR = 2**14
"""Powers of two beyond are not written out: exp(−10¹⁸) has as many digits."""


class Undefined(InvalidInput):
    """The expression has no real value at the point; `term` is the part that has none."""

    def __init__(self, term: sp.Expr) -> None:
        super().__init__(f"{term} has no real value at this point: choose a point where it is defined.")
        self.term = term


def enclose(expr: sp.Expr, point: Mapping[Any, Any], *, precision: int = 128) -> arb:
    """A ball that contains the value of expr at `point` (names or symbols → rationals).

    Raises `Undefined` where expr has no real value and `InvalidInput` when `precision` bits leave that open.
    """
    try:
        value = _evaluate(expr, point, precision)
    except Unclear as cause:
        raise InvalidInput(f"{precision} bits do not decide the value of {expr}: raise `precision`.") from cause
    with ctx.workprec(precision):
        return arb(value)


def exact(expr: sp.Expr, point: Mapping[Any, Any]) -> Fraction | None:
    """The value as a fraction where exact arithmetic reaches it, else None."""
    try:
        value = _evaluate(expr, point, PRECISIONS[0])
    except Unclear:
        return None
    return Fraction(int(value.p), int(value.q)) if isinstance(value, fmpq) else None


def sign(expr: sp.Basic, point: Mapping[Any, Any]) -> int | None:
    """−1, 0 or 1, each certain; None when no precision up to 4096 bits decides. Raises `Undefined`."""
    for precision in PRECISIONS:
        try:
            return certain_sign(_evaluate(expr, point, precision))
        except Unclear:
            continue
    return None


def holds(relation: Relation, point: Mapping[Any, Any]) -> bool:
    """Whether the relation certainly holds at the point (False also where it is undefined or undecided)."""
    try:
        return sign(relation.expr, point) in ALLOWED[relation.op]
    except Undefined:
        return False


def show(expr: sp.Expr, point: Mapping[Any, Any]) -> str:
    """The value for a reader: an exact fraction, or an enclosure such as "[0.3466, 0.3467]"."""
    value = exact(expr, point)
    if value is not None:
        return str(value)
    ball = enclose(expr, point)
    return f"[{_decimal(ball.lower(), ROUND_FLOOR)}, {_decimal(ball.upper(), ROUND_CEILING)}]"


def _decimal(end: arb, rounding: str) -> str:
    """An end of a ball with six digits, rounded outward."""
    mantissa, exponent = (int(part) for part in end.mid().man_exp())
    if abs(exponent) > FAR:
        with ctx.workprec(PRECISIONS[0] + 2 * exponent.bit_length()):
            odd, twos = (int(part) for part in (abs(end).log() / arb(10).log()).mid().floor().man_exp())
            tens = odd << twos
            near = end / arb(10) ** arb(tens)
        return f"{_decimal(near.lower() if rounding == ROUND_FLOOR else near.upper(), rounding)}e{tens:+d}"
    return f"{six_digits(Fraction(mantissa) * Fraction(2) ** exponent, rounding):g}"


def _evaluate(expr: sp.Basic, point: Mapping[Any, Any], precision: int) -> ExactOrBall:
    rationals = {str(name): sp.Rational(value) for name, value in point.items()}
    values = {name: fmpq(int(value.p), int(value.q)) for name, value in rationals.items()}
    missing = sorted({x.name for x in expr.free_symbols} - values.keys())
    if missing:
        raise InvalidInput(f"the point gives no value to {', '.join(missing)}: name every variable of {expr}.")
    with ctx.workprec(precision):
        return _value(expr, values)


def _value(e: Any, at: Mapping[str, fmpq]) -> ExactOrBall:
    if e.is_Symbol:
        return at[e.name]
    if e.is_Rational:
        return fmpq(int(e.p), int(e.q))
    if e in IRRATIONALS:
        return IRRATIONALS[e]()
    if isinstance(e, sp.Piecewise):
        pieces: Any = e.args
        for branch, condition in pieces:
            if _truth(condition, at):
                return _value(branch, at)
        raise Undefined(e)
    args = [_value(arg, at) for arg in e.args]
    if e.is_Add:
        return sum(args[1:], args[0])
    if e.is_Mul:
        out = args[0]
        for arg in args[1:]:
            out = out * arg
        return fmpq(0) if any(isinstance(arg, fmpq) and arg == 0 for arg in args) and _finite(args) else out
    if e.func in FUNCTIONS:
        entry = FUNCTIONS[e.func]
        if any(certain_sign(value) not in ALLOWED[op] for value, op in entry.domain(*args)):
            raise Undefined(e)
        return entry.at(*args)
    if e.is_Pow:
        return _power(e, args[0], args[1])
    raise InvalidInput(f"{e.func.__name__} has no ball arithmetic: write the model with {LANGUAGE}.")


def _finite(values: list[ExactOrBall]) -> bool:
    return all(isinstance(value, fmpq) or value.is_finite() for value in values)


def _power(e: sp.Expr, base: ExactOrBall, exponent: ExactOrBall) -> ExactOrBall:
    if not isinstance(exponent, fmpq):
        if certain_sign(base) <= 0:
            raise Undefined(e)
        return (arb(base).log() * exponent).exp()
    p, q = int(exponent.p), int(exponent.q)
    if p < 0 and certain_sign(base) == 0:
        raise Undefined(e)
    if q == 1:
        return base**p
    if certain_sign(base) < 0:  # a real fractional power needs a base ≥ 0
        raise Undefined(e)
    if base == 0:
        return fmpq(0)
    root = _exact_root(base, q) if isinstance(base, fmpq) else None
    return (arb(base).root(q) if root is None else root) ** p


def _exact_root(base: fmpq, q: int) -> fmpq | None:
    roots = [sp.integer_nthroot(int(part), q) for part in (base.p, base.q)]
    return fmpq(fmpz(int(roots[0][0])), fmpz(int(roots[1][0]))) if all(is_exact for _, is_exact in roots) else None


def _truth(condition: sp.Basic, at: Mapping[str, fmpq]) -> bool:
    if condition in (sp.true, sp.false):
        return bool(condition)
    if isinstance(condition, sp.And):
        return all(_truth(part, at) for part in condition.args)
    if isinstance(condition, sp.Or):
        return any(_truth(part, at) for part in condition.args)
    if isinstance(condition, sp.Not):
        return not _truth(condition.args[0], at)
    if isinstance(condition, sp.Rel):
        return all(certain_sign(_value(r.expr, at)) in ALLOWED[r.op] for r in relations_of(condition))
    raise InvalidInput(f"{condition} is not a relation: use >, >=, <, <=, Eq, Ne in Piecewise.")
