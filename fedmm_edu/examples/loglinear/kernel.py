"""Poisson regression by a separable majoriser: no bound on the curvature is needed, since there is none."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.arrays import Array, Mask, Names, Offsets, as_array, as_samples, counts_of
from fedmm_edu.convex_sets import EPS, Box, Product, WholeSpace
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.federation import Clients
from fedmm_edu.rows import row_products, segment_products
from fedmm_edu.surrogate import ZeroPsi


class LogLinear(ZeroPsi):
    """ℓ(Z, θ) = exp(u) − yu with u = ⟨x, θ⟩ for samples (x, y), shape (N, d + 1): Poisson's law for counts y ≥ 0.

    exp(u) has no bounded curvature, so no quadratic with one ρ lies above it for all τ. With Σ_j |x_j| ≤ R, Jensen's
    inequality bounds it by a mean over coordinates, x⁺ and x⁻ being the parts of x:

        exp⟨x, θ⟩ ≤ exp⟨x, τ⟩ [ 1 + Σ_j (x_j⁺/R)(e^{R(θ_j − τ_j)} − 1) + (x_j⁻/R)(e^{−R(θ_j − τ_j)} − 1) ].

    Hence φ(θ) = (−e^{Rθ}, −e^{−Rθ}, θ), ψ = 0, S̄(Z, τ) = (e^{u − Rτ}x⁺/R, e^{u + Rτ}x⁻/R, yx) at u = ⟨x, τ⟩, q = 3d and
    𝒮 = ℝ₊^{2d} × ℝ^d. g(θ) = Σ_j ½η_jθ_j² + 2κ cosh(Rθ_j), and T solves one equation for each coordinate,

        R(s₁ + κ)e^{Rθ} − R(s₂ + κ)e^{−Rθ} + ηθ = s₃.

    With η_j > 0 or κ > 0 it has a solution for every s. With neither it has one, in closed form, where s₁, s₂ > 0, or
    where one of them and s₃ have the right signs: an intercept that is not penalised is a last feature of ones with
    η_j = 0, and needs a count above 0. Take R from `radius`.

    Θ is ℝ^d, or a box: then T(s)_j is the point of the box nearest to that solution, or, where there is none, the end
    of the box towards which the surrogate falls.
    """

    def __init__(self, d: int, R: float, eta: ArrayLike = 0.0, kappa: float = 0.0, Theta: Box | None = None) -> None:
        self.R = in_interval("R", R, low=0.0, high=np.inf, open_low=True)
        self.kappa = in_interval("kappa", kappa, low=0.0, high=np.inf)
        self.eta = as_array("eta", np.full(as_count("d", d), eta) if np.ndim(eta) == 0 else eta, shape=(d,))
        if (self.eta < 0).any():
            raise InvalidInput(f"eta has the entry {self.eta.min()}: the weights of a ridge must be >= 0.")
        if Theta is not None and Theta.dim != d:
            raise InvalidInput(f"Theta has dimension {Theta.dim} and d = {d}: give a box with a side for each feature.")
        self.box, self.Theta = Theta, WholeSpace(d) if Theta is None else Theta
        self.S = Product(Box(np.zeros(2 * d), np.full(2 * d, np.inf)), WholeSpace(d))

    def S_bar(self, z: Array, theta: Array) -> Array:
        x, y, tilt, ((rise,), (fall,)) = self._parts(z, theta, np.array([0, len(z)]))
        e = tilt[:, None]
        return np.hstack([e * np.maximum(x, 0.0) * rise, e * np.maximum(-x, 0.0) * fall, y[:, None] * x])

    def mean_S_bar(self, z: Array, theta: Array, weights: Array | None = None) -> Array:
        x, y, tilt, ((rise,), (fall,)) = self._parts(z, theta, np.array([0, len(z)]))
        w = np.full(len(x), 1.0 / len(x)) if weights is None else weights
        e = w * tilt
        return np.concatenate([(e @ np.maximum(x, 0.0)) * rise, (e @ np.maximum(-x, 0.0)) * fall, (w * y) @ x])

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        x, y, tilt, (rise, fall) = self._parts(z, theta, offsets, names)
        up = segment_products(tilt, np.maximum(x, 0.0), offsets)
        down = 0.0 - segment_products(tilt, np.minimum(x, 0.0), offsets)  # x⁻, without a pass for −x
        return np.hstack([up * rise, down * fall, segment_products(y, x, offsets)]) / counts_of(offsets)[:, None]

    def T(self, s: Array) -> Array:
        a, b, c = np.split(self.in_S(s), 3)
        a, b, m = np.maximum(a, 0.0) + self.kappa, np.maximum(b, 0.0) + self.kappa, c / self.R
        t, ridge = _falls_towards(a, b, m), self.eta > 0.0
        free = ~ridge & _has_root(a, b, m)
        t[free] = _closed_form(a[free], b[free], m[free])
        t[ridge] = _root(a[ridge], b[ridge], self.eta[ridge] / self.R**2, m[ridge])
        theta = t / self.R if self.box is None else np.clip(t / self.R, self.box.low, self.box.high)
        if not np.isfinite(theta).all():
            j = int(np.argmin(np.isfinite(theta)))
            raise InvalidInput(
                f"coordinate {j} has no penalty, and no data that keep |θ| finite, so T has no value: "
                "choose eta or kappa > 0, or a box for Theta."
            )
        return theta

    def phi(self, theta: Array) -> Array:
        return np.concatenate([-np.exp(self.R * theta), -np.exp(-self.R * theta), theta])

    def jac_phi(self, theta: Array) -> Array:
        rise, fall = (np.diag(self.R * np.exp(sign * self.R * theta)) for sign in (1.0, -1.0))
        return np.concatenate([-rise, fall, np.eye(self.d)])

    def g(self, theta: Array) -> float:
        if not self.Theta.contains(theta):
            return np.inf
        ridge = 0.5 * float(self.eta @ theta**2)
        with np.errstate(over="ignore"):
            return ridge + 2.0 * self.kappa * float(np.cosh(self.R * theta).sum()) if self.kappa else ridge

    def loss(self, z: Array, theta: Array) -> Array:
        x, y = self._split(z)
        u = x @ theta
        with np.errstate(over="ignore"):
            return np.exp(u) - y * u

    def _parts(
        self, z: Array, theta: Array, offsets: Offsets, names: Names | None = None
    ) -> tuple[Array, Array, Array, tuple[Array, Array]]:
        """x, y, e^{u − m} with a client's largest u = m, shape (N,), e^{m − Rτ}/R and e^{m + Rτ}/R, shape (m, d)."""
        x, y = self._split(z, names)
        u = row_products(x, theta)
        top = np.maximum.reduceat(u, offsets[:-1])
        with np.errstate(over="ignore"):
            scales = np.exp(top[:, None] - self.R * theta) / self.R, np.exp(top[:, None] + self.R * theta) / self.R
        if not np.isfinite(scales).all():
            raise InvalidInput(f"exp(⟨x, θ⟩ ± Rθ_j) overflows at θ = {theta}: start nearer to 0, or scale features.")
        return x, y, np.exp(u - np.repeat(top, counts_of(offsets))), scales

    def _split(self, z: Array, names: Names | None = None) -> tuple[Array, Array]:
        z = as_samples(z, self.d + 1, names)
        x, y = z[:, :-1], z[:, -1]
        if (y < 0).any():
            raise InvalidInput(f"Poisson regression got the target y = {y.min()}: counts must be >= 0.")
        longest = float((np.abs(x) @ np.ones(self.d)).max())
        if longest > self.R * (1.0 + 1e-12):
            raise InvalidInput(f"a sample has Σ|x_j| = {longest:.6g} > R = {self.R:.6g}: take R from `radius`.")
        return x, y


def radius(clients: Clients) -> float:
    """The smallest R with which the surrogate majorizes every client's f_i: the largest Σ_j |x_j| of a sample."""
    largest = float(np.abs(clients.z[:, :-1]).sum(axis=1).max())
    if largest == 0.0:
        raise InvalidInput("every feature is zero, so any R majorizes: choose R yourself.")
    return largest


def _has_root(a: Array, b: Array, m: Array) -> Mask:
    """Whether a e^t − b e^{−t} = m has a solution."""
    return (a > 0) & ((b > 0) | (m > 0)) | (a == 0) & (b > 0) & (m < 0)


def _falls_towards(a: Array, b: Array, m: Array) -> Array:
    """The end, ±∞, towards which a e^t + b e^{−t} − mt falls where it has no minimum; NaN where a = b = m = 0."""
    with np.errstate(invalid="ignore"):
        return np.where(a > 0, -np.inf, np.where(b > 0, np.inf, m * np.inf))


def _closed_form(a: Array, b: Array, m: Array) -> Array:
    """The t with a e^t − b e^{−t} = m, without cancellation; their logarithms, since a quotient can be 0."""
    up, size = m >= 0, np.abs(m) + np.hypot(m, 2.0 * np.sqrt(a) * np.sqrt(b))
    return np.where(up, 1.0, -1.0) * (np.log(size) - np.log(2.0 * np.where(up, a, b)))


def _root(a: Array, b: Array, slope: Array, m: Array) -> Array:
    """The t with a e^t − b e^{−t} + slope·t = m, slope > 0: Newton's method in a bracket that halves when it must."""
    sign = np.where(a - b < m, 1.0, -1.0)  # of t; t > 0 solves, with a, b and m exchanged for t < 0,
    a, b, m = np.where(sign > 0, a, b), np.where(sign > 0, b, a), sign * m
    low, high = np.zeros_like(m), (m + b) / slope  # at which the left-hand side is below and above m
    grows = a > 0
    high[grows] = np.minimum(high[grows], np.maximum(np.log((m + b)[grows] / a[grows]), 0.0))
    t = high.copy()
    for _ in range(200):
        rise, fall = a * np.exp(np.where(grows, t, 0.0)), b * np.exp(-t)
        excess = rise - fall + slope * t - m
        low, high = np.where(excess < 0, t, low), np.where(excess < 0, high, t)
        step, near = t - excess / (rise + fall + slope), 2.0 * EPS * (1.0 + t)
        done = np.abs(step - t) <= near  # an end of the bracket, often: halving it would lead away
        new = np.where((step > low) & (step < high) | done, step, (low + high) / 2.0)
        if (np.abs(new - t) <= near).all():
            return sign * new
        t = new
    return sign * t
