"""How fast J_s = g + ψ − ⟨s, φ⟩ grows about T(s), and slopes of φ and of the oracles, on a set that T(𝒮) lies in.

Row own-lip-growth: with J_s(θ) ≥ J_s(T(s)) + (κ/2)‖θ − T(s)‖², φ ℓ_φ-Lipschitz and the mean oracle ℓ_S-Lipschitz in θ,
own-lip holds with L_T = ℓ_φ²/κ and L_Tℓ² = ℓ_S²/κ, and A6(i) with L_i = 1 + ℓ_{S,i} ℓ_φ/κ. T may have kinks, and where
φ and S̄ are affine 𝒮 may be unbounded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from fedmm_edu.symbolic.constants.extremes import infimum
from fedmm_edu.symbolic.decide import ranges
from fedmm_edu.symbolic.decide.convexity import decide_convex, decide_convex_set
from fedmm_edu.symbolic.decide.domain import Domain
from fedmm_edu.symbolic.decide.inequality import decide_nonnegative
from fedmm_edu.symbolic.decide.pieces import by_signs
from fedmm_edu.symbolic.decide.ranges import Interval
from fedmm_edu.symbolic.decide.smt import StoppedByClock
from fedmm_edu.symbolic.functions.table import NUMPY, PIECED
from fedmm_edu.theory.on_data import BOXES, LENGTH, RELATIVE, OnData
from fedmm_edu.theory.rounding import above, fraction, up

NEAR, PARTS = Fraction(1, 20), 2000
"""How close an extreme is enclosed, and with how many boxes, where `RELATIVE` and `BOXES` do not do."""
SAMPLES = 400
"""Different samples up to which slopes of S̄ are enclosed, one enclosure for each."""
SHORT = 60
"""Operations of the longest formula for which a bound on an unbounded Θ is proved."""
TRIED = np.sinh(np.linspace(-6.0, 6.0, 241))
Around = Mapping[sp.Symbol, Interval]


@dataclass(frozen=True)
class Growth:
    """κ from below; ℓ_φ, each client's ℓ_{S,i} and Λ ≥ ∇²J_s(T(s)) from above; Λ is None where none was found."""

    kappa: Fraction
    slope: Fraction
    oracles: tuple[Fraction, ...]
    most: Fraction | None = None

    @property
    def L_T(self) -> Fraction:
        """ℓ_φ²/κ."""
        return self.slope**2 / self.kappa

    def L_of(self, i: int) -> Fraction:
        """1 + ℓ_{S,i} ℓ_φ/κ."""
        return 1 + self.oracles[i] * self.slope / self.kappa


@dataclass(frozen=True)
class Reach:
    """What T(𝒮) is known to lie in: Θ, as a domain, and a box, or None where 𝒮 is not bounded."""

    theta: tuple[sp.Symbol, ...]
    domain: Domain
    box: Around | None

    def above(self, expr: sp.Expr, more: Around | None = None) -> Fraction | None:
        """An upper bound of an expression in θ (and the symbols of `more`); None where none is found."""
        if not expr.free_symbols:
            return Fraction(up(expr)) if expr.is_finite else None
        if expr.has(sp.Piecewise) or expr.count_ops() > LENGTH:
            return None
        if self.box is None:
            return self._on_the_line(expr)
        around = {x: side for x, side in {**self.box, **(more or {})}.items() if x in expr.free_symbols}
        if len(around) < len(expr.free_symbols):
            return None
        found = ranges.enclose_supremum(expr, around, relative=RELATIVE, boxes=BOXES)
        if found is None:
            found = ranges.enclose_supremum(expr, around, relative=NEAR, boxes=PARTS)
        return None if found is None else found[1]

    def _on_the_line(self, expr: sp.Expr) -> Fraction | None:
        """Of one unbounded θ: a hundredth above the largest value on a grid of Θ, where that is proved."""
        if len(self.theta) > 1 or expr.free_symbols != set(self.theta) or expr.count_ops() > SHORT:
            return None
        theta = next(iter(self.theta))
        points = [x for x in TRIED if all(r.statement.subs(theta, sp.Rational(str(x))) == sp.true
                                         for r in self.domain.relations)]  # fmt: skip
        with np.errstate(all="ignore"):
            values = np.asarray(sp.lambdify(self.theta, expr, NUMPY)(np.array(points)), dtype=float)
        finite = values[np.isfinite(values)]
        if not finite.size:
            return None
        bound = Fraction(float(finite.max()) + 0.01 * (1e-3 + abs(float(finite.max())))).limit_denominator(10**4)
        gap = sp.Rational(bound.numerator, bound.denominator) - expr
        return bound if decide_nonnegative(gap, self.domain).status == "proved" else None


def reach(data: OnData, box: Around | None) -> Reach:
    """The box, and Θ with the values of the model's constants."""
    theta = data.model.theta
    return Reach(theta, Domain.of([data.in_numbers(statement) for statement in data.model.Theta], theta), box)


def growth(data: OnData, at: Reach) -> Growth | str:
    """κ, ℓ_φ and ℓ_{S,i} on what T(𝒮) lies in; or which of them there is none of, and why."""
    try:
        return _growth(data, at)
    except StoppedByClock as error:
        return f"they are not known: {str(error).removesuffix('.')}"


def _growth(data: OnData, at: Reach) -> Growth | str:
    bends = _bends(data, at)
    if isinstance(bends, str):
        return bends
    kappa, most = bends
    slope = lipschitz([data.in_numbers(entry) for entry in data.model.phi], at)
    if slope is None:
        return f"the slopes of φ have no bound that was found on {'an unbounded T(𝒮)' if at.box is None else 'T(𝒮)'}"
    oracles = mean_slopes(data, at)
    return oracles if isinstance(oracles, str) else Growth(kappa, slope, tuple(oracles), most)


# ------------------------------------------------------------------------------------------------------------ growth


def _bends(data: OnData, at: Reach) -> tuple[Fraction, Fraction | None] | str:
    """The strong convexity of J_s along segments between points of T(𝒮), all in Θ, and Λ; kinks of g are convex."""
    if not _segments_in_Theta(at):
        return "Θ is not shown to be convex, nor to contain a box around T(𝒮)"
    terms = sp.Add.make_args(sp.expand(data.in_numbers(data.model.surrogate)))
    kinked = sp.Add(*(term for term in terms if _may_kink(term)))
    smooth = data.place.domain.lift(sp.Add(*(term for term in terms if not _may_kink(term))))
    if kinked.free_symbols & set(data.model.s):
        return "the terms of J_s with kinks depend on s"
    if kinked != 0 and decide_convex(kinked, at.theta, at.domain).status != "proved":
        return "the terms of J_s with kinks are not shown to be convex"
    hessian = sp.hessian(smooth, [data.place.domain.lift(x) for x in at.theta])
    low = _least_bend(data, hessian, at)
    if low is None:
        return "no bound of the second derivatives of J_s was found; give a bounded 𝒮"
    if low <= 0:
        return f"J_s is not shown to be strongly convex: its second derivative may be {float(low):.4g}"
    end = None if kinked != 0 else _least_bend(data, -hessian, at)
    return low, None if end is None else -end


def _least_bend(data: OnData, hessian: sp.Matrix, at: Reach) -> Fraction | None:
    """A lower bound of its eigenvalues for s in 𝒮 and θ where T(𝒮) lies: exact, or Gershgorin's."""
    if not hessian.free_symbols:
        return _least_eigenvalue(hessian)
    size = range(hessian.rows)
    rows = [hessian[k, k] - sum(abs(hessian[k, j]) for j in size if j != k) for k in size]
    ends = [_least(data, sp.simplify(row), at) for row in rows]
    known = [end for end in ends if end is not None]
    return min(known) if len(known) == len(ends) else None


def _may_kink(term: sp.Expr) -> bool:
    return term.has(*PIECED) or any(power.exp == sp.Rational(1, 2) for power in term.atoms(sp.Pow))


def _least(data: OnData, expr: sp.Expr, at: Reach) -> Fraction | None:
    """A lower bound over θ in the box and s in 𝒮."""
    if not expr.free_symbols - set(data.s):
        found = infimum(expr, data.place.region, data.place.domain)
        if found is not None and found.value is not None and found.value.is_finite:
            return -Fraction(up(-found.value))
    end = at.above(-expr, data.box)
    return None if end is None else -end


def _segments_in_Theta(at: Reach) -> bool:
    """Whether Θ is convex, or contains the box."""
    if decide_convex_set(at.domain.relations, at.theta, Domain.of([], at.theta)).status == "proved":
        return True
    signs = {">": (-1,), ">=": (-1,), "!=": (-1, 1)}
    ends = [[at.above(sign * r.expr) for sign in signs.get(r.op, ())] for r in at.domain.relations]
    return all(any(end is not None and end < 0 for end in each) for each in ends)


# ------------------------------------------------------------------------------------------------------------ slopes


def mean_slopes(data: OnData, at: Reach, scales: Sequence[sp.Expr] = ()) -> list[Fraction] | str:
    """Of each client a Lipschitz constant of E_i S̄(Z, θ), in scale_k θ_k; or why there is none.

    Of the mean where S̄ is affine in θ, else the mean of the constants of its samples.
    """
    affine = not any(entry.has(*PIECED) or any(sp.hessian(entry, at.theta)) for entry in data.S_bar)
    known: dict[tuple[sp.Rational, ...], Fraction | None] = {}
    found: list[Fraction] = []
    for i in range(len(data.clients)):
        rows, z = data.rows(i), data.model.z
        samples = {row: [entry.xreplace(dict(zip(z, row, strict=True))) for entry in data.S_bar] for row in rows}
        if affine:
            each = [samples[row] for row in rows]
            means = [sum(column, sp.S.Zero) / len(rows) for column in zip(*each, strict=True)]
            sizes = [lipschitz(means, at, scales)]
        else:
            for row in samples.keys() - known.keys():
                if len(known) == SAMPLES:
                    return f"the slopes of S̄: more than {SAMPLES} different samples"
                known[row] = lipschitz(samples[row], at, scales)
            sizes = [known[row] for row in rows]
        bounded = [size for size in sizes if size is not None]
        if len(bounded) < len(sizes):
            why = (
                "T(𝒮) is not enclosed; give a bounded 𝒮" if at.box is None else "ball arithmetic does not enclose them"
            )
            return f"the slopes of S̄: {why}"
        found.append(sum(bounded, Fraction(0)) / len(bounded))
    return found


def lipschitz(entries: Sequence[sp.Expr], at: Reach, scales: Sequence[sp.Expr] = ()) -> Fraction | None:
    """A Lipschitz constant of a continuous map, in scale_k θ_k, of all its smooth pieces; None where none is found.

    Kinks are those of |·|, max, min, and of two formulas that agree where one takes over from the other.
    """
    if not all(_continuous(node) for entry in entries for node in entry.atoms(*PIECED)):
        return None
    units = sp.diag(*(1 / scale for scale in scales)) if scales else sp.eye(len(at.theta))
    pieces = [sp.Matrix(list(piece)) for _, piece in by_signs(sp.Tuple(*entries), at.theta)]
    ends = [_norm(piece.jacobian(list(at.theta)) * units, at) for piece in pieces]
    known = [end for end in ends if end is not None]
    return max(known) if len(known) == len(ends) else None


def _continuous(node: Any) -> bool:
    if not isinstance(node, sp.Piecewise):
        return node.func in (sp.Abs, sp.Max, sp.Min)
    (first, condition), *rest = node.args
    if len(rest) != 1 or not isinstance(condition, sp.Gt | sp.Ge | sp.Lt | sp.Le):
        return False
    switch, gap = condition.lhs - condition.rhs, first - rest[0][0]
    x = min(switch.free_symbols, key=str)
    if not switch.is_polynomial(x) or sp.degree(switch, x) != 1:
        return False
    return sp.simplify(gap.subs(x, sp.solve(switch, x)[0])) == 0


def _norm(slopes: sp.Matrix, at: Reach) -> Fraction | None:
    """An upper bound of the operator norm: exact eigenvalues, columns that do not mix, or Frobenius'."""
    if slopes.has(*PIECED):
        return None
    if not slopes.free_symbols:
        return _root(-least) if (least := _least_eigenvalue(-slopes.T * slopes)) is not None else None
    columns = [[slopes[a, k] for a in range(slopes.rows) if slopes[a, k] != 0] for k in range(slopes.cols)]
    alone = all(sum(entry != 0 for entry in slopes.row(a)) <= 1 for a in range(slopes.rows))
    groups = columns if alone else [[entry for column in columns for entry in column]]
    ends = [_sum_of_squares(group, at) for group in groups]
    known = [end for end in ends if end is not None]
    return _root(max(known)) if len(known) == len(ends) else None


def _sum_of_squares(entries: Sequence[sp.Expr], at: Reach) -> Fraction | None:
    if at.box is not None:
        return at.above(sum((entry**2 for entry in entries), sp.S.Zero))
    ends = [[at.above(sign * entry) for sign in (1, -1)] for entry in entries]
    if None in [end for each in ends for end in each]:
        return None
    return sum((max(end for end in each if end is not None) ** 2 for each in ends), Fraction(0))


def _least_eigenvalue(matrix: sp.Matrix) -> Fraction | None:
    """A lower bound of the eigenvalues of a symmetric matrix of numbers, confirmed exactly where they are rational."""
    if not all(entry.is_Rational for entry in matrix):
        return -Fraction(up(-matrix[0, 0])) if matrix.shape == (1, 1) and matrix[0, 0].is_real else None
    if matrix.is_diagonal():
        return min(fraction(sp.Rational(entry)) for entry in matrix.diagonal())
    near = float(np.linalg.eigvalsh(np.array(matrix.tolist(), dtype=float))[0])
    low = Fraction(near - 1e-9 * (1.0 + abs(near)))
    shifted = matrix - sp.Rational(low.numerator, low.denominator) * sp.eye(matrix.rows)
    return low if shifted.is_positive_semidefinite else None


def _root(square: Fraction) -> Fraction:
    """A fraction whose square is not smaller."""
    if square <= 0:
        return Fraction(0)
    root = Fraction(math.sqrt(above(square)))
    return root if root**2 >= square else Fraction(math.nextafter(float(root), math.inf))
