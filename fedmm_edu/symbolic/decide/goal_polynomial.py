"""A goal as a polynomial over the kernel's atoms, under the facts at hand, in differences from a point perhaps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from fedmm_edu.proofs.kernel import POSITIVE, Branch, Context, SignSet
from fedmm_edu.proofs.normal import Poly, Powers, Ratio, add, constant, key, multiply, power
from fedmm_edu.proofs.terms import Fact, Malformed, Term
from fedmm_edu.symbolic.decide.polynomials import atoms_in, term_of, term_of_ratio

CENTRED = 1000
"""Monomials of a polynomial in differences from a point."""


class GoalPolynomial:
    """The goal's normal form, and what is asked of polynomials over the same atoms."""

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
        self.centres: dict[int, tuple[int, Ratio, Poly]] = {}
        for x, at in swap.items():
            centre = self.normal.expanded(self.normal.of(at))
            below = constant(1)
            for factor, n in centre.bottom:
                below = multiply(below, power(dict(factor), n))
            if self.book.sign_of(below) == POSITIVE:
                ((old, _),), ((new, _),) = (next(iter(self.normal.atom(a).top)) for a in (x, ("from", x, at)))
                self.centres[old] = new, centre, below

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

    def centred(self, poly: Poly) -> tuple[Poly, Poly]:
        """The polynomial times a power of denominators > 0, in the differences; and that power."""
        depths = [self._depths(m) for m in poly]
        most = {below: max(depth.get(below, 0) for depth in depths) for below in set().union(*depths)}
        out: Poly = {}
        for (m, c), depth in zip(poly.items(), depths, strict=True):
            part: Poly = {tuple(p for p in m if p[0] not in self.centres): c}
            for old, n in m:
                if old in self.centres:
                    new, centre, below = self.centres[old]
                    whole = add(multiply({((new, 1),): 1}, below), centre.top)
                    part = multiply(part, power(whole, n))
            for below in sorted(most):
                part = multiply(part, power(dict(below), most[below] - depth.get(below, 0)))
            out = add(out, part)
            if len(out) > CENTRED:
                raise Malformed(f"more than {CENTRED} monomials about a centre")
        scale = constant(1)
        for below in sorted(most):
            scale = multiply(scale, power(dict(below), most[below]))
        return out, scale

    def _depths(self, m: Powers) -> dict[tuple, int]:
        """How often each denominator of the centres comes in."""
        found: dict[tuple, int] = {}
        for old, n in m:
            if old in self.centres:
                below = key(self.centres[old][2])
                found[below] = found.get(below, 0) + n
        return found

    def tidy(self, poly: Poly) -> Poly:
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

    def signs(self, poly: Poly) -> SignSet:
        """The sign of a polynomial, in differences perhaps."""
        moved = any(new in atoms_in(poly) for new, _, _ in self.centres.values())
        return self.book.signs(self.write(poly)) if moved else self.book.sign_of(poly)

    def write(self, poly: Poly) -> Term:
        """The polynomial as a term."""
        return term_of(self.normal, poly)

    def coefficient(self, of: Term) -> Term | None:
        """What the last atom of a logarithm is multiplied by in the goal."""
        atom = max(atoms_in(self.normal.of(of).top), default=-1)
        parts = {
            tuple((a, n) for a, n in m if a != atom): c for m, c in self.ratio.top.items() if dict(m).get(atom, 0) == 1
        }
        return term_of_ratio(self.normal, Ratio(parts, self.ratio.bottom)) if parts else None

    def leading(self, x: str, names: Collection[str]) -> Term | None:
        """What x² is multiplied by in the goal, apart from the variables `names`."""
        atoms = {name: next(iter(self.normal.atom(name).top))[0][0] for name in {x, *names}}
        square = (atoms[x], 2)
        parts = {tuple(p for p in m if p != square): c for m, c in self.ratio.top.items() if square in m}
        parts = {m: c for m, c in parts.items() if not {a for a, _ in m} & {*atoms.values()}}
        return term_of_ratio(self.normal, Ratio(parts, self.ratio.bottom)) if parts else None


def _is_atom(base: tuple) -> bool:
    return len(base) == 1 and base[0][1] == 1 and len(base[0][0]) == 1 and base[0][0][0][1] == 1
