"""Mixtures of regressions: one feature is a Gaussian mixture, EM written out, an independent optimum, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import norm

from fedmm_edu.algorithms import Constant, FedMM, mm
from fedmm_edu.arrays import Array
from fedmm_edu.convex_sets import WholeSpace
from fedmm_edu.examples import examples
from fedmm_edu.examples.mixture import GaussianMixture, Prior
from fedmm_edu.examples.regressions import MixtureOfRegressions, RegressionPrior
from fedmm_edu.federation import Clients, FullBatch
from fedmm_edu.surrogate import objective
from fedmm_edu.symbolic import kernel
from tests.numeric.instances import refusals

seeds = st.integers(0, 2**32 - 1)
PRIOR = RegressionPrior(a=0.02, kappa=0.01, eta=0.05, scatter=0.02)


def lines(seed=0, n=300) -> Array:
    """Two lines, y = 2x + 1 and y = −x, in the shares 0.7 and 0.3, with noise 0.2 and 0.5."""
    rng = np.random.default_rng(seed)
    x, second = rng.uniform(-2, 2, n), rng.uniform(size=n) < 0.3
    y = np.where(second, -x, 2 * x + 1) + np.where(second, 0.5, 0.2) * rng.normal(size=n)
    return np.column_stack([x, np.ones(n), y])


def brute_loss(z, nu, beta, variance) -> Array:
    """−log of the density, with SciPy's normal law."""
    joint = [
        norm.logpdf(z[:, -1], z[:, :-1] @ b, np.sqrt(v)) + np.log(n) for n, b, v in zip(nu, beta, variance, strict=True)
    ]
    return -np.asarray(logsumexp(joint, axis=0))


def brute_g(prior, nu, beta, variance) -> float:
    spread = (prior.kappa * (beta**2).sum(axis=1) + prior.scatter) / variance + prior.eta * np.log(variance)
    return 0.5 * spread.sum() - prior.a * np.log(nu).sum()


@given(seed=seeds)
def test_loss_and_penalty_are_the_densities_they_say(seed):
    rng, problem = np.random.default_rng(seed), MixtureOfRegressions(2, 3, PRIOR)
    nu, beta, variance = 0.1 + 0.8 * rng.dirichlet([1, 1]), rng.normal(size=(2, 2)), rng.uniform(0.1, 3, 2)
    theta, z = problem.theta(nu, beta, variance), lines(seed, 9)
    for mine, given_ in zip(problem.parameters(theta), (nu, beta, variance), strict=True):
        np.testing.assert_allclose(mine, given_, rtol=1e-12)
    np.testing.assert_allclose(problem.loss(z, theta), brute_loss(z, nu, beta, variance), rtol=1e-10, atol=1e-10)
    assert problem.g(theta) == pytest.approx(brute_g(PRIOR, nu, beta, variance), rel=1e-10)
    np.testing.assert_allclose(problem.predict(z[:, :-1], theta), z[:, :-1] @ beta.T @ nu, rtol=1e-11, atol=1e-12)


@given(seed=seeds)
def test_a_round_is_em_written_out(seed):
    """E-step with SciPy's densities, M-step as weighted ridge regressions, component by component."""
    rng, problem = np.random.default_rng(seed), MixtureOfRegressions(2, 3, PRIOR)
    nu, beta, variance = rng.dirichlet([5, 5]), rng.normal(size=(2, 2)), rng.uniform(0.1, 3, 2)
    z = lines(seed, 40)
    x, y = z[:, :-1], z[:, -1]
    joint = np.array([nu[k] * norm.pdf(y, x @ beta[k], np.sqrt(variance[k])) for k in (0, 1)])
    found = problem.parameters(problem.T(problem.mean_S_bar(z, problem.theta(nu, beta, variance))))
    for k, r in enumerate(joint / joint.sum(axis=0) / len(z)):
        slope = np.linalg.solve((x * r[:, None]).T @ x + PRIOR.kappa * np.eye(2), x.T @ (r * y))
        left = r @ (y - x @ slope) ** 2 + PRIOR.kappa * slope @ slope + PRIOR.scatter
        assert found[0][k] == pytest.approx((r.sum() + PRIOR.a) / (1 + 2 * PRIOR.a), rel=1e-10)
        np.testing.assert_allclose(found[1][k], slope, rtol=1e-8, atol=1e-10)
        assert found[2][k] == pytest.approx(left / (r.sum() + PRIOR.eta), rel=1e-9)


@given(seed=seeds)
@settings(max_examples=20)
def test_with_a_constant_feature_it_is_a_gaussian_mixture_on_the_line(seed):
    """The same M-steps from the same start, for ten rounds."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.normal(-2, 1, 20), rng.normal(2, 0.5, 30))
    ours = MixtureOfRegressions(2, 2, PRIOR)
    other = GaussianMixture(2, 1, Prior.of(np.zeros(1), [[PRIOR.scatter]], a=PRIOR.a, kappa=PRIOR.kappa, eta=PRIOR.eta))
    theta = ours.theta([0.4, 0.6], [[-1.0], [1.0]], [1.0, 2.0])
    tau = other.theta([0.4, 0.6], [[-1.0], [1.0]], [[[1.0]], [[2.0]]])
    z = np.column_stack([np.ones(50), y])
    for _ in range(10):
        assert objective(ours, z, theta) == pytest.approx(objective(other, y[:, None], tau), rel=1e-10)
        theta, tau = ours.T(ours.mean_S_bar(z, theta)), other.T(other.mean_S_bar(y[:, None], tau))
    for mine, theirs in zip(ours.parameters(theta), other.parameters(tau), strict=True):
        np.testing.assert_allclose(mine.ravel(), theirs.ravel(), rtol=1e-8)


def test_federated_em_finds_the_optimum_that_a_quasi_newton_method_finds():
    """Three clients that hold different parts of the line; the start is far, the truth is near the optimum."""
    z, problem = lines(), MixtureOfRegressions(2, 3, PRIOR)
    clients = Clients.of(np.array_split(z[np.argsort(z[:, 0])], [40, 160]))
    fed = FedMM(problem, clients, Constant(1.0), FullBatch())
    state = fed.init(fed.point(problem.theta([0.5, 0.5], [[1.0, 0.0], [-0.5, 0.0]], [1.0, 1.0])))
    for _ in range(400):
        state = fed.step(state)
    nu, beta, variance = problem.parameters(fed.theta(state))
    np.testing.assert_allclose(beta, [[2.0, 1.0], [-1.0, 0.0]], atol=0.15)

    def W(v):
        share = np.array([1.0, np.exp(v[0])]) / (1.0 + np.exp(v[0]))
        slopes, noise = v[1:5].reshape(2, 2), np.exp(v[5:])
        return brute_loss(z, share, slopes, noise).mean() + brute_g(PRIOR, share, slopes, noise)

    here = np.concatenate([[np.log(nu[1] / nu[0])], beta.ravel(), np.log(variance)])
    best = minimize(W, here + 0.05, method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(here, best.x, rtol=0, atol=1e-5)
    assert W(here) <= best.fun + 1e-13
    alone = mm(problem, z)
    single = alone.init(alone.point(problem.theta([0.5, 0.5], [[1.0, 0.0], [-0.5, 0.0]], [1.0, 1.0])))
    for _ in range(400):
        single = alone.step(single)
    np.testing.assert_allclose(fed.theta(state), alone.theta(single), rtol=1e-10)


def test_the_kernel_is_the_sympy_model():
    """ℓ, S̄, φ and T of *everything*, whose first parameter is log ν₁/ν₂ and whose statistics go by component."""
    model = next(e for e in examples() if e.name == "regressions").models()["everything"]
    prior = RegressionPrior(a=0.1, kappa=0.2, eta=0.3, scatter=0.4)
    defined = kernel(model, {"a": 0.1, "kappa": 0.2, "eta": 0.3, "Psi": 0.4}, S=WholeSpace(8))
    ours, rng = MixtureOfRegressions(2, 2, prior), np.random.default_rng(1)

    def translated(s):
        """(s₀, xx, xy, yy) of each component, from our order with √2 xy."""
        counts, moments = s[..., :2], s[..., 2:].reshape(*s.shape[:-1], 2, 3) / [1.0, np.sqrt(2.0), 1.0]
        return np.concatenate([counts[..., None], moments], axis=-1).reshape(*s.shape[:-1], 8)

    def natural(theta):
        return np.concatenate([[np.log(theta[0] / theta[1])], theta[2:]])

    for _ in range(5):
        z = rng.normal(size=(6, 2))
        theta = ours.theta(rng.dirichlet([5, 5]), rng.normal(size=(2, 1)), rng.uniform(0.3, 2, 2))
        shift = 0.5 * np.log(2 * np.pi)
        np.testing.assert_allclose(ours.loss(z, theta) - shift, defined.loss(z, natural(theta)), rtol=1e-10)
        rows = ours.S_bar(z, theta)
        np.testing.assert_allclose(translated(rows), defined.S_bar(z, natural(theta)), rtol=1e-10, atol=1e-14)
        s = rows.mean(axis=0)
        np.testing.assert_allclose(natural(ours.T(s)), defined.T(translated(s)), rtol=1e-10)
        inner = s @ ours.phi(theta) + shift  # the counts sum to one
        assert inner == pytest.approx(translated(s) @ defined.phi(natural(theta)), rel=1e-10)


GOOD = MixtureOfRegressions(2, 2, PRIOR)


test_bad_input_is_refused_by_name = refusals(
    (lambda: RegressionPrior(0.0, 1.0, 1.0, 1.0), "a = 0.0"),
    (lambda: RegressionPrior(1.0, 1.0, 1.0, -1.0), "scatter = -1.0"),
    (lambda: MixtureOfRegressions(2, 1, PRIOR), "p = 1"),
    (lambda: GOOD.theta([0.5, 0.5], [[1.0], [1.0]], [1.0, 0.0]), "variances has the entry 0.0"),
    (lambda: GOOD.theta([0.5, 0.6], [[1.0], [1.0]], [1.0, 1.0]), "weights sums to"),
    (lambda: GOOD.theta([1.0, 0.0], [[1.0], [1.0]], [1.0, 1.0]), "outside Θ"),
    (lambda: GOOD.loss(np.zeros((2, 3)), np.zeros(6)), r"shape \(2, 3\)"),
    (lambda: GOOD.T(np.array([1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0])), "outside 𝒮"),
)
