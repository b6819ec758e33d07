"""Proofs by products of facts: goal = Σ λ · (facts × squares) with λ ≥ 0, in factors and after completed squares.

Everything is computed over the kernel's own polynomials, so that what is found is what the kernel will read. Sizes are
limited by counts, never by a clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from fedmm_edu.proofs.kernel import NONNEGATIVE, POSITIVE, ZERO, Branch, Context, SignSet
from fedmm_edu.proofs.normal import Poly, Powers, Ratio, Rational, add, constant, key, multiply, over, power
from fedmm_edu.proofs.terms import Fact, Malformed, Term
from fedmm_edu.symbolic.decide.linear_program import SignedProduct, distinct, solve
from fedmm_edu.symbolic.decide.polynomials import atoms_in, factored, term_of, term_of_ratio

ONE = Fraction(1)
COLUMNS = 600
"""Products that one program chooses from."""
MONOMIALS = 150
"""Monomials of a polynomial that is looked at at all."""
NESTED = 40
"""Monomials of what a completed square leaves, for it to be looked at further."""
CENTRED = 1000
"""Monomials of a polynomial in differences from a point."""
SHORT = 3
"""Monomials of an affine coefficient whose sign is looked for."""
BASIS = 20
"""Monomials whose squares, and the squares of whose sums and differences, are tried."""


def combination(facts: Sequence[Fact], goal: Fact, swap: Mapping[str, Term] | None = None) -> Any:
    """A proof `("by", …)` of the goal from the facts, or None. It may be wrong: the kernel decides.

    `swap` gives points at which variables may be centred: the difference is then the unknown.
    """
    try:
        return Combination(facts, goal, swap or {}).proof()
    except Malformed:
        return None


def by_conjugate(facts: Sequence[Fact], goal: Fact) -> Any:
    """A proof of p + q r ≥ 0 (> 0) with a square root r and q > 0: clear where p ≥ 0, else by (q r)² − p² ≥ 0."""
    try:
        return Combination(facts, goal, {}).by_conjugate() if goal.op in (">", ">=") else None
    except Malformed:
        return None


def contradiction(facts: Sequence[Fact]) -> Any:
    """A proof of −1 ≥ 0 from facts that no point satisfies, or None."""
    never = Fact(">=", Fraction(-1))
    try:
        found = Combination(facts, never, {}).sum_of_products(constant(-1), ">=")
    except Malformed:
        return None
    return None if found is None else ("by", ONE, found)


def weight(facts: Sequence[Fact], goal: Fact, of: Term) -> Term | None:
    """What a logarithm is multiplied by in the goal; None where it does not occur."""
    try:
        return Combination(facts, goal, {}).coefficient(of)
    except Malformed:
        return None


class Combination:
    """The search for one goal; its parts serve other searches over the same polynomials."""

    def __init__(self, facts: Sequence[Fact], goal: Fact, swap: Mapping[str, Term]) -> None:
        self.goal = goal
        self.book = Branch(Context(tuple(facts), (goal.term,)), tuple(swap.values()))
        self.normal = self.book.normal
        self.ratio = self.normal.expanded(self.normal.of(goal.term))
        self._powers = {  # an atom is r^k where its k-th root r is at hand
            meaning[2][0][0][0][0]: (root, meaning[1])
            for root, meaning in enumerate(self.normal.atoms)
            if isinstance(meaning, tuple) and meaning[0] == "root" and not meaning[3] and _is_atom(meaning[2])
        }

        self._centres: dict[int, tuple[int, Ratio, Poly]] = {}
        for x, at in swap.items():
            centre = self.normal.expanded(self.normal.of(at))
            below = constant(1)
            for factor, n in centre.bottom:
                below = multiply(below, power(dict(factor), n))
            if self.book.sign_of(below) == POSITIVE:
                ((old, _),), ((new, _),) = (next(iter(self.normal.atom(a).top)) for a in (x, ("from", x, at)))
                self._centres[old] = new, centre, below

    def _centred(self, poly: Poly) -> tuple[Poly, Poly]:
        """The polynomial times a power of denominators > 0, in the differences; and that power."""
        scale = constant(1)
        for old, (new, centre, below) in self._centres.items():
            degree = max((dict(m).get(old, 0) for m in poly), default=0)
            if not degree:
                continue
            whole = add(multiply({((new, 1),): 1}, below), centre.top)
            out: Poly = {}
            for m, c in poly.items():
                n = dict(m).get(old, 0)
                rest = {tuple(p for p in m if p[0] != old): c}
                out = add(out, multiply(rest, multiply(power(whole, n), power(below, degree - n))))
                if len(out) > CENTRED:
                    raise Malformed(f"more than {CENTRED} monomials about a centre")
            poly, scale = out, multiply(scale, power(below, degree))
        return poly, scale

    def signs(self, poly: Poly) -> SignSet:
        """The sign of a polynomial, in differences perhaps."""
        moved = any(new in atoms_in(poly) for new, _, _ in self._centres.values())
        return self.book.signs(self.write(poly)) if moved else self.book.sign_of(poly)

    def _tidy(self, poly: Poly) -> Poly:
        """The polynomial with the relations between roots and their bases used up."""
        poly = self.normal.reduced(poly)
        if not self._powers:
            return poly
        out: Poly = {}
        for m, c in poly.items():
            powers: dict[int, int] = {}
            for atom, n in m:
                atom, k = self._powers.get(atom, (atom, 1))
                powers[atom] = powers.get(atom, 0) + n * k
            out = add(out, {tuple(sorted(powers.items())): c})
        return out

    def write(self, poly: Poly) -> Term:
        """The polynomial as a term."""
        return term_of(self.normal, poly)

    def proof(self) -> Any:
        factor, top = self.cleared()
        top, scale = self._centred(top)
        factor, top = ("*", factor, self.write(scale)), self._tidy(top)
        if not top:
            return ("by", factor, Fraction(0)) if self.goal.op in (">=", "=") else None
        parts, rest = self._divided(top)
        if parts and not rest and self.goal.op in ("=", ">="):
            return ("by", factor, ("+", *parts))
        if self.goal.op == "=":
            return None
        if parts and rest and self.goal.op != "!=" and (found := self.signed(rest, self.goal.op)) is not None:
            return ("by", factor, ("+", *parts, found))
        ops = [">", "<"] if self.goal.op == "!=" else [self.goal.op]
        for extra_factor, extra in self._multipliers():
            whole = multiply(top, extra)
            if len(whole) > MONOMIALS:
                continue
            for op in ops:
                tidy = self._tidy(multiply(whole, constant(-1)) if op == "<" else whole)
                other = self.signed(tidy, op) if extra == constant(1) else self.sum_of_products(tidy, op)
                if other is not None:
                    other = ("*", Fraction(-1), other) if op == "<" else other
                    return ("by", ("*", factor, extra_factor), other)
        return None

    def cleared(self) -> tuple[Term, Poly]:
        """D > 0 and the polynomial D · goal."""
        top, parts = self.ratio.top, []
        for bottom, n in self.ratio.bottom:
            poly, signs = dict(bottom), self.book.sign_of(dict(bottom))
            if signs == POSITIVE or n % 2 == 0:
                parts.append(("pow", self.write(poly), n))
            else:
                parts.append(("pow", self.write(poly), n + 1))
                top = multiply(top, poly)
        return ("*", *parts), top

    def _multipliers(self) -> Iterator[tuple[Term, Poly]]:
        """1, and the denominators > 0 that stand in facts and not in the goal."""
        yield ONE, constant(1)
        have = {bottom for bottom, _ in self.ratio.bottom}
        missing = {
            bottom
            for fact in self.book.context.facts
            for bottom, _ in self.normal.expanded(self.normal.of(fact.term)).bottom
            if bottom not in have and self.book.sign_of(dict(bottom)) == POSITIVE
        }
        for bottom in sorted(missing)[:3]:
            yield self.write(dict(bottom)), dict(bottom)

    # ------------------------------------------------------------------------------------------------ in factors

    def signed(self, poly: Poly, op: str) -> Term | None:
        """The polynomial as a product of squares and of factors that are written with a visible sign."""
        scale, factors = factored(poly)
        sign, parts = 1 if scale > 0 else -1, list[Term]([Fraction(scale)])
        strict = op != ">="
        odd: list[Poly] = []
        for factor, n in factors:
            signs = self.signs(factor)
            if n % 2 == 0 and (not strict or 0 not in signs):
                parts.append(("pow", self.write(factor), n))
            elif len(signs) == 1 or (not strict and signs in (NONNEGATIVE, frozenset({-1, 0}))):
                sign *= -1 if -1 in signs else 1
                parts.append(("pow", self.write(factor), n))
            else:
                odd.append(factor)
                if n > 1:
                    parts.append(("pow", self.write(factor), n - 1))
                    if strict:
                        return None
        for k, factor in enumerate(odd):
            last = k == len(odd) - 1
            for direction in (sign,) if last else (1, -1):
                moved = multiply(constant(direction), factor)
                found = self.sum_of_products(moved, ">" if strict else ">=")
                if found is not None:
                    parts += [Fraction(direction), found]
                    sign *= direction
                    break
            else:
                return self._together(scale, factors, odd, op) if len(odd) > 1 else None
        return ("*", *parts) if sign == 1 else None

    def _together(
        self, scale: Rational, factors: Sequence[tuple[Poly, int]], odd: Sequence[Poly], op: str
    ) -> Term | None:
        """The factors of unknown sign as one, the others as squares or with the sign that they have."""
        whole, parts = constant(1 if scale > 0 else -1), list[Term]([Fraction(abs(scale))])
        for factor, n in factors:
            known = self.signs(factor)
            if factor in odd:
                whole = multiply(whole, factor)
                n -= 1
            elif n % 2 and -1 in known:
                whole, factor = multiply(whole, constant(-1)), multiply(factor, constant(-1))
            if n:
                parts.append(("pow", self.write(factor), n))
                if op == ">" and n % 2 == 0 and 0 in known:
                    return None
        found = self.sum_of_products(whole, op)
        return None if found is None else ("*", *parts, found)

    # ------------------------------------------------------------------------------------------ the linear program

    def sum_of_products(self, poly: Poly, op: str) -> Term | None:
        """poly = Σ λ · column, written; for ">" with a column > 0 in it."""
        if len(poly) > MONOMIALS:
            return None
        if (square := self._completed(poly, op)) is not None:
            return square
        generators = self._generators(poly)
        columns = distinct(self._products(poly, generators, op))
        strict = [k for k, c in enumerate(columns) if c.sign == ">"]
        if op == ">" and not strict:
            return None
        solution = solve(poly, columns, strict if op == ">" else None)
        if solution is None:
            return None
        return ("+", *(("*", weight, columns[k].term) for k, weight in solution))

    def _completed(self, poly: Poly, op: str) -> Term | None:
        """a x² + b x + c = ((2 a x + b)² + 4 a c − b²) / (4 a) where a > 0."""
        for atom in sorted(atoms_in(poly)):
            parts: dict[int, Poly] = {}
            for m, c in poly.items():
                part = parts.setdefault(dict(m).get(atom, 0), {})
                part[tuple(p for p in m if p[0] != atom)] = c
            if max(parts) != 2 or 1 not in parts or (lead := self._positive(parts[2])) is None:
                continue
            four = multiply(constant(4), parts[2])
            linear = add(multiply(parts[1], constant(1)), multiply({((atom, 1),): 2}, parts[2]))
            rest = add(multiply(four, parts.get(0, {})), multiply(constant(-1), multiply(parts[1], parts[1])))
            rest = self._tidy(rest)
            found = Fraction(0) if not rest and op == ">=" else None
            if rest and (len(rest) <= NESTED or self.signs(rest) <= NONNEGATIVE):
                found = self.signed(rest, op)
            if found is not None:
                square = ("pow", self.write(linear), 2)
                return ("*", ("pow", ("*", Fraction(4), lead), -1), ("+", square, found))
        return None

    def _positive(self, poly: Poly) -> Term | None:
        """The polynomial so written that one sees that it is > 0: as it is, or a short affine one as a sum of facts."""
        if self.signs(poly) == POSITIVE:
            return self.write(poly)
        short = 2 <= len(poly) <= SHORT and _degree(poly) == 1
        return self.sum_of_products(poly, ">") if short else None

    def _generators(self, poly: Poly) -> list[SignedProduct]:
        atoms = {atom for m in poly for atom, _ in m}
        atoms |= {old for old, (new, _, _) in self._centres.items() if new in atoms}
        found = []
        for part, signs in self.book.known():
            fact = dict(part)
            if signs in (POSITIVE, NONNEGATIVE, ZERO):
                found.append(SignedProduct(fact, self.write(fact), _OP[signs]))
            elif signs in (frozenset({-1}), frozenset({-1, 0})):
                turned = multiply(constant(-1), fact)
                found.append(SignedProduct(turned, self.write(turned), ">" if 0 not in signs else ">="))
            elif signs == {-1, 1}:
                found.append(SignedProduct(power(fact, 2), ("pow", self.write(fact), 2), ">"))
        reach = set(atoms) or {atom for c in found for atom in atoms_in(c.poly)}
        for _ in range(2):
            reach |= {a for c in found for a in atoms_in(c.poly) if atoms_in(c.poly) & reach}
        found = [c for c in found if atoms_in(c.poly) & reach and len(c.poly) <= MONOMIALS]
        known = {key(c.poly) for c in found}
        for atom in sorted(reach):
            single: Poly = {((atom, 1),): 1}
            signs = self.signs(single)
            if signs in (POSITIVE, NONNEGATIVE) and key(single) not in known:
                found.append(SignedProduct(single, self.write(single), _OP[signs]))
        out = []
        for c in found:
            centred, scale = self._centred(c.poly)
            out.append(SignedProduct(self._tidy(centred), ("*", c.term, self.write(scale)), c.sign))
        return out

    def _divided(self, poly: Poly) -> tuple[list[Term], Poly]:
        """Multiples of what vanishes, each divided out by a monomial with an atom that no other one has; the rest."""
        parts: list[Term] = []
        for zero in (c for c in self._generators(poly) if c.sign == "="):
            often = Counter(atom for m in zero.poly for atom, _ in m)
            lead = next((m for m in zero.poly if any(often[atom] == 1 for atom, _ in m)), None)
            if lead is None:
                continue
            quotient: Poly = {}
            for _ in range(_degree(poly)):
                high = {q: over(c, zero.poly[lead]) for m, c in poly.items() if (q := _quotient(m, lead)) is not None}
                quotient = add(quotient, high)
                poly = self._tidy(add(poly, multiply(constant(-1), multiply(high, zero.poly))))
            if quotient:
                parts.append(("*", self.write(quotient), zero.term))
        return parts, poly

    def _products(self, poly: Poly, generators: Sequence[SignedProduct], op: str) -> Iterator[SignedProduct]:
        near = [c.poly for c in generators if atoms_in(c.poly) & atoms_in(poly)]
        degree = max(2, _degree(poly), *map(_degree, near))
        unit = SignedProduct(constant(1), ONE, ">")
        signed = [c for c in generators if c.sign != "="]
        level, products = [unit], [unit]
        for _ in range(3):
            level = [
                SignedProduct(self._tidy(multiply(p.poly, g.poly)), ("*", p.term, g.term), _times(p.sign, g.sign))
                for p in level for g in signed
                if _degree(p.poly) + _degree(g.poly) <= degree
            ]  # fmt: skip
            level = distinct(level)[:COLUMNS]
            products += level
            if len(products) > COLUMNS:
                break
        products = distinct(products)[:COLUMNS]
        yield from products
        squares = [SignedProduct(power(b, 2), ("pow", self.write(b), 2), ">=") for b in self._basis(poly, generators)]
        room = COLUMNS - len(products)
        for square in squares:
            for p in products[: max(1, room // (len(squares) + 1))]:
                if _degree(p.poly) + _degree(square.poly) <= degree + (p is unit) * 2:
                    yield SignedProduct(self._tidy(multiply(p.poly, square.poly)), ("*", p.term, square.term), ">=")
        supports = {m for c in (*products, *squares) for m in c.poly} | set(poly)
        for zero in (c for c in generators if c.sign == "="):
            lead = _degree(zero.poly)
            multipliers = {()} | {m for m in supports if sum(n for _, n in m) + lead <= degree}
            for m in sorted(multipliers)[:80]:
                by: Poly = {m: 1}
                yield SignedProduct(self._tidy(multiply(by, zero.poly)), ("*", self.write(by), zero.term), "=")

    def _basis(self, poly: Poly, products: Sequence[SignedProduct]) -> list[Poly]:
        """Monomials of half the degrees, and sums and differences of those whose product occurs up to a factor > 0."""
        signed = {a for a in atoms_in(poly) if self.signs({((a, 1),): 1}) <= NONNEGATIVE}
        singles = [((a, 1),) for a in sorted(atoms_in(poly))]
        raised = {m for c in products for a in singles for m in multiply(power({a: 1}, 2), c.poly)}
        half: set[Powers] = {()}
        for m in (*poly, *raised):
            half.add(tuple((a, n // 2) for a, n in m if n // 2))
            half.add(tuple((a, 1) for a, n in m if n == 1 and a not in signed))
        size = {m: (sum(n for _, n in m), m) for m in half | set(singles)}
        monomials = sorted((m for m in size if size[m][0] <= (_degree(poly) + 1) // 2), key=size.__getitem__)[:BASIS]
        basis: list[Poly] = [{m: 1} for m in monomials if m]
        for m, n in combinations(monomials, 2):
            product = dict(next(iter(multiply({m: 1}, {n: 1}))))
            if any(_is_signed_over(dict(k), product, signed) for k in poly):
                a, b = (poly.get(next(iter(power({k: 1}, 2))), 0) for k in (m, n))
                cross = abs(poly.get(tuple(sorted(product.items())), 0))
                scales = {1} | ({over(cross, 2 * a)} if a > 0 and cross else set())
                scales |= {over(2 * b, cross)} if b > 0 and cross else set()
                for scale in sorted(scales):
                    basis += [add({m: 1}, {n: scale}), add({m: 1}, {n: -scale})]
        return basis

    def by_conjugate(self) -> Any:
        """p + q r for each square root r in turn."""
        factor, top = self.cleared()
        for atom in sorted(atoms_in(top)):
            meaning = self.normal.atoms[atom]
            if not (isinstance(meaning, tuple) and meaning[:2] == ("root", 2)):
                continue
            parts: dict[int, Poly] = {0: {}, 1: {}}
            for m, c in top.items():
                parts.setdefault(dict(m).get(atom, 0), {})[tuple(x for x in m if x[0] != atom)] = c
            if len(parts) > 2 or not parts[0] or self.signs(parts[1]) != POSITIVE:
                continue
            r, base = self.write({((atom, 1),): 1}), term_of_ratio(self.normal, Ratio(dict(meaning[2]), meaning[3]))
            p, q = self.write(parts[0]), self.write(parts[1])
            plain = ("by", factor, ("+", p, ("*", q, r)))
            below = Fact(">", ("*", Fraction(-1), p))
            rest = Fact(self.goal.op, ("+", ("*", ("pow", q, 2), base), ("*", Fraction(-1), ("pow", p, 2))))
            proof = combination((*self.book.context.facts, below), rest)
            if proof is not None:
                by = ("by", ("*", factor, ("+", ("*", q, r), ("*", Fraction(-1), p))), rest.term)
                return ("cases", p, plain, plain, ("have", tuple(rest), proof, by))
        return None

    def coefficient(self, of: Term) -> Term | None:
        """What the last atom of a logarithm is multiplied by in the goal."""
        atom = max(atoms_in(self.normal.of(of).top), default=-1)
        parts = {
            tuple((a, n) for a, n in m if a != atom): c for m, c in self.ratio.top.items() if dict(m).get(atom, 0) == 1
        }
        return term_of_ratio(self.normal, Ratio(parts, self.ratio.bottom)) if parts else None


_OP = {POSITIVE: ">", NONNEGATIVE: ">=", ZERO: "="}


def _is_signed_over(m: dict[int, int], product: dict[int, int], signed: set[int]) -> bool:
    """Whether m is the product times a square and atoms of known sign."""
    left = {a: n - product.get(a, 0) for a, n in m.items()}
    return all(a in m for a in product) and all(n >= 0 and (n % 2 == 0 or a in signed) for a, n in left.items())


def _quotient(m: Powers, n: Powers) -> Powers | None:
    """m / n, where n divides m."""
    left = dict(m)
    for atom, k in n:
        left[atom] = left.get(atom, 0) - k
    return None if any(k < 0 for k in left.values()) else tuple((atom, k) for atom, k in sorted(left.items()) if k)


def _is_atom(base: tuple) -> bool:
    return len(base) == 1 and base[0][1] == 1 and len(base[0][0]) == 1 and base[0][0][0][1] == 1


def _times(a: str, b: str) -> str:
    return ">" if a == b == ">" else ">="


def _degree(poly: Poly) -> int:
    return max((sum(n for _, n in m) for m in poly), default=0)
