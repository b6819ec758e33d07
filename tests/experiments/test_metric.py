"""The EM for the weights of known Gaussians: what A7 and MM promise of it, and both projections."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.convex_sets import nearest_in_norm
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.mixture.sets import FreeAndWeights
from fedmm_edu.studies.dictionary.figures import DictionaryPlan
from fedmm_edu.studies.dictionary.metric import LAM, MEANS, MixtureWeights, Simplex, gaps, results
from fedmm_edu.studies.tasks import Pool
from fedmm_edu.surrogate import majorization_gap, surrogate_value

PROBLEM = MixtureWeights(MEANS, LAM)
SEEDS = st.integers(0, 10_000)


def draw(seed):
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


def test_the_projections_differ_and_another_norm_is_refused():
    B, x = np.diag([100.0, 1.0, 1.0]), np.array([0.5, 0.5, 0.6])
    assert abs(Simplex(3).project(x, B) - Simplex(3).project(x)).max() > 0.1
    with pytest.raises(InvalidInput, match="not diagonal"):
        Simplex(3).project(x, B + 0.1)


def test_the_excess_starts_alike_falls_and_is_none_below_zero(tmp_path):
    found = gaps(0.1, 30, 1)
    first, second = found.values()
    assert (first[:, 0] == second[:, 0]).all()
    assert (first >= -1e-9).all()
    assert (first[:, -1] < 0.2 * first[:, 0]).all()
    with Pool(tmp_path) as pool:
        made = results(DictionaryPlan(seeds=2, rounds=10, rows=10), pool)
    assert set(made.numbers) == {"0.1", "0.5"}
    assert len(made.numbers["0.1"]["B"]) == 2
    assert len(made.words[-1].splitlines()) == 4
