"""Robust regression: independent optima, its two surrogates side by side, its SymPy definition, degenerate data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import huber, pseudo_huber
from sklearn.linear_model import HuberRegressor, Ridge

from fedmm_edu.algorithms import mm
from fedmm_edu.arrays import Array
from fedmm_edu.examples import examples
from fedmm_edu.examples.robust import GemanMcClure, Huber, PseudoHuber, RobustRegression
from fedmm_edu.surrogate import majorization_gap, objective
from fedmm_edu.symbolic import kernel
from tests.numeric.instances import refusals

seeds = st.integers(0, 2**32 - 1)
LOSSES = [Huber(0.7), PseudoHuber(0.7), GemanMcClure(0.7)]
FORMS = ["weights", "residuals"]
every_loss = pytest.mark.parametrize("rho", LOSSES, ids=lambda rho: type(rho).__name__)
every_form = pytest.mark.parametrize("form", FORMS)


def line(seed=0, n=120, outliers=0.15) -> Array:
    """y = ⟨x, (2, −1, 0.5)⟩ + noise, where a share of the samples has y = 20."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.normal(size=(n, 2)), np.ones(n)])
    y = x @ np.array([2.0, -1.0, 0.5]) + 0.1 * rng.normal(size=n)
    return np.column_stack([x, np.where(rng.uniform(size=n) < outliers, 20.0, y)])


def fitted(problem, z, theta=None, rounds=3000) -> Array:
    fed = mm(problem, z)
    state = fed.init(fed.point(np.zeros(problem.d) if theta is None else theta))
    for _ in range(rounds):
        before, state = state, fed.step(state)
        if np.abs(state.x - before.x).max() <= 1e-15 * (1 + np.abs(state.x).max()):
            break
    return fed.theta(state)


@given(r=st.floats(-1e6, 1e6), size=st.floats(1e-3, 1e3))
def test_the_losses_are_those_of_scipy_and_their_weights_are_slopes(r, size):
    """ρ against SciPy; w(r) r = ρ'(r) against a central difference of ρ; 0 < w ≤ 1 and w(0) = 1."""
    one = np.array([r])
    np.testing.assert_allclose(Huber(size).value(one), huber(size, one), rtol=1e-12)
    np.testing.assert_allclose(PseudoHuber(size).value(one), pseudo_huber(size, one), rtol=1e-9, atol=1e-15)
    for rho in (Huber(size), PseudoHuber(size), GemanMcClure(size)):
        step = 1e-5 * (abs(r) + size)
        slope = (rho.value(one + step) - rho.value(one - step)) / (2 * step)
        allowed = 1e-5 * size + 4e-16 * rho.value(one)[0] / step
        np.testing.assert_allclose(rho.weight(one) * r, slope, rtol=2e-4, atol=allowed)
        assert 0.0 <= rho.weight(one)[0] <= 1.0
        assert rho.weight(np.zeros(1))[0] == 1.0


@every_form
@pytest.mark.parametrize(("rho", "value"), [(Huber(0.5), huber), (PseudoHuber(0.5), pseudo_huber)], ids=["H", "pH"])
def test_convex_losses_reach_the_global_optimum(rho, value, form):
    """The limit of MM against a quasi-Newton method on the objective written with SciPy's loss."""
    z, eta = line(), 0.02
    found = fitted(RobustRegression(3, eta, rho, form), z)

    def W(theta):
        return value(0.5, z[:, -1] - z[:, :-1] @ theta).mean() + eta / 2 * theta @ theta

    best = minimize(W, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(found, best.x, atol=1e-6)
    assert W(found) <= best.fun + 1e-14


def test_scikit_learn_finds_the_same_huber_regression():
    """Its estimate of the scale σ makes its loss (2/σ) times ours for δ = εσ, and its α‖w‖² our η = ασ/N."""
    z = line(seed=1)
    theirs = HuberRegressor(epsilon=1.5, alpha=0.3, fit_intercept=False, tol=1e-10, max_iter=2000).fit(
        z[:, :-1], z[:, -1]
    )
    ours = RobustRegression(3, 0.3 * theirs.scale_ / len(z), Huber(1.5 * theirs.scale_))
    np.testing.assert_allclose(fitted(ours, z), theirs.coef_, atol=1e-5)


@every_form
def test_the_bounded_loss_ignores_outliers_and_stops_at_a_stationary_point(form):
    """Geman–McClure recovers the line from the least-squares start; its gradient, by the product rule, vanishes."""
    z, c, eta = line(), 1.0, 1e-6
    x, y = z[:, :-1], z[:, -1]
    start = np.linalg.lstsq(x, y, rcond=None)[0]
    found = fitted(RobustRegression(3, eta, GemanMcClure(c), form), z, start)
    assert np.linalg.norm(start - [2.0, -1.0, 0.5]) > 1.0
    np.testing.assert_allclose(found, [2.0, -1.0, 0.5], atol=0.05)
    u = 1 + ((y - x @ found) / c) ** 2
    slope = (y - x @ found) / u - (y - x @ found) ** 3 / (c * u) ** 2
    assert np.abs(-(slope @ x) / len(x) + eta * found).max() <= 1e-10


def test_a_wide_huber_loss_is_ridge_regression_in_one_step():
    """No residual reaches δ: both forms are least squares."""
    z = line(outliers=0.0)
    expected = Ridge(alpha=0.05 * len(z), fit_intercept=False).fit(z[:, :-1], z[:, -1]).coef_
    for form in FORMS:
        assert np.allclose(fitted(RobustRegression(3, 0.05, Huber(1e3), form), z, rounds=1), expected, atol=1e-12)


@every_loss
@given(seed=seeds)
def test_the_weights_surrogate_lies_below_the_residuals_surrogate(rho, seed):
    """By E[½(1 − w)⟨x, θ − τ⟩²], exactly."""
    rng = np.random.default_rng(seed)
    z, theta, tau = line(seed, n=9), rng.normal(size=3), rng.normal(size=3)
    near, far = (majorization_gap(RobustRegression(3, 0.1, rho, form), z, theta, tau) for form in FORMS)
    move, w = z[:, :-1] @ (theta - tau), rho.weight(z[:, -1] - z[:, :-1] @ tau)
    np.testing.assert_allclose(far - near, 0.5 * ((1 - w) * move**2).mean(), rtol=1e-9, atol=1e-12)


@every_form
@pytest.mark.parametrize(("name", "rho"), [("pseudo-Huber", PseudoHuber(0.7)), ("Geman-McClure", GemanMcClure(0.7))])
def test_the_kernel_is_the_sympy_model(name, rho, form):
    """Loss, S̄, φ, g and T of the definition that the ledger proves, at random points."""
    model = next(e for e in examples() if e.name == "robust").models()[f"{name}, {form}"]
    defined, ours = kernel(model, {"c": 0.7, "eta": 0.3}), RobustRegression(1, 0.3, rho, form)
    rng = np.random.default_rng(4)
    for _ in range(5):
        z, theta, s = rng.normal(size=(6, 2)), rng.normal(size=1), np.abs(rng.normal(size=2))
        np.testing.assert_allclose(ours.loss(z, theta), defined.loss(z, theta), rtol=1e-12)
        np.testing.assert_allclose(ours.S_bar(z, theta), defined.S_bar(z, theta), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(ours.phi(theta), defined.phi(theta), rtol=1e-14)
        np.testing.assert_allclose(ours.T(s), defined.T(s), rtol=1e-14)
        assert ours.g(theta) == pytest.approx(defined.g(theta), rel=1e-14)


def test_degenerate_samples():
    """A perfect fit has weight 1; a feature that is always 0 leaves T to the ridge; an extreme outlier stays finite."""
    z = np.array([[1.0, 0.0, 2.0], [2.0, 0.0, 4.0]])
    for rho in LOSSES:
        problem = RobustRegression(2, 0.1, rho)
        np.testing.assert_array_equal(problem.loss(z, np.array([2.0, 7.0])), [0.0, 0.0])
        s = problem.mean_S_bar(z, np.array([2.0, 7.0]))
        np.testing.assert_allclose(s, [2.5, 0.0, 0.0, 0.0, 5.0, 0.0], rtol=1e-15)
        np.testing.assert_allclose(problem.T(s), [5 / 2.6, 0.0])
        assert np.isfinite(problem.mean_S_bar(np.array([[1.0, 1.0, 1e150]]), np.zeros(2))).all()
        assert np.isfinite(objective(problem, np.array([[1.0, 1.0, 1e150]]), np.zeros(2)))


test_bad_input_is_refused_by_name = refusals(
    (lambda: Huber(0.0), "delta = 0.0"),
    (lambda: PseudoHuber(-1.0), "c = -1.0"),
    (lambda: GemanMcClure(float("nan")), "c = nan"),
    (lambda: RobustRegression(0, 0.1), "d = 0"),
    (lambda: RobustRegression(1, -0.1), "eta = -0.1"),
    (lambda: RobustRegression(1, np.inf), "eta = inf"),
    (lambda: RobustRegression(1, 0.1, form="both"), "form = 'both'"),  # type: ignore[arg-type]
    (lambda: RobustRegression(2, 0.0).T(np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])), "s₁ is singular"),
    (lambda: RobustRegression(1, 0.1).T(np.array([-1.0, 0.0])), "outside 𝒮"),
    (lambda: RobustRegression(2, 0.1).loss(np.zeros((3, 2)), np.zeros(2)), r"z has shape \(3, 2\)"),
    (lambda: RobustRegression(1, 0.1).S_bar(np.zeros((0, 2)), np.zeros(1)), "no rows"),
    (lambda: RobustRegression(1, 0.1).S_bar(np.array([[1.0, np.nan]]), np.zeros(1)), "nan"),
)
