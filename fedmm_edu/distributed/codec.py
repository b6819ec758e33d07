"""One strict container for messages, node states and checkpoints: named numbers, texts and arrays, authenticated.

Layout: 4 bytes of magic, the HMAC-SHA-256 of all that follows, the length of the header (4 bytes, little endian), the
header (JSON), the arrays one after the other, little endian. The key of the HMAC is the deployment's secret: who does
not have it writes nothing that is read. With the empty secret it is a checksum, which finds damage alone. Reading
allocates no more than was received, executes nothing, and refuses what is damaged, of another kind, or has a field too
many or too few, always by `InvalidInput`.
"""

from __future__ import annotations

import dataclasses
import hmac
import json
import math
from collections.abc import Mapping
from functools import cache

import numpy as np

from fedmm_edu.errors import InvalidInput

MAGIC = b"FMM1"
_HEAD = len(MAGIC) + 32 + 4
_ARRAYS = {"f8": "<f8", "i8": "<i8", "u1": "|u1"}
_PLAIN = {"int": int, "str": str}
BYTES = "u1:1"
"""The type of a field of bytes."""
_ANNOTATED = {"int": "int", "str": "str", "bytes": BYTES, "Array": "f8:1", "Indices": "i8:1", "np.ndarray": "u1:2"}
Value = int | str | bytes | np.ndarray


def pack(kind: str, fields: Mapping[str, Value], secret: bytes = b"") -> bytes:
    """`fields` as bytes. Arrays are float64, int64 or uint8 of any shape, numbers of at most 64 bits."""
    whole = {name: np.frombuffer(v, np.uint8) if isinstance(v, bytes) else v for name, v in fields.items()}
    plain = {name: value for name, value in whole.items() if not isinstance(value, np.ndarray)}
    arrays = {name: value for name, value in whole.items() if isinstance(value, np.ndarray)}
    shapes = [[name, f"{a.dtype.kind}{a.dtype.itemsize}", list(a.shape)] for name, a in arrays.items()]
    header = json.dumps({"kind": kind, "plain": plain, "arrays": shapes}).encode()
    parts = [arrays[name].astype(_ARRAYS[code], copy=False).tobytes() for name, code, _ in shapes]
    body = b"".join([len(header).to_bytes(4, "little"), header, *parts])
    return MAGIC + _tag(body, secret) + body


def unpack(raw: bytes, kind: str, fields: Mapping[str, str], secret: bytes = b"") -> dict:
    """What `pack` wrote with this secret. `fields`: name → "int", "str", or type and dimension of an array ("f8:2").

    `InvalidInput` says what is wrong with anything else. Arrays are read-only; those of the type `BYTES` are bytes.
    """
    body = _checked(raw, secret)
    length = int.from_bytes(body[:4], "little")
    try:
        header = json.loads(body[4 : 4 + length])
        found, plain = header["kind"], dict(header["plain"])
        shapes = [(name, code, tuple(shape)) for name, code, shape in header["arrays"]]
        names = [*plain, *(name for name, _, _ in shapes)]
        others = len(names) != len(fields) or set(names) != set(fields)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise InvalidInput(f"the header cannot be read ({error}): send what `pack` writes.") from error
    if found != kind:
        raise InvalidInput(f"it is a {printable(repr(found))}, expected a {kind!r}: ask the right side.")
    if others:
        raise InvalidInput(f"it has other fields than {sorted(fields)}: use the same version on both sides.")
    for name, value in plain.items():
        if type(value) is not _PLAIN.get(fields[name]) or (isinstance(value, int) and abs(value) >= 2**63):
            raise InvalidInput(f"{name} = {printable(value)} is no {fields[name]}: use the same version on both sides.")
    return plain | _arrays(body, 4 + length, shapes, fields)


@cache
def types_of(kind: type) -> dict[str, str]:
    """The types of a dataclass's fields, for `unpack`, by their annotations; `np.ndarray` stands for rows of bytes."""
    return {f.name: _ANNOTATED[str(f.type)] for f in dataclasses.fields(kind)}


def printable(value: object, most: int = 200) -> str:
    """What somebody else sent, for a message or a log: on one line, no longer than `most`, and nothing but characters
    that can be printed."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, a list of thousands of depths
        text = f"a {type(value).__name__}"
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: most + 1])
    return text if len(text) <= most else text[: most - 1] + "…"


def _tag(body: bytes, secret: bytes) -> bytes:
    return hmac.digest(secret, body, "sha256")


def _checked(raw: bytes, secret: bytes) -> bytes:
    """The body of a container that somebody wrote who has the secret."""
    if len(raw) < _HEAD or raw[: len(MAGIC)] != MAGIC:
        raise InvalidInput(f"{len(raw)} bytes that do not begin as a message does: use the same version on both sides.")
    body = raw[len(MAGIC) + 32 :]
    if not hmac.compare_digest(_tag(body, secret), raw[len(MAGIC) : len(MAGIC) + 32]):
        raise InvalidInput("the checksum is wrong: it was damaged on its way, or made with another secret.")
    return body


def _arrays(body: bytes, start: int, shapes: list[tuple], fields: Mapping[str, str]) -> dict[str, np.ndarray | bytes]:
    out = {}
    for name, code, shape in shapes:
        if fields[name] != f"{code}:{len(shape)}" or not all(type(k) is int and 0 <= k < 2**63 for k in shape):
            raise InvalidInput(f"{name} is an array {printable(code)}, {printable(shape)}: expected {fields[name]}.")
        count = math.prod(shape)
        size = count * int(code[1:])
        if start + size > len(body):
            raise InvalidInput(f"{name} of shape {printable(shape)} is cut short: send it whole.")
        try:
            found = np.frombuffer(body, _ARRAYS[code], count, start).reshape(shape)
        except ValueError as error:  # no numbers in a shape that is too large all the same
            raise InvalidInput(f"{name} cannot have the shape {printable(shape)} ({error}).") from error
        out[name] = found.tobytes() if fields[name] == BYTES else found
        start += size
    if start != len(body):
        raise InvalidInput(f"{len(body) - start} bytes too many: send the named fields alone.")
    return out
