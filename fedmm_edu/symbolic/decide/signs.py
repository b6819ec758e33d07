"""Which signs an expression can take, read off its structure: a sum of positive terms is positive, and so on.

The answer is a set that contains every sign in {−1, 0, 1} that occurs on the domain where the expression is defined (it
may contain more). So `possible_signs(e) <= {0, 1}` proves e ≥ 0.
"""

from __future__ import annotations

from functools import reduce
from itertools import product
from operator import mul
from typing import Any

import sympy as sp

from fedmm_edu.symbolic.decide import balls
from fedmm_edu.symbolic.decide.domain import Domain, primitive
from fedmm_edu.symbolic.functions.signs import ANY_SIGN, NONNEGATIVE, POSITIVE, Signs, combined, negated
from fedmm_edu.symbolic.functions.table import FUNCTIONS, IRRATIONALS


def possible_signs(expr: sp.Expr, domain: Domain) -> Signs:
    """A set that contains the sign of expr at every point of the domain where expr is defined."""
    found = _structure(expr, domain)
    if len(found) > 1 and not expr.free_symbols:
        found &= _of_number(expr)
    if expr.free_symbols and len(found) > 1 and domain.facts and expr.count_ops() < 40:
        scale, key = primitive(expr)
        known = domain.facts.get(key, ANY_SIGN)
        found &= known if scale > 0 else negated(known)
    return found or ANY_SIGN


def _of_number(expr: sp.Expr) -> Signs:
    """The sign of a constant such as e − 2, by ball arithmetic; a Piecewise may have no value."""
    try:
        sign = balls.sign(expr, {})
    except balls.Undefined:
        return ANY_SIGN
    return ANY_SIGN if sign is None else frozenset({sign})


def _structure(e: Any, domain: Domain) -> Signs:
    if e.is_Rational:
        return frozenset({int(sp.sign(e))})
    if e.is_Symbol:
        return _of_symbol(e)
    if e in IRRATIONALS:
        return POSITIVE

    def of(part: sp.Expr) -> Signs:
        return possible_signs(part, domain)

    if e.func in FUNCTIONS:
        return FUNCTIONS[e.func].signs(of, *e.args)
    if e.is_Add:
        return reduce(_add, map(of, e.args))
    if e.is_Mul:
        return combined(mul, *map(of, e.args))
    if e.is_Pow:
        return _power(of(e.base), e.exp)
    if isinstance(e, sp.Piecewise):
        pieces: Any = e.args
        return frozenset().union(*(of(branch) for branch, _ in pieces))
    return ANY_SIGN


def _of_symbol(x: sp.Symbol) -> Signs:
    possible = {1: x.is_positive, 0: x.is_zero, -1: x.is_negative}
    return frozenset(sign for sign, held in possible.items() if held is not False)


def _add(a: Signs, b: Signs) -> Signs:
    out: set[int] = set()
    for x, y in product(a, b):
        out |= {x or y} if x * y >= 0 else ANY_SIGN
    return frozenset(out)


def _power(base: Signs, exponent: sp.Expr) -> Signs:
    if exponent.is_Integer:
        power = frozenset(s ** (int(exponent) % 2) if s or exponent == 0 else 0 for s in base)
        return power - {0} if exponent < 0 else power
    if exponent.is_Rational:  # a real fractional power has base ≥ 0 and is ≥ 0
        return NONNEGATIVE if 0 in base and exponent > 0 else POSITIVE
    return POSITIVE if base == POSITIVE else ANY_SIGN
