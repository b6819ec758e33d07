"""The messages of a round. Nothing else travels between server and nodes.

Request (server → node): the run's key, the server's session, t, Ŝ_t and T(Ŝ_t) (or the one of them that the downlink
sends), V_t where the local work hears it, the node's active clients with their p, and `base`, the name of the history
of this node that the server has accepted. Reply (node → server): the compressed messages of these clients (in round 0
the sum Σ μ_i V_{0,i} of all), and the `base` they were computed from. Lost (node → server): the node's V_i belong to no
history named `base`.

A history is named by the SHA-256 of the name before it and of the reply that was accepted. Both sides therefore call
the same history by the same name, and different ones by different names, whatever was lost, repeated, restored from a
backup or computed twice.

In a secure sum a round has four exchanges, or five (Bonawitz et al. 2017): each an `Ask`, the third with the request
inside, and each answered by a `SumPart`, the third by a Reply, whose rows are one masked row of integers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

import numpy as np

from fedmm_edu.arrays import Array, Indices, as_array
from fedmm_edu.distributed.codec import pack, printable, types_of, unpack
from fedmm_edu.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Request:
    """What the server asks of a node in round t."""

    key: str
    session: bytes
    node: int
    t: int
    base: bytes
    x: Array
    theta: Array
    V: Array
    clients: Indices
    p: Array


@dataclass(frozen=True, eq=False)
class Reply:
    """What the asked clients of a node send: `rows` as the compressor encodes them, in round 0 as floats."""

    key: str
    node: int
    t: int
    base: bytes
    rows: bytes


@dataclass(frozen=True, eq=False)
class Lost:
    """The node cannot go on from `base`: its V_i are those of another history, or gone."""

    key: str
    node: int
    t: int
    base: bytes


@dataclass(frozen=True, eq=False)
class Refusal:
    """The node did not answer the request, and says why, in at most `LONGEST_TEXT` characters that can be printed."""

    key: str
    node: int
    reason: str


class SumStep(IntEnum):
    """The exchanges of a secure sum: public keys, sealed shares of secrets, masked terms, shares that open the sum.

    Where nodes have identities, they agree before they open: each signs whose terms are in the sum.
    """

    KEYS = 0
    SHARES = 1
    TERMS = 2
    AGREE = 3
    OPEN = 4


@dataclass(frozen=True, eq=False)
class Ask:
    """What the server asks of a node in one step of the secure sum `tag`.

    KEYS: nothing besides. SHARES: `nodes` have sent the public keys `blobs`. TERMS: `nodes` have shared their secrets;
    `inner` is the request. AGREE: the terms of `nodes` are in the sum. OPEN: the same; `blobs` are the shares that are
    sealed for this node, of all nodes that TERMS named, each followed by the signature that its node gave in AGREE.
    """

    key: str
    session: bytes
    node: int
    t: int
    base: bytes
    tag: bytes
    step: int
    nodes: Indices
    blobs: np.ndarray
    inner: bytes


@dataclass(frozen=True, eq=False)
class SumPart:
    """What a node gives in one step: a row of `blobs` for each of the nodes asked about, in their order.

    KEYS: its two public keys and its signature under them, as one row. SHARES: of its secrets, sealed for each. AGREE:
    its signature. OPEN: one share of each node that has shared, of the seed of those in the sum, of the private key of
    the others.
    """

    key: str
    node: int
    t: int
    tag: bytes
    step: int
    blobs: np.ndarray


Message = Request | Reply | Lost | Refusal | Ask | SumPart
ANSWERS = Reply, Lost, Refusal, SumPart
LONGEST_TEXT = 300
"""Characters of a text that somebody sends."""
Kind = TypeVar("Kind", bound=Message)


def to_bytes(message: Message, secret: bytes = b"") -> bytes:
    """The message as it travels, signed with the deployment's secret."""
    return pack(type(message).__name__, vars(message), secret)


def from_bytes(raw: bytes, *kinds: type[Kind], secret: bytes = b"") -> Kind:
    """The message, which must be one of `kinds`; `InvalidInput` says what is wrong with it."""
    problem = InvalidInput("no kind of message is expected here.")
    for kind in kinds:
        try:
            found = unpack(raw, kind.__name__, types_of(kind), secret)
        except InvalidInput as error:
            problem = error
            continue
        for name, type_ in types_of(kind).items():
            if type_ == "f8:1":
                as_array(name, found[name], shape=(None,))
            elif type_ == "str":
                found[name] = printable(found[name], LONGEST_TEXT)
        return kind(**found)
    raise problem


def history(base: bytes, reply: bytes) -> bytes:
    """The name of the history that goes on from `base` with this reply."""
    return hashlib.sha256(base + reply).digest()
