"""Moves in a search for a proof: rising from where a variable is least or 0, and a variable on another scale.

1 − e^{−2xr} − 2xr e^{−xr} is 0 at x = 0 and rises with x; −log cosh √u is convex in u, and so above its tangents there,
while −log cosh θ is not convex in θ; log Γ(e^u + n) − log Γ(e^u) is convex in u for n ≥ 1, and concave in e^u.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

from fedmm_edu.proofs.kernel import NONNEGATIVE, POSITIVE, SPECIAL, Branch, Context, Fact
from fedmm_edu.proofs.normal import constant, multiply, power
from fedmm_edu.proofs.terms import ONE, Malformed, Term, mentions, substitute, variables
from fedmm_edu.symbolic.decide.at_hand import Known, accepted, prepared, wrapped
from fedmm_edu.symbolic.decide.combination import Combination
from fedmm_edu.symbolic.decide.polynomials import factored
from fedmm_edu.symbolic.decide.segments import Prover, Segments
from fedmm_edu.symbolic.decide.sums import Sums
from fedmm_edu.symbolic.decide.term_parts import slope_of


class Finder(Prover, Protocol):
    """The search that asks: it has proofs of its own for what is left."""

    along: Segments
    sums: Sums


def rising_from_zero(search: Finder, goal: Fact, facts: Known, depth: int) -> Iterator[Any]:
    """The goal without denominators and factors of known sign, as what rises from 0 with a variable."""
    if goal.op not in (">", ">=") or not mentions(goal.term, "exp", "log", *SPECIAL):
        return
    facts, haves = prepared(facts, (goal.term,))
    if (cleared := without_factors(goal, facts)) is None:
        return
    inner, whole = cleared
    starts = dict.fromkeys(start for fact in facts if fact.op in (">", ">=") for start in _starts(fact.term))
    places = [{x: start} for x, start in starts if x in variables(inner.term)]
    for proof in search.along.rising(inner, facts, places, min(depth, 1)):
        if accepted(facts, inner, proof):
            yield wrapped([*haves, (inner, proof)], whole)
            return


def _starts(term: Term) -> Iterator[tuple[str, Fraction]]:
    """c, and 0, for a fact x − c ≥ 0 with c ≥ 0."""
    names = variables(term)
    if len(names) != 1 or slope_of(term, x := next(iter(names))) != 1:
        return
    at_zero = Branch(Context(), ()).normal.of(substitute(term, {x: Fraction(0)}))
    if at_zero.top.keys() <= {()} and (least := -Fraction(at_zero.top.get((), 0))) >= 0:
        yield from ((x, start) for start in dict.fromkeys((least, Fraction(0))))


def without_factors(goal: Fact, facts: Known) -> tuple[Fact, Any] | None:
    """What is left of the goal > 0 or ≥ 0 without denominators and factors of known sign, and a proof from it."""
    good = POSITIVE if goal.op == ">" else NONNEGATIVE
    try:
        at = Combination(facts, goal, {}).at
        factor, top = at.cleared()
        top = at.tidy(top)
        scale, factors = factored(top) if top else (1, [])
        outer, inner = list[Term]([Fraction(abs(scale))]), constant(1 if scale > 0 else -1)
        for part, n in factors:
            signs = frozenset(sign**n for sign in at.signs(part))
            below = frozenset(-sign for sign in signs) <= good
            if signs <= good or below:
                outer.append(("*", Fraction(-1 if below else 1), ("pow", at.write(part), n)))
                inner = multiply(inner, constant(-1 if below else 1))
            else:
                inner = multiply(inner, power(part, n))
        fact = Fact(goal.op, at.write(inner))
    except Malformed:
        return None
    return (fact, ("by", factor, ("*", *outer, fact.term))) if variables(fact.term) else None


Scale = tuple[Callable[[Term], Term], Callable[[Term], Term], bool]
"""A number > 0 in terms of another, that one in terms of it, and whether that is > 0."""
SQUARES: Scale = (lambda x: ("root", 2, x), lambda x: ("pow", x, 2), True)
LOGARITHMS: Scale = (lambda x: ("exp", x), lambda x: ("log", x), False)


def on_another_scale(
    search: Finder, goal: Fact, facts: Known, swaps: Sequence[Mapping[str, Term]], depth: int, scale: Scale
) -> Iterator[Any]:
    """The goal in x > 0 and a > 0 as one in x² and a², or log x and log a: above its tangent there."""
    down, up, positive = scale
    for swap in swaps:
        if len(swap) != 1:
            continue
        ((x, a),) = swap.items()
        if not isinstance(a, str) or not {Fact(">", x), Fact(">", a)} <= {*facts}:
            continue
        ends = {end: down(end) for end in (x, a)}
        own = (Fact(">", x), Fact(">", a)) if positive else ()
        given = (*own, *(Fact(f.op, substitute(f.term, ends)) for f in facts if f.term not in (x, a)))
        there = Fact(goal.op, _settled(substitute(goal.term, ends)))
        lemma = next(iter(search.along.above_tangents(there.term, there, given, [swap], depth)), None)
        if lemma is not None and accepted(given, there, lemma):
            place = tuple((end, up(end)) for end in (x, a))
            proofs = (*(("by", ONE, up(f.term)) for f in own),
                      *(("by", ONE, f.term) for f in facts if f.term not in (x, a)))  # fmt: skip
            _, haves = prepared(facts, (goal.term,))
            yield wrapped(haves, ("instance", given, tuple(there), lemma, place, proofs, ("by", ONE, goal.term)))


def _settled(term: Term) -> Term:
    """The term with x for the square of the root of x, and for the logarithm of eˣ."""
    if not isinstance(term, tuple):
        return term
    if term[0] == "pow" and term[2] == 2 and isinstance(term[1], tuple) and term[1][:2] == ("root", 2):
        return term[1][2]
    if term[0] == "log" and isinstance(term[1], tuple) and term[1][0] == "exp":
        return term[1][1]
    return tuple(part if k == 0 or isinstance(part, int) else _settled(part) for k, part in enumerate(term))
