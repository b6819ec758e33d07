"""What a compressed row costs on the wire, in fact: the bytes of a `Compressor`'s output, and back, bit for bit.

`Compressor.bits(q)` says what a row costs; `encode` writes exactly this many bits a row, and less than 8 more to fill
the last byte of each of the two parts, floats and codes. A row is decoded to the very floats that were encoded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import BlockQuantization, Compressor, Identity, RandK, UniformQuantization

Codes = NDArray[np.uint64]


class Wire(ABC):
    """How the rows of one compressor travel: as floats, shape (m, floats), and codes of `width` bits, shape (m, codes).

    Methods take q, the length of a row.
    """

    @abstractmethod
    def shape(self, q: int) -> tuple[int, int, int]:
        """Floats a row, codes a row, bits a code."""

    @abstractmethod
    def split(self, x: Array, sent: Array) -> tuple[Array, Codes]:
        """Floats and codes of the rows `sent`, which were compressed from the rows x."""

    @abstractmethod
    def join(self, floats: Array, codes: Codes, q: int) -> Array:
        """The rows `sent`; `InvalidInput` for floats or codes that no row has."""

    def encode(self, x: Array, sent: Array) -> bytes:
        """The bytes of all rows."""
        floats, codes = self.split(x, sent)
        _, _, width = self.shape(x.shape[1])
        if not np.array_equal(self.join(floats, codes, x.shape[1]), sent):
            raise InvalidInput("a compressed row is none that its compressor makes: it cannot be sent in its format.")
        return floats.astype("<f8").tobytes() + pack_bits(codes.ravel(), width)

    def decode(self, raw: bytes, m: int, q: int) -> Array:
        """The m rows, shape (m, q); `InvalidInput` for bytes that `encode` does not write."""
        floats, codes, width = self.shape(q)
        cut, whole = 8 * m * floats, self.size(m, q)
        if len(raw) != whole:
            raise InvalidInput(f"{len(raw)} bytes for {m} rows of length {q}, expected {whole}: use one plan.")
        numbers = np.frombuffer(raw, "<f8", m * floats).reshape(m, floats)
        if not np.isfinite(numbers).all():
            raise InvalidInput(f"the rows hold {numbers[~np.isfinite(numbers)][0]}: entries must be finite.")
        return self.join(numbers, unpack_bits(raw[cut:], m * codes, width).reshape(m, codes), q)

    def size(self, m: int, q: int) -> int:
        """The number of bytes of m rows of length q."""
        floats, codes, width = self.shape(q)
        return 8 * m * floats + (m * codes * width + 7) // 8


@dataclass(frozen=True)
class Plain(Wire):
    """Identity: q floats."""

    def shape(self, q: int) -> tuple[int, int, int]:
        return q, 0, 1

    def split(self, x: Array, sent: Array) -> tuple[Array, Codes]:
        return sent, np.empty((len(sent), 0), np.uint64)

    def join(self, floats: Array, codes: Codes, q: int) -> Array:
        return floats


@dataclass(frozen=True)
class Levels(Wire):
    """UniformQuantization(b): the scale m/L, and a sign with b − 1 bits of magnitude for each coordinate."""

    b: int

    def shape(self, q: int) -> tuple[int, int, int]:
        return 1, q, self.b

    def split(self, x: Array, sent: Array) -> tuple[Array, Codes]:
        scale = np.abs(x).max(axis=1, keepdims=True) / (2 ** (self.b - 1) - 1)
        magnitude = np.rint(np.abs(sent) / np.where(scale > 0, scale, 1.0)).astype(np.uint64)
        return scale, magnitude | np.signbit(sent).astype(np.uint64) << np.uint64(self.b - 1)

    def join(self, floats: Array, codes: Codes, q: int) -> Array:
        if (floats < 0).any():
            raise InvalidInput(f"a row has the scale {floats.min()}: scales must be >= 0.")
        top = np.uint64(1 << (self.b - 1))
        magnitude = (codes & (top - np.uint64(1))).astype(np.float64) * floats
        return np.where(codes & top, -magnitude, magnitude)  # a negative zero stays one


@dataclass(frozen=True)
class Kept(Wire):
    """RandK(k): k values, and the place of each."""

    k: int

    def shape(self, q: int) -> tuple[int, int, int]:
        return self.k, self.k, max((q - 1).bit_length(), 0)

    def split(self, x: Array, sent: Array) -> tuple[Array, Codes]:
        places = np.sort(np.argsort(sent == 0.0, axis=1, kind="stable")[:, : self.k], axis=1)  # the others are zero
        return np.take_along_axis(sent, places, axis=1), places.astype(np.uint64)

    def join(self, floats: Array, codes: Codes, q: int) -> Array:
        places = codes.astype(np.int64)
        if (places >= q).any() or (np.diff(places, axis=1) <= 0).any():
            raise InvalidInput("the places of a row are not ascending below q: send each once.")
        out = np.zeros((len(floats), q))
        np.put_along_axis(out, places, floats, axis=1)
        return out


@dataclass(frozen=True)
class Blocks(Wire):
    """BlockQuantization: the norm of each block, and 0, + or − for each coordinate."""

    compressor: BlockQuantization

    def shape(self, q: int) -> tuple[int, int, int]:
        return -(-q // self.compressor.block), q, 2

    def split(self, x: Array, sent: Array) -> tuple[Array, Codes]:
        starts = range(0, x.shape[1], self.compressor.block)
        parts = [x[:, start : start + self.compressor.block] for start in starts]
        norms = [np.linalg.norm(part, ord=self.compressor.p, axis=1) for part in parts]
        return np.stack(norms, axis=1), (sent > 0).astype(np.uint64) + np.uint64(2) * (sent < 0).astype(np.uint64)

    def join(self, floats: Array, codes: Codes, q: int) -> Array:
        if (floats < 0).any() or (codes > 2).any():
            raise InvalidInput("a block has a negative norm, or a coordinate that is none of 0, +, −.")
        signs = np.array([0.0, 1.0, -1.0])[codes.astype(np.int64)]
        return np.where(signs != 0.0, signs * np.repeat(floats, self.compressor.block, axis=1)[:, :q], 0.0)


def wire_of(compressor: Compressor) -> Wire:
    """The format in which the rows of `compressor` travel."""
    match compressor:
        case Identity():
            return Plain()
        case UniformQuantization(b):
            return Levels(b)
        case RandK(k):
            return Kept(k)
        case BlockQuantization():
            return Blocks(compressor)
    raise InvalidInput(
        f"no wire format is known for {compressor!r}: use Identity, UniformQuantization, RandK or BlockQuantization."
    )


def pack_bits(codes: Codes, width: int) -> bytes:
    """`width` bits of each code, lowest first, one after the other; the last byte is filled with zeros."""
    if width in (8, 16, 32):
        return codes.astype(f"<u{width // 8}").tobytes()
    bits = (codes[:, None] >> np.arange(width, dtype=np.uint64)) & np.uint64(1)
    return np.packbits(bits.astype(np.uint8).ravel(), bitorder="little").tobytes()


def unpack_bits(raw: bytes, count: int, width: int) -> Codes:
    """The `count` codes that `pack_bits` wrote."""
    if width in (8, 16, 32):
        return np.frombuffer(raw, f"<u{width // 8}", count).astype(np.uint64)
    bits = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")
    if bits[count * width :].any():
        raise InvalidInput("the last byte is not filled with zeros: send what `encode` writes.")
    powers = np.uint64(1) << np.arange(width, dtype=np.uint64)
    return (bits[: count * width].reshape(count, width).astype(np.uint64) * powers).sum(axis=1, dtype=np.uint64)
