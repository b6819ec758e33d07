"""The constants of assumption `hyp:DL2` (A7 as LaTeX counts; the paper's labels `eq:A8:*`), derived from a model.

A7 asks, for s, s' in 𝒮, with F = φ∘T and u = s' − s, for positive definite B(s) and constants such that

    ‖F(s') − F(s) − B(s)u‖ ≤ C_⋆ ‖u‖²,   |⟨u, F(s') − F(s)⟩| ≤ C_⋆⋆ ‖u‖²,   v_min ‖u‖² ≤ uᵀB(s)u ≤ v_max ‖u‖².

On a convex 𝒮 with interior points this leaves no freedom (the ledger proves each line):
    B(s) is the derivative of F;  it is symmetric, as F is the gradient of s ↦ −min_θ J_s;
    the best v_min and v_max are the extremes of its eigenvalues over 𝒮;
    the smallest C_⋆⋆ is that v_max;  the smallest C_⋆ is sup ½‖D²F(s)[u, u]‖ over s and ‖u‖ = 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.stored import Proven
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, proved, refuted, undecided
from fedmm_edu.symbolic.constants.certificates import Differential, of_bound, of_derivative, of_place
from fedmm_edu.symbolic.constants.extremes import (
    Extreme,
    infimum,
    largest_bend,
    largest_eigenvalue,
    largest_of,
    least_of,
    magnitude,
    numeric_box,
    over_directions,
    supremum,
)
from fedmm_edu.symbolic.constants.region import OnRegion, Region, Side, on_region
from fedmm_edu.symbolic.constants.singular import singular_point
from fedmm_edu.symbolic.decide import ranges
from fedmm_edu.symbolic.decide.algebra import vanishes
from fedmm_edu.symbolic.decide.domain import Domain
from fedmm_edu.symbolic.decide.inequality import decide_nonnegative, domain_point
from fedmm_edu.symbolic.decide.pieces import find_kink, smooth_piece, switches
from fedmm_edu.symbolic.functions.table import PIECED
from fedmm_edu.symbolic.hypotheses.certificates import without_certificate
from fedmm_edu.symbolic.hypotheses.mm2 import with_T
from fedmm_edu.symbolic.model import Model

NAMES = ("B", "v_min", "v_max", "C_star", "C_starstar")
SHORT = 25  # operations: a longer formula of an eigenvalue is not tried
ROOM = sp.Rational(1, 10_000)
DETERMINANT = 4  # coordinates: the determinant of a larger matrix is not expanded
LINES = {
    "v_min": "the best $v_{min}$ is the infimum over 𝒮 of the smallest eigenvalue of $B(s)$",
    "v_max": "the best $v_{max}$ is the supremum over 𝒮 of the largest eigenvalue of $B(s)$",
    "C_star": "the smallest $C_\\star$ is $\\sup \\frac{1}{2} \\|D^2(\\phi \\circ T)(s)[u,u]\\|$ over s and "
    "$\\|u\\|=1$",
    "C_starstar": "the smallest $C_{\\star\\star}$ is the best $v_{max}$",
}


@dataclass(frozen=True)
class DerivedConstant:
    """One constant: `proved` with its best value, `refuted` (no number works) with a witness, `supported` or `open`.

    Proved is what the kernel accepts: that the value (of an enclosure the safe end) has the constant's property on all
    of 𝒮, B being the derivative of φ∘T. `proofs` are its certificates; a value without them is `supported`.
    `value` is exact (SymPy text) or an enclosure "[a, b]"; an open v_min whose sign is not decided has one, too.
    `tight` says whether a point or pair attains it; `attained` gives these points, one per entry (s for v_min and
    v_max; s, s' for C_⋆ and C_⋆⋆), where there are any.
    """

    name: str
    verdict: Verdict
    value: str = ""
    tight: str = ""
    attained: tuple[str, ...] = ()
    proofs: tuple[Proven, ...] = ()


@dataclass(frozen=True)
class DerivedConstants:
    """All five, with 𝒮 and the relations between constants under which they hold."""

    model: str
    S: str
    given: tuple[str, ...]
    rows: tuple[DerivedConstant, ...]

    def __getitem__(self, name: str) -> DerivedConstant:
        if name not in NAMES:
            raise InvalidInput(f"there is no constant {name!r}: choose one of {', '.join(NAMES)}.")
        return next(row for row in self.rows if row.name == name)


def constants(
    model: Model,
    *,
    S: Sequence[tuple[Any, Any]] | None = None,
    values: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> DerivedConstants:
    """B, v_min, v_max, C_⋆ and C_⋆⋆ of the model on 𝒮, the best ones there are.

    S: (low, high) for each coordinate of s, numbers or expressions in constants (default: the model's own 𝒮).
    values: exact numbers for constants of the model ("1/2" rather than 0.5); those left out stay symbols.
    `InvalidInput`: 𝒮 no box with interior points, or not within the model's 𝒮; unknown or impossible values; T not
    derivable, or φ∘T not a gradient, so that T does not minimise.

    >>> x, t, z = sp.symbols("s theta z", positive=True)
    >>> toy = Model(theta=t, z=z, s=x, loss=z * t + 1 / t, psi=1 / t, phi=-t, S_bar=z, T=1 / sp.sqrt(x))
    >>> [row.value for row in constants(toy, S=[(1, 4)]).rows]
    ['1/(2*s**(3/2))', '1/16', '1/2', '3/8', '1/2']
    """
    model = with_T(model, seed=seed)
    place = on_region(model, S, values or {})
    formulas = sp.Tuple(*place.F)
    terms = switches(formulas, place.domain) if formulas.has(*PIECED) else []
    if terms:
        rows = _not_smooth(place.F, tuple(place.region), place.domain, terms)
    else:
        F = [_tidy(entry) for entry in smooth_piece(formulas, place.domain)]
        rows = _smooth(F, place, seed)
    where = ", ".join(f"{x} in {side}" for x, side in place.region.items())
    return DerivedConstants(model.name, where, tuple(map(_read, place.given)), rows)


def _tidy(expr: sp.Expr) -> sp.Expr:
    """The same expression in factors, λ − s rather than s − λ in their powers."""
    return sp.powsimp(sp.factor(sp.powsimp(expr))).replace(
        lambda e: e.is_Pow and e.exp.is_Integer and e.base.is_Add and e.base.could_extract_minus_sign(),
        lambda e: (-1) ** e.exp * (-e.base) ** e.exp,
    )


def _read(relation: sp.Basic) -> str:
    return str(relation.reversed) if isinstance(relation, sp.Lt | sp.Le) and relation.lhs.is_number else str(relation)


# ------------------------------------------------------------------------------------------- where there is no B(s)


def _not_smooth(
    F: Sequence[sp.Expr], s: Sequence[sp.Symbol], domain: Domain, terms: list
) -> tuple[DerivedConstant, ...]:
    kink = next((found for term in terms if (found := find_kink(F, s, domain, term))), None)
    if kink is None:
        why = Step(f"${sp.latex(terms[0])}$ changes its sign within 𝒮", "two formulas of T meet there: shrink 𝒮")
        return tuple(DerivedConstant(name, undecided("pieces", why)) for name in NAMES)
    says = f"no matrix B(s): along {kink.along} the slope of component {kink.entry + 1} of phi(T(s)) jumps here."
    point = {name: str(value) for name, value in kink.point.items()}
    witness = Witness(point, says, {"slope before": str(kink.left), "slope after": str(kink.right)})
    steps = (
        Step("$B(s)$ is the derivative of $\\phi \\circ T$ at interior points", "A7's remainder is of second order"),
        Step("both one-sided slopes are exact", "differentiation of the formula that holds on each side"),
    )
    why = Step("A7 fails already, as there is no $B(s)$", "shrink 𝒮 to a set on which T has one formula")
    return (
        *(DerivedConstant(name, refuted("one-sided derivatives", witness, *steps)) for name in NAMES[:4]),
        DerivedConstant("C_starstar", undecided("pieces", why)),
    )


# ------------------------------------------------------------------------------------------------- where there is one


def _smooth(F: Sequence[sp.Expr], place: OnRegion, seed: int) -> tuple[DerivedConstant, ...]:
    region, domain, s = place.region, place.domain, tuple(place.region)
    B = sp.Matrix([[_tidy(sp.diff(entry, x)) for x in s] for entry in F])
    _require_gradient(B, domain)
    step = Step("$B(s)$ is the derivative of $\\phi \\circ T$", "differentiation; A7 leaves no other choice")
    field = Differential(tuple(F), B, place)
    first = DerivedConstant("B", proved("differentiation", step), str(B[0, 0] if len(s) == 1 else B.tolist()))
    first = _by_kernel(first, of_derivative(field))
    singular = None
    if not B.is_diagonal():
        singular = singular_point(B, smooth_piece(sp.Tuple(*place.T), domain), place)
    best = _worst([_of_block(block, domain, seed, "v_min" if singular else "") for block in field.blocks], domain)
    rows = [first]
    for name in NAMES[1:]:
        extreme = best["v_max" if name == "C_starstar" else name]
        if name == "v_min" and singular is not None:
            rows.append(DerivedConstant(name, refuted("determinant", singular, Step(LINES[name], "see the ledger"))))
        else:
            row = _constant(name, extreme, B, region, domain)
            rows.append(row if extreme is None or row.verdict.status != "proved" else _certified(row, extreme, field))
    return tuple(rows)


def _certified(row: DerivedConstant, best: Extreme, field: Differential) -> DerivedConstant:
    """The constant as it is shown, after the kernel; where it is said to be reached has a certificate, too, or not."""
    enclosed = [] if best.bounds is None else row.value.strip("[]").split(",")
    ends = [sp.Rational(end) for end in enclosed] or [best.value or sp.S.Zero]
    safe, other = (ends[0], ends[-1]) if row.name == "v_min" else (ends[-1], ends[0])
    found = of_bound(row.name, safe, field, best.at)
    if found is None and (wider := _with_room(row.name, best, field)) is not None and wider.bounds is not None:
        again = _certified(replace(row, value=ranges.bracket(*wider.bounds)), wider, field)
        return again if again.proofs else _by_kernel(row, None)
    reached = of_place(row.name, other, field, best.at, "==" if best.bounds is None else ">=")
    if reached is None:
        row = replace(row, tight=f"{row.tight} (without a certificate)")
    return _by_kernel(row, None if found is None else (*found, *(reached or ())))


def _with_room(name: str, best: Extreme, field: Differential) -> Extreme | None:
    """The constant as an enclosure for which there is a certificate perhaps.

    Around an irrational number, by 1/10,000 of it; of C_⋆, up to what the norms of T_i(jk) as matrices give.
    """
    if best.value is not None and best.value.is_number and not isinstance(best.value, sp.Rational):
        low, high = (Fraction(str(sp.Rational(best.value.evalf(12)) * (1 + sign * ROOM))) for sign in (-1, 1))
        return replace(best, value=None, bounds=(min(low, high), max(low, high)))
    if name != "C_star":
        return None
    found = [largest_bend(block.B, block.place.region) for block in field.blocks]
    tops = [extreme.bounds[1] for extreme in found if extreme is not None and extreme.bounds is not None]
    if best.bounds is None or len(tops) < len(found) or max(tops) <= best.bounds[1]:
        return None
    return replace(best, bounds=(best.bounds[0], max(tops)))


def _by_kernel(row: DerivedConstant, found: tuple[Proven, ...] | None) -> DerivedConstant:
    """*Proved* where the kernel accepted what the constant claims, else *supported*, which says so."""
    if found is not None:
        return replace(row, proofs=found)
    return replace(row, verdict=without_certificate(row.verdict))


def _require_gradient(B: sp.Matrix, domain: Domain) -> None:
    for i, j in combinations(range(B.rows), 2):
        gap = B[i, j] - B[j, i]
        if not vanishes(gap, domain) and domain_point([*domain.relations, sp.Ne(gap, 0)], domain.variables):
            raise InvalidInput(
                f"the derivative of phi(T(s)) is not symmetric (entries {i + 1},{j + 1}), so T(s) does not minimise "
                "J_s: correct T or phi; `fedmm check` shows more."
            )


def _of_block(block: Differential, domain: Domain, seed: int, skip: str) -> dict[str, Extreme | None]:
    if block.B.is_diagonal():
        return _componentwise(block.B, block.place.region, domain, seed)
    return _general(block.F, block.B, block.place.region, domain, seed, skip)


def _worst(found: Sequence[dict[str, Extreme | None]], domain: Domain) -> dict[str, Extreme | None]:
    """What holds of all blocks; with one of them it stands as it is."""
    if len(found) == 1:
        return found[0]
    least = least_of([best["v_min"] for best in found], domain)
    return {"v_min": least} | {name: largest_of([best[name] for best in found], domain) for name in ("v_max", "C_star")}


def _componentwise(B: sp.Matrix, region: Region, domain: Domain, seed: int) -> dict[str, Extreme | None]:
    """F_j depends on s_j only: each coordinate by itself, and the worst of them."""
    slopes = list(B.diagonal())
    bends = [_tidy(sp.diff(slope, x) / 2) for slope, x in zip(slopes, region, strict=True)]
    return {
        "v_min": least_of([infimum(slope, region, domain, seed) for slope in slopes], domain),
        "v_max": largest_of([supremum(slope, region, domain, seed) for slope in slopes], domain),
        "C_star": largest_of([magnitude(bend, region, domain, seed) for bend in bends], domain),
    }


def _general(
    F: Sequence[sp.Expr], B: sp.Matrix, region: Region, domain: Domain, seed: int, skip: str
) -> dict[str, Extreme | None]:
    """Quotients over s and over directions u; the exact eigenvalues where they are at hand."""
    s, best = tuple(region), {}

    def curvature(u: Sequence[sp.Expr]) -> sp.Expr:
        terms = [
            sum(
                (sp.diff(f, x, y) * a * b for x, a in zip(s, u, strict=True) for y, b in zip(s, u, strict=True)),
                sp.S.Zero,
            )
            for f in F
        ]
        return sum((term**2 for term in terms), sp.S.Zero) / 4 / sum((a**2 for a in u), sp.S.Zero) ** 2

    affine = not B.free_symbols & set(s)
    if B.rows == 2:
        half, spread = B.trace() / 2, sp.sqrt(sp.factor((B[0, 0] - B[1, 1]) ** 2 + 4 * B[0, 1] ** 2)) / 2
        spread = half if vanishes(B.det(), domain) else spread
        if spread.count_ops() < SHORT:
            best["v_max"] = supremum(_tidy(half + spread), region, domain, seed)
            best["v_min"] = infimum(_tidy(half - spread), region, domain, seed) if skip != "v_min" else None
    for name, sign in (("v_max", 1), ("v_min", -1)):
        if best.get(name) is None and name != skip:
            found = largest_eigenvalue(sign * B, region)
            best[name] = found if sign == 1 or found is None else _raised(-found, B, region)
    squared = Extreme(sp.S.Zero) if affine else over_directions(curvature, region) if B.rows == 2 else None
    best["C_star"] = largest_bend(B, region) if squared is None else squared.root()
    return {"v_min": None, **best}


def _raised(least_found: Extreme, B: sp.Matrix, region: Region) -> Extreme:
    """The enclosure of inf λ_min with a larger lower end where the determinant gives one.

    Where det B > 0 on 𝒮 and B is positive definite at one point, it is so on all of 𝒮 (no eigenvalue passes 0), the
    other q − 1 eigenvalues have at most the product (tr B/(q−1))^{q−1}, and λ_min ≥ det B·((q−1)/tr B)^{q−1}.
    """
    q, bounds, box = B.rows, least_found.bounds, numeric_box(B, region)
    if bounds is None or box is None or bounds[0] > 0 or q > DETERMINANT:
        return least_found
    there = largest_eigenvalue(-B, {x: Side(end, end) for x, end in least_found.at.items()})
    ratio = _tidy(B.det(method="berkowitz")) * (q - 1) ** (q - 1) / _tidy(B.trace()) ** (q - 1)
    found = ranges.enclose_supremum(-ratio, box, relative=Fraction(1, 100))
    if there is None or there.bounds is None or there.bounds[1] >= 0 or found is None or found[1] >= 0:
        return least_found
    claim = f"$\\lambda_{{min}}(B) \\geq \\det B ((q-1)/tr B)^{{q-1}} \\geq$ {ranges.bracket(-found[1], -found[0])}"
    why = "a geometric mean is at most the mean; B is positive definite at one point, and det B > 0 on 𝒮"
    return replace(least_found, bounds=(-found[1], bounds[1]), steps=(*least_found.steps, Step(claim, why)))


# ------------------------------------------------------------------------------------------------------- how it reads


def _constant(name: str, best: Extreme | None, B: sp.Matrix, region: Region, domain: Domain) -> DerivedConstant:
    ground = Step(LINES[name], "for convex 𝒮 with interior points; own-A7-best in the ledger")
    if best is None:
        why = "neither monotonicity nor interval arithmetic gives it: give numbers for all constants and a bounded 𝒮"
        return DerivedConstant(name, undecided("monotonicity, ball arithmetic", ground, Step("not found", why)))
    if best.value == sp.oo or (name == "v_min" and best.value == 0):
        word = "is unbounded" if best.value == sp.oo else "is 0" if best.attained else "tends to 0"
        ends = " as " + ", ".join(f"{x} -> {end}" for x, end in best.at.items()) if best.at else ""
        point = {key: str(value) for key, value in (best.near or domain_point(domain) or {}).items()}
        witness = Witness(point, f"no such number: it {word}{ends}.")
        return DerivedConstant(name, refuted("limit", witness, ground, *best.steps))
    if name == "v_min" and _positive(-best, domain):
        point = {key: str(value) for key, value in (domain_point(domain) or {}).items()}
        witness = Witness(point, "B(s) has a negative eigenvalue somewhere, so T(s) does not minimise J_s: check T.")
        return DerivedConstant(name, refuted("sign", witness, ground, *best.steps))
    if name == "v_min" and not _positive(best, domain):
        known = ranges.bracket(*best.bounds) if best.bounds is not None else ""
        return DerivedConstant(
            name, undecided("sign", ground, *best.steps, Step("is it positive?", "not decided")), known
        )
    value = ranges.bracket(*best.bounds) if best.bounds is not None else str(_tidy(best.value or sp.S.Zero))
    method = "ball arithmetic" if best.bounds is not None else "calculus"
    tight, attained = _tightness(name, best, B, region)
    return DerivedConstant(name, proved(method, ground, *best.steps), value, tight, attained)


def _positive(best: Extreme, domain: Domain) -> bool:
    if best.bounds is not None:
        return best.bounds[0] > 0
    return best.value is not None and decide_nonnegative(best.value, domain, strict=True).status == "proved"


def _tightness(name: str, best: Extreme, B: sp.Matrix, region: Region) -> tuple[str, tuple[str, ...]]:
    """In words whether a point or a pair attains the constant, and that point or pair.

    For q = 1 the quotient of a pair is a mean of slopes (of bends) over the segment between them, and φ∘T is analytic
    inside 𝒮: unless it is affine (quadratic) no segment has the largest slope (bend) throughout.
    """
    s = tuple(region)
    place = "(" + ", ".join(f"{x} = {best.at[x]}" for x in s if x in best.at) + ")"
    if name in ("v_min", "v_max"):
        if best.bounds is not None:
            where = f"; the {'upper' if name == 'v_min' else 'lower'} end is reached at {place}" if best.at else ""
            return ("enclosed; attained, as 𝒮 is compact" if best.attained else "enclosed") + where, ()
        if not best.at:
            return "attained at every s", ()
        return (f"attained at {place}", (place,)) if best.attained else (f"not attained: approached as s → {place}", ())
    steady = not (B if name == "C_starstar" else B.diff(s[0])).free_symbols & set(s) if len(s) == 1 else False
    if not B.free_symbols & set(s) and name == "C_star":
        return "φ∘T is affine: the remainder is 0 for every pair, and any C_⋆ > 0 serves", _pair(region, 0)
    if steady or (not B.free_symbols & set(s) and B.is_diagonal()):
        along = next((j for j in range(len(s)) if B[j, j] == best.value), 0)
        return ("attained by every pair" if len(s) == 1 else f"attained by pairs along {s[along]}"), _pair(
            region, along
        )
    if best.bounds is not None or len(s) > 1:
        where = f", the lower end at {place}" if best.bounds is not None and best.at else ""
        return f"a supremum, approached by pairs s' → s{where}", ()
    return f"a supremum, not attained: approached by pairs s, s' → {place}", ()


def _pair(region: Region, along: int) -> tuple[str, str]:
    """Two points of 𝒮 that differ in one coordinate."""
    first, second = [], []
    for j, side in enumerate(region.values()):
        low, high = side.low, side.high
        if side.low_closed and side.high_closed:
            first, second = [*first, low], [*second, high if j == along else low]
            continue
        if low == -sp.oo and high == sp.oo:
            a, b = sp.S.Zero, sp.S.One
        elif high == sp.oo:
            a, b = low + 1, low + 2
        else:
            a, b = (high - 2, high - 1) if low == -sp.oo else ((2 * low + high) / 3, (low + 2 * high) / 3)
        first, second = [*first, a], [*second, b if j == along else a]
    return str(tuple(first)), str(tuple(second))
