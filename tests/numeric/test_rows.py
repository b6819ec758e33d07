"""Sums over rows of samples: SciPy's numbers, and to the bit those of each row, or client, alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp, softmax

from fedmm_edu import rows
from fedmm_edu.examples.quadratic.losses import HuberLoss
from fedmm_edu.rows import by_clients, by_rows, row_log_sums, row_softmax, segment_means
from tests.numeric.instances import seeds

special = st.sampled_from([[], [-np.inf], [-np.inf, np.inf, np.nan]])


def table(seed, n, k, special):
    """Rows of numbers of many sizes and with ties, and here and there one of the special ones."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(n, k)) * 10.0 ** rng.uniform(-2.0, 2.5), 1)
    for value in special:
        x[rng.random(x.shape) < 0.2] = value
    return x


@given(seed=seeds, n=st.integers(1, 40), k=st.integers(1, 12), special=special)
def test_sums_of_exponentials_are_scipys_and_each_row_has_its_own(seed, n, k, special):
    x = table(seed, n, k, special)
    with np.errstate(invalid="ignore", divide="ignore"):  # SciPy warns of a row of −∞, ours does not
        expected, shares = logsumexp(x, axis=1), softmax(x, axis=1)
    sums = row_log_sums(x)
    np.testing.assert_allclose(sums[:, 0], expected, rtol=1e-14)
    with np.errstate(invalid="ignore"):
        found = row_softmax(x)
        np.testing.assert_array_equal(found, np.concatenate([row_softmax(row[None]) for row in x]))
    np.testing.assert_allclose(found, shares, rtol=1e-14)
    np.testing.assert_array_equal(sums, np.concatenate([row_log_sums(row[None]) for row in x]))


def test_a_row_without_a_sum_says_nothing_of_the_rows_beside_it():
    """No warning, though exp(800) leaves the floats: it is −∞, or ∞, for its own row alone."""
    x = np.array([[800.0, 0.0], [-np.inf, -np.inf], [np.inf, 1.0]])
    np.testing.assert_array_equal(row_log_sums(x)[:, 0], [800.0, -np.inf, np.inf])


@given(seed=seeds, sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8), held=st.integers(1, 60))
def test_blocks_change_no_number_and_are_as_small_as_they_can_be(seed, sizes, held):
    rng, offsets, width, asked = np.random.default_rng(seed), np.cumsum([0, *sizes]), 3, []
    x = rng.normal(size=(offsets[-1], width))

    def noting(part, *rest):
        asked.append(len(part))
        return segment_means(part, *rest) if rest else row_log_sums(part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "HELD", held)
        np.testing.assert_array_equal(by_rows(noting, x, width), row_log_sums(x))
        by_row, asked[:] = asked.copy(), []
        np.testing.assert_array_equal(by_clients(noting, x, offsets, width), segment_means(x, offsets))
    assert sum(by_row) == sum(asked) == len(x)
    assert max(by_row) <= max(1, held // width)
    assert max(asked) <= max(held // width, *sizes, 1)
    assert all(a + b > held // width for a, b in zip(asked[:-1], sizes_after(asked, sizes), strict=True))


def sizes_after(blocks, sizes):
    """The size of the client that comes first in each block but the first one."""
    firsts = np.cumsum([0, *sizes])[:-1].tolist()
    return [sizes[firsts.index(start)] for start in np.cumsum(blocks)[:-1]]


@given(seed=seeds, delta=st.floats(0.01, 10.0))
def test_the_slope_of_hubers_loss_is_the_residual_cut_off(seed, delta):
    u, y = np.random.default_rng(seed).normal(size=(2, 20)) * 5.0
    np.testing.assert_array_equal(HuberLoss(delta).slope(u, y), np.clip(u - y, -delta, delta))
