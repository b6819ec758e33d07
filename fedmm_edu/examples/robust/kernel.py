"""Robust linear regression as a variational surrogate (Section 2.3, L 444), in both half-quadratic forms."""

from __future__ import annotations

import numpy as np

from fedmm_edu.arrays import Array, Names, Offsets, as_samples, counts_of
from fedmm_edu.convex_sets import Product, PSDCone, WholeSpace
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.examples.gram import solve_normal_equations
from fedmm_edu.examples.robust.forms import FORMS
from fedmm_edu.examples.robust.losses import Huber, RobustLoss
from fedmm_edu.rows import row_products, segment_batches
from fedmm_edu.surrogate import ZeroPsi


class RobustRegression(ZeroPsi):
    """f(θ) = E_π[ρ(y − ⟨x, θ⟩)], g(θ) = (η/2)‖θ‖², for samples (x, y), shape (N, d + 1).

    Both forms write ρ as a minimum over a latent h of functions that are quadratic in the residual r = y − ⟨x, θ⟩, so
    that ψ = 0, φ(θ) = (−½θθᵀ, θ) and T(s) = (s₁ + ηI)⁻¹s₂ on 𝒮 = 𝓜_d⁺ × ℝ^d, q = d² + d. With w = ρ'(r)/r at τ:

        "weights"    ρ(r) = min_h ½hr² + ξ(h):      S̄ = (w xxᵀ, w y x), iteratively reweighted least squares;
        "residuals"  ρ(r) = min_h ½(r − h)² + ξ(h): S̄ = (xxᵀ, (y − h)x) with y − h = ⟨x, τ⟩ + w r, the form of the
                     ledger's row on Huber's loss (there h is the soft threshold of r).

    The first surrogate lies below the second by ½(1 − w)⟨x, θ − τ⟩² for each sample; in the second, s₁ is the same in
    all rounds. With η = 0, T is defined for s₁ ≻ 0 only. A model with intercept has a column of ones in x.
    """

    by_products = True

    def __init__(self, d: int, eta: float, rho: RobustLoss | None = None, form: str = "weights") -> None:
        self.eta = in_interval("eta", eta, low=0.0, high=np.finfo(np.float64).max)
        if form not in FORMS:
            raise InvalidInput(f"form = {form!r}: choose one of {tuple(FORMS)}.")
        self.rho = rho or Huber()
        self.form = form
        self.Theta = WholeSpace(as_count("d", d))
        self.S = Product(PSDCone(d), WholeSpace(d))

    def S_bar(self, z: Array, theta: Array) -> Array:
        x, root, target = self._latent(z, theta)
        rows = root[:, None] * x
        return np.column_stack([(rows[:, :, None] * rows[:, None, :]).reshape(len(x), -1), target[:, None] * x])

    def mean_S_bar(self, z: Array, theta: Array, weights: Array | None = None) -> Array:
        x, root, target = self._latent(z, theta)
        if weights is None:
            weights = np.full(len(x), 1.0 / len(x))
        rows = (root * np.sqrt(weights))[:, None] * x
        return np.concatenate([(rows.T @ rows).ravel(), (weights * target) @ x])

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        x, root, target = self._latent(z, theta, names)

        def products(rows: Array, x: Array, target: Array) -> Array:
            first, second = rows.transpose(0, 2, 1) @ rows, x.transpose(0, 2, 1) @ target
            return np.concatenate([first.reshape(len(x), -1), second.reshape(len(x), -1)], axis=1)

        sums = segment_batches(products, offsets, root[:, None] * x, x, target[:, None])
        return sums / counts_of(offsets)[:, None]

    def T(self, s: Array) -> Array:
        s = self.in_S(s)
        s1 = s[: -self.d].reshape(self.d, self.d)
        A = (s1 + s1.T) / 2.0
        A.flat[:: self.d + 1] += self.eta  # the diagonal
        return solve_normal_equations(A, s[-self.d :])

    def phi(self, theta: Array) -> Array:
        return np.concatenate([-0.5 * np.outer(theta, theta).ravel(), theta])

    def jac_phi(self, theta: Array) -> Array:
        outer = -0.5 * (np.eye(self.d)[:, None] * theta[:, None] + theta[:, None, None] * np.eye(self.d))
        return np.concatenate([outer.reshape(-1, self.d), np.eye(self.d)])

    def g(self, theta: Array) -> float:
        return 0.5 * self.eta * float(theta @ theta)

    def loss(self, z: Array, theta: Array) -> Array:
        x, y = self._split(z)
        return self.rho.value(y - row_products(x, theta))

    def _latent(self, z: Array, theta: Array, names: Names | None = None) -> tuple[Array, Array, Array]:
        """x, √(weight of xxᵀ) and the coefficient of x in the second statistic, at τ = theta."""
        x, y = self._split(z, names)
        fitted = row_products(x, theta)
        w = self.rho.weight(y - fitted)
        return x, *FORMS[self.form].latent(w, fitted, y)

    def _split(self, z: Array, names: Names | None = None) -> tuple[Array, Array]:
        z = as_samples(z, self.d + 1, names)
        return z[:, :-1], z[:, -1]
