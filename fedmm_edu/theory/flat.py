"""What the theorems without v_min ask of a model with samples: L_T, ℓ, λ and ‖h(Ŝ_0)‖; and monotonicity on the line.

Two ways lead to L_T and ℓ, and that with the smaller L_Tℓ² is taken. By derivatives (row own-lip-ell): L_T is the best
v_max of A7, as φ∘T has the derivative B and 𝒮 is convex; with κ_k² = Σ_j inf φ_j'² over those components φ_j of φ that
depend on θ_k alone, on an interval that T_k(𝒮) lies in, ‖Δφ‖² ≥ Σ_k κ_k²(Δθ_k)², and ℓ_i is a Lipschitz constant of the
mean oracle in κ_kθ_k. By growth of J_s about T(s) (row own-lip-growth): see `growth`. ℓ = Σ μ_i ℓ_i. λ is that of
own-seminorm: by L_T and ℓ where φ∘T is affine, else by growth and the largest second derivative of J_s at T(s).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import sympy as sp

from fedmm_edu.federation import Oracle
from fedmm_edu.symbolic.decide import ranges
from fedmm_edu.symbolic.decide.domain import Domain
from fedmm_edu.symbolic.decide.inequality import decide_nonnegative
from fedmm_edu.symbolic.decide.ranges import Interval
from fedmm_edu.theory.growth import Growth, Reach, growth, mean_slopes, reach
from fedmm_edu.theory.hypotheses import Number
from fedmm_edu.theory.on_data import BOXES, LENGTH, RELATIVE, OnData
from fedmm_edu.theory.rounding import above, fraction, root_above, sum_above, up

Around = dict[sp.Symbol, Interval]
Point = Mapping[sp.Symbol, sp.Rational]
LEAST = Fraction(1, 10**6)
"""ℓL_T where the mean oracle does not move with θ, so that every ℓ > 0 serves."""


def flat_numbers(data: OnData, v_max: Number, C_star: Number, s0: Point, oracle: Oracle) -> dict[str, Number]:
    """`L_T`, `ell`, `lam`, `h0`, on the line `monotone` and `cocoercive`; `L`, `sigma` and `gap` by way of θ.

    Each with how it is known, or why it is not.
    """
    at = reach(data, images(data))
    grown, slopes = growth(data, at), _by_slopes(data, at)
    found = {"h0": _start(data, s0), **_on_the_line(data), "gap": _gap(data, at, s0), "sigma": _sigma(data, at, oracle)}
    weights = [fraction(data.mu(i)) for i in range(len(data.clients))]
    ways: list[Way] = []
    if v_max.status == "proved" and v_max.value is not None and not isinstance(slopes, str):
        L_T = Fraction(v_max.value)
        how = f"v_max, as B is the derivative of φ∘T: {v_max.how}"
        ways.append(
            Way(L_T, _mean(weights, slopes), [1 + ell * L_T for ell in slopes], how, "slopes of S̄ over those of φ")
        )
    if isinstance(grown, Growth):
        ell, fields = _mean(weights, grown.oracles) / grown.slope, [grown.L_of(i) for i in range(len(weights))]
        ways.append(Way(grown.L_T, ell, fields, "growth of J_s and slopes of φ", "the same and slopes of S̄"))
    if not ways:
        smooth = slopes if v_max.status == "proved" and isinstance(slopes, str) else v_max.how
        why = f"by derivatives of φ∘T: {smooth}; by growth of J_s: {grown}"
        signs = (("L_T", "L_T"), ("ell", "ℓ"), ("lam", "λ"))
        return found | {name: Number(None, "unknown", f"{sign}: {why}") for name, sign in signs}
    way = min(ways, key=lambda way: way.L_T * way.ell**2)
    sides = {} if at.box is None else at.box
    shown = "".join(f"; {x} in [{float(low):.4g}, {float(high):.4g}]" for x, (low, high) in sides.items())
    ell = Number(above(max(way.ell, LEAST / way.L_T)), "proved", f"ℓ: {way.of_ell}{shown}")
    best = min(ways, key=lambda way: sum(way.fields)).fields
    return found | {
        "L_T": Number(above(way.L_T), "proved", f"L_T: {way.of_L_T}"),
        "ell": ell,
        "lam": _in_seminorm(data, way, grown, weights, C_star),
        "L": _lipschitz(data, best),
    }


class Way(NamedTuple):
    """L_T, ℓ and each client's L_i, and how L_T and ℓ are known."""

    L_T: Fraction
    ell: Fraction
    fields: list[Fraction]
    of_L_T: str
    of_ell: str


def _in_seminorm(data: OnData, way: Way, grown: Growth | str, weights: Sequence[Fraction], C_star: Number) -> Number:
    """λ with ‖ΔE S̄‖ ≤ λ‖Δs‖_{B(s)}: where B is constant ‖Δs‖²_B = ⟨Δs, Δφ⟩ ≥ ‖ΔE S̄‖²/(L_Tℓ²)."""
    if C_star.status == "proved" and C_star.value == 0.0:
        square = Number(above(way.L_T * way.ell**2), "proved", "λ² = L_Tℓ², as φ∘T is affine")
        return root_above(square)
    if data.kinks:
        return Number(None, "unknown", "λ: h has kinks")
    if not isinstance(grown, Growth) or grown.most is None:
        why = grown if isinstance(grown, str) else "no upper bound of the second derivatives of J_s was found"
        return Number(None, "unknown", f"λ: {why}")
    how = "λ: growth of J_s, its second derivatives and slopes of S̄ (own-seminorm-growth)"
    return root_above(Number(above(_mean(weights, grown.oracles) ** 2 * grown.most / grown.kappa**2), "proved", how))


def _mean(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((w * value for w, value in zip(weights, values, strict=True)), Fraction(0))


def _by_slopes(data: OnData, at: Reach) -> list[Fraction] | str:
    """ℓ_i of each client in φ(θ), by the slopes κ_k of φ from below; or why there is none."""
    if at.box is None:
        return "T(𝒮) is not enclosed; give a bounded 𝒮"
    phi = [data.in_numbers(entry) for entry in data.model.phi]
    scales = [_scale(theta, phi, at) for theta in at.theta]
    if missing := [str(theta) for theta, scale in zip(at.theta, scales, strict=True) if scale <= 0]:
        return f"no component of φ depends on {missing[0]} alone, with a slope of one sign"
    return mean_slopes(data, at, scales)


def _lipschitz(data: OnData, sizes: list[Fraction]) -> Number:
    """L of A6(i) from L_i: L² = n Σ μ_i² L_i²."""
    total = sum((fraction(data.mu(i)) ** 2 * size**2 for i, size in enumerate(sizes)), Fraction(0))
    return root_above(Number(above(len(sizes) * total), "proved", "L_i ≤ 1 + ℓ_i L_T, as h_i = E_i S̄∘T − s"))


def _gap(data: OnData, at: Reach, s0: Point) -> Number:
    """W(T(Ŝ_0)) − the minimum of W over the box that T(𝒮) lies in; or − 0, where W ≥ 0 is seen."""
    numbers, g = data.clients.z.shape[0], data.in_numbers(data.model.g)
    loss, W = data.in_numbers(data.model.loss), g
    for row in data.clients.z:
        W += loss.xreplace(data.sample(row)) / numbers
    theta = dict(zip(data.model.theta, (entry.subs(s0) for entry in data.place.T), strict=True))
    here = up(W.subs(theta))
    if (least := at.above(-W)) is not None:
        return Number(sum_above(here, above(least)), "proved", "Δ: minimum of W over a box around T(𝒮), enclosed")
    space = Domain.of([*at.domain.relations, *(data.in_numbers(r) for r in data.model.Z)], [*at.theta, *data.model.z])
    if all(part.is_nonnegative or decide_nonnegative(part, space).status == "proved" for part in (loss, g)):
        return Number(above(Fraction(here)), "proved", "Δ ≤ W(T(Ŝ_0)), as the loss and g are ≥ 0")
    return Number(None, "unknown", "Δ: no minimum of W over T(𝒮) was found")


def _sigma(data: OnData, at: Reach, oracle: Oracle) -> Number:
    """σ from the variances of the oracle as functions of θ on the box, enclosed; σ² = n Σ μ_i² σ_i²."""
    total = Fraction(0)
    for i in range(len(data.clients)):
        share = oracle.variance_factor(len(data.clients[i]))
        if share == 0:
            continue
        each = [[entry.xreplace(data.sample(row)) for entry in data.S_bar] for row in data.clients[i]]
        means = [sum(column, sp.S.Zero) / len(each) for column in zip(*each, strict=True)]
        spread = sp.Add(*((a - m) ** 2 for row in each for a, m in zip(row, means, strict=True)))
        largest = at.above(spread / len(each))
        if largest is None:
            return Number(None, "unknown", "σ: the variance of S̄ has no bound that was found on T(𝒮)")
        total += len(data.clients) * fraction(data.mu(i)) ** 2 * fraction(sp.Rational(share)) * largest
    return root_above(Number(above(total), "proved", "σ_i²: variances of S̄ on a box around T(𝒮), enclosed"))


def images(data: OnData) -> Around | None:
    """An interval of each θ_k that T_k(𝒮) lies in; None where one is not found."""
    found: Around = {}
    for theta, entry in zip(data.model.theta, data.place.T, strict=True):
        ends = [data.enclosed(sign * entry) for sign in (-1, 1)]
        if ends[0] is None or ends[1] is None:
            return None
        found[theta] = (-ends[0][1], ends[1][1])
    return found


def _scale(theta: sp.Symbol, phi: list[sp.Expr], at: Reach) -> sp.Rational:
    """A lower bound of κ_k: the components of φ that depend on θ_k alone, with slopes of one sign."""
    total = Fraction(0)
    for entry in phi:
        if entry.free_symbols == {theta}:
            slope = sp.diff(entry, theta)
            ends = (at.above(sign * slope) for sign in (-1, 1))
            total += max([Fraction(0), *(-end for end in ends if end is not None)]) ** 2
    root = math.isqrt(int(total * 10**24)) if total > 0 else 0
    return sp.Rational(root, 10**12)


def _start(data: OnData, s0: Point) -> Number:
    """‖h(Ŝ_0)‖, exactly."""
    if data.mean_field is None:
        return Number(None, "unknown", "‖h(Ŝ_0)‖: h_i is not known")
    size = sum((entry.subs(s0) ** 2 for entry in data.mean_field), sp.S.Zero)
    return root_above(Number(up(size), "proved", "‖h(Ŝ_0)‖, at the start", -up(-size)))


def _on_the_line(data: OnData) -> dict[str, Number]:
    """m = inf(−h') and ℓ = max_i sup(−h_i') for q = 1, where every h_i decreases."""
    no = {name: Number(None, "unknown", f"{name}: derived on the line only, from h_i' ≤ 0") for name in
          ("monotone", "cocoercive")}  # fmt: skip
    if len(data.s) > 1 or data.kinks or None in data.fields:
        return no
    x = next(iter(data.s))
    slopes = [data.short(sp.diff(field[0], x)) for field in data.fields if field]
    pooled = sum((data.mu(i) * slope for i, slope in enumerate(slopes)), sp.S.Zero)
    box = {} if data.box is None else data.box
    ends = [_over(data.short(pooled), box), *(_over(slope, box) for slope in slopes)]
    steep = [_over(-slope, box) for slope in slopes]
    known = [end for end in ends if end is not None]
    if len(known) < len(ends) or None in steep or max(known[1:]) > 0 or known[0] >= 0:
        return no
    most = max(end for end in steep if end is not None)
    return {
        "monotone": Number(-above(known[0]), "proved", "m: the least −h' on 𝒮"),
        "cocoercive": Number(above(most), "proved", "ℓ: the largest −h_i' on 𝒮, all of one sign"),
    }


def _over(expr: sp.Expr, box: Around) -> Fraction | None:
    if not expr.free_symbols:
        return Fraction(up(expr))
    if not box or expr.count_ops() > LENGTH:
        return None
    found = ranges.enclose_supremum(expr, box, relative=RELATIVE, boxes=BOXES)
    return None if found is None else found[1]
