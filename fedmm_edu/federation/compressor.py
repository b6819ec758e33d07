"""What a compression operator is: a random map, its variance factor, and how a row travels, bit for bit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, NamedTuple

import numpy as np

from fedmm_edu.arrays import Array, Indices, Words
from fedmm_edu.errors import InvalidInput
from fedmm_edu.faces import Faces
from fedmm_edu.federation.draws import Draws, Purpose
from fedmm_edu.federation.packing import pack_bits, unpack_bits

Draw = Callable[[Purpose, int], Array]
FLOAT_BITS = 64


class Layout(NamedTuple):
    """What a row is on the wire: so many floats of 64 bits, and so many codes of `width` bits."""

    floats: int
    codes: int = 0
    width: int = 0

    @property
    def bits(self) -> int:
        """Bits of one row."""
        return FLOAT_BITS * self.floats + self.codes * self.width

    def size(self, m: int) -> int:
        """Bytes of m rows: their floats, then their codes; the last byte is filled with zeros."""
        return 8 * m * self.floats + (m * self.codes * self.width + 7) // 8


class Compressor(Faces):
    """An unbiased random map on ℝ^q, applied to each row of an (m, q) array, and its form on the wire.

    `compress` and `omega` are enough: then a row travels as its q floats. A compressor whose rows need less says how in
    `layout`, `split` and `join`; what is written comes back as the very floats that were compressed. One that is biased
    is a `BiasedCompressor`, which has a contraction in the place of ω.
    """

    unbiased: ClassVar[bool] = True
    """Whether E[Q(x)] = x, as A4 asks."""
    by_order: ClassVar[bool] = False
    """Whether Q(x) depends on the order of its draws; else a coordinate switches at one value of its own draw."""

    @property
    def grid(self) -> float | None:
        """The step of the grid on which the rows of all clients lie; None where rows have scales of their own."""
        return None

    @abstractmethod
    def compress(self, x: Array, draw: Draw) -> Array:
        """Q(x) row by row: shape (m, q). `draw(purpose, k)` gives k uniforms per row."""

    @abstractmethod
    def omega(self, q: int) -> float:
        """The smallest ω with E‖Q(x) − x‖² ≤ ω‖x‖² for all x in ℝ^q."""

    def contraction(self, q: int) -> float:
        """The largest a with E‖Q(x) − x‖² ≤ (1 − a)‖x‖²: 1 − ω; not positive where ω ≥ 1, as Q is no contraction."""
        return 1.0 - self.omega(q)

    def of_round(self, draws: Draws) -> Compressor:
        """The operator of the round of `draws`: for channels that toss a coin which server and clients share."""
        return self

    def messages(self, target: Array, origin: Array, variates: Array, rows: Indices, draws: Draws) -> Array:
        """Q(Δ_i) for Δ_i = target_i − origin − variates[rows_i], as Algorithm 2 sends it: shape (m, q)."""
        return self.compress(target - origin - variates.take(rows, axis=0), draws)

    def layout(self, q: int) -> Layout:
        """What a row of length q is on the wire."""
        return Layout(q)

    def split(self, x: Array, sent: Array) -> tuple[Array, Words]:
        """Floats, shape (m, floats), and codes, shape (m, codes), of the rows `sent`, compressed from the rows x."""
        return sent, np.empty((len(sent), 0), np.uint64)

    def join(self, floats: Array, codes: Words, q: int) -> Array:
        """The rows `sent`, shape (m, q); `InvalidInput` for floats or codes that no row has."""
        return floats

    def bits(self, q: int) -> int:
        """Bits on the wire for one compressed row of length q."""
        return self.layout(q).bits

    def encode(self, x: Array, sent: Array) -> bytes:
        """The bytes of the rows `sent`, compressed from the rows x."""
        (m, q), (floats, codes) = x.shape, self.split(x, sent)
        layout = self.layout(q)
        if (floats.shape, codes.shape) != ((m, layout.floats), (m, layout.codes)):
            raise InvalidInput(
                f"{type(self).__name__}.split gives floats and codes of shapes {floats.shape} and {codes.shape}, its "
                f"layout ({m}, {layout.floats}) and ({m}, {layout.codes}): make them agree."
            )
        if not np.array_equal(self.join(floats, codes, q), sent):
            raise InvalidInput(f"a compressed row is none that {self!r} makes: it cannot be sent in its format.")
        return floats.astype("<f8").tobytes() + pack_bits(codes.ravel(), layout.width)

    def decode(self, raw: bytes, m: int, q: int) -> Array:
        """The m rows, shape (m, q); `InvalidInput` for bytes that `encode` does not write."""
        layout = self.layout(q)
        if len(raw) != layout.size(m):
            raise InvalidInput(f"{len(raw)} bytes for {m} rows of length {q}, expected {layout.size(m)}: use one plan.")
        floats = np.frombuffer(raw, "<f8", m * layout.floats).reshape(m, layout.floats)
        if not np.isfinite(floats).all():
            raise InvalidInput(f"the rows hold {floats[~np.isfinite(floats)][0]}: entries must be finite.")
        codes = unpack_bits(raw[floats.nbytes :], m * layout.codes, layout.width)
        return self.join(floats, codes.reshape(m, layout.codes), q)

    def try_wire(self, q: int) -> None:
        """`InvalidInput` where some rows of length q would not travel, or cost other bits than `bits` says."""
        draws = Draws(0, 0, np.arange(8))
        x = draws(Purpose.DATA, q) - 0.5
        sent = self.compress(x, draws)
        if not np.array_equal(self.decode(self.encode(x, sent), len(x), q), sent):
            raise InvalidInput(f"a row of {self!r} comes back changed: `join` has to undo `split` to the last bit.")
        if self.bits(q) != self.layout(q).bits:
            raise InvalidInput(
                f"{self!r} counts {self.bits(q)} bits for a row of length {q}, and its layout takes "
                f"{self.layout(q).bits}: leave `bits` out, or say in `layout`, `split` and `join` how it needs no more."
            )


class BiasedCompressor(Compressor):
    """A map C on ℝ^q with E‖C(x) − x‖² ≤ (1 − a)‖x‖², 0 < a ≤ 1, that need not be right on average.

    A4 fails, so that neither Theorem 1 nor a sum of plain messages is good for it: used on differences from control
    variates that follow at full pace, C(S_i − r − V_i) vanishes with its error (EF21, Richtárik et al. 2021).
    """

    unbiased = False

    @abstractmethod
    def contraction(self, q: int) -> float:
        """The largest a that every x in ℝ^q admits."""

    def omega(self, q: int) -> float:
        raise InvalidInput(
            f"{self!r} is biased: A4 fails and it has no ω. Theorems on unbiased compression do not cover it; its "
            f"contraction is a = {self.contraction(q):.4g}."
        )
