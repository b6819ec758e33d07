"""Ball arithmetic against mpmath and exact fractions; the solvers against each other and on known answers."""

from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic import Model, check_model
from fedmm_edu.symbolic.decide import balls, smt
from fedmm_edu.symbolic.decide.domain import Domain, Relation
from fedmm_edu.symbolic.hypotheses import mm1

x, y = sp.symbols("x y", real=True)
rationals = st.fractions(min_value=-5, max_value=5, max_denominator=20)

EXPRESSIONS = [
    x**3 - 2 * x * y + 1,
    sp.exp(x - y) + sp.log(1 + x**2),
    sp.sqrt(1 + x**2) / (2 + sp.exp(y)),
    sp.Max(x, y, 0) - sp.Min(x, 1) + sp.Abs(x - y),
    sp.Piecewise((sp.exp(x), x > y), (y**2, sp.Eq(x, y)), (x - 1, True)),
    (1 + x**2) ** sp.Rational(2, 3) - sp.sign(y) * sp.pi,
    (2 + x**2) ** y,
]


@pytest.mark.parametrize("expr", EXPRESSIONS, ids=str)
@settings(max_examples=20, deadline=None)
@given(a=rationals, b=rationals)
def test_the_ball_contains_the_value_that_mpmath_finds(expr, a, b):
    point = {"x": a, "y": b}
    ball = balls.enclose(expr, point)
    with mpmath.workdps(60):
        rational = {s: sp.Rational(v.numerator, v.denominator) for s, v in ((x, a), (y, b))}
        value = mpmath.mpf(sp.N(expr.subs(rational), 60))
        low, high = (mpmath.mpf(int(end.fmpq().p)) / int(end.fmpq().q) for end in (ball.lower(), ball.upper()))
        assert low - mpmath.mpf(10) ** -50 <= value <= high + mpmath.mpf(10) ** -50  # mpmath's own rounding
    assert float(ball.rad()) < 1e-20 * max(1, abs(value))


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (sp.sqrt(x) - 2, 0),
        (sp.sqrt(x) - sp.Rational(2000001, 10**6), -1),
        (sp.exp(y) - 1, 0),
        (sp.log(x / 4), 0),
        (sp.exp(sp.Rational(1, 10**30)) - 1, 1),
        (sp.sqrt(x + 1 + 2 * sp.sqrt(6)) - sp.sqrt(2) - sp.sqrt(3), None),
    ],
)
def test_signs_are_certain_or_none(expr, expected):
    """Zero only by exact arithmetic: an irrational zero stays undecided."""
    assert balls.sign(expr, {x: 4, y: 0}) == expected


@pytest.mark.parametrize("expr", [1 / y, sp.log(y), sp.sqrt(y - 1), sp.log(-x), (y - 1) ** sp.Rational(1, 3)])
def test_undefined_values_name_their_term(expr):
    with pytest.raises(balls.Undefined) as caught:
        balls.sign(1 + expr, {"x": 4, "y": 0})
    assert str(expr) in str(caught.value)


def test_a_point_that_misses_a_variable_is_refused():
    with pytest.raises(InvalidInput, match="no value to y"):
        balls.sign(x + y, {x: 1})


def test_shown_ends_are_rounded_outward():
    low, high = balls.show(sp.log(x), {x: 2})[1:-1].split(", ")
    assert balls.sign(sp.log(x) - sp.Rational(low), {x: 2}) == 1
    assert balls.sign(sp.log(x) - sp.Rational(high), {x: 2}) == -1
    assert Fraction(high) - Fraction(low) < Fraction(1, 10**4)


@pytest.mark.parametrize("power", [-(10**18), -12000, 12000, 10**12, -(10**30)])
@pytest.mark.parametrize("sign", [1, -1])
def test_ends_too_far_to_be_written_out_are_rounded_outward(power, sign):
    low, high = balls.show(sign * sp.exp(x), {x: power})[1:-1].split(", ")
    with mpmath.workdps(60):
        value = sign * mpmath.exp(power)
        assert mpmath.mpf(low) < value < mpmath.mpf(high)
        assert abs(mpmath.mpf(high) / mpmath.mpf(low) - 1) < mpmath.mpf(10) ** -5


def decided(exprs, ops, relations=()):
    domain = Domain.of(relations, exprs)
    return smt.satisfiable(domain, [[Relation(domain.lift(e), op)] for e, op in zip(exprs, ops, strict=True)])


@pytest.mark.parametrize(
    "expr",
    [
        x * y - 1 - x**2 - y**2,
        -1 - sp.Abs(x),
        x - sp.sqrt(x**2 + y**2) - 1,
        sp.Min(x, y) - sp.Max(x, y),
        -sp.exp(x) - sp.exp(-x),
        sp.Piecewise((-1 / x, x > 0), (x, True)),
    ],
    ids=str,
)
def test_both_solvers_prove_that_nothing_satisfies_it(expr):
    answer = decided([expr], [">"])
    assert (answer.status, answer.solvers) == ("unsat", ("z3", "cvc5"))


@pytest.mark.parametrize("expr", [x**2 - 2, sp.Abs(x) - y, 1 / x - y, sp.sqrt(x) - 2, sp.sign(x) + y], ids=str)
def test_satisfiable_problems_come_with_a_model(expr):
    answer = decided([expr], [">"])
    assert answer.status == "sat"
    assert balls.holds(Relation(expr, ">"), {"x": Fraction(0), "y": Fraction(0), **dict(answer.model)})


def test_cvc5_alone_says_the_same_as_z3():
    for expr, status in ((x**2 + 1, "unsat"), (x**2 - 1, "sat")):
        script = decided([-expr], [">"]).script
        assert smt._cvc5(script) == status
        assert smt._z3(script)[0] == status


def test_disagreement_leaves_the_question_open(monkeypatch):
    monkeypatch.setattr(smt, "_cvc5", lambda script: "sat")
    assert decided([-(x**2) - 1], [">"]).status == "unknown"


def test_a_solver_ended_by_a_clock_is_named(monkeypatch):
    """Beside a proof of z3 it is said; where nothing else decided, it is an error and the row is open."""
    monkeypatch.setattr(smt, "_cvc5", lambda script: "stopped")
    assert decided([-(x**2) - 1], [">"]).solvers == ("z3 (cvc5 stopped by the clock)",)
    monkeypatch.setattr(smt, "_z3", lambda script: ("unknown", ()))
    with pytest.raises(smt.StoppedByClock, match="cvc5 stopped by the clock"):
        decided([-(x**2) - 1], [">"])
    theta, z, s = sp.symbols("theta z s", real=True)
    model = Model(theta=theta, z=z, s=s, loss=theta**2, psi=theta**2, phi=theta, S_bar=0, T=s / 2, S=s**3 + s <= 1)
    monkeypatch.setattr(mm1, "S_convex", lambda model, seed: decided([-(x**2) - 1], [">"]))
    verdict = check_model(model)["S convex"]
    assert (verdict.status, verdict.method) == ("open", "time limit")
    assert "stopped by the clock" in verdict.evidence[0].why


def test_the_answer_of_a_solver_does_not_depend_on_what_it_was_asked_before():
    script = decided([x**2 * y - 2, y - x], [">", ">"]).script
    alone = smt._z3.__wrapped__(script)
    decided([x**3 - y**2 - 1, x + y], [">", ">"])
    assert smt._z3.__wrapped__(script) == alone


def test_a_limit_in_steps_ends_a_search(monkeypatch):
    monkeypatch.setattr(smt, "Z3_STEPS", 50)
    monkeypatch.setattr(smt, "CVC5_STEPS", 50)
    hard = decided([x * y - 1 - x**2 - y**2], [">"]).script
    assert smt._z3.__wrapped__(hard)[0] == "unknown"
    assert smt._cvc5.__wrapped__(hard) == "unknown"


def test_a_relaxed_problem_says_so():
    assert decided([sp.exp(x) - 1 - x], [">"]).relaxed
    assert not decided([x - 1], [">"]).relaxed


def test_an_unknown_function_is_not_translated_as_something_else():
    domain = Domain.of([], [x, y])
    with pytest.raises(smt.Untranslatable):
        smt.satisfiable(domain, [[Relation(sp.Function("f")(domain.lift(x)), ">")]])
