"""One strict container for messages, node states and checkpoints: named numbers, texts and arrays, with a checksum.

Layout: 4 bytes of magic, the SHA-256 of all that follows, the length of the header (4 bytes, little endian), the header
(JSON), the arrays one after the other, little endian. Reading allocates no more than was received, executes nothing,
and refuses what is damaged, of another kind, or has a field too many or too few.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import numpy as np

from fedmm_edu.errors import InvalidInput

MAGIC = b"FMM1"
_HEAD = len(MAGIC) + 32 + 4
_ARRAYS = {"f8": "<f8", "i8": "<i8", "u1": "|u1"}
_PLAIN = {"int": int, "str": str}
Value = int | str | np.ndarray


def pack(kind: str, fields: Mapping[str, Value]) -> bytes:
    """`fields` as bytes. Arrays are float64, int64 or uint8 of any shape."""
    plain = {name: value for name, value in fields.items() if not isinstance(value, np.ndarray)}
    arrays = {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
    shapes = [[name, f"{a.dtype.kind}{a.dtype.itemsize}", list(a.shape)] for name, a in arrays.items()]
    header = json.dumps({"kind": kind, "plain": plain, "arrays": shapes}).encode()
    parts = [arrays[name].astype(_ARRAYS[code], copy=False).tobytes() for name, code, _ in shapes]
    body = b"".join([len(header).to_bytes(4, "little"), header, *parts])
    return MAGIC + hashlib.sha256(body).digest() + body


def unpack(raw: bytes, kind: str, fields: Mapping[str, str]) -> dict:
    """What `pack` wrote. `fields`: name → "int", "str", or an array's type and dimension such as "f8:2".

    `InvalidInput` says what is wrong with anything else. Arrays are read-only.
    """
    body = _checked(raw)
    length = int.from_bytes(body[:4], "little")
    try:
        header = json.loads(body[4 : 4 + length])
        found, plain, shapes = header["kind"], dict(header["plain"]), [tuple(row) for row in header["arrays"]]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"the header cannot be read ({error}): send what `pack` writes.") from error
    if found != kind:
        raise InvalidInput(f"it is a {found!r}, expected a {kind!r}: ask the right side.")
    if set(plain) | {row[0] for row in shapes} != set(fields) or len(plain) + len(shapes) != len(fields):
        raise InvalidInput(f"it has other fields than {sorted(fields)}: use the same version on both sides.")
    for name, value in plain.items():
        if type(value) is not _PLAIN.get(fields[name]):
            raise InvalidInput(f"{name} = {value!r} is no {fields[name]}: use the same version on both sides.")
    return plain | _arrays(body, 4 + length, shapes, fields)


def _checked(raw: bytes) -> bytes:
    """The body of a container whose checksum is right."""
    if len(raw) < _HEAD or raw[: len(MAGIC)] != MAGIC:
        raise InvalidInput(f"{len(raw)} bytes that do not begin as a message does: use the same version on both sides.")
    body = raw[len(MAGIC) + 32 :]
    if hashlib.sha256(body).digest() != raw[len(MAGIC) : len(MAGIC) + 32]:
        raise InvalidInput("the checksum is wrong: the message was damaged on its way.")
    return body


def _arrays(body: bytes, start: int, shapes: list[tuple], fields: Mapping[str, str]) -> dict[str, np.ndarray]:
    out = {}
    for name, code, shape in shapes:
        if fields[name] != f"{code}:{len(shape)}" or not all(type(k) is int and k >= 0 for k in shape):
            raise InvalidInput(f"{name} is an array {code} of shape {shape}, expected {fields[name]}.")
        count = int(np.prod(shape, dtype=object))
        size = count * int(code[1:])
        if start + size > len(body):
            raise InvalidInput(f"{name} of shape {shape} is cut short: send it whole.")
        out[name] = np.frombuffer(body, _ARRAYS[code], count, start).reshape(shape)
        start += size
    if start != len(body):
        raise InvalidInput(f"{len(body) - start} bytes too many: send the named fields alone.")
    return out
