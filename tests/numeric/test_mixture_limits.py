"""Gaussian mixtures in hard conditions: far and repeated samples, empty components, small memory, bad input."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from scipy.special import logsumexp, softmax
from scipy.stats import multivariate_normal

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.mixture import (
    EXAMPLE,
    GaussianMeans,
    GaussianMixture,
    PooledGaussianMeans,
    Prior,
    full,
    posterior,
)
from fedmm_edu.federation import Bernoulli, Clients, RandK
from tests.numeric.instances import instance, refusals, seeds

CASES = pytest.mark.parametrize("case", [pytest.param(c, id=name) for name, c in EXAMPLE.cases.items()])
FULL = EXAMPLE.cases["weights, means, covariances, L = 2, p = 2"]
EYE = np.tile(np.eye(2), (2, 1, 1))


@CASES
@example(seed=65536)  # entries below the least normal number
@given(seed=seeds)
@settings(max_examples=20)
def test_responsibilities_are_a_law_and_S_bar_lies_in_S(case, seed):
    it = instance(case, seed)
    z = it.clients.z * np.random.default_rng(seed).choice([1.0, 1e3])
    r = it.problem.responsibilities(z, it.theta)
    assert (r >= 0).all()
    np.testing.assert_allclose(r.sum(axis=1), 1.0, rtol=1e-14)
    for row in it.problem.S_bar(z, it.theta):
        assert it.problem.contains(row)
    assert it.problem.contains(it.problem.mean_S_bar(z, it.theta), tol=1e-12)


@CASES
def test_far_samples_make_no_nan(case):
    """At 10⁸ every density underflows, the posterior and T do not; where squares overflow, the sample is named."""
    it = instance(case, seed=5, least=4)
    z = it.clients.z.copy()
    z[0] = 1e8
    r = it.problem.responsibilities(z, it.theta)
    np.testing.assert_allclose(r.sum(axis=1), 1.0, rtol=1e-14)
    s = it.problem.mean_S_bar(z, it.theta)
    assert np.isfinite(it.problem.T(s)).all()
    assert np.isfinite(it.problem.loss(z, it.problem.T(s))).all()
    z[0] = 1e200
    with pytest.raises(InvalidInput, match=r"1\.e\+200"):
        it.problem.mean_S_bar(z, it.theta)


@CASES
@given(seed=seeds)
@settings(max_examples=20)
def test_duplicates_are_weights(case, seed):
    it = instance(case, seed)
    z, counts = it.clients.z, np.random.default_rng(seed).integers(1, 4, len(it.clients.z))
    repeated = it.problem.mean_S_bar(np.repeat(z, counts, axis=0), it.theta)
    np.testing.assert_allclose(
        it.problem.mean_S_bar(z, it.theta, counts / counts.sum()), repeated, rtol=1e-12, atol=1e-14
    )


@CASES
@pytest.mark.parametrize("piece", [1, 40, 300])
def test_pieces_change_no_bit_of_a_small_client(monkeypatch, case, piece):
    """How many samples are taken at a time is a matter of memory, and so is who else is asked."""
    it = instance(case, seed=3, n=9)
    z, offsets = it.clients.z, it.clients.offsets
    whole = it.problem.mean_S_bars(z, offsets, it.theta)
    monkeypatch.setattr(posterior, "PIECE", piece)
    monkeypatch.setattr(posterior, "LEAST", 1)
    cut = it.problem.mean_S_bars(z, offsets, it.theta)
    np.testing.assert_allclose(cut, whole, rtol=1e-13, atol=1e-14)
    weights = it.clients.pooled()[1]
    np.testing.assert_allclose(it.problem.mean_S_bar(z, it.theta, weights), it.clients.mu @ whole, rtol=1e-12)
    monkeypatch.undo()
    for i in range(9):
        assert (it.problem.mean_S_bar(z[offsets[i] : offsets[i + 1]], it.theta) == whole[i]).all()


@pytest.mark.parametrize("p", [9, 33])
def test_a_wide_mixture_is_scipys_and_no_sample_changes_a_bit_of_another(monkeypatch, p):
    """From `WIDE` numbers a sample on, sums are products of matrices: the same values, client by client."""
    rng = np.random.default_rng(p)
    roots = np.linalg.qr(rng.normal(size=(2, p, p)))[0] * rng.uniform(0.5, 2.0, size=(2, 1, p))
    means, covariances, nu = rng.normal(size=(2, p)), roots @ roots.transpose(0, 2, 1), np.array([0.3, 0.7])
    problem, sizes = GaussianMixture(2, p), [1, 2, 70, 64, 33]
    theta, z = problem.theta(nu, means, (covariances + covariances.transpose(0, 2, 1)) / 2), rng.normal(size=(170, p))
    logs = np.stack([multivariate_normal(m, c).logpdf(z) for m, c in zip(means, covariances, strict=True)], axis=1)
    np.testing.assert_allclose(problem.loss(z, theta), -np.asarray(logsumexp(logs + np.log(nu), axis=1)), rtol=1e-12)
    np.testing.assert_allclose(problem.responsibilities(z, theta), softmax(logs + np.log(nu), axis=1), rtol=1e-10)

    clients = Clients.of_rows(z, sizes)
    together = problem.mean_S_bars(z, clients.offsets, theta)
    weighted = problem.mean_S_bar(z, theta, clients.pooled()[1])
    np.testing.assert_allclose(weighted, clients.mu @ together, rtol=1e-12, atol=1e-14)
    assert all((problem.mean_S_bar(own, theta) == s).all() for own, s in zip(clients, together, strict=True))
    assert (problem.loss(z, theta)[::-1] == problem.loss(z[::-1], theta)).all()
    monkeypatch.setattr(posterior, "WIDE", p + 1)
    monkeypatch.setattr(full, "WIDE", p + 1)
    row_by_row = problem.mean_S_bars(z, clients.offsets, theta)
    assert not (row_by_row == together).all()  # it is another path
    np.testing.assert_allclose(together, row_by_row, rtol=1e-12, atol=1e-13)


def test_an_empty_component_stays_defined_with_a_penalty_and_is_refused_without():
    z = np.random.default_rng(0).normal(size=(6, 2))
    means = GaussianMeans([0.5, 0.5], np.tile(np.eye(2), (2, 1, 1)), 0.1)
    s = means.mean_S_bar(z, np.array([0.0, 0.0, 1e4, 1e4]))
    assert s[-1] == 0.0
    assert (means.T(s)[2:] == 0.0).all()
    everything = z.mean(axis=0)
    pseudo = GaussianMixture(2, 2, Prior.of([1.0, 2.0], np.eye(2), a=0.1, kappa=0.2, eta=0.4))
    s = pseudo.statistics(z, np.tile([1.0, 0.0], (6, 1))).mean(axis=0)
    weights, centres, covariances = pseudo.parameters(pseudo.T(s))
    np.testing.assert_allclose(weights, [1.1 / 1.2, 0.1 / 1.2])
    np.testing.assert_allclose(centres, [(everything + 0.2 * np.array([1.0, 2.0])) / 1.2, [1.0, 2.0]])
    np.testing.assert_allclose(covariances[1], np.eye(2) / 0.4)
    with pytest.raises(InvalidInput, match="component is empty"):
        GaussianMixture(2, 2).T(s)
    one = GaussianMixture(1, 2)
    with pytest.raises(InvalidInput, match="covariance is singular"):
        one.T(one.statistics(z[:1], np.ones((1, 1))).mean(axis=0))


def test_a_round_with_partial_participation_and_compression_stays_in_S():
    it = instance(FULL, seed=4, n=6)
    fed = FedMM(it.problem, it.clients, Constant(0.5), participation=Bernoulli(0.4), compressor=RandK(2), alpha=0.05)
    state, outside = fed.init(fed.point(it.theta)), 0
    for _ in range(40):
        state = fed.step(state)
        assert it.problem.contains(state.x, tol=1e-12)
        outside += int(np.linalg.eigvalsh(it.problem.S.matrices(state.x))[:, 0].min() < 1e-9)
    assert outside > 0  # the boundary was reached: the projection did something


test_bad_input_is_named = refusals(
        (lambda: GaussianMeans([0.5, 0.6], EYE, 0.1), "sums to"),
        (lambda: GaussianMeans([1.0, 0.0], EYE, 0.1), "leave out components"),
        (lambda: GaussianMeans([0.5, 0.5], -EYE, 0.1), "positive definite"),
        (lambda: GaussianMeans([0.5, 0.5], EYE + np.triu(np.ones((2, 2)), 1), 0.1), "not symmetric"),
        (lambda: GaussianMeans([0.5, 0.5], np.eye(2), 0.1), "covariances has shape"),
        (lambda: GaussianMeans([0.5, 0.5], 3.0, 0.1), "covariances has shape"),
        (lambda: GaussianMeans([0.5, 0.5], EYE, 0.0), "lam = 0.0"),
        (lambda: GaussianMeans([0.5, 0.5], EYE, 0.1).S_bar(np.ones((3, 1)), np.zeros(4)), "z has shape"),
        (lambda: GaussianMeans([0.5, 0.5], EYE, 0.1).S_bar(np.ones((0, 2)), np.zeros(4)), "no rows"),
        (lambda: GaussianMeans([0.5, 0.5], EYE, 0.1).S_bar([[np.nan, 0.0]], np.zeros(4)), "finite"),
        (lambda: GaussianMeans([0.5, 0.5], EYE, 0.1).S_bar(np.ones((3, 2)), np.zeros(3)), "theta has shape"),
        (lambda: GaussianMeans([0.5, 0.5], EYE, 0.1).T(np.zeros(6)), "outside 𝒮"),
        (lambda: GaussianMeans([0.5, 0.5], EYE, 0.1).Ts(np.array([[0, 0, 0, 0, 0.5, 0.5], [0, 0, 0, 0, -1, 2]])), "𝒮"),
        (lambda: PooledGaussianMeans([0.5, 0.5], EYE, 0.1, [0.0]), "mean_z has shape"),
        (lambda: PooledGaussianMeans([1.0], EYE[:1], 0.1, [0.0, 0.0]), "one component"),
        (lambda: PooledGaussianMeans([0.5, 0.5], EYE, 0.1, [0.0, 0.0]).Ts(np.array([[0.0, 0.0, 1.5]])), "outside 𝒮"),
        (lambda: GaussianMixture(0, 2), "L = 0"),
        (lambda: GaussianMixture(2, 2, max_variance=0.0), "max_variance"),
        (lambda: GaussianMixture(2, 3, Prior.of([0.0, 0.0], np.eye(2), a=1, kappa=1, eta=1)), "the prior has p = 2"),
        (lambda: Prior.of([0.0, 0.0], np.eye(2), a=0.0, kappa=1, eta=1), "a = 0.0"),
        (lambda: Prior.of([0.0, 0.0], np.zeros((2, 2)), a=1, kappa=1, eta=1), "positive definite"),
        (lambda: GaussianMixture(2, 2).theta([0.5, 0.5], np.zeros((2, 2)), -EYE), "positive definite"),
        (lambda: GaussianMixture(2, 2, max_variance=0.5).theta([0.5, 0.5], np.zeros((2, 2)), EYE), "outside Θ"),
        (lambda: GaussianMixture(1, 1).T(np.array([1.0, 5.0, 1.0])), "outside 𝒮"),
        (lambda: GaussianMeans([0.5, 0.5], EYE, 0.1).statistics(np.ones((3, 2)), np.ones((2, 2))), "labels has shape"),
)  # fmt: skip
