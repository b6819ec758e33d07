"""Factors of a polynomial over ℚ, by flint.

SymPy lifts factors from a place that it draws by chance: for some places it is at it for hours, for others a moment.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import sympy as sp
from flint import fmpz_mpoly_ctx


def over_rationals(polynomial: sp.Expr) -> tuple[sp.Rational, list[tuple[sp.Expr, int]]]:
    """content and irreducible factors with their powers: what `sympy.factor_list` says, in its order."""
    top, bottom = sp.together(polynomial).as_numer_denom()
    content, powers = sp.S.One / bottom, defaultdict[sp.Poly, int](int)
    for base, power in (part.as_base_exp() for part in sp.Mul.make_args(top)):
        if base.is_Number:
            content *= base**power
            continue
        scale, factors = _irreducible(sp.Poly(base))
        content *= scale**power
        for factor, times in factors:
            powers[factor] += times * int(power)

    def order(each: tuple[sp.Poly, int]) -> tuple[Any, ...]:
        rep = each[0].rep.to_list()
        return len(rep), len(each[0].gens), each[1], rep

    return sp.Rational(content), [(factor.as_expr(), power) for factor, power in sorted(powers.items(), key=order)]


def _irreducible(poly: sp.Poly) -> tuple[sp.Integer, list[tuple[sp.Poly, int]]]:
    """Factors of whole numbers, as flint has them: nothing in common, the first one positive."""
    context = fmpz_mpoly_ctx.get([f"x{k}" for k in range(len(poly.gens))], "lex")
    scale, found = context.from_dict({at: int(c) for at, c in poly.terms()}).factor()
    whole = [({at: int(c) for at, c in factor.to_dict().items()}, int(power)) for factor, power in found]
    factors = [(sp.Poly.from_dict(numbers, *poly.gens, domain=sp.ZZ), power) for numbers, power in whole]
    return sp.Integer(int(scale)), factors
