"""The constants of Theorem 1 for a SymPy model with finite data: exact, or enclosed by ball arithmetic.

A7's constants come from the service of `fedmm constants`. The rest are extremes over 𝒮 of expressions in s that the
samples make explicit: h_i(s) = E_i[S̄(Z, T(s))] − s, its derivative, the variance of an oracle, and W(T(s)).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Clients, FullBatch, MiniBatch, Oracle, Stream
from fedmm_edu.symbolic import ranges
from fedmm_edu.symbolic.algebra import OPAQUE
from fedmm_edu.symbolic.check import check_model
from fedmm_edu.symbolic.constants import constants
from fedmm_edu.symbolic.extremes import supremum
from fedmm_edu.symbolic.mm2 import with_T
from fedmm_edu.symbolic.model import Model
from fedmm_edu.symbolic.region import Place, Side, read_place
from fedmm_edu.symbolic.verdict import Verdict
from fedmm_edu.theory.hypotheses import Hypothesis, Number, Problem, with_constants

DISTINCT = 48
"""Different samples of a client up to which a mean over them is written out; more need S̄ polynomial in the sample."""
RELATIVE, BOXES = Fraction(1, 1000), 300
"""How close, and with how many boxes, ball arithmetic is to enclose an extreme."""
LENGTH = 1000
"""Operations of the longest formula that ball arithmetic is given."""
DIGITS = 40
POINTS = {1: 401, 2: 21, 3: 9}
"""Grid points per coordinate where ball arithmetic does not answer."""


def describe(
    model: Model,
    clients: Clients,
    oracle: Oracle,
    *,
    S: Sequence[tuple[Any, Any]] | None = None,
    values: Mapping[str, Any] | None = None,
    start: Sequence[float] | None = None,
    variates: str = "mean_field",
) -> Problem:
    """What Theorem 1 asks, for this model on 𝒮 with these clients and this oracle.

    `start` is Ŝ_0 (default: the middle of 𝒮, or 0 on the whole line); `variates` V_{0,i}: "zero" or "mean_field".
    `InvalidInput` for a start outside 𝒮, or constants of the model without numbers.
    """
    checked = check_model(model)
    model, values = with_T(model), dict(values or {})
    unset = [x.name for x in model.constants if x.name not in values]
    if unset:
        raise InvalidInput(f"{model.name}: no number for {', '.join(unset)}: give each, as in --set {unset[0]}=1/2.")
    if clients.z.shape[1] != len(model.z):
        names = ", ".join(map(str, model.z))
        raise InvalidInput(f"the samples have {clients.z.shape[1]} columns; {model.name} has {len(model.z)}: {names}.")
    found = constants(model, S=S, values=values)
    place = read_place(model, S, values)
    data = _Data(model, values, place, clients)
    numbers = _of_A7(found)
    if any(number.status == "fails" for number in numbers.values()):  # no bound to compute, and T may have kinks
        numbers |= dict.fromkeys(("sup_h", "L", "sigma"), Number(None, "unknown", "not derived, as A7 fails"))
        gap = Number(None, "unknown", "not derived, as A7 fails")
    else:
        numbers |= {"sup_h": data.sup_h(), "L": data.L(), "sigma": data.sigma(oracle)}
        gap = data.gap(data.start(start))
    s0 = data.start(start)
    closed = all(side.low_closed or side.low == -sp.oo for side in place.region.values()) and all(
        side.high_closed or side.high == sp.oo for side in place.region.values()
    )
    A8 = Hypothesis("A8", "proved" if closed else "fails", "𝒮 is a closed box; project in the norm of B(Ŝ_t)"
                    if closed else "𝒮 is not closed: give a closed 𝒮 inside it")  # fmt: skip
    rows = (*_of_model(model, checked, data), *with_constants(numbers, A8))
    shown = ", ".join(f"{x} in {side}" for x, side in place.region.items())
    return Problem(
        f"{model.name}, 𝒮 = {{{shown}}}",
        len(clients),
        len(model.s),
        rows,
        numbers,
        gap,
        data.variates(s0, variates) if gap.how[0] == "Δ" else gap,
        (f"Ŝ_0 = {', '.join(f'{v:.6g}' for v in map(float, s0.values()))}", f"V_0 = {variates}"),
    )


def _of_model(model: Model, checked: Mapping[str, Verdict], data: _Data) -> list[Hypothesis]:
    """MM-1, MM-2, A1 and A2, from the rows of `fedmm check`."""
    bad = data.violations()
    rows = [_from_verdicts(name, checked, data) for name in ("MM-1", "MM-2", "A1")]
    if bad:
        rows[0] = Hypothesis("MM-1", "unknown", f"{bad}: MM-1 may still hold for the mean over the samples")
    smooth = checked["defined"].status == "proved" and not model.loss.has(*OPAQUE, sp.Piecewise)
    A2 = Hypothesis("A2", "proved" if smooth else "unknown", "the formula of the loss is smooth where it is defined"
                    if smooth else "the formula of the loss has kinks or is not shown to be defined")  # fmt: skip
    return [*rows, A2]


def _from_verdicts(name: str, checked: Mapping[str, Verdict], data: _Data) -> Hypothesis:
    rows = {row: verdict for row, verdict in checked.items() if row.startswith(name) or row in ("defined", "S convex")}
    refuted = [row for row, verdict in rows.items() if verdict.status == "refuted"]
    open_ = [row for row, verdict in rows.items() if verdict.status not in ("proved", "refuted")]
    if refuted:
        return Hypothesis(name, "fails", f"refuted: {', '.join(refuted)}; see `fedmm check`")
    if open_:
        return Hypothesis(name, "unknown", f"not proved: {', '.join(open_)}; see `fedmm check`")
    return Hypothesis(name, "proved", "every row of `fedmm check` is proved")


def _of_A7(found) -> dict[str, Number]:
    numbers = {}
    for ours, theirs in (("v_min", "v_min"), ("v_max", "v_max"), ("C_star", "C_star"), ("C_star_star", "C_starstar")):
        row = found[theirs]
        if row.verdict.status == "refuted":
            says = row.verdict.witness.says if row.verdict.witness is not None else "none exists"
            numbers[ours] = Number(None, "fails", f"no {ours}: {says}")
        elif row.verdict.status != "proved":
            numbers[ours] = Number(None, "unknown", f"{ours} was not found; see `fedmm constants`")
        else:
            numbers[ours] = Number(
                _read(row.value, low=ours == "v_min"), "proved", f"{row.value} ({row.verdict.method})"
            )
    return numbers


def _read(text: str, *, low: bool) -> float:
    """An exact value, or the safe end of an enclosure, rounded to the safe side."""
    ends = text.strip("[]").split(",")
    return -_up(-_number(ends[0])) if low else _up(_number(ends[-1]))


def _number(text: str) -> sp.Expr:
    return sp.sympify(text, rational=True)


@dataclass(frozen=True, eq=False)
class _Data:
    """Expressions in s that the samples make explicit, and their extremes over 𝒮."""

    model: Model
    values: Mapping[str, Any]
    place: Place
    clients: Clients

    @cached_property
    def s(self) -> tuple[sp.Symbol, ...]:
        return tuple(self.place.region)

    def at_T(self, expr: sp.Expr) -> sp.Expr:
        """An expression in θ and z at θ = T(s), with numbers for constants."""
        numbers = {x: sp.Rational(str(self.values[x.name])) for x in self.model.constants}
        T = dict(zip(self.model.theta, self.model.T or (), strict=True))
        return self.place.domain.lift(expr.xreplace(T).xreplace(numbers))

    def mean(self, expr: sp.Expr, i: int) -> sp.Expr | None:
        """E_i of an expression in z and s: by moments where it is polynomial in z, else written out; None if long."""
        z = tuple(self.place.domain.lift(x) for x in self.model.z)
        rows = [tuple(_exact(v) for v in row) for row in self.clients[i]]
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
            found.append(None if None in means else [self.short(m - x) for m, x in zip(means, self.s, strict=True)])  # type: ignore
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
            return Number(_up(expr), "proved", f"{what}: the same at every s")
        box = self.box
        if box is None:
            found = supremum(expr, self.place.region, self.place.domain)
            if found is None or found.value is None:
                return Number(None, "unknown", f"{what}: not found on an unbounded 𝒮; give a bounded one")
            if found.value == sp.oo:
                return Number(math.inf, "fails", f"{what} is infinite on this 𝒮: give a bounded 𝒮")
            return Number(_up(found.value), "proved", f"{what}: by monotonicity")
        ends = self.enclosed(expr)
        if ends is not None:
            return Number(_above(ends[1]), "proved", f"{what}: enclosed by ball arithmetic")
        names, axes = list(box), []
        for low, high in box.values():
            axes.append(np.linspace(float(low), float(high), POINTS.get(len(box), 5)))
        grid = np.stack([axis.ravel() for axis in np.meshgrid(*axes)])
        largest = float(np.max(sp.lambdify(names, expr, "numpy")(*grid)))
        return Number(largest, "unknown", f"{what}: largest over a grid of {grid.shape[1]} points, no proof")

    def enclosed(self, expr: sp.Expr) -> tuple[Fraction, Fraction] | None:
        """sup of an expression over a bounded 𝒮 between two fractions; None where that takes too long."""
        if self.box is None or expr.has(*OPAQUE, sp.Piecewise) or expr.count_ops() > LENGTH:
            return None
        return ranges.supremum(expr, self.box, relative=RELATIVE, boxes=BOXES)

    @cached_property
    def box(self) -> dict[sp.Symbol, tuple[Fraction, Fraction]] | None:
        """𝒮 with rational ends, or None where it is unbounded."""
        ends = {x: (side.low, side.high) for x, side in self.place.region.items()}
        if not all(sp.sympify(end).is_Rational for pair in ends.values() for end in pair):
            return None
        return {x: (Fraction(int(a.p), int(a.q)), Fraction(int(b.p), int(b.q))) for x, (a, b) in ends.items()}

    def sup_h(self) -> Number:
        if None in self.fields:
            return self.sup(None, "sup‖h‖")
        h = [sum((self.mu(i) * field[k] for i, field in enumerate(self.fields) if field), sp.S.Zero)
             for k in range(len(self.s))]  # fmt: skip
        found = self.sup(sum(entry**2 for entry in h), "sup‖h‖²")
        if found.value == math.inf:
            return Number(math.inf, "proved", "sup‖h‖ is infinite on this 𝒮")
        return _root(found)

    def L(self) -> Number:
        """L from L_i², the suprema of the squared Frobenius norms of the derivatives (exact where q = 1)."""
        sizes = []
        for field in self.fields:
            slopes = None if field is None else [sp.diff(entry, x) for entry in field for x in self.s]
            sizes.append(self.sup(None if slopes is None else sum(slope**2 for slope in slopes), "L_i²"))
        return _root(self._weighted(sizes))

    def sigma(self, oracle: Oracle) -> Number:
        """σ from σ_i², the suprema of the oracle's variance, whose law is known."""
        if not any(entry.has(*self.model.z) for entry in self.model.S_bar):
            return Number(0.0, "proved", "S̄ does not depend on the sample: σ_i = 0")
        S_bar, sizes = [self.at_T(entry) for entry in self.model.S_bar], []
        for i, field in enumerate(self.fields):
            share = sampling(oracle, len(self.clients[i]))
            if share == 0:
                sizes.append(Number(0.0, "proved", "every sample is used: σ_i = 0"))
                continue
            squares = self.mean(sum(entry**2 for entry in S_bar), i)
            known = squares is not None and field is not None
            first = sum((f + x) ** 2 for f, x in zip(field, self.s, strict=True)) if known and field else 0
            variance = (squares - first) * sp.Rational(share) if known else None  # type: ignore
            sizes.append(self.sup(variance, "σ_i²"))
        return _root(self._weighted(sizes))

    def _weighted(self, sizes: Sequence[Number]) -> Number:
        """n Σ μ_i² · size_i."""
        order = {"fails": 0, "unknown": 1, "given": 2, "proved": 3}
        worst = min(sizes, key=lambda number: -1 if number.value is None else order[number.status])
        if worst.value is None or math.inf in [number.value for number in sizes]:
            return worst
        weights = [Fraction(int(m.p), int(m.q)) ** 2 for m in map(self.mu, range(len(sizes)))]
        total = sum((w * Fraction(number.value or 0.0) for w, number in zip(weights, sizes, strict=True)), Fraction(0))
        return Number(_above(len(sizes) * total), worst.status, worst.how)

    def start(self, start: Sequence[float] | None) -> dict[sp.Symbol, sp.Rational]:
        """Ŝ_0 as exact numbers."""
        region = self.place.region
        if start is None:
            middles = [_inside(side) for side in region.values()]
        else:
            middles = [Fraction(str(value)) for value in start]
        if len(middles) != len(region):
            raise InvalidInput(f"the start has {len(middles)} numbers, s has {len(region)}: give one for each.")
        point = {x: sp.Rational(m.numerator, m.denominator) for x, m in zip(region, middles, strict=True)}
        for x, side in region.items():
            if not (side.low < point[x] < side.high or (side.low_closed and point[x] == side.low)
                    or (side.high_closed and point[x] == side.high)):  # fmt: skip
                raise InvalidInput(f"the start {x} = {point[x]} lies outside {side}: choose a start in 𝒮.")
        return point

    @cached_property
    def W(self) -> sp.Expr | None:
        """W(T(s))."""
        loss = self.at_T(self.model.loss)
        means = [self.mean(loss, i) for i in range(len(self.clients))]
        if None in means:
            return None
        return sum((self.mu(i) * m for i, m in enumerate(means)), self.at_T(self.model.g))  # type: ignore

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
                return Number(_up(sp.simplify(here - value)), "proved", "Δ: W∘T is a convex quadratic")
        if self.box is None:
            return Number(None, "unknown", "Δ: not found on an unbounded 𝒮; give a bounded one")
        ends = self.enclosed(-self.W)
        if ends is None:
            return Number(None, "unknown", "Δ: ball arithmetic gives no minimum of W over 𝒮")
        return Number(_sum_above(_up(here), _above(ends[1])), "proved", "Δ: minimum over 𝒮 enclosed by ball arithmetic")

    def variates(self, s0: Mapping[sp.Symbol, sp.Rational], kind: str) -> Number:
        """G₀ = Σ μ_i²‖V_{0,i} − h_i(Ŝ_0)‖²."""
        if kind == "mean_field":
            return Number(0.0, "proved", "V_{0,i} = h_i(Ŝ_0)")
        if None in self.fields:
            return Number(None, "unknown", "G₀: h_i is not known")
        total = sum(self.mu(i) ** 2 * sum(entry.subs(s0) ** 2 for entry in f) for i, f in enumerate(self.fields) if f)
        return Number(_up(total), "proved", "V_{0,i} = 0, exact")

    def violations(self) -> str:
        """Relations of the model that samples break, in words; empty where there are none."""
        numbers = {x: sp.Rational(str(self.values[x.name])) for x in self.model.constants}
        for relation in (*self.model.given, *self.model.Z):
            if not relation.free_symbols & set(self.model.z):
                continue
            count = sum(
                relation.xreplace(numbers).xreplace(
                    dict(zip(self.model.z, (_exact(v) for v in row), strict=True))) == sp.false
                for row in self.clients.z)  # fmt: skip
            if count:
                return f"{relation} fails at {count} of {self.clients.z.shape[0]} samples"
        return ""


def sampling(oracle: Oracle, size: int) -> Fraction:
    """The variance of the oracle's mean in units of the variance of one of the client's `size` samples."""
    if isinstance(oracle, FullBatch):
        return Fraction(0)
    if isinstance(oracle, Stream):
        return Fraction(1, oracle.b)
    if isinstance(oracle, MiniBatch):
        return Fraction(0) if oracle.b >= size else Fraction(size - oracle.b, oracle.b * (size - 1))
    raise InvalidInput(f"the law of {type(oracle).__name__} is not known here: give sigma.")


def _inside(side: Side) -> Fraction:
    """The middle of an interval; on a half-line the point 1 from its end, on the whole line 0."""
    low, high = side.low, side.high
    if low.is_finite and high.is_finite:
        middle = sp.nsimplify((low + high) / 2, rational=True)
    else:
        middle = low + 1 if low.is_finite else high - 1 if high.is_finite else sp.S.Zero
    return Fraction(str(sp.Rational(middle)))


def _moment(rows: Sequence[tuple[sp.Rational, ...]], powers: Sequence[int]) -> sp.Rational:
    total = sum((sp.prod([v**k for v, k in zip(row, powers, strict=True)]) for row in rows), sp.S.Zero)
    return total / len(rows)


def _exact(value: float) -> sp.Rational:
    return sp.Rational(repr(float(value)))


def _up(expr: sp.Expr) -> float:
    """A float that is not below the number: rational ones exactly, others from 40 correct digits."""
    if expr.is_Rational:
        return _above(Fraction(int(expr.p), int(expr.q)))
    near = sp.Rational(str(sp.N(expr, DIGITS)))
    return _above(Fraction(int(near.p), int(near.q)) + abs(Fraction(int(near.p), int(near.q))) / 10 ** (DIGITS - 2))


def _above(value: Fraction) -> float:
    """The least float that is not below `value`."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def _sum_above(*values: float) -> float:
    """A float that is not below the sum, at least 0."""
    return max(0.0, _above(sum(map(Fraction, values), Fraction(0))))


def _root(square: Number) -> Number:
    if square.value is None:
        return square
    root = math.sqrt(max(square.value, 0.0))
    exact = Fraction(root) ** 2 >= Fraction(square.value) if square.value < math.inf else True
    return Number(root if exact else math.nextafter(root, math.inf), square.status, square.how)
