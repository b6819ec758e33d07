"""The data of Section 6: what generators, splits and the MovieLens loader promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.datasets.movielens import VARIABLE, Ratings, find, load_movielens
from fedmm_edu.datasets.patches import load_digits, load_patches
from fedmm_edu.datasets.synthetic import sparse_combinations
from fedmm_edu.errors import InvalidInput
from fedmm_edu.studies.dictionary import Source, load_source

GOOD = "1::10::5::0\n2::10::3::978301968\n2::30::1::4\n3::20::4::0\n"


@given(st.integers(1, 30), st.integers(1, 8), st.integers(1, 20), st.integers(0, 99))
def test_samples_are_sparse_combinations_of_the_atoms(N, p, K, seed):
    """Z_t = θ_⋆ h_t, with round(K/5) places in use, at least one; and the same seed gives the same data."""
    made = sparse_combinations(N, p, K, seed=seed)
    for z, h in zip(made.z, made.h, strict=True):
        np.testing.assert_allclose(z, sum((h[k] * made.theta[:, k] for k in range(K)), np.zeros(p)), atol=1e-12)
        assert np.count_nonzero(h) == max(1, round(K / 5))
    assert (made.z == sparse_combinations(N, p, K, seed=seed).z).all()


def test_places_and_values_follow_their_laws():
    """An atom is in use for 3 of 15 samples; values and entries of θ_⋆ have mean 0, variance 1 (4 standard errors)."""
    made = sparse_combinations(4000, 40, 15, seed=1)
    used = (made.h != 0).mean(axis=0)
    assert np.abs(used - 0.2).max() < 4 * np.sqrt(0.16 / 4000)
    for values in (made.h[made.h != 0], made.theta.ravel()):
        assert abs(values.mean()) < 4 / np.sqrt(values.size)
        assert abs(values.var() - 1.0) < 4 * np.sqrt(2.0 / values.size)


def test_homogeneous_clients_are_copies():
    data = load_source(Source("homogeneous", clients=4))
    assert data.pool.shape == (250, 20)
    for i in range(4):
        assert (data.clients[i] == data.pool).all()


@pytest.mark.parametrize("split", ["balanced", "half", "random"])
def test_clients_of_real_data_are_a_partition_into_equal_parts(split):
    """1,797 digits on 20 clients: 89 each, no digit twice; the rest is left out."""
    data = load_source(Source("digits", split=split))
    assert np.diff(data.clients.offsets).tolist() == [89] * 20
    given = {row.tobytes() for row in load_digits()}
    kept = [row.tobytes() for row in data.pool]
    assert len(set(kept)) == 1780
    assert set(kept) <= given


def test_balanced_clusters_differ_more_than_random_parts():
    """The spread of the clients' means is what heterogeneity is."""
    spread = {
        split: np.var([z.mean(axis=0) for z in load_source(Source("digits", split=split)).clients.data], axis=0).sum()
        for split in ("balanced", "half", "random")
    }
    assert spread["balanced"] > 2 * spread["half"] > 4 * spread["random"]


def test_patches_are_centred_and_scaled():
    z = load_patches(60, seed=3)
    assert z.shape == (60, 64)
    np.testing.assert_allclose(z.mean(axis=1), 0.0, atol=1e-12)
    assert (z**2).mean() == pytest.approx(1.0)
    assert (z == load_patches(60, seed=3)).all()


def test_wrong_sources_are_named():
    with pytest.raises(InvalidInput, match="data = 'movies'"):
        Source("movies")
    with pytest.raises(InvalidInput, match="split = 'even'"):
        Source("digits", split="even")


def _write(folder, text):
    path = folder / "ratings.dat"
    path.write_text(text, encoding="latin-1")
    return path


def test_a_good_file_is_read(tmp_path):
    ratings = load_movielens(_write(tmp_path, GOOD), expected=(4, 3, 3))
    assert ratings.user.tolist() == [1, 2, 2, 3]
    assert ratings.movie.tolist() == [10, 10, 30, 20]
    assert ratings.value.tolist() == [5, 3, 1, 4]


def test_the_matrix_holds_the_most_rated():
    """Movie 10 has two ratings, then the smaller number of the tie; of the users of both, the two with most ratings."""
    ratings = Ratings(*np.array([[1, 10, 5], [2, 10, 3], [2, 20, 1], [3, 30, 4]]).T)
    assert ratings.matrix(2, 2).tolist() == [[5.0, 0.0], [3.0, 1.0]]
    with pytest.raises(InvalidInput, match="users = 3"):
        ratings.matrix(3, 2)


@given(st.integers(0, 20))
def test_a_random_choice_keeps_ratings_and_repeats(seed):
    rng = np.random.default_rng(seed)
    full = rng.integers(0, 6, (12, 9))
    full[:, 0] = 1
    rows, columns = np.nonzero(full)
    ratings = Ratings(rows + 1, columns + 1, full[rows, columns])
    z = ratings.matrix(5, 2, choose="random", seed=seed)
    assert (z == ratings.matrix(5, 2, choose="random", seed=seed)).all()
    assert (z > 0).any(axis=1).all()
    pairs = {tuple(row) for row in z.tolist()}
    possible = {(float(a), float(b)) for row in full.tolist() for i, a in enumerate(row) for b in row[i + 1 :]}
    assert pairs <= possible


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        (GOOD + "7::30::five::0\n", "line 5: '7::30::five::0' is not"),
        (GOOD.replace("::", ","), "line 1: '1,10,5,0' is not"),
        (GOOD[:-6], "line 4"),
        (GOOD + "3::20::6::0\n", "line 5: rating 6 is not in 1 to 5"),
        (GOOD + "6041::20::1::0\n", "line 5: user 6041"),
        (GOOD + "3::3953::1::0\n", "line 5: movie 3953"),
        (GOOD + "2::30::2::0\n", "line 5: user 2 rates movie 30 a second time"),
        (GOOD + "2::\u00b2::2::0\n", "line 5"),
        (GOOD + "4::30::2::0\n", "has 5 ratings by 4 users of 3 movies, MovieLens 1M has 4, 3 and 3"),
    ],
)
def test_a_damaged_or_foreign_file_gets_line_and_reason(tmp_path, text, says):
    with pytest.raises(InvalidInput, match=says):
        load_movielens(_write(tmp_path, text), expected=(4, 3, 3))


def test_a_cut_file_is_told_where_to_find_a_whole_one(tmp_path):
    with pytest.raises(InvalidInput, match=r"has 4 ratings .* 1000209, .*forbids redistribution: fetch ml-1m.zip"):
        load_movielens(_write(tmp_path, GOOD))


def test_the_folder_is_the_given_one_or_that_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert find() is None
    with pytest.raises(InvalidInput, match="no folder of MovieLens is named"):
        load_source(Source("movielens"))
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(InvalidInput, match="holds neither"):
        find()
    (tmp_path / "ml-1m").mkdir()
    path = _write(tmp_path / "ml-1m", GOOD)
    assert find() == find(tmp_path / "ml-1m") == path
