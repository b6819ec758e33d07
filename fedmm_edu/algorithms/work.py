"""Local work: what a client makes of what it hears, in its own control variate and in what it remembers."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from fedmm_edu.algorithms.spaces import AggregationSpace
from fedmm_edu.arrays import Array, Indices
from fedmm_edu.faces import Faces
from fedmm_edu.federation import Clients, Draws, Oracle
from fedmm_edu.surrogate import Surrogate


class LocalView(NamedTuple):
    """What the m clients of `draws` know in round t + 1.

    theta: θ_t; r: r_t, the reference of the differences, shape (dim,); V_server: V_t, shape (dim,), where the work
    hears it, else empty; memory: what each of them remembers, shape (m, k); variates[rows]: their V_{t,i}.
    """

    problem: Surrogate
    clients: Clients
    oracle: Oracle
    space: AggregationSpace
    draws: Draws
    theta: Array
    r: Array
    V_server: Array
    memory: Array
    variates: Array
    rows: Indices

    @property
    def m(self) -> int:
        """How many clients these are."""
        return len(self.rows)

    @property
    def V(self) -> Array:
        """V_{t,i} of these clients: shape (m, dim)."""
        return self.variates[self.rows]

    def S(self, theta: Array | None = None) -> Array:
        """S_{t+1,i} at θ_t, or at another θ: shape (m, q)."""
        return self.oracle(self.problem, self.clients, self.theta if theta is None else theta, self.draws)

    def gradients(self, points: Array, step: int = 0) -> Array:
        """∇f_i(points_i) from the oracle, with the draws of local step `step`: shapes (m, d) → (m, d).

        ∇f_i(θ) = ∇ψ(θ) − Jφ(θ)ᵀE_{π_i}[S̄(Z, θ)], as the two sides of MM-1 touch at θ.
        """
        draws, out = self.draws.in_turn(step), np.empty((self.m, self.problem.d))
        for i, theta in enumerate(points):
            S = self.oracle(self.problem, self.clients, theta, draws.only(slice(i, i + 1)))
            out[i] = self.problem.gradient(theta, S[0])
        return out


class LocalWork(Faces):
    """What clients do in a round: the point that each of them aims at, and what it remembers until its next one."""

    hears_V: ClassVar[bool] = False
    """Whether the server sends V_t besides."""
    covered: ClassVar[bool] = False
    """Whether Theorem 1 is about it."""

    @property
    def asks(self) -> float:
        """How often a client asks its oracle in a round, in expectation: once, unless the work says otherwise."""
        return 1.0

    @abstractmethod
    def __call__(self, view: LocalView) -> tuple[Array, Array]:
        """The aims S_{t+1,i} in the space of x, shape (m, dim), and the memories to keep, shape (m, k)."""

    def start(self, problem: Surrogate, dim: int) -> Array:
        """What a client remembers before its first round, shape (k,): nothing, unless the work says otherwise."""
        return np.zeros(0)

    def sent(self, view: LocalView, memory: Array, aim: Array, message: Array) -> Array:
        """The memories once it is known what of S_{t+1,i} − r_t − V_{t,i} was sent: for those that keep the rest."""
        return memory


@dataclass(frozen=True)
class Surrogates(LocalWork):
    """The oracle's S_{t+1,i} at θ_t, or what the space makes of it (Algorithm 2). Nothing is remembered."""

    covered = True

    def __call__(self, view: LocalView) -> tuple[Array, Array]:
        return view.space.from_surrogates(view.problem, view.S()), view.memory
