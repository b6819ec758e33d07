"""What the theorems without v_min ask of a model with samples: L_T, ℓ and ‖h(Ŝ_0)‖; and monotonicity on the line.

L_T is the best v_max of A7: φ∘T has the derivative B, and 𝒮 is convex. For ℓ let κ_k² = Σ_j inf φ_j'², over those
components φ_j of φ that depend on θ_k alone, on an interval that T_k(𝒮) lies in. Then ‖Δφ‖² ≥ Σ_k κ_k²(Δθ_k)², and ℓ_i
is at most the mean over client i's samples of the suprema of √(Σ_{ak} (∂_k S̄_a/κ_k)²) on the box of these intervals,
ℓ ≤ Σ μ_i ℓ_i, and A6(i) holds with L_i = 1 + ℓ_i L_T (row own-lip-ell).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import sympy as sp

from fedmm_edu.symbolic.decide import ranges
from fedmm_edu.symbolic.decide.ranges import Interval
from fedmm_edu.symbolic.functions.table import PIECED
from fedmm_edu.theory.hypotheses import Number
from fedmm_edu.theory.on_data import BOXES, LENGTH, RELATIVE, OnData
from fedmm_edu.theory.rounding import above, fraction, root_above, sum_above, up

NEAR, PARTS = Fraction(1, 20), 2000
"""How close an extreme is enclosed, and with how many boxes, where `RELATIVE` and `BOXES` do not do."""
SAMPLES = 400
"""Different samples up to which ℓ is derived, one enclosure for each."""
Around = dict[sp.Symbol, Interval]
Point = Mapping[sp.Symbol, sp.Rational]


def flat_numbers(data: OnData, v_max: Number, s0: Point) -> dict[str, Number]:
    """`L_T`, `ell`, `h0`, and on the line `monotone` and `cocoercive`; `L` and `gap` by way of θ, where they help.

    Each with how it is known, or why it is not.
    """
    if v_max.status == "proved":
        L_T = Number(v_max.value, "proved", f"v_max, as B is the derivative of φ∘T: {v_max.how}", v_max.limit)
    else:
        L_T = Number(None, v_max.status, f"L_T is the best v_max: {v_max.how}")
    found = {"L_T": L_T, "h0": _start(data, s0), **_on_the_line(data)}
    box = _images(data)
    if box is None:
        return found | {"ell": Number(None, "unknown", "ℓ: T(𝒮) is not enclosed; give a bounded 𝒮")}
    ell = _mean_oracles(data, box)
    if isinstance(ell, str):
        found["ell"] = Number(None, "unknown", ell)
    else:
        shown = "; ".join(f"{x} in [{float(a):.4g}, {float(b):.4g}]" for x, (a, b) in box.items())
        total = above(sum((fraction(data.mu(i)) * size for i, size in enumerate(ell)), Fraction(0)))
        found["ell"] = Number(total, "proved", f"ℓ: slopes of S̄ over those of φ, enclosed on {shown}")
        if L_T.value is not None:
            found["L"] = _lipschitz(data, [1 + size * Fraction(L_T.value) for size in ell])
    return found | {"gap": _gap(data, box, s0)}


def _mean_oracles(data: OnData, box: Around) -> list[Fraction] | str:
    """Of each client, ℓ_i with ‖E_i S̄(Z, θ') − E_i S̄(Z, θ)‖ ≤ ℓ_i‖φ(θ') − φ(θ)‖ on the box; or why there is none."""
    phi, S_bar = ([_in_numbers(data, entry) for entry in entries] for entries in (data.model.phi, data.model.S_bar))
    if not any(entry.has(*box) for entry in S_bar):
        return [Fraction(0)] * len(data.clients)
    scales = [_scale(theta, phi, box) for theta in box]
    if missing := [str(theta) for theta, scale in zip(box, scales, strict=True) if scale <= 0]:
        return f"ℓ: no component of φ depends on {missing[0]} alone, with a slope of one sign"
    found: list[Fraction] = []
    known: dict[tuple[sp.Rational, ...], Fraction | None] = {}
    for i in range(len(data.clients)):
        rows = [tuple(sp.Rational(repr(float(v))) for v in row) for row in data.clients[i]]
        for row in set(rows) - known.keys():
            if len(known) == SAMPLES:
                return f"ℓ: more than {SAMPLES} different samples"
            at = dict(zip(data.model.z, row, strict=True))
            parts = [
                (sp.diff(entry.xreplace(at), theta) / scale) ** 2
                for entry in S_bar
                for theta, scale in zip(box, scales, strict=True)
            ]
            known[row] = _supremum(sum(parts, sp.S.Zero), box)
        sizes = [size for row in rows if (size := known[row]) is not None]
        if len(sizes) < len(rows):
            return "ℓ: ball arithmetic does not enclose the slopes of S̄"
        found.append(sum((_root(size) for size in sizes), Fraction(0)) / len(rows))
    return found


def _root(square: Fraction) -> Fraction:
    return Fraction(root_above(Number(above(max(square, Fraction(0))), "proved", "")).value or 0.0)


def _lipschitz(data: OnData, sizes: list[Fraction]) -> Number:
    """L of A6(i), L² = n Σ μ_i² L_i²."""
    total = sum((fraction(data.mu(i)) ** 2 * size**2 for i, size in enumerate(sizes)), Fraction(0))
    return root_above(Number(above(len(sizes) * total), "proved", "L_i ≤ 1 + ℓ_i L_T, as h_i = E_i S̄∘T − s"))


def _gap(data: OnData, box: Around, s0: Point) -> Number:
    """W(T(Ŝ_0)) − the minimum of W over the box that T(𝒮) lies in."""
    numbers, loss = data.clients.z.shape[0], _in_numbers(data, data.model.loss)
    W = _in_numbers(data, data.model.g)
    for row in data.clients.z:
        at = {x: sp.Rational(repr(float(v))) for x, v in zip(data.model.z, row, strict=True)}
        W += loss.xreplace(at) / numbers
    least, theta = _supremum(-W, box), [entry.subs(s0) for entry in data.place.T]
    if least is None:
        return Number(None, "unknown", "Δ: ball arithmetic gives no minimum of W over T(𝒮)")
    here = up(W.subs(dict(zip(data.model.theta, theta, strict=True))))
    return Number(sum_above(here, above(least)), "proved", "Δ: minimum of W over a box around T(𝒮), enclosed")


def _in_numbers(data: OnData, expr: sp.Expr) -> sp.Expr:
    return expr.xreplace({x: sp.Rational(str(data.values[x.name])) for x in data.model.constants})


def _images(data: OnData) -> Around | None:
    """An interval of each θ_k that T_k(𝒮) lies in."""
    found: Around = {}
    for theta, entry in zip(data.model.theta, data.place.T, strict=True):
        ends = [data.enclosed(sign * entry) for sign in (-1, 1)]
        if ends[0] is None or ends[1] is None:
            return None
        found[theta] = (-ends[0][1], ends[1][1])
    return found


def _scale(theta: sp.Symbol, phi: list[sp.Expr], box: Around) -> sp.Rational:
    """A lower bound of κ_k: the components of φ that depend on θ_k alone, with slopes of one sign."""
    total = Fraction(0)
    for entry in phi:
        if entry.free_symbols == {theta}:
            slope = sp.diff(entry, theta)
            least = [-end if (end := _supremum(sign * slope, {theta: box[theta]})) is not None else None
                     for sign in (-1, 1)]  # fmt: skip
            total += max([Fraction(0), *(x for x in least if x is not None)]) ** 2
    root = math.isqrt(int(total * 10**24)) if total > 0 else 0
    return sp.Rational(root, 10**12)


def _supremum(expr: sp.Expr, box: Around) -> Fraction | None:
    if not expr.free_symbols:
        return Fraction(above(Fraction(up(expr))))
    if expr.has(*PIECED, sp.Piecewise) or expr.count_ops() > LENGTH:
        return None
    found = ranges.enclose_supremum(expr, box, relative=RELATIVE, boxes=BOXES)
    if found is None:
        found = ranges.enclose_supremum(expr, box, relative=NEAR, boxes=PARTS)
    return None if found is None else found[1]


def _start(data: OnData, s0: Point) -> Number:
    """‖h(Ŝ_0)‖, exactly."""
    if None in data.fields:
        return Number(None, "unknown", "‖h(Ŝ_0)‖: h_i is not known")
    at = [
        sum((data.mu(i) * field[k].subs(s0) for i, field in enumerate(data.fields) if field), sp.S.Zero)
        for k in range(len(data.s))
    ]
    size = sum((entry**2 for entry in at), sp.S.Zero)
    return root_above(Number(up(size), "proved", "‖h(Ŝ_0)‖, at the start", -up(-size)))


def _on_the_line(data: OnData) -> dict[str, Number]:
    """m = inf(−h') and ℓ = max_i sup(−h_i') for q = 1, where every h_i decreases."""
    no = {name: Number(None, "unknown", f"{name}: derived on the line only, from h_i' ≤ 0") for name in
          ("monotone", "cocoercive")}  # fmt: skip
    if len(data.s) > 1 or None in data.fields:
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
    return _supremum(expr, box) if box or not expr.free_symbols else None
