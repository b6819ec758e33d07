"""The data of n clients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from fedmm_edu.arrays import UNNAMED, Array, Indices, Names, Offsets, Samples, as_array, as_weights, counts_of
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation.draws import compiled_for
from fedmm_edu.rows import by_size
from fedmm_edu.surrogate import Surrogate

BLOCK = 2**20
"""Numbers that one pass over clients holds at a time, in surrogates and in samples: 8 MiB each."""


@dataclass(frozen=True, eq=False)
class Clients:
    """Client i holds the rows offsets[i]:offsets[i+1] of z, shape (N, p), with weight mu[i] (eq. `opt-fed`).

    Make it with `Clients.of(data)` from one array per client, or with `Clients.of_rows(z, sizes)`. z may be a sparse
    matrix; it is kept as CSR. Besides z, n clients cost 24 n bytes.
    """

    z: Array
    offsets: Offsets
    mu: Array

    @staticmethod
    def of(data: Sequence[Samples], mu: ArrayLike | None = None) -> Clients:
        """Clients from `data[i]`, shape (N_i, p); `mu=None` weights each by its number of samples."""
        if sparse.issparse(data) or isinstance(data, (str, bytes, dict)) or not hasattr(data, "__getitem__"):
            raise InvalidInput(f"data is a {type(data).__name__}: give a list of arrays, one for each client.")
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
    def of_rows(z: Samples, sizes: ArrayLike, mu: ArrayLike | None = None) -> Clients:
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
        weights = counts / counts.sum() if mu is None else as_weights("mu", mu, size=len(counts)).copy()
        return Clients(z, offsets, weights)

    def __len__(self) -> int:
        return len(self.mu)

    def __iter__(self) -> Iterator[Array]:
        return iter(self.data)

    def __getitem__(self, i: int) -> Array:
        """The samples of client i, shape (N_i, p)."""
        i = range(len(self))[i]
        return self.z[self.offsets[i] : self.offsets[i + 1]]

    @property
    def data(self) -> tuple[Array, ...]:
        """The samples of each client: views of z."""
        return tuple(self.z[start:stop] for start, stop in pairwise(self.offsets))

    @cached_property
    def sizes(self) -> Indices:
        """N_i of each client: shape (n,)."""
        return counts_of(self.offsets)

    @cached_property
    def of_one_size(self) -> bool:
        """Whether all clients have as many samples."""
        return np.count_nonzero(self.sizes == self.sizes[0]) == len(self)

    def pooled(self) -> tuple[Array, Array]:
        """All samples, and the weight of each under π = Σ μ_i π_i: the centralised problem."""
        return self.z, np.repeat(self.mu / self.sizes, self.sizes)

    def held(self, who: Indices, *, named: bool) -> tuple[Array, Names, Offsets]:
        """The samples of the clients `who` (ascending, not empty), which they are, and where each client begins.

        Copied rows may be `UNNAMED`, unless `named` asks for their names, of which there may be as many as numbers.
        """
        if who[-1] - who[0] + 1 == len(who):
            names, offsets = self.rows(who)
            return self.z[names], names, offsets
        ends = self._ends(who)
        if self.of_one_size and self._in_pieces and not named:
            pieces = self.z.reshape(len(self), -1).take(who, axis=0)
            return pieces.reshape(-1, self.z.shape[1]), UNNAMED, ends
        if (z := self._pieces(who, ends[:-1], named)) is not None:
            return z, UNNAMED, ends
        names = self.indices(who)
        return self.taken(names), names, ends

    def held_by_size(self, who: Indices, *, named: bool) -> tuple[Array, Names, Offsets, Indices]:
        """The same with clients of one size together, and where each of `who` stands among them: shape (len(who),)."""
        order, place = by_size(self.sizes[who]), np.empty(len(who), dtype=np.int64)
        place[order] = np.arange(len(who))
        ends = self._ends(who[order])
        if (z := self._pieces(who, ends.take(place), named)) is not None:
            return z, UNNAMED, ends, place
        names = self.indices(who[order])
        return self.taken(names), names, ends, place

    def _pieces(self, who: Indices, to: Indices, named: bool) -> Array | None:
        """The samples of who[i] as rows to[i], to[i] + 1, …, where it pays to copy them client by client."""
        if named or not self._in_pieces:
            return None
        sizes = self.sizes[who]
        fast = compiled_for(int(sizes.sum()) * self.z.shape[1])
        return None if fast is None else fast.pieces(self.z, self.offsets.take(who), sizes, to)

    @cached_property
    def _in_pieces(self) -> bool:
        """Whether z is an array with its rows one after the other."""
        return type(self.z) is np.ndarray and self.z.flags.c_contiguous

    def taken(self, names: Names) -> Array:
        """The rows of z with these names; those of a slice are a view."""
        if type(names) is np.ndarray and type(self.z) is np.ndarray:
            return self.z.take(names, axis=0)  # z[names], in less time
        return self.z[names]

    def rows(self, who: Indices) -> tuple[Names, Offsets]:
        """Which rows of z the clients `who` (ascending, not empty) hold, and where each begins among them."""
        if who[-1] - who[0] + 1 == len(who):
            offsets = self.offsets[who[0] : who[-1] + 2]
            return slice(int(offsets[0]), int(offsets[-1])), offsets - offsets[0]
        return self.indices(who), self._ends(who)

    def _ends(self, who: Indices) -> Offsets:
        """Where each of these clients begins when their rows are copied."""
        if self.of_one_size:
            return self.offsets[: len(who) + 1]
        return np.concatenate([[0], np.cumsum(self.sizes[who])])

    def indices(self, who: Indices) -> Indices:
        """Which rows of z the clients `who` hold, one by one."""
        if self.of_one_size:
            return (self.offsets.take(who)[:, None] + np.arange(self.sizes[0])).ravel()
        sizes = self.sizes[who]
        return np.repeat(self.offsets[who] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())

    def blocks(self, who: Indices, q: int) -> Iterator[slice]:
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
            total += self.mu[cut] @ problem.mean_S_bars(self.taken(names), offsets, theta, names)
        return total

    def objective(self, problem: Surrogate, theta: Array) -> float:
        """Σ_i μ_i f_i(θ) + g(θ)."""
        z, weights = self.pooled()
        return float(weights @ problem.loss(z, theta)) + problem.g(theta)


def _samples(name: str, value: Samples) -> Any:
    """Finite samples of our own, shape (N, p): a float64 array, or CSR where `value` is sparse. Of a dense array that
    nobody can write to there is no copy."""
    if not isinstance(value, sparse.sparray | sparse.spmatrix):
        array = as_array(name, value, shape=(None, None))
        theirs = isinstance(value, np.ndarray) and np.may_share_memory(array, value) and array.flags.writeable
        return array.copy() if theirs else array
    given: Any = value  # SciPy's two families of sparse arrays share no typed interface
    if given.ndim != 2:
        raise InvalidInput(f"{name} has shape {given.shape}, expected (any, any): reshape it, one row per sample.")
    stored = as_array(f"the stored entries of {name}", given.tocoo().data, shape=(None,))
    matrix = sparse.csr_array(given, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    as_array(f"the stored entries of {name}", matrix.data, shape=(len(matrix.data),) if stored.size else (None,))
    return matrix
