"""Compressors that keep k coordinates of a row: which are the k first in an order, and what is theirs on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np

from fedmm_edu.arrays import Array, Mask, Words
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.federation.compressor import Compressor, Layout

_LONG, _STRIDE = 2**15, 64  # from where on a sample pays, and of how many keys it takes one
_SPARSE = 8  # where fewer than one in so many coordinates are kept, they are gathered


def smallest(keys: Array | Mask, k: int) -> Mask:
    """Where the k ≥ 1 smallest keys of each row are, of equal ones the first, NaN last: shape (m, q).

    By partial selection, in time proportional to the row; only rows with ties at the k-th key are sorted.
    """
    if keys.shape[1] < _LONG or keys.dtype == np.bool_:
        last = np.partition(keys, k - 1, axis=1)[:, k - 1 : k]
    else:
        last = np.array([[_kth(row, k)] for row in keys])
    chosen = keys <= last
    tied = np.flatnonzero(np.count_nonzero(chosen, axis=1) != k)
    if tied.size:
        chosen[tied] = False
        chosen[tied[:, None], np.argsort(keys[tied], axis=1, kind="stable")[:, :k]] = True
    return chosen


def _kth(keys: Array, k: int) -> float:
    """The k-th smallest of a long row, which is looked for between two keys that a sample puts on either side of it.

    Comparisons of all keys cost a quarter of a selection among them.
    """
    sample = np.sort(keys[::_STRIDE])
    at, spread = k * len(sample) // len(keys), 3 * isqrt(len(sample))
    low = sample[at - spread] if at >= spread else -np.inf
    high = sample[at + spread] if at + spread < len(sample) else np.inf
    between = keys[(keys >= low) & (keys <= high)]
    rank = k - 1 - np.count_nonzero(keys < low)
    if not 0 <= rank < len(between):  # the sample misled, or there are NaN
        between, rank = keys, k - 1
    return np.partition(between, rank)[rank]


@dataclass(frozen=True)
class KeptCoordinates(Compressor):
    """Rows with at most k entries that are not zero. On the wire: k values, and the place of each."""

    k: int

    def __post_init__(self) -> None:
        as_count("k", self.k)

    def layout(self, q: int) -> Layout:
        return Layout(self.k, self.k, (q - 1).bit_length())

    def split(self, x: Array, sent: Array) -> tuple[Array, Words]:
        places = np.nonzero(smallest(sent == 0.0, self.k))[1].reshape(len(sent), self.k)  # the others are zero
        return np.take_along_axis(sent, places, axis=1), places.astype(np.uint64)

    def join(self, floats: Array, codes: Words, q: int) -> Array:
        places = codes.astype(np.int64)
        if (places >= q).any() or (np.diff(places, axis=1) <= 0).any():
            raise InvalidInput("the places of a row are not ascending below q: send each once.")
        out = np.zeros((len(floats), q))
        np.put_along_axis(out, places, floats, axis=1)
        return out

    def keep(self, x: Array, chosen: Mask, factor: float = 1.0) -> Array:
        """factor·x where `chosen`, and zero elsewhere."""
        if self.k * _SPARSE > x.shape[1]:
            out = np.where(chosen, x, 0.0)
            out *= factor
            return out
        out, places = np.zeros(x.shape), np.flatnonzero(chosen)
        out.reshape(-1)[places] = x.reshape(-1)[places] * factor
        return out

    def _fits(self, q: int) -> None:
        if self.k > q:
            raise InvalidInput(f"{type(self).__name__} keeps k = {self.k} of q = {q} coordinates: choose k <= q.")
