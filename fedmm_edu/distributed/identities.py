"""Who a node is, by signatures that nobody else can make: keys that all who take part know before, from each other.

In a secure sum the server hands each node the public keys of the others. One that hands out keys of its own making
could take the masks off. Where the plan names the identities of its nodes, each signs its keys, and then whose terms
are to be opened, and no node goes on with what is not signed (the variant of Bonawitz et al. 2017 against a server that
does not follow the protocol). The keys are those by which a superlink knows nodes (`ssh-keygen -t ecdsa -b 384`); the
signatures, ECDSA with SHA-256, are Flower's, by the package `cryptography`. Needs the extra `distributed`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from fedmm_edu.distributed.codec import pack, printable
from fedmm_edu.distributed.messages import Ask, SumPart
from fedmm_edu.errors import InvalidInput, needs

with needs("distributed", "identities of nodes"), warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # two packages under Flower deprecate each other
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        PublicFormat,
        load_ssh_private_key,
        load_ssh_public_key,
    )
    from flwr.supercore.primitives.asymmetric import sign_message, verify_signature

NUMBER = 48
"""Bytes of each of the two numbers that are a signature."""
MAKE = "make keys with: ssh-keygen -t ecdsa -b 384"


def read_identities(path: str | Path) -> tuple[str, ...]:
    """The public keys of nodes 0, 1, …, one a line, from the files that `ssh-keygen` writes beside private keys.

    `InvalidInput` for a file that cannot be read, or a line that is no such key.
    """
    try:
        lines = Path(path).read_text(encoding="ascii").splitlines()
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"the public keys {path} cannot be read ({error}): one line each, of node 0, 1, …."
        ) from error
    return tuple(_written(_public(line)) for line in lines if line.strip())


@dataclass(frozen=True)
class Identities:
    """The public keys of the nodes of the plan `key`; where it names none, nothing is signed and nothing is asked."""

    key: str
    publics: tuple[str, ...]

    @property
    def width(self) -> int:
        """Bytes of a signature."""
        return 2 * NUMBER if self.publics else 0

    def require_private(self, k: int, private: bytes) -> None:
        """`InvalidInput` unless `private` is the key of node k, or there are no identities and no key."""
        if not self.publics and private:
            raise InvalidInput(f"node {k} has an identity, and the plan names none: name all of them, or give none.")
        if self.publics and not private:
            raise InvalidInput(f"the plan names the identities of nodes: give node {k} its private key.")
        if self.publics and _written(_private(private).public_key()) != self.publics[k]:
            raise InvalidInput(
                f"the private key of node {k} is not that of its identity in the plan: give the right one."
            )

    def signed(self, private: bytes, k: int, ask: Ask, what: bytes) -> bytes:
        """The signature of node k under `what`, in this step of a secure sum; nothing without identities."""
        if not self.publics:
            return b""
        r, s = decode_dss_signature(sign_message(_private(private), self._said(k, ask, ask.step, what)))
        return r.to_bytes(NUMBER, "big") + s.to_bytes(NUMBER, "big")

    def has_signed(self, k: int, ask: Ask | SumPart, step: int, what: bytes, signature: bytes) -> bool:
        """Whether this is what node k has `signed` in that step; true without identities."""
        if not self.publics:
            return True
        if not 0 <= k < len(self.publics):
            return False
        r, s = (int.from_bytes(half, "big") for half in (signature[:NUMBER], signature[NUMBER:]))
        public = _public(self.publics[k])
        return verify_signature(public, self._said(k, ask, step, what), encode_dss_signature(r, s))

    def cut(self, blobs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows without their signatures, and the signatures."""
        at = max(blobs.shape[1] - self.width, 0)
        return blobs[:, :at], blobs[:, at:]

    def _said(self, k: int, ask: Ask | SumPart, step: int, what: bytes) -> bytes:
        """What is signed: `what`, and in which step of which sum of which round of which plan which node says it."""
        said = {"key": self.key, "node": k, "t": ask.t, "step": int(step), "tag": ask.tag, "what": what}
        return pack("Signed", said)


@lru_cache(maxsize=1024)
def _public(line: str) -> ec.EllipticCurvePublicKey:
    try:
        found = load_ssh_public_key(line.encode())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise InvalidInput(f"{printable(line, 80)!r} is no public key of a node: {MAKE}.") from error
    if not isinstance(found, ec.EllipticCurvePublicKey) or not isinstance(found.curve, ec.SECP384R1):
        raise InvalidInput(f"{printable(line, 80)!r} is a key of another kind than nodes have: {MAKE}.")
    return found


@lru_cache(maxsize=64)
def _private(raw: bytes) -> ec.EllipticCurvePrivateKey:
    try:
        found = load_ssh_private_key(raw, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise InvalidInput(f"the identity of this node is no private key, or has a password: {MAKE} -N ''.") from error
    if not isinstance(found, ec.EllipticCurvePrivateKey) or not isinstance(found.curve, ec.SECP384R1):
        raise InvalidInput(f"the identity of this node is a key of another kind: {MAKE} -N ''.")
    return found


def _written(public: ec.EllipticCurvePublicKey) -> str:
    return public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
