"""Sections 3.2 and 5 of the ledger: the refutations once more by hand, and what notes of rows claim."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import combinations, product
from math import sqrt

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.federation.compression import BlockQuantization, RandK
from proofs_checks.s3_2_fedmm import claims as s3_2_fedmm
from proofs_checks.s5_theory import claims as s5_theory
from proofs_checks.s5_theory.assumptions import RAYS
from proofs_checks.s5_theory.noise import N, averaged_noise, minibatch, pair_law, past
from proofs_checks.shared.fedmm_rounds import BOTH, FIRST, MU, SECOND, Setting, State, direction, play, sent
from proofs_checks.shared.participation import LAWS, properties, unbiased_direction

CLAIMS = {claim.id: claim for module in (s3_2_fedmm, s5_theory) for claim in module.CLAIMS}


# ------------------------------------------------------------------------------------- what the notes of rows claim


def test_dividing_by_the_own_probability_is_unbiased():
    """Note of alg2-mean-active."""
    assert unbiased_direction("mean np", scale="1/P_i").status == "proved"


def test_smaller_variance_without_replacement():
    """Note of noise-nb."""
    assert minibatch("without replacement", "(N-b)/(b*(N-1))").status == "proved"


def test_which_laws_have_which_property():
    found = {name: properties(p, law) for name, (p, law) in LAWS.items()}
    assert found["each client independently"] == {"mean np", "same p", "A5"}
    assert found["one client, at random"] == found["both or none"] == {"mean np", "same p"}
    assert found["client 1 always, client 2 every other time"] == {"mean np"}


@pytest.mark.parametrize("name", RAYS)
def test_the_field_grows_like_the_radius(name):
    *_, mean, at = RAYS[name]
    (r,) = at.free_symbols
    assert abs(sp.limit((mean - at) / r, r, sp.oo)) == 1


# ----------------------------------------------------------------------------------------- properties of exact rounds

fractions = st.fractions(-2, 2, max_denominator=8)
units = st.fractions(0, 1, max_denominator=8)
pairs = st.tuples(fractions, fractions)
sets_of_clients = st.sampled_from([BOTH, FIRST, SECOND, frozenset()])


@given(units, pairs, st.lists(st.tuples(sets_of_clients, pairs, pairs), max_size=4), units)
def test_the_server_keeps_the_mean_of_the_control_variates(s, variates, rounds, alpha):
    """V_t = Σ μ_i V_{t,i} at all times, for arbitrary oracles and compressors."""
    state = State.start(s, variates)
    for active, oracles, factors in rounds:
        state = play(state, active, oracles, factors, Setting(p=F(1, 2), alpha=alpha))
        assert state.server == sum(w * v for w, v in zip(MU, state.clients, strict=True))


@given(units, pairs, st.lists(st.tuples(units, units), max_size=4), fractions, units.filter(bool))
def test_full_participation_without_compression_is_central(s, variates, rounds, alpha, gamma):
    state = State.start(s, variates)
    for oracles in rounds:
        s += gamma * (sum(w * o for w, o in zip(MU, oracles, strict=True)) - s)
        state = play(state, BOTH, oracles, (F(1), F(1)), Setting(alpha=alpha, gamma=gamma))
        assert state.s == s


@given(units, st.tuples(units, units), sets_of_clients, units.filter(bool), units)
def test_no_control_variates_and_small_steps_stay_inside(s, oracles, active, p, share):
    state = State(s, F(0), (F(0), F(0)))
    move = direction(state, active, sent(state, oracles, (F(1), F(1))), Setting(p=p))
    assert 0 <= s + share * p * move <= 1


# ------------------------------------------------------------------------------------- refutations by other means


def test_the_mean_number_of_active_clients_is_not_enough():
    """Client 1 always, client 2 every other time (mean 3/2 = 2p): E[H] without control variates, by hand."""
    p, field = F(3, 4), (F(1), F(4))
    mean = (F(1, 2) * MU[0] * field[0] + F(1, 2) * (MU[0] * field[0] + MU[1] * field[1])) / p
    assert mean == F(20, 9)
    assert MU[0] * field[0] + MU[1] * field[1] == 3


def test_uncorrelated_errors_are_enough():
    """Note of A3."""
    assert averaged_noise(("A3", "uncorrelated oracles")).status == "proved"


@given(st.fractions(0, 10, max_denominator=50).filter(bool))
def test_no_point_of_an_open_half_line_is_nearest_to_a_point_outside(y):
    """A8(i): half of y lies in (0, ∞), too, and is nearer to −1."""
    assert y / 2 > 0
    assert (y / 2 + 1) ** 2 < (y + 1) ** 2


@given(units.filter(bool), units)
def test_a_strongly_convex_function_without_a_minimiser(y, t):
    """MM-2: J = θ² on (0, 1], J(0) = 1, has modulus 2 and infimum 0, which it does not attain."""

    def J(x: F) -> F:
        return x * x if x else F(1)

    assert t * J(y) + (1 - t) * J(F(0)) - J(t * y) >= t * (1 - t) * y**2
    assert J(F(1, 10**6)) < F(1, 10**11) < J(y)


def test_clients_with_different_laws_and_the_same_mean_are_not_biased():
    """Z = 2, and Z = 1 or 3: both local estimates have the mean of the pooled one, 2 − Ŝ."""
    means = [F(2), F(1 + 3, 2)]
    assert means[0] == means[1] == sum(means) / 2


def test_sending_what_is_not_divided_by_p_is_biased():
    """Q the identity, s = 1, p = 1/2: the mean is 1/2; with 1/p it is 1, with variance 1 = ω_p."""
    assert F(1, 2) * 1 + F(1, 2) * 0 == F(1, 2)
    assert F(1, 2) * 2 + F(1, 2) * 0 == 1
    assert F(1, 2) * (2 - 1) ** 2 + F(1, 2) * (0 - 1) ** 2 == (1 - F(1, 2)) / F(1, 2)


def test_the_noise_without_equal_weights():
    """σ² = nΣμ_i²v for μ = (3/4, 1/4): σ²/n = 5v/8, not v/2; and 1/2 for any number of halvings of equal weights."""
    assert F(3, 4) ** 2 + F(1, 4) ** 2 == F(5, 8)
    assert all(n * F(1, n) ** 2 == F(1, n) for n in range(1, 9))


@pytest.mark.parametrize("draw", ["independent", "without replacement", "one sample b times"])
def test_the_law_of_two_places_of_a_batch(draw):
    """`pair_law` against all batches of two out of three samples."""
    ordered = {
        "independent": list(product(range(3), repeat=2)),
        "without replacement": [(j, k) for j, k in product(range(3), repeat=2) if j != k],
        "one sample b times": [(j, j) for j in range(3)],
    }[draw]
    same, apart = (F(str(chance.subs(N, 3))) for chance in pair_law(draw))
    assert F(ordered.count((0, 0)), len(ordered)) == same
    assert F(ordered.count((0, 1)), len(ordered)) == apart


def test_the_law_of_an_oracle_depends_on_the_past_through_the_iterate():
    assert past(("Shat_t", "Z_t")).status == "proved"
    assert past(("Z_t",)).status == "refuted"


def test_ten_of_twenty_by_enumeration_of_a_smaller_case():
    """2 of 4: covariance −p(1−p)/(n−1) = −1/12, which is −1/76 for n = 20."""
    draws = list(combinations(range(4), 2))
    both = F(sum(0 in d and 1 in d for d in draws), len(draws))
    assert both - F(1, 4) == F(-1, 12)
    assert -F(1, 4) / 19 == F(-1, 76)


@pytest.mark.parametrize("omega", [F(0), F(1), F(99)])
def test_a_fixed_grid_has_no_omega(omega):
    s = 1 / (2 + 2 * omega)
    assert s * (1 - s) > omega * s**2


@pytest.mark.parametrize(("length", "r"), [(4, 1.0), (4, 1.5), (9, 2.0)])
def test_the_omega_of_blocks_is_that_of_the_kernel(length, r):
    assert BlockQuantization(length, r).omega(length) == pytest.approx(length ** (1 / r) - 1)


@given(st.lists(st.integers(-9, 9), min_size=4, max_size=4), st.sampled_from([1.0, 1.5, 2.0, 3.0, np.inf]))
def test_block_variance_is_below_its_bound(values, r):
    x = np.array(values, dtype=float)
    omega = 4 ** (1 / r) - 1 if r <= 2 else sqrt(4) - 1
    variance = np.linalg.norm(x, 1) * np.linalg.norm(x, r) - x @ x
    assert variance <= omega * (x @ x) + 1e-9


def test_the_omega_of_rand_k_is_that_of_the_kernel():
    assert RandK(2).omega(3) == 3 / 2 - 1


@given(st.lists(units, min_size=2, max_size=2), st.lists(units, min_size=2, max_size=2), units.filter(bool))
def test_the_projection_in_bar_E_is_never_active(at, mean, gamma):
    moved = [x + gamma * (m - x) for x, m in zip(at, mean, strict=True)]
    assert all(0 <= x <= 1 for x in moved)


def test_a_quantised_psd_matrix_with_a_negative_eigenvalue():
    assert min(np.linalg.eigvalsh(np.array([[1.0, 1.0], [1.0, 0.0]]))) < -0.6


def test_common_noise_does_not_average_out():
    errors = (F(1), F(-1))
    common = sum((F(1, 2) * (e + e)) ** 2 for e in errors) / 2
    independent = sum((F(1, 2) * (e + f)) ** 2 for e, f in product(errors, repeat=2)) / 4
    assert (common, independent) == (1, F(1, 2))
