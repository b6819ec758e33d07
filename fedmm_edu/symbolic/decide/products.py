"""Products of facts and squares from which a polynomial may be put together, and multiples of what vanishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from fedmm_edu.proofs.kernel import NONNEGATIVE, POSITIVE, ZERO
from fedmm_edu.proofs.normal import Poly, Powers, add, common_monomial, constant, key, multiply, over, over_atom, power
from fedmm_edu.proofs.terms import ONE, Term
from fedmm_edu.symbolic.decide.goal_polynomial import GoalPolynomial
from fedmm_edu.symbolic.decide.linear_program import SignedProduct, distinct
from fedmm_edu.symbolic.decide.polynomials import atoms_in

COLUMNS = 600
"""Products that one program chooses from."""
MONOMIALS = 150
"""Monomials of a polynomial that is looked at at all."""
BASIS = 20
"""Monomials whose squares, and the squares of whose sums and differences, are tried."""


@dataclass(frozen=True)
class Products:
    """Over the atoms of a goal."""

    goal: GoalPolynomial

    def generators(self, poly: Poly) -> list[SignedProduct]:
        """What the facts give the sign of, and atoms with a sign of their own, near the polynomial's atoms."""
        atoms = atoms_in(poly)
        atoms |= {old for old, (new, _, _) in self.goal.centres.items() if new in atoms}
        found = []
        for part, signs in self.goal.book.known():
            fact = dict(part)
            if signs in (POSITIVE, NONNEGATIVE, ZERO):
                found.append(SignedProduct(fact, self.goal.write(fact), _OP[signs]))
            elif signs in (frozenset({-1}), frozenset({-1, 0})):
                turned = multiply(constant(-1), fact)
                found.append(SignedProduct(turned, self.goal.write(turned), ">" if 0 not in signs else ">="))
            elif signs == {-1, 1}:
                found.append(SignedProduct(power(fact, 2), ("pow", self.goal.write(fact), 2), ">"))
        reach = set(atoms) or {atom for c in found for atom in atoms_in(c.poly)}
        for _ in range(2):
            reach |= {a for c in found for a in atoms_in(c.poly) if atoms_in(c.poly) & reach}
        found = [c for c in found if atoms_in(c.poly) & reach and len(c.poly) <= MONOMIALS]
        known = {key(c.poly) for c in found}
        for atom in sorted(reach):
            single: Poly = {((atom, 1),): 1}
            signs = self.goal.signs(single)
            if signs in (POSITIVE, NONNEGATIVE) and key(single) not in known:
                found.append(SignedProduct(single, self.goal.write(single), _OP[signs]))
        out = []
        for c in found:
            centred, scale = self.goal.centred(c.poly)
            term: Term = ("*", c.term, self.goal.write(scale))
            for atom, n in common_monomial(centred) if scale != constant(1) and centred else ():
                if self.goal.signs({((atom, 1),): 1}) == POSITIVE:
                    centred, term = (
                        over_atom(centred, atom, n),
                        (*term, ("pow", self.goal.write({((atom, 1),): 1}), -n)),
                    )
            out.append(SignedProduct(self.goal.tidy(centred), term, c.sign))
        return out

    def columns(self, poly: Poly, generators: Sequence[SignedProduct]) -> Iterator[SignedProduct]:
        """Products of generators, these times squares, and multiples of what vanishes, of no higher degree."""
        near = [c.poly for c in generators if atoms_in(c.poly) & atoms_in(poly)]
        degree = max(2, degree_of(poly), *map(degree_of, near))
        unit = SignedProduct(constant(1), ONE, ">")
        signed = [c for c in generators if c.sign != "="]
        level, products = [unit], [unit]
        for _ in range(3):
            level = [  # in the order of the generators: another order gives the same products again
                SignedProduct(
                    self.goal.tidy(multiply(p.poly, g.poly)), ("*", p.term, g.term), _times(p.sign, g.sign), k
                )
                for p in level for k, g in enumerate(signed)
                if k >= p.last and degree_of(p.poly) + degree_of(g.poly) <= degree
            ]  # fmt: skip
            level = distinct(level)[:COLUMNS]
            products += level
            if len(products) > COLUMNS:
                break
        products = distinct(products)[:COLUMNS]
        yield from products
        basis = self._basis(poly, generators)
        squares = [SignedProduct(power(b, 2), ("pow", self.goal.write(b), 2), ">=") for b in basis]
        room = COLUMNS - len(products)
        for square in squares:
            for p in products[: max(1, room // (len(squares) + 1))]:
                if degree_of(p.poly) + degree_of(square.poly) <= degree + (p is unit) * 2:
                    yield SignedProduct(self.goal.tidy(multiply(p.poly, square.poly)), ("*", p.term, square.term), ">=")
        supports = {m for c in (*products, *squares) for m in c.poly} | set(poly)
        for zero in (c for c in generators if c.sign == "="):
            lead = degree_of(zero.poly)
            multipliers = {()} | {m for m in supports if sum(n for _, n in m) + lead <= degree}
            for m in sorted(multipliers)[:80]:
                by: Poly = {m: 1}
                yield SignedProduct(self.goal.tidy(multiply(by, zero.poly)), ("*", self.goal.write(by), zero.term), "=")

    def _basis(self, poly: Poly, products: Sequence[SignedProduct]) -> list[Poly]:
        """Monomials of half the degrees, and sums and differences of those whose product occurs up to a factor > 0."""
        signed = {a for a in atoms_in(poly) if self.goal.signs({((a, 1),): 1}) <= NONNEGATIVE}
        singles = [((a, 1),) for a in sorted(atoms_in(poly))]
        raised = {m for c in products for a in singles for m in multiply(power({a: 1}, 2), c.poly)}
        half: set[Powers] = {()}
        for m in (*poly, *raised):
            half.add(tuple((a, n // 2) for a, n in m if n // 2))
            half.add(tuple((a, 1) for a, n in m if n == 1 and a not in signed))
        size = {m: (sum(n for _, n in m), m) for m in half | set(singles)}
        monomials = sorted((m for m in size if size[m][0] <= (degree_of(poly) + 1) // 2), key=size.__getitem__)[:BASIS]
        basis: list[Poly] = [{m: 1} for m in monomials if m]
        present = [dict(m) for m in poly]
        for m, n in combinations(monomials, 2):
            product = dict(next(iter(multiply({m: 1}, {n: 1}))))
            if any(_is_signed_over(k, product, signed) for k in present):
                a, b = (poly.get(next(iter(power({k: 1}, 2))), 0) for k in (m, n))
                cross = abs(poly.get(tuple(sorted(product.items())), 0))
                scales = {1} | ({over(cross, 2 * a)} if a > 0 and cross else set())
                scales |= {over(2 * b, cross)} if b > 0 and cross else set()
                for scale in sorted(scales):
                    basis += [add({m: 1}, {n: scale}), add({m: 1}, {n: -scale})]
        return basis

    def divided(self, poly: Poly) -> tuple[list[Term], Poly]:
        """Multiples of what vanishes, each divided out by a monomial with an atom that no other one has; the rest."""
        parts: list[Term] = []
        for zero in (c for c in self.generators(poly) if c.sign == "="):
            often = Counter(atom for m in zero.poly for atom, _ in m)
            leads = [m for m in zero.poly if any(often[atom] == 1 for atom, _ in m)]
            if not leads:
                continue
            lead = min(leads, key=lambda m: sum(n for _, n in m))
            quotient: Poly = {}
            for _ in range(degree_of(poly)):
                high = {q: over(c, zero.poly[lead]) for m, c in poly.items() if (q := _quotient(m, lead)) is not None}
                quotient = add(quotient, high)
                poly = self.goal.tidy(add(poly, multiply(constant(-1), multiply(high, zero.poly))))
            if quotient:
                parts.append(("*", self.goal.write(quotient), zero.term))
        return parts, poly


_OP = {POSITIVE: ">", NONNEGATIVE: ">=", ZERO: "="}


def _is_signed_over(m: dict[int, int], product: dict[int, int], signed: set[int]) -> bool:
    """Whether m is the product times a square and atoms of known sign."""
    if not product.keys() <= m.keys():
        return False
    left = {a: n - product.get(a, 0) for a, n in m.items()}
    return all(n >= 0 and (n % 2 == 0 or a in signed) for a, n in left.items())


def _quotient(m: Powers, n: Powers) -> Powers | None:
    """m / n, where n divides m."""
    left = dict(m)
    for atom, k in n:
        left[atom] = left.get(atom, 0) - k
    return None if any(k < 0 for k in left.values()) else tuple((atom, k) for atom, k in sorted(left.items()) if k)


def _times(a: str, b: str) -> str:
    return ">" if a == b == ">" else ">="


def degree_of(poly: Poly) -> int:
    """The highest total degree."""
    return max((sum(n for _, n in m) for m in poly), default=0)
