"""Roots in a proof: a concave power below its tangent line, and a sum with a root by what it is the conjugate of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from fedmm_edu.proofs.terms import Fact, Term, minus, parts_of, substitute

ONE = Fraction(1)


def tangent_lines(term: Term, swaps: Sequence[Mapping[str, Term]]) -> list[tuple[Fact, Any, Term]]:
    """u^{p/q} ≤ v^{p/q} + (p/q) v^{p/q − 1}(u − v) for each such power, v the place of u: the fact, a proof, and v > 0."""
    found = []
    for q, p, u in dict.fromkeys(_powers(term)):
        for swap in swaps:
            v = substitute(u, swap)
            if v != u and 0 < p < q:
                found.append((*_line(q, p, u, v), v))
    return found[:4]


def _powers(term: Term) -> Iterator[tuple[int, int, Term]]:
    """q, p and u of every u^{p/q}."""
    if not isinstance(term, tuple):
        return
    if term[0] == "root":
        yield term[1], 1, term[2]
    elif term[0] == "pow" and isinstance(term[1], tuple) and term[1][0] == "root":
        yield term[1][1], term[2], term[1][2]
        yield from _powers(term[1][2])
        return
    for part in parts_of(term):
        yield from _powers(part)


def _line(q: int, p: int, u: Term, v: Term) -> tuple[Fact, Any]:
    """With r^q = u, R^q = v: q R^{q−p} times the line less r^p is (q−p) R^q − q R^{q−p} r^p + p r^q, (r − R)² times a sum."""
    r, R = ("root", q, u), ("root", q, v)
    line = ("*", Fraction(p, q), ("pow", R, p), ("pow", v, -1), minus(u, v))
    coefficients = [Fraction(0)] * (q + 1)
    coefficients[0], coefficients[p], coefficients[q] = Fraction(q - p), Fraction(-q), Fraction(p)
    for _ in range(2):  # over r − R, twice
        carried, over = Fraction(0), []
        for c in reversed(coefficients):
            carried += c
            over.append(carried)
        coefficients = list(reversed(over[:-1]))
    rest = ("+", *(("*", c, ("pow", r, k), ("pow", R, q - 2 - k)) for k, c in enumerate(coefficients)))
    proof = ("by", ("*", Fraction(q), v, ("pow", R, -p)), ("*", ("pow", minus(r, R), 2), rest))
    return Fact(">=", ("+", ("pow", R, p), line, ("*", Fraction(-1), ("pow", r, p)))), proof
