"""The primitives of a secure sum, all of them others': keys, shares and sealing as Flower ships them for its SecAgg+.

Pairs of nodes agree on keys (ECDH on P-384, HKDF), secrets are shared after Shamir, and shares are sealed with Fernet.
The masks are the pseudorandom generator of the protocol's authors, AES in counter mode (Bonawitz et al. 2017), by the
package `cryptography`, not Flower's `pseudo_rand_gen`, which keeps 28 bits of a key. Needs the extra `distributed`.
"""

from __future__ import annotations

import base64
import secrets
import warnings

import numpy as np

from fedmm_edu.arrays import Words
from fedmm_edu.errors import InvalidInput, needs

with needs("distributed", "a secure sum"), warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # two packages under Flower deprecate each other
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.fernet import InvalidToken
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from flwr.common.secure_aggregation.crypto.shamir import combine_shares, create_shares
    from flwr.common.secure_aggregation.crypto.symmetric_encryption import decrypt, encrypt, generate_shared_key
    from flwr.common.secure_aggregation.secaggplus_utils import (
        share_keys_plaintext_concat,
        share_keys_plaintext_separate,
    )
    from flwr.supercore.primitives.asymmetric import (
        bytes_to_private_key,
        bytes_to_public_key,
        generate_key_pairs,
        private_key_to_bytes,
        public_key_to_bytes,
    )

SEED = 32
"""Bytes of the seed of a node's own mask."""


def new_keys() -> tuple[bytes, bytes]:
    """A private key and its public one, from the operating system's randomness."""
    private, public = generate_key_pairs()
    return private_key_to_bytes(private), public_key_to_bytes(public)


def new_seed() -> bytes:
    """The seed of a mask."""
    return secrets.token_bytes(SEED)


def _agreed(private: bytes, public: bytes) -> bytes:
    try:
        return generate_shared_key(bytes_to_private_key(private), bytes_to_public_key(public))
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise InvalidInput("a key is none of P-384: use the same version on both sides.") from error


def mask_of(seed: bytes, q: int, width: int) -> Words:
    """q numbers of `width` bits that nobody without the seed tells from random ones."""
    stream = Cipher(algorithms.AES(seed), modes.CTR(bytes(16))).encryptor().update(bytes(8 * q))
    return np.frombuffer(stream, "<u8") & np.uint64((1 << width) - 1)


def mask_between(private: bytes, public: bytes, q: int, width: int) -> Words:
    """The mask of a pair: the same from either side."""
    return mask_of(base64.urlsafe_b64decode(_agreed(private, public)), q, width)


def shares_of(secret: bytes, threshold: int, count: int) -> list[bytes]:
    """`count` shares, any `threshold` of which are the secret, and fewer say nothing of it."""
    return create_shares(secret, threshold, count)


def secret_of(shares: list[bytes]) -> bytes:
    """The secret; `InvalidInput` where the shares are not of one."""
    try:
        return combine_shares(shares)
    except (ValueError, IndexError, ArithmeticError) as error:
        raise InvalidInput("shares that do not belong together: the sum is not opened.") from error


def sealed(private: bytes, public: bytes, source: int, target: int, shares: tuple[bytes, bytes]) -> bytes:
    """Shares of a seed and of a private key that node `source` has made for node `target`, for its eyes alone."""
    return encrypt(_agreed(private, public), share_keys_plaintext_concat(source, target, *shares))


def unsealed(private: bytes, public: bytes, source: int, target: int, token: bytes) -> tuple[bytes, bytes]:
    """What `sealed` has sealed; `InvalidInput` for anything else."""
    try:
        plain = decrypt(_agreed(private, public), token)
    except (InvalidToken, ValueError) as error:
        raise InvalidInput(f"the shares of node {source} cannot be opened: they are another's.") from error
    found = share_keys_plaintext_separate(plain)
    if found[:2] != (source, target):
        raise InvalidInput(f"the shares are of node {found[0]} for node {found[1]}, not of {source} for {target}.")
    return found[2], found[3]
