"""What the kernel is asked of a constant, as plain claims: that it holds on all of 𝒮, and that it is reached.

    B       ∂F_i/∂s_j, as the kernel differentiates F = φ∘T, is B_ij, and B is symmetric
    v_min   uᵀB(s)u ≥ v_min ‖u‖², and v_min > 0
    v_max   uᵀB(s)u ≤ v_max ‖u‖²;   C_⋆⋆ the same of |uᵀB(s)u|, as the quotient of a pair is a mean of it on a segment
    C_⋆     ‖½ D²F(s)[u, u]‖² ≤ C_⋆² ‖u‖⁴, and no second derivative where F is affine

B falls into blocks of coordinates that do not meet, and each constant is that of the worst block: a block of one
coordinate is asked as it is, one of two or three on a box of numbers as a form in u. Of larger ones nothing is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import sympy as sp

from fedmm_edu.proofs.kernel import Fact
from fedmm_edu.proofs.stored import Proven
from fedmm_edu.proofs.terms import Malformed, derivative, minus
from fedmm_edu.symbolic.constants.bends import below_norms
from fedmm_edu.symbolic.constants.extremes import numeric_box
from fedmm_edu.symbolic.constants.region import OnRegion
from fedmm_edu.symbolic.decide.algebra import factor_list
from fedmm_edu.symbolic.decide.bernstein import NumberBox, form_on_box, on_box
from fedmm_edu.symbolic.decide.domain import Relation, fresh
from fedmm_edu.symbolic.hypotheses.alarm import ProofContradicted, breaking_point
from fedmm_edu.symbolic.hypotheses.certificates import all_found, as_term, by_search, certificate_of, facts_of
from fedmm_edu.symbolic.hypotheses.statements import Refutable

ELIMINATED = 3
"""Coordinates of a matrix up to which its form is asked."""
Ends = Mapping[sp.Symbol, sp.Expr]
Found = tuple[Proven, ...]


class Differential(NamedTuple):
    """F = φ∘T in one formula, its derivative B, and where."""

    F: tuple[sp.Expr, ...]
    B: sp.Matrix
    place: OnRegion

    @property
    def s(self) -> tuple[sp.Symbol, ...]:
        return tuple(self.place.region)

    def entries(self, name: str) -> list[sp.Expr]:
        """What the constant bounds in a diagonal B: its entries, or ½ ∂²F_j/∂s_j²."""
        slopes = list(self.B.diagonal())
        return [sp.diff(b, x) / 2 for b, x in zip(slopes, self.s, strict=True)] if name == "C_star" else slopes

    @property
    def blocks(self) -> list[Differential]:
        """F on each set of coordinates that B mixes with no other: F_i depends on the coordinates of its own block."""
        groups: list[list[int]] = []
        for i in range(self.B.rows):
            met = [group for group in groups if any(self.B[i, j] != 0 or self.B[j, i] != 0 for j in group)]
            groups = [group for group in groups if group not in met] + [sorted([i, *(j for g in met for j in g)])]
        region = list(self.place.region.items())
        return [
            Differential(
                tuple(self.F[i] for i in group),
                self.B.extract(group, group),
                self.place._replace(region=dict(region[i] for i in group)),
            )
            for group in sorted(groups)
        ]


def of_derivative(field: Differential) -> Found | None:
    """That B is the derivative of F, and symmetric."""
    found: list[Proven | None] = []
    try:
        given = facts_of(field.place.on_S)
        for i, entry in enumerate(field.F):
            for j, x in enumerate(field.s):
                same = minus(derivative(as_term(entry), x.name), as_term(field.B[i, j]))
                found.append(by_search(given, Fact("=", same)))
                if i < j:
                    found.append(by_search(given, Fact("=", as_term(field.B[i, j] - field.B[j, i]))))
    except Malformed:
        return None
    return all_found(found)


def of_bound(name: str, value: sp.Expr, field: Differential, at: Ends) -> Found | None:
    """That the constant has its property on 𝒮 with this value; None where no certificate is found.

    `at` is where it may be reached. `ProofContradicted` where numbers break what the kernel accepted.
    """
    try:
        return all_found(_of_bound(name, value, field, at))
    except Malformed:  # a function that the kernel does not know
        return None


def _of_bound(name: str, value: sp.Expr, field: Differential, at: Ends) -> list[Proven | None]:
    if name == "C_star" and not field.B.free_symbols & set(field.s):
        return _steady(field)
    found = [proven for block in field.blocks for proven in _of_block(name, value, block, at)]
    if name == "v_min":
        found.append(certificate_of(Refutable(field.place.assumed, Relation(value, ">"))))
    return found


def _of_block(name: str, value: sp.Expr, block: Differential, at: Ends) -> Iterator[Proven | None]:
    one, sign = sp.eye(block.B.rows), 1 if name == "v_min" else -1
    if block.B.rows == 1:
        yield from (_certified(claim, block) for claim in _entrywise(name, value, block, at))
        yield from _bends(block) if name == "C_star" else []
    elif block.B.rows > ELIMINATED:
        yield None
    elif name == "C_star":
        yield from _bent(value, block)
    else:
        yield _form(sign * (block.B - value * one), block)
        if name == "C_starstar":
            yield _form(value * one + block.B, block)


def of_place(name: str, value: sp.Expr, field: Differential, at: Ends, op: str = "==") -> Found | None:
    """That an entry of a diagonal B (of C_⋆: ± half its slope) is the value at the ends `at`; or `op` 0 beyond it.

    With ">=" v_min is not below what is reached, and the others are not above it.
    """
    if not field.B.is_diagonal() or not all(end.is_finite for end in at.values()):
        return None
    for entry in field.entries(name):
        there = entry.xreplace(dict(at))
        if there.free_symbols & set(field.s):
            continue
        for turned in (there, -there) if name == "C_star" else (there,):
            gap = value - turned if name == "v_min" else turned - value
            found = certificate_of(Refutable(field.place.assumed, Relation(gap, op)))  # pyright: ignore[reportArgumentType]
            if found is not None:
                return (found,)
    return None


def _steady(field: Differential) -> list[Proven | None]:
    """The derivatives of B vanish."""
    given = facts_of(field.place.on_S)
    return [by_search(given, Fact("=", derivative(as_term(b), x.name))) for b in field.B for x in field.s]


def _bends(field: Differential) -> list[Proven | None]:
    """That what is bounded for C_⋆ is half the derivative of B, as the kernel differentiates."""
    given, both = facts_of(field.place.on_S), zip(field.s, field.B.diagonal(), field.entries("C_star"), strict=True)
    gaps = (minus(derivative(as_term(b), x.name), as_term(bend), as_term(bend)) for x, b, bend in both)
    return [by_search(given, Fact("=", gap)) for gap in gaps]


def _entrywise(name: str, value: sp.Expr, field: Differential, at: Ends) -> Iterator[Refutable]:
    signs = (1, -1) if name in ("C_star", "C_starstar") else (1,)
    for entry, x in zip(field.entries(name), field.s, strict=True):
        where = tuple(r for r in field.place.on_S if not r.expr.free_symbols & (set(field.s) - {x}))
        for sign in signs:
            gap = value - sign * entry if name != "v_min" else entry - value
            known = x in at and at[x].is_finite is True
            yield Refutable(where, Relation(gap, ">="), function=(gap, (x,), (at[x],)) if known else None)


def _certified(claim: Refutable, field: Differential) -> Proven | None:
    """By cuts where all is numbers, else by the search, which knows where equality may hold."""
    proven, box = None, _box(field, claim.holds.expr.free_symbols)
    given, goal = facts_of(claim.where), Fact(">=", as_term(claim.holds.expr))
    if box is not None and (proof := on_box(given, goal, box)) is not None:
        proven = Proven(given, goal, proof)
    return _confirmed(claim, certificate_of(claim) if proven is None else proven)


def _form(rows: sp.Matrix, field: Differential) -> Proven | None:
    """uᵀAu ≥ 0 on a box of numbers, or everywhere where A does not depend on s."""
    box = _box(field, rows.free_symbols & set(field.s))
    if box is None or rows.free_symbols - set(field.s):
        return None
    u, given = _directions(field), facts_of(field.place.on_S)
    steps = [[list(map(as_term, row)) for row in A.tolist()] for A in _eliminated(rows)]
    found = form_on_box(given, steps, [x.name for x in u], box)
    claim = Refutable(field.place.on_S, Relation((sp.Matrix([u]) * rows * sp.Matrix(u))[0], ">="))
    return _confirmed(claim, None if found is None else Proven(given, *found))


def _bent(value: sp.Expr, block: Differential) -> Iterator[Proven | None]:
    """‖½ D²F(s)[u, u]‖² ≤ value² ‖u‖⁴, where the norm of D²F as a matrix gives it (`bends`)."""
    s, q, given = block.s, range(block.B.rows), facts_of(block.place.on_S)
    t = {(k, i, j): _in_factors(sp.diff(block.B[k, i], s[j])) for k, i, j in product(q, repeat=3)}
    M = sp.Matrix(len(q), len(q), lambda k, m: _in_factors(sp.Add(*(t[k, i, j] * t[m, i, j] for i in q for j in q))))
    form = _form(value**2 * sp.eye(len(q)) - M / 4, block) if value.is_Rational and value > 0 else None
    if form is None:
        yield None
        return
    u, bends = _directions(block), {place: as_term(bend) for place, bend in t.items()}
    squares = [list(map(as_term, row)) for row in M.tolist()]
    v = fresh([f"v{k + 1}" for k in q], [*s, *u, *(r.expr for r in block.place.on_S)])
    names = [[x.name for x in both] for both in (u, v)]
    proven = below_norms(form, bends, squares, Fraction(str(value)), *names)
    bent = [sum(t[k, i, j] * u[i] * u[j] for i in q for j in q) / 2 for k in q]
    gap = value**2 * sum(x**2 for x in u) ** 2 - sum(e**2 for e in bent)
    yield _confirmed(Refutable(block.place.on_S, Relation(gap, ">=")), proven)
    for (k, i, j), bend in t.items():
        yield by_search(given, Fact("=", minus(derivative(as_term(block.B[k, i]), s[j].name), as_term(bend))))


def _directions(block: Differential) -> tuple[sp.Symbol, ...]:
    """The symbols of u."""
    taken = [*block.s, *(r.expr for r in block.place.on_S)]
    return tuple(fresh([f"u{k}" for k in range(1, block.B.rows + 1)], taken))


def _eliminated(A: sp.Matrix) -> Iterator[sp.Matrix]:
    """A, and what is left of it after each step of Bareiss' elimination, whose divisions leave no rest."""
    before = sp.S.One
    while True:
        yield A
        if A.rows == 1:
            return
        pivot = A[0, 0]
        rest = pivot * A[1:, 1:] - A[1:, 0] * A[0, 1:]
        A, before = (rest / before).applyfunc(_in_factors), pivot


def _in_factors(expr: sp.Expr) -> sp.Expr:
    content, factors = factor_list(expr)
    return sp.Mul(content, *(base**power for base, power in factors))


def _confirmed(claim: Refutable, proven: Proven | None) -> Proven | None:
    if proven is not None and (point := breaking_point(claim)) is not None:
        raise ProofContradicted(
            f"a proof of {claim.holds} was accepted, and yet it fails at {point}. "
            "This is a mistake of fedmm-edu, not of your model: please report it with the model's file."
        )
    return proven


def _box(field: Differential, symbols: Collection[sp.Basic]) -> NumberBox | None:
    """The intervals of these coordinates as numbers; None where there are other symbols, or an end is none."""
    box = numeric_box(symbols, {x: side for x, side in field.place.region.items() if x in symbols})
    return None if box is None else {x.name: ends for x, ends in box.items()}
