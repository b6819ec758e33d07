"""Sparse and ridge regression: proximal gradient as a quadratic surrogate (Example 1), in standardised columns."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.estimators.base import FederatedEstimator
from fedmm_edu.estimators.fitting import Channel, FitTask
from fedmm_edu.estimators.rows import ClientRows, Standard
from fedmm_edu.examples.quadratic import LeastSquares, Quadratic, WeightedElasticNet
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.theory.assumptions import Cell

if TYPE_CHECKING:
    pass

LARGEST = 1e300


@dataclass(eq=False, repr=False, kw_only=True)
class LinearModel(RegressorMixin, FederatedEstimator):
    """½ E[(y − ⟨x, θ⟩ − b)²] + g(θ) with a penalty g on the coefficients, none on the intercept b.

    The clients send means and variances first, from which all columns are standardised and b drops out; the penalty is
    the one of the columns as they came. ρ = 1/L, the largest for which the surrogate majorises: L of the mean f where
    messages are exact, the largest L_{f_i} where they are not.

    After `fit`: coef_, intercept_, n_features_in_.
    """

    fit_intercept: bool = True
    max_iter: int = 10_000
    tol: float = 1e-7
    _supervised: ClassVar[bool] = True

    @abstractmethod
    def _weights(self, total: float) -> tuple[float, float]:
        """λ and κ of g = λ‖θ‖₁ + (κ/2)‖θ‖², for rows of this total weight."""

    def _units(self, rows: ClientRows) -> Standard:
        return Standard.of(rows.with_x(_columns(rows)), center=self.fit_intercept)

    def _task_in(self, rows: ClientRows, standard: Standard) -> FitTask:
        return self._quadratic(rows, standard.to(_columns(rows)))

    def _quadratic(self, rows: ClientRows, z: Array, rho: float = np.inf, free: int = 0) -> FitTask:
        """The task of samples z in standard units; the last `free` columns of x are not penalised."""
        clients = rows.clients(z * np.sqrt(rows.local)[:, None])  # weighted least squares: that of scaled rows
        d, loss, penalty = z.shape[1] - 1, LeastSquares(), self._penalty(rows, free)
        exact = Channel.of(self.compress, self.participation, len(clients), d).exact
        each, pooled = max(loss.lipschitz(part) for part in clients), loss.lipschitz(*clients.pooled())
        L = (pooled if exact else max(each, pooled)) * (1.0 + 1e-12)
        rho = min(rho, 1.0 / L if L > 0.0 else 1.0)
        L_f, of = (each, "the worst client") if rho * each <= 1.0 else (pooled, "the mean of all clients")
        steep = Cell(1.0 + max(1.0, rho * each - 1.0), "‖(I − ρ∇²f_i)P − I‖ ≤ 1 + ‖I − ρ∇²f_i‖, P a derivative of prox")
        return FitTask(
            "quadratic", Quadratic(d, rho, loss, penalty), clients, lambda seed: np.zeros(d), floor=0.0,
            flat=(1.0 / rho, rho), field=steep if rho * each > 1.0 else None,
            majorises=(rho * L_f <= 1.0, f"ρ L_f = {rho * L_f:.6g} ≤ 1 for ρ = {rho:.6g} and L_f = {L_f:.6g} of {of}"),
        )  # fmt: skip

    def _penalty(self, rows: ClientRows, free: int) -> WeightedElasticNet:
        """The penalty in standard units."""
        lam, kappa = self._weights(float(len(rows.x) if rows.weights is None else rows.weights.sum()))
        x, y = self.scale_[:-1], self.scale_[-1]
        with np.errstate(over="ignore"):
            weights = np.minimum([lam / x / y, kappa / x / x], LARGEST)
        return WeightedElasticNet(*(tuple(row.tolist()) + (0.0,) * free for row in weights))

    def _online(self, rows: ClientRows, s: Array | None) -> tuple[FitTask, Array]:
        """Units are those of the first rows; the intercept is a coordinate of its own, as means move."""
        if s is None:
            standard = self._units(rows)
            self.center_, self.scale_ = standard.mean, standard.scale
        standard = Standard(self.center_, self.scale_, self.scale_**2, 0.0)
        z = standard.to(_columns(rows))
        if self.fit_intercept:
            z = np.column_stack([z[:, :-1], np.ones(len(z)), z[:, -1]])
        before = getattr(self, "rho_", np.inf) if s is not None else np.inf
        task = self._quadratic(rows, z, before, free=int(self.fit_intercept))
        problem = task.problem
        assert isinstance(problem, Quadratic)
        if s is None:
            s = np.zeros(problem.d)
        elif problem.rho < before:  # a steeper batch: T(s) stays, as (s − T(s))/ρ is the subgradient of g there
            theta = Quadratic(problem.d, before, penalty=problem.penalty).T(s)
            s = np.asarray(theta + problem.rho / before * (s - theta))
        self.rho_ = problem.rho
        return task, np.asarray(s)

    def _learn(self, problem: Surrogate, theta: Array) -> None:
        scale, mean = self.scale_, self.center_
        with np.errstate(over="ignore", invalid="ignore"):
            self.coef_ = theta[: len(mean) - 1] / scale[:-1] * scale[-1]
            moved = float(theta[-1] * scale[-1]) if len(theta) == len(mean) else 0.0
            self.intercept_ = float(mean[-1] - mean[:-1] @ self.coef_) + moved if self.fit_intercept else 0.0
        if not (np.isfinite(self.coef_).all() and np.isfinite(self.intercept_)):
            raise InvalidInput(
                f"a coefficient leaves the floats: y has the scale {scale[-1]:.3g} and columns scales down to "
                f"{scale[:-1].min():.3g}; rescale them first."
            )

    def predict(self, X: Any) -> Array:
        """⟨x, coef_⟩ + intercept_ of each row: shape (N,)."""
        return self._new(X) @ self.coef_ + self.intercept_


def _columns(rows: ClientRows) -> Array:
    """x and y side by side."""
    assert rows.y is not None
    return np.column_stack([rows.x, rows.y])


@dataclass(eq=False, repr=False)
class FederatedElasticNet(LinearModel):
    """min ½ E[(y − ⟨x, θ⟩ − b)²] + alpha·l1_ratio‖θ‖₁ + ½ alpha(1 − l1_ratio)‖θ‖², as scikit-learn's ElasticNet."""

    alpha: float = 1.0
    l1_ratio: float = 0.5

    def _weights(self, total: float) -> tuple[float, float]:
        in_interval("alpha", self.alpha, low=0.0, high=np.inf)
        in_interval("l1_ratio", self.l1_ratio, low=0.0, high=1.0)
        return self.alpha * self.l1_ratio, self.alpha * (1.0 - self.l1_ratio)


@dataclass(eq=False, repr=False)
class FederatedLasso(LinearModel):
    """min ½ E[(y − ⟨x, θ⟩ − b)²] + alpha‖θ‖₁, as scikit-learn's Lasso."""

    alpha: float = 1.0

    def _weights(self, total: float) -> tuple[float, float]:
        return in_interval("alpha", self.alpha, low=0.0, high=np.inf), 0.0


@dataclass(eq=False, repr=False)
class FederatedRidge(LinearModel):
    """min Σ_j (y_j − ⟨x_j, θ⟩ − b)² + alpha‖θ‖², as scikit-learn's Ridge: alpha is per sum, not per mean, of rows."""

    alpha: float = 1.0

    def _weights(self, total: float) -> tuple[float, float]:
        return 0.0, in_interval("alpha", self.alpha, low=0.0, high=np.inf) / total
