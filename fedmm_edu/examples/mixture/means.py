"""Gaussian mixtures with known weights and covariances, unknown means (Appendix C.2, `app:em_second_example`)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.arrays import Array, as_array, as_weights
from fedmm_edu.convex_sets import WholeSpace
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.examples.mixture.kernel import MixtureEM, covariances_of
from fedmm_edu.examples.mixture.posterior import Components
from fedmm_edu.examples.mixture.sets import FreeAndWeights
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place, worst_mean

FAR = "φ∘T is quadratic in s₁, so its derivatives grow with s₁ (row own-A7-mixture-upper: bounded where the means are)"


class GaussianMeans(MixtureEM):
    """θ = (m_1, …, m_L), ℓ(Z, θ) = −log Σ_ℓ ν_ℓ det(Γ_ℓ)^(−1/2) exp(−½‖Z − m_ℓ‖²_{Γ_ℓ⁻¹}), g(θ) = (λ/2) Σ_ℓ ‖m_ℓ‖².

    All L components appear in the statistics, as they must when E_π[Z] is not known in advance (online, or with
    clients): S̄ = (r_1 Z, …, r_L Z, r_1, …, r_L), φ = (Γ_ℓ⁻¹ m_ℓ)_ℓ, (−½ m_ℓᵀ Γ_ℓ⁻¹ m_ℓ)_ℓ, ψ = 0, and
    T(s)_ℓ = (s_{2,ℓ} I + λ Γ_ℓ)⁻¹ s_{1,ℓ}. q = L(p + 1), d = Lp. 𝒮 = ℝ^{Lp} × {s_2 ≥ 0, Σ s_{2,ℓ} = 1}.

    weights: ν, shape (L,), positive. covariances: Γ, shape (L, p, p). lam: λ > 0 (an empty component has s_{2,ℓ} = 0).
    """

    def __init__(self, weights: ArrayLike, covariances: ArrayLike, lam: float) -> None:
        self.weights = as_weights("weights", weights, size=np.size(weights))
        if (self.weights == 0).any():
            raise InvalidInput(f"weights = {self.weights}: leave out components of weight 0.")
        self.L = len(self.weights)
        self.p = np.shape(covariances)[-1] if np.ndim(covariances) else 0
        self.F = self.p + 1
        self.covariances = covariances_of("covariances", np.asarray(covariances), self.L, self.p)
        self.lam = in_interval("lam", lam, low=0.0, high=np.inf, open_low=True)
        self.precisions = np.linalg.inv(self.covariances)
        self._spectra = np.linalg.eigh(self.covariances)
        values, vectors = self._spectra
        self._template = Components.of(self.weights, np.zeros((self.L, self.p)), 1.0 / values, vectors)
        self.S = FreeAndWeights(self.L * self.p, self.L)
        self.Theta = WholeSpace(self.L * self.p)

    def with_weights(self, weights: Array) -> GaussianMeans:
        return GaussianMeans(weights, self.covariances, self.lam)

    def weights_of(self, s: Array) -> Array:
        return s[self.L * self.p :]

    def means(self, theta: Array) -> Array:
        """θ as (m_1, …, m_L): shape (L, p)."""
        return as_array("theta", theta, shape=(self.d,)).reshape(self.L, self.p)

    def components(self, theta: Array) -> Components:
        return Components(self._template.log_scales, self.means(theta), self._template.roots)

    def features(self, columns: Array) -> Array:
        return np.concatenate([columns, np.ones((1, columns.shape[1]))])

    def flat(self, sums: Array) -> Array:
        """(s_1, s_2): first all sums of r_ℓ Z, then all sums of r_ℓ."""
        first = sums[..., : self.p].reshape(*sums.shape[:-2], -1)
        return np.concatenate([first, sums[..., self.p]], axis=-1)

    def split(self, S: Array) -> tuple[Array, Array]:
        """s_1 (m, L, p) and s_2 (m, L) of surrogates (m, q), all components among them."""
        return S[:, : self.L * self.p].reshape(-1, self.L, self.p), S[:, self.L * self.p :]

    def Ts(self, S: Array) -> Array:
        """In the eigenbasis of each Γ_ℓ."""
        first, counts = self.split(as_array("S", S, shape=(None, self.q)))
        wrong = (counts < -1e-12).any(axis=1) | (np.abs(counts.sum(axis=1) - 1.0) > 1e-12 * self.L)
        if wrong.any():
            self.in_S(S[np.argmax(wrong)])
        values, vectors = self._spectra
        scale = np.maximum(counts, 0.0)[..., None] + self.lam * values
        return np.einsum("lij,mlj->mli", vectors, np.einsum("lij,mli->mlj", vectors, first) / scale).reshape(
            len(first), -1
        )

    def phi(self, theta: Array) -> Array:
        means, scaled = self._scaled(theta)
        return np.concatenate([scaled.reshape(-1), -0.5 * (means * scaled).sum(axis=1)])

    def grad_psi(self, theta: Array) -> Array:
        return np.zeros(self.d)

    def jac_phi(self, theta: Array) -> Array:
        _, scaled = self._scaled(theta)
        first, second = np.zeros((self.L, self.p, self.L, self.p)), np.zeros((self.L, self.L, self.p))
        each = np.arange(self.L)
        first[each, :, each], second[each, each] = self.precisions, -scaled
        return np.concatenate([first.reshape(-1, self.d), second.reshape(self.L, self.d)])

    def prox_g(self, theta: Array, rho: float) -> Array:
        return theta / (1.0 + rho * self.lam)

    def grad_g(self, theta: Array) -> Array:
        return self.lam * theta

    def g(self, theta: Array) -> float:
        return 0.5 * self.lam * float(theta @ theta)

    def bounds(self, clients: Clients) -> dict[str, Cell]:
        """T(s)_ℓ = (s_{2,ℓ} I + λΓ_ℓ)⁻¹s_{1,ℓ} and the entries T(s)_ℓᵀΓ_ℓ⁻¹T(s)_ℓ of φ∘T grow with s₁.

        A label that is undecided between two components at distance R changes over a move of 1/R.
        """
        return {
            "A1": Cell(0.0, "½ Σ w_ℓ m_ℓᵀΓ_ℓ⁻¹m_ℓ with w ≥ 0, and linear terms"),
            "A3": Cell(worst_mean(clients, 1.0 + (clients.z**2).sum(axis=1)), "‖S̄‖² ≤ Σ r_ℓ²(1 + ‖Z‖²) ≤ 1 + ‖Z‖²"),
            "A6(i)": Cell(math.inf, "a sample between two components at distance R has slopes of size R"),
            "A7: C_star": Cell(math.inf, FAR),
            "A7: C_star_star": Cell(math.inf, FAR),
            "A7: 1/v_min": Cell(math.inf, "T is the same for all counts if all means are equal"),
        }

    def places(self, clients: Clients, gap: float) -> Iterator[Place]:
        """Means at a distance of 1/gap whose counts change; a change of label between them; equal means."""
        L, p = self.L, self.p
        counts, first, step = np.full(L, 1.0 / L), np.zeros((L, p)), np.zeros(L)
        step[:2] = gap / L, -gap / L
        first[:, 0] = -11.0 / gap
        first[:2, 0] = 1.0 / gap, 10.0 / gap
        one = self.surrogate(first, counts)
        yield Place(one, self.surrogate(first, counts + step))
        other = first.copy()
        other[:2, 0] = 10.0 / gap, 1.0 / gap
        between = self._change_of_label(clients.z[-1:], one, self.surrogate(other, counts), gap)
        yield Place(*between)
        yield Place(self._with_equal_means(counts), self._with_equal_means(counts + step))

    def surrogate(self, first: Array, counts: Array) -> Array:
        """s of s_1, shape (L, p), and s_2, shape (L,)."""
        return self.flat(np.column_stack([first, counts]))

    def common_mean(self) -> Array:
        """A mean that all components can have at once, whatever their counts are."""
        return np.zeros(self.p)

    def _with_equal_means(self, counts: Array) -> Array:
        """The s with these counts whose means are all the common one."""
        eye = np.eye(self.p)
        return self.surrogate((counts[:, None, None] * eye + self.lam * self.covariances) @ self.common_mean(), counts)

    def _change_of_label(self, z: Array, s: Array, t: Array, gap: float) -> tuple[Array, Array]:
        """Two surrogates between s and t, at most `gap` apart, between which the likelier of labels 1 and 2 changes."""

        def leads(x: Array) -> bool:
            r = self.responsibilities(z, self.T(x))[0]
            return bool(r[0] >= r[1])

        before = leads(s)
        while float(np.linalg.norm(t - s)) > gap:
            middle = (s + t) / 2.0
            if (middle == s).all() or (middle == t).all():
                break
            s, t = (middle, t) if leads(middle) == before else (s, middle)
        return s, t

    def _scaled(self, theta: Array) -> tuple[Array, Array]:
        """m_ℓ and Γ_ℓ⁻¹ m_ℓ, shape (L, p) each."""
        means = self.means(theta)
        return means, np.einsum("lij,lj->li", self.precisions, means)


class PooledGaussianMeans(GaussianMeans):
    """The same problem in the paper's form, for a known pooled mean E_π[Z]: the last component has no statistics.

    S̄ = (r_1 Z, …, r_{L−1} Z, r_1, …, r_{L−1}), ψ(θ) = −m_Lᵀ Γ_L⁻¹ E_π[Z] + ½ m_Lᵀ Γ_L⁻¹ m_L, and φ has the blocks
    Γ_ℓ⁻¹ m_ℓ − Γ_L⁻¹ m_L and −½(m_ℓᵀ Γ_ℓ⁻¹ m_ℓ − m_Lᵀ Γ_L⁻¹ m_L), ℓ < L. (As printed, the block ℓ = L − 1 of the first
    is 0: row gmm-phi of the ledger.) T is that of `GaussianMeans` with s_{1,L} = E_π[Z] − Σ s_{1,ℓ} and
    s_{2,L} = 1 − Σ s_{2,ℓ}. q = (L − 1)(p + 1). ψ belongs to the pooled π: MM-1 holds for f = Σ μ_i f_i, not for
    each f_i.
    """

    def __init__(self, weights: ArrayLike, covariances: ArrayLike, lam: float, mean_z: ArrayLike) -> None:
        super().__init__(weights, covariances, lam)
        if self.L < 2:
            raise InvalidInput("one component leaves no statistics: use GaussianMeans, or give at least two weights.")
        self.mean_z = as_array("mean_z", mean_z, shape=(self.p,))
        self.S = FreeAndWeights((self.L - 1) * self.p, self.L - 1, at_most=True)

    def flat(self, sums: Array) -> Array:
        return super().flat(sums[..., :-1, :])

    def split(self, S: Array) -> tuple[Array, Array]:
        free = (self.L - 1) * self.p
        first, counts = S[:, :free].reshape(-1, self.L - 1, self.p), S[:, free:]
        last = (self.mean_z - first.sum(axis=1))[:, None]
        rest = 1.0 - counts.sum(axis=1, keepdims=True)
        return np.concatenate([first, last], axis=1), np.concatenate([counts, rest], axis=1)

    def phi(self, theta: Array) -> Array:
        means, scaled = self._scaled(theta)
        squares = (means * scaled).sum(axis=1)
        return np.concatenate([(scaled[:-1] - scaled[-1]).reshape(-1), -0.5 * (squares[:-1] - squares[-1])])

    def psi(self, theta: Array) -> float:
        means, scaled = self._scaled(theta)
        return float(scaled[-1] @ (0.5 * means[-1] - self.mean_z))

    def with_weights(self, weights: Array) -> PooledGaussianMeans:
        return PooledGaussianMeans(weights, self.covariances, self.lam, self.mean_z)

    def weights_of(self, s: Array) -> Array:
        counts = s[(self.L - 1) * self.p :]
        return np.append(counts, 1.0 - counts.sum())

    def grad_psi(self, theta: Array) -> Array:
        raise InvalidInput("ψ of PooledGaussianMeans belongs to all clients together: use GaussianMeans for gradients.")

    def common_mean(self) -> Array:
        """(I + λ Σ Γ_ℓ)⁻¹E[Z]: the last component takes what the others leave of E[Z]."""
        return np.linalg.solve(np.eye(self.p) + self.lam * self.covariances.sum(axis=0), self.mean_z)
