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

import numpy as np
import sympy as sp

from fedmm_edu.symbolic.constants.extremes import infimum
from fedmm_edu.symbolic.decide import ranges
from fedmm_edu.symbolic.decide.convexity import decide_convex, decide_convex_set
from fedmm_edu.symbolic.decide.domain import Domain, relations_of
from fedmm_edu.symbolic.decide.pieces import by_signs
from fedmm_edu.symbolic.decide.ranges import Interval
from fedmm_edu.symbolic.functions.table import PIECED
from fedmm_edu.theory.on_data import BOXES, LENGTH, RELATIVE, OnData
from fedmm_edu.theory.rounding import above, fraction, up

NEAR, PARTS = Fraction(1, 20), 2000
"""How close an extreme is enclosed, and with how many boxes, where `RELATIVE` and `BOXES` do not do."""
SAMPLES = 400
"""Different samples up to which slopes of S̄ are enclosed, one enclosure for each."""
CONTINUOUS = (sp.Abs, sp.Max, sp.Min)
Around = Mapping[sp.Symbol, Interval]


@dataclass(frozen=True)
class Growth:
    """κ from below; ℓ_φ and each client's ℓ_{S,i} from above."""

    kappa: Fraction
    slope: Fraction
    oracles: tuple[Fraction, ...]

    @property
    def L_T(self) -> Fraction:
        """ℓ_φ²/κ."""
        return self.slope**2 / self.kappa

    def L_of(self, i: int) -> Fraction:
        """1 + ℓ_{S,i} ℓ_φ/κ."""
        return 1 + self.oracles[i] * self.slope / self.kappa


def growth(data: OnData, box: Around | None) -> Growth | str:
    """κ, ℓ_φ and ℓ_{S,i} on the box that T(𝒮) lies in (None: unbounded); or which of them there is none of, and why."""
    kappa = _kappa(data, box)
    if isinstance(kappa, str):
        return kappa
    on = "T(𝒮), which is not enclosed" if box is None else "T(𝒮)"
    phi = [in_numbers(data, entry) for entry in data.model.phi]
    slope = lipschitz(phi, data.model.theta, box)
    if slope is None:
        return f"the slopes of φ have no bound that was found on {on}"
    oracles = mean_slopes(data, box)
    return oracles if isinstance(oracles, str) else Growth(kappa, slope, tuple(oracles))


def in_numbers(data: OnData, expr: sp.Expr) -> sp.Expr:
    """The expression with the values of the model's constants."""
    return expr.xreplace({x: sp.Rational(str(data.values[x.name])) for x in data.model.constants})


def extreme_above(expr: sp.Expr, box: Around | None) -> Fraction | None:
    """An upper bound on the box of an expression in its symbols; None where none is found."""
    if not expr.free_symbols:
        return Fraction(up(expr)) if expr.is_finite else None
    if box is None or expr.has(sp.Piecewise) or expr.count_ops() > LENGTH:
        return None
    own = {x: box[x] for x in box if x in expr.free_symbols}
    found = ranges.enclose_supremum(expr, own, relative=RELATIVE, boxes=BOXES)
    if found is None:
        found = ranges.enclose_supremum(expr, own, relative=NEAR, boxes=PARTS)
    return None if found is None else found[1]


# ------------------------------------------------------------------------------------------------------------ growth


def _kappa(data: OnData, box: Around | None) -> Fraction | str:
    """The strong convexity of J_s along segments between points of T(𝒮), which lie in Θ; kinks of g are convex."""
    model = data.model
    if not _segments_in_Theta(data, box):
        return "Θ is not shown to be convex, nor to contain a box around T(𝒮)"
    terms = sp.Add.make_args(sp.expand(in_numbers(data, model.surrogate)))
    kinked = sp.Add(*(term for term in terms if term.has(*PIECED)))
    smooth = data.place.domain.lift(sp.Add(*(term for term in terms if not term.has(*PIECED))))
    if kinked.free_symbols & set(model.s):
        return "the terms of J_s with kinks depend on s"
    if kinked != 0 and decide_convex(kinked, model.theta, Domain.of([], model.theta)).status != "proved":
        return "the terms of J_s with kinks are not shown to be convex"
    theta = [data.place.domain.lift(x) for x in model.theta]
    hessian = sp.hessian(smooth, theta)
    if not hessian.free_symbols:
        low = _least_eigenvalue(hessian)
    else:
        rows = [hessian[k, k] - sum(abs(hessian[k, j]) for j in range(len(theta)) if j != k) for k in range(len(theta))]
        ends = [_least(data, sp.simplify(row), box) for row in rows]
        low = min((end for end in ends if end is not None), default=Fraction(0)) if None not in ends else None
    if low is None:
        return "no bound of the second derivatives of J_s was found; give a bounded 𝒮"
    return low if low > 0 else f"J_s is not shown to be strongly convex, its second derivative may be {float(low):.4g}"


def _least(data: OnData, expr: sp.Expr, box: Around | None) -> Fraction | None:
    """A lower bound over θ in the box and s in 𝒮."""
    if not expr.free_symbols - set(data.s):
        found = infimum(expr, data.place.region, data.place.domain)
        if found is not None and found.value is not None and found.value.is_finite:
            return -Fraction(up(-found.value))
    around = None if box is None or data.box is None else {**box, **data.box}
    end = extreme_above(-expr, around)
    return None if end is None else -end


def _segments_in_Theta(data: OnData, box: Around | None) -> bool:
    """Whether Θ is convex, or contains the box."""
    relations = [r for statement in data.model.Theta for r in relations_of(in_numbers(data, statement))]
    if decide_convex_set(relations, data.model.theta, Domain.of([], data.model.theta)).status == "proved":
        return True
    signs = {">": (-1,), ">=": (-1,), "!=": (-1, 1)}
    ends = [[extreme_above(sign * r.expr, box) for sign in signs.get(r.op, ())] for r in relations]
    return all(any(end is not None and end < 0 for end in each) for each in ends)


# ------------------------------------------------------------------------------------------------------------ slopes


def mean_slopes(data: OnData, box: Around | None, scales: Sequence[sp.Expr] = ()) -> list[Fraction] | str:
    """Of each client a Lipschitz constant of E_i S̄(Z, θ), in scale_k θ_k; or why there is none.

    Of the mean where S̄ is affine in θ, else the mean of the constants of its samples.
    """
    theta, S_bar = data.model.theta, [in_numbers(data, entry) for entry in data.model.S_bar]
    affine = not any(entry.has(*PIECED) or any(sp.hessian(entry, theta)) for entry in S_bar)
    known: dict[tuple[sp.Rational, ...], Fraction | None] = {}
    found: list[Fraction] = []
    for i in range(len(data.clients)):
        rows = [tuple(sp.Rational(repr(float(v))) for v in row) for row in data.clients[i]]
        samples = {row: [entry.xreplace(dict(zip(data.model.z, row, strict=True))) for entry in S_bar] for row in rows}
        if affine:
            each = [samples[row] for row in rows]
            means = [sum(column, sp.S.Zero) / len(rows) for column in zip(*each, strict=True)]
            sizes = [lipschitz(means, theta, box, scales)]
        else:
            for row in samples.keys() - known.keys():
                if len(known) == SAMPLES:
                    return f"the slopes of S̄: more than {SAMPLES} different samples"
                known[row] = lipschitz(samples[row], theta, box, scales)
            sizes = [known[row] for row in rows]
        bounded = [size for size in sizes if size is not None]
        if len(bounded) < len(sizes):
            why = "T(𝒮) is not enclosed; give a bounded 𝒮" if box is None else "ball arithmetic does not enclose them"
            return f"the slopes of S̄: {why}"
        found.append(sum(bounded, Fraction(0)) / len(bounded))
    return found


def lipschitz(
    entries: Sequence[sp.Expr], theta: Sequence[sp.Symbol], box: Around | None, scales: Sequence[sp.Expr] = ()
) -> Fraction | None:
    """A Lipschitz constant on the box of a map, in scale_k θ_k; None where none is found.

    Of each smooth piece on the whole box, the map being continuous: its kinks are those of |·|, max and min.
    """
    if any(node.func not in CONTINUOUS for entry in entries for node in entry.atoms(*PIECED)):
        return None
    units = sp.diag(*(1 / scale for scale in scales)) if scales else sp.eye(len(theta))
    pieces = [sp.Matrix(list(piece)) for _, piece in by_signs(sp.Tuple(*entries), theta)]
    ends = [_norm(piece.jacobian(list(theta)) * units, box) for piece in pieces]
    known = [end for end in ends if end is not None]
    return max(known) if len(known) == len(ends) else None


def _norm(slopes: sp.Matrix, box: Around | None) -> Fraction | None:
    """An upper bound on the box of the operator norm: exact eigenvalues, columns that do not mix, or Frobenius'."""
    if slopes.has(*PIECED):
        return None
    if not slopes.free_symbols:
        return _root(-least) if (least := _least_eigenvalue(-slopes.T * slopes)) is not None else None
    columns = [[slopes[a, k] for a in range(slopes.rows)] for k in range(slopes.cols)]
    alone = all(sum(entry != 0 for entry in slopes.row(a)) <= 1 for a in range(slopes.rows))
    groups = columns if alone else [[entry for column in columns for entry in column]]
    ends = [extreme_above(sum((entry**2 for entry in group), sp.S.Zero), box) for group in groups]
    known = [end for end in ends if end is not None]
    return _root(max(known)) if len(known) == len(ends) else None


def _least_eigenvalue(matrix: sp.Matrix) -> Fraction | None:
    """A lower bound of the eigenvalues of a symmetric matrix of numbers, confirmed exactly where they are rational."""
    if not all(entry.is_Rational for entry in matrix):
        return -Fraction(up(-matrix[0, 0])) if matrix.shape == (1, 1) and matrix[0, 0].is_real else None
    if matrix.is_diagonal():
        return min(fraction(entry) for entry in matrix.diagonal())
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
