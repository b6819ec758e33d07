"""The sets 𝒮 and Θ of Gaussian mixtures: exact projections, and in which parameters A1 holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.mixture import EXAMPLE
from fedmm_edu.examples.mixture.sets import FreeAndWeights, Moments, NaturalParameters
from fedmm_edu.examples.symmetric import smat, svec
from tests.numeric.instances import seeds

FULL = EXAMPLE.cases["weights, means, covariances, L = 2, p = 2"]
EYE = np.tile(np.eye(2), (2, 1, 1))
SETS = {
    "equal": FreeAndWeights(2, 3),
    "at most": FreeAndWeights(1, 3, at_most=True),
    "moments": Moments(2, 2),
    "natural": NaturalParameters(2, 2, 0.1, 0.3),
}


def member(name, rng):
    """A random point of the set, sometimes on its boundary."""
    sharp = rng.choice([0.05, 1.0])
    if name in ("equal", "at most"):
        return np.concatenate(
            [rng.normal(size=SETS[name].free), rng.dirichlet(np.full(3, sharp)) * (name == "equal" or rng.uniform())]
        )
    if name == "moments":
        z = np.concatenate([3 * rng.normal(size=(3, 2)), np.ones((3, 1))], axis=1)
        r = rng.dirichlet(np.full(6, sharp)).reshape(2, 3)
        return svec(np.einsum("lj,ji,jk->lik", r, z, z)).ravel()
    factors = rng.normal(size=(2, 2, rng.integers(1, 4)))
    omega = 0.3 * np.eye(2) + factors @ factors.swapaxes(1, 2)
    return SETS[name].join(0.1 + 0.8 * rng.dirichlet([sharp, sharp]), rng.normal(size=(2, 2)), omega)


@pytest.mark.parametrize("name", SETS)
@given(seed=seeds)
@settings(max_examples=40)
def test_projections_satisfy_the_variational_inequality(name, seed):
    """P(x) is the nearest point of a convex set exactly when ⟨x − P(x), y − P(x)⟩ ≤ 0 for all y in it."""
    rng, of = np.random.default_rng(seed), SETS[name]
    x = member(name, rng) + rng.normal(size=of.dim) * rng.choice([1e-3, 1.0, 30.0])
    nearest = of.project(x)
    assert of.contains(nearest, tol=1e-12)
    np.testing.assert_allclose(of.project(nearest), nearest, rtol=0, atol=1e-12)
    for _ in range(10):
        y = member(name, rng)
        assert of.contains(y, tol=1e-12)
        assert (of.project(y) == y).all() or np.abs(of.project(y) - y).max() < 1e-12
        assert (x - nearest) @ (y - nearest) <= 1e-9 * (1 + np.linalg.norm(x)) * (1 + np.linalg.norm(y))
    with pytest.raises(InvalidInput, match="Euclidean norm only"):
        of.project(x, np.eye(of.dim))


@given(seed=seeds)
@settings(max_examples=30)
def test_moments_that_are_not_cut_change_in_their_counts_only(seed):
    rng, of = np.random.default_rng(seed), SETS["moments"]
    X = of.matrices(member("moments", rng)) + np.diag([1.0, 1.0, 0.0])
    E = np.diag([0.0, 0.0, 1.0])
    x = svec(X + rng.normal() * E).ravel()
    nearest = of.project(x)
    np.testing.assert_allclose(of.matrices(nearest), X, rtol=1e-14, atol=1e-14)
    assert (np.delete(nearest.reshape(2, -1), -1, axis=1) == np.delete(x.reshape(2, -1), -1, axis=1)).all()


@given(seed=seeds, k=st.integers(1, 4))
def test_svec_is_an_isometry(seed, k):
    A, B = (a + a.T for a in np.random.default_rng(seed).normal(size=(2, k, k)))
    assert svec(A) @ svec(B) == pytest.approx(np.sum(A * B), abs=1e-12)
    np.testing.assert_allclose(smat(svec(A), k), A, rtol=1e-15)


@given(seed=seeds)
@settings(max_examples=30)
def test_A1_holds_in_natural_parameters(seed):
    """ψ − ⟨s, φ⟩ lies below its chords in (ν, b, Ω)."""
    problem, rng = FULL.problem(None), np.random.default_rng(seed)
    one, two = FULL.draw_theta(rng), FULL.draw_theta(rng)
    s = problem.mean_S_bar(FULL.draw_z(rng, 3), FULL.draw_theta(rng))
    ends = [-s @ problem.phi(theta) for theta in (one, two)]
    assert -s @ problem.phi((one + two) / 2) <= np.mean(ends) + 1e-10 * (1 + np.abs(ends).max())


def test_A1_fails_in_means_and_covariances():
    """log det Γ is concave: between two Γ far above the spread of the data ψ − ⟨s, φ⟩ lies above its chord."""
    problem = FULL.problem(None)
    z = np.random.default_rng(0).normal(size=(50, 2))
    s = problem.statistics(z, np.full((50, 2), 0.5)).mean(axis=0)
    wide = [problem.theta([0.5, 0.5], np.zeros((2, 2)), v * EYE) for v in (10.0, 30.0, 50.0)]
    values = [-s @ problem.phi(theta) for theta in wide]
    assert values[1] > (values[0] + values[2]) / 2 + 0.1
