"""The data of n clients and the oracles that they compute from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.errors import Array, InvalidInput, as_array, as_count, as_weights
from fedmm_edu.federation.draws import Draws, Purpose
from fedmm_edu.surrogate import Surrogate


@dataclass(frozen=True)
class Clients:
    """Client i holds `data[i]`, shape (N_i, p), with weight `mu[i]` (eq. `opt-fed`).

    Use `Clients.of(data)` for the weights μ_i = N_i/N of batch learning.
    """

    data: tuple[Array, ...]
    mu: Array

    @staticmethod
    def of(data: Sequence[ArrayLike], mu: ArrayLike | None = None) -> Clients:
        """Validated clients; `mu=None` weights each by its number of samples."""
        if len(data) == 0:
            raise InvalidInput("there are no clients: give at least one array of samples.")
        arrays = [as_array(f"data[{i}]", z, shape=(None, None)) for i, z in enumerate(data)]
        for i, z in enumerate(arrays):
            if len(z) == 0:
                raise InvalidInput(f"client {i} holds no samples: leave it out, or give it at least one.")
            if z.shape[1] != arrays[0].shape[1]:
                raise InvalidInput(
                    f"client {i} has samples of length {z.shape[1]}, client 0 of length {arrays[0].shape[1]}: "
                    "all clients need the same columns."
                )
        sizes = np.array([len(z) for z in arrays], dtype=np.float64)
        weights = sizes / sizes.sum() if mu is None else as_weights("mu", mu, size=len(arrays))
        return Clients(tuple(arrays), weights)

    def __len__(self) -> int:
        return len(self.data)

    def pooled(self) -> tuple[Array, Array]:
        """All samples, and the weight of each under π = Σ μ_i π_i: the centralised problem."""
        weights = np.concatenate([np.full(len(z), m / len(z)) for z, m in zip(self.data, self.mu, strict=True)])
        return np.concatenate(self.data), weights

    def mean_S_bar(self, problem: Surrogate, theta: Array) -> Array:
        """Σ_i μ_i E_{π_i}[S̄(Z, θ)], the 𝒯(θ) of the experiments for weights μ: shape (q,)."""
        return sum(m * problem.mean_S_bar(z, theta) for z, m in zip(self.data, self.mu, strict=True))  # type: ignore

    def objective(self, problem: Surrogate, theta: Array) -> float:
        """Σ_i μ_i f_i(θ) + g(θ)."""
        f = sum(m * problem.loss(z, theta).mean() for z, m in zip(self.data, self.mu, strict=True))
        return float(f) + problem.g(theta)


class Oracle(ABC):
    """An unbiased oracle of E_{π_i}[S̄(Z, θ)] (A3, `hyp:oracle`)."""

    @abstractmethod
    def samples(self, z: Array, draws: Draws) -> Array:
        """The samples, shape (b, p), on which one client (the only one of `draws`) averages S̄."""

    def __call__(self, problem: Surrogate, clients: Clients, theta: Array, draws: Draws) -> Array:
        """S_{t+1,i} for the clients of `draws`: shape (len(draws.clients), q)."""
        out = np.empty((len(draws.clients), problem.q))
        for row, i in enumerate(draws.clients):
            out[row] = problem.mean_S_bar(self.samples(clients.data[i], draws.only([row])), theta)
        return out


@dataclass(frozen=True)
class FullBatch(Oracle):
    """The exact expectation over the client's samples: σ_i = 0."""

    def samples(self, z: Array, draws: Draws) -> Array:
        return z


@dataclass(frozen=True)
class MiniBatch(Oracle):
    """b of the client's samples, drawn uniformly without replacement (all of them when it has fewer)."""

    b: int

    def __post_init__(self) -> None:
        as_count("b", self.b)

    def samples(self, z: Array, draws: Draws) -> Array:
        if self.b >= len(z):
            return z
        order = draws(Purpose.ORACLE, len(z))[0]
        return z[np.argpartition(order, self.b)[: self.b]]


@dataclass(frozen=True)
class Stream(Oracle):
    """Online learning: b fresh i.i.d. samples of π_i in each round (with replacement from the client's data)."""

    b: int = 1

    def __post_init__(self) -> None:
        as_count("b", self.b)

    def samples(self, z: Array, draws: Draws) -> Array:
        return z[(draws(Purpose.ORACLE, self.b)[0] * len(z)).astype(np.int64)]
