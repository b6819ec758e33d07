"""What MM-1, MM-2 and Proposition 1 promise, for every registered example."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import minimize

from fedmm_edu.algorithms import ParameterSpace, mm
from fedmm_edu.surrogate import majorization_gap, mean_field, mean_loss, objective, surrogate_value
from tests.numeric.instances import every_case, every_other, every_surrogate, instance, seeds


@every_surrogate
@given(seed=seeds)
def test_mm1_the_surrogate_majorizes_f_and_touches_it_at_tau(case, seed):
    it = instance(case, seed)
    z, weights = it.clients.pooled()
    scale = 1e-12 * (1 + abs(mean_loss(it.problem, z, it.tau, weights)))
    assert majorization_gap(it.problem, z, it.theta, it.tau, weights) >= -scale
    assert abs(majorization_gap(it.problem, z, it.tau, it.tau, weights)) <= scale


@every_other
def test_what_does_not_majorize_touches_f_and_is_seen_below_it(case):
    """Else it would be called a surrogate."""
    gaps = []
    for seed in range(20):
        it = instance(case, seed)
        z, weights = it.clients.pooled()
        assert abs(majorization_gap(it.problem, z, it.tau, it.tau, weights)) <= 1e-12
        gaps.append(majorization_gap(it.problem, z, it.theta, it.tau, weights))
    assert min(gaps) < -1e-2


@every_case
@given(seed=seeds)
def test_mm1_S_bar_lies_in_S_and_its_mean_is_the_mean_of_its_rows(case, seed):
    it = instance(case, seed)
    z, weights = it.clients.pooled()
    rows = it.problem.S_bar(z, it.tau)
    assert rows.shape == (len(z), it.problem.q)
    assert all(it.problem.contains(row, tol=1e-12) for row in rows)
    np.testing.assert_allclose(it.problem.mean_S_bar(z, it.tau, weights), weights @ rows, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(it.problem.mean_S_bar(z, it.tau), rows.mean(axis=0), rtol=1e-12, atol=1e-13)


@every_case
@settings(max_examples=20)  # each a search of some hundred values, and there are many cases
@given(seed=seeds)
def test_mm2_T_minimizes_and_is_found_by_an_independent_minimiser(case, seed):
    it = instance(case, seed)
    best = it.problem.T(it.s)
    value = surrogate_value(it.problem, best, it.s)
    assert it.problem.Theta.contains(best, tol=1e-12)

    def inside(theta):
        return surrogate_value(it.problem, it.problem.Theta.project(theta), it.s)

    found = minimize(
        inside,
        it.theta,
        method="Nelder-Mead",
        options={"xatol": 1e-7, "fatol": 1e-13, "maxiter": 4000 if it.problem.d == 1 else 300},
    )
    assert value <= found.fun + 1e-10 * (1 + abs(value))
    assert surrogate_value(it.problem, it.theta, it.s) >= value - 1e-12 * (1 + abs(value))
    if found.success and it.problem.d == 1:  # in one dimension the simplex search is reliable
        np.testing.assert_allclose(it.problem.Theta.project(found.x), best, rtol=1e-4, atol=1e-5)


@every_surrogate
@given(seed=seeds)
def test_mm_descends_in_both_spaces(case, seed):
    it = instance(case, seed)
    z = it.clients.z
    problem = case.problem(type(it.clients).of([z]))
    for space in (None, ParameterSpace()):
        fed = mm(problem, z, space=space)
        state = fed.init(fed.point(it.tau))
        values = [objective(problem, z, fed.theta(state))]
        for _ in range(4):
            state = fed.step(state)
            values.append(objective(problem, z, fed.theta(state)))
        assert all(b <= a + 1e-11 * (1 + abs(a)) for a, b in itertools.pairwise(values))


@every_case
def test_prop1_roots_of_h_are_fixed_points_and_stationary(case):
    it = instance(case, seed=7, least=40)  # enough samples that unpenalised classes are not separable
    z, weights = it.clients.pooled()
    s = it.s
    for _ in range(20000):
        h = mean_field(it.problem, z, s, weights)
        s = it.problem.project(s + h)
        if np.linalg.norm(h) <= 1e-13 * (1 + np.linalg.norm(s)):
            break
    theta = it.problem.T(s)
    fixed = it.problem.T(it.problem.mean_S_bar(z, theta, weights))
    np.testing.assert_allclose(fixed, theta, rtol=1e-8, atol=1e-8)
    if case.smooth_g:  # 0 ∈ ∇f + ∂g at a point where g is differentiable: a central difference vanishes
        for direction in np.eye(it.problem.d):
            step = 1e-5 * direction
            slope = (
                objective(it.problem, z, theta + step, weights) - objective(it.problem, z, theta - step, weights)
            ) / 2e-5
            assert abs(slope) <= 1e-6


@every_case
@given(seed=seeds)
def test_tangency_the_gap_has_zero_slope_at_tau(case, seed):
    it = instance(case, seed)
    z, weights = it.clients.pooled()
    for direction in np.eye(
        it.problem.d
    ):  # where the second derivative jumps, a difference is off by its size times that
        assert min(_slope_of_gap(it, z, weights, size * direction) / size for size in (1e-5, 1e-6)) <= 1e-5


def _slope_of_gap(it, z, weights, step) -> float:
    ahead, behind = (majorization_gap(it.problem, z, it.tau + sign * step, it.tau, weights) for sign in (1.0, -1.0))
    return abs(ahead - behind) / 2.0


@pytest.mark.parametrize("name", ["toy", "poisson"])
def test_B_is_the_derivative_of_phi_after_T(name):
    """A7 asks for the B(s) that linearises φ∘T; for these examples B is that derivative."""
    from fedmm_edu.examples import examples

    example = next(e for e in examples() if e.name == name)
    for case in example.cases.values():
        it = instance(case, seed=3)
        if it.problem.q > it.problem.d:
            continue  # φ∘T then has a singular derivative, and the example defines no B
        step = 1e-6 * (it.problem.S.project(it.s + 1.0) - it.s + 1e-9)
        slope = (it.problem.phi(it.problem.T(it.s + step)) - it.problem.phi(it.problem.T(it.s - step))) / (2 * step)
        np.testing.assert_allclose(it.problem.B(it.s)[0], slope, rtol=1e-5)
