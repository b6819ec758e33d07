"""What a node keeps between messages, and where: its V_i, and its last reply, in one file."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.distributed.codec import MAGIC, pack, unpack
from fedmm_edu.distributed.messages import Reply, Request, from_bytes
from fedmm_edu.errors import InvalidInput
from fedmm_edu.faces import Faces
from fedmm_edu.files import write_bytes


class Store(Faces):
    """Where a node keeps its state between messages."""

    @abstractmethod
    def read(self) -> bytes | None:
        """What was written last, or None."""

    @abstractmethod
    def write(self, content: bytes) -> None:
        """Keep `content`, all of it or (when interrupted) none."""


class InMemory(Store):
    """A store that lives as long as its process."""

    def __init__(self) -> None:
        self.content: bytes | None = None

    def read(self) -> bytes | None:
        return self.content

    def write(self, content: bytes) -> None:
        self.content = content


@dataclass(frozen=True)
class File(Store):
    """A file that is replaced as a whole, and its owner's alone. What a power failure tears, the checksum finds."""

    path: Path

    def read(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    def write(self, content: bytes) -> None:
        """Keep it; `InvalidInput` where a file of somebody else's lies, which stays as it is."""
        before = (self.read() or b"")[: len(MAGIC)]
        if before.strip(b"\0") and before != MAGIC:
            raise InvalidInput(f"{self.path} is no state of a node: choose another folder, or move it away.")
        write_bytes(self.path, content, private=True)


@dataclass(frozen=True, eq=False)
class NodeState:
    """V, memory: V_i and what the node's clients remember as of the history `base`, shapes (m, dim) and (m, k).

    The last reply, sent in answer to `request`, with its clients' places among the node's, their p, and what they will
    remember once it is accepted; `reply` is empty where there is none. In a secure sum, `terms` are the rows that the
    reply masks, and `veil` is what the node keeps of the sum that is being made.
    """

    base: bytes
    V: Array
    memory: Array
    request: bytes = b""
    reply: bytes = b""
    places: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    p: Array = field(default_factory=lambda: np.zeros(0))
    pending: Array = field(default_factory=lambda: np.zeros((0, 0)))
    terms: bytes = b""
    veil: bytes = b""

    _types: ClassVar[dict[str, str]] = {
        "key": "str", "base": "u1:1", "V": "f8:2", "memory": "f8:2", "request": "u1:1", "reply": "u1:1",
        "places": "i8:1", "p": "f8:1", "pending": "f8:2", "terms": "u1:1", "veil": "u1:1",
    }  # fmt: skip

    def to_bytes(self, key: str, secret: bytes = b"") -> bytes:
        """The state as a node of the run `key` keeps it."""
        return pack("NodeState", {"key": key} | vars(self), secret)

    @staticmethod
    def read(raw: bytes | None, key: str, first: NodeState, secret: bytes = b"") -> NodeState | None:
        """The state that was kept; None where there is none, or a damaged one, or one of another run than `first`, or
        of another secret."""
        try:
            found = unpack(raw or b"", "NodeState", NodeState._types, secret)
            if found.pop("key") != key or any(
                found[name].shape != getattr(first, name).shape for name in ("V", "memory")
            ):
                return None
            state = NodeState(**found)
            if state.request:
                from_bytes(state.request, Request, secret=secret)
                from_bytes(state.reply, Reply, secret=secret)
        except InvalidInput:
            return None
        fits = state.places.shape == state.p.shape and ((state.places >= 0) & (state.places < len(first.V))).all()
        fits = fits and (
            not state.reply or state.pending.shape in ((len(state.p), first.memory.shape[1]), first.memory.shape)
        )
        finite = np.isfinite(state.V).all() and np.isfinite(state.memory).all() and (state.p > 0).all()
        return state if fits and finite else None
