"""Poisson observations with a latent intensity (Appendix C.1, `app:em_first_example`) as numeric kernels."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array, Names, Offsets, as_array, as_samples, as_weights
from fedmm_edu.convex_sets import Box, WholeSpace
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.federation import Clients
from fedmm_edu.rows import by_rows, row_log_sums, row_products, segment_means
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.theory.assumptions import Cell, Place


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


class PoissonEM(Surrogate):
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

    @abstractmethod
    def bounds(self, clients: Clients) -> dict[str, Cell]:
        """The cells of A3, A6 and A7 (see `assumptions.py`); R is the length of [least, most]."""

    @abstractmethod
    def flat_places(self, gap: float) -> Iterator[Place]:
        """Points of 𝒮 between which T does not change, if there are any."""

    def g(self, theta: Array) -> float:
        return self.lam * float(np.exp(theta[0]))

    def loss(self, z: Array, theta: Array) -> Array:
        def log_sums(counts: Array) -> Array:
            return row_log_sums(self._log_joint(counts, theta))[:, 0]

        counts = self._counts(z)
        return -counts * theta[0] - by_rows(log_sums, counts, len(self.law.points))

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        return segment_means(self.S_bar(z, theta), offsets)

    def mean_exp_h(self, counts: Array, theta: Array) -> Array:
        """E[e^h | Z, θ] under the posterior, shape (N,)."""
        intensity = np.exp(self.law.points)

        def mean(counts: Array) -> Array:
            log_joint = self._log_joint(counts, theta)
            return row_products(np.exp(log_joint - row_log_sums(log_joint)), intensity)

        return np.minimum(np.maximum(by_rows(mean, counts, len(intensity)), -self.most), -self.least)

    def _log_joint(self, counts: Array, theta: Array) -> Array:
        """log(m_k p(Z, h_k, θ)) − Zθ, shape (N, K)."""
        h = self.law.points
        log_p = np.log(self.law.weights) - np.exp(theta[0] + h)
        return np.tile(log_p, (len(counts), 1)) if self.printed else log_p + counts[:, None] * h

    def _counts(self, z: Array) -> Array:
        z = as_samples(z, 1)[:, 0]
        if (z < 0).any():
            raise InvalidInput(f"z has the entry {z.min()}: Poisson counts are >= 0.")
        return z


class PoissonJoint(PoissonEM):
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

    def grad_psi(self, theta: Array) -> Array:
        return np.zeros(1)

    def jac_phi(self, theta: Array) -> Array:
        return np.array([[1.0], [np.exp(theta[0])]])

    def bounds(self, clients: Clients) -> dict[str, Cell]:
        """F = φ∘T = (ln(s₁/(λ − s₂)), s₁/(λ − s₂)); norms of its derivatives bounded entry by entry."""
        box = Box.of(self.S)
        (low, least), (high, most) = box.low, box.high
        near, spread = self.lam - most, most - least
        mean = float(clients.mean_S_bar(self, np.zeros(1))[0])
        second = math.sqrt(low**-4 + near**-4 + 2 * near**-4 + 4 * high**2 * near**-6)
        return {
            "A3": Cell(
                max(float(z.var()) for z in clients) + spread**2 / 4, "Z has finite variance, E[e^h | Z] a range R"
            ),
            "A6(i)": Cell(
                1.0 + spread**2 / 4 * math.hypot(1 / near, high / near**2), "the derivative of the posterior mean"
            ),
            "A6(ii)": Cell(math.hypot(max(high - mean, mean - low), spread), "𝒮 is bounded"),
            "A7: C_star": Cell(second / 2, "half the norm of D²(φ∘T)"),
            "A7: C_star_star": Cell(math.sqrt(low**-2 + 2 * near**-2 + (high / near**2) ** 2), "the norm of D(φ∘T)"),
            "A7: 1/v_min": Cell(math.inf, "q > d: T is constant along a ray of 𝒮"),
        }

    def flat_places(self, gap: float) -> Iterator[Place]:
        """Two points of a ray along which T is constant."""
        box = Box.of(self.S)
        apex, middle = np.array([0.0, self.lam]), (box.low + box.high) / 2
        yield Place(middle, self.project(apex + (1.0 + min(gap, 0.1)) * (middle - apex)))


class Poisson(PoissonEM):
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

    def bounds(self, clients: Clients) -> dict[str, Cell]:
        """φ∘T = m/(λ − s) and its derivatives at the ends of 𝒮."""
        m, spread = self.mean_z, self.most - self.least
        nearest, farthest = self.lam - self.most, self.lam - self.least  # of λ − s
        return {
            "A3": Cell(spread**2 / 4, "S̄ lies in an interval of length R"),
            "A6(i)": Cell(max(1.0, m * spread**2 / 4 / nearest**2 - 1.0), "0 ≤ h_i' + 1 ≤ (m/(λ − s)²) R²/4"),
            "A6(ii)": Cell(spread, "s and the mean of S̄ lie in an interval of length R"),
            "A7: C_star": Cell(m / nearest**3, "half the second derivative 2m/(λ − s)³ of φ∘T = m/(λ − s)"),
            "A7: C_star_star": Cell(m / nearest**2, "the derivative m/(λ − s)² at the largest s"),
            "A7: 1/v_min": Cell(farthest**2 / m, "the derivative m/(λ − s)² at the smallest s"),
        }

    def flat_places(self, gap: float) -> Iterator[Place]:
        return iter(())
