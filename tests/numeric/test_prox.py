"""prox_{ρg}, ∇g and ∇f of the examples that have them: a prox is least among its neighbours, slopes are differences."""

import numpy as np
import pytest

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.dictionary import DictionaryLearning, NonNegative, SparseCodes, Unconstrained
from fedmm_edu.examples.mixture import GaussianMeans
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.surrogate import Surrogate

PROBLEMS = {
    "dictionary": DictionaryLearning(3, 2, SparseCodes(0.1), Unconstrained(0.4)),
    "nonnegative dictionary": DictionaryLearning(3, 2, SparseCodes(0.1), NonNegative(0.4), half=False),
    "mixture": GaussianMeans([0.4, 0.6], np.tile(np.eye(2), (2, 1, 1)), 0.7),
    "quadratic": Quadratic(4, 0.1, penalty=L1(0.3)),
}
each = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


@each
def test_the_prox_is_the_least(problem):
    """ρg + ½‖· − θ‖² at it and at 200 points of Θ around it, near and far."""
    rng = np.random.default_rng(0)
    for rho in (0.1, 2.0):
        theta = rng.normal(size=problem.d)
        found = problem.prox_g(theta, rho)

        def value(x, theta=theta, rho=rho):
            return rho * problem.g(x) + 0.5 * float((x - theta) @ (x - theta))

        for size in (1e-3, 0.3):
            others = [problem.Theta.project(found + size * step) for step in rng.normal(size=(100, problem.d))]
            assert min(map(value, others)) > value(found)


@each
def test_the_slope_of_g_is_that_of_differences(problem):
    """Where g is smooth; else a refusal."""
    theta = np.random.default_rng(1).normal(size=problem.d)
    if problem in (PROBLEMS["nonnegative dictionary"], PROBLEMS["quadratic"]):
        with pytest.raises(InvalidInput):
            problem.grad_g(theta)
        return
    steps = 1e-6 * np.eye(problem.d)
    expected = [(problem.g(theta + e) - problem.g(theta - e)) / 2e-6 for e in steps]
    np.testing.assert_allclose(problem.grad_g(theta), expected, rtol=1e-6, atol=1e-8)


def test_the_gradient_of_a_dictionary_needs_no_jacobian():
    """Its formula is the one of all surrogates, also for s₁ that is not symmetric."""
    rng = np.random.default_rng(2)
    for name in ("dictionary", "nonnegative dictionary"):
        problem = PROBLEMS[name]
        theta, s = rng.normal(size=problem.d), rng.normal(size=problem.q)
        np.testing.assert_allclose(problem.gradient(theta, s), Surrogate.gradient(problem, theta, s), rtol=1e-12)


def test_a_step_that_a_surrogate_has_can_be_scaled():
    """ρ of the quadratic surrogate; W stays, and who has no ρ says so."""
    problem = PROBLEMS["quadratic"]
    other, z = problem.scaled_rho(0.5), np.random.default_rng(3).normal(size=(6, 5))
    assert other.rho == 0.05
    theta = np.array([0.3, -1.0, 0.0, 2.0])
    np.testing.assert_array_equal(other.loss(z, theta), problem.loss(z, theta))
    assert other.g(theta) == problem.g(theta)
    assert PROBLEMS["mixture"].scaled_rho(1.0) is PROBLEMS["mixture"]
    with pytest.raises(InvalidInput, match="GaussianMeans has no step"):
        PROBLEMS["mixture"].scaled_rho(0.5)
