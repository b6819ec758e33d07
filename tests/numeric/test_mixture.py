"""What Gaussian mixtures compute: scikit-learn's EM, the SymPy definition, independent minimisers and densities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import dirichlet, invwishart, multivariate_normal
from sklearn.mixture import GaussianMixture as TheirMixture

from fedmm_edu.algorithms import mm
from fedmm_edu.examples.mixture import EXAMPLE, GaussianMeans, GaussianMixture, PooledGaussianMeans, Prior
from fedmm_edu.surrogate import majorization_gap, mean_loss, surrogate_value
from fedmm_edu.symbolic import kernel
from tests.numeric.instances import instance, seeds

FULL = EXAMPLE.cases["weights, means, covariances, L = 2, p = 2"]


def clusters(rng, N, L=3, p=2):
    return 4.0 * np.eye(max(L, p))[rng.integers(0, L, N), :p] + rng.normal(size=(N, p)) * rng.uniform(0.5, 1.5, p)


def start(rng, z, L):
    """Weights, means and covariances to begin from."""
    p = z.shape[1]
    factors = rng.normal(size=(L, p, p + 2))
    return rng.dirichlet(np.full(L, 5.0)), z[rng.choice(len(z), L, replace=False)], factors @ factors.swapaxes(1, 2)


def theirs(L, weights, means, covariances, steps, tol=0.0):
    return TheirMixture(
        L, reg_covar=0.0, tol=tol, max_iter=steps, weights_init=weights, means_init=means,
        precisions_init=np.linalg.inv(covariances), init_params="random", random_state=0,
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore:Best performing initialization did not converge")
@given(seed=seeds, L=st.integers(1, 3), p=st.integers(1, 3))
@settings(max_examples=15)
def test_one_step_without_prior_is_one_em_step_of_scikit_learn(seed, L, p):
    rng = np.random.default_rng(seed)
    z = clusters(rng, 60, L, p)
    weights, means, covariances = start(rng, z, L)
    problem = GaussianMixture(L, p)
    theta = problem.T(problem.mean_S_bar(z, problem.theta(weights, means, covariances)))
    found, expected = problem.parameters(theta), theirs(L, weights, means, covariances, 1).fit(z)
    np.testing.assert_allclose(found[0], expected.weights_, rtol=1e-9)
    np.testing.assert_allclose(found[1], expected.means_, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found[2], expected.covariances_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(-problem.loss(z, theta), expected.score_samples(z), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(problem.responsibilities(z, theta), expected.predict_proba(z), rtol=1e-6, atol=1e-9)


def test_converged_em_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    z = clusters(rng, 300)
    weights, means, covariances = np.full(3, 1 / 3), z[[5, 100, 200]], np.tile(np.eye(2), (3, 1, 1))
    problem = GaussianMixture(3, 2)
    fed = mm(problem, z)
    state = fed.init(fed.point(problem.theta(weights, means, covariances)))
    for _ in range(400):
        state = fed.step(state)
    expected = theirs(3, weights, means, covariances, 2000, tol=1e-14).fit(z)
    for found, their in zip(
        problem.parameters(fed.theta(state)), (expected.weights_, expected.means_, expected.covariances_), strict=True
    ):
        np.testing.assert_allclose(found, their, rtol=1e-5, atol=1e-5)
    assert -mean_loss(problem, z, fed.theta(state)) == pytest.approx(expected.score(z), abs=1e-10)


@pytest.mark.parametrize("name", ["means", "means, known average"])
def test_the_kernel_is_the_symbolic_model(name):
    """One definition, two lives: every function of the SymPy model at numbers, L = 2, p = 1."""
    nu, sigma, lam = np.array([0.4, 0.6]), np.array([0.7, 1.3]), 0.2
    constants = {"nu1": 0.4, "nu2": 0.6, "sigma1": 0.7, "sigma2": 1.3, "lambda": lam}
    rng = np.random.default_rng(0)
    z, theta = rng.normal(size=(9, 1)), rng.normal(size=2)
    if name == "means":
        ours = GaussianMeans(nu, (sigma**2)[:, None, None], lam)
    else:
        ours = PooledGaussianMeans(nu, (sigma**2)[:, None, None], lam, [z.mean()])
        constants["m"] = float(z.mean())
    model = kernel(EXAMPLE.models()[name], constants, S=ours.S)
    s = ours.mean_S_bar(z, theta)
    np.testing.assert_allclose(ours.S_bar(z, theta), model.S_bar(z, theta), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ours.phi(theta), model.phi(theta), rtol=1e-13)
    np.testing.assert_allclose(ours.T(s), model.T(s), rtol=1e-12)
    assert ours.psi(theta) == pytest.approx(model.psi(theta), abs=1e-13)
    assert ours.g(theta) == pytest.approx(model.g(theta))
    assert mean_loss(ours, z, theta) == pytest.approx(mean_loss(model, z, theta), abs=1e-13)


def test_the_full_kernel_is_the_symbolic_model():
    """The two differ in the names of parameters: log-odds for weights, and statistics stored with √2."""
    constants = {"a": 0.1, "kappa": 0.05, "eta": 0.4, "Psi": 1.0}
    ours = GaussianMixture(2, 1, Prior.of([0.0], [[1.0]], a=0.1, kappa=0.05, eta=0.4))
    model = kernel(EXAMPLE.models()["everything"], constants, S=ours.S)
    rng = np.random.default_rng(0)
    z, b, w = rng.normal(size=(9, 1)), rng.normal(size=2), rng.uniform(0.5, 2.0, 2)
    theirs, mine = np.array([0.3, *b, *w]), np.array([1 / (1 + np.exp(-0.3)), 1 / (1 + np.exp(0.3)), *b, *w])
    rows = ours.S_bar(z, mine) / np.tile([1.0, np.sqrt(2.0), 1.0], 2)
    np.testing.assert_allclose(rows, model.S_bar(z, theirs), rtol=1e-12, atol=1e-14)
    found, expected = ours.T(ours.mean_S_bar(z, mine)), model.T(rows.mean(axis=0))
    np.testing.assert_allclose([np.log(found[0] / found[1]), *found[2:]], expected, rtol=1e-11)
    constant = 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(ours.loss(z, mine), model.loss(z, theirs) + constant, rtol=1e-12)
    assert ours.g(mine) == pytest.approx(model.g(theirs))


def test_g_is_the_negative_log_density_of_the_conjugate_prior():
    """Dirichlet(a + 1) times normal-inverse-Wishart, up to a constant: SciPy's densities, at two points."""
    p, L, a, kappa, eta = 2, 3, 0.7, 1.3, 12.0
    center, scatter = np.array([0.5, -1.0]), np.array([[2.0, 0.4], [0.4, 1.0]])
    problem = GaussianMixture(L, p, Prior.of(center, scatter, a=a, kappa=kappa, eta=eta))
    rng, values = np.random.default_rng(0), []
    for _ in range(2):
        weights, means, covariances = start(rng, rng.normal(size=(9, p)), L)
        weights = 0.3 * weights + 0.7 / L
        log_prior = dirichlet(np.full(L, a + 1)).logpdf(weights)
        for m, G in zip(means, covariances, strict=True):
            # exponent of det Γ: (df + p + 1)/2 from the inverse Wishart and 1/2 from the normal make η/2
            log_prior += invwishart(eta - p - 2, scatter).logpdf(G) + multivariate_normal(center, G / kappa).logpdf(m)
        values.append(problem.g(problem.theta(weights, means, covariances)) + log_prior)
    assert values[0] == pytest.approx(values[1], rel=1e-12)


@pytest.mark.parametrize("max_variance", [1e12, 1.5])
@given(seed=seeds)
@settings(max_examples=10)
def test_T_of_the_full_mixture_is_found_by_an_independent_minimiser(max_variance, seed):
    """BFGS over ν, m and a factor F of Γ⁻¹ = FFᵀ + I/max_variance; with a small `max_variance` the bound on Γ binds."""
    problem = GaussianMixture(2, 2, FULL.problem(None).prior, max_variance=max_variance)
    rng = np.random.default_rng(seed)
    z = 2.0 * rng.normal(size=(7, 2))
    r = rng.dirichlet([1.0, 1.0], size=7)
    s = problem.statistics(z, r).mean(axis=0)
    best = problem.T(s)
    assert problem.Theta.contains(best, tol=1e-12)
    assert (np.linalg.eigvalsh(problem.parameters(best)[2])[:, -1] <= max_variance * (1 + 1e-12)).all()

    def value(x):
        logits, means, F = np.array([x[0], 0.0]), x[1:5].reshape(2, 2), np.zeros((2, 2, 2))
        F[:, [0, 1, 1], [0, 0, 1]] = x[5:].reshape(2, 3)
        omega = F @ F.transpose(0, 2, 1) + np.eye(2) / max_variance * (1 + 1e-12)  # inside Θ in spite of rounding
        weights = np.exp(logits - logits.max())
        theta = problem.Theta.join(weights / weights.sum(), np.einsum("lij,lj->li", omega, means), omega)
        return surrogate_value(problem, theta, s)

    found = minimize(value, np.concatenate([[0.1], rng.normal(size=10)]), method="BFGS", options={"gtol": 1e-7})
    assert found.fun == pytest.approx(surrogate_value(problem, best, s), abs=1e-9)


@given(seed=seeds)
@settings(max_examples=20)
def test_renaming_the_components_renames_everything(seed):
    rng = np.random.default_rng(seed)
    z, order = clusters(rng, 30), rng.permutation(3)
    weights, means, covariances = start(rng, z, 3)
    plain = GaussianMeans(weights, covariances, 0.1)
    renamed = GaussianMeans(weights[order] / weights[order].sum(), covariances[order], 0.1)
    ours = plain.T(plain.mean_S_bar(z, means.ravel())).reshape(3, 2)[order]
    np.testing.assert_allclose(
        renamed.T(renamed.mean_S_bar(z, means[order].ravel())).reshape(3, 2), ours, rtol=1e-9, atol=1e-11
    )
    full = GaussianMixture(3, 2, Prior.of([0.0, 0.0], np.eye(2), a=0.01, kappa=0.01, eta=0.1))
    weights = (weights + 1) / 4
    one = full.T(full.mean_S_bar(z, full.theta(weights, means, covariances)))
    other = full.T(full.mean_S_bar(z, full.theta(weights[order], means[order], covariances[order])))
    for a, b in zip(full.parameters(one), full.parameters(other), strict=True):
        np.testing.assert_allclose(a[order], b, rtol=1e-8, atol=1e-10)


def test_the_pooled_form_and_the_form_with_all_components_are_one_algorithm():
    """Eliminating the last component changes the coordinates of s and nothing else."""
    case = EXAMPLE.cases["means with known average, L = 3, p = 2"]
    it = instance(case, seed=8, least=10)
    z, weights = it.clients.pooled()
    whole = EXAMPLE.cases["means, L = 3, p = 2"].problem(it.clients)
    theta = it.theta
    for _ in range(5):
        one = it.problem.T(it.problem.mean_S_bar(z, theta, weights))
        theta = whole.T(whole.mean_S_bar(z, theta, weights))
        np.testing.assert_allclose(one, theta, rtol=1e-11)
    gaps = [majorization_gap(problem, z, it.tau, theta, weights) for problem in (it.problem, whole)]
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-12)
