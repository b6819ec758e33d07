"""Floats on the safe side of exact numbers: a bound that is rounded must not promise more than the exact one."""

from __future__ import annotations

import math
from fractions import Fraction

import sympy as sp

from fedmm_edu.theory.hypotheses import Number

DIGITS = 40


def up(expr: sp.Expr) -> float:
    """A float that is not below the number: rational ones exactly, others from 40 correct digits."""
    if isinstance(expr, sp.Rational):
        return above(fraction(expr))
    near = sp.Rational(str(sp.N(expr, DIGITS)))
    return above(fraction(near) + abs(fraction(near)) / 10 ** (DIGITS - 2))


def fraction(number: sp.Rational) -> Fraction:
    """The same number without SymPy."""
    return Fraction(int(number.p), int(number.q))


def above(value: Fraction) -> float:
    """The least float that is not below `value`."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def sum_above(*values: float) -> float:
    """A float that is not below the sum, at least 0."""
    return max(0.0, above(sum(map(Fraction, values), Fraction(0))))


def root_above(square: Number) -> Number:
    """The square root of a number, rounded up where it is not exact."""
    if square.value is None:
        return square
    root = math.sqrt(max(square.value, 0.0))
    exact = Fraction(root) ** 2 >= Fraction(square.value) if square.value < math.inf else True
    limit = None if square.limit is None else math.nextafter(math.sqrt(max(square.limit, 0.0)), 0.0)
    return Number(root if exact else math.nextafter(root, math.inf), square.status, square.how, limit)
