"""A move in a search for a proof: what tends to 0 at −∞ and rises is ≥ 0, as Φ² − uφΦ − φ² for the Gaussian φ and Φ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from fedmm_edu.proofs.kernel import POSITIVE, Fact
from fedmm_edu.proofs.terms import ONE, Malformed, Term, apart_from, derivative, mentions, minus, substitute, variables
from fedmm_edu.symbolic.decide.at_hand import Known, accepted, prepared, wrapped
from fedmm_edu.symbolic.decide.from_zero import Finder, without_factors
from fedmm_edu.symbolic.decide.goal_polynomial import GoalPolynomial
from fedmm_edu.symbolic.decide.laws import arguments_of_erf, laws_for
from fedmm_edu.symbolic.decide.term_parts import Triple

TWO, ROOT_OF_PI = Fraction(2), ("root", 2, ("pi",))
BELOW_FOUR = ("+", minus(Fraction(22, 7), ("pi",)), Fraction(6, 7))
ROOMS = (ONE, Fraction(4))
"""c of f(y) ≥ −c/|y|."""


def rising_from_minus_infinity(search: Finder, goal: Fact, facts: Known, depth: int) -> Iterator[Any]:
    """The goal without denominators and factors of known sign, for all values of a variable in erf."""
    if goal.op != ">=" or depth < 1 or not mentions(goal.term, "erf"):
        return
    facts, haves = prepared(facts, (goal.term,))
    if (cleared := without_factors(goal, facts)) is None:
        return
    inner, whole = cleared
    for x in sorted(set().union(*map(variables, arguments_of_erf(inner.term)))):
        known = tuple(fact for fact in facts if x not in variables(fact.term))
        growth = _growth(inner, known)
        if growth is None:
            continue
        f: Term = ("*", inner.term, *(("pow", atom, -n) for atom, n in growth))
        names = variables(f).union(variables(goal.term), *(variables(fact.term) for fact in facts))
        y = apart_from(names, "y")
        along = substitute(f, {x: y})
        found = _above_room(search, along, y, [substitute(atom, {x: y}) for atom in _positive(inner, known)])
        if found is None:
            continue
        below = (*facts, Fact(">=", minus(x, y)))
        rises = search.prove(Fact(">=", derivative(along, y)), below, depth - 1, hinted=False)
        if rises is not None:
            back = ("by", ONE, ("*", f, *(("pow", atom, n) for atom, n in growth)))
            rest = ("have", tuple(inner), back, whole)
            yield wrapped(haves, ("limit", f, x, found[0], rises, found[1], rest))
            return


def _growth(inner: Fact, known: Known) -> list[tuple[Term, int]] | None:
    """The exponentials in a polynomial, each to the highest power that occurs: over these it may tend to 0."""
    try:
        at = GoalPolynomial(known, inner, {})
    except Malformed:
        return None
    most: dict[int, int] = {}
    for m in at.ratio.top:
        for atom, n in m:
            if isinstance(at.normal.atoms[atom], tuple) and at.normal.atoms[atom][0] == "exp":
                most[atom] = max(most.get(atom, 0), n)
    return [(at.write({((atom, 1),): 1}), n) for atom, n in sorted(most.items())]


def _positive(inner: Fact, known: Known) -> list[Term]:
    """The atoms of a polynomial that are > 0, but for variables."""
    at = GoalPolynomial(known, inner, {})
    atoms = sorted({atom for m in at.ratio.top for atom, _ in m})
    functions = (atom for atom in atoms if isinstance(at.normal.atoms[atom], tuple))
    return [at.write({((a, 1),): 1}) for a in functions if at.signs({((a, 1),): 1}) == POSITIVE]


def _above_room(search: Finder, f: Term, y: str, positive: Sequence[Term]) -> tuple[Fraction, Any] | None:
    """c and a proof of f(y) ≥ −c/|y| for y ≤ −1; what is `positive` comes as one factor with 1 + erf and −y."""
    far, points = (Fact(">=", minus(Fraction(-1), y)),), arguments_of_erf(f)
    wholes: list[Term] = [("*", *positive, ("+", ONE, ("erf", at))) for at in points]
    wholes += [("*", Fraction(-1), y, whole) for whole in wholes]
    lines: list[tuple[Fact, Any, Term]] = [(Fact(">", whole), ("by", ONE, whole), ONE) for whole in wholes]
    if mentions(f, "pi"):
        lines.append((Fact(">", minus(TWO, ROOT_OF_PI)), ("by", ("+", TWO, ROOT_OF_PI), BELOW_FOUR), ONE))
    instances: list[Triple] = [(("pow", at, 2), ONE, ONE) for at in points]
    laws = [*laws_for(f), *(("erf tail", (at,)) for at in points)]
    for c in ROOMS:
        near = Fact(">=", minus(c, ("*", y, f)))
        for proof in search.sums.combined(near, far, instances, lines=lines, laws=laws):
            if accepted(far, near, proof):
                return c, proof
    return None
