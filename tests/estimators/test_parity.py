"""A federated fit is the centralised one of the pooled table: several tables, tolerances beside each."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF, DictionaryLearning, non_negative_factorization, sparse_encode
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, HuberRegressor, Lasso, LogisticRegression, PoissonRegressor, Ridge
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from fedmm_edu.errors import InvalidInput
from fedmm_edu.estimators import (
    FederatedDictionaryLearning,
    FederatedElasticNet,
    FederatedGaussianMixture,
    FederatedHuber,
    FederatedKMeans,
    FederatedLasso,
    FederatedLogisticRegression,
    FederatedNMF,
    FederatedPoisson,
    FederatedRidge,
    FederatedScaler,
)
from fedmm_edu.federation.partition import balanced_assignment, balanced_clusters
from tests.estimators.cases import not_converged, patients

TIGHT = {"tol": 1e-12, "max_iter": 200_000}
PAIRS = {
    "lasso": (FederatedLasso(0.05, **TIGHT), Lasso(0.05, **TIGHT)),
    "elastic net": (FederatedElasticNet(0.02, 0.3, **TIGHT), ElasticNet(alpha=0.02, l1_ratio=0.3, **TIGHT)),
    "ridge": (FederatedRidge(2.0, **TIGHT), Ridge(2.0)),
    "ridge without intercept": (
        FederatedRidge(2.0, fit_intercept=False, **TIGHT),
        Ridge(2.0, fit_intercept=False),
    ),
}


def split(name: str):
    table = patients(name)
    return table.drop(columns=["target", "hospital"]), table["target"].to_numpy(float), table["hospital"].to_numpy()


@pytest.mark.parametrize("weighted", [False, True], ids=["equal weights", "weights"])
@pytest.mark.parametrize("data", ["diabetes", "wine", "iris"])
@pytest.mark.parametrize("name", PAIRS)
def test_regression(name, data, weighted):
    """Coefficients to 1e-6 of the largest; the penalty is that of the columns as they came, whatever their scales."""
    (ours, theirs), (X, y, who) = PAIRS[name], split(data)
    if name.endswith("without intercept"):
        X = X - X.mean() + 0.3 * X.std()  # columns far from 0 are nearly parallel, and take long
    weights = np.random.default_rng(0).integers(0, 4, len(y)).astype(float) if weighted else None
    ours.fit(X, y, clients=who, sample_weight=weights)
    theirs.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-6 * np.abs(theirs.coef_).max())
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-6 * np.abs(y).max())


@pytest.mark.parametrize("weighted", [False, True], ids=["equal weights", "weights"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(("data", "K"), [("iris", 3), ("wine", 3), ("breast cancer", 2)])
def test_logistic_regression(data, K, l1_ratio, weighted):
    """Coefficients to 1e-6, intercepts up to a common number, chances to 1e-6, though a client has one class only."""
    X, y, _ = split(data)
    X, y = StandardScaler().fit_transform(X)[:, :6], np.array(["low", "high", "none"])[y.astype(int)]
    who = np.where(y == y[0], "one class only", np.arange(len(y)) % 2)
    weights = np.random.default_rng(0).integers(0, 4, len(y)).astype(float) if weighted else None
    given = {"C": 0.05, "l1_ratio": l1_ratio}
    ours = FederatedLogisticRegression(**given, tol=1e-11, max_iter=100_000).fit(X, y, who, sample_weight=weights)
    solver = (
        {"solver": "saga", "tol": 1e-13, "max_iter": 100_000} if l1_ratio else {"solver": "newton-cg", "tol": 1e-13}
    )
    theirs = LogisticRegression(**given, **solver).fit(X, y, sample_weight=weights)
    assert list(ours.classes_) == list(theirs.classes_)
    assert len(ours.classes_) == K
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-6)
    apart = ours.intercept_ - theirs.intercept_
    np.testing.assert_allclose(apart - (apart.mean() if K > 2 else 0.0), 0.0, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if l1_ratio:
        assert ((ours.coef_ == 0.0) == (np.abs(theirs.coef_) < 1e-7)).all()
    assert ours.certificate_.theorem is not None


@pytest.mark.parametrize("intercept", [True, False], ids=["intercept", "no intercept"])
@pytest.mark.parametrize("data", ["diabetes", "wine"])
def test_huber(data, intercept):
    """HuberRegressor at the scale that it found, to 1e-5 of the largest coefficient, which is how well it ends."""
    X, y, who = split(data)
    X = StandardScaler().fit_transform(X)[:, :5] + (0.0 if intercept else 0.5)
    theirs = HuberRegressor(alpha=0.5, tol=1e-12, max_iter=100_000, fit_intercept=intercept).fit(X, y)
    sigma = theirs.scale_
    ours = FederatedHuber(1.35 * sigma, 0.5 * sigma / len(y), fit_intercept=intercept, **TIGHT).fit(X, y, clients=who)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-5 * np.abs(theirs.coef_).max())
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5, atol=1e-7)
    slope = np.clip(ours.predict(X) - y, -1.35 * sigma, 1.35 * sigma) @ X / len(y) + ours.alpha * ours.coef_
    assert np.abs(slope).max() <= 1e-9 * sigma


@pytest.mark.parametrize("weighted", [False, True], ids=["equal weights", "weights"])
@pytest.mark.parametrize(("data", "intercept"), [("diabetes", True), ("wine", True), ("wine", False)])
def test_poisson(data, intercept, weighted):
    """Coefficients and intercept to 1e-8, D² to 1e-10."""
    X, y, who = split(data)
    X = X.iloc[:, 1:4]
    X = X - X.mean() + 0.3 * X.std()  # columns far from 0 are nearly parallel, and take long without an intercept
    weights = np.random.default_rng(0).integers(0, 4, len(y)).astype(float) if weighted else None
    given = {"alpha": 0.01, "fit_intercept": intercept}
    ours = FederatedPoisson(**given, tol=1e-11).fit(X, y, clients=who, sample_weight=weights)
    theirs = PoissonRegressor(**given, solver="newton-cholesky", tol=1e-13, max_iter=1000)
    theirs.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=0, atol=1e-8)
    assert ours.score(X, y, weights) == pytest.approx(theirs.score(X, y, weights), abs=1e-10)


@not_converged
@pytest.mark.parametrize("data", ["iris", "wine"])
def test_nmf(data):
    """Codes to 1e-8 for our atoms, with holes left out; the objective is no worse than scikit-learn's by 2 %, from the
    same start."""
    X, _, who = split(data)
    X = X.to_numpy() / X.to_numpy().std(axis=0)
    N, p = X.shape
    start = np.random.default_rng(0).uniform(0.0, 2.0, (3, p))
    given = {"n_components": 3, "alpha_W": 0.01, "alpha_H": 0.01}
    ours = FederatedNMF(**given, init=start, max_iter=250).fit(X, clients=who)
    fixed = {**given, "H": ours.components_, "update_H": False, "max_iter": 50_000, "tol": 1e-13}
    np.testing.assert_allclose(ours.transform(X), non_negative_factorization(X, **fixed)[0], rtol=0, atol=1e-8)
    codes = non_negative_factorization(X, **{**fixed, "H": start, "tol": 1e-6})[0]
    theirs = NMF(**given, init="custom", tol=1e-8, max_iter=20_000)
    W = theirs.fit_transform(X, W=codes, H=start.copy())
    fit = 0.5 * ((X - W @ theirs.components_) ** 2).sum() / N + 0.005 * p * (W**2).sum() / N
    reached = fit + 0.005 * (theirs.components_**2).sum()
    assert -ours.score(X) + 0.005 * (ours.components_**2).sum() <= 1.02 * reached
    assert (ours.components_ >= 0.0).all()
    sparse = FederatedNMF(3, alpha_W=0.05, l1_ratio=1.0, init=start, max_iter=20).fit(X, clients=who)
    expected = non_negative_factorization(X, H=sparse.components_, n_components=3, update_H=False, alpha_W=0.05,
                                          l1_ratio=1.0, max_iter=50_000, tol=1e-13)[0]  # fmt: skip
    np.testing.assert_allclose(sparse.transform(X), expected, rtol=0, atol=1e-6)
    with pytest.raises(InvalidInput, match="Negative values"):
        FederatedNMF(3).fit(X - 5.0)


@pytest.mark.parametrize(("data", "k"), [("iris", 3), ("wine", 3), ("breast cancer", 2)])
def test_mixture(data, k):
    """scikit-learn's EM, without a prior and from our end, stays there: means to 1e-5, score to 1e-7, both in standard
    units; and the best of five of its starts is no better by 0.3 nats a row."""
    X, _, who = split(data)
    X = X.iloc[:, :6]
    ours = FederatedGaussianMixture(k, prior=1e-10, tol=1e-9, max_iter=5000).fit(X, clients=who)
    Z = StandardScaler().fit_transform(X)
    scales = np.outer(ours.scale_, ours.scale_)
    theirs = GaussianMixture(
        k, reg_covar=0.0, tol=1e-13, max_iter=3000, weights_init=ours.weights_,
        means_init=(ours.means_ - ours.center_) / ours.scale_, precisions_init=ours.precisions_ * scales,
    ).fit(Z)  # fmt: skip
    np.testing.assert_allclose((ours.means_ - ours.center_) / ours.scale_, theirs.means_, rtol=0, atol=1e-5)
    np.testing.assert_allclose(ours.weights_, theirs.weights_, rtol=0, atol=1e-6)
    np.testing.assert_allclose(ours.covariances_ / scales, theirs.covariances_, rtol=0, atol=1e-4)
    in_units = ours.score(X) + np.log(ours.scale_).sum()
    assert in_units == pytest.approx(theirs.score(Z), abs=1e-7)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(Z), rtol=0, atol=1e-4)
    other = GaussianMixture(k, n_init=5, reg_covar=1e-6, max_iter=1000, random_state=0).fit(Z)
    assert in_units > other.score(Z) - 0.3
    assert ours.bic(X) - ours.aic(X) == pytest.approx(ours._parameters() * (np.log(len(X)) - 2.0))


@pytest.mark.parametrize(("data", "k"), [("iris", 3), ("wine", 3), ("breast cancer", 2), ("diabetes", 4)])
def test_kmeans(data, k):
    """Lloyd's algorithm from our end stays there: centres to 1e-7 of the scale; twenty of its starts gain under 2 %."""
    X, _, who = split(data)
    ours = FederatedKMeans(k, n_init=8).fit(X, clients=who)
    theirs = KMeans(k, init=ours.cluster_centers_, n_init=1, tol=0.0).fit(X)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=0, atol=1e-7 * ours.scale_[0])
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-9)
    assert ours.score(X) == pytest.approx(-ours.inertia_, rel=1e-9)
    assert ours.inertia_ / 1.02 <= -KMeans(k, n_init=20, random_state=0).fit(X).score(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-6, atol=1e-6 * ours.scale_[0])


@pytest.mark.parametrize(("data", "k"), [("iris", 3), ("wine", 3), ("breast cancer", 4)])
def test_balanced_kmeans(data, k):
    """Sizes differ by one row at most; the cost is no more than 2 % above the centralised algorithm's from many starts.

    For the centres that were found the labels cost as little as the optimal balanced assignment.
    """
    X, _, who = split(data)
    ours = FederatedKMeans(k, balanced=True).fit(X, clients=who)
    sizes = np.bincount(ours.labels_, minlength=k)
    assert sizes.max() - sizes.min() <= 1
    cost = ((X.to_numpy()[:, None] - ours.cluster_centers_) ** 2).sum(axis=2)
    best, _ = balanced_assignment(cost, sizes)
    rows = np.arange(len(X))
    assert cost[rows, ours.labels_].sum() == pytest.approx(cost[rows, best].sum(), rel=1e-9)
    others = [balanced_clusters(X.to_numpy(), k, seed) for seed in range(4)]
    assert ours.inertia_ <= 1.02 * min(
        sum(float(((X[found == i] - X[found == i].mean()) ** 2).sum().sum()) for i in range(k)) for found in others
    )
    assert "exchanges" in dict(ours.certificate_.data)["prices of the clusters"]
    with pytest.raises(InvalidInput, match="needs all rows at once"):
        FederatedKMeans(k, balanced=True).partial_fit(X, clients=who).partial_fit(X, clients=who)


def test_the_objective_is_that_of_weighted_rows():
    """Of the starts the least weighted objective wins: ½ Σ w_j d_j²/Σ w_j in standard units."""
    X, _, who = split("iris")
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(X))
    ours = FederatedKMeans(3).fit(X, clients=who, sample_weight=weights)
    expected = 2.0 * ours.objective_ * weights.sum() * ours.scale_[0] ** 2
    assert ours.inertia_ == pytest.approx(expected, rel=1e-9)


def test_rows_that_no_price_tells_apart_are_told():
    with pytest.warns(ConvergenceWarning, match="differ from equal size"):
        FederatedKMeans(2, balanced=True, n_init=1).fit(np.repeat([[0.0], [1.0], [2.0]], [30, 1, 1], axis=0))


@not_converged
def test_dictionary():
    """Codes to 1e-6 for our atoms; the objective is no worse than scikit-learn's by 2 %, from the same start."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)) * [3.0, 2.0, 1.0] @ rng.normal(size=(3, 8)) + 0.1 * rng.normal(size=(120, 8))
    start = rng.normal(size=(4, 8))
    start /= np.linalg.norm(start, axis=1)[:, None]
    ours = FederatedDictionaryLearning(4, alpha=0.2, dict_init=start, max_iter=200).fit(
        X, clients=rng.integers(0, 5, 120)
    )
    np.testing.assert_allclose(
        ours.transform(X), sparse_encode(X, ours.components_, algorithm="lasso_cd", alpha=0.2, max_iter=20_000),
        rtol=0, atol=1e-6,
    )  # fmt: skip
    theirs = DictionaryLearning(4, alpha=0.2, dict_init=start, code_init=np.zeros((120, 4)), max_iter=300, tol=1e-8,
                                fit_algorithm="cd", transform_algorithm="lasso_cd", transform_alpha=0.2,
                                transform_max_iter=20_000).fit(X)  # fmt: skip
    h = theirs.transform(X)
    reached = (0.5 * ((X - h @ theirs.components_) ** 2).sum(axis=1) + 0.2 * np.abs(h).sum(axis=1)).mean()
    assert -ours.score(X) <= 1.02 * reached
    assert (np.linalg.norm(ours.components_, axis=1) <= 1.0 + 1e-9).all()


@not_converged
def test_missing_entries_are_filled_in():
    """Rows of rank 3 with 30 % missing: the missing entries are found to 5 % of their size; what was seen stays."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 3)) @ rng.normal(size=(3, 12)) * 2.0
    holes = rng.random(X.shape) < 0.3
    seen = np.where(holes, np.nan, X)
    model = FederatedDictionaryLearning(3, alpha=0.01, max_iter=300).fit(seen, clients=rng.integers(0, 4, 120))
    found = model.complete(seen)
    np.testing.assert_array_equal(found[~holes], X[~holes])
    assert np.sqrt(np.mean((found - X)[holes] ** 2)) < 0.05 * X[holes].std()
    naive = FederatedDictionaryLearning(3, alpha=0.01, max_iter=300).fit(np.nan_to_num(seen))
    assert np.mean((naive.complete(seen) - X)[holes] ** 2) > 4.0 * np.mean((found - X)[holes] ** 2)


@pytest.mark.parametrize("data", ["diabetes", "wine"])
def test_scaler(data):
    """Mean and variance of the pooled table to 1e-12, missing entries left out, batches added up."""
    X, _, who = split(data)
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    theirs = StandardScaler().fit(X)
    streamed = FederatedScaler()
    for start in range(0, len(X), 50):
        streamed.partial_fit(X[start : start + 50], clients=who[start : start + 50])
    np.testing.assert_allclose(
        FederatedScaler().fit(X, clients=who).transform(X), theirs.transform(X), rtol=1e-10, atol=1e-12
    )
    complete = X.fillna(0.0)
    streamed = FederatedScaler()
    for start in range(0, len(X), 50):
        streamed.partial_fit(complete[start : start + 50], clients=who[start : start + 50])
    np.testing.assert_allclose(streamed.var_, StandardScaler().fit(complete).var_, rtol=1e-10)
    np.testing.assert_allclose(
        streamed.inverse_transform(streamed.transform(complete)), complete, rtol=1e-10, atol=1e-10
    )
