"""Named randomness: every draw is a function of (seed, purpose, client, round), never of the order of the run.

The generator is Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): a block cipher
whose key is the seed and whose counter is the name of the draw, (block, client, round, purpose). It is vectorised
over clients, so that one call draws for all of them; whether a client is asked changes nothing for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, unique
from functools import cache, lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np

from fedmm_edu.arrays import Array, Indices, Mask, Words
from fedmm_edu.errors import InvalidInput

_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_WEYL = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10
WORTH_COMPILING, WORTH_LOADING = 2**14, 2**24
"""Where Numba is installed (extra `fast`), compiled loops give the same bits, sooner. Loading them takes a second: that
is done for so many numbers at once, or when so many have been asked for in all; then they are there for everything."""

ROUNDS, SMALL, HELD = 64, 2**10, 2**14
"""Where a round draws up to `SMALL` numbers, those of `ROUNDS` rounds are drawn at a time, `HELD` numbers at most:
NumPy's calls cost more than they."""


@unique
class Purpose(IntEnum):
    """What a draw is for; part of its name, so that two purposes never share randomness."""

    PARTICIPATION = 0
    ORACLE = 1
    COMPRESSION = 2
    DATA = 3
    TARGET = 4
    SERVER = 5
    LATENT = 6
    COIN = 7
    NOISE = 8


def philox(counter: Sequence[Words], key: tuple[int, int]) -> list[Words]:
    """Philox4x32-10 of four counter words (arrays that broadcast, entries < 2³²): four words, same shape."""
    x0, x1, x2, x3 = counter  # after four rounds each word has met all the others, and has the common shape
    k0, k1 = key
    for _ in range(_ROUNDS):
        product0, product1 = _MULTIPLIERS[0] * x0, _MULTIPLIERS[1] * x2
        x0, x1, x2, x3 = (
            (product1 >> _SHIFT) ^ x1 ^ np.uint64(k0),
            product1 & _LOW,
            (product0 >> _SHIFT) ^ x3 ^ np.uint64(k1),
            product0 & _LOW,
        )
        k0, k1 = (k0 + _WEYL[0]) & 0xFFFFFFFF, (k1 + _WEYL[1]) & 0xFFFFFFFF
    return [x0, x1, x2, x3]


def uniforms(
    seed: int, purpose: Purpose, clients: Sequence[int] | Indices, round: int, size: int, turn: int = 0, below: int = 0
) -> Array:
    """Uniform draws on [0, 1) with 53 random bits: shape (len(clients), size), row i named by clients[i].

    `turn` tells apart what is drawn several times in a round for one purpose: local steps. `below` is a number above
    all clients, where one is known that is the same in all rounds: it changes no draw, and saves time where few draw.

    Row i does not depend on which other clients are asked, and its first k entries do not depend on `size`.

    >>> a = uniforms(0, Purpose.ORACLE, [3, 5], 1, 4)
    >>> bool((uniforms(0, Purpose.ORACLE, [5], 1, 2) == a[1:, :2]).all())
    True
    """
    if not 0 <= seed < 2**64:
        raise InvalidInput(f"seed = {seed}: choose an integer in [0, 2**64).")
    if not 0 <= round < 2**32:
        raise InvalidInput(f"round = {round}: a run has fewer than 2**32 rounds.")
    if not 0 <= turn < 2**24:
        raise InvalidInput(f"turn = {turn}: a round has fewer than 2**24 local steps.")
    who = np.asarray(clients, dtype=np.int64)
    if (fast := compiled_for(who.size * size)) is not None:
        return fast.uniforms(size, *philox_words(seed, round, purpose, turn), who.astype(np.uint64))
    if who.size * size <= SMALL:
        first = below or 1 << max(who.tolist(), default=0).bit_length()  # else a power of 2, the same for most rounds
        if first * size <= SMALL:
            at_once = min(ROUNDS, HELD // (first * size))
            return _of_rounds(seed, purpose, turn, round // at_once, at_once, first, size)[round % at_once].take(who, 0)
    return _named(seed, purpose, turn, np.array([round], dtype=np.uint64), who.astype(np.uint64), size)[0]


@lru_cache(maxsize=64)
def _of_rounds(seed: int, purpose: Purpose, turn: int, span: int, at_once: int, first: int, size: int) -> Array:
    """The draws of the clients 0, …, first − 1 in `at_once` rounds, from round span·`at_once` on."""
    rounds = np.arange(span * at_once, (span + 1) * at_once, dtype=np.uint64)
    drawn = _named(seed, purpose, turn, rounds, np.arange(first, dtype=np.uint64), size)
    drawn.setflags(write=False)
    return drawn


def _named(seed: int, purpose: Purpose, turn: int, rounds: Words, who: Words, size: int) -> Array:
    """The draws of some clients in some rounds: shape (rounds, clients, size)."""
    block = np.arange((size + 1) // 2, dtype=np.uint64)
    tag = np.full((1, 1, 1), int(purpose) + (turn << 8), np.uint64)
    name = (block[None, None], who[None, :, None], rounds[:, None, None], tag)
    w0, w1, w2, w3 = philox(name, (seed & 0xFFFFFFFF, seed >> 32))
    out = np.empty((len(rounds), len(who), len(block), 2))
    out[..., 0] = _to_unit(w0, w1)
    out[..., 1] = _to_unit(w2, w3)
    return out.reshape(len(rounds), len(who), 2 * len(block))[..., :size]


def philox_words(seed: int, round: int, purpose: Purpose, turn: int = 0) -> tuple[np.uint64, ...]:
    """The two words of the key, the round, and the purpose with its turn, as the compiled loops take them."""
    word = np.uint64
    return word(seed & 0xFFFFFFFF), word(seed >> 32), word(round), word(int(purpose) + (turn << 8))


_asked = 0
"""For how many numbers loops were asked for without any that are compiled; `WORTH_LOADING` where they are used."""


def compiled_for(size: int) -> ModuleType | None:
    """The compiled loops, when `size` numbers more repay them and Numba is installed."""
    global _asked
    if _asked + size < WORTH_LOADING and size < WORTH_COMPILING:
        _asked += size
        return None
    _asked = WORTH_LOADING
    return _compiled()


@cache
def _compiled() -> ModuleType | None:
    try:
        from fedmm_edu.federation import compiled
    except ImportError:
        return None
    return compiled


def _to_unit(high: Words, low: Words) -> Array:
    return ((high << np.uint64(21)) | (low >> np.uint64(11))).astype(np.float64) * 2.0**-53


class Draws(NamedTuple):
    """The randomness of one round for some clients: `draws(purpose, size)` has shape (len(clients), size).

    `clients` is where they stand in the data at hand, `names` what they are called: the same, but on a node that holds
    some clients of many. `turn` counts the local steps of a round. `below` is above all names, where that is known.
    """

    seed: int
    round: int
    clients: Indices
    names: Indices | None = None
    turn: int = 0
    below: int = 0

    @property
    def named(self) -> Indices:
        """What the clients are called."""
        return self.clients if self.names is None else self.names

    def __call__(self, purpose: Purpose, size: int) -> Array:
        return uniforms(self.seed, purpose, self.named, self.round, size, self.turn, self.below)

    def only(self, positions: Indices | Mask | slice) -> Draws:
        """The draws of the clients at these positions."""
        names = None if self.names is None else self.names[positions]
        return Draws(self.seed, self.round, self.clients[positions], names, self.turn, self.below)

    def in_turn(self, turn: int) -> Draws:
        """The draws of these clients in local step `turn`: those of step 0 are the round's own."""
        return Draws(self.seed, self.round, self.clients, self.names, turn, self.below)

    def coin(self) -> float:
        """A uniform draw that the server and all clients share in this round."""
        return float(uniforms(self.seed, Purpose.COIN, [0], self.round, 1)[0, 0])
