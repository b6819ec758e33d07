"""Poisson regression: scikit-learn's optimum, the scalar equation of T, the SymPy definition, bad input."""

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.optimize import brentq
from sklearn.datasets import load_diabetes
from sklearn.linear_model import PoissonRegressor

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.convex_sets import EPS, Box
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples import examples
from fedmm_edu.examples.loglinear import LogLinear, radius
from fedmm_edu.federation import Clients, FullBatch
from fedmm_edu.federation.partition import by_covariate
from fedmm_edu.surrogate import majorization_gap, surrogate_value
from fedmm_edu.symbolic import kernel
from tests.numeric.instances import refusals


def counts():
    """The diabetes targets are positive integers: here in tens, against three standardised features and a constant."""
    raw = load_diabetes()
    x = raw.data[:, [2, 3, 8]] / raw.data[:, [2, 3, 8]].std(axis=0)
    return np.column_stack([x, np.ones(len(x)), np.round(raw.target / 10.0)])


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_it_reaches_the_optimum_of_scikit_learn_over_clients_that_differ(alpha):
    """PoissonRegressor minimises half the mean deviance plus (α/2)‖w‖², its intercept free."""
    z = counts()
    theirs = PoissonRegressor(alpha=alpha, solver="newton-cholesky", tol=1e-12).fit(z[:, :3], z[:, -1])
    clients = Clients.of(by_covariate(z, z[:, 0], 4))
    fed = FedMM(LogLinear(4, radius(clients), eta=[alpha] * 3 + [0.0]), clients, Constant(1.0), FullBatch())
    state = fed.init(fed.point(np.zeros(4)))
    for _ in range(3000):
        state = fed.step(state)
    np.testing.assert_allclose(fed.theta(state), np.append(theirs.coef_, theirs.intercept_), rtol=0, atol=1e-8)


sizes = st.floats(-8, 8).map(lambda e: 10.0**e)


@given(a=st.one_of(st.just(0.0), sizes), b=st.one_of(st.just(0.0), sizes), c=st.floats(-1e6, 1e6), eta=sizes)
def test_T_solves_its_equation_as_a_bracketing_method_does(a, b, c, eta):
    """R(s₁ + κ)e^{Rθ} − R(s₂ + κ)e^{−Rθ} + ηθ = s₃, against Brent's method where it can bracket."""
    R = 2.0
    theta = LogLinear(1, R, eta=eta).T(np.array([a, b, c]))[0]

    def excess(t):
        return R * a * np.exp(R * t) - R * b * np.exp(-R * t) + eta * t - c

    low, high = -1.0, 1.0
    while excess(low) > 0 or excess(high) < 0:
        low, high = 2 * low, 2 * high
        if high > 300:
            return  # beyond what exp can hold
    expected = brentq(excess, low, high, xtol=1e-14, rtol=1e-14, maxiter=500)
    assert theta == pytest.approx(expected, rel=1e-9, abs=1e-10)


@given(a=sizes, b=sizes, c=st.floats(-1e6, 1e6), eta=sizes)
def test_T_is_the_root_to_the_last_digits(a, b, c, eta):
    """One more step of Newton's method, in forty digits, moves it by no more than rounding."""
    t = float(LogLinear(1, 1.0, eta=eta).T(np.array([a, b, c]))[0])
    with mpmath.workdps(40):
        rise, fall = a * mpmath.exp(t), b * mpmath.exp(-t)
        step = (rise - fall + mpmath.mpf(eta) * t - c) / (rise + fall + eta)
    assert abs(step) <= 4.0 * EPS * (1.0 + abs(t))


ends = st.floats(-2.0, 2.0)
blocks = st.one_of(st.just(0.0), st.floats(0.01, 10.0))


@given(a=blocks, b=blocks, c=st.floats(-9, 9), eta=blocks, one=ends, other=ends)
@example(a=2.0, b=0.0, c=5e-324, eta=0.0, one=0.0, other=0.0)
@example(a=0.0, b=2.0, c=-5e-324, eta=0.0, one=-1.0, other=1.0)
def test_over_a_box_T_minimises_for_every_s(a, b, c, eta, one, other):
    """Also where no data and no penalty keep θ finite: no point of a fine grid of the box has a smaller value."""
    assume(a + b + abs(c) + eta > 0.0)
    low, high = sorted((one, other))
    problem, s = LogLinear(1, 1.5, eta, Theta=Box([low], [high])), np.array([a, b, c])
    found = problem.T(s)
    grid = np.linspace(low, high, 401)[:, None]
    assert problem.Theta.contains(found)
    assert surrogate_value(problem, found, s) <= min(surrogate_value(problem, t, s) for t in grid) + 1e-12
    assert problem.g(np.array([high + 0.1])) == np.inf


@given(a=sizes, b=sizes, c=st.floats(-1e6, 1e6))
def test_a_vanishing_ridge_is_the_closed_form(a, b, c):
    s = np.array([a, b, c])
    np.testing.assert_allclose(LogLinear(1, 1.5, eta=1e-30).T(s), LogLinear(1, 1.5).T(s), rtol=1e-9, atol=1e-10)


def test_the_kernel_is_the_sympy_model():
    """With the parts of x for p and n."""
    model = next(e for e in examples() if e.name == "loglinear").models()["one feature"]
    defined, ours, rng = kernel(model, {"R": 2.0, "kappa": 0.3}), LogLinear(1, 2.0, kappa=0.3), np.random.default_rng(2)
    for _ in range(5):
        x, y = rng.uniform(-2, 2, 6), rng.poisson(2.0, 6).astype(float)
        z, parts = np.column_stack([x, y]), np.column_stack([np.maximum(x, 0), np.maximum(-x, 0), y])
        theta, s = rng.normal(size=1), np.append(rng.uniform(0, 3, 2), rng.normal())
        np.testing.assert_allclose(ours.loss(z, theta), defined.loss(parts, theta), rtol=1e-12)
        np.testing.assert_allclose(ours.S_bar(z, theta), defined.S_bar(parts, theta), rtol=1e-12)
        np.testing.assert_allclose(ours.phi(theta), defined.phi(theta), rtol=1e-13)
        np.testing.assert_allclose(ours.T(s), defined.T(s), rtol=1e-11)
        assert ours.g(theta) == pytest.approx(defined.g(theta), rel=1e-12)


def test_a_smaller_radius_would_not_majorize():
    """At a sample with Σ|x_j| > R the surrogate lies below the loss: the check of the radius is needed."""
    z = np.array([[1.0, 1.0, 0.0]])
    problem = LogLinear(2, 1.0, kappa=0.1)
    with pytest.raises(InvalidInput, match=r"Σ\|x_j\| = 2 > R = 1"):
        problem.S_bar(z, np.zeros(2))
    problem._split = lambda z, names=None: (z[:, :-1], z[:, -1])  # type: ignore[method-assign]
    assert majorization_gap(problem, z, np.array([-2.0, -2.0]), np.zeros(2)) < -0.1


test_bad_input_is_refused_by_name = refusals(
    (lambda: LogLinear(2, 0.0), "R = 0.0"),
    (lambda: LogLinear(2, 1.0, eta=-1.0), "eta has the entry -1.0"),
    (lambda: LogLinear(2, 1.0, kappa=-1.0), "kappa = -1.0"),
    (lambda: LogLinear(2, 1.0, Theta=Box([0.0], [1.0])), "Theta has dimension 1 and d = 2"),
    (lambda: LogLinear(1, 1.0, Theta=Box([0.0], [1.0])).T(np.zeros(3)), "coordinate 0 has no penalty"),
    (lambda: LogLinear(1, 1.0).loss(np.array([[1.0, -2.0]]), np.zeros(1)), "y = -2.0"),
    (lambda: LogLinear(1, 1.0).T(np.array([1.0, 0.0, 0.0])), "coordinate 0 has no penalty"),
    (lambda: LogLinear(1, 1.0).S_bar(np.array([[0.5, 1.0]]), np.array([800.0])), "overflows"),
    (lambda: LogLinear(1, 1.0, 0.1).T(np.array([-1.0, 0.0, 0.0])), "outside 𝒮"),
    (lambda: radius(Clients.of([np.array([[0.0, 1.0]])])), "every feature is zero"),
)
