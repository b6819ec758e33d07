"""Equations in Θ and 𝒮: only what happens along them counts; and decimals are the numbers that they show."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp
from sympy.functions.special.delta_functions import Heaviside

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Step, proved
from fedmm_edu.symbolic import Model, check_model, derive_T
from fedmm_edu.symbolic.hypotheses import alarm
from fedmm_edu.symbolic.hypotheses.check import ROWS
from fedmm_edu.symbolic.hypotheses.free import free_S, free_Theta

T1, T2, T3, z1, z2, z3, s1, s2, s3 = sp.symbols("theta1:4 z1:4 s1:4", real=True)
c = sp.Symbol("c", positive=True)
TOTAL = T1 * z1 + T2 * z2 + T3 * z3
SIMPLEX = (T1 > 0, T2 > 0, T3 > 0, sp.Eq(T1 + T2 + T3, 1))
WEIGHTS = Model(
    theta=(T1, T2, T3), z=(z1, z2, z3), s=(s1, s2, s3), loss=-sp.log(TOTAL), phi=(sp.log(T1), sp.log(T2), sp.log(T3)),
    S_bar=(T1 * z1 / TOTAL, T2 * z2 / TOTAL, T3 * z3 / TOTAL), T=(s1, s2, s3), Theta=SIMPLEX,
    S=(s1 > 0, s2 > 0, s3 > 0, sp.Eq(s1 + s2 + s3, 1)), Z=(z1 > 0, z2 > 0, z3 > 0), name="weights",
)  # fmt: skip
"""EM for the weights of a mixture with known densities (z1, z2, z3)."""


HOLDS = {"proved", "supported"}
"""What the search proves and no certificate is found for is supported."""


TANGENT, MAJORIZES, MINIMIZES = "MM-1: tangent", "MM-1: majorizes", "MM-2: T minimizes"


def statuses(model: Model, *rows: str) -> dict[str, str]:
    """Of the named rows, or of all."""
    return {row: verdict.status for row, verdict in check_model(model, rows=rows or ROWS).items()}


def test_EM_on_a_simplex_is_proved():
    assert set(statuses(WEIGHTS).values()) == {"proved"}


@pytest.mark.parametrize("added", [T1 + T2 + T3, (T1 + T2 + T3) ** 2, -3 * T1 - 3 * T2 - 3 * T3])
def test_slopes_across_the_simplex_do_not_count(added):
    """ψ gets what is constant on Θ: its gradient is not zero, and nothing changes on Θ."""
    found = statuses(replace(WEIGHTS, psi=added, S_bar=WEIGHTS.S_bar), TANGENT, MAJORIZES, MINIMIZES)
    assert found[TANGENT] == "proved"
    assert {found[MAJORIZES], found[MINIMIZES]} <= HOLDS


def test_one_statistic_less_is_as_good():
    """With s3 = 1 − s1 − s2 put into ψ the model has no equation in 𝒮, and a gradient that is right along Θ alone."""
    less = replace(
        WEIGHTS, s=(s1, s2), psi=-sp.log(T3), phi=(sp.log(T1 / T3), sp.log(T2 / T3)), S_bar=WEIGHTS.S_bar[:2],
        S=(s1 > 0, s2 > 0, s1 + s2 < 1), T=(s1, s2, 1 - s1 - s2),
    )  # fmt: skip
    found = statuses(less)
    assert "refuted" not in found.values()
    assert found["MM-1: tangent"] == "proved"
    assert found["MM-2: T minimizes"] in HOLDS


WRONG = {
    "hard posterior": ({"S_bar": (z1 / (z1 + z2 + z3), z2 / (z1 + z2 + z3), z3 / (z1 + z2 + z3))}, "MM-1: tangent"),
    "T of squares": ({"T": [e**2 / (s1**2 + s2**2 + s3**2) for e in (s1, s2, s3)]}, "MM-2: T minimizes"),
    "T off the simplex": ({"T": (2 * s1, s2, s3)}, "MM-2: T in Theta"),
    "statistics off the simplex": ({"S_bar": [2 * e for e in WEIGHTS.S_bar]}, "MM-1: S_bar in S"),
    "psi with a slope along it": ({"psi": T1 + T2 + 2 * T3}, "MM-1: tangent"),
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes_on_a_simplex_are_refuted_with_a_point_of_it(name):
    change, row = WRONG[name]
    verdict = check_model(replace(WEIGHTS, **change), rows=(row,))[row]
    assert verdict.status == "refuted"
    assert verdict.witness is not None
    point = {key: Fraction(value) for key, value in verdict.witness.point.items()}
    for letter in ("theta", "tau", "s"):
        own = [point[f"{letter}{k}"] for k in (1, 2, 3) if f"{letter}{k}" in point]
        assert len(own) in (0, 3), point
        assert not own or sum(own) == 1


LINE = Model(
    theta=(T1, T2), z=z1, s=s1, loss=(T1**2 + T2**2) / 2 - z1 * T1, psi=(T1**2 + T2**2) / 2, phi=T1, S_bar=z1,
    T=((1 + s1) / 2, (1 - s1) / 2), Theta=sp.Eq(T1 + T2, 1), name="line",
)  # fmt: skip


def test_an_entry_of_T_counts_although_an_equation_gives_its_coordinate():
    """J_s is taken at T itself, off Θ as well, and every entry of T needs a value."""
    assert set(statuses(LINE).values()) == {"proved"}
    off = statuses(replace(LINE, T=((1 + s1) / 2, (11 - s1) / 2)))
    assert off["MM-2: T in Theta"] == off["MM-2: T minimizes"] == "refuted"
    assert off["MM-2: unique"] in HOLDS
    assert statuses(replace(LINE, T=((1 + s1) / 2, (s1 - s1**2) / (2 * s1))), "defined")["defined"] == "refuted"


def test_a_bent_line_is_not_convex():
    """θ2 = θ1 and θ2 = 2θ1 on either side of 0: no equation that free coordinates may replace."""
    bent = sp.Eq(T2, sp.Piecewise((T1, T1 > 0), (2 * T1, True)))
    model = replace(
        LINE, Theta=bent, psi=T1**2 / 2, loss=T1**2 / 2 - z1 * T1, T=(s1, sp.Piecewise((s1, s1 > 0), (2 * s1, True)))
    )
    assert statuses(model, "A1: convex")["A1: convex"] == "refuted"


def test_T_is_derived_on_a_simplex():
    free = replace(WEIGHTS, T=None, S=(s1 > 0, s2 > 0, s3 > 0))
    for found, entry in zip(derive_T(free), (s1, s2, s3), strict=True):
        assert sp.simplify(found - entry / (s1 + s2 + s3)) == 0


def test_a_curved_equation_has_slopes_along_it():
    """A direction on the circle: −⟨z, θ⟩ plus something that is constant there."""
    circle = Model(
        theta=(T1, T2), z=(z1, z2), s=(s1, s2), loss=-z1 * T1 - z2 * T2 + (T1**2 + T2**2) ** 2, phi=(T1, T2),
        S_bar=(z1, z2), T=(s1 / sp.sqrt(s1**2 + s2**2), s2 / sp.sqrt(s1**2 + s2**2)), Theta=[sp.Eq(T1**2 + T2**2, 1)],
        S=[s1 > 0], Z=[z1 > 0],
    )  # fmt: skip
    found = statuses(circle, TANGENT, MAJORIZES, MINIMIZES)
    assert found[TANGENT] == "proved"
    assert {found[MAJORIZES], found[MINIMIZES]} <= HOLDS
    assert statuses(replace(circle, S_bar=(z1, 2 * z2)), TANGENT)[TANGENT] == "refuted"


def test_a_slope_at_the_boundary_is_not_asked_for():
    """|θ| = θ on θ ≥ 0 below λ(1 + θ²): no slope at τ = 0 can be right, and MM-1 holds."""
    model = Model(
        theta=T1, z=z1, s=s1, loss=sp.Piecewise((0, T1 <= 0), (T1**2 + T1, True)), psi=T1**2 + T1, phi=T1, S_bar=0,
        T=sp.Max((s1 - 1) / 2, 0), Theta=[T1 >= 0],
    )  # fmt: skip
    assert statuses(model, TANGENT)[TANGENT] != "refuted"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Theta": (sp.Eq(T1 + T2 + T3, 1), sp.Eq(T1 + T2 + T3, 2))}, "contradict"),
        ({"Theta": (sp.Eq(T1, 1), sp.Eq(T2, 0), sp.Eq(T3, 0))}, "leave one point"),
        ({"Theta": (sp.Eq(T1 + T2 + T3, 1), sp.Eq(T1 + T2 + T3, c))}, "no theta solves"),
    ],
)
def test_equations_that_cannot_be_are_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        replace(WEIGHTS, **change)


def test_free_coordinates_are_the_same_model():
    flat = free_S(WEIGHTS)
    assert flat.theta == (T1, T2)
    assert flat.s == (s1, s2)
    assert free_S(flat) == flat == free_Theta(flat)
    put = {T3: 1 - T1 - T2, s3: 1 - s1 - s2}
    assert sp.expand(flat.surrogate - WEIGHTS.surrogate.xreplace(put)) == 0


def test_the_alarm_looks_along_the_simplex():
    """It leaves a right tangent alone, and contradicts a proof of a wrong one."""
    right = replace(WEIGHTS, psi=T1 + T2 + T3)
    assert alarm.broken_at(right, "MM-1: tangent") is None
    with pytest.raises(alarm.ProofContradicted):
        alarm.confirm(replace(WEIGHTS, psi=T1 + T2 + 2 * T3), "MM-1: tangent", proved("planted", STEP))


STEP = Step("planted", "planted")


def test_decimals_are_the_numbers_that_they_show():
    z, s, theta = sp.symbols("z s theta", real=True)
    model = Model(theta=theta, z=z, s=s, loss=0.1 * theta**2.0 - z * theta + 0.2, psi=0.1 * theta**2, phi=theta,
                  S_bar=z, T=s * 5.0, Theta=[theta >= -0.3], S=[s >= 0])  # fmt: skip
    assert model.loss == theta**2 / 10 - z * theta + sp.Rational(1, 5)
    assert (5 * s,) == model.T
    assert model.Theta == (theta >= sp.Rational(-3, 10),)
    assert not any(e.atoms(sp.Float) for e in (model.loss, model.psi, *(model.T or ()), *model.Theta))
    assert 0.1 + 0.2 != 0.3  # in floating point, which the next line must not inherit
    assert replace(model, g=(sp.Float(0.1) + 0.2) * theta).g == sp.Rational(3, 10) * theta


@pytest.mark.parametrize("value", [1 / 3, 2**0.5, float("inf"), float("nan"), 1e-7 / 3])
def test_a_rounded_number_is_refused(value):
    theta = sp.Symbol("theta", real=True)
    with pytest.raises(InvalidInput, match=r"rounded|not supported"):
        Model(theta=theta, z=z1, s=s1, loss=sp.Float(value) * theta, phi=theta, S_bar=z1, T=s1)


@pytest.mark.parametrize("value", [0.25, 1e-3, 12345.678, 1e-20, 3e15])
def test_a_short_decimal_is_read(value):
    theta = sp.Symbol("theta", real=True)
    model = Model(theta=theta, z=z1, s=s1, loss=value * theta, phi=theta, S_bar=z1, T=s1)
    assert model.loss == sp.Rational(str(value)) * theta


@pytest.mark.parametrize(("curvature", "status"), [(1, "proved"), (sp.Rational(1, 2), "refuted")])
def test_the_derivative_of_a_hinge_is_read_as_sympy_writes_it(curvature, status):
    """With its Heaviside step, ½ at 0; a step that is something else at 0 stays, and is refused by name."""
    theta = sp.Symbol("theta", real=True)
    loss = sp.Max(1 - z1 * theta, 0) ** 2 / 2
    slope = sp.diff(loss, theta)
    assert slope.has(Heaviside)
    model = Model(theta=theta, z=z1, s=s1, loss=loss, psi=curvature * theta**2 / 2, phi=theta,
                  S_bar=curvature * theta - slope, T=s1 / curvature, Z=[z1 >= -1, z1 <= 1])  # fmt: skip
    assert check_model(model)["MM-1: majorizes"].status == status
    with pytest.raises(InvalidInput, match=r"Heaviside\(.*\) is not supported"):
        check_model(replace(model, S_bar=(model.S_bar[0] + Heaviside(theta, 0),)))
