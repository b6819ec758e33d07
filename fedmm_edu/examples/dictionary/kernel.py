"""Dictionary learning and matrix factorisation (Section 2.3, eqs. `dictlearning:problem` to `MF:tool3`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from fedmm_edu.arrays import Array, Names, Offsets, as_array, counts_of
from fedmm_edu.convex_sets import Product, PSDCone, WholeSpace
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.examples.dictionary.atoms import Atoms
from fedmm_edu.examples.dictionary.coders import Coder
from fedmm_edu.examples.gram import client_products, dense
from fedmm_edu.surrogate import ZeroPsi

RESIDUALS = 2**18
"""Entries of the residuals Z − θh that `loss` holds at a time."""


class DictionaryLearning(ZeroPsi):
    """f(θ) = E_π[min_h c‖Z − θh‖² + χ(h)], g(θ) = η‖θ‖² on Θ ⊂ ℝ^{p × K}, for samples Z, shape (N, p), dense or CSR.

    ψ = 0, φ(θ) = c(−θᵀθ, 2θ), S̄(Z, τ) = (hhᵀ, Zhᵀ) with the code h = M(Z, τ), 𝒮 = 𝓜_K⁺ × ℝ^{p × K} and q = K² + pK;
    θ, s₁ and s₂ are flattened row after row. `half=True` is c = ½, the convention of the experiments (eq. `dictlearn`)
    and of Mairal et al.; `half=False` is c = 1, that of Section 2.3. The statistics are the same, T(s) minimises
    ½Tr(θᵀθ(s₁ + (η/c)I)) − Tr(θᵀs₂): with c = 1, the codes of λ are those of λ/2 with c = ½.

    coder: χ and its codes; atoms: g and Θ (see `coders.py`, `atoms.py`). tol: the accuracy v of the codes in
    the optimality condition of ½‖Z − θh‖² + χ(h)/(2c), relative to max(1, ‖Z‖ max_k‖θ_{·k}‖); MM-1 then holds up to
    2cv(‖h‖₁ + ‖h⋆‖₁) for a sample with the code h and the exact code h⋆. remember: keep the last code of each sample
    by its name, NK numbers, and start the next search there. A code is a function of Z and θ, so that this saves time
    and changes no result; where several codes are optimal, it may change which one is found.
    """

    def __init__(
        self, p: int, K: int, coder: Coder, atoms: Atoms, *, half: bool = True, tol: float = 1e-10,
        remember: bool = False,
    ) -> None:  # fmt: skip
        self.p, self.K = as_count("p", p), as_count("K", K)
        self.coder, self.atoms = coder, atoms
        self.c = 0.5 if half else 1.0
        self.tol = in_interval("tol", tol, low=0.0, high=1e-3, open_low=True)
        self.memory = _Memory(self.K) if remember else None
        self.S = Product(PSDCone(self.K), WholeSpace(self.p * self.K))
        self.Theta = atoms.domain(self.p, self.K)

    @property
    def remembers(self) -> bool:
        return self.memory is not None

    @property
    def loss_in_S_bars(self) -> float:
        """Two, where the S̄ of a run start at codes that are remembered: a loss knows no names."""
        return 2.0 if self.remembers else 1.0

    def codes(self, z: Array, theta: Array, names: Names | None = None) -> Array:
        """M(Z, θ) of each sample, shape (N, K)."""
        z, dictionary = self._samples(z, names), self._dictionary(theta)
        if names is None or self.memory is None:
            return self.coder.encode(z, dictionary, self.c, start=None, tol=self.tol)
        h = self.coder.encode(z, dictionary, self.c, start=self.memory.recall(names), tol=self.tol)
        self.memory.keep(names, h)
        return h

    def S_bar(self, z: Array, theta: Array) -> Array:
        h = self.codes(z, theta)
        z = dense(z)
        pairs = (h[:, :, None] * h[:, None, :]).reshape(len(h), -1)
        return np.hstack([pairs, (z[:, :, None] * h[:, None, :]).reshape(len(h), -1)])

    def mean_S_bar(self, z: Array, theta: Array, weights: Array | None = None) -> Array:
        h = self.codes(z, theta)
        if weights is None:
            return np.concatenate([(h.T @ h).ravel(), (z.T @ h).ravel()]) / len(h)
        roots = np.sqrt(weights)[:, None] * h  # s₁ is then a Gram matrix, exactly symmetric
        return np.concatenate([(roots.T @ roots).ravel(), (z.T @ (weights[:, None] * h)).ravel()])

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        h, m = self.codes(z, theta, names), len(offsets) - 1
        out = np.empty((m, self.q))
        out[:, : self.K**2] = client_products(h, h, offsets).reshape(m, -1)
        out[:, self.K**2 :] = client_products(z, h, offsets).reshape(m, -1)
        out /= counts_of(offsets)[:, None]
        return out

    def T(self, s: Array) -> Array:
        s1, s2 = self.split(self.in_S(s))
        A = (s1 + s1.T) / 2.0 + (self.atoms.eta / self.c) * np.eye(self.K)
        return self.atoms.minimiser(A, s2).ravel()

    def split(self, s: Array) -> tuple[Array, Array]:
        """s as the matrices (s₁, s₂), shapes (K, K) and (p, K)."""
        return s[: self.K**2].reshape(self.K, self.K), s[self.K**2 :].reshape(self.p, self.K)

    def phi(self, theta: Array) -> Array:
        theta = self._dictionary(theta)
        return self.c * np.concatenate([-(theta.T @ theta).ravel(), 2.0 * theta.ravel()])

    def jac_phi(self, theta: Array) -> Array:
        dictionary, eye = self._dictionary(theta), np.eye(self.K)
        gram = np.einsum("pa,bk->abpk", dictionary, eye) + np.einsum("pb,ak->abpk", dictionary, eye)
        return self.c * np.concatenate([-gram.reshape(-1, self.d), 2.0 * np.eye(self.d)])

    def gradient(self, theta: Array, S: Array) -> Array:
        """c(θ(s₁ + s₁ᵀ) − 2s₂), without the q × d array Jφ."""
        s1, s2 = self.split(S)
        return (self.c * (self._dictionary(theta) @ (s1 + s1.T) - 2.0 * s2)).ravel()

    def prox_g(self, theta: Array, rho: float) -> Array:
        """What minimises ½Tr(θᵀθ(1 + 2ρη)I) − Tr(θᵀθ_0): the atoms' own problem."""
        scaled = (1.0 + 2.0 * rho * self.atoms.eta) * np.eye(self.K)
        return self.atoms.minimiser(scaled, self._dictionary(theta)).ravel()

    def grad_g(self, theta: Array) -> Array:
        if not isinstance(self.Theta, WholeSpace):
            return super().grad_g(theta)
        return 2.0 * self.atoms.eta * theta

    def g(self, theta: Array) -> float:
        return self.atoms.eta * float(theta @ theta) if self.Theta.contains(theta, tol=1e-12) else np.inf

    def loss(self, z: Array, theta: Array) -> Array:
        h, dictionary = self.codes(z, theta), self._dictionary(theta)
        fit, rows = np.empty(len(h)), max(1, RESIDUALS // self.p)
        for start in range(0, len(h), rows):  # residuals are dense: block by block they fit in memory, also for CSR
            cut = slice(start, start + rows)
            residual = dense(z[cut]) - h[cut] @ dictionary.T
            fit[cut] = np.einsum("np,np->n", residual, residual)
        return self.c * fit + self.coder.chi(h)

    def _dictionary(self, theta: Array) -> Array:
        return as_array("theta", theta, shape=(self.d,)).reshape(self.p, self.K)

    def _samples(self, z: Array, names: Names | None) -> Array:
        if sp.issparse(z):
            as_array("the stored entries of z", z.data, shape=(None,), finite=names is not None)
            if z.shape[1] != self.p:
                raise InvalidInput(f"z has shape {z.shape}, expected (any, {self.p}): one column per row of θ.")
        else:
            z = as_array("z", z, shape=(None, self.p), finite=names is not None)
        if z.shape[0] == 0:
            raise InvalidInput("z has no rows: give at least one sample.")
        return z


@dataclass(eq=False)
class _Memory:
    """The last code of each named sample. `h` is no field: what is remembered is no setting and in no fingerprint."""

    K: int

    def __post_init__(self) -> None:
        self.h = np.zeros((0, self.K))

    def recall(self, names: Names) -> Array:
        needed = names.stop if isinstance(names, slice) else int(names.max()) + 1
        if needed > len(self.h):
            self.h = np.vstack([self.h, np.zeros((needed - len(self.h), self.K))])
        return self.h[names]

    def keep(self, names: Names, h: Array) -> None:
        self.h[names] = h
