"""The EM for the weights of known Gaussians: A7 with the constants that it states, and the definition in log-odds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.arrays import Array
from fedmm_edu.convex_sets import nearest_in_norm
from fedmm_edu.examples.mixture.sets import FreeAndWeights
from fedmm_edu.examples.weights import EXAMPLE, MixtureWeights
from fedmm_edu.surrogate import majorization_gap, surrogate_value
from fedmm_edu.symbolic.numeric import kernel
from tests.numeric.instances import refusals

LAM = 0.01
PROBLEM = MixtureWeights(np.arange(-4.0, 5.0, 2.0), LAM)
SEEDS = st.integers(0, 10_000)


def draw(seed) -> tuple[np.random.Generator, Array, Array]:
    rng = np.random.default_rng(seed)
    return rng, rng.dirichlet(np.full(5, 0.5)), rng.dirichlet(np.full(5, 0.5))


@given(SEEDS)
def test_MM1_holds_and_T_minimises(seed):
    rng, s, t = draw(seed)
    theta, tau = PROBLEM.T(s), PROBLEM.T(t)
    z = rng.normal(0.0, 3.0, (6, 1))
    assert PROBLEM.contains(PROBLEM.mean_S_bar(z, tau), tol=1e-12)
    assert majorization_gap(PROBLEM, z, theta, tau) >= -1e-12
    assert majorization_gap(PROBLEM, z, tau, tau) == pytest.approx(0.0, abs=1e-12)
    assert surrogate_value(PROBLEM, theta, s) <= surrogate_value(PROBLEM, tau, s) + 1e-12


@given(SEEDS)
def test_A7_holds_with_the_stated_constants(seed):
    """First inequality with C_⋆ = 1/(2λ²), second with C_⋆⋆ = 1/λ, and 1/(1 + λ) ≤ B ≤ 1/λ."""
    _, s, t = draw(seed)
    B, move = PROBLEM.B(s), t - s
    change, size = PROBLEM.phi(PROBLEM.T(t)) - PROBLEM.phi(PROBLEM.T(s)), float(move @ move)
    assert np.linalg.norm(change - B @ move) <= size / (2 * LAM**2) + 1e-12
    assert abs(move @ change) <= size / LAM + 1e-12
    assert 1 / (1 + LAM) - 1e-12 <= np.diag(B).min() <= np.diag(B).max() <= 1 / LAM + 1e-12


@given(SEEDS)
def test_the_projection_is_the_nearest_point_in_the_norm_of_B(seed):
    """Against the accelerated gradient method for any norm; and with B = I, against the Euclidean projection."""
    rng, s, _ = draw(seed)
    B, x, plain = PROBLEM.B(s), s + 0.3 * rng.normal(size=5), FreeAndWeights(0, 5)
    np.testing.assert_allclose(PROBLEM.project(x, B), nearest_in_norm(plain, x, B), atol=1e-8)
    np.testing.assert_allclose(PROBLEM.project(x), plain.project(x), atol=1e-14)


@pytest.mark.parametrize("name", ["two components", "three components"])
def test_the_kernel_is_the_sympy_model_in_log_odds(name):
    """Loss, S̄, g and T of the definition that the ledger proves, whose samples are the densities of the kernel's."""
    L = 2 if name.startswith("two") else 3
    problem, S = MixtureWeights(np.arange(float(L)), 0.3), FreeAndWeights(0, L - 1, at_most=True)
    defined = kernel(EXAMPLE.models()[name], {"lambda": 0.3}, S=S)
    rng = np.random.default_rng(4)
    for _ in range(5):
        z, theta, s = rng.normal(size=(6, 1)), rng.dirichlet(np.ones(L)), rng.dirichlet(np.ones(L))
        densities, odds = np.exp(-0.5 * (z - problem.means) ** 2), np.log(theta[:-1] / theta[-1])
        np.testing.assert_allclose(problem.loss(z, theta), defined.loss(densities, odds), rtol=1e-11)
        np.testing.assert_allclose(problem.S_bar(z, theta)[:, :-1], defined.S_bar(densities, odds), rtol=1e-11)
        assert problem.g(theta) == pytest.approx(defined.g(odds), rel=1e-12)
        best = problem.T(s)
        np.testing.assert_allclose(np.log(best[:-1] / best[-1]), defined.T(s[:-1]), rtol=1e-11, atol=1e-13)


def test_outside_the_simplex_the_penalty_is_infinite():
    assert PROBLEM.g(np.full(5, 0.3)) == np.inf
    assert PROBLEM.g(np.array([0.0, 0.25, 0.25, 0.25, 0.25])) == np.inf


test_bad_input_is_refused_with_a_reason = refusals(
    (lambda: MixtureWeights([0.0], 0.1), "at least two"),
    (lambda: MixtureWeights([0.0, 1.0], 0.0), "lam = 0.0"),
    (lambda: PROBLEM.T(np.full(5, 0.3)), "outside 𝒮"),
    (lambda: PROBLEM.S_bar(np.empty((0, 1)), np.full(5, 0.2)), "no rows"),
)
