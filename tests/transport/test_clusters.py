"""Constrained k-means: equal sizes, and the optimal assignment in each of its steps."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation.partition import balanced_assignment, balanced_clusters


@st.composite
def problems(draw, most_rows: int = 25):
    """Costs, continuous or with many ties, group sizes, and prices to start from."""
    N = draw(st.integers(1, most_rows))
    n = draw(st.integers(1, min(N, 5)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cost = rng.normal(size=(N, n)) if draw(st.booleans()) else rng.integers(0, 3, (N, n)).astype(float)
    sizes = np.bincount(rng.integers(n, size=N), minlength=n)
    return cost, sizes, rng.normal(size=n) if draw(st.booleans()) else None


@given(problems(most_rows=6))
def test_no_other_assignment_of_these_sizes_costs_less(problem):
    """Against all assignments, one by one."""
    cost, sizes, prices = problem
    labels, _ = balanced_assignment(cost, sizes, prices)
    assert (np.bincount(labels, minlength=len(sizes)) == sizes).all()
    rows = np.arange(len(cost))
    least = min(cost[rows, list(other)].sum() for other in permutations(np.repeat(np.arange(len(sizes)), sizes)))
    assert cost[rows, labels].sum() == pytest.approx(least, abs=1e-9)


@given(problems())
def test_the_assignment_costs_what_scipy_s_costs_and_the_prices_prove_it(problem):
    """SciPy's assignment with each group as often as it has places; each row is where cost plus price is least."""
    cost, sizes, prices = problem
    labels, found = balanced_assignment(cost, sizes, prices)
    rows, places = np.arange(len(cost)), np.repeat(np.arange(len(sizes)), sizes)
    assert (np.bincount(labels, minlength=len(sizes)) == sizes).all()
    chosen = linear_sum_assignment(cost[:, places])
    assert cost[rows, labels].sum() == pytest.approx(cost[:, places][chosen].sum(), abs=1e-9)
    full = cost[:, sizes > 0] + found[sizes > 0]
    assert (cost[rows, labels] + found[labels] <= full.min(axis=1) + 1e-9).all()


@given(st.integers(1, 60), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_clients_have_exactly_equal_sizes(N, n, seed):
    n = min(n, N)
    z = np.random.default_rng(seed).normal(size=(N, 2))
    labels = balanced_clusters(z, n, seed)
    counts = np.bincount(labels, minlength=n)
    assert counts.tolist() == [N // n + (i < N % n) for i in range(n)]
    assert (labels == balanced_clusters(z, n, seed)).all()


def test_separated_groups_of_equal_size_are_found_and_unequal_ones_are_cut():
    """Four far groups of 20; then one of 60 and one of 20, for two clients: the 20 lie in one client."""
    rng = np.random.default_rng(0)
    z = np.concatenate([rng.normal(size=(20, 2)) + 50.0 * np.array(at) for at in ((0, 0), (1, 0), (0, 1), (1, 1))])
    labels = balanced_clusters(z, 4, 3).reshape(4, 20)
    assert sorted(labels[:, 0]) == [0, 1, 2, 3]
    assert (labels == labels[:, :1]).all()
    far = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(20, 2)) + 100.0])
    assert len(set(balanced_clusters(far, 2, 0)[60:])) == 1


def test_more_rounds_never_cost_more():
    """Σ_j ‖z_j − centre‖² of the clients falls with the rounds of Lloyd's iteration."""
    z = np.random.default_rng(1).normal(size=(200, 3))

    def spread(labels):
        return sum(((z[labels == i] - z[labels == i].mean(axis=0)) ** 2).sum() for i in range(5))

    costs = [spread(balanced_clusters(z, 5, 0, rounds=rounds)) for rounds in (1, 2, 4, 8, 100)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_equal_rows_and_wrong_numbers():
    assert np.bincount(balanced_clusters(np.ones((6, 2)), 3, 0)).tolist() == [2, 2, 2]
    with pytest.raises(InvalidInput, match="n = 4 clients for 3"):
        balanced_clusters(np.ones((3, 1)), 4, 0)
    with pytest.raises(InvalidInput, match="rounds"):
        balanced_clusters(np.ones((3, 1)), 2, 0, rounds=0)
