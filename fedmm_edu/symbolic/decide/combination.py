"""Proofs by products of facts: goal = Σ λ · (facts × squares) with λ ≥ 0, in factors and after completed squares.

Everything is computed over the kernel's own polynomials, so that what is found is what the kernel will read. Sizes are
limited by counts, never by a clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from fedmm_edu.proofs.kernel import NONNEGATIVE, POSITIVE
from fedmm_edu.proofs.normal import Poly, Ratio, Rational, add, constant, multiply, power
from fedmm_edu.proofs.terms import ONE, Fact, Malformed, Term
from fedmm_edu.symbolic.decide.goal_polynomial import GoalPolynomial
from fedmm_edu.symbolic.decide.linear_program import distinct, solve
from fedmm_edu.symbolic.decide.polynomials import atoms_in, factored, term_of_ratio
from fedmm_edu.symbolic.decide.products import MONOMIALS, Products, degree_of
from fedmm_edu.symbolic.functions.signs import NEGATIVE

NESTED = 40
"""Monomials of what a completed square leaves, for it to be looked at further."""
SHORT = 3
"""Monomials of an affine coefficient whose sign is looked for."""


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
        return GoalPolynomial(facts, goal, {}).coefficient(of)
    except Malformed:
        return None


def leading(facts: Sequence[Fact], goal: Fact, x: str, names: Collection[str]) -> Term | None:
    """What x² is multiplied by in the goal, apart from the variables `names`; None where it does not occur."""
    try:
        return GoalPolynomial(facts, goal, {}).leading(x, names)
    except Malformed:
        return None


class Combination:
    """The search for one goal; its parts serve other searches over the same polynomials."""

    def __init__(self, facts: Sequence[Fact], goal: Fact, swap: Mapping[str, Term]) -> None:
        self.at = GoalPolynomial(facts, goal, swap)
        self.products = Products(self.at)

    def proof(self) -> Any:
        factor, top = self.at.cleared()
        top, scale = self.at.centred(top)
        factor, top = ("*", factor, self.at.write(scale)), self.at.tidy(top)
        if not top:
            return ("by", factor, Fraction(0)) if self.at.goal.op in (">=", "=") else None
        parts, rest = self.products.divided(top)
        if parts and not rest and self.at.goal.op in ("=", ">="):
            return ("by", factor, ("+", *parts))
        if self.at.goal.op == "=":
            return self._multiple_of_zero(factor, top)
        if parts and rest and self.at.goal.op != "!=" and (found := self.signed(rest, self.at.goal.op)) is not None:
            return ("by", factor, ("+", *parts, found))
        ops = [">", "<"] if self.at.goal.op == "!=" else [self.at.goal.op]
        for extra_factor, extra in self._multipliers():
            whole = multiply(top, extra)
            if len(whole) > MONOMIALS:
                continue
            for op in ops:
                tidy = self.at.tidy(multiply(whole, constant(-1)) if op == "<" else whole)
                other = self.signed(tidy, op) if extra == constant(1) else self.sum_of_products(tidy, op)
                if other is not None:
                    other = ("*", Fraction(-1), other) if op == "<" else other
                    return ("by", ("*", factor, extra_factor), other)
        return None

    def _multiple_of_zero(self, factor: Term, top: Poly) -> Any:
        for extra_factor, extra in self._multipliers():
            parts, rest = self.products.divided(multiply(top, extra))
            if parts and not rest:
                return ("by", ("*", factor, extra_factor), ("+", *parts))
        return None

    def _multipliers(self) -> Iterator[tuple[Term, Poly]]:
        """1, and the denominators > 0 that stand in facts and not in the goal, also as high as they stand there."""
        yield ONE, constant(1)
        have = {bottom for bottom, _ in self.at.ratio.bottom}
        missing: dict[tuple, int] = {}
        for fact in self.at.book.context.facts:
            for bottom, n in self.at.normal.expanded(self.at.normal.of(fact.term)).bottom:
                if bottom not in have and self.at.book.sign_of(dict(bottom)) == POSITIVE:
                    missing[bottom] = max(missing.get(bottom, 0), n)
        for bottom in sorted(missing)[:3]:
            for n in dict.fromkeys((1, missing[bottom])):
                yield ("pow", self.at.write(dict(bottom)), n), power(dict(bottom), n)

    def by_conjugate(self) -> Any:
        """p + q r for each square root r in turn."""
        factor, top = self.at.cleared()
        for atom in sorted(atoms_in(top)):
            meaning = self.at.normal.atoms[atom]
            if not (isinstance(meaning, tuple) and meaning[:2] == ("root", 2)):
                continue
            parts: dict[int, Poly] = {0: {}, 1: {}}
            for m, c in top.items():
                parts.setdefault(dict(m).get(atom, 0), {})[tuple(x for x in m if x[0] != atom)] = c
            if len(parts) > 2 or not parts[0] or self.at.signs(parts[1]) != POSITIVE:
                continue
            r = self.at.write({((atom, 1),): 1})
            base = term_of_ratio(self.at.normal, Ratio(dict(meaning[2]), meaning[3]))
            p, q = self.at.write(parts[0]), self.at.write(parts[1])
            plain = ("by", factor, ("+", p, ("*", q, r)))
            below = Fact(">", ("*", Fraction(-1), p))
            rest = Fact(self.at.goal.op, ("+", ("*", ("pow", q, 2), base), ("*", Fraction(-1), ("pow", p, 2))))
            proof = combination((*self.at.book.context.facts, below), rest)
            if proof is not None:
                by = ("by", ("*", factor, ("+", ("*", q, r), ("*", Fraction(-1), p))), rest.term)
                squared = ("have", tuple(rest), proof, by)
                return squared if self.at.signs(parts[0]) == NEGATIVE else ("cases", p, plain, plain, squared)
        return None

    def signed(self, poly: Poly, op: str) -> Term | None:
        """The polynomial as a product of squares and of factors that are written with a visible sign."""
        scale, factors = factored(poly)
        sign, parts = 1 if scale > 0 else -1, list[Term]([Fraction(scale)])
        strict = op != ">="
        odd: list[Poly] = []
        for factor, n in factors:
            signs = self.at.signs(factor)
            if n % 2 == 0 and (not strict or 0 not in signs):
                parts.append(("pow", self.at.write(factor), n))
            elif len(signs) == 1 or (not strict and signs in (NONNEGATIVE, frozenset({-1, 0}))):
                sign *= -1 if -1 in signs else 1
                parts.append(("pow", self.at.write(factor), n))
            else:
                odd.append(factor)
                if n > 1:
                    parts.append(("pow", self.at.write(factor), n - 1))
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
            known = self.at.signs(factor)
            if factor in odd:
                whole = multiply(whole, factor)
                n -= 1
            elif n % 2 and -1 in known:
                whole, factor = multiply(whole, constant(-1)), multiply(factor, constant(-1))
            if n:
                parts.append(("pow", self.at.write(factor), n))
                if op == ">" and n % 2 == 0 and 0 in known:
                    return None
        found = self.sum_of_products(whole, op)
        return None if found is None else ("*", *parts, found)

    def sum_of_products(self, poly: Poly, op: str) -> Term | None:
        """poly = Σ λ · column, written; for ">" with a column > 0 in it."""
        if len(poly) > MONOMIALS:
            return None
        if (square := self._completed(poly, op)) is not None:
            return square
        generators = self.products.generators(poly)
        columns = distinct(self.products.columns(poly, generators))
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
            rest = self.at.tidy(rest)
            found = Fraction(0) if not rest and op == ">=" else None
            if rest and (len(rest) <= NESTED or self.at.signs(rest) <= NONNEGATIVE):
                found = self.signed(rest, op)
            if found is not None:
                square = ("pow", self.at.write(linear), 2)
                return ("*", ("pow", ("*", Fraction(4), lead), -1), ("+", square, found))
        return None

    def _positive(self, poly: Poly) -> Term | None:
        """The polynomial so written that one sees that it is > 0: as it is, or a short affine one as a sum of facts."""
        if self.at.signs(poly) == POSITIVE:
            return self.at.write(poly)
        short = 2 <= len(poly) <= SHORT and degree_of(poly) == 1
        return self.sum_of_products(poly, ">") if short else None
