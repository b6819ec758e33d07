"""Poisson observations with a latent intensity (Appendix C.1, `app:em_first_example`) as numeric kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from fedmm_edu.arrays import Array, Names, Offsets, as_array, as_weights
from fedmm_edu.convex_sets import Box, WholeSpace
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.surrogate import Surrogate, segment_means


@dataclass(frozen=True, eq=False)
class Law:
    """The law μ of the latent h: `weights[k]` at `points[k]`."""

    points: Array
    weights: Array

    @staticmethod
    def discrete(points, weights) -> Law:
        """A law with finitely many points; zero weights are dropped."""
        h = as_array("points", points, shape=(None,))
        m = as_weights("weights", weights, size=h.size)
        return Law(h[m > 0], m[m > 0])

    @staticmethod
    def gaussian(sigma: float, nodes: int = 40) -> Law:
        """N(0, σ²), integrated by Gauss–Hermite quadrature."""
        in_interval("sigma", sigma, low=0.0, high=np.inf, open_low=True)
        x, w = np.polynomial.hermite_e.hermegauss(as_count("nodes", nodes))
        return Law.discrete(sigma * x, w / w.sum())


class _Poisson(Surrogate):
    """What both strategies share: θ ∈ ℝ, Z a count of intensity exp(θ + h), g(θ) = λ exp(θ).

    ℓ(Z, θ) = −log Σ_k m_k exp(Z(θ + h_k) − e^{θ + h_k}), the negative log-likelihood without log Z!. The paper's
    eq. `EMexample:Poisson` drops the factor exp(Z h) under the integral; `printed=True` follows it, for comparison.
    Samples have shape (N, 1).
    """

    def __init__(self, lam: float, law: Law, printed: bool) -> None:
        self.lam = in_interval("lam", lam, low=0.0, high=np.inf, open_low=True)
        self.law = law
        self.printed = printed
        self.Theta = WholeSpace(1)
        self.least = -float(np.exp(law.points).max())  # −e^h, and so its posterior mean, lies in [least, most]
        self.most = -float(np.exp(law.points).min())

    def g(self, theta: Array) -> float:
        return self.lam * float(np.exp(theta[0]))

    def loss(self, z: Array, theta: Array) -> Array:
        counts = self._counts(z)
        return -counts * theta[0] - logsumexp(self._log_joint(counts, theta), axis=1)

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        return segment_means(self.S_bar(z, theta), offsets)

    def mean_exp_h(self, counts: Array, theta: Array) -> Array:
        """E[e^h | Z, θ] under the posterior, shape (N,)."""
        log_joint = self._log_joint(counts, theta)
        posterior = np.exp(log_joint - logsumexp(log_joint, axis=1, keepdims=True))
        return np.clip(posterior @ np.exp(self.law.points), -self.most, -self.least)

    def _log_joint(self, counts: Array, theta: Array) -> Array:
        """log(m_k p(Z, h_k, θ)) − Zθ, shape (N, K)."""
        h = self.law.points
        log_p = np.log(self.law.weights) - np.exp(theta[0] + h)
        return np.broadcast_to(log_p, (len(counts), h.size)) if self.printed else log_p + counts[:, None] * h

    def _counts(self, z: Array) -> Array:
        z = as_array("z", z, shape=(None, 1))[:, 0]
        if len(z) == 0:
            raise InvalidInput("z has no rows: give at least one sample.")
        if (z < 0).any():
            raise InvalidInput(f"z has the entry {z.min()}: Poisson counts are >= 0.")
        return z


class PoissonJoint(_Poisson):
    """The first strategy: q = 2, ψ = 0, φ(θ) = (θ, e^θ), S̄(Z, τ) = (Z, −E[e^h | Z, τ]), T(s) = ln(s₁/(λ − s₂)).

    𝒮 = [low, high] × [least, most], where least and most bound −e^h. The paper's ℝ_{>0} × ℝ_{<0} leaves out Z = 0,
    where T has no value; with `low > 0`, clients whose samples average to less than `low` are refused.
    """

    def __init__(self, lam: float, law: Law, *, low: float = 1e-3, high: float = 1e6, printed: bool = False) -> None:
        super().__init__(lam, law, printed)
        if not 0.0 < low < high < np.inf:
            raise InvalidInput(f"low = {low}, high = {high}: choose 0 < low < high < inf.")
        self.S = Box([low, self.least], [high, self.most])

    def S_bar(self, z: Array, theta: Array) -> Array:
        counts = self._counts(z)
        return np.column_stack([counts, -self.mean_exp_h(counts, theta)])

    def T(self, s: Array) -> Array:
        s = self.in_S(s)
        return np.array([np.log(s[0] / (self.lam - s[1]))])

    def phi(self, theta: Array) -> Array:
        return np.array([theta[0], np.exp(theta[0])])

    def psi(self, theta: Array) -> float:
        return 0.0


class Poisson(_Poisson):
    """The second strategy, for known m = E_π[Z] > 0: q = 1, ψ(θ) = −mθ, φ(θ) = e^θ, T(s) = ln(m/(λ − s)).

    S̄(Z, τ) = −E[e^h | Z, τ] lies in 𝒮 = [least, most], the range of −e^h. ψ belongs to the pooled π: MM-1 holds for
    f = Σ μ_i f_i, not for each f_i.
    """

    def __init__(self, lam: float, law: Law, mean_z: float, *, printed: bool = False) -> None:
        super().__init__(lam, law, printed)
        self.mean_z = in_interval("mean_z", mean_z, low=0.0, high=np.inf, open_low=True)
        self.S = Box([self.least], [self.most])

    def S_bar(self, z: Array, theta: Array) -> Array:
        return -self.mean_exp_h(self._counts(z), theta)[:, None]

    def T(self, s: Array) -> Array:
        return np.log(self.mean_z / (self.lam - self.in_S(s)))

    def phi(self, theta: Array) -> Array:
        return np.exp(theta)

    def psi(self, theta: Array) -> float:
        return -self.mean_z * float(theta[0])

    def B(self, s: Array) -> Array:
        """B(s) = m/(λ − s)², the derivative of φ∘T = m/(λ − s) (Appendix E.2)."""
        return self.mean_z / (self.lam - self.in_S(s)[:, None]) ** 2
