"""Gaussian mixtures whose weights, means and covariances are all estimated, with a conjugate prior."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.arrays import Array, as_array, as_weights
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.examples.mixture.kernel import MixtureEM, covariances_of
from fedmm_edu.examples.mixture.posterior import WIDE, Components, Features, SecondMoments
from fedmm_edu.examples.mixture.sets import Moments, NaturalParameters
from fedmm_edu.examples.symmetric import nearest_psd, spectral, svec, triangle
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place, worst_mean

CUT = "where T cuts Γ to the bound v of Θ, a derivative of ‖m‖²/v grows with m; elsewhere M + P ⪰ P bounds it"


@dataclass(frozen=True, eq=False)
class Prior:
    """The penalty g of a MAP estimate: Dirichlet for the weights, normal-inverse-Wishart for each component.

    g = Σ_ℓ ½[κ (m_ℓ − c)ᵀΓ_ℓ⁻¹(m_ℓ − c) + tr(Ψ Γ_ℓ⁻¹) + η log det Γ_ℓ] − a Σ_ℓ log ν_ℓ

    with a, κ, η > 0 and Ψ ≻ 0. Each strength counts samples as a share of the data: a, κ, η pseudo-samples for N
    samples are a/N, κ/N, η/N here. scikit-learn's `reg_covar`, which adds to the diagonal of Γ after the M-step,
    is no such penalty.
    """

    center: Array
    scatter: Array
    a: float
    kappa: float
    eta: float

    @staticmethod
    def of(center: ArrayLike, scatter: ArrayLike, *, a: float, kappa: float, eta: float) -> Prior:
        """Validated: c of shape (p,), Ψ of shape (p, p)."""
        c = as_array("center", center, shape=(None,))
        psi = covariances_of("scatter", np.asarray(scatter)[None], 1, len(c))[0]
        strengths = [
            in_interval(name, value, low=0.0, high=np.inf, open_low=True)
            for name, value in (("a", a), ("kappa", kappa), ("eta", eta))
        ]
        return Prior(c, psi, *strengths)

    @staticmethod
    def none(p: int) -> Prior:
        """g = 0: maximum likelihood. T then has no value where a component is empty or its covariance singular."""
        return Prior(np.zeros(p), np.zeros((p, p)), 0.0, 0.0, 0.0)


class GaussianMixture(MixtureEM):
    """The full mixture: ℓ(Z, θ) = −log Σ_ℓ ν_ℓ N(Z; m_ℓ, Γ_ℓ), g a conjugate `Prior`.

    θ = (ν, b, Ω) with Ω_ℓ = Γ_ℓ⁻¹ and b_ℓ = Γ_ℓ⁻¹ m_ℓ, in which −⟨s, φ(θ)⟩ is convex (A1); in (ν, m, Γ) it is not.
    `theta` and `parameters` translate. s holds M_ℓ = E[r_ℓ (Z, 1)(Z, 1)ᵀ] for each ℓ, as `svec` stores it, and
    φ_ℓ(θ) = −½ [[Ω_ℓ, −b_ℓ], [−b_ℓᵀ, b_ℓᵀΩ_ℓ⁻¹b_ℓ − log det Ω_ℓ − 2 log ν_ℓ + p log 2π]], ψ = 0,
    𝒮 = {M_ℓ ⪰ 0, Σ_ℓ (M_ℓ)_{last,last} = 1}. q = d = L(p + 1)(p + 2)/2. With counts s_0, sums s_1, s_2 of M_ℓ:

        T(s):  ν ∝ s_0 + a,   m = (s_1 + κc)/(s_0 + κ),   Γ = (s_2 + κccᵀ + Ψ − (s_0 + κ)mmᵀ)/(s_0 + η).

    Θ = {ν_ℓ ≥ a/(1 + La), Γ_ℓ ⪯ `max_variance` I} is closed and no point of it has an infinite loss. The first bound
    never binds; where the second does, T cuts the eigenvalues of Γ, which is the exact minimiser over Θ.
    """

    def __init__(self, L: int, p: int, prior: Prior | None = None, *, max_variance: float = 1e12) -> None:
        self.L, self.p = as_count("L", L), as_count("p", p)
        self.prior = prior or Prior.none(self.p)
        if self.prior.center.shape != (self.p,):
            raise InvalidInput(
                f"the prior has p = {len(self.prior.center)}, the mixture p = {self.p}: make them equal."
            )
        in_interval("max_variance", max_variance, low=0.0, high=1e100, open_low=True)
        self.S = Moments(self.L, self.p)
        self.Theta = NaturalParameters(self.L, self.p, self.prior.a / (1.0 + self.L * self.prior.a), 1.0 / max_variance)
        self.F = (self.p + 1) * (self.p + 2) // 2
        self.constant = 0.5 * self.p * np.log(2 * np.pi)
        self._entries = triangle(self.p + 1)

    @property
    def natural(self) -> NaturalParameters:
        """Θ, whose points have parts and bounds."""
        return NaturalParameters.of(self.Theta)

    def theta(self, weights: ArrayLike, means: ArrayLike, covariances: ArrayLike) -> Array:
        """θ of ν (L,), m (L, p) and Γ (L, p, p)."""
        nu = as_weights("weights", weights, size=self.L)
        m = as_array("means", means, shape=(self.L, self.p))
        gamma = covariances_of("covariances", np.asarray(covariances), self.L, self.p)
        omega = np.asarray(np.linalg.inv(gamma), dtype=np.float64)
        return self.in_Theta(self.natural.join(nu, np.einsum("lij,lj->li", omega, m), omega))

    def parameters(self, theta: Array) -> tuple[Array, Array, Array]:
        """ν (L,), m (L, p) and Γ (L, p, p) of θ."""
        nu, means, values, vectors = self._spectra(theta)
        return nu, means, spectral(1.0 / values, vectors)

    def components(self, theta: Array) -> Components:
        return Components.of(*self._spectra(theta))

    def features(self, columns: Array) -> Array:
        extended = np.concatenate([columns, np.ones((1, columns.shape[1]))])
        rows, others, factors = self._entries
        return factors[:, None] * extended[rows] * extended[others]

    @property
    def summed(self) -> Features:
        return (SecondMoments if self.p >= WIDE else Features)(self.features, self.F)

    def flat(self, sums: Array) -> Array:
        return sums.reshape(*sums.shape[:-2], -1)

    def Ts(self, S: Array) -> Array:
        prior, p = self.prior, self.p
        M = Moments.of(self.S).matrices(as_array("S", S, shape=(None, self.q)))
        counts, first, second = np.maximum(M[..., -1, -1], 0.0), M[..., :p, -1], M[..., :p, :p]
        n = counts + prior.kappa
        if not (n > 0).all():
            raise InvalidInput("a component is empty and there is no prior, so T has no value: give a Prior.")
        first = first + prior.kappa * prior.center
        means = first / n[..., None]
        scatter = second + prior.kappa * np.outer(prior.center, prior.center) - first[..., None] * means[..., None, :]
        gamma = (nearest_psd(scatter) + prior.scatter) / (counts + prior.eta)[..., None, None]
        values, vectors = np.linalg.eigh(gamma)
        if not (values > 0).all():
            raise InvalidInput("a covariance is singular and there is no prior, so T has no value: give a Prior.")
        omega = spectral(np.maximum(1.0 / values, self.natural.least_precision), vectors)
        nu = counts + prior.a
        b = np.einsum("mlij,mlj->mli", omega, means)
        return self.natural.join(nu / nu.sum(axis=-1, keepdims=True), b, omega)

    def phi(self, theta: Array) -> Array:
        nu, means, values, _ = self._spectra(theta)
        _, b, omega = self.natural.split(theta)
        matrices = np.empty((self.L, self.p + 1, self.p + 1))
        matrices[:, :-1, :-1] = omega
        matrices[:, :-1, -1] = matrices[:, -1, :-1] = -b
        squares = (means * b).sum(axis=1)
        matrices[:, -1, -1] = squares - np.log(values).sum(axis=1) - 2 * np.log(nu) + 2 * self.constant
        return svec(-0.5 * matrices).reshape(-1)

    def g(self, theta: Array) -> float:
        if not self.Theta.contains(theta, tol=1e-12):
            return np.inf
        prior = self.prior
        if prior.eta == 0.0:
            return 0.0
        nu, means, values, _ = self._spectra(theta)
        omega, centred = self.natural.split(theta)[2], means - prior.center
        spread = np.einsum("lij,lij->", omega, prior.kappa * centred[:, :, None] * centred[:, None] + prior.scatter)
        return float(0.5 * (spread - prior.eta * np.log(values).sum()) - prior.a * np.log(nu).sum())

    def bounds(self, clients: Clients) -> dict[str, Cell]:
        """With P ≻ 0 the matrix [[κccᵀ + Ψ, κc], [κcᵀ, κ]] of the prior.

        As long as no covariance meets the bound Γ ⪯ v I of Θ, the log-densities and φ∘T are smooth functions of
        (M_ℓ + P)⁻¹ ⪯ P⁻¹ and of counts in [0, 1], so that A6(i) and A7(i) hold. Where T cuts Γ to v, mᵀΓ⁻¹m = ‖m‖²/v
        has no bound, and neither has its derivative in the counts.
        """
        if self.prior.kappa == 0.0:
            raise InvalidInput("the cells of a mixture without a prior are not worked out: give a Prior.")
        convex = (
            "s₀(bᵀΩ⁻¹b − log det Ω − 2 log ν)/2 with s₀ ≥ 0, and linear terms in (b, Ω); Θ has its interior in Σ ν = 1"
        )
        return {
            "A1": Cell(0.0, convex),
            "A3": Cell(worst_mean(clients, (1.0 + (clients.z**2).sum(axis=1)) ** 2), "‖S̄‖ ≤ 1 + ‖Z‖²"),
            "A6(i)": Cell(math.inf, CUT),
            "A7: C_star": Cell(math.inf, CUT),
            "A7: C_star_star": Cell(math.inf, CUT),
            "A7: 1/v_min": Cell(math.inf, "φ∘T flattens as s grows: its derivative falls as (M + P)⁻¹ ⊗ (M + P)⁻¹"),
        }

    def places(self, clients: Clients, gap: float) -> Iterator[Place]:
        """Components of equal moments, far beyond the bound on Γ, whose counts differ; and wide ones."""
        L, p = self.L, self.p
        M, count = np.zeros((L, p + 1, p + 1)), np.zeros((L, p + 1, p + 1))
        reach = 1.0 / (gap * math.sqrt(self.natural.least_precision))
        M[:, -1, -1] = 1.0 / L
        M[:, 0, -1] = M[:, -1, 0] = reach / L
        M[:, 0, 0] = 3.0 * reach**2 / L
        count[:2, -1, -1] = 0.5 / L, -0.5 / L
        s, move = svec(M).ravel(), svec(count).ravel()
        yield Place(s, s + gap**2 * move)
        yield Place(s, s + gap * move)
        wide, wider = np.zeros((L, p + 1, p + 1)), np.zeros((L, p + 1, p + 1))
        wide[:, -1, -1] = 1.0 / L
        wide[:, range(p), range(p)] = 1.0 / gap
        wider[:, range(p), range(p)] = 1.0
        yield Place(svec(wide).ravel(), svec(wide + wider).ravel())

    def _spectra(self, theta: Array) -> tuple[Array, Array, Array, Array]:
        """ν (L,), m (L, p), and the eigenvalues (L, p) and eigenvectors (L, p, p) of Ω."""
        nu, b, omega = self.natural.split(as_array("theta", theta, shape=(self.d,)))
        values, vectors = np.linalg.eigh(omega)
        values = np.maximum(values, self.natural.least_precision)  # what rounding took
        means = ((b[:, None] @ vectors) / values[:, None] @ np.swapaxes(vectors, 1, 2))[:, 0]
        return nu, means, values, vectors
