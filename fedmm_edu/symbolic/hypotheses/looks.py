"""What is looked at where a row is attacked by numbers: a claim, its symbols, and where it may change its form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import sympy as sp

from fedmm_edu.symbolic.decide.domain import Relation

LOOKED_AT = 1500
CONFIRMED = 12
"""So many of the points at which a claim looks broken are looked at exactly."""
GRID = 10**4
"""Numbers beside a point that a claim compares with have this denominator."""
SCALES = (0.1, 1, 10, 100)
SIMPLE = tuple(Fraction(p, q) for p in range(-6, 7) for q in (1, 2, 3))
STEPS = (Fraction(0), Fraction(1, 1000), Fraction(-1, 1000), Fraction(1), Fraction(-1))
"""From where a term vanishes: there, close by on both sides, and beyond."""


class Look(NamedTuple):
    """`holds` is claimed where all of `where` hold (its having a value, if that is the claim)."""

    where: tuple[Relation, ...]
    holds: Relation
    needs_value: bool
    symbols: Sequence[sp.Symbol]
    edges: Sequence[Sequence[Fraction]]
    """For each symbol, where a term in it alone vanishes."""
    centres: Mapping[int, sp.Expr]
    """Where the claim compares f with f(a): for each variable of f, by its place, its entry of a."""

    def about_edges(self, j: int) -> list[Fraction]:
        """Where terms in symbol j vanish, and numbers around."""
        return [e + d for e in self.edges[j] for d in STEPS]
