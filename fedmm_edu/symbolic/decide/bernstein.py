"""Polynomials on a box of numbers: cut until every coefficient in Bernstein's basis is ≥ 0, as a proof for the kernel.

On [a, b] the basis is C(n, k)(x − a)^k (b − x)^{n−k}, products of what is known to be ≥ 0; the cuts are cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

from fedmm_edu.proofs.normal import Poly
from fedmm_edu.proofs.terms import ONE, Fact, Malformed, Term, minus
from fedmm_edu.symbolic.decide.at_hand import Have, Known, accepted, prepared, wrapped
from fedmm_edu.symbolic.decide.goal_polynomial import GoalPolynomial
from fedmm_edu.symbolic.decide.polynomials import atoms_in

CELLS = 200
"""Boxes into which one is cut at most."""
COEFFICIENTS = 1000
"""Of a polynomial on a box."""
Matrix = Sequence[Sequence[Term]]
NumberBox = Mapping[str, tuple[Fraction, Fraction]]


class _TooMany(Exception):
    """More cells than are looked at."""


def on_box(facts: Known, goal: Fact, box: NumberBox) -> Any:
    """A proof of `goal` where every variable lies in its interval of `box`, which the facts say, or None."""
    found = _cut(facts, goal, box)
    return found if found is not None and accepted(facts, goal, found) else None


def _cut(facts: Known, goal: Fact, box: NumberBox) -> Any:
    """The same, before the kernel has seen it."""
    known, haves = prepared(facts, (goal.term,))
    try:
        at = GoalPolynomial(known, goal, {})
        factor, top = at.cleared()
        names = {next(iter(at.normal.atom(x).top))[0][0]: x for x in box}
        if goal.op not in (">", ">=") or not atoms_in(top) <= names.keys():
            return None
        search = _Cuts(goal.op, factor, top, names)
        proof = search.proof({x: box[x] for x in names.values()})
    except (Malformed, _TooMany):
        return None
    return None if proof is None else wrapped(haves, proof)


class _Cuts:
    """The search for one polynomial; it gives up at a point where the polynomial has the wrong sign."""

    def __init__(self, op: str, factor: Term, top: Poly, names: Mapping[int, str]) -> None:
        self.op, self.factor, self.top, self.names, self.count = op, factor, top, names, 0
        self.degrees = {x: max(dict(m).get(atom, 0) for m in top) for atom, x in names.items()} if top else {}
        if prod(n + 1 for n in self.degrees.values()) > COEFFICIENTS:
            raise _TooMany

    def proof(self, box: NumberBox) -> Any:
        self.count += 1
        if self.count > CELLS:
            raise _TooMany
        coefficients = self._coefficients(box)
        least = min(coefficients.values())
        if least > 0 or (least == 0 and self.op == ">="):
            return self._leaf(box, coefficients, least)
        if any(self._wrong(c) for k, c in coefficients.items() if self._is_corner(k)):
            return None
        x = max(box, key=lambda y: (box[y][1] - box[y][0]) * (self.degrees[y] > 0))
        low, high = box[x]
        middle = (low + high) / 2
        above = self.proof({**box, x: (middle, high)})
        below = None if above is None else self.proof({**box, x: (low, middle)})
        if below is None:
            return None
        return ("cases", minus(x, middle), above, min(above, below, key=_size), below)

    def _wrong(self, value: Fraction) -> bool:
        return value < 0 or (value == 0 and self.op == ">")

    def _is_corner(self, k: tuple[int, ...]) -> bool:
        return all(i in (0, n) for i, n in zip(k, self.degrees.values(), strict=True))

    def _coefficients(self, box: NumberBox) -> dict[tuple[int, ...], Fraction]:
        """b_k with top = Σ b_k Π C(n, k)(x − a)^k (b − x)^{n−k} / (b − a)^n."""
        atoms = list(self.names)
        table = {k: Fraction(0) for k in product(*(range(n + 1) for n in self.degrees.values()))}
        for m, c in self.top.items():
            table[tuple(dict(m).get(atom, 0) for atom in atoms)] += c
        for j, x in enumerate(self.names.values()):
            n, (a, b) = self.degrees[x], box[x]
            for line in _lines(table, j, n):
                values = _bernstein([table[k] for k in line], a, b)
                table.update(zip(line, values, strict=True))
        return table

    def _leaf(self, box: NumberBox, coefficients: Mapping[tuple[int, ...], Fraction], least: Fraction) -> Any:
        """The sum in Bernstein's basis, one variable within the other: so the kernel multiplies out few products."""
        base = least if self.op == ">" else Fraction(0)

        def within(k: tuple[int, ...]) -> Term:
            """What stands beside the factors k of the first variables, times the (b − a)^n of the others."""
            if len(k) == len(self.degrees):
                return coefficients[k] - base
            x, n = list(self.degrees.items())[len(k)]
            a, b = box[x]
            parts: list[Term] = []
            for i in range(n + 1):
                if inner := within((*k, i)):
                    powers = [("pow", minus(x, a), i)] * (i > 0) + [("pow", minus(b, x), n - i)] * (n > i)
                    parts.append(("*", Fraction(comb(n, i)), *powers, inner))
            return ("+", *parts) if parts else Fraction(0)

        scale = prod((Fraction(b - a) ** -n for (a, b), n in ((box[x], n) for x, n in self.degrees.items())), start=ONE)
        parts: list[Term] = [least] if self.op == ">" else []
        if inner := within(()):
            parts.append(("*", scale, inner))
        return ("by", self.factor, ("+", *parts) if parts else Fraction(0))


def _lines(table: Mapping[tuple[int, ...], Fraction], j: int, n: int) -> Iterator[list[tuple[int, ...]]]:
    """The indices that differ in place j alone."""
    for k in table:
        if k[j] == 0:
            yield [(*k[:j], i, *k[j + 1 :]) for i in range(n + 1)]


def _bernstein(c: Sequence[Fraction], a: Fraction, b: Fraction) -> list[Fraction]:
    """Σ c_i x^i on [a, b]: with x = a + (b − a)t first in powers of t, then b_k = Σ_i C(k, i)/C(n, i) d_i."""
    n = len(c) - 1
    d = [sum((c[j] * comb(j, i) * a ** (j - i) for j in range(i, n + 1)), Fraction(0)) * (b - a) ** i
         for i in range(n + 1)]  # fmt: skip
    return [sum((Fraction(comb(k, i), comb(n, i)) * d[i] for i in range(k + 1)), Fraction(0)) for k in range(n + 1)]


def _size(proof: Any) -> int:
    return 1 + sum(map(_size, proof[2:])) if proof[0] == "cases" else 1


def form_on_box(facts: Known, steps: Sequence[Matrix], u: Sequence[str], box: NumberBox) -> Have | None:
    """uᵀAu ≥ 0 on a box, with its proof; `steps` are A = A₁ and what elimination leaves of it, without fractions.

    With the first entry p_k > 0 and the first row r_k of A_k: p_k uᵀA_k u = (r_k·u)² + p_{k−1} vᵀA_{k+1}v where v is u
    without its first entry, p_0 = 1, and the last A_k, a number, is ≥ 0.
    """
    goals = [Fact(">=", _form(A, u[k:])) for k, A in enumerate(steps)]
    pivots = [A[0][0] for A in steps]
    known, haves = prepared(facts, tuple(goal.term for goal in goals))
    for k, pivot in enumerate(pivots):
        fact = Fact(">=" if k == len(pivots) - 1 else ">", pivot)
        found = _cut(known, fact, box)
        if found is None:
            return None
        haves.append((fact, found))  # the kernel judges it with the whole
    proof: Any = ("by", ONE, ("*", pivots[-1], ("pow", u[-1], 2)))
    for k in reversed(range(len(steps) - 1)):
        haves.append((goals[k + 1], proof))
        square = ("pow", ("+", *(("*", a, x) for a, x in zip(steps[k][0], u[k:], strict=True))), 2)
        before = pivots[k - 1] if k else ONE
        proof = ("by", pivots[k], ("+", square, ("*", before, goals[k + 1].term)))
    proof = wrapped(haves, proof)
    return (goals[0], proof) if accepted(facts, goals[0], proof) else None


def _form(A: Matrix, u: Sequence[str]) -> Term:
    return ("+", *(("*", a, x, y) for row, x in zip(A, u, strict=True) for a, y in zip(row, u, strict=True)))
