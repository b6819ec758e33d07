"""Codes of a few bits each as bytes, and back."""

from __future__ import annotations

import numpy as np

from fedmm_edu.arrays import Indices, Words
from fedmm_edu.errors import InvalidInput


def pack_bits(codes: Words, width: int) -> bytes:
    """`width` bits of each code, lowest first, one after the other; the last byte is filled with zeros."""
    if width in (8, 16, 32):
        return codes.astype(f"<u{width // 8}").tobytes()
    bits = (codes[:, None] >> np.arange(width, dtype=np.uint64)) & np.uint64(1)
    return np.packbits(bits.astype(np.uint8).ravel(), bitorder="little").tobytes()


def with_sign(codes: Words, width: int) -> Indices:
    """Codes of `width` < 64 bits as integers with a sign (two's complement)."""
    numbers = codes.astype(np.int64)
    return np.where(codes >> np.uint64(width - 1), numbers - (1 << width), numbers)


def unpack_bits(raw: bytes, count: int, width: int) -> Words:
    """The `count` codes that `pack_bits` wrote."""
    if width in (8, 16, 32):
        return np.frombuffer(raw, f"<u{width // 8}", count).astype(np.uint64)
    bits = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")
    if bits[count * width :].any():
        raise InvalidInput("the last byte is not filled with zeros: send what `encode` writes.")
    powers = np.uint64(1) << np.arange(width, dtype=np.uint64)
    return (bits[: count * width].reshape(count, width).astype(np.uint64) * powers).sum(axis=1, dtype=np.uint64)
