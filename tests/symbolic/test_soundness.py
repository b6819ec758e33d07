"""What was once called proved and is false, models of the same kind, and the alarm beside every proof.

Each wrong model is a right one with one thing off (a branch, the degree of a root, an exponent); the right one is
proved beside it, so that a checker that refuses everything would fail, too.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp
from sympy import Max, Piecewise, cbrt, exp, log, root, sqrt, symbols

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic import Domain, Model, aggregate_in_S, check_model, decide_nonnegative
from fedmm_edu.symbolic.decide import algebra
from fedmm_edu.symbolic.decide.algebra import Algebra, vanishes
from fedmm_edu.symbolic.decide.convexity import decide_convex_set
from fedmm_edu.symbolic.decide.domain import relations_of
from fedmm_edu.symbolic.hypotheses import mm2
from fedmm_edu.symbolic.hypotheses.alarm import ProofContradicted
from fedmm_edu.symbolic.hypotheses.mm1 import majorizes

theta, z, s, c, eta, s1, s2, x, y = symbols("theta z s c eta s1 s2 x y", real=True)


def cubic(T: sp.Expr) -> Model:
    """ℓ = (θ + 1)³/3 − zθ on θ ≥ −1, whose T is √max(s, 0) − 1."""
    psi = (theta + 1) ** 3 / 3
    return Model(theta=theta, z=z, s=s, loss=psi - z * theta, psi=psi, phi=theta, S_bar=z, T=T, Theta=[theta >= -1])


def weighted(first: sp.Expr) -> Model:
    """A quadratic whose weight √(c(z + 1)²) is written without its factors; S̄'s first entry must equal it."""
    return Model(
        theta=theta, z=z, s=[s1, s2], loss=sqrt(c * z**2 + 2 * c * z + c) * theta**2 / 2 - z * theta,
        g=eta * theta**2 / 2, phi=[-(theta**2) / 2, theta], S_bar=[first, z], T=s2 / (s1 + eta),
        S=[s1 >= 0], Z=[z >= 0], given=[c > 0, eta > 0],
    )  # fmt: skip


def status(model: Model) -> dict[str, str]:
    return {row: verdict.status for row, verdict in check_model(model).items()}


def test_a_root_in_one_branch_says_nothing_of_the_others():
    wrong = status(cubic(Piecewise((sqrt(s) - 1, s >= 0), (5, True))))
    assert wrong["MM-2: T minimizes"] == "refuted"
    assert set(status(cubic(sqrt(Max(s, 0)) - 1)).values()) == {"proved"}
    by_cases = status(cubic(Piecewise((sqrt(s) - 1, s >= 0), (-1, True))))
    assert {row for row, said in by_cases.items() if said != "proved"} <= {"MM-2: unique"}
    assert by_cases["MM-2: unique"] in ("proved", "supported")


QUADRATIC = Model(theta=theta, z=z, s=s, loss=theta**2 / 2 - z * theta, psi=theta**2 / 2, phi=theta, S_bar=z, T=s)


@pytest.mark.parametrize("g", [Piecewise((-1, theta > 0), (0, True)), sp.sign(theta), Max(theta, -theta)])
def test_slopes_do_not_see_where_a_penalty_jumps_or_bends(g):
    """T = s minimises without g: with it, another θ is better, and the slope of g is 0 or has no formula."""
    assert status(QUADRATIC)["MM-2: T minimizes"] == "proved"
    assert status(replace(QUADRATIC, g=g))["MM-2: T minimizes"] == "refuted"


def test_a_loss_with_a_kink_is_compared_on_both_sides_of_it():
    wrong = status(replace(QUADRATIC, loss=Max(theta, 0), psi=theta**2, S_bar=0, T=s / 2))
    assert (wrong["MM-1: tangent"], wrong["MM-1: majorizes"]) == ("refuted", "refuted")
    right = replace(QUADRATIC, loss=Max(theta, 0) ** 2 / 2, S_bar=theta - Max(theta, 0))
    assert status(right)["MM-1: tangent"] == "proved"
    assert status(replace(right, S_bar=theta))["MM-1: tangent"] == "refuted"


def test_where_no_piece_is_smooth_no_slope_is_proved():
    """A switch that is 0 everywhere leaves no side on which slopes could be compared."""
    nothing = sp.log(theta**2 + 1) - sp.log((theta**2 + 1) ** 2) / 2
    model = replace(QUADRATIC, loss=sp.Abs(nothing), psi=theta**2 / 2, S_bar=theta + 5)
    assert status(model)["MM-1: tangent"] != "proved"


def test_a_root_has_no_tangent_line_at_0():
    def line(*Theta):
        model = replace(QUADRATIC, loss=sqrt(theta), psi=0, S_bar=-1 / (2 * sqrt(theta)), T=None, Theta=Theta)
        return majorizes(model)

    assert line(theta > 0).method == "tangent lines"
    assert line(theta >= 0).status == "open"


def test_a_multiple_of_a_mixture_is_proved_by_jensen():
    """−c log Σ p with c > 0, and not with c of unknown sign."""
    p = sp.exp(z * theta - theta**2 / 2) + 2 * sp.exp(-z * theta - theta**2)
    r = sp.exp(z * theta - theta**2 / 2) / p
    S_bar = (c * (2 * r * z - z), c * (2 - r))

    def model(*given):
        return Model(
            theta=theta, z=z, s=[s1, s2], loss=-c * log(p), phi=[theta, -(theta**2) / 2], S_bar=S_bar,
            T=s1 / (s2 + 1), g=theta**2 / 2, S=[s2 >= 0], given=given,
        )  # fmt: skip

    assert majorizes(model(c > 0)).method == "Jensen"
    assert majorizes(model(c < 0)).status == "refuted"


@pytest.mark.parametrize("first", [cbrt(c) * (z + 1), root(c, 4) * (z + 1), c * (z + 1)])
def test_a_root_is_known_by_its_degree(first):
    wrong = status(weighted(first))
    assert (wrong["MM-1: tangent"], wrong["MM-1: majorizes"]) == ("refuted", "refuted")
    assert set(status(weighted(sqrt(c) * (z + 1))).values()) == {"proved"}


@pytest.mark.parametrize(
    ("zero", "nonzero"),
    [
        (sqrt(c * (x + 1) ** 2) - sqrt(c) * (x + 1), sqrt(c * (x + 1) ** 2) - cbrt(c) * (x + 1)),
        (cbrt(c) ** 3 - sqrt(c) ** 2, cbrt(c) ** 2 - sqrt(c)),
        (root(c, 6) ** 3 - sqrt(sp.expand(c * (x + 1) ** 2)) / (x + 1), root(c, 6) ** 2 - sqrt(c)),
        (exp(x / 2) * exp(x / 3) - exp(5 * x / 6), exp(x / 2) * exp(x / 3) - exp(x)),
        (log(sqrt(c)) - log(c) / 2, log(sqrt(c)) - log(c) / 3),
        (
            sqrt(sp.expand(c**3 * (x + 1) ** 2)) - c * sqrt(c) * (x + 1),
            sqrt(sp.expand(c**3 * (x + 1) ** 2)) - c * (x + 1),
        ),
    ],
)
def test_roots_and_powers_of_several_degrees_in_one_identity(zero, nonzero):
    domain = Domain.of([c > 0, x > 0])
    assert vanishes(zero, domain)
    assert not vanishes(nonzero, domain)
    assert decide_nonnegative(-sp.Abs(nonzero), domain).status == "refuted"


def test_a_root_in_a_branch_does_not_make_its_base_nonnegative():
    """|x| − x is not zero for x < 0, whatever stands in a branch beside it."""
    beside = Piecewise((sqrt(x), x >= 0), (0, True))
    domain = Domain.of((), (x,))
    form = Algebra((beside,), domain).of(domain.lift(beside + sp.Abs(x) - x))
    assert form.has(sp.Abs)
    assert not vanishes(beside - beside + Piecewise((sqrt(x), x >= 0), (7, True)) - sqrt(sp.Abs(x)), domain)
    assert decide_nonnegative(x + 0 * beside + Piecewise((sqrt(x), x >= 0), (0, True))).status == "refuted"
    assert decide_nonnegative(Piecewise((sqrt(x), x >= 0), (-x, True))).status == "proved"


@pytest.mark.parametrize("name", ["t", "tau", "tau_", "x_a", "s_1", "mu_1", "R0", "W1"])
def test_ones_own_names_do_not_meet_generated_ones(name):
    """A constant of any name is a constant: the same verdicts as under the name `kappa`."""

    def model(k: sp.Symbol) -> Model:
        return Model(
            theta=theta, z=z, s=s, loss=k * (theta - z) ** 2 / 2, psi=k * theta**2 / 2, phi=k * theta,
            S_bar=z, T=s, given=[k > 0], S=[s**2 <= 1], Z=[z**2 <= 1],
        )  # fmt: skip

    own, neutral = (model(symbols(word, real=True)) for word in (name, "kappa"))
    assert status(own) == status(neutral)
    assert aggregate_in_S(own).status == aggregate_in_S(neutral).status


def test_a_parameter_of_a_set_called_t_is_not_the_weight_of_its_segments():
    """{x : (t − 1)x² ≥ 1} is empty for t < 1, but has a hole in its middle for t > 1."""
    t = sp.Symbol("t", real=True)
    relations = [r for statement in ((t - 1) * x**2 >= 1,) for r in relations_of(statement)]
    assert decide_convex_set(relations, [x], Domain.of([t < 5, t > -5])).status == "refuted"


@pytest.mark.parametrize(
    "change",
    [
        {"given": (theta > 0,)},
        {"S": (s > theta,)},
        {"Theta": (theta > z,)},
        {"Z": (z > s,)},
    ],
)
def test_sets_that_depend_on_what_they_must_not_are_refused(change):
    with pytest.raises(InvalidInput, match="depends on"):
        replace(cubic(sqrt(Max(s, 0)) - 1), **change)


@pytest.mark.parametrize("target", ["vanishes", "decide_convex"])
def test_the_alarm_stops_a_search_that_proves_too_much(monkeypatch, target):
    """A planted conflict: whatever the search believes, numbers break the proof of a wrong T."""
    if target == "vanishes":
        monkeypatch.setattr(mm2, "vanishes", lambda *_: True)
    else:
        monkeypatch.setattr(algebra.Algebra, "is_zero", lambda *_: True)
    with pytest.raises(ProofContradicted, match=r"proof was accepted .* fails at s = .*mistake of fedmm-edu"):
        check_model(cubic(5 + 0 * s))


def test_the_alarm_knows_sets_with_equations(monkeypatch):
    """No random points add up to 355/113: the equation is solved first."""
    a, b = symbols("theta_1 theta_2", real=True)
    half = sp.Rational(355, 226)
    wrong = Model(
        theta=[a, b], z=z, s=s, loss=-z * a + (a**2 + b**2) / 2, psi=(a**2 + b**2) / 2, phi=[a], S_bar=[z],
        T=[half + s, half - s], Theta=[sp.Eq(a + b, 2 * half)],
    )  # fmt: skip
    monkeypatch.setattr(mm2, "_stationary", lambda *_: mm2.proved("a mistake", mm2.Step("believe me", "please")))
    with pytest.raises(ProofContradicted):
        check_model(wrong)
    monkeypatch.undo()
    right = replace(wrong, T=(half + s / 2, half - s / 2))
    assert check_model(right)["MM-2: T minimizes"].status != "refuted"
