"""Poisson regression over clients, by the separable majoriser of its example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import xlogy
from sklearn.base import RegressorMixin
from sklearn.metrics import d2_tweedie_score

from fedmm_edu.arrays import Array
from fedmm_edu.convex_sets import Box
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.estimators.fitting import FitTask
from fedmm_edu.estimators.linear import LinearModel
from fedmm_edu.estimators.rows import ClientRows
from fedmm_edu.estimators.weighted import weighted
from fedmm_edu.examples.loglinear import LogLinear


@dataclass(eq=False, repr=False)
class FederatedPoisson(RegressorMixin, LinearModel):
    """min E[exp(⟨x, θ⟩ + b) − y(⟨x, θ⟩ + b)] + ½ alpha‖θ‖² for y ≥ 0, as scikit-learn's PoissonRegressor.

    Each client sends the largest Σ_j |x_j| of its rows in standard units, from which the surrogate is made, and the
    sums of its y, from which b starts, and of its y log y. The larger the former, R, the more rounds are needed, and
    the more bits, as s holds e^{Rθ_j} beside e^{−Rθ_j}. With alpha > 0 the sums bound θ and b, so that the noise of
    messages leads `fit` to no parameter beyond; with alpha = 0, and in a stream, nothing does, and a coefficient that
    it leaves without a value is an `InvalidInput`.
    """

    alpha: float = 1.0
    _scaled: ClassVar[bool] = False

    def _weights(self, total: float) -> tuple[float, float]:
        return 0.0, in_interval("alpha", self.alpha, low=0.0, high=np.inf)

    def _coded(self, target: Any, *, reset: bool) -> Array:
        y = super()._coded(target, reset=reset)
        if (y < 0.0).any():
            raise InvalidInput(f"y holds {y.min()}: counts, or rates, must be >= 0.")
        return y

    def _linear(self, rows: ClientRows, z: Array, least_R: float = 0.0, *, bounded: bool = True) -> FitTask:
        """`bounded`: whether Θ is the box of `_level_set`, which is that of these rows alone."""
        d, y, free = z.shape[1] - 1, z[:, -1], z.shape[1] - 1 - rows.x.shape[1]
        mean, least = rows.mean(np.column_stack([y, y - xlogy(y, y)]))
        if not mean > 0.0:
            raise InvalidInput("every y is 0, so that the intercept has no value: give rows with a count.")
        longest = float(np.abs(z[:, :-1]).sum(axis=1).max())
        rows.sent.numbers(len(rows))
        R = max(least_R, longest) or 1.0
        start = np.append(np.zeros(d - free), np.full(free, np.log(mean)))
        eta = np.asarray(self._penalty(rows, free).kappa)
        Theta = _level_set(float(mean), float(least), R, eta, free) if bounded else None
        problem = LogLinear(d, R, eta, Theta=Theta)
        return weighted(rows, FitTask(
            "loglinear", problem, rows.clients(z), lambda seed: start, floor=float(least),
            majorises=(longest <= R, f"Σ|x_j| ≤ {longest:.6g} ≤ R = {R:.6g}: Jensen's inequality"),
        ))  # fmt: skip

    def _next(self, rows: ClientRows, z: Array, s: Array | None) -> tuple[FitTask, Array]:
        before = getattr(self, "R_", 0.0) if s is not None else 0.0
        task = self._linear(rows, z, before, bounded=False)
        problem = task.plain
        assert isinstance(problem, LogLinear)
        if s is None:
            s = task.clients.mean_S_bar(task.problem, task.start(0))
        elif before < problem.R:  # a longer row: T(s) = θ stays, the two exponentials being those of R θ
            theta = LogLinear(problem.d, before, problem.eta).T(s)
            up, down, third = np.split(s, 3)
            grown = (problem.R - before) * theta
            share = before / problem.R
            s = np.concatenate([share * up * np.exp(-grown), share * down * np.exp(grown), third])
        self.R_ = problem.R
        return task, s

    def predict(self, X: Any) -> Array:
        """exp(⟨x, coef_⟩ + intercept_), the expected count of each row: shape (N,)."""
        return np.exp(self._fitted(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """D², the share of the deviance that is explained, as in scikit-learn."""
        return float(d2_tweedie_score(y, self.predict(X), sample_weight=sample_weight, power=1))


def _level_set(mean: float, least: float, R: float, eta: Array, free: int) -> Box:
    """A box that holds every (θ, b) with W(θ, b) ≤ W_0, that of the start; x is centred where there is a b.

    least = ȳ − E[y log y] bounds E[e^u − yu] from below, so D = W_0 − least bounds the penalty: ½η_jθ_j² ≤ D. It also
    bounds what the best b for this θ would gain, which is ȳ(r − 1 − log r) with r = E[e^u]/ȳ. Hence r ≥ e^{−1−D/ȳ}, and
    (√r − 1)² ≤ r − 1 − log r gives r ≤ (1 + √(D/ȳ))². With e^b ≤ E[e^u] (Jensen) and u ≤ b + (R − 1) max_j |θ_j|, as b
    has a feature of ones, both bound b.
    """
    W0 = mean - mean * np.log(mean) if free else 1.0
    D = max(W0 - least, 0.0) + 1e-9 * max(1.0, abs(W0), abs(least))  # rounding
    with np.errstate(divide="ignore", over="ignore"):
        sides = np.sqrt(2.0 * D) / np.sqrt(eta[: len(eta) - free])
    if not free:
        return Box(-sides, sides)
    far = (R - 1.0) * float(sides.max()) if R > 1.0 else 0.0
    top, bottom = 2.0 * np.log(np.sqrt(mean) + np.sqrt(D)), np.log(mean) - 1.0 - D / mean - far
    return Box(np.append(-sides, bottom), np.append(sides, top))
