"""Rows on relatives, re-checked by other means: coins in floats, planes and parabolas under |θ|, settings of FedMM."""

from fractions import Fraction as F

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.algorithms import FedMM
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.federation import Clients, RandK
from fedmm_edu.relatives import Tuning, relatives
from proofs_checks.beyond_messages.personal import Coins
from proofs_checks.certificates import claim_of

SHARE, CHANCE = st.floats(0.01, 0.99), st.floats(0.02, 0.98)


def em_of_coins(heads: np.ndarray, first: np.ndarray, p: np.ndarray):
    """One EM step for two coins: clients in rows, their tosses in columns, `first` the weight of coin 1 of each."""
    pi = np.stack([first, 1 - first], axis=1)[:, None, :]
    side = np.where(heads[..., None] > 0, p, 1 - p)
    joint = pi * side
    r = joint / joint.sum(axis=2, keepdims=True)
    objective = -np.log(joint.sum(axis=2)).mean()
    return objective, r, (r * heads[..., None]).sum(axis=(0, 1)) / r.sum(axis=(0, 1)), r.mean(axis=1)


@given(st.lists(st.tuples(SHARE, st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=4), CHANCE, CHANCE)
def test_own_weights_fall_by_their_divergence_at_least(clients, p1, p2):
    """own-personal-monotone in floats, with several tosses a client."""
    first, *tosses = map(np.array, zip(*clients, strict=True))
    heads = np.stack(tosses, axis=1)
    before, _, p, weights = em_of_coins(heads, first, np.array([p1, p2]))
    after, *_ = em_of_coins(heads, weights[:, 0], p)
    old = np.stack([first, 1 - first], axis=1)
    divergence = (weights * np.log(np.maximum(weights, 1e-300) / old)).sum(axis=1).mean()
    assert after <= before - divergence + 1e-9


def test_the_two_coins_by_numpy():
    """25/64 goes to 1/4 in Θ and to 1681/2500 in 𝒮."""
    heads, first, p = np.array([[1], [0]]), np.array([0.25, 0.75]), np.array([0.25, 0.75])
    before, r, in_S, weights = em_of_coins(heads, first, p)
    np.testing.assert_allclose(np.exp(-2 * before), 25 / 64)
    np.testing.assert_allclose(np.exp(-2 * em_of_coins(heads, weights[:, 0], in_S)[0]), 1681 / 2500)
    own = (r * heads[..., None]).sum(axis=1) / r.sum(axis=1)
    np.testing.assert_allclose(np.exp(-2 * em_of_coins(heads, weights[:, 0], own.mean(axis=0))[0]), 1 / 4)


def test_the_coins_of_the_rows_are_those_of_numpy():
    """Three clients, two of whom saw heads: responsibilities, both aggregates and weights."""
    weights = ((F(1, 4), F(3, 4)), (F(2, 3), F(1, 3)), (F(1, 5), F(4, 5)))
    of = Coins(tosses=(1, 0, 1), weights=weights, p=(F(1, 3), F(3, 4)))
    heads, first, p = np.array([[1], [0], [1]]), np.array([float(row[0]) for row in weights]), np.array([1 / 3, 3 / 4])
    _, _, in_S, own = em_of_coins(heads, first, p)
    np.testing.assert_allclose(np.array(of.after("S").p, dtype=float), in_S)
    np.testing.assert_allclose(np.array(of.after("S").weights, dtype=float), own)
    assert of.after("Theta").p == (F(2, 3), F(2, 3))


@given(st.floats(0.1, 5.0), st.floats(-9.0, 9.0))
def test_a_subgradient_is_the_slope_of_a_plane_below_and_of_a_parabola_above(a, theta):
    assert a + (theta - a) <= abs(theta) + 1e-12
    assert a + (theta - a) + (theta - a) ** 2 / (2 * a) >= abs(theta) - 1e-9


def test_without_skipping_scaffnew_is_fedmm_and_with_two_steps_it_is_no_surrogate_s():
    """p = 1 on clients that bend differently; two local steps move them by other ρ."""
    clients, one = Clients.of([[[1.0, 3.0]], [[2.0, -1.0]]]), Quadratic(1, 0.1)
    scaffnew = relatives()["scaffnew"].on(one, clients, Tuning(eta=0.1, p=1.0))
    fed = FedMM(one, clients, 1.0)
    u, v = scaffnew.init([2.0]), fed.init([2.0])
    for _ in range(5):
        u, v = scaffnew.step(u), fed.step(v)
        np.testing.assert_allclose(scaffnew.theta(u), fed.theta(v), atol=1e-12)
    rho = [(1 - (1 - 0.1 * b) ** 2) / b for b in (1.0, 4.0)]
    assert abs(rho[0] - rho[1]) > 1e-3


def test_prox_diana_differs_from_fedmm_in_the_package_too():
    """With g = |θ| and a lossy channel; with the channel whole they agree."""
    clients = Clients.of([[[1.0, 3.0, 1.0], [0.5, 1.0, 2.0]], [[2.0, -1.0, 1.0], [1.0, 1.0, 0.0]]])
    problem = Quadratic(2, 0.1, penalty=L1(0.5))
    for channel, apart in ((RandK(1), True), (RandK(2), False)):
        at = Tuning(eta=0.1, alpha=0.5, compressor=channel, seed=1)
        theirs, fed = relatives()["prox-diana"].on(problem, clients, at), relatives()["fedmm"].on(problem, clients, at)
        u, v = theirs.init([1.0, 1.0]), fed.init([1.0, 1.0])
        for _ in range(4):
            u, v = theirs.step(u), fed.step(v)
        assert (np.abs(theirs.theta(u) - fed.theta(v)).max() > 1e-3) == apart


def test_the_rows_that_relatives_name_are_proved_rows():
    """Each entry's row exists, is ours, and is recorded as proved."""
    named = [each.row for each in relatives().values() if each.row]
    assert len(named) >= 10
    for name in named:
        assert claim_of(name).expected == "proved"
