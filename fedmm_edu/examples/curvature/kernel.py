"""Second-order surrogates of a smooth convex loss: a vector and a matrix from each client (Newton, Böhning–Lindsay)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.arrays import Array, Names, Offsets, as_array, counts_of
from fedmm_edu.convex_sets import Product, WholeSpace
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.examples.curvature.matrices import CURVATURES
from fedmm_edu.examples.gram import client_products, solve_normal_equations
from fedmm_edu.examples.quadratic import LeastSquares, Loss
from fedmm_edu.examples.symmetric import SymmetricPSD, smat, svec
from fedmm_edu.surrogate import ZeroPsi


class SecondOrder(ZeroPsi):
    """f(θ) = E_π[c(u, y)], g(θ) = ½ Σ_j η_j θ_j², with u = ⟨x, θ⟩ or K such numbers, for samples (x, y), (N, p + 1).

    With a matrix A(u, y) ⪰ 0 and H(Z, τ) = xxᵀ ⊗ A, both at u = ⟨x, τ⟩:

        S̄(Z, τ) = (Hτ − ∇ℓ(Z, τ), H),  φ(θ) = (θ, −½θθᵀ),  ψ = 0,  T(s) = (s₂ + diag η)⁻¹s₁,  𝒮 = ℝ^d × 𝓜_d⁺.

    "bound"   A = M ⪰ ∂²c/∂u² (Böhning and Lindsay 1988): MM-1 holds, and s₂ = E[xxᵀ] ⊗ M is the same in all rounds;
    "Newton"  A = ∂²c/∂u²: a step from s = E[S̄(Z, τ)] is Newton's. The surrogate is tangent and MM-2 holds, but it lies
              below ℓ somewhere, so that MM-1 fails and a step may ascend; for least squares it is ℓ itself.

    s₂ is stored as its upper triangle (`svec`), hence q = d(d + 3)/2. With some η_j = 0, T is defined where s₂ + diag η
    is positive definite; an intercept that is not penalised is a last feature of ones with η_j = 0.
    """

    def __init__(self, d: int, eta: ArrayLike, loss: Loss | None = None, form: str = "bound") -> None:
        if form not in CURVATURES:
            raise InvalidInput(f"form = {form!r}: choose one of {tuple(CURVATURES)}.")
        self.smooth_loss, self.form = loss or LeastSquares(), form
        self.features = self.smooth_loss.features(as_count("d", d))
        self.eta = as_array("eta", np.broadcast_to(eta, (d,)) if np.ndim(eta) == 0 else eta, shape=(d,))
        if (self.eta < 0).any():
            raise InvalidInput(f"eta has the entry {self.eta.min()}: the weights of a ridge must be >= 0.")
        self.Theta = WholeSpace(d)
        self.S = Product(WholeSpace(d), SymmetricPSD(d))

    def S_bar(self, z: Array, theta: Array) -> Array:
        x, A, target = self._working(z, theta)
        H = self._matrices(A, lambda a: x[:, :, None] * (a[:, None] * x)[:, None, :])
        return np.column_stack([(x[:, :, None] * target[:, None, :]).reshape(len(x), -1), svec(H)])

    def mean_S_bar(self, z: Array, theta: Array, weights: Array | None = None) -> Array:
        x, A, target = self._working(z, theta)
        wx = (x / len(x) if weights is None else weights[:, None] * x).T
        H = self._matrices(A, lambda a: wx @ (a[:, None] * x))
        return np.concatenate([(wx @ target).ravel(), svec(H)])

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        x, A, target = self._working(z, theta, names)
        H = self._matrices(A, lambda a: client_products(x, a[:, None] * x, offsets))
        out = np.empty((len(H), self.q))
        out[:, : self.d] = client_products(x, target, offsets).reshape(len(H), -1)
        out[:, self.d :] = svec(H)
        out /= counts_of(offsets)[:, None]
        return out

    def T(self, s: Array) -> Array:
        s = self.in_S(s)
        A = smat(s[self.d :], self.d)
        A.flat[:: self.d + 1] += self.eta  # the diagonal
        return solve_normal_equations(A, s[: self.d], "s₂ + diag(eta)")

    def phi(self, theta: Array) -> Array:
        return np.concatenate([theta, -0.5 * svec(np.outer(theta, theta))])

    def jac_phi(self, theta: Array) -> Array:
        eye = np.eye(self.d)
        outer = eye[:, :, None] * theta
        return np.concatenate([eye, -0.5 * svec(outer + np.swapaxes(outer, 1, 2)).T])

    def g(self, theta: Array) -> float:
        return 0.5 * float(self.eta @ theta**2)

    def loss(self, z: Array, theta: Array) -> Array:
        x, y = self.smooth_loss.split(z, self.features)
        return self.smooth_loss.value(self.smooth_loss.fit(x, theta), y)

    def _working(self, z: Array, theta: Array, names: Names | None = None) -> tuple[Array, Array, Array]:
        """x, A, and Au − ∂c/∂u, shape (N, K), at u = ⟨x, τ⟩."""
        x, y = self.smooth_loss.split(z, self.features, names)
        u = self.smooth_loss.fit(x, theta)
        A = CURVATURES[self.form].matrices(self.smooth_loss, u, y)
        columns = (len(x), self.smooth_loss.outputs)
        fitted = np.einsum("nkl,nl->nk", A, u.reshape(columns))
        return x, A, fitted - self.smooth_loss.slope(u, y).reshape(columns)

    def _matrices(self, A: Array, product: Callable[[Array], Array]) -> Array:
        """The mean, or each, of xxᵀ ⊗ A, shape (..., d, d), from `product`(a), that of a xxᵀ, shape (..., p, p)."""
        K = self.smooth_loss.outputs
        blocks = {(k, l): product(A[:, k, l]) for k in range(K) for l in range(k, K)}
        H = np.empty((*blocks[0, 0].shape[:-1], K, self.features, K))
        for (k, l), block in blocks.items():
            H[..., :, k, :, l] = H[..., :, l, :, k] = block
        return H.reshape(*H.shape[:-4], self.d, self.d)
