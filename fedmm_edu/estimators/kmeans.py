"""k-means over clients: a dictionary whose codes are unit vectors (Section 2.3)."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.estimators.balanced import PricedOneHot, balancing_prices
from fedmm_edu.estimators.base import FederatedEstimator
from fedmm_edu.estimators.fitting import FitTask
from fedmm_edu.estimators.rows import ClientRows, Standard
from fedmm_edu.estimators.starts import spread_centres
from fedmm_edu.estimators.weighted import weighted
from fedmm_edu.examples.dictionary import DictionaryLearning, OneHot, Unconstrained
from fedmm_edu.surrogate import Surrogate

ETA = 1e-12
"""η of g = η‖θ‖², which moves a centre by 2η over the share of its cluster; an empty cluster goes to the mean."""


def _clusters(p: int, K: int, coder: OneHot) -> DictionaryLearning:
    return DictionaryLearning(p, K, coder, Unconstrained(ETA))


def _cost(x: Array, theta: Array) -> Array:
    """½‖x − θ_k‖² less ½‖x‖²: shape (N, K)."""
    return 0.5 * (theta**2).sum(axis=0) - x @ theta


def _balanced_lloyd(
    rows: ClientRows, x: Array, task: FitTask, seed: int, rounds: int
) -> tuple[Array, Array, float, tuple[float, int]]:
    """Centres and prices in turn until nothing moves: both, the deviation from equal sizes, then cost and exchanges."""
    p, theta = x.shape[1], task.start(seed).reshape(x.shape[1], -1)
    K, exchanges, gap, labels = theta.shape[1], 0, np.inf, np.zeros(len(x), dtype=np.int64)
    prices = np.zeros(K)
    for _ in range(rounds):
        prices, gap, used = balancing_prices(rows, _cost(x, theta), prices)
        exchanges += used
        labels = np.argmin(_cost(x, theta) + prices, axis=1)
        groups = np.eye(K)[labels]
        counts = np.maximum(rows.sum(groups), 1e-300)
        before, theta = theta, np.stack([rows.sum(groups * x[:, [j]]) / counts for j in range(p)])
        if np.abs(theta - before).max() <= 1e-12:
            break
    cost = float(rows.mass @ ((x - theta.T[labels]) ** 2).sum(axis=1))
    return theta.ravel(), prices, gap, (cost, exchanges)


def kmeans_task(rows: ClientRows, x: Array, K: int) -> FitTask:
    """K clusters of the rows x in standard units, from k-means++ on statistics."""
    problem = _clusters(x.shape[1], K, OneHot())
    return FitTask(
        "dictionary", problem, rows.clients(x), lambda seed: spread_centres(rows, x, K, seed).T.ravel(), floor=0.0,
        meets=frozenset({"complete rows"}),
        majorises=(True, "the nearest centre minimises, row by row; no condition on the data"),
    )  # fmt: skip


@dataclass(eq=False, repr=False)
class FederatedKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, FederatedEstimator):
    """k centres with the least Σ_j ‖x_j − nearest centre‖², as scikit-learn's KMeans; the best of n_init starts.

    balanced: clusters of equal size, up to one row where no rows are equal. The server then finds a price for each
    cluster from counts (see `balancing_prices`), and a row goes where ½‖x − centre‖² + price is least, new rows too.
    Counts are exact and come from all clients, so that `compress` and `participation` are refused.

    After `fit`: cluster_centers_, shape (k, p); labels_, shape (N,), in the order of the table; inertia_; prices_.
    """

    n_clusters: int = 8
    balanced: bool = False
    _: KW_ONLY
    n_init: int = 4
    max_iter: int = 300
    tol: float = 1e-9

    def _units(self, rows: ClientRows) -> Standard:
        return Standard.of(rows).common()

    def _task_in(self, rows: ClientRows, standard: Standard) -> FitTask:
        x, K = standard.to(rows.x), as_count("n_clusters", self.n_clusters)
        task = weighted(rows, kmeans_task(rows, x, K))
        self._prices = np.zeros(K)
        return self._priced(rows, x, task) if self.balanced else task

    def _same_units(self, rows: ClientRows) -> FitTask:
        if self.balanced:
            raise InvalidInput("balanced = True needs all rows at once: fit them, or stream with balanced=False.")
        return super()._same_units(rows)

    def _checked(self, rows: ClientRows) -> ClientRows:
        for name in ("compress", "participation"):
            if self.balanced and getattr(self, name) is not None:
                raise InvalidInput(
                    f"{name} = {getattr(self, name)!r} with balanced = True: prices are found from exact counts of all "
                    f"clients; set {name}=None, or balanced=False."
                )
        return super()._checked(rows)

    def _priced(self, rows: ClientRows, x: Array, task: FitTask) -> FitTask:
        """The task at the prices of the best start, from its centres: there prices and centres fit each other."""
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_init)
        found = [_balanced_lloyd(rows, x, task, int(seed), self.max_iter) for seed in seeds]
        theta, self._prices, gap, _ = min(found, key=lambda one: one[-1][0])
        exchanges = sum(one[-1][1] for one in found)
        if gap >= float(rows.mass.max()):
            warnings.warn(f"clusters differ from equal size by up to {gap:g} rows: some rows are equal, and no prices "
                          "tell them apart.", ConvergenceWarning, stacklevel=5)  # fmt: skip
        K = len(self._prices)
        notes = (("prices of the clusters", f"{exchanges} exchanges of {K * K + 2 * K} exact numbers for each client"),)
        problem = _clusters(x.shape[1], K, PricedOneHot(tuple(self._prices.tolist())))
        base = replace(kmeans_task(rows, x, K), problem=problem, plain=problem, start=lambda seed: theta, notes=notes,
                       floor=float(self._prices.min()))  # fmt: skip
        return weighted(rows, base)

    def _run(self, rows: ClientRows, task: FitTask) -> None:
        super()._run(rows, task)
        self.labels_ = self._nearest((rows.table - self.center_) / self.scale_)[0]
        cost = self._nearest((rows.x - self.center_) / self.scale_)[1]
        self.inertia_ = float(rows.given @ cost) * float(self.scale_[0]) ** 2

    def _learn(self, problem: Surrogate, theta: Array) -> None:
        self.theta_ = theta.reshape(len(self.center_), -1)
        self.cluster_centers_ = self.theta_.T * self.scale_ + self.center_
        self.prices_ = vars(self).pop("_prices", np.zeros(self.theta_.shape[1]))

    def _nearest(self, x: Array) -> tuple[Indices, Array]:
        """The centre of rows in standard units, the nearest where there are no prices, and its squared distance."""
        labels = np.argmin(_cost(x, self.theta_) + self.prices_, axis=1)
        return labels, ((x - self.theta_.T[labels]) ** 2).sum(axis=1)

    def predict(self, X: Any) -> Indices:
        """The nearest centre of each row: shape (N,)."""
        return self._nearest(self._standard_rows(X))[0]

    def transform(self, X: Any) -> Array:
        """The distance of each row from each centre: shape (N, k)."""
        x = self._standard_rows(X)
        return np.sqrt(((x[:, None] - self.theta_.T) ** 2).sum(axis=2)) * self.scale_[0]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """−Σ_j ‖x_j − nearest centre‖²."""
        x = self._standard_rows(X)
        weights = _check_sample_weight(sample_weight, x, dtype=np.float64)
        return -float(weights @ self._nearest(x)[1]) * float(self.scale_[0]) ** 2

    @property
    def _n_features_out(self) -> int:
        return self.theta_.shape[1]
