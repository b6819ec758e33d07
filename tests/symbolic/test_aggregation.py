"""Aggregation in 𝒮 is the centralised step; aggregation in Θ is not, by how much, and when it is."""

from dataclasses import replace
from fractions import Fraction
from math import isqrt

import pytest
import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.poisson.model import models as poisson
from fedmm_edu.examples.quadratic.model import models as quadratic
from fedmm_edu.examples.toy.model import models as toy
from fedmm_edu.symbolic import aggregate_in_S, aggregate_in_Theta
from tests.conftest import found

TOY = toy()["toy"]
s = sp.Symbol("s", real=True)


@pytest.mark.parametrize("model", [*toy().values(), *quadratic().values(), *poisson().values()], ids=lambda m: m.name)
def test_aggregation_in_S_is_the_centralised_step(model):
    assert aggregate_in_S(model).status == "proved"


@pytest.mark.parametrize("extra", [s**2, s * sp.Symbol("theta", real=True) ** 2 * s, sp.exp(s)])
def test_a_surrogate_that_is_not_affine_in_s_is_refuted(extra):
    verdict = aggregate_in_S(TOY, surrogate=TOY.surrogate + extra)
    assert verdict.status == "refuted"


def test_a_nonconvex_S_is_not_enough():
    assert aggregate_in_S(replace(TOY, S=(s > 0, sp.Ne(s, 1)))).status == "open"


def test_the_toy_is_biased_upward_by_an_exact_amount():
    rows = aggregate_in_Theta(TOY)
    assert {key: verdict.status for key, verdict in rows.items()} == {
        "same": "refuted", "direction": "proved", "only if equal": "proved",
    }  # fmt: skip
    witness = found(rows["same"])
    mu, a, b = (Fraction(witness.point[name]) for name in ("mu_1", "s_1", "s_2"))
    mean = mu * a + (1 - mu) * b
    assert all(isqrt(v.numerator) ** 2 == v.numerator and v.denominator == 1 for v in (a, b, mean))
    amount = mu / isqrt(a.numerator) + (1 - mu) / isqrt(b.numerator) - Fraction(1, isqrt(mean.numerator))
    assert Fraction(witness.values["difference"]) == amount > 0
    assert any("strictly convex" in step.claim for step in rows["direction"].evidence)
    assert any("A - C" in step.why for step in rows["only if equal"].evidence)  # the closed form for two clients


def test_a_concave_T_reverses_the_direction():
    rows = aggregate_in_Theta(replace(TOY, T=(sp.sqrt(s),)))
    assert any("strictly concave" in step.claim for step in rows["direction"].evidence)
    assert Fraction(found(rows["same"]).values["difference"]) < 0


def test_an_affine_T_makes_the_two_aggregations_one():
    rows = aggregate_in_Theta(quadratic()["least squares, ridge"])
    assert (rows["same"].status, rows["only if equal"].status) == ("proved", "refuted")


def test_a_kinked_T_has_no_direction_but_differs():
    rows = aggregate_in_Theta(quadratic()["least squares, l1"])
    assert {key: verdict.status for key, verdict in rows.items()} == {
        "same": "refuted", "direction": "open", "only if equal": "refuted",
    }  # fmt: skip


def test_two_coordinates_are_compared_client_by_client():
    """Poisson, strategy 1: the two clients of a witness differ in 𝒮 (constants of the model do not count)."""
    verdict = aggregate_in_Theta(poisson()["printed, strategy 1"])["only if equal"]
    if verdict.status == "refuted":
        assert any(found(verdict).point[f"{x}_1"] != found(verdict).point[f"{x}_2"] for x in ("s1", "s2"))
    assert verdict.status != "proved"


def test_a_model_without_T_is_refused():
    with pytest.raises(InvalidInput, match="derive_T"):
        aggregate_in_Theta(replace(TOY, T=None))
