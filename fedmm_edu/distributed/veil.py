"""A node's half of a secure sum: its keys, its masks, and what it tells of them, once, to open one sum.

The protocol is that of Bonawitz et al. 2017, whose rounds are the steps KEYS, SHARES, TERMS, AGREE, OPEN. A term
carries a mask for each other node, which cancels in the sum, and one of the node's own. To open the sum, a node gives
its shares of the own masks of nodes that are in it, and of the keys of nodes that are not: of no node both.

Where nodes have identities they take no keys that their node has not signed, and open no sum of which not enough of
those in it have signed that these are the terms (AGREE, which else is left out).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from fedmm_edu.arrays import Indices, Words
from fedmm_edu.distributed.codec import pack, types_of, unpack
from fedmm_edu.distributed.identities import Identities
from fedmm_edu.distributed.masks import (
    mask_between,
    mask_of,
    new_keys,
    new_seed,
    sealed,
    shares_of,
    unsealed,
)
from fedmm_edu.distributed.messages import Ask, SumStep
from fedmm_edu.errors import InvalidInput

NOBODY, NO_BLOBS = np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.uint8)


def rows_of(blobs: list[bytes]) -> np.ndarray:
    """Blobs as the rows of one array, each filled with zeros to the length of the longest."""
    longest = max(map(len, blobs), default=0)
    padded = b"".join(blob.ljust(longest, b"\0") for blob in blobs)
    return np.frombuffer(padded, np.uint8).reshape(len(blobs), longest)


@dataclass(frozen=True, eq=False)
class Veil:
    """What a node keeps of one secure sum; nothing of it is used for another.

    asked, said: the digest of the last ask, and the answer. sealing, masking: private keys; public: the public ones;
    seed: of its own mask. nodes, keys: who takes part, and their public keys, shape (m, bytes).
    """

    session: bytes
    t: int
    tag: bytes
    step: int
    sealing: bytes
    masking: bytes
    public: bytes
    seed: bytes
    asked: bytes = b""
    said: bytes = b""
    nodes: Indices = field(default_factory=lambda: NOBODY)
    keys: np.ndarray = field(default_factory=lambda: NO_BLOBS)

    @staticmethod
    def begun(ask: Ask) -> Veil:
        """New keys and a new seed for the sum that `ask` begins."""
        (sealing, first), (masking, second) = new_keys(), new_keys()
        return Veil(ask.session, ask.t, ask.tag, ask.step, sealing, masking, first + second, new_seed())

    @staticmethod
    def read(raw: bytes) -> Veil | None:
        """What `to_bytes` wrote; None for anything else."""
        try:
            return Veil(**unpack(raw, "Veil", types_of(Veil)))
        except InvalidInput:
            return None

    def to_bytes(self) -> bytes:
        """For the node's file, which is authenticated as a whole."""
        return pack("Veil", vars(self))

    def after(self, raw: bytes, said: bytes) -> Veil:
        """Having answered `raw` with `said`."""
        return replace(self, asked=hashlib.sha256(raw).digest(), said=said)

    def repeated(self, ask: Ask, raw: bytes, steps: Sequence[int]) -> bytes | None:
        """The answer that was given to these very bytes, None to the next of the steps; `InvalidInput` for any other
        ask: a second answer to one step could open what is masked."""
        if (self.tag, self.step) == (ask.tag, ask.step) and self.asked == hashlib.sha256(raw).digest():
            return self.said
        if self.tag != ask.tag or ask.step not in steps or self.step not in steps[: steps.index(ask.step)][-1:]:
            raise InvalidInput(f"step {ask.step} of a secure sum does not follow what this node has answered.")
        return None

    def shared(self, k: int, ask: Ask, threshold: int, known: Identities) -> tuple[Veil, np.ndarray]:
        """SHARES: this node's secrets in shares, one for each of the nodes, sealed."""
        _named(k, ask.nodes, threshold)
        keys, signatures = known.cut(ask.blobs)
        if keys.shape != (len(ask.nodes), len(self.public)) or self.public != keys[ask.nodes == k].tobytes():
            raise InvalidInput("the public keys are not those that the nodes have sent.")
        for j, key, signature in zip(ask.nodes.tolist(), keys, signatures, strict=True):
            if not known.has_signed(j, ask, SumStep.KEYS, key.tobytes(), signature.tobytes()):
                raise InvalidInput(
                    f"the keys of node {j} are not signed by it: somebody has replaced them, and no secret leaves this "
                    "node. Ask who runs the server, and compare the identities."
                )
        found = replace(self, step=int(SumStep.SHARES), nodes=ask.nodes, keys=keys)
        both = (shares_of(secret, threshold, len(ask.nodes)) for secret in (self.seed, self.masking))
        tokens = [
            sealed(self.sealing, found._public(j, 0), k, int(j), pair)
            for j, pair in zip(ask.nodes, zip(*both, strict=True), strict=True)
        ]
        return found, rows_of(tokens)

    def masked(self, k: int, ask: Ask, threshold: int, term: Words, width: int) -> tuple[Veil, Words]:
        """TERMS: the term under the masks of those who have shared their secrets."""
        _named(k, ask.nodes, threshold)
        if not np.isin(ask.nodes, self.nodes).all():
            raise InvalidInput("somebody takes part who has sent no keys.")
        total = term + mask_of(self.seed, len(term), width)
        for j in ask.nodes[ask.nodes != k]:
            mask = mask_between(self.masking, self._public(j, 1), len(term), width)
            total = total + mask if j > k else total - mask
        keys = self.keys[np.isin(self.nodes, ask.nodes)]
        found = replace(self, step=int(SumStep.TERMS), nodes=ask.nodes, keys=keys)
        return found, total & np.uint64((1 << width) - 1)

    def agreed(self, k: int, ask: Ask, threshold: int, known: Identities) -> tuple[Veil, np.ndarray]:
        """AGREE: nothing yet; what is to be opened is named, for this node to sign."""
        _named(k, ask.nodes, threshold)
        if not np.isin(ask.nodes, self.nodes).all():
            raise InvalidInput("the sum to be opened is not of those who took part.")
        return replace(self, step=int(SumStep.AGREE)), np.zeros((1, 0), np.uint8)

    def opened(self, k: int, ask: Ask, threshold: int, known: Identities) -> tuple[Veil, np.ndarray]:
        """OPEN: of each node one share, of its seed where it is in the sum, else of its key for masks."""
        _named(k, ask.nodes, threshold)
        if not np.isin(ask.nodes, self.nodes).all() or len(ask.blobs) != len(self.nodes):
            raise InvalidInput("the sum to be opened is not of those who took part.")
        shares, (tokens, signatures) = [], known.cut(ask.blobs)
        said = dict(zip(self.nodes.tolist(), (row.tobytes() for row in signatures), strict=True))
        names = ask.nodes.tobytes()
        agreed = [j for j in ask.nodes.tolist() if known.has_signed(j, ask, SumStep.AGREE, names, said[j])]
        if k not in agreed or len(agreed) < threshold:
            raise InvalidInput(
                f"{len(agreed)} nodes have signed that these are the terms of the sum, and {threshold} must, this one "
                "among them: others were told something else, and it stays shut."
            )
        for j, token in zip(self.nodes, tokens, strict=True):
            of_seed, of_key = unsealed(self.sealing, self._public(j, 0), int(j), k, token.tobytes())
            shares.append(of_seed if j in ask.nodes else of_key)
        return replace(self, step=int(SumStep.OPEN)), rows_of(shares)

    def _public(self, j: int, which: int) -> bytes:
        both = self.keys[self.nodes == j].tobytes()
        half = len(both) // 2
        return both[half:] if which else both[:half]


def _named(k: int, nodes: Indices, threshold: int) -> None:
    """`InvalidInput` unless the nodes are in order, this one among them, and enough to hide each other."""
    if (np.diff(nodes) <= 0).any() or k not in nodes or len(nodes) < threshold:
        raise InvalidInput(f"{len(nodes)} nodes are named for a secure sum, node {k} or enough others not among them.")
