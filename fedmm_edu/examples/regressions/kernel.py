"""EM for a mixture of linear regressions whose weights, slopes and noise levels are all estimated."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.arrays import Array, as_array, as_weights
from fedmm_edu.convex_sets import Box, Product, Simplex, WholeSpace
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.examples.mixture.kernel import MixtureEM
from fedmm_edu.examples.mixture.posterior import Components
from fedmm_edu.examples.mixture.sets import Shares
from fedmm_edu.examples.symmetric import SymmetricPSD, smat, svec, triangle
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place, worst_mean

CUT = "where T cuts σ² to its bound in Θ, a derivative of ββᵀ/σ² grows with β; elsewhere M + P ⪰ P bounds it"


@dataclass(frozen=True)
class RegressionPrior:
    """The penalty g of a MAP estimate: Dirichlet for the weights, normal-inverse-gamma for each component.

    g = Σ_ℓ ½[(κ‖β_ℓ‖² + Ψ)/σ_ℓ² + η log σ_ℓ²] − a Σ_ℓ log ν_ℓ with a, κ, η, Ψ > 0. Each strength counts samples as a
    share of the data: a, κ, η pseudo-samples for N samples are a/N, κ/N, η/N here, and Ψ/η is a usual σ².
    """

    a: float
    kappa: float
    eta: float
    scatter: float

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            in_interval(name, value, low=0.0, high=np.inf, open_low=True)


class MixtureOfRegressions(MixtureEM):
    """ℓ(Z, θ) = −log Σ_ℓ ν_ℓ N(y; ⟨x, β_ℓ⟩, σ_ℓ²) for samples Z = (x, y), shape (N, p), p − 1 features and the target.

    θ = (ν, b, w) with w_ℓ = 1/σ_ℓ² and b_ℓ = β_ℓ/σ_ℓ², in which −⟨s, φ(θ)⟩ is convex (A1). `theta` and `parameters`
    translate. With the responsibilities r_ℓ, s holds E[r_ℓ] for each ℓ, then M_ℓ = E[r_ℓ (x, y)(x, y)ᵀ] for each ℓ as
    `svec` stores it; ψ = 0 and φ_ℓ(θ) = (log ν_ℓ + ½ log w_ℓ − ½ log 2π, −½ [[b_ℓb_ℓᵀ/w_ℓ, −b_ℓ], [−b_ℓᵀ, w_ℓ]]). 𝒮 is
    the product of the simplex and of L cones, q = L + Lp(p + 1)/2. With the blocks of M_ℓ:

        T(s):  ν ∝ s_0 + a,   β = (M_xx + κI)⁻¹M_xy,   σ² = (M_yy − ⟨M_xy, β⟩ + Ψ)/(s_0 + η).

    Θ = {ν_ℓ ≥ a/(1 + La), σ_ℓ² ≤ `max_variance`}. The first bound never binds; where the second does, T cuts σ_ℓ² and
    leaves β_ℓ, which is the exact minimiser over Θ. A model with intercepts has a feature that is always 1.
    """

    def __init__(self, L: int, p: int, prior: RegressionPrior, *, max_variance: float = 1e12) -> None:
        self.L, self.p, self.prior = as_count("L", L), as_count("p", p, low=2), prior
        in_interval("max_variance", max_variance, low=0.0, high=1e100, open_low=True)
        self.least = 1.0 / max_variance
        slopes, unbounded = L * (p - 1), np.full(L, np.inf)
        self.S = Product(Simplex(L), *(SymmetricPSD(p) for _ in range(L)))
        self.Theta = Product(
            Shares(L, prior.a / (1.0 + L * prior.a)), WholeSpace(slopes), Box(np.full(L, self.least), unbounded)
        )
        self.F = 1 + p * (p + 1) // 2
        self.constant = 0.5 * np.log(2 * np.pi)
        self._entries = triangle(p)

    def theta(self, weights: ArrayLike, slopes: ArrayLike, variances: ArrayLike) -> Array:
        """θ of ν (L,), β (L, p − 1) and σ² (L,)."""
        nu = as_weights("weights", weights, size=self.L)
        beta = as_array("slopes", slopes, shape=(self.L, self.p - 1))
        variance = as_array("variances", variances, shape=(self.L,))
        if not (variance > 0).all():
            raise InvalidInput(f"variances has the entry {variance.min()}: each must be positive.")
        return self.in_Theta(np.concatenate([nu, (beta / variance[:, None]).ravel(), 1.0 / variance]))

    def parameters(self, theta: Array) -> tuple[Array, Array, Array]:
        """ν (L,), β (L, p − 1) and σ² (L,) of θ."""
        nu, b, w = self._split(theta)
        return nu, b / w[:, None], 1.0 / w

    def predict(self, x: Array, theta: Array) -> Array:
        """E[y | x] = Σ_ℓ ν_ℓ⟨x, β_ℓ⟩ for features x, shape (N, p − 1): shape (N,)."""
        nu, beta, _ = self.parameters(theta)
        return as_array("x", x, shape=(None, self.p - 1)) @ (nu @ beta)

    def components(self, theta: Array) -> Components:
        nu, b, w = self._split(theta)
        root = np.column_stack([-b / np.sqrt(w)[:, None], np.sqrt(w)])
        with np.errstate(divide="ignore"):  # a component of weight 0 has density 0
            return Components(np.log(nu) + 0.5 * np.log(w), np.zeros((self.L, self.p)), root[:, None])

    def features(self, columns: Array) -> Array:
        rows, others, factors = self._entries
        return np.concatenate([np.ones((1, columns.shape[1])), factors[:, None] * columns[rows] * columns[others]])

    def flat(self, sums: Array) -> Array:
        return np.concatenate([sums[..., 0], sums[..., 1:].reshape(*sums.shape[:-2], -1)], axis=-1)

    def Ts(self, S: Array) -> Array:
        prior, L = self.prior, self.L
        S = as_array("S", S, shape=(None, self.q))
        counts, M = np.maximum(S[:, :L], 0.0), smat(S[:, L:].reshape(len(S), L, -1), self.p)
        A, mixed = M[..., :-1, :-1] + prior.kappa * np.eye(self.p - 1), M[..., :-1, -1]
        beta = np.linalg.solve(A, mixed[..., None])[..., 0]
        residual = np.maximum(M[..., -1, -1] - (mixed * beta).sum(axis=-1), 0.0)  # ≥ 0 but for rounding, for M ⪰ 0
        w = np.maximum((counts + prior.eta) / (residual + prior.scatter), self.least)
        nu = counts + prior.a
        b = (beta * w[..., None]).reshape(len(S), -1)
        return np.concatenate([nu / nu.sum(axis=-1, keepdims=True), b, w], axis=-1)

    def phi(self, theta: Array) -> Array:
        nu, b, w = self._split(theta)
        matrices = _blocks(b[:, :, None] * b[:, None] / w[:, None, None], -b, w)
        return np.concatenate([np.log(nu) + 0.5 * np.log(w) - self.constant, -0.5 * svec(matrices).ravel()])

    def grad_psi(self, theta: Array) -> Array:
        return np.zeros(self.d)

    def jac_phi(self, theta: Array) -> Array:
        nu, b, w = self._split(theta)
        to_nu, to_b, to_w = np.split(np.eye(self.d), [self.L, self.L * self.p], axis=1)
        to_b, beta = to_b.reshape(self.d, self.L, -1), b / w[:, None]
        turn = to_b[..., :, None] * beta[:, None]
        first = turn + np.swapaxes(turn, -1, -2) - to_w[..., None, None] * beta[:, :, None] * beta[:, None]
        moments = svec(_blocks(first, -to_b, to_w)).reshape(self.d, -1)
        return np.hstack([to_nu / nu + 0.5 * to_w / w, -0.5 * moments]).T

    def g(self, theta: Array) -> float:
        if not self.Theta.contains(theta, tol=1e-12):
            return np.inf
        prior, (nu, b, w) = self.prior, self._split(theta)
        spread = prior.kappa * (b**2).sum(axis=1) / w + prior.scatter * w - prior.eta * np.log(w)
        return float(0.5 * spread.sum() - prior.a * np.log(nu).sum())

    def bounds(self, clients: Clients) -> dict[str, Cell]:
        """With P = diag(κ, …, κ, Ψ) ≻ 0 of the prior.

        (M_ℓ + P)⁻¹ has the blocks ββᵀ/v + (M_xx + κI)⁻¹, −β/v and 1/v with σ² = v/(s_0 + η): as long as no σ² meets
        the bound of Θ, φ∘T and the log-densities are smooth functions of (M_ℓ + P)⁻¹ ⪯ P⁻¹ and of counts in [0, 1].
        Where T cuts σ², ββᵀ/σ² has no bound.
        """
        convex = "s₀(−log ν − ½ log w), ½bᵀM_xx b/w and linear terms in (b, w) with s₀ ≥ 0, M ⪰ 0"
        return {
            "A1": Cell(0.0, convex),
            "A3": Cell(worst_mean(clients, 1.0 + (clients.z**2).sum(axis=1) ** 2), "‖S̄‖² ≤ 1 + ‖Z‖⁴"),
            "A6(i)": Cell(math.inf, CUT),
            "A7: C_star": Cell(math.inf, CUT),
            "A7: C_star_star": Cell(math.inf, CUT),
            "A7: 1/v_min": Cell(math.inf, "φ∘T flattens as s grows: its derivative falls as (M + P)⁻¹ ⊗ (M + P)⁻¹"),
        }

    def places(self, clients: Clients, gap: float) -> Iterator[Place]:
        """Components of equal moments, far beyond the bound on σ², of which one moves along M_xx; and wide ones."""
        reach, M = 1.0 / (gap * math.sqrt(self.least)), np.zeros((self.L, self.p, self.p))
        counts, still = np.full(self.L, 1.0 / self.L), np.zeros(self.L)
        M[:, 0, 0] = 1.0
        M[:, 0, -1] = M[:, -1, 0] = reach
        M[:, -1, -1] = 3.0 * reach**2
        move = np.zeros_like(M)
        move[0, 0, 0] = 1.0
        s, along = np.concatenate([counts, svec(M).ravel()]), np.concatenate([still, svec(move).ravel()])
        yield Place(s, s + gap**2 * along)
        yield Place(s, s + gap * along)
        wide = np.tile(np.eye(self.p), (self.L, 1, 1))
        s = np.concatenate([counts, svec(wide / gap).ravel()])
        yield Place(s, s + np.concatenate([still, svec(wide).ravel()]))

    def _split(self, theta: Array) -> tuple[Array, Array, Array]:
        """ν (L,), b (L, p − 1) and w (L,), w not below its bound, whatever rounding took."""
        theta = as_array("theta", theta, shape=(self.d,))
        nu, b, w = np.split(theta, [self.L, self.L * self.p])
        return nu, b.reshape(self.L, -1), np.maximum(w, self.least)


def _blocks(first: Array, beside: Array, last: Array) -> Array:
    """[[first, beside], [besideᵀ, last]]: shapes (..., k, k), (..., k), (...) → (..., k + 1, k + 1)."""
    top = np.concatenate([first, beside[..., None]], axis=-1)
    return np.concatenate([top, np.concatenate([beside, last[..., None]], axis=-1)[..., None, :]], axis=-2)
