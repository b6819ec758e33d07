"""A digest of settings, by which a saved run knows whether it is resumed with its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from types import CodeType, FunctionType

import numpy as np

from fedmm_edu.errors import InvalidInput


def fingerprint(value: object) -> str:
    """A digest of settings: of the type and content of dataclasses, objects, arrays and plain values, at any depth.

    A field of a dataclass that is declared with `compare=False` says nothing of the content, and is left out.
    """
    digest = hashlib.sha256()
    for piece in _pieces(value):
        digest.update(len(piece).to_bytes(8, "big") + piece)
    return digest.hexdigest()


def _pieces(value: object) -> Iterator[bytes]:
    kind = type(value)
    yield f"{kind.__module__}.{kind.__qualname__}".encode()
    if isinstance(value, np.ndarray):
        yield f"{value.dtype.str}{value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, dict):
        yield from _pieces(sorted(value.items(), key=lambda item: repr(item[0])))
    elif isinstance(value, (set, frozenset)):
        yield from _pieces(sorted(value, key=repr))
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _pieces(item)
    elif isinstance(value, CodeType):
        yield value.co_code
        yield from _pieces((value.co_names, value.co_consts))
    elif isinstance(value, FunctionType):
        cells = tuple(cell.cell_contents for cell in value.__closure__ or ())
        yield from _pieces((value.__code__, value.__defaults__, cells))
    elif is_dataclass(value):
        yield from _pieces({f.name: getattr(value, f.name) for f in fields(value) if f.compare})
    elif hasattr(value, "__dict__") and not isinstance(value, Enum):
        yield from _pieces(vars(value))
    else:
        text = repr(value)
        if " at 0x" in text:  # an address says nothing about the content, and differs in the next process
            raise InvalidInput(
                f"a checkpoint cannot tell what {text} holds: give it attributes, or a repr of its content."
            )
        yield text.encode()
