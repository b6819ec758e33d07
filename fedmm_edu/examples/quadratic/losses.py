"""Smooth convex losses of a linear model, for surrogates that are quadratic; a sample is a row (x, y).

A new loss is a class here, with all that is said of it, and an entry of `EACH_LOSS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import expit, logsumexp

from fedmm_edu.arrays import Array, Indices, Names, as_samples
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.examples.robust.losses import Huber
from fedmm_edu.faces import Faces
from fedmm_edu.rows import row_products, row_softmax

if TYPE_CHECKING:
    import sympy as sp


class Loss(Faces, ABC):
    """ℓ(Z, θ) = c(u, y) with a convex function c of u = ⟨x, θ⟩, or of K such numbers u_k = ⟨x, θ_k⟩.

    With K = `outputs` > 1, θ holds a K-vector for each feature, feature after feature; u and ∂c/∂u then have the shape
    (N, K) where they have the shape (N,) for K = 1.
    """

    name: ClassVar[str]
    """In the names of cases, models and rows."""
    curvature: ClassVar[float]
    """The largest eigenvalue of ∂²c/∂u², hence ∇ℓ(Z, ·) is curvature·‖x‖²-Lipschitz."""

    @property
    def outputs(self) -> int:
        """K."""
        return 1

    @abstractmethod
    def value(self, u: Array, y: Array) -> Array:
        """c(u, y), shape (N,)."""

    @abstractmethod
    def slope(self, u: Array, y: Array) -> Array:
        """∂c/∂u, the shape of u."""

    @abstractmethod
    def bend(self, u: Array, y: Array) -> Array:
        """∂²c/∂u², shape (N, K, K); where c is C¹ only, a limit of such."""

    def most(self) -> Array:
        """A matrix M with ∂²c/∂u² ⪯ M for all u and y, as small as one is known: shape (K, K)."""
        return self.curvature * np.eye(self.outputs)

    @abstractmethod
    def steepest(self, reach: Array, y: Array) -> Array:
        """A bound on ‖∂c/∂u‖ over all |u| ≤ reach (which may be infinite), shape (N,)."""

    @abstractmethod
    def working(self, y: Array) -> Array:
        """A bound on ‖(∂²c/∂u²)u − ∂c/∂u‖ over all u, shape (N,)."""

    @abstractmethod
    def bent(self, y: float) -> float | None:
        """A u (of the first output, the others being 0) near which ∂c/∂u is not linear; None where c is quadratic."""

    @abstractmethod
    def check(self, y: Array) -> None:
        """Refuse targets for which the loss is not meant."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, n: int) -> Array:
        """n targets at random, of those for which the loss is meant."""

    @classmethod
    @abstractmethod
    def twin(cls, u: Sequence[sp.Expr], y: sp.Symbol) -> tuple[sp.Expr, tuple[sp.Basic, ...]] | None:
        """c(u, y) in SymPy, and the relations that say which targets it is meant for; None for a formula with cases.

        There are `twin_outputs` entries of u.
        """

    twin_outputs: ClassVar[int] = 1
    """K in the twin."""

    def features(self, d: int) -> int:
        """How many entries x has where θ has d: p = d/K."""
        if d % self.outputs:
            raise InvalidInput(f"d = {d}: θ holds {self.outputs} numbers for each feature, choose a multiple of that.")
        return d // self.outputs

    def split(self, z: Array, features: int, names: Names | None = None) -> tuple[Array, Array]:
        """x, shape (N, p), and y, shape (N,), of samples that the loss is meant for, or `InvalidInput`."""
        z = as_samples(z, features + 1, names)
        self.check(z[:, -1])
        return z[:, :-1], z[:, -1]

    def fit(self, x: Array, theta: Array) -> Array:
        """u of each row of x."""
        return row_products(x, theta if self.outputs == 1 else theta.reshape(-1, self.outputs))

    def lipschitz(self, z: Array, weights: Array | None = None) -> float:
        """L_f, a Lipschitz constant of ∇f for f = E_π[ℓ(Z, ·)]: curvature · λ_max(E_π[x xᵀ])."""
        x = z[:, :-1]
        if x.shape[1] == 0:
            raise InvalidInput(f"the samples have {z.shape[1]} columns: give features, and the target in the last one.")
        if sparse.issparse(x):
            raise InvalidInput("the samples are sparse: give them dense, or choose rho yourself.")
        if np.abs(x).max(initial=0.0) > 1e150:
            raise InvalidInput(f"the features reach {np.abs(x).max():.1e}, and their squares overflow: rescale them.")
        moment = x.T @ x / len(x) if weights is None else (x * weights[:, None]).T @ x
        return self.curvature * float(np.linalg.eigvalsh(moment)[-1])


@dataclass(frozen=True)
class LeastSquares(Loss):
    """ℓ(Z, θ) = ½(⟨x, θ⟩ − y)²."""

    name = "least squares"
    curvature = 1.0

    def check(self, y: Array) -> None:
        """Every real target is fine."""

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return rng.normal(size=n)

    def value(self, u: Array, y: Array) -> Array:
        return 0.5 * (u - y) ** 2

    def slope(self, u: Array, y: Array) -> Array:
        return u - y

    def bend(self, u: Array, y: Array) -> Array:
        return np.ones((len(u), 1, 1))

    def steepest(self, reach: Array, y: Array) -> Array:
        return reach + np.abs(y)

    def working(self, y: Array) -> Array:
        return np.abs(y)

    def bent(self, y: float) -> None:
        return None

    @classmethod
    def twin(cls, u: Sequence[sp.Expr], y: sp.Symbol) -> tuple[sp.Expr, tuple[sp.Basic, ...]]:
        return (y - u[0]) ** 2 / 2, ()


@dataclass(frozen=True)
class Logistic(Loss):
    """ℓ(Z, θ) = log(1 + exp(−y⟨x, θ⟩)) with y ∈ {−1, 1}."""

    name = "logistic"
    curvature = 0.25

    def check(self, y: Array) -> None:
        wrong = np.abs(y) != 1.0
        if np.count_nonzero(wrong):
            raise InvalidInput(f"the logistic loss got the target y = {y[wrong][0]}: code the classes as -1 and 1.")

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return rng.choice([-1.0, 1.0], n)

    def value(self, u: Array, y: Array) -> Array:
        return np.logaddexp(0.0, -y * u)

    def slope(self, u: Array, y: Array) -> Array:
        return -y * expit(-y * u)

    def bend(self, u: Array, y: Array) -> Array:
        return (expit(u) * expit(-u))[:, None, None]

    def steepest(self, reach: Array, y: Array) -> Array:
        return np.ones_like(y)

    def working(self, y: Array) -> Array:
        return np.full_like(y, 1.25)  # |u| c''(u) < 1/4, |c'| < 1

    def bent(self, y: float) -> float:
        return 2.0

    @classmethod
    def twin(cls, u: Sequence[sp.Expr], y: sp.Symbol) -> tuple[sp.Expr, tuple[sp.Basic, ...]]:
        import sympy as sp

        return sp.log(1 + sp.exp(-y * u[0])), (sp.Eq(y**2, 1),)


@dataclass(frozen=True)
class Multinomial(Loss):
    """ℓ(Z, θ) = log Σ_k exp(u_k) − u_y with the class y ∈ {0, …, K − 1} and u_k = ⟨x, θ_k⟩ for each of K classes.

    With p = softmax(u): ∂c/∂u = p − e_y and ∂²c/∂u² = diag(p) − ppᵀ ⪯ ½(I − 11ᵀ/K) (Böhning 1992), hence ⪯ ½I. The loss
    does not change when one vector is added to all θ_k: with a ridge the θ_k sum to 0 at the optimum.
    """

    K: int
    name = "multinomial"
    curvature = 0.5
    twin_outputs = 2

    def __post_init__(self) -> None:
        as_count("K", self.K, low=2)

    @property
    def outputs(self) -> int:
        return self.K

    def check(self, y: Array) -> None:
        wrong = (y != np.floor(y)) | (y < 0) | (y >= self.K)
        if np.count_nonzero(wrong):
            raise InvalidInput(
                f"the multinomial loss got the target y = {y[wrong][0]}: code the classes as 0 to {self.K - 1}."
            )

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return rng.integers(0, self.K, n).astype(np.float64)

    def value(self, u: Array, y: Array) -> Array:
        return logsumexp(u, axis=1) - u[self._at(y)]

    def slope(self, u: Array, y: Array) -> Array:
        return row_softmax(u) - (y[:, None] == np.arange(self.K))

    def bend(self, u: Array, y: Array) -> Array:
        p = row_softmax(u)
        return p[:, :, None] * (np.eye(self.K) - p[:, None, :])

    def most(self) -> Array:
        return 0.5 * (np.eye(self.K) - 1.0 / self.K)

    def steepest(self, reach: Array, y: Array) -> Array:
        return np.full_like(y, np.sqrt(2.0))

    def working(self, y: Array) -> Array:
        """p_k |Σ_l p_l(u_k − u_l)| ≤ (K − 1)/e, for r log(1/r) ≤ 1/e with the ratio r ≤ 1 of two probabilities."""
        return np.full_like(y, np.sqrt(self.K) * (self.K - 1) / np.e + np.sqrt(2.0))

    def bent(self, y: float) -> float:
        return 2.0

    def _at(self, y: Array) -> tuple[Indices, Indices]:
        return np.arange(len(y)), y.astype(np.int64)

    @classmethod
    def twin(cls, u: Sequence[sp.Expr], y: sp.Symbol) -> tuple[sp.Expr, tuple[sp.Basic, ...]]:
        import sympy as sp

        return sp.log(sp.exp(u[0]) + sp.exp(u[1])) - (1 - y) * u[0] - y * u[1], (sp.Eq(y * (1 - y), 0),)


@dataclass(frozen=True)
class HuberLoss(Loss):
    """ℓ(Z, θ) = r²/2 for |r| ≤ δ, δ|r| − δ²/2 beyond, with r = ⟨x, θ⟩ − y.

    It has no twin: the derivative of a formula with cases is not decided. That its slope is 1-Lipschitz, which is all
    that the surrogate asks, is proved by the ledger's row `huber`.
    """

    delta: float = 1.345
    name = "Huber"
    curvature = 1.0

    def __post_init__(self) -> None:
        Huber(self.delta)  # which says what delta may be

    def check(self, y: Array) -> None:
        """Every real target is fine."""

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        return 3.0 * rng.normal(size=n)

    def value(self, u: Array, y: Array) -> Array:
        return Huber(self.delta).value(u - y)

    def slope(self, u: Array, y: Array) -> Array:
        return np.minimum(np.maximum(u - y, -self.delta), self.delta)  # np.clip takes three times as long on few

    def bend(self, u: Array, y: Array) -> Array:
        return (np.abs(u - y) <= self.delta).astype(np.float64)[:, None, None]

    def steepest(self, reach: Array, y: Array) -> Array:
        return np.minimum(reach + np.abs(y), self.delta)

    def working(self, y: Array) -> Array:
        return np.maximum(np.abs(y), self.delta)

    def bent(self, y: float) -> float:
        return y - 1.05 * self.delta

    @classmethod
    def twin(cls, u: Sequence[sp.Expr], y: sp.Symbol) -> None:
        return None


EACH_LOSS: tuple[Loss, ...] = (LeastSquares(), Logistic(), Multinomial(2), HuberLoss())
"""One of each kind, of which the example's cases, models and rows are made."""
