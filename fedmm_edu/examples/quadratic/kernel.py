"""The quadratic surrogate of Example 1 (`ex:gdt`) as a numeric kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fedmm_edu.arrays import UNNAMED, Array, Names, Offsets, as_samples, counts_of
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.gram import client_products
from fedmm_edu.examples.quadratic.losses import LeastSquares, Loss
from fedmm_edu.examples.quadratic.penalties import Penalty
from fedmm_edu.examples.quadratic.proximal import Proximal
from fedmm_edu.federation import Clients
from fedmm_edu.rows import segment_products


class Quadratic(Proximal):
    """f(θ) = E_π[c(u, y)] + g(θ) for samples (x, y), shape (N, p + 1): u = ⟨x, θ⟩, or K such numbers, and d = pK.

    ψ(θ) = ‖θ‖²/(2ρ), φ(θ) = θ/ρ, S̄(Z, τ) = τ − ρ∇ℓ(Z, τ), T = prox_{ρg}, 𝒮 = ℝ^d. MM-1 needs ρ ≤ 1/L_f: take `rho`
    from `admissible_rho`.
    """

    by_products = True

    def __init__(self, d: int, rho: float, loss: Loss | None = None, penalty: Penalty | None = None) -> None:
        super().__init__(d, rho, penalty)
        self.smooth_loss = loss or LeastSquares()
        self.features = self.smooth_loss.features(d)

    def S_bar(self, z: Array, theta: Array) -> Array:
        x, slope = self._slope(z, theta)
        return theta - (self.rho * slope.reshape(len(x), 1, -1) * x[:, :, None]).reshape(len(x), -1)

    def mean_S_bar(self, z: Array, theta: Array, weights: Array | None = None) -> Array:
        x, slope = self._slope(z, theta)
        gradient = slope.T @ x / len(x) if weights is None else (weights * slope.T) @ x
        return theta - self.rho * gradient.T.ravel()

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        x, slope = self._slope(z, theta, names)
        sums = segment_products(slope, x, offsets) if slope.ndim == 1 else client_products(x, slope, offsets)
        return theta - self.rho * (sums.reshape(len(sums), -1) / counts_of(offsets)[:, None])

    def mean_S_bars_apart(self, z: Array, cuts: Sequence[slice], theta: Array) -> Array:
        if type(self).mean_S_bars is not Quadratic.mean_S_bars:  # which the loop repeats
            return super().mean_S_bars_apart(z, cuts, theta)
        loss, flat = self.smooth_loss, self._flat(theta)
        x, y = as_samples(z, self.features + 1, UNNAMED)[:, :-1], z[:, -1]
        loss.check(np.concatenate([y[cut] for cut in cuts]))
        sums = np.empty((len(cuts), self.d))
        for out, cut in zip(sums, cuts, strict=True):
            part = x[cut]
            slope = loss.slope(loss.fit(part, flat), y[cut])
            out[:] = slope @ part if slope.ndim == 1 else (part.T @ slope).ravel()
        return theta - self.rho * (sums / [[cut.stop - cut.start] for cut in cuts])

    def scaled_rho(self, by: float) -> Quadratic:
        return Quadratic(self.d, by * self.rho, self.smooth_loss, self.penalty)

    def loss(self, z: Array, theta: Array) -> Array:
        x, y = self._split(z)
        return self.smooth_loss.value(self.smooth_loss.fit(x, self._flat(theta)), y)

    def B(self, s: Array) -> Array:
        """B(s) = I/ρ, the metric of Appendix E.1."""
        return np.eye(self.d) / self.rho

    def _slope(self, z: Array, theta: Array, names: Names | None = None) -> tuple[Array, Array]:
        x, y = self._split(z, names)
        return x, self.smooth_loss.slope(self.smooth_loss.fit(x, self._flat(theta)), y)

    def _flat(self, theta: Array) -> Array:
        """θ, shape (d,): a column would make an (N, N) array of every residual."""
        if np.shape(theta) != (self.d,):
            raise InvalidInput(f"theta has shape {np.shape(theta)}, expected ({self.d},): flatten it.")
        return theta

    def _split(self, z: Array, names: Names | None = None) -> tuple[Array, Array]:
        return self.smooth_loss.split(z, self.features, names)


def admissible_rho(loss: Loss, clients: Clients) -> float:
    """The largest ρ with which the surrogate majorizes every client's f_i (MM-1 of Section 3.1): 1/max_i L_{f_i}."""
    largest = max(loss.lipschitz(z) for z in clients)
    if largest == 0.0:
        raise InvalidInput("every feature is zero, so any rho majorizes: choose rho yourself.")
    return 1.0 / largest
