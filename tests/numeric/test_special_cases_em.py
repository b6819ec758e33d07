"""EM, online EM, SAEM and stochastic MM as settings of one loop, each against its own definition."""

import itertools

import numpy as np
from scipy.optimize import minimize

from fedmm_edu.algorithms import mm, sa_ssmm
from fedmm_edu.examples.mixture import SimulatedLabels
from fedmm_edu.federation import Clients, Draws, Purpose, Stream, uniforms
from tests.numeric.literature import COVARIANCES, LAM, e_step, m_step, mixture, streamed


def test_em_is_mm():
    """Dempster, Laird and Rubin 1977, with the penalty (MAP)."""
    problem, z, theta = mixture()
    fed = mm(problem, z)
    state, means = fed.init(fed.point(theta)), theta.reshape(2, 2)
    for _ in range(5):
        np.testing.assert_allclose(state.x[4:].sum(), 1.0, rtol=1e-14)
        firsts, counts = zip(*(e_step(row, means) for row in z), strict=True)
        means = m_step(np.mean(firsts, axis=0), np.mean(counts, axis=0))
        np.testing.assert_allclose(fed.theta(state).reshape(2, 2), means, rtol=1e-11)
        state = fed.step(state)


def test_online_em():
    """Cappé and Moulines 2009, eqs. (12)-(13): ŝ ← ŝ + γ_t(s̄(Y_t; θ̂) − ŝ), θ̂ = θ̄(ŝ), with γ_t = t^(−0.6)."""
    problem, z, theta = mixture()
    fed = sa_ssmm(problem, z, gamma=lambda t: t**-0.6, oracle=Stream(1), seed=5)
    state, means = fed.init(fed.point(theta)), theta.reshape(2, 2)
    first, counts = state.x[:4].reshape(2, 2), state.x[4:]
    for t in range(1, 20):
        means = m_step(first, counts)
        new_first, new_counts = e_step(streamed(z, 5, t)[0], means)
        gamma = t**-0.6
        first, counts = first + gamma * (new_first - first), counts + gamma * (new_counts - counts)
        state = fed.step(state)
        np.testing.assert_allclose(state.x, [*first.ravel(), *counts], rtol=1e-10, atol=1e-13)
    assert np.abs(m_step(first, counts) - means).max() > 0


def test_saem():
    """Delyon, Lavielle and Moulines 1999: simulate labels, ŝ ← ŝ + γ_t(S(Y, h) − ŝ), maximise."""
    problem, z, theta = mixture()
    fed = sa_ssmm(problem, z, gamma=lambda t: 1.0 / t, oracle=SimulatedLabels(2), seed=8)
    state = fed.init(fed.point(theta))
    first, counts = state.x[:4].reshape(2, 2), state.x[4:]
    for t in range(1, 10):
        means = m_step(first, counts)
        u = uniforms(8, Purpose.LATENT, [0], t, 2 * len(z))[0].reshape(-1, 2)
        h = np.array(
            [
                [np.searchsorted(np.cumsum(e_step(row, means)[1])[:-1], x, "right") for x in v]
                for row, v in zip(z, u, strict=True)
            ]
        )
        onehot = np.stack([(h == label).mean(axis=1) for label in (0, 1)])
        first, counts = first + (onehot @ z / len(z) - first) / t, counts + (onehot.mean(axis=1) - counts) / t
        state = fed.step(state)
        np.testing.assert_allclose(state.x, [*first.ravel(), *counts], rtol=1e-10, atol=1e-13)


def test_simulated_labels_are_an_unbiased_oracle():
    """A3: the mean over all labels is the exact E-step; the draws follow that law, with a variance of 1/m."""
    problem, z, _ = mixture(N=3)
    clients, theta = Clients.of([z[:1], z[1:]]), np.array([1.2, 1.0, 1.8, 2.0])
    r = problem.responsibilities(z, theta)
    mean = np.zeros(problem.q)
    for labels in itertools.product(range(2), repeat=3):
        mean += np.prod(r[range(3), labels]) * problem.statistics(z, np.eye(2)[list(labels)]).mean(axis=0)
    np.testing.assert_allclose(mean, problem.mean_S_bar(z, theta), rtol=1e-12)
    exact, spread = problem.mean_S_bars(z, clients.offsets, theta), []
    for m in (1, 16):
        oracle = SimulatedLabels(m)
        drawn = [oracle(problem, clients, theta, Draws(seed, 1, np.arange(2))) for seed in range(1000)]
        spread.append(np.std(drawn, axis=0))
        assert (np.abs(np.mean(drawn, axis=0) - exact) <= 5 * spread[-1] / np.sqrt(1000)).all()
    ratio = spread[1] / spread[0]
    assert ((ratio > 0.2) & (ratio < 0.3)).all()


def test_stochastic_mm_is_sa_ssmm():
    """Mairal 2013, Algorithm 1: ḡ_t = (1 − w_t)ḡ_{t−1} + w_t g_t, θ_t = argmin ḡ_t, with functions kept."""
    problem, z, theta = mixture()
    fed = sa_ssmm(problem, z, gamma=lambda t: (t + 1) ** -0.75, oracle=Stream(1), seed=9)
    state = fed.init(fed.point(theta))
    parts = [(1.0, e_step(row, theta.reshape(2, 2)), 1 / len(z)) for row in z]
    precisions = np.linalg.inv(COVARIANCES)

    def average(flat, parts):
        means, value = flat.reshape(2, 2), LAM / 2 * flat @ flat
        for weight, (first, counts), share in parts:
            for m, f, c, P in zip(means, first, counts, precisions, strict=True):
                value += weight * share * (c / 2 * m @ P @ m - f @ P @ m)
        return value

    for t in range(1, 4):
        w = (t + 1) ** -0.75
        now = minimize(average, theta, args=(parts,), method="BFGS", options={"gtol": 1e-9}).x
        np.testing.assert_allclose(fed.theta(state), now, rtol=1e-5, atol=1e-6)
        new = (w, e_step(streamed(z, 9, t)[0], fed.theta(state).reshape(2, 2)), 1.0)
        parts = [*((weight * (1 - w), s, share) for weight, s, share in parts), new]
        state = fed.step(state)


def test_simulated_labels_do_not_depend_on_who_else_is_active():
    problem, z, theta = mixture()
    clients = Clients.of([z[:5], z[5:6], z[6:]])
    draws = Draws(1, 4, np.arange(3))
    everyone = SimulatedLabels(3)(problem, clients, theta, draws)
    alone = SimulatedLabels(3)(problem, clients, theta, draws.only(np.array([2])))
    np.testing.assert_array_equal(everyone[2], alone[0])
