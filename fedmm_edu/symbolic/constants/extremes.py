"""The supremum of a smooth function over a box: exact where it is monotone, enclosed by ball arithmetic elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Step
from fedmm_edu.symbolic.constants import spectra
from fedmm_edu.symbolic.constants.region import Region, Side
from fedmm_edu.symbolic.decide import balls, ranges
from fedmm_edu.symbolic.decide.domain import Domain, Relation
from fedmm_edu.symbolic.decide.inequality import decide_nonnegative, domain_point

LARGE = 1000
BOXES = 2500


@dataclass(frozen=True)
class Extreme:
    """An extreme value: `value` exact (oo where there is none), or `bounds` around it.

    `at` says at which ends of the box; `attained` whether the ends belong to it. `near`: an exact point at which an
    unbounded function exceeds `LARGE`, or one that tends to 0 is below 1/`LARGE`.
    """

    value: sp.Expr | None = None
    bounds: tuple[Fraction, Fraction] | None = None
    at: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    attained: bool = True
    steps: tuple[Step, ...] = ()
    near: Mapping[str, Fraction] | None = None

    def __neg__(self) -> Extreme:
        bounds = None if self.bounds is None else (-self.bounds[1], -self.bounds[0])
        value = None if self.value is None else -self.value
        return Extreme(value, bounds, self.at, self.attained, self.steps, self.near)

    def root(self) -> Extreme:
        """The extreme of √f from that of f ≥ 0."""
        if self.bounds is None:
            return self
        low, high = (balls.enclose(sp.sqrt(max(end, Fraction(0))), {}) for end in self.bounds)
        return Extreme(bounds=(ranges.end_of(low, upper=False), ranges.end_of(high, upper=True)), steps=self.steps)


def supremum(f: sp.Expr, region: Region, domain: Domain, seed: int = 0) -> Extreme | None:
    """sup f over the box; `domain` is its interior. None when neither monotonicity nor numbers give it."""
    value, at, attained, steps = f, {}, True, []
    for x, side in region.items():
        slope = _slope_sign(value, x, domain, seed)
        if slope is None or slope == 0:
            continue
        end, closed = (side.high, side.high_closed) if slope > 0 else (side.low, side.low_closed)
        limit = _value_at(value, x, end, from_below=slope > 0)
        if limit is None:
            return None
        word = "increases" if slope > 0 else "decreases"
        steps.append(Step(f"${sp.latex(value)}$ {word} with ${sp.latex(x)}$", "the sign of its derivative is proved"))
        at[x], attained, value = end, attained and closed and limit.is_infinite is not True, limit
        if limit.is_infinite:
            return Extreme(limit, None, at, False, tuple(steps), _far(f, at, domain))
    if not value.free_symbols & set(region):
        near = _far(f, at, domain) if value == 0 and not attained else None
        return Extreme(value, None, at, attained, tuple(steps), near)
    rest = {x: side for x, side in region.items() if x in value.free_symbols}
    return _at_an_end(value, rest, at, steps, domain) or _enclosed(value, rest, at, steps)


def _at_an_end(f: sp.Expr, sides: Region, at: Mapping, steps: Sequence[Step], domain: Domain) -> Extreme | None:
    """sup f = oo where f is unbounded at one end of one coordinate, the others fixed."""
    for x, side in sides.items():
        for end, from_below in ((side.low, False), (side.high, True)):
            if _value_at(f, x, end, from_below=from_below) == sp.oo:
                step = Step(f"${sp.latex(f)} \\to \\infty$ as ${sp.latex(x)} \\to {sp.latex(end)}$", "a limit")
                where = {**at, x: end}
                return Extreme(sp.oo, None, where, False, (*steps, step), _far(f, where, domain))
    return None


def infimum(f: sp.Expr, region: Region, domain: Domain, seed: int = 0) -> Extreme | None:
    """inf f over the box."""
    found = supremum(-f, region, domain, seed)
    return None if found is None else -found


def magnitude(f: sp.Expr, region: Region, domain: Domain, seed: int = 0) -> Extreme | None:
    """sup |f| over the box."""
    for sign in (1, -1):
        if decide_nonnegative(sign * f, domain, seed=seed).status == "proved":
            return supremum(sign * f, region, domain, seed)
    return largest_of([supremum(sign * f, region, domain, seed) for sign in (1, -1)], domain)


def largest_of(found: Sequence[Extreme | None], domain: Domain) -> Extreme | None:
    """The largest of several suprema; None where one is missing (unless another is infinite) or two do not compare."""
    known = [extreme for extreme in found if extreme is not None]
    infinite = next((extreme for extreme in known if extreme.value == sp.oo), None)
    if infinite is not None or len(known) < len(found):
        return infinite
    best = known[0]
    for other in known[1:]:
        if best.value is not None and other.value is not None:
            if decide_nonnegative(best.value - other.value, domain).status == "proved":
                continue
            if decide_nonnegative(other.value - best.value, domain).status != "proved":
                return None
            best = other
            continue
        ends = [_bounds(extreme) for extreme in (best, other)]
        if None in ends:
            return None
        low, high = (max(end[k] for end in ends if end is not None) for k in (0, 1))
        best = Extreme(bounds=(low, high), steps=(*best.steps, *other.steps))
    return best


def least_of(found: Sequence[Extreme | None], domain: Domain) -> Extreme | None:
    """The least of several infima."""
    best = largest_of([None if extreme is None else -extreme for extreme in found], domain)
    return None if best is None else -best


def over_directions(quotient: Callable[[Sequence[sp.Expr]], sp.Expr], region: Region) -> Extreme | None:
    """sup over s in the box and directions u of a function of s and u that does not change with the length of u."""
    q, found = len(region), []
    t = [sp.Dummy(f"t{j}", real=True) for j in range(q)]
    for k in range(q):
        u = [sp.S.One if j == k else t[j] for j in range(q)]
        sides = {**region, **{t[j]: Side(sp.S.NegativeOne, sp.S.One) for j in range(q) if j != k}}
        raw = quotient(u)
        forms = (expr for expr in (raw, sp.factor(raw)))  # which of the two has the tighter intervals differs
        tries = (
            _enclosed(e, {x: sides[x] for x in sides if x in e.free_symbols}, {}, [], Fraction(1, 200)) for e in forms
        )
        extreme = next((extreme for extreme in tries if extreme is not None), None)
        if extreme is None or extreme.bounds is None:
            return None
        found.append(extreme.bounds)
    return Extreme(
        bounds=(max(low for low, _ in found), max(high for _, high in found)),
        steps=(Step("over all directions u with $\\max_j |u_j| = 1$", "ball arithmetic with branch and bound"),),
    )


def _slope_sign(f: sp.Expr, x: sp.Symbol, domain: Domain, seed: int) -> int | None:
    """1 (−1) when f increases (decreases) in x on the domain, 0 when x does not occur, None when not decided."""
    if x not in f.free_symbols:
        return 0
    slope = sp.factor(sp.diff(f, x))
    for sign in (1, -1):
        if decide_nonnegative(sign * slope, domain, seed=seed).status == "proved":
            return sign
    return None


def _value_at(f: sp.Expr, x: sp.Symbol, end: sp.Expr, *, from_below: bool) -> sp.Expr | None:
    """f at the end, or its limit there (for f monotone near it, so that the limit exists)."""
    value = f.subs(x, end) if end.is_finite is not False else sp.nan
    if not value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        return value
    try:
        value = sp.limit(f, x, end, "-" if from_below else "+")
    except (NotImplementedError, ValueError):
        return None
    known = value in (sp.oo, -sp.oo) or not value.has(sp.oo, -sp.oo, sp.zoo, sp.nan, sp.AccumBounds, sp.Limit, x)
    return value if known else None


def _far(f: sp.Expr, at: Mapping[sp.Symbol, sp.Expr], domain: Domain) -> dict[str, Fraction] | None:
    """An exact point near the ends `at` where |f| is above LARGE, or below 1/LARGE."""
    try:
        base = domain_point(domain) or {}
    except InvalidInput:
        return None
    values = {y: sp.Rational(base[y.name]) for y in domain.variables if y.name in base}
    for k, above in product(range(1, 40), (True, False)):
        move = sp.Rational(1, 2**k)
        point = dict(base)
        for x, end in at.items():
            end = end.xreplace(values)
            near = end + move * (sp.Rational(base[x.name]) - end) if end.is_finite else sp.sign(end) / move
            if not isinstance(near, sp.Rational):  # an end such as √2 has no rational points of this form near it
                return None
            point[x.name] = Fraction(int(near.p), int(near.q))
        gap = f - LARGE if above else sp.Rational(1, LARGE) - f
        same = -f - LARGE if above else sp.Rational(1, LARGE) + f
        if all(balls.holds(r, point) for r in domain.relations):
            hits = [balls.holds(Relation(e, ">"), point) for e in (gap, same)]
            if any(hits) if above else all(hits):
                return point
    return None


def _enclosed(
    f: sp.Expr, sides: Region, at: Mapping, steps: Iterable[Step], relative: Fraction = Fraction(1, 10**5)
) -> Extreme | None:
    """sup f by branch and bound, where every end and every constant is a number."""
    box = numeric_box([f], sides)
    if box is None:
        return None
    found = ranges.enclose_supremum(f, box, relative=relative, boxes=BOXES)
    if found is None:
        return None
    step = Step(f"$\\sup {sp.latex(f)}$ lies in {ranges.bracket(*found)}", "ball arithmetic with branch and bound")
    closed = all(side.low_closed and side.high_closed for side in sides.values())
    return Extreme(None, found, at, closed, (*steps, step))


def numeric_box(exprs: Iterable[sp.Basic], sides: Region) -> dict[sp.Symbol, ranges.Interval] | None:
    """The box in rational numbers; None where an end, or a constant of an expression, is none."""
    ends = [end for side in sides.values() for end in side[:2]]
    rational = [Fraction(int(end.p), int(end.q)) for end in ends if isinstance(end, sp.Rational)]
    if any(f.free_symbols - set(sides) for f in exprs) or len(rational) < len(ends):
        return None
    return dict(zip(sides, zip(rational[::2], rational[1::2], strict=True), strict=True))


def largest_eigenvalue(matrix: sp.Matrix, region: Region) -> Extreme | None:
    """sup λ_max(matrix) over the box, enclosed; None without numbers for all ends and constants, or without a bound."""
    box = numeric_box(matrix, region)
    found = None if box is None else spectra.enclose_largest_eigenvalue(matrix, box)
    return None if found is None else _certain(found, region, "the largest eigenvalue")


def largest_bend(B: sp.Matrix, region: Region) -> Extreme | None:
    """sup ½‖D²F(s)[u, u]‖ over the box and ‖u‖ = 1, enclosed, for F with the symmetric derivative B."""
    box = numeric_box(B, region)
    found = None if box is None else spectra.curvature(B, box)
    if found is None:
        return None
    half = spectra.Enclosure(found.low / 2, found.high / 2, found.at)
    return _certain(half, region, "$\\frac{1}{2}\\|D^2F(s)[u,u]\\|$")


def _certain(found: spectra.Enclosure, region: Region, what: str) -> Extreme:
    at = {x: sp.Rational(value.numerator, value.denominator) for x, value in found.at.items()}
    closed = all(side.low_closed and side.high_closed for side in region.values())
    where = ", ".join(f"{x} = {value}" for x, value in at.items())
    steps = (
        Step(f"the supremum of {what} lies in {ranges.bracket(found.low, found.high)}", "balls, branch and bound"),
        Step(f"the lower end is the value at {where}", "at that point, in ball arithmetic"),
    )
    return Extreme(None, (found.low, found.high), at, closed, steps)


def _bounds(extreme: Extreme) -> tuple[Fraction, Fraction] | None:
    if extreme.bounds is not None:
        return extreme.bounds
    if extreme.value is None or not extreme.value.is_number:
        return None
    ball = balls.enclose(extreme.value, {})
    return ranges.end_of(ball, upper=False), ranges.end_of(ball, upper=True)
