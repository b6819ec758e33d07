"""Mixtures of Gaussians over clients: EM in 𝒮, with a prior that is in proportion whatever the units are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.errors import as_count, in_interval
from fedmm_edu.estimators.channel import Channel
from fedmm_edu.estimators.fitting import FitTask, fit
from fedmm_edu.estimators.kmeans import kmeans_task
from fedmm_edu.estimators.pooled import PooledMoments
from fedmm_edu.estimators.private import GaussianMechanism
from fedmm_edu.estimators.private_fit import PrivateEstimator
from fedmm_edu.estimators.rows import ClientRows, Standard
from fedmm_edu.estimators.weighted import weighted
from fedmm_edu.examples.mixture import GaussianMixture, Prior
from fedmm_edu.surrogate import Surrogate

SENSITIVITY = "own-private-mixture"
STAND_INS = 256
"""Rows for each component of those that nobody has, from which a public start is made."""
MAJORISES = (True, "responsibilities are the posterior of the model, row by row; no condition on the data")


@dataclass(eq=False, repr=False)
class FederatedGaussianMixture(DensityMixin, PrivateEstimator):
    """A mixture of Gaussians with full covariances, as scikit-learn's GaussianMixture.

    prior: the strength of a conjugate prior in shares of the data (1/N: one pseudo-row), the same for weights, means
    and covariances, around the mean and with the variances of all columns. The small default keeps a component away
    from the singular, as `reg_covar` does in scikit-learn. Starts: k-means++ on statistics, then ten rounds of k-means.

    privacy: with n_init=1 and a `prior` of a hundredth or so, as noise makes covariances singular. The start is then
    that of normal rows in the public units, which nobody has.

    After `fit`: weights_ (k,), means_ (k, p), covariances_ (k, p, p), precisions_ (k, p, p).
    """

    n_components: int = 1
    prior: float = 1e-6
    _: KW_ONLY
    n_init: int = 4
    tol: float = 1e-6

    def _units(self, rows: ClientRows) -> Standard:
        return Standard.of(rows) if self.privacy is None else self.privacy.units(rows.x.shape[1], True)

    def _task_in(self, rows: ClientRows, standard: Standard) -> FitTask:
        x = standard.to(rows.x)
        problem = self._model(x.shape[1])
        if self.privacy is not None:
            return self._private(rows, x, problem, self.privacy)
        return weighted(rows, FitTask("mixture", problem, rows.clients(x), lambda seed: _start(problem, rows, x, seed),
                                   majorises=MAJORISES))  # fmt: skip

    def _private(self, rows: ClientRows, x: Array, problem: GaussianMixture, privacy: GaussianMechanism) -> FitTask:
        """The task of rows x in public units: shortened, with noise, from a public start."""
        (x, long), R = privacy.shortened(x, True), privacy.norm(problem.p + 1)
        theta, s = self._public_start(problem, np.eye(problem.p))
        task = FitTask("mixture", problem, rows.clients(x), lambda seed: theta, majorises=MAJORISES, opening=s)
        says = f"{long} of {len(x)}, to R = {R:.4g}, (x, 1) being measured"
        return self._hidden(task, privacy, float(np.sqrt(2.0)) * R**2, "√2 R²/N_i", SENSITIVITY, says)

    def _informed(self, rows: ClientRows, columns: Sequence[str], known: PooledMoments) -> FitTask:
        """The task of rows of which moments are known, from a start that follows from these."""
        units, second = known.of(columns)
        self.center_, self.scale_ = units.mean, units.scale
        x = units.to(rows.x)
        problem = self._model(x.shape[1])
        theta, s = self._public_start(problem, second)
        return FitTask("mixture", problem, rows.clients(x), lambda seed: theta, majorises=MAJORISES, opening=s)

    def _public_start(self, problem: GaussianMixture, second: Array) -> tuple[Array, Array]:
        """θ and Ŝ_0 of a start that asks for no row: that of normal rows of these second moments."""
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        values, vectors = np.linalg.eigh(second)
        drawn = np.random.default_rng(seed).normal(size=(STAND_INS * problem.L, problem.p))
        drawn = drawn * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        rows = ClientRows.of(drawn, None, np.zeros(len(drawn), dtype=np.int64), None)
        theta = _start(problem, rows, rows.x, seed)
        return theta, problem.mean_S_bar(rows.x, theta)

    def _learn(self, problem: Surrogate, theta: Array) -> None:
        assert isinstance(problem, GaussianMixture)
        self.theta_ = theta
        weights, means, covariances = problem.parameters(theta)
        scales = self.scale_[:, None] * self.scale_
        self.weights_, self.means_ = weights, means * self.scale_ + self.center_
        self.covariances_ = covariances * scales
        with np.errstate(over="ignore"):
            self.precisions_ = np.linalg.inv(covariances) / scales

    def _model(self, p: int | None = None) -> GaussianMixture:
        """The problem in standard units."""
        p = len(self.center_) if p is None else p
        L = as_count("n_components", self.n_components)
        share = in_interval("prior", self.prior, low=0.0, high=1e6, open_low=True)
        return GaussianMixture(L, p, Prior.of(np.zeros(p), share * np.eye(p), a=share, kappa=share, eta=share))

    def predict_proba(self, X: Any) -> Array:
        """The chance of each component, given the row: shape (N, k)."""
        x = self._standard_rows(X)
        return self._model().responsibilities(x, self.theta_)

    def predict(self, X: Any) -> Indices:
        """The likeliest component of each row: shape (N,)."""
        return np.argmax(self.predict_proba(X), axis=1)

    def fit_predict(self, X: Any, y: Any = None, clients: Any = None, sample_weight: Any = None) -> Indices:
        """`fit`, then `predict` of the same rows."""
        return self.fit(X, y, clients, sample_weight).predict(X)

    def score_samples(self, X: Any) -> Array:
        """The log-density of each row: shape (N,)."""
        x = self._standard_rows(X)
        return -self._model().loss(x, self.theta_) - float(np.log(self.scale_).sum())

    def score(self, X: Any, y: Any = None) -> float:  # type: ignore[override]
        """The mean log-density of the rows."""
        return float(self.score_samples(X).mean())

    def bic(self, X: Any) -> float:
        """The Bayesian information criterion on these rows: the lower the better."""
        scores = self.score_samples(X)
        return -2.0 * float(scores.sum()) + self._parameters() * float(np.log(len(scores)))

    def aic(self, X: Any) -> float:
        """The information criterion of Akaike on these rows: the lower the better."""
        return -2.0 * float(self.score_samples(X).sum()) + 2.0 * self._parameters()

    def sample(self, n_samples: int = 1) -> tuple[Array, Indices]:
        """Rows of the model, shape (n_samples, p), and the component of each; the draws follow from random_state."""
        check_is_fitted(self)
        rng, count = check_random_state(self.random_state), as_count("n_samples", n_samples)
        labels = rng.choice(len(self.weights_), size=count, p=self.weights_ / self.weights_.sum())
        _, means, covariances = self._model().parameters(self.theta_)
        roots = np.linalg.cholesky(covariances)[labels]
        drawn = means[labels] + np.einsum("nij,nj->ni", roots, rng.normal(size=(count, len(self.center_))))
        return drawn * self.scale_ + self.center_, labels

    def _parameters(self) -> int:
        k, p = self.means_.shape
        return k - 1 + k * p + k * p * (p + 1) // 2


def _start(problem: GaussianMixture, rows: ClientRows, x: Array, seed: int) -> Array:
    """Clusters of ten rounds of k-means: their shares and centres, and their common variance in each direction."""
    p, L = problem.p, problem.L
    clusters = weighted(rows, kmeans_task(rows, x, L))
    found = fit(clusters, Channel.of(None, None, len(rows), clusters.problem.q), 1.0, seed, 10, 0.0)
    rows.sent.bits += found.bits_up
    shares = np.diag(found.s[: L * L].reshape(L, L))
    floor = problem.natural.least_weight
    weights = floor + (1.0 - L * floor) * np.maximum(shares, 1e-3 / L) / np.maximum(shares, 1e-3 / L).sum()
    within = max(2.0 * float(found.objective[-1]) / p, 1e-6)
    return problem.theta(weights / weights.sum(), found.theta.reshape(p, L).T, np.tile(within * np.eye(p), (L, 1, 1)))
