"""Withheld ratings: what is withheld, and each prediction and score against a direct formula."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Lasso
from sklearn.metrics import roc_auc_score

from fedmm_edu.datasets.movielens import Ratings
from fedmm_edu.federation import Clients
from fedmm_edu.studies.dictionary import DictionaryRun, Source, data, load_source
from fedmm_edu.studies.dictionary.data import LAMBDA, OBSERVED
from fedmm_edu.studies.dictionary.figures import DictionaryPlan
from fedmm_edu.studies.dictionary.ratings import from_observed, from_zeros, means, ranking, results, rmse, scores
from fedmm_edu.studies.tasks import Pool


@pytest.fixture
def drawn(monkeypatch):
    """200 × 500 ratings in the place of MovieLens."""
    rng = np.random.default_rng(0)
    z = np.where(rng.random((200, 500)) < 0.1, rng.integers(1, 6, (200, 500)), 0.0)
    monkeypatch.setattr(data, "find", lambda folder: "anywhere")
    monkeypatch.setattr(data, "load_movielens", lambda path: Ratings(*[np.array([1])] * 3))
    monkeypatch.setattr(Ratings, "matrix", lambda self, *sizes, **how: z.copy())
    load_source.cache_clear()
    yield z
    load_source.cache_clear()


def test_a_tenth_of_the_ratings_is_withheld_and_nothing_else_changes(drawn):
    """What is withheld and what is left add up to the ratings, row by row in the order of the clients."""
    found = load_source(Source(OBSERVED))
    assert found.held is not None
    assert ((found.pool > 0) & (found.held > 0)).sum() == 0
    rows = {row.tobytes() for row in drawn}
    assert {row.tobytes() for row in found.pool + found.held} == rows
    share = (found.held > 0).sum() / (drawn > 0).sum()
    assert abs(share - 0.1) < 4 * np.sqrt(0.09 / (drawn > 0).sum())
    assert (np.concatenate(found.clients.data) == found.pool).all()
    assert load_source(Source("movielens")).held is None


@settings(max_examples=30)
@given(st.integers(0, 1000))
def test_codes_of_observed_entries_leave_out_the_others(seed):
    """Against scikit-learn, which minimises ½ Σ_{observed} (z_j − (θh)_j)² + λ‖h‖₁ over the number of observed."""
    rng = np.random.default_rng(seed)
    theta, z = rng.normal(size=(8, 2)), np.where(rng.random(8) < 0.7, rng.integers(1, 6, 8), 0.0)
    seen = z > 0
    assume(seen.any())
    peer = Lasso(LAMBDA / seen.sum(), fit_intercept=False, tol=1e-12, max_iter=100_000).fit(theta[seen], z[seen])
    np.testing.assert_allclose(from_observed(z[None], theta)[0], np.clip(theta @ peer.coef_, 1, 5), atol=1e-5)


def test_codes_of_whole_rows_take_missing_for_zero():
    """p = K = 1: the code of z at θ = 2 is (2z − λ)/4, and that of 0 is 0."""
    np.testing.assert_allclose(from_zeros(np.array([[3.0], [0.0]]), np.array([[2.0]])), [[2 * (6 - LAMBDA) / 4], [0.0]])


def test_means_are_those_of_what_is_seen():
    z = np.array([[4.0, 0.0, 2.0], [2.0, 5.0, 0.0], [0.0, 0.0, 2.0]])
    found = means(z)
    assert found["mean rating"][0, 0] == 3.0
    assert found["mean of the movie"][2].tolist() == [3.0, 5.0, 2.0]
    both = found["mean of the movie and of the user"]  # user 1: +1 and 0 above the means of movies 1 and 3
    assert both[0].tolist() == [3.5, 5.0, 2.5]
    assert both[1].tolist() == [2.5, 4.5, 1.5]


@settings(max_examples=30)
@given(st.integers(0, 1000))
def test_error_and_ranking_are_the_textbook_ones(seed):
    rng = np.random.default_rng(seed)
    z = np.where(rng.random((3, 12)) < 0.3, 4.0, 0.0)
    held = np.where((rng.random((3, 12)) < 0.4) & (z == 0), rng.integers(1, 6, (3, 12)), 0.0)
    guess = rng.integers(0, 4, (3, 12)).astype(float)  # with ties
    errors = [(guess[i, j] - held[i, j]) ** 2 for i, j in zip(*np.nonzero(held), strict=True)]
    areas = [roc_auc_score(held[i][z[i] == 0] > 0, guess[i][z[i] == 0]) for i in range(3)
             if 0 < (held[i] > 0).sum() < (z[i] == 0).sum()]  # fmt: skip
    if errors and areas:
        assert rmse(guess, held) == pytest.approx(np.sqrt(np.mean(errors)))
        assert ranking(guess, z, held) == pytest.approx(np.mean(areas))


def test_a_dictionary_that_is_right_beats_the_means():
    """Ratings that two atoms explain: the codes of the observed entries predict those that are withheld."""
    rng = np.random.default_rng(1)
    theta = rng.choice([1.0, 2.0], (60, 2))
    full = rng.uniform(0.5, 1.2, (40, 2)) @ theta.T
    full[rng.random(full.shape) < 0.2] = 0.0
    held = np.where(rng.random(full.shape) < 0.1, full, 0.0)
    z = full - held
    found = scores(data.Data(Clients.of([z]), z, 2, held=held), {"fedmm": [theta]})
    assert found["fedmm, observed entries"]["rmse"][0] < 0.3 * found["mean of the movie and of the user"]["rmse"][0]


def test_the_table_has_a_line_for_each_prediction(drawn, tmp_path):
    class Made(Pool):
        def run(self, tasks: Any, what: str) -> Any:
            nothing = DictionaryRun(*np.zeros((6, 1)))
            return {
                key: [replace(nothing, theta=np.random.default_rng(task.seed).random((500, 50))) for task in of]
                for key, of in tasks.items()
            }

    found = results(DictionaryPlan(seeds=2), Made(tmp_path))
    assert len(found.words[-1].splitlines()) == 2 + 4 + 4
    assert len(found.numbers["naive, observed entries"]["rmse"]) == 2


def test_without_movielens_the_page_says_so(tmp_path):
    with Pool(tmp_path) as pool:
        assert "Not run" in results(DictionaryPlan(real="patches"), pool).words[-1]
