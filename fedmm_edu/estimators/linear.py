"""Linear models over clients: a smooth loss of ⟨x, θ⟩ + b and a penalty, by quadratic surrogates (Example 1)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.estimators.base import FederatedEstimator
from fedmm_edu.estimators.fitting import FitTask
from fedmm_edu.estimators.pooled import PooledMoments
from fedmm_edu.estimators.private import GaussianMechanism
from fedmm_edu.estimators.private_fit import PrivateEstimator
from fedmm_edu.estimators.rows import ClientRows, Standard
from fedmm_edu.estimators.weighted import weighted
from fedmm_edu.examples.quadratic import HuberLoss, LeastSquares, Loss, Quadratic, WeightedElasticNet
from fedmm_edu.federation import Clients
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.theory.assumptions import Cell

LARGEST = 1e300
SENSITIVITY = "own-private-sensitivity"


@dataclass(eq=False, repr=False, kw_only=True)
class LinearModel(FederatedEstimator):
    """E[c(⟨x, θ⟩ + b, y)] + g(θ) with a penalty g on the coefficients, none on the intercept b.

    The clients send means and variances first, from which all columns are standardised; the penalty is the one of the
    columns as they came.

    After `fit`: coef_, intercept_, n_features_in_.
    """

    fit_intercept: bool = True
    max_iter: int = 10_000
    tol: float = 1e-7
    _supervised: ClassVar[bool] = True
    _scaled: ClassVar[bool] = True
    """Whether y is a number that is standardised, too."""
    _drops: ClassVar[bool] = False
    """Whether the best b is 0 where all columns are centred, so that it needs no coordinate in `fit`."""

    @abstractmethod
    def _weights(self, total: float) -> tuple[float, float]:
        """λ and κ of g = λ‖θ‖₁ + (κ/2)‖θ‖², for rows of this total weight."""

    @abstractmethod
    def _linear(self, rows: ClientRows, z: Array) -> FitTask:
        """The task of samples z in standard units."""

    @abstractmethod
    def _next(self, rows: ClientRows, z: Array, s: Array | None) -> tuple[FitTask, Array]:
        """The task of these rows of a stream, and s in it; None in the first round."""

    @property
    def _outputs(self) -> int:
        """K, how many numbers ⟨x, θ_k⟩ + b_k the loss has."""
        return 1

    def _units(self, rows: ClientRows) -> Standard:
        found = Standard.of(replace(rows, x=_columns(rows)), center=self.fit_intercept)
        return found if self._scaled else _unscaled(replace(found, mean=found.mean[:-1], scale=found.scale[:-1]))

    def _task_in(self, rows: ClientRows, standard: Standard) -> FitTask:
        return self._linear(rows, self._design(rows, standard, self.fit_intercept and not self._drops))

    def _design(self, rows: ClientRows, standard: Standard, ones: bool) -> Array:
        """x, a feature of ones if there is an intercept to find, and y, side by side in standard units."""
        z = standard.to(_columns(rows))
        return np.column_stack([z[:, :-1], np.ones(len(z)), z[:, -1]]) if ones else z

    def _penalty(self, rows: ClientRows, free: int) -> WeightedElasticNet:
        """The penalty in standard units, entry by entry of θ."""
        lam, kappa = self._weights(float(rows.given.sum()))
        x, y = self.scale_[:-1], self.scale_[-1]
        with np.errstate(over="ignore"):
            weights = np.minimum([lam / x / y, kappa / x / x], LARGEST)
        full = np.repeat(np.hstack([weights, np.zeros((2, free))]), self._outputs, axis=1)
        return WeightedElasticNet(*(tuple(row.tolist()) for row in full))

    def _online(self, rows: ClientRows, s: Array | None) -> tuple[FitTask, Array]:
        """Units are those of the first rows; the intercept is a coordinate of its own, as means move."""
        if s is None:
            standard = self._units(rows)
            self.center_, self.scale_ = standard.mean, standard.scale
        z = self._design(rows, Standard(self.center_, self.scale_, self.scale_**2, 0.0), self.fit_intercept)
        return self._next(rows, z, s)

    def _learn(self, problem: Surrogate, theta: Array) -> None:
        scale, mean, p = self.scale_, self.center_, len(self.scale_) - 1
        columns = theta.reshape(-1, self._outputs).T
        with np.errstate(over="ignore", invalid="ignore"):
            coef = columns[:, :p] / scale[:-1] * scale[-1]
            found = columns[:, p] * scale[-1] if columns.shape[1] > p else np.zeros(len(coef))
            intercept = mean[-1] - coef @ mean[:-1] + found if self.fit_intercept else np.zeros(len(coef))
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise InvalidInput(
                f"a coefficient leaves the floats: y has the scale {scale[-1]:.3g} and columns scales down to "
                f"{scale[:-1].min():.3g}; rescale them first."
            )
        self._keep(coef, intercept)

    def _keep(self, coef: Array, intercept: Array) -> None:
        """The coefficients, shape (K, p), and the intercepts, shape (K,), as attributes."""
        self.coef_, self.intercept_ = coef[0], float(intercept[0])

    def _fitted(self, X: Any) -> Array:
        """⟨x, coef_⟩ + intercept_ of each row: shape (N,), or (N, K)."""
        return self._new(X) @ self.coef_.T + self.intercept_


@dataclass(eq=False, repr=False, kw_only=True)
class QuadraticModel(LinearModel, PrivateEstimator):
    """A linear model by gradient steps: the quadratic surrogate of Example 1.

    ρ = 1/L, the largest for which the surrogate majorises: L of the mean f where everyone's message counts in every
    round, up to noise; the largest L_{f_i} where not.
    """

    @abstractmethod
    def _loss(self) -> Loss:
        """c, in standard units."""

    def _units(self, rows: ClientRows) -> Standard:
        if self.privacy is None:
            return super()._units(rows)
        found = self.privacy.units(rows.x.shape[1] + self._scaled, self.fit_intercept)
        return found if self._scaled else _unscaled(found)

    def _task_in(self, rows: ClientRows, standard: Standard) -> FitTask:
        if self.privacy is None:
            return super()._task_in(rows, standard)
        return self._private(rows, self._design(rows, standard, self.fit_intercept), self.privacy)

    def _private(self, rows: ClientRows, z: Array, privacy: GaussianMechanism) -> FitTask:
        """The task of samples z in public units: rows shortened, slopes bounded, noise, and nothing sent before."""
        (loss, steep), last = privacy.bounded(self._loss()), 1 + self.fit_intercept
        short, long = privacy.shortened(z[:, :-last], self.fit_intercept)
        z, features = np.column_stack([short, z[:, -last:]]), z.shape[1] - 1
        R, d = privacy.norm(features), features * loss.outputs
        rho = 1.0 / (loss.curvature * R**2)
        task = FitTask(
            "quadratic", Quadratic(d, rho, loss, self._penalty(rows, int(self.fit_intercept))), rows.clients(z),
            lambda seed: np.zeros(d), floor=0.0, flat=(1.0 / rho, rho), meets=frozenset({"rho <= 1/L_f"}),
            majorises=(True, f"ρ = 1/({loss.curvature:g} R²) ≤ 1/L_f, as ‖x‖ ≤ R"), opening=np.zeros(d),
        )  # fmt: skip
        says = f"{long} of {len(z)}, to R = {R:.4g}; slopes of the loss are at most δ = {steep:.4g}: {loss!r}"
        return self._hidden(task, privacy, 2.0 * rho * steep * R, "2ρδR/N_i", SENSITIVITY, says)

    def _informed(self, rows: ClientRows, columns: Sequence[str], known: PooledMoments) -> FitTask:
        """The task of rows of which moments are known: in units and with a step that follow from these.

        A client's L_{f_i} is at most L_f/μ_i, as the others' f_i are convex.
        """
        p, loss_of = rows.x.shape[1], columns if self._scaled else columns[:-1]
        units, second = known.of(loss_of, self.fit_intercept)
        if not self._scaled:
            units = _unscaled(units)
        self.center_, self.scale_ = units.mean, units.scale
        pooled = self._loss().curvature * float(np.linalg.eigvalsh(second[:p, :p])[-1])
        ones = self.fit_intercept and not self._drops
        pooled = max(pooled, self._loss().curvature * ones)
        z = self._design(rows, units, ones)
        task = self._linear(rows, z, bends=(pooled / float(rows.mu.min()), pooled))
        return replace(task, opening=np.zeros(task.problem.q))

    def _bends(self, clients: Clients) -> tuple[float, float]:
        """The largest L_{f_i} of the clients, and L_f: from E[xxᵀ] of each."""
        loss = self._loss()
        return max(loss.lipschitz(part) for part in clients), loss.lipschitz(*clients.pooled())

    def _linear(
        self, rows: ClientRows, z: Array, rho: float = np.inf, bends: tuple[float, float] | None = None
    ) -> FitTask:
        """The task of samples z in standard units, with a step of at most ρ; `bends` where they are known."""
        loss, free = self._loss(), z.shape[1] - 1 - rows.x.shape[1]
        roots = rows.clients(z * np.sqrt(rows.local)[:, None])
        squares = isinstance(loss, LeastSquares)  # whose weighted rows are scaled rows
        clients = roots if squares else rows.clients(z)
        d, penalty = (z.shape[1] - 1) * loss.outputs, self._penalty(rows, free)
        whole = self._channel(len(clients), d).whole
        each, pooled = self._bends(roots) if bends is None else bends
        rows.sent.numbers(len(clients) * z.shape[1] * (z.shape[1] - 1) // 2)  # E[xxᵀ] of each client
        L = (pooled if whole else max(each, pooled)) * (1.0 + 1e-12)
        rho = min(rho, 1.0 / L if L > 0.0 else 1.0)
        L_f, of = (each, "the worst client") if rho * each <= 1.0 else (pooled, "the mean of all clients")
        steep = Cell(1.0 + max(1.0, rho * each - 1.0), "‖(I − ρ∇²f_i)P − I‖ ≤ 1 + ‖I − ρ∇²f_i‖, P a derivative of prox")
        task = FitTask(
            "quadratic", Quadratic(d, rho, loss, penalty), clients, lambda seed: np.zeros(d), floor=0.0,
            flat=(1.0 / rho, rho), field=steep if rho * each > 1.0 else None,
            meets=frozenset({"rho <= 1/L_f"} if rho * L_f <= 1.0 else ()),
            majorises=(rho * L_f <= 1.0, f"ρ L_f = {rho * L_f:.6g} ≤ 1 for ρ = {rho:.6g} and L_f = {L_f:.6g} of {of}"),
        )  # fmt: skip
        return task if squares else weighted(rows, task)

    def _next(self, rows: ClientRows, z: Array, s: Array | None) -> tuple[FitTask, Array]:
        before = getattr(self, "rho_", np.inf) if s is not None else np.inf
        task = self._linear(rows, z, before)
        problem = task.plain
        assert isinstance(problem, Quadratic)
        if s is None:
            s = np.zeros(problem.d)
        elif problem.rho < before:  # a steeper batch: T(s) stays, as (s − T(s))/ρ is the subgradient of g there
            theta = Quadratic(problem.d, before, problem.smooth_loss, problem.penalty).T(s)
            s = np.asarray(theta + problem.rho / before * (s - theta))
        self.rho_ = problem.rho
        return task, np.asarray(s)


@dataclass(eq=False, repr=False, kw_only=True)
class Regression(RegressorMixin, QuadraticModel):
    """A linear model whose prediction is ⟨x, θ⟩ + b."""

    def predict(self, X: Any) -> Array:
        """⟨x, coef_⟩ + intercept_ of each row: shape (N,)."""
        return self._fitted(X)


@dataclass(eq=False, repr=False, kw_only=True)
class SquaresRegression(Regression):
    """½ E[(y − ⟨x, θ⟩ − b)²] + g(θ)."""

    _drops: ClassVar[bool] = True

    def _loss(self) -> Loss:
        return LeastSquares()


def _unscaled(units: Standard) -> Standard:
    """The units of features, and for y those that it has."""
    return replace(units, mean=np.append(units.mean, 0.0), scale=np.append(units.scale, 1.0))


def _columns(rows: ClientRows) -> Array:
    """x and y side by side."""
    assert rows.y is not None
    return np.column_stack([rows.x, rows.y])


@dataclass(eq=False, repr=False)
class FederatedElasticNet(SquaresRegression):
    """min ½ E[(y − ⟨x, θ⟩ − b)²] + alpha·l1_ratio‖θ‖₁ + ½ alpha(1 − l1_ratio)‖θ‖², as scikit-learn's ElasticNet."""

    alpha: float = 1.0
    l1_ratio: float = 0.5

    def _weights(self, total: float) -> tuple[float, float]:
        in_interval("alpha", self.alpha, low=0.0, high=np.inf)
        in_interval("l1_ratio", self.l1_ratio, low=0.0, high=1.0)
        return self.alpha * self.l1_ratio, self.alpha * (1.0 - self.l1_ratio)


@dataclass(eq=False, repr=False)
class FederatedLasso(SquaresRegression):
    """min ½ E[(y − ⟨x, θ⟩ − b)²] + alpha‖θ‖₁, as scikit-learn's Lasso."""

    alpha: float = 1.0

    def _weights(self, total: float) -> tuple[float, float]:
        return in_interval("alpha", self.alpha, low=0.0, high=np.inf), 0.0


@dataclass(eq=False, repr=False)
class FederatedRidge(SquaresRegression):
    """min Σ_j (y_j − ⟨x_j, θ⟩ − b)² + alpha‖θ‖², as scikit-learn's Ridge: alpha is per sum, not per mean, of rows."""

    alpha: float = 1.0

    def _weights(self, total: float) -> tuple[float, float]:
        return 0.0, in_interval("alpha", self.alpha, low=0.0, high=np.inf) / total


@dataclass(eq=False, repr=False)
class FederatedHuber(Regression):
    """min E[H(y − ⟨x, θ⟩ − b)] + ½ alpha‖θ‖², H(r) = r²/2 for |r| ≤ epsilon, epsilon|r| − epsilon²/2 beyond.

    epsilon is in units of y, as in scikit-learn's SGDRegressor(loss="huber"). Its HuberRegressor finds a scale σ
    besides: it is this model with epsilon·σ for epsilon and alpha·σ/N for alpha.
    """

    epsilon: float = 1.35
    alpha: float = 1e-4

    def _weights(self, total: float) -> tuple[float, float]:
        return 0.0, in_interval("alpha", self.alpha, low=0.0, high=np.inf)

    def _loss(self) -> Loss:
        size = in_interval("epsilon", self.epsilon, low=0.0, high=np.inf, open_low=True) / float(self.scale_[-1])
        return HuberLoss(min(max(size, 1.0 / LARGEST), LARGEST))
