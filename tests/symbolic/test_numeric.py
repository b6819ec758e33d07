"""Kernels generated from a definition agree with formulas written by hand."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from fedmm_edu.convex_sets import Box, WholeSpace
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.poisson.model import models as poisson
from fedmm_edu.examples.quadratic.model import models as quadratic
from fedmm_edu.examples.toy.model import models as toy
from fedmm_edu.surrogate import Surrogate, majorization_gap, mean_field
from fedmm_edu.symbolic import kernel
from fedmm_edu.symbolic.decide.arrays_sampled import on_arrays
from fedmm_edu.symbolic.functions.table import PIECED

rng = np.random.default_rng(0)
TOY = toy()["toy"]


def test_the_toy_kernel_is_the_toy():
    k, z, theta = kernel(TOY), rng.uniform(0.5, 2, (7, 1)), np.array([0.7])
    assert isinstance(k, Surrogate)
    np.testing.assert_allclose(k.S_bar(z, theta), z)
    np.testing.assert_allclose(k.loss(z, theta), z[:, 0] * 0.7 + 1 / 0.7)
    np.testing.assert_allclose(k.T(np.array([4.0])), [0.5])
    np.testing.assert_allclose(mean_field(k, z, np.array([1.0])), [z.mean() - 1])
    assert k.g(np.array([-1.0])) == np.inf


def test_the_l1_kernel_is_soft_thresholding():
    k = kernel(quadratic()["least squares, l1"], {"rho": 0.5, "lambda": 0.6})
    for s in (-2.0, -0.1, 0.0, 0.2, 1.5):
        np.testing.assert_allclose(k.T(np.array([s])), [np.sign(s) * max(abs(s) - 0.3, 0)])
    z, theta, tau = rng.uniform(-1, 1, (9, 2)), np.array([0.4]), np.array([-1.0])
    x, y = z.T
    np.testing.assert_allclose(k.S_bar(z, tau)[:, 0], tau - 0.5 * -x * (y - x * tau))
    assert majorization_gap(k, z, theta, tau) >= 0


def test_the_group_kernel_shrinks_the_norm():
    k = kernel(quadratic()["least squares, group l1"], {"rho": 0.5, "lambda": 2.0})
    np.testing.assert_allclose(k.T(np.array([3.0, 4.0])), np.array([3.0, 4.0]) * (1 - 1 / 5))
    np.testing.assert_allclose(k.T(np.array([0.3, 0.4])), [0, 0])


def test_the_poisson_kernel_is_the_posterior_mean():
    constants = {"h1": 0.0, "h2": 1.0, "m1": 0.3, "m2": 0.7, "lambda": 0.5}
    k, z, theta = kernel(poisson()["likelihood, strategy 1"], constants), np.array([[1.0], [3.0]]), np.array([0.2])
    h, m = np.array([0.0, 1.0]), np.array([0.3, 0.7])
    p = m * np.exp(z * (theta + h) - np.exp(theta + h))
    np.testing.assert_allclose(k.loss(z, theta), -np.log(p.sum(axis=1)))
    np.testing.assert_allclose(k.S_bar(z, theta), np.c_[z, -(p * np.exp(h)).sum(1) / p.sum(1)])
    np.testing.assert_allclose(k.T(np.array([2.0, -1.0])), [np.log(2 / 1.5)])


def test_sets_are_boxes_with_open_ends_closed_just_inside():
    constants = dict.fromkeys(("h1", "h2", "m1", "m2", "lambda"), 1.0)
    k = kernel(poisson()["printed, strategy 1"], constants)
    assert isinstance(k.S, Box)
    assert 0 < k.S.low[0] < 1e-8
    assert -1e-8 < k.S.high[1] < 0
    assert isinstance(k.Theta, WholeSpace)
    box = kernel(quadratic()["least squares, box"], {"rho": 1.0, "low": -1.0, "high": 2.0})
    assert isinstance(box.Theta, Box)
    assert (box.Theta.low[0], box.Theta.high[0]) == (-1.0, 2.0)
    np.testing.assert_allclose(box.T(np.array([5.0])), [2.0])


def test_a_derived_T_runs():
    np.testing.assert_allclose(kernel(replace(TOY, T=None)).T(np.array([4.0])), [0.5])


def test_sets_may_be_given():
    assert kernel(TOY, S=Box([1.0], [2.0])).project(np.array([9.0])) == 2.0


PLANE = quadratic()["least squares, two dimensions"]
s1, s2 = PLANE.s


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: kernel(quadratic()["least squares, ridge"], {"rho": 1.0}), "no value for lambda"),
        (lambda: kernel(TOY, {"rho": 1.0}), "unknown constants rho"),
        (lambda: kernel(quadratic()["least squares, ridge"], {"rho": -1.0, "lambda": 1.0}), "violate rho > 0"),
        (lambda: kernel(TOY, S=WholeSpace(2)), "S has dimension 2"),
        (lambda: kernel(replace(PLANE, S=(s1 + s2 > 0,)), {"rho": 1.0}), "not a box"),
        (lambda: kernel(TOY).T(np.array([-1.0])), "outside"),
        (lambda: kernel(TOY).loss(np.ones((3, 2)), np.ones(1)), "shape"),
        (lambda: kernel(TOY).phi(np.array([np.nan])), "finite"),
    ],
)  # fmt: skip
def test_wrong_input_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


@pytest.mark.parametrize("function", PIECED, ids=lambda function: function.__name__)
def test_a_penalty_of_any_kinked_function_has_no_gradient(function):
    """Each entry of the table, and so each that is added to it."""
    (theta,) = TOY.theta
    bent = {
        sp.Piecewise: sp.Piecewise((theta, theta > 1), (1, True)),
        sp.Max: sp.Max(theta, 1),
        sp.Min: sp.Min(theta, 1),
    }
    g = bent[function] if function in bent else function(theta - 1)
    with pytest.raises(InvalidInput, match="kink"):
        kernel(replace(TOY, g=g)).grad_g(np.array([0.7]))


def test_a_sum_of_thousands_of_terms_is_compiled_in_parts():
    x = sp.Symbol("x")
    total = sp.Add(*(x**k / k for k in range(1, 4001)))
    np.testing.assert_allclose(on_arrays((x,), total)(np.array([0.0, 0.5])), [0.0, np.log(2.0)])
