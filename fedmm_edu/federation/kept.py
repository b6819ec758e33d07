"""Compressors that keep k coordinates of a row: what is theirs on the wire."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array, Words
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.federation.compressor import Compressor, Layout


@dataclass(frozen=True)
class KeptCoordinates(Compressor):
    """Rows with at most k entries that are not zero. On the wire: k values, and the place of each."""

    k: int

    def __post_init__(self) -> None:
        as_count("k", self.k)

    def layout(self, q: int) -> Layout:
        return Layout(self.k, self.k, (q - 1).bit_length())

    def split(self, x: Array, sent: Array) -> tuple[Array, Words]:
        places = np.sort(np.argsort(sent == 0.0, axis=1, kind="stable")[:, : self.k], axis=1)  # the others are zero
        return np.take_along_axis(sent, places, axis=1), places.astype(np.uint64)

    def join(self, floats: Array, codes: Words, q: int) -> Array:
        places = codes.astype(np.int64)
        if (places >= q).any() or (np.diff(places, axis=1) <= 0).any():
            raise InvalidInput("the places of a row are not ascending below q: send each once.")
        out = np.zeros((len(floats), q))
        np.put_along_axis(out, places, floats, axis=1)
        return out

    def _fits(self, q: int) -> None:
        if self.k > q:
            raise InvalidInput(f"{type(self).__name__} keeps k = {self.k} of q = {q} coordinates: choose k <= q.")
