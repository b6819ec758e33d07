"""Every face of every function of the table against mpmath, SciPy and the solvers; small models with each."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import arb
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic import Model, check_model, kernel
from fedmm_edu.symbolic.decide import balls, ranges, smt
from fedmm_edu.symbolic.decide.definedness import is_supported, needs_of, require_supported
from fedmm_edu.symbolic.decide.domain import Domain, Relation
from fedmm_edu.symbolic.decide.signs import possible_signs
from fedmm_edu.symbolic.functions.faces import Kinked, Smooth
from fedmm_edu.symbolic.functions.signs import ALLOWED
from fedmm_edu.symbolic.functions.table import FUNCTIONS, KINKED, NUMPY, SMOOTH

x, y = sp.symbols("x y", real=True)
rationals = st.fractions(min_value=-6, max_value=6, max_denominator=30)


def applied(entry: Smooth | Kinked) -> list[sp.Expr]:
    """The function of x, or of x and y, for a few values of its parameters."""
    if entry.function in (sp.Max, sp.Min):
        return [entry.function(x, y)]
    return [entry.function(*n, x) for n in ((k,) * entry.parameters for k in range(4 if entry.parameters else 1))]


EXPRS = [expr for entry in FUNCTIONS.values() for expr in applied(entry)]
SMOOTH_EXPRS = [expr for entry in SMOOTH for expr in applied(entry)]
each = pytest.mark.parametrize("expr", EXPRS, ids=str)
each_smooth = pytest.mark.parametrize("expr", SMOOTH_EXPRS, ids=str)


def inside(expr: Any, at: dict[sp.Symbol, Fraction]) -> bool:
    """Whether the arguments satisfy the entry's domain, in exact arithmetic."""
    args = [at.get(arg, arg) for arg in expr.args]
    return all(((v > 0) - (v < 0)) in ALLOWED[op] for v, op in FUNCTIONS[expr.func].domain(*args))


def placed(expr: sp.Expr, *values: Fraction) -> tuple[Fraction, ...]:
    """The values themselves where the function is defined everywhere, else moved into its domain."""
    return (
        values if inside(expr, {x: Fraction(-1), y: Fraction(-1)}) else tuple(abs(v) + Fraction(1, 30) for v in values)
    )


def precise(expr: sp.Expr, a: Fraction, b: Fraction) -> Any:
    """The value by mpmath, to 60 digits."""
    with mpmath.workdps(60):
        return sp.lambdify((x, y), expr, "mpmath")(*(mpmath.mpf(v.numerator) / v.denominator for v in (a, b)))


def contains(ball: arb, value: Any) -> bool:
    with mpmath.workdps(60):
        low, high = (mpmath.mpf(int(end.fmpq().p)) / int(end.fmpq().q) for end in (ball.lower(), ball.upper()))
        slack = mpmath.mpf(10) ** -45 * (1 + abs(value))
        return bool(low - slack <= value <= high + slack)


@each
@settings(max_examples=15)
@given(a=rationals, b=rationals)
def test_the_ball_at_a_point_contains_the_value(expr, a, b):
    a, b = placed(expr, a, b)
    ball = balls.enclose(expr, {x: a, y: b})
    assert contains(ball, precise(expr, a, b))
    assert float(ball.rad()) < 1e-25 * max(1, abs(float(ball.mid())))
    exact = balls.exact(expr, {x: a, y: b})
    assert exact is None or abs(precise(expr, a, b) - mpmath.mpf(exact.numerator) / exact.denominator) < 1e-12


@pytest.mark.parametrize("entry", SMOOTH, ids=lambda entry: entry.function.__name__)
def test_exact_values_are_exact(entry):
    for known, value in entry.exact.items():
        assert balls.exact(applied(entry)[0], {x: known}) == value
        assert precise(applied(entry)[0], Fraction(known), Fraction(0)) == value


@each
@settings(max_examples=15)
@given(ends=st.lists(rationals, min_size=4, max_size=4), t=st.fractions(0, 1), u=st.fractions(0, 1))
def test_the_enclosure_over_a_box_contains_the_values_in_it(expr, ends, t, u):
    ends = placed(expr, *ends)
    box = tuple((min(pair), max(pair)) for pair in (ends[:2], ends[2:]))
    (enclosure,) = ranges.Balls([expr], (x, y))([ranges.ball(side) for side in box])
    assert enclosure.is_finite()
    a, b = (low + w * (high - low) for (low, high), w in zip(box, (t, u), strict=True))
    assert contains(enclosure, precise(expr, a, b))


@each
def test_a_box_that_leaves_the_domain_has_no_finite_enclosure(expr):
    sides = [ranges.ball((Fraction(-1), Fraction(2)))] * 2
    (enclosure,) = ranges.Balls([expr], (x, y))(sides)
    assert enclosure.is_finite() == (not FUNCTIONS[expr.func].domain(*expr.args))


@each
@settings(max_examples=15)
@given(a=rationals, b=rationals)
def test_every_sign_that_occurs_is_a_possible_one(expr, a, b):
    a, b = placed(expr, a, b)
    value = precise(expr, a, b)
    sign = int(mpmath.sign(value)) if abs(value) > 1e-40 else 0
    spots = [Relation(side, ">") for side, v in ((x, a), (-x, -a), (y, b), (-y, -b)) if v > 0]
    for relations in ([], spots, [*spots, x - 3 > 0] if a > 3 else [], [*spots, 1 - x > 0] if a < 1 else []):
        domain = Domain.of(relations, (x, y))
        assert sign in possible_signs(domain.lift(expr), domain)


@each_smooth
@settings(max_examples=15)
@given(a=rationals)
def test_what_the_solvers_are_told_is_true(expr, a):
    (a,) = placed(expr, a)
    entry: Any = FUNCTIONS[expr.func]
    for value, op in entry.facts(expr, *expr.args):
        assert balls.sign(value, {x: a}) in ALLOWED[op]
    for same in (entry.rewritten, entry.squared):
        if same is not None:
            left = expr if same is entry.rewritten else expr**2
            gap = balls.enclose(left - same(*expr.args), {x: a})
            assert gap.contains(0)
            assert float(gap.rad()) < 1e-20


@pytest.mark.parametrize("expr", [expr for entry in KINKED for expr in applied(entry)], ids=str)
@settings(max_examples=4)
@given(a=rationals, b=rationals)
def test_the_solvers_see_the_value_of_a_function_with_kinks(expr, a, b):
    value = balls.exact(expr, {x: a, y: b})
    domain = Domain.of([sp.Eq(x, sp.Rational(a)), sp.Eq(y, sp.Rational(b))])
    assert value is not None
    off = Relation(domain.lift(expr) - sp.Rational(value), "!=")
    assert smt.satisfiable(domain, [[off]], second_opinion=False).status == "unsat"


@pytest.mark.parametrize("expr", [expr for entry in KINKED for expr in applied(entry)], ids=str)
@settings(max_examples=15)
@given(a=rationals, b=rationals)
def test_a_piece_is_the_function_between_its_switches(expr, a, b):
    entry: Any = FUNCTIONS[expr.func]
    at = {x: sp.Rational(a), y: sp.Rational(b)}
    assume(all(switch.xreplace(at) != 0 for switch in entry.switches(*expr.args)))
    piece = entry.piece(lambda term: bool(term.xreplace(at) > 0), *expr.args)
    assert piece.xreplace(at) == expr.xreplace(at)


@pytest.mark.parametrize("expr", [expr for entry in KINKED for expr in applied(entry)], ids=str)
@settings(max_examples=15)
@given(ends=st.lists(rationals, min_size=4, max_size=4), t=st.fractions(0, 1))
def test_a_function_bends_as_the_table_says(expr, ends, t):
    entry: Any = FUNCTIONS[expr.func]
    first, second = ({x: sp.Rational(p), y: sp.Rational(q)} for p, q in (ends[:2], ends[2:]))
    between = {v: t * first[v] + (1 - t) * second[v] for v in (x, y)}
    chord = t * expr.xreplace(first) + (1 - t) * expr.xreplace(second)
    assert entry.bend * (chord - expr.xreplace(between)) >= 0


@each
@settings(max_examples=15)
@given(a=rationals, b=rationals)
def test_outside_its_domain_a_function_has_no_value_and_says_so(expr, a, b):
    found = {need.relation for need in needs_of(expr)}
    assert found == {Relation(value, op) for value, op in FUNCTIONS[expr.func].domain(*expr.args)}
    if inside(expr, {x: a, y: b}):
        assert mpmath.isfinite(precise(expr, a, b))
    else:
        with pytest.raises(balls.Undefined):
            balls.sign(expr, {x: a, y: b})


@each
@settings(max_examples=15)
@given(a=rationals, b=rationals)
def test_arrays_give_the_same_values(expr, a, b):
    a, b = placed(expr, a, b)
    value = sp.lambdify((x, y), expr, NUMPY)(np.array([float(a)]), np.array([float(b)]))
    np.testing.assert_allclose(np.ravel(value), [float(precise(expr, a, b))], rtol=1e-9, atol=1e-9)


@each_smooth
def test_derivatives_stay_in_the_language(expr):
    for order in (1, 2, 3):
        assert is_supported(sp.diff(expr, x, order))


@pytest.mark.parametrize("kind", [Smooth, Kinked])
def test_a_missing_face_names_itself_and_the_file(kind):
    given_faces = {"function": sp.atan, "signs": lambda of, x: of(x), "numpy": None}
    with pytest.raises(InvalidInput, match=r"atan in fedmm_edu/symbolic/functions/table.py has no face `\w+`"):
        kind(**given_faces)


def test_a_parameter_is_a_whole_number():
    with pytest.raises(InvalidInput, match=r"polygamma\(y, x\) is not supported"):
        require_supported(sp.polygamma(y, x))


# ------------------------------------------------------------------------------------------------ a model with each

theta, z, s = sp.symbols("theta z s", real=True)


def bounded_slope(loss: sp.Expr, slope: sp.Expr, L: Any) -> Model:
    """ℓ(θ − z) under the quadratic of curvature L that touches it: right where ℓ″ ≤ L."""
    return Model(
        theta=theta, z=z, s=s, loss=loss.subs(x, theta - z), psi=L * theta**2 / 2, phi=theta,
        S_bar=L * theta - slope.subs(x, theta - z), T=s / L,
    )  # fmt: skip


def log_gamma_law(S_bar: sp.Expr) -> Model:
    """The law of the logarithm of a Gamma variable of shape θ: ℓ = log Γ(θ) − zθ."""
    return Model(
        theta=theta, z=z, s=s, loss=sp.loggamma(theta) - z * theta, psi=sp.loggamma(theta), phi=theta, S_bar=S_bar,
        Theta=theta > 0,
    )  # fmt: skip


smoothed = x * sp.erf(x) + sp.exp(-(x**2)) / sp.sqrt(sp.pi)
MODELS = {
    "tanh": (lambda L: bounded_slope(sp.log(sp.cosh(x)), sp.tanh(x), L), 1, sp.Rational(1, 2)),
    "cosh and sinh": (
        lambda c: Model(
            theta=theta, z=z, s=s, loss=sp.cosh(theta) - z * theta, psi=sp.cosh(theta), phi=theta, S_bar=c * z,
            T=sp.log(s + sp.sqrt(s**2 + 1)),
        ),
        1, 2,
    ),
    "cos and sin": (lambda L: bounded_slope(1 - sp.cos(x), sp.sin(x), L), 1, sp.Rational(1, 2)),
    "erf": (lambda L: bounded_slope(smoothed, sp.erf(x), L), sp.Integer(2), sp.Rational(1, 2)),
    "loggamma": (lambda c: log_gamma_law(c * z), 1, 2),
}  # fmt: skip
HOLDS = {"proved", "supported"}
"""The kernel knows no cos, erf and loggamma: what the search proves of them has no certificate, and is supported."""
HOLDING = {
    "tanh": {"defined", "MM-1: tangent", "MM-1: majorizes", "MM-2: T minimizes", "MM-2: unique", "A1: convex"},
    "cosh and sinh": {"defined", "MM-1: tangent", "MM-1: majorizes", "MM-2: unique", "A1: convex"},
    "cos and sin": {"defined", "MM-1: tangent", "MM-1: majorizes", "MM-2: T minimizes", "MM-2: unique", "A1: convex"},
    "erf": {"defined", "MM-1: tangent", "MM-2: T minimizes", "MM-2: unique", "A1: convex"},
    "loggamma": {"defined", "MM-1: tangent", "MM-1: majorizes", "MM-2: unique", "A1: convex"},
}


@pytest.mark.parametrize("name", MODELS)
def test_a_right_model_is_not_refuted_and_a_wrong_one_is(name):
    make, right, wrong = MODELS[name]
    rows = check_model(make(right))
    assert {row for row, verdict in rows.items() if verdict.status == "refuted"} == set()
    assert {row for row, verdict in rows.items() if verdict.status in HOLDS} >= HOLDING[name]
    if name in ("tanh", "cosh and sinh"):
        assert {row for row, verdict in rows.items() if verdict.status == "proved"} >= HOLDING[name]
    broken = check_model(make(wrong))["MM-1: majorizes"]
    assert broken.status == "refuted"
    assert broken.witness is not None


def test_a_kernel_runs_every_function():
    model = bounded_slope(smoothed, sp.erf(x), 2)
    k = kernel(model)
    np.testing.assert_allclose(k.S_bar(np.array([[0.5]]), np.array([1.0])), [[2 - float(sp.erf(0.5))]])
    k = kernel(replace(log_gamma_law(z), T=(s,)))
    np.testing.assert_allclose(k.psi(np.array([0.5])), float(sp.log(sp.sqrt(sp.pi))))
