"""Stochastic gradient methods as settings of one loop, each against its own definition."""

import numpy as np
from sklearn.linear_model import SGDRegressor

from fedmm_edu.algorithms import Constant, FedMM, ParameterSpace, sa_ssmm
from fedmm_edu.examples.quadratic import L1
from fedmm_edu.federation import Clients, FixedSize, Purpose, RandK, Stream, uniforms
from tests.numeric.literature import gradient, regression, soft, streamed


def test_stochastic_gradient_descent_is_sa_ssmm_without_penalty():
    """Robbins and Monro: θ ← θ − γρ∇ℓ(Z, θ); scikit-learn's SGDRegressor makes the same steps from the same samples."""
    problem, z, rho = regression()
    fed = sa_ssmm(problem, z, gamma=lambda t: 1.0 / t**0.6, oracle=Stream(1), seed=3)
    state = fed.init(np.zeros(3))
    theirs = SGDRegressor(penalty=None, learning_rate="constant", fit_intercept=False)
    theta = np.zeros(3)
    for t in range(1, 15):
        row, step = streamed(z, 3, t), rho / t**0.6
        theta = theta - step * gradient(theta, row)
        theirs.set_params(eta0=step).partial_fit(row[:, :3], row[:, 3])
        state = fed.step(state)
        np.testing.assert_allclose(fed.theta(state), theta, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(theirs.coef_, theta, rtol=1e-11, atol=1e-13)


def test_stochastic_proximal_gradient_is_sa_ssmm_with_gamma_1():
    """Atchadé, Fort and Moulines 2017: θ ← prox_{ρg}(θ − ρG) with a mini-batch gradient G."""
    problem, z, rho = regression(penalty=L1(0.2))
    fed = sa_ssmm(problem, z, gamma=Constant(1.0), oracle=Stream(3), seed=1)
    state = fed.init(np.array([1.0, -1.0, 0.5]))
    theta = fed.theta(state)
    for t in range(1, 15):
        theta = soft(theta - rho * gradient(theta, streamed(z, 1, t, 3)), 0.2 * rho)
        state = fed.step(state)
        np.testing.assert_allclose(fed.theta(state), theta, rtol=1e-11, atol=1e-13)


def test_with_smaller_steps_it_is_the_dual_average_of_the_ledger_and_not_a_damped_prox_step():
    """θ_{t+1} = prox_{ρg}(θ̃_t − ρG̃_{t+1}) as amended (row pg-tilde); damping θ instead is aggregation in Θ."""
    problem, z, rho = regression(penalty=L1(1.0))
    fed = sa_ssmm(problem, z, gamma=Constant(0.4), oracle=Stream(1), seed=1)
    damped = FedMM(problem, Clients.of([z]), Constant(0.4), Stream(1), space=ParameterSpace(), seed=1)
    state = fed.init(np.array([1.0, -1.0, 0.5]))
    other = damped.init(fed.theta(state))
    points, gradients, weights = [state.x], [np.zeros(3)], [1.0]
    for t in range(1, 10):
        theta, row = fed.theta(state), streamed(z, 1, t)
        points, gradients = [*points, theta], [*gradients, gradient(theta, row)]
        weights = [*(0.6 * w for w in weights), 0.4]
        expected = soft(weights @ np.array(points) - rho * (weights @ np.array(gradients)), rho)
        moved = soft(other.x - rho * gradient(other.x, row), rho)
        np.testing.assert_allclose(damped.step(other).x, 0.6 * other.x + 0.4 * moved, rtol=1e-11, atol=1e-13)
        state, other = fed.step(state), damped.step(other)
        np.testing.assert_allclose(fed.theta(state), expected, rtol=1e-11, atol=1e-13)
    assert np.abs(fed.theta(state) - other.x).max() > 1e-3


def test_with_one_client_a_round_and_alpha_p_fedmm_is_saga():
    """Defazio, Bach and Lacoste-Julien 2014 on ∇f: θ ← θ − γρ(∇f_i(θ) − y_i + mean y), y_i ← ∇f_i(θ)."""
    problem, z, rho = regression()
    n = len(z)
    fed = FedMM(problem, Clients.of(list(z[:, None])), Constant(0.3), participation=FixedSize(1), alpha=1 / n, seed=6)
    theta = np.ones(3)
    state = fed.init(theta, "mean_field")
    table = np.array([gradient(theta, row[None]) for row in z])
    for _ in range(40):
        state = fed.step(state)
        i = int(np.flatnonzero(state.active)[0])
        fresh = gradient(theta, z[i][None])
        theta, table[i] = theta - 0.3 * rho * (fresh - table[i] + table.mean(axis=0)), fresh
        np.testing.assert_allclose(state.x, theta, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(state.V_clients, -rho * table, rtol=1e-8, atol=1e-10)


def test_with_everyone_and_compression_fedmm_is_diana():
    """Mishchenko et al. 2019: m_i = Q(∇f_i − h_i), h_i ← h_i + αm_i, θ ← θ − γρ(h + mean m)."""
    problem, z, rho = regression()
    n, alpha = len(z), 0.3
    fed = FedMM(problem, Clients.of(list(z[:, None])), Constant(0.2), compressor=RandK(1), alpha=alpha, seed=6)
    theta, h = np.ones(3), np.zeros((n, 3))
    state = fed.init(theta)
    for t in range(1, 40):
        kept = np.argsort(uniforms(6, Purpose.COMPRESSION, range(n), t, 3), axis=1, kind="stable")[:, 0]
        delta = np.array([gradient(theta, row[None]) for row in z]) - h
        m = 3 * delta * (np.arange(3) == kept[:, None])
        theta, h = theta - 0.2 * rho * (h.mean(axis=0) + m.mean(axis=0)), h + alpha * m
        state = fed.step(state)
        np.testing.assert_allclose(state.x, theta, rtol=1e-9, atol=1e-11)
