"""Expressions in s that the samples of clients make explicit, and their extremes over 𝒮.

These are h_i(s) = E_i[S̄(Z, T(s))] − s, its derivative, the variance of an oracle, and W(T(s)): what `from_model` needs
for the constants of Theorem 1, exact or enclosed by ball arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from fedmm_edu.federation import Clients, Oracle
from fedmm_edu.symbolic.constants.extremes import numeric_box, supremum
from fedmm_edu.symbolic.constants.region import OnRegion
from fedmm_edu.symbolic.decide import ranges
from fedmm_edu.symbolic.functions.table import NUMPY, PIECED
from fedmm_edu.symbolic.model import Model
from fedmm_edu.theory.hypotheses import Number
from fedmm_edu.theory.rounding import above, fraction, root_above, sum_above, up

DISTINCT = 48
"""Different samples of a client up to which a mean over them is written out; more need S̄ polynomial in the sample."""
RELATIVE, BOXES = Fraction(1, 1000), 300
"""How close, and with how many boxes, ball arithmetic is to enclose an extreme."""
LENGTH = 1000
"""Operations of the longest formula that ball arithmetic is given."""
MONOTONE = 150
"""Operations of the longest formula whose monotonicity is asked: to factor its derivative can take minutes."""
POINTS = {1: 401, 2: 21, 3: 9}
"""Grid points per coordinate where ball arithmetic does not answer."""


@dataclass(frozen=True, eq=False)
class OnData:
    """Expressions in s that the samples make explicit, and their extremes over 𝒮."""

    model: Model
    values: Mapping[str, Any]
    place: OnRegion
    clients: Clients

    @cached_property
    def s(self) -> tuple[sp.Symbol, ...]:
        return tuple(self.place.region)

    @property
    def kinks(self) -> bool:
        """Whether h follows several formulas: derivatives in s say nothing of it then."""
        return any(entry.has(*PIECED) for entry in (*self.place.F, *self.model.S_bar))

    def in_numbers(self, expr: Any) -> Any:
        """The expression or relation with the values of the model's constants."""
        return expr.xreplace({x: sp.Rational(str(self.values[x.name])) for x in self.model.constants})

    @cached_property
    def S_bar(self) -> list[sp.Expr]:
        """S̄(z, θ) with the values of the model's constants."""
        return [self.in_numbers(entry) for entry in self.model.S_bar]

    def sample(self, row: Iterable[float]) -> dict[sp.Symbol, sp.Rational]:
        """The numbers of one sample, exactly."""
        return {x: sp.Rational(repr(float(v))) for x, v in zip(self.model.z, row, strict=True)}

    def rows(self, i: int) -> list[tuple[sp.Rational, ...]]:
        """The samples of client i."""
        return [tuple(self.sample(row).values()) for row in self.clients[i]]

    def at_T(self, expr: sp.Expr) -> sp.Expr:
        """An expression in θ and z at θ = T(s), with numbers for constants."""
        T = dict(zip(self.model.theta, self.model.T or (), strict=True))
        return self.place.domain.lift(self.in_numbers(expr.xreplace(T)))

    def mean(self, expr: sp.Expr, i: int) -> sp.Expr | None:
        """E_i of an expression in z and s: by moments where it is polynomial in z, else written out; None if long."""
        z = tuple(self.place.domain.lift(x) for x in self.model.z)
        rows = self.rows(i)
        if expr.is_polynomial(*z):
            terms = sp.Poly(expr, *z).terms()
            return sum((factor * _moment(rows, powers) for powers, factor in terms), sp.S.Zero)
        counts = {row: rows.count(row) for row in dict.fromkeys(rows)}
        if len(counts) > DISTINCT:
            return None
        return sum(
            (expr.xreplace(dict(zip(z, row, strict=True))) * sp.Rational(k, len(rows)) for row, k in counts.items()),
            sp.S.Zero,
        )

    @cached_property
    def fields(self) -> list[list[sp.Expr] | None]:
        """h_i(s) of each client."""
        S_bar = [self.at_T(entry) for entry in self.model.S_bar]
        found = []
        for i in range(len(self.clients)):
            means = [self.mean(entry, i) for entry in S_bar]
            known = [self.short(m - x) for m, x in zip(means, self.s, strict=True) if m is not None]
            found.append(known if len(known) == len(means) else None)
        return found

    def short(self, expr: sp.Expr) -> sp.Expr:
        """A polynomial in s expanded, so that the samples are in its coefficients; others as they are."""
        return sp.expand(expr) if expr.is_polynomial(*self.s) else expr

    def mu(self, i: int) -> sp.Rational:
        return sp.Rational(len(self.clients[i]), self.clients.z.shape[0])

    def sup(self, expr: sp.Expr | None, what: str) -> Number:
        """sup over 𝒮 of an expression ≥ 0: exact, enclosed, or the largest over a grid."""
        if expr is None:
            return Number(
                None, "unknown", f"{what}: more than {DISTINCT} different samples, and not polynomial in them"
            )
        expr = self.short(expr)
        if not expr.free_symbols & set(self.s):
            return Number(up(expr), "proved", f"{what}: the same at every s")
        box = self.box
        if box is None:
            if expr.count_ops() > MONOTONE:
                why = f"a formula of more than {MONOTONE} operations, which is not looked at on an unbounded 𝒮"
                return Number(None, "unknown", f"{what}: {why}; give a bounded one")
            found = supremum(expr, self.place.region, self.place.domain)
            if found is None or found.value is None:
                return Number(None, "unknown", f"{what}: not found on an unbounded 𝒮; give a bounded one")
            if found.value == sp.oo:
                return Number(math.inf, "fails", f"{what} is infinite on this 𝒮: give a bounded 𝒮")
            return Number(up(found.value), "proved", f"{what}: by monotonicity")
        ends = self.enclosed(expr)
        if ends is not None:
            return Number(above(ends[1]), "proved", f"{what}: enclosed by ball arithmetic", -above(-ends[0]))
        names, axes = list(box), []
        for low, high in box.values():
            axes.append(np.linspace(float(low), float(high), POINTS.get(len(box), 5)))
        grid = np.stack([axis.ravel() for axis in np.meshgrid(*axes)])
        largest = float(np.max(sp.lambdify(names, expr, NUMPY)(*grid)))
        return Number(largest, "unknown", f"{what}: largest over a grid of {grid.shape[1]} points, no proof")

    def enclosed(self, expr: sp.Expr) -> tuple[Fraction, Fraction] | None:
        """sup of an expression over a bounded 𝒮 between two fractions; None where that takes too long."""
        if self.box is None or expr.has(sp.Piecewise) or expr.count_ops() > LENGTH:
            return None
        return ranges.enclose_supremum(expr, self.box, relative=RELATIVE, boxes=BOXES)

    @cached_property
    def box(self) -> dict[sp.Symbol, tuple[Fraction, Fraction]] | None:
        """𝒮 with rational ends, or None where it is unbounded."""
        return numeric_box((), self.place.region)

    @cached_property
    def mean_field(self) -> list[sp.Expr] | None:
        """h(s) = Σ μ_i h_i(s)."""
        if None in self.fields:
            return None
        return [sum((self.mu(i) * field[k] for i, field in enumerate(self.fields) if field), sp.S.Zero)
                for k in range(len(self.s))]  # fmt: skip

    def sup_h(self) -> Number:
        if self.mean_field is None:
            return self.sup(None, "sup‖h‖")
        found = self.sup(_squares(self.mean_field), "sup‖h‖²")
        if found.value == math.inf:
            return Number(math.inf, "proved", "sup‖h‖ is infinite on this 𝒮")
        return root_above(found)

    def L(self) -> Number:
        """L from L_i², the suprema of the squared Frobenius norms of the derivatives (exact where q = 1)."""
        sizes = []
        for field in self.fields:
            slopes = None if field is None else [sp.diff(entry, x) for entry in field for x in self.s]
            sizes.append(self.sup(None if slopes is None else _squares(slopes), "L_i²"))
        return root_above(self._weighted(sizes))

    def sigma(self, oracle: Oracle) -> Number:
        """σ from σ_i², the suprema of the oracle's variance, whose law is known."""
        if not any(entry.has(*self.model.z) for entry in self.model.S_bar):
            return Number(0.0, "proved", "S̄ does not depend on the sample: σ_i = 0")
        S_bar, sizes = [self.at_T(entry) for entry in self.model.S_bar], []
        for i, field in enumerate(self.fields):
            share = oracle.variance_factor(len(self.clients[i]))
            if share == 0:
                sizes.append(Number(0.0, "proved", "every sample is used: σ_i = 0"))
                continue
            second, variance = self.mean(_squares(S_bar), i), None
            if second is not None and field is not None:
                first = _squares(f + x for f, x in zip(field, self.s, strict=True))
                variance = (second - first) * sp.Rational(share)
            sizes.append(self.sup(variance, "σ_i²"))
        return root_above(self._weighted(sizes))

    def _weighted(self, sizes: Sequence[Number]) -> Number:
        """n Σ μ_i² · size_i."""
        order = {"fails": 0, "unknown": 1, "given": 2, "proved": 3}
        worst = min(sizes, key=lambda number: -1 if number.value is None else order[number.status])
        if worst.value is None or math.inf in [number.value for number in sizes]:
            return worst
        weights = [fraction(self.mu(i)) ** 2 for i in range(len(sizes))]
        total = sum((w * Fraction(number.value or 0.0) for w, number in zip(weights, sizes, strict=True)), Fraction(0))
        return Number(above(len(sizes) * total), worst.status, worst.how)

    @cached_property
    def W(self) -> sp.Expr | None:
        """W(T(s))."""
        loss, total = self.at_T(self.model.loss), self.at_T(self.model.g)
        for i in range(len(self.clients)):
            mean = self.mean(loss, i)
            if mean is None:
                return None
            total += self.mu(i) * mean
        return total

    def gap(self, s0: Mapping[sp.Symbol, sp.Rational]) -> Number:
        """W(T(Ŝ_0)) − min over 𝒮 of W(T(s)); the iterates stay in T(𝒮), so that the proof needs no more."""
        if self.W is None:
            return Number(None, "unknown", f"Δ: more than {DISTINCT} different samples of a client")
        here = self.W.subs(s0)
        W = self.short(self.W)
        if W.is_polynomial(*self.s) and sp.Poly(W, *self.s).total_degree() == 2:
            hessian = sp.hessian(W, self.s)
            least = sp.solve([sp.diff(W, x) for x in self.s], self.s, dict=True)
            if hessian.is_positive_semidefinite and least and self.box is None:
                value = W.subs(least[0])
                return Number(up(sp.simplify(here - value)), "proved", "Δ: W∘T is a convex quadratic")
        if self.box is None:
            return Number(None, "unknown", "Δ: not found on an unbounded 𝒮; give a bounded one")
        ends = self.enclosed(-self.W)
        if ends is None:
            return Number(None, "unknown", "Δ: ball arithmetic gives no minimum of W over 𝒮")
        least = -above(-(Fraction(-up(-here)) + ends[0]))
        how = "Δ: minimum over 𝒮 enclosed by ball arithmetic"
        return Number(sum_above(up(here), above(ends[1])), "proved", how, least)

    def variates(self, s0: Mapping[sp.Symbol, sp.Rational], kind: str) -> Number:
        """G₀ = Σ μ_i²‖V_{0,i} − h_i(Ŝ_0)‖²."""
        if kind == "mean_field":
            return Number(0.0, "proved", "V_{0,i} = h_i(Ŝ_0)")
        if None in self.fields:
            return Number(None, "unknown", "G₀: h_i is not known")
        sizes = [_squares(entry.subs(s0) for entry in field) for field in self.fields if field is not None]
        total = sum((self.mu(i) ** 2 * size for i, size in enumerate(sizes)), sp.S.Zero)
        return Number(up(total), "proved", "V_{0,i} = 0, exact", -up(-total))

    def violations(self) -> str:
        """Relations of the model that samples break, in words; empty where there are none."""
        for relation in (*self.model.given, *self.model.Z):
            if not relation.free_symbols & set(self.model.z):
                continue
            told = self.in_numbers(relation)
            if count := sum(told.xreplace(self.sample(row)) == sp.false for row in self.clients.z):
                return f"{relation} fails at {count} of {self.clients.z.shape[0]} samples"
        return ""


def _squares(entries: Iterable[sp.Expr]) -> sp.Expr:
    return sum((entry**2 for entry in entries), sp.S.Zero)


def _moment(rows: Sequence[tuple[sp.Rational, ...]], powers: Sequence[int]) -> sp.Rational:
    total = sum((sp.prod([v**k for v, k in zip(row, powers, strict=True)]) for row in rows), sp.S.Zero)
    return total / len(rows)
