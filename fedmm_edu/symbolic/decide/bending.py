"""Where an expression that touches 0 bends down beside the place: a counterexample too small for sampling to meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product

import sympy as sp

from fedmm_edu.symbolic.decide import balls
from fedmm_edu.symbolic.decide.domain import Domain, Relation
from fedmm_edu.symbolic.decide.witness_search import find_point

STEPS = tuple(sign * Fraction(1, 2**k) for k in range(12) for sign in (1, -1))


def beside_anchor(
    wanted: Relation, domain: Domain, anchor: Mapping[sp.Symbol, sp.Expr], seed: int
) -> dict[str, Fraction] | None:
    """A point of the domain where `wanted`, which θ = τ satisfies with equality, fails; None when none was found.

    Looked for are a τ and a direction in which the second derivative at θ = τ is negative, and then a θ beside it.
    """
    others = [x for x in domain.variables if x not in anchor]
    there = Domain.of([r.at(anchor) for r in domain.relations], others)
    violated = (*domain.relations, *wanted.negated())
    for direction in _directions(list(anchor)):
        pairs = product(direction.items(), repeat=2)
        bend = sp.Add(*(a * b * sp.diff(wanted.expr, x, y) for (x, a), (y, b) in pairs)).xreplace(anchor)
        at = find_point(there, (Relation(-bend, ">"),), seed=seed, thorough=True)
        if at is None:
            continue
        for step in STEPS:
            moved = {x.name: at[str(anchor[x])] + step * direction.get(x, 0) for x in anchor}
            if all(balls.holds(relation, at | moved) for relation in violated):
                return at | moved
    return None


def _directions(theta: list[sp.Symbol]) -> Iterator[dict[sp.Symbol, int]]:
    """The axes, and the diagonals between two of them."""
    for x in theta:
        yield {x: 1}
    for (x, y), sign in product(combinations(theta, 2), (1, -1)):
        yield {x: 1, y: sign}
