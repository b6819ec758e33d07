"""Biased compression: contractions, E‖C(x) − x‖² ≤ (1 − a)‖x‖², each with the largest a and where it is attained."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array, Words
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation.compressor import BiasedCompressor, Draw, Layout
from fedmm_edu.federation.kept import KeptCoordinates, smallest


@dataclass(frozen=True)
class TopK(KeptCoordinates, BiasedCompressor):
    """Keep the k largest coordinates (of equal ones the first): a = k/q, attained where all |x_j| are equal.

    On the wire: k values, and the place of each.
    """

    def compress(self, x: Array, draw: Draw) -> Array:
        self._fits(x.shape[1])
        size = np.abs(x)
        return self.keep(x, smallest(np.negative(size, out=size), self.k))

    def contraction(self, q: int) -> float:
        self._fits(q)
        return self.k / q


@dataclass(frozen=True)
class ScaledSign(BiasedCompressor):
    """(‖x‖₁/q) sign(x), with sign(0) = 1: ‖C(x) − x‖² = ‖x‖² − ‖x‖₁²/q, so a = 1/q, attained at multiples of e_j.

    On the wire: ‖x‖₁/q, and a bit a coordinate.
    """

    def compress(self, x: Array, draw: Draw) -> Array:
        return np.where(x < 0.0, -1.0, 1.0) * np.abs(x).mean(axis=1, keepdims=True)

    def contraction(self, q: int) -> float:
        return 1.0 / q

    def layout(self, q: int) -> Layout:
        return Layout(1, q, 1)

    def split(self, x: Array, sent: Array) -> tuple[Array, Words]:
        return np.abs(sent[:, :1]), np.signbit(sent).astype(np.uint64)

    def join(self, floats: Array, codes: Words, q: int) -> Array:
        if (floats < 0).any():
            raise InvalidInput(f"a row has the scale {floats.min()}: scales must be >= 0.")
        return np.where(codes > 0, -floats, floats)
