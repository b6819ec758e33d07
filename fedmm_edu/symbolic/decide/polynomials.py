"""Polynomials over the kernel's atoms, for the search: atoms, factors, and the terms that they stand for."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq, fmpq_mpoly_ctx

from fedmm_edu.proofs.normal import Normal, Poly, Ratio, Rational, over
from fedmm_edu.proofs.terms import Term, minus

FACTORED = 1200
"""Monomials times atoms of a polynomial that is factored."""


def atoms_in(poly: Poly) -> set[int]:
    """The atoms that occur."""
    return {atom for m in poly for atom, _ in m}


def factored(poly: Poly) -> tuple[Rational, list[tuple[Poly, int]]]:
    """scale · Π factor^n, irreducible over ℚ; a large polynomial is its own factor."""
    used = sorted(atoms_in(poly))
    if not used or len(poly) * len(used) > FACTORED:
        return 1, [(poly, 1)]
    context = fmpq_mpoly_ctx.get([f"a{atom}" for atom in used], "degrevlex")
    exponents = {
        tuple(dict(m).get(atom, 0) for atom in used): fmpq(c.numerator, c.denominator) for m, c in poly.items()
    }
    scale, factors = context.from_dict(exponents).factor()

    def back(factor: dict) -> Poly:
        return {
            tuple((atom, int(e)) for atom, e in zip(used, powers, strict=True) if e): _fraction(c)
            for powers, c in factor.items()
        }

    return _fraction(scale), [(back(factor.to_dict()), int(n)) for factor, n in factors]


def _fraction(number: fmpq) -> Rational:
    return over(int(number.p), int(number.q))


# --------------------------------------------------------------------------------------------------- written as terms


def term_of(normal: Normal, poly: Poly) -> Term:
    """The polynomial as a term; `normal` knows what its atoms mean."""
    parts = []
    for m, c in sorted(poly.items()):
        atoms = ((_atom(normal, a), n) for a, n in m)
        parts.append(("*", Fraction(c), *(a if n == 1 else ("pow", a, n) for a, n in atoms)) if m else Fraction(c))
    return parts[0] if len(parts) == 1 else ("+", *parts)


def term_of_ratio(normal: Normal, found: Ratio) -> Term:
    """The quotient as a term."""
    below = (("pow", term_of(normal, dict(factor)), -n) for factor, n in found.bottom)
    return ("*", term_of(normal, found.top), *below)


def _atom(normal: Normal, atom: int) -> Term:
    meaning = normal.atoms[atom]
    if isinstance(meaning, str):
        return meaning
    head, *rest = meaning
    if head == "from":  # the difference between a variable and the point at which it is centred
        return minus(*rest)
    if head == "root":
        return ("root", rest[0], term_of_ratio(normal, Ratio(dict(rest[1]), rest[2])))
    if head == "log":
        return ("log", term_of_ratio(normal, Ratio(dict(rest[0]), rest[1])))
    if head == "exp":
        (monomial, bottom), n = rest
        return ("exp", term_of_ratio(normal, Ratio({monomial: over(1, n)}, bottom)))
    op, *parts = rest
    terms = [term_of_ratio(normal, Ratio(dict(top), bottom)) for top, bottom in parts]
    if head == "polygamma":
        return (head, op, *terms)
    return ("if", (op, terms[0]), *terms[1:]) if head == "if" else (head, *terms)
