"""Exponentials beside numbers, by their exponents: e^y ≥ 1 + y, and e^y ≤ (1 − b/n)^{−n} for y ≤ b < n."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fedmm_edu.proofs.kernel import exponential_fact
from fedmm_edu.proofs.terms import ONE, Fact, Term, minus, nodes_of
from fedmm_edu.symbolic.decide.at_hand import accepted
from fedmm_edu.symbolic.decide.combination import combination
from fedmm_edu.symbolic.decide.term_parts import Triple

BOUNDS = (0, 1, 2)
"""Bounds of exponents that are looked for."""
FINE = 16
"""n over b: the larger, the nearer to e^b."""


def ceilings(term: Term, facts: Sequence[Fact]) -> list[tuple[Fact, Any, Term]]:
    """c − e^y ≥ 0 for each exponential whose exponent the facts bound: fact, proof, and 1."""
    found = []
    for _, y in list(dict.fromkeys(nodes_of(term, "exp")))[:3]:
        for b in BOUNDS:
            room = Fact(">=", minus(Fraction(b), y))
            proof = combination(facts, room)
            if proof is not None and accepted(tuple(facts), room, proof):
                fact, rest = _ceiling(y, b, room.term)
                found.append((fact, ("have", tuple(room), proof, rest), ONE))
                break
    return found


def above_one(term: Term) -> list[Triple]:
    """e^y ≥ 1 + y for the first exponentials: above 1 where y > 0."""
    return [(y, ONE, ONE) for _, y in list(dict.fromkeys(nodes_of(term, "exp")))[:2]]


def _ceiling(y: Term, b: int, room: Term) -> tuple[Fact, Any]:
    """With r = 1 − b/n: e^{−y/n} ≥ 1 − y/n ≥ r, so E = e^{y/n} ≤ 1/r; r^{−n} − E^n = (1/r − E) Σ r^{−k} E^{n−1−k}."""
    n = max(1, FINE * b)
    r = 1 - Fraction(b, n)
    small, a = ("exp", ("*", Fraction(1, n), y)), ("*", Fraction(-1, n), y)
    lemma = exponential_fact(a, ONE, ONE, strict=False)
    low = Fact(">=", minus(1 / r, small))
    above = ("by", ("exp", a), ("+", ("*", 1 / r, lemma.term), ("*", 1 / (r * n), room)))
    powers = ("+", *(("*", r**-k, ("pow", small, n - 1 - k)) for k in range(n)))
    fact = Fact(">=", minus(r**-n, ("exp", y)))
    rest = ("by", ONE, ("*", low.term, powers))
    return fact, ("have", tuple(low), ("exponential", a, ONE, ONE, above), rest)
