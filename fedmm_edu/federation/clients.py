"""The data of n clients and the oracles that they compute from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from fedmm_edu.arrays import Array, Names, Offsets, as_array, as_weights
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.federation.draws import Draws, Purpose
from fedmm_edu.surrogate import Surrogate

BLOCK = 2**20
"""Numbers that one pass over clients holds at a time, in surrogates and in samples: 8 MiB each."""


@dataclass(frozen=True, eq=False)
class Clients:
    """Client i holds the rows offsets[i]:offsets[i+1] of z, shape (N, p), with weight mu[i] (eq. `opt-fed`).

    Make it with `Clients.of(data)` from one array per client, or with `Clients.of_rows(z, sizes)`. z may be a sparse
    matrix; it is kept as CSR. Besides z, n clients cost 16 n bytes.
    """

    z: Array
    offsets: Offsets
    mu: Array

    @staticmethod
    def of(data: Sequence[ArrayLike], mu: ArrayLike | None = None) -> Clients:
        """Clients from `data[i]`, shape (N_i, p); `mu=None` weights each by its number of samples."""
        if len(data) == 0:
            raise InvalidInput("there are no clients: give at least one array of samples.")
        arrays = [_samples(f"data[{i}]", z) for i, z in enumerate(data)]
        for i, z in enumerate(arrays):
            if z.shape[1] != arrays[0].shape[1]:
                raise InvalidInput(
                    f"client {i} has samples of length {z.shape[1]}, client 0 of length {arrays[0].shape[1]}: "
                    "all clients need the same columns."
                )
        sizes = [z.shape[0] for z in arrays]
        if any(sparse.issparse(z) for z in arrays):
            return Clients._of_rows(sparse.csr_array(sparse.vstack(arrays)), sizes, mu)
        return Clients._of_rows(np.concatenate(arrays), sizes, mu)

    @staticmethod
    def of_rows(z: ArrayLike, sizes: ArrayLike, mu: ArrayLike | None = None) -> Clients:
        """Clients from all samples z, shape (N, p), client after client; `sizes[i]` of them belong to client i."""
        return Clients._of_rows(_samples("z", z), sizes, mu)

    @staticmethod
    def _of_rows(z, sizes: ArrayLike, mu: ArrayLike | None) -> Clients:
        counts = as_array("sizes", sizes, shape=(None,))
        if (counts < 1).any():
            i = int(np.argmax(counts < 1))
            raise InvalidInput(f"client {i} holds no samples: leave it out, or give it at least one.")
        if (counts != np.floor(counts)).any() or counts.sum() != z.shape[0]:
            raise InvalidInput(f"sizes sum to {counts.sum()}, but z has {z.shape[0]} rows: count every row once.")
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        weights = counts / counts.sum() if mu is None else as_weights("mu", mu, size=len(counts))
        return Clients(z, offsets, weights)

    def __len__(self) -> int:
        return len(self.mu)

    def __getitem__(self, i: int) -> Array:
        """The samples of client i, shape (N_i, p)."""
        i = range(len(self))[i]
        return self.z[self.offsets[i] : self.offsets[i + 1]]

    @property
    def data(self) -> tuple[Array, ...]:
        """The samples of each client: views of z."""
        return tuple(self.z[start:stop] for start, stop in pairwise(self.offsets))

    def pooled(self) -> tuple[Array, Array]:
        """All samples, and the weight of each under π = Σ μ_i π_i: the centralised problem."""
        sizes = np.diff(self.offsets)
        return self.z, np.repeat(self.mu / sizes, sizes)

    def rows(self, who: np.ndarray) -> tuple[Names, Offsets]:
        """Which rows of z the clients `who` (ascending, not empty) hold, and where each begins among them."""
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.offsets)[who])])
        if who[-1] - who[0] + 1 == len(who):
            return slice(int(self.offsets[who[0]]), int(self.offsets[who[-1] + 1])), offsets
        return self.indices(who), offsets

    def indices(self, who: np.ndarray) -> np.ndarray:
        """Which rows of z the clients `who` hold, one by one."""
        sizes = np.diff(self.offsets)[who]
        return np.repeat(self.offsets[who] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())

    def blocks(self, who: np.ndarray, q: int) -> Iterator[slice]:
        """Cuts of `who` into runs of clients that hold, and send, at most `BLOCK` numbers each; or into single ones."""
        each = max(q, self.z.size // len(self))  # of a sparse matrix: the stored entries
        size = max(1, BLOCK // each)
        for start in range(0, len(who), size):
            yield slice(start, start + size)

    def mean_S_bar(self, problem: Surrogate, theta: Array) -> Array:
        """Σ_i μ_i E_{π_i}[S̄(Z, θ)], the 𝒯(θ) of the experiments for weights μ: shape (q,)."""
        everyone, total = np.arange(len(self)), np.zeros(problem.q)
        for cut in self.blocks(everyone, problem.q):
            names, offsets = self.rows(everyone[cut])
            total += self.mu[cut] @ problem.mean_S_bars(self.z[names], offsets, theta, names)
        return total

    def objective(self, problem: Surrogate, theta: Array) -> float:
        """Σ_i μ_i f_i(θ) + g(θ)."""
        z, weights = self.pooled()
        return float(weights @ problem.loss(z, theta)) + problem.g(theta)


def _samples(name: str, value: ArrayLike) -> Any:
    """Finite samples, shape (N, p): a float64 array, or CSR where `value` is sparse."""
    if not sparse.issparse(value):
        return as_array(name, value, shape=(None, None))
    matrix = sparse.csr_array(value, dtype=np.float64)
    matrix.sum_duplicates()
    as_array(f"the stored entries of {name}", matrix.data, shape=(None,))
    return matrix


class Oracle(ABC):
    """An unbiased oracle of E_{π_i}[S̄(Z, θ)] (A3, `hyp:oracle`): the mean of S̄ over some samples of the client."""

    @abstractmethod
    def rows(self, clients: Clients, draws: Draws) -> tuple[Names, Offsets]:
        """The rows of `clients.z` on which the clients of `draws` average, and where each client begins among them."""

    def __call__(self, problem: Surrogate, clients: Clients, theta: Array, draws: Draws) -> Array:
        """S_{t+1,i} for the clients of `draws`: shape (len(draws.clients), q)."""
        names, offsets = self.rows(clients, draws)
        return problem.mean_S_bars(clients.z[names], offsets, theta, names)


@dataclass(frozen=True)
class FullBatch(Oracle):
    """The exact expectation over the client's samples: σ_i = 0."""

    def rows(self, clients: Clients, draws: Draws) -> tuple[Names, Offsets]:
        return clients.rows(draws.clients)


@dataclass(frozen=True)
class MiniBatch(Oracle):
    """b of the client's samples, drawn uniformly without replacement (all of them when it has fewer)."""

    b: int

    def __post_init__(self) -> None:
        as_count("b", self.b)

    def rows(self, clients: Clients, draws: Draws) -> tuple[Names, Offsets]:
        who = draws.clients
        sizes = np.diff(clients.offsets)[who]
        offsets = np.concatenate([[0], np.cumsum(np.minimum(sizes, self.b))])
        some = sizes > self.b
        names, drawn = np.empty(offsets[-1], dtype=np.int64), np.repeat(some, np.diff(offsets))
        chosen = subsets(draws.only(some)(Purpose.ORACLE, self.b), sizes[some])
        names[drawn] = (clients.offsets[who[some], None] + chosen).ravel()
        names[~drawn] = clients.indices(who[~some])
        return names, offsets


@dataclass(frozen=True)
class Stream(Oracle):
    """Online learning: b fresh i.i.d. samples of π_i in each round (with replacement from the client's data)."""

    b: int = 1

    def __post_init__(self) -> None:
        as_count("b", self.b)

    def rows(self, clients: Clients, draws: Draws) -> tuple[Names, Offsets]:
        who = draws.clients
        sizes = np.diff(clients.offsets)[who]
        chosen = (draws(Purpose.ORACLE, self.b) * sizes[:, None]).astype(np.int64)
        names = (clients.offsets[who, None] + chosen).ravel()
        return names, np.arange(len(who) + 1, dtype=np.int64) * self.b


def subsets(u: Array, sizes: np.ndarray) -> np.ndarray:
    """A uniform subset of {0, …, sizes[i] − 1} from the b < sizes[i] uniforms u[i], in ascending order: shape (m, b).

    Floyd's algorithm (Bentley and Floyd, "A sample of brilliance", 1987): for k = size − b, …, size − 1 take a
    uniform j ≤ k, or k itself when j is taken. It costs b draws a client however many samples the client holds.

    >>> subsets(np.array([[0.1, 0.9], [0.1, 0.1]]), np.array([3, 3]))
    array([[0, 2],
           [0, 2]])
    """
    m, b = u.shape
    chosen = np.full((m, b), -1, dtype=np.int64)
    for step in range(b):
        k = sizes - b + step
        j = (u[:, step] * (k + 1)).astype(np.int64)
        taken = (chosen[:, :step] == j[:, None]).any(axis=1)
        chosen[:, step] = np.where(taken, k, j)
    return np.sort(chosen, axis=1)
