"""Whether an expression is zero as a rational function of its atoms, by exact arithmetic of polynomials.

Nothing is simplified and no common factor is looked for: an expression becomes a numerator over powers of factors that
are not zero, as it is built, and vanishes exactly where the numerator does.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import mul

import sympy as sp
from sympy.polys.rings import PolyElement, ring

__all__ = ["is_identity"]

Over = tuple[PolyElement, dict[PolyElement, int]]
"""A numerator, and the factors below it with their powers."""


class _NotRational(Exception):
    """A root, a function, a division by zero or a matrix stands in the expression."""


def is_identity(expr: sp.Expr) -> bool:
    """Whether `expr` is zero as a rational function of its atoms (exp, log, |·| count as atoms).

    >>> x, y = sp.symbols("x y", positive=True)
    >>> is_identity(x / (x + y) + y / (x + y) - 1), is_identity(x / (x + y) - 1), is_identity(sp.sqrt(x) ** 2 - x)
    (True, False, True)
    """
    symbols = sorted(expr.free_symbols, key=str)
    try:
        if not all(symbol.is_commutative for symbol in symbols):
            raise _NotRational
        polynomials, *generators = ring(symbols or [sp.Dummy()], sp.QQ)
        return not _over(expr, dict(zip(symbols, generators, strict=False)), polynomials.one)[0]
    except _NotRational:
        expanded = sp.expand(expr)
        return expanded == 0 or sp.expand(sp.numer(sp.cancel(sp.together(expanded)))) == 0


def _over(e: sp.Basic, generators: Mapping[sp.Basic, PolyElement], one: PolyElement) -> Over:
    if e in generators:
        return generators[e], {}
    if isinstance(e, sp.Rational):
        return one.mul_ground(sp.QQ(int(e.p), int(e.q))), {}
    if isinstance(e, sp.Add):
        return _sum([_over(part, generators, one) for part in e.args], one)
    if isinstance(e, sp.Mul):
        return _product([_over(part, generators, one) for part in e.args], one)
    if not (isinstance(e, sp.Pow) and isinstance(e.exp, sp.Integer)):
        raise _NotRational
    (top, below), n = _over(e.base, generators, one), int(e.exp)
    if n >= 0:
        return top**n, {factor: k * n for factor, k in below.items()}
    if not top:
        raise _NotRational
    return reduce(mul, (factor ** (-k * n) for factor, k in below.items()), one), {top: -n}


def _sum(parts: list[Over], one: PolyElement) -> Over:
    common: dict[PolyElement, int] = {}
    for _, below in parts:
        common |= {factor: max(n, common.get(factor, 0)) for factor, n in below.items()}
    total = one.ring.zero
    for top, below in parts:
        total += reduce(mul, (factor ** (n - below.get(factor, 0)) for factor, n in common.items()), top)
    return total, common


def _product(parts: list[Over], one: PolyElement) -> Over:
    common: dict[PolyElement, int] = {}
    for _, below in parts:
        common |= {factor: n + common.get(factor, 0) for factor, n in below.items()}
    return reduce(mul, (top for top, _ in parts), one), common
