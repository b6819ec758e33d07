"""Incremental EM and MM: a surrogate for each sample, one of them renewed in each round, as SA-SSMM in 𝒮ⁿ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fedmm_edu.algorithms.fedmm import FedMM
from fedmm_edu.arrays import Array, Indices, Names, Offsets, Samples, Words, counts_of
from fedmm_edu.convex_sets import Product
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.federation import Clients, Compressor, Draws, Oracle, Purpose
from fedmm_edu.federation.compressor import Draw, Layout
from fedmm_edu.surrogate import Surrogate


class Lifted(Surrogate):
    """f(θ) = (1/n) Σ_j ℓ(z_j, θ) with one surrogate a sample: s = (s_1, …, s_n) in 𝒮ⁿ and T(s) = T((1/n) Σ_j s_j).

    φ is copied n times and divided by n; S̄(z_j, τ) is n times the sample's own S̄, in block j. MM-1 and MM-2 are those
    of `problem`. q is n times as large, and a test of s ∈ 𝒮ⁿ asks 𝒮 n times. S̄ needs to know which sample is which:
    it is given for the whole data set, in its order, or for samples that are named. z: dense, or CSR where `problem`
    takes it.
    """

    def __init__(self, problem: Surrogate, n: int) -> None:
        self.problem, self.n = problem, as_count("n", n)
        self.S, self.Theta = Product(*[problem.S] * self.n), problem.Theta

    def blocks(self, s: Array) -> Array:
        """(s_1, …, s_n), shape (n, q/n): a view."""
        return s.reshape(self.n, -1)

    def S_bar(self, z: Array, theta: Array) -> Array:
        return self.mean_S_bars(z, np.arange(z.shape[0] + 1), theta)

    def mean_S_bar(self, z: Array, theta: Array, weights: Array | None = None) -> Array:
        shares = np.ones(self._all(z)) if weights is None else self._all(z) * weights
        return (shares[:, None] * self.problem.S_bar(z, theta)).ravel()

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        which = np.arange(self.n)[slice(0, self._all(z)) if names is None else names]
        sizes = counts_of(offsets)
        rows = self.problem.S_bar(z, theta) * (self.n / np.repeat(sizes, sizes))[:, None]
        out = np.zeros((len(sizes), self.n, self.problem.q))
        np.add.at(out, (np.repeat(np.arange(len(sizes)), sizes), which), rows)
        return out.reshape(len(sizes), -1)

    def T(self, s: Array) -> Array:
        return self.problem.T(self.blocks(self.in_S(s)).mean(axis=0))

    def phi(self, theta: Array) -> Array:
        return np.tile(self.problem.phi(theta), self.n) / self.n

    def psi(self, theta: Array) -> float:
        return self.problem.psi(theta)

    def g(self, theta: Array) -> float:
        return self.problem.g(theta)

    def loss(self, z: Array, theta: Array) -> Array:
        return self.problem.loss(z, theta)

    def _all(self, z: Array) -> int:
        if z.shape[0] != self.n:
            raise InvalidInput(
                f"z has {z.shape[0]} rows, but the surrogates belong to n = {self.n} samples: give all of them."
            )
        return self.n


@dataclass(frozen=True)
class RandBlock(Compressor):
    """Keep one of n equal blocks, chosen uniformly, times n: unbiased, ω = n − 1, attained at every x.

    On the wire: the block, and which it is.
    """

    n: int

    def __post_init__(self) -> None:
        as_count("n", self.n)

    def chosen(self, draw: Draw) -> Indices:
        """The block that each row keeps: shape (m,)."""
        return (draw(Purpose.COMPRESSION, 1)[:, 0] * self.n).astype(np.int64)

    def compress(self, x: Array, draw: Draw) -> Array:
        self._fits(x.shape[1])
        kept = np.arange(self.n) == self.chosen(draw)[:, None]
        return (x.reshape(len(x), self.n, -1) * (self.n * kept)[:, :, None]).reshape(x.shape)

    def omega(self, q: int) -> float:
        self._fits(q)
        return self.n - 1.0

    def layout(self, q: int) -> Layout:
        self._fits(q)
        return Layout(q // self.n, 1, (self.n - 1).bit_length())

    def split(self, x: Array, sent: Array) -> tuple[Array, Words]:
        blocks = sent.reshape(len(sent), self.n, -1)
        kept = (blocks != 0.0).any(axis=2).argmax(axis=1)
        return blocks[np.arange(len(sent)), kept], kept[:, None].astype(np.uint64)

    def join(self, floats: Array, codes: Words, q: int) -> Array:
        if (codes >= self.n).any():
            raise InvalidInput(f"a row keeps block {codes.max()} of {self.n}: send one of them.")
        out = np.zeros((len(floats), self.n, q // self.n))
        out[np.arange(len(floats)), codes[:, 0].astype(np.int64)] = floats
        return out.reshape(len(floats), q)

    def _fits(self, q: int) -> None:
        if q % self.n:
            raise InvalidInput(f"RandBlock cuts vectors of length q = {q} into n = {self.n} blocks: choose n | q.")


@dataclass(frozen=True)
class KeptBlock(Oracle):
    """S̄ of the one sample whose block `RandBlock` keeps in this round (the same named draw), zero elsewhere.

    With that compressor, which drops the zeros, it is the exact oracle at a cost of one sample instead of n. Without
    it, it is biased.
    """

    n: int

    def rows(self, clients: Clients, draws: Draws) -> tuple[Names, Offsets]:
        return RandBlock(self.n).chosen(draws), np.array([0, 1])

    def check(self, problem: Surrogate, n: int) -> None:
        if n != 1:
            raise InvalidInput(f"KeptBlock renews a block of one client, and there are {n}: pool them.")

    def __call__(self, problem: Surrogate, clients: Clients, theta: Array, draws: Draws) -> Array:
        return super().__call__(problem, clients, theta, draws) / self.n  # S̄ in its block without the factor n


def incremental(problem: Surrogate, z: Samples, *, seed: int = 0) -> FedMM:
    """Incremental EM (Neal and Hinton 1998) and MISO (Mairal 2015): θ_t = T of the mean of s_1, …, s_n; renew one s_j.

    This is SA-SSMM in 𝒮ⁿ with the unbiased compressor `RandBlock` and γ = 1/n: s_j ← S̄(z_j, θ_t) for a random j, the
    other blocks stay. `fed.init(fed.point(theta))` starts with all blocks at theta. A round costs S̄ of one sample, T,
    and passes over the n q numbers of the state, n memberships in 𝒮 among them. z: shape (n, p), dense, or CSR where
    `problem` takes it.
    """
    clients = Clients.of([z])
    n = clients.z.shape[0]
    return FedMM(Lifted(problem, n), clients, 1.0 / n, oracle=KeptBlock(n), compressor=RandBlock(n), seed=seed)
