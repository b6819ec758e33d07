"""Unbiased compression Quant with variance factor ω (A4, `hyp:URVB`): E[Q(x)] = x, E‖Q(x) − x‖² ≤ ω ‖x‖².

Each operator is a pure function of the rows to compress and of uniform draws, so its law can be enumerated; each ω is
the smallest valid one, and the docstring says where it is attained. `layout` says what one row is on the wire.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array, Indices, Words
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.federation.compressor import Compressor, Draw, Layout
from fedmm_edu.federation.draws import Draws, Purpose, compiled_for, philox_words
from fedmm_edu.federation.kept import KeptCoordinates, smallest


@dataclass(frozen=True)
class Identity(Compressor):
    """No compression: ω = 0."""

    def compress(self, x: Array, draw: Draw) -> Array:
        return x

    def omega(self, q: int) -> float:
        return 0.0


@dataclass(frozen=True)
class RandK(KeptCoordinates):
    """Keep k coordinates chosen uniformly without replacement, times q/k: ω = q/k − 1, attained at every x.

    On the wire: k values, and the place of each.
    """

    by_order = True

    def compress(self, x: Array, draw: Draw) -> Array:
        q = x.shape[1]
        self._fits(q)
        return self.keep(x, smallest(draw(Purpose.COMPRESSION, q), self.k), q / self.k)

    def omega(self, q: int) -> float:
        self._fits(q)
        return q / self.k - 1.0


LEAST = math.ulp(0.0)
"""The least positive number."""


@dataclass(frozen=True)
class UniformQuantization(Compressor):
    """b bits per coordinate: a sign and a magnitude rounded at random to one of `levels` + 1 equidistant values.

    With m = maxⱼ|xⱼ| and L = 2^(b−1) − 1 levels, |xⱼ| L/m is rounded up with probability equal to its fractional part.
    Zero stays zero. On the wire: the scale m/L, and a sign with b − 1 bits of magnitude for each coordinate.

    ω = (√(1 + (q−1)/L²) − 1)/2. It is attained when one coordinate is m and every other one t m/L, where
    t = √(a² + a) − a and a = L²/(q−1): a coordinate k + t above zero in units of m/L has variance t(1 − t) and adds
    (k + t)² to ‖x‖², so k = 0 is worst, and t maximises t(1−t)/(a + t²).
    """

    b: int = 8

    def __post_init__(self) -> None:
        as_count("b", self.b, low=2, high=32)

    @property
    def levels(self) -> int:
        return 2 ** (self.b - 1) - 1

    def compress(self, x: Array, draw: Draw) -> Array:
        size, levels = np.abs(x), self.levels
        scale = np.maximum.reduce(size, axis=1, keepdims=True) / levels
        unit = np.minimum(size / np.maximum(scale, LEAST), levels)  # a row of zeros stays one
        floor = np.floor(unit)
        magnitude = floor + (draw(Purpose.COMPRESSION, x.shape[1]) < unit - floor)
        return np.sign(x) * magnitude * scale

    def messages(self, target: Array, origin: Array, variates: Array, rows: Indices, draws: Draws) -> Array:
        ours = type(self).compress is UniformQuantization.compress  # which the loop repeats
        fast = compiled_for(target.size) if ours else None
        if fast is None:
            return super().messages(target, origin, variates, rows, draws)
        name = philox_words(draws.seed, draws.round, Purpose.COMPRESSION, draws.turn)
        return fast.quantize(target, origin, variates, rows, float(self.levels), *name, draws.named.astype(np.uint64))

    def omega(self, q: int) -> float:
        return (math.sqrt(1.0 + (q - 1) / self.levels**2) - 1.0) / 2.0

    def layout(self, q: int) -> Layout:
        return Layout(1, q, self.b)

    def split(self, x: Array, sent: Array) -> tuple[Array, Words]:
        scale = np.abs(x).max(axis=1, keepdims=True) / self.levels
        magnitude = np.rint(np.abs(sent) / np.where(scale > 0, scale, 1.0)).astype(np.uint64)
        return scale, magnitude | np.signbit(sent).astype(np.uint64) << np.uint64(self.b - 1)

    def join(self, floats: Array, codes: Words, q: int) -> Array:
        if (floats < 0).any():
            raise InvalidInput(f"a row has the scale {floats.min()}: scales must be >= 0.")
        top = np.uint64(1 << (self.b - 1))
        magnitude = (codes & (top - np.uint64(1))).astype(np.float64) * floats
        return np.where(codes & top, -magnitude, magnitude)  # a negative zero stays one


@dataclass(frozen=True)
class BlockQuantization(Compressor):
    """Block-p-quantisation: in each block xⱼ becomes ±‖x_block‖_p with probability |xⱼ|/‖x_block‖_p, else 0.

    E‖Q(x) − x‖² = ‖x‖₁‖x‖_p − ‖x‖² per block of length B. Hence ω = B^(1/p) − 1 for 1 ≤ p ≤ 2 (attained at constant
    blocks) and ω = (√B − 1)/2 for p = ∞ (attained at (√B + 1, 1, …, 1)). On the wire: the norm of each block, and 0, +
    or − for each coordinate.
    """

    block: int
    p: float = 2.0

    def __post_init__(self) -> None:
        as_count("block", self.block)
        if not (1 <= self.p <= 2 or self.p == math.inf):
            raise InvalidInput(f"p = {self.p}: choose 1 <= p <= 2 or p = inf (no closed form of ω is known between).")

    def compress(self, x: Array, draw: Draw) -> Array:
        u, norms = draw(Purpose.COMPRESSION, x.shape[1]), self._norms(x)
        fast = compiled_for(x.size)
        if fast is not None:
            return fast.keep_signs(x, u, norms, self.block)
        norms = np.repeat(norms, self.block, axis=1)[:, : x.shape[1]]
        return np.where(u * norms < np.abs(x), np.copysign(norms, x), 0.0)

    def omega(self, q: int) -> float:
        size = min(self.block, q)
        return (math.sqrt(size) - 1.0) / 2.0 if self.p == math.inf else size ** (1.0 / self.p) - 1.0

    def layout(self, q: int) -> Layout:
        return Layout(-(-q // self.block), q, 2)

    def split(self, x: Array, sent: Array) -> tuple[Array, Words]:
        return self._norms(x), (sent > 0).astype(np.uint64) + np.uint64(2) * (sent < 0).astype(np.uint64)

    def join(self, floats: Array, codes: Words, q: int) -> Array:
        if (floats < 0).any() or (codes > 2).any():
            raise InvalidInput("a block has a negative norm, or a coordinate that is none of 0, +, −.")
        signs = np.array([0.0, 1.0, -1.0])[codes.astype(np.int64)]
        return np.where(signs != 0.0, signs * np.repeat(floats, self.block, axis=1)[:, :q], 0.0)

    def _norms(self, x: Array) -> Array:
        """‖·‖_p of each block of each row, shape (m, blocks); the last block may be shorter."""
        m, q = x.shape
        whole = q - q % self.block
        norms = np.linalg.norm(x[:, :whole].reshape(m, -1, self.block), ord=self.p, axis=2)
        if whole == q:
            return norms
        return np.append(norms, np.linalg.norm(x[:, whole:], ord=self.p, axis=1, keepdims=True), axis=1)


@dataclass(frozen=True)
class WithParticipation(Compressor):
    """Q̃(x) = (U/p) Q(x), U Bernoulli(p): participation as compression, with ω_p = ω + (1 + ω)(1 − p)/p (`lem:PP`).

    With every client active, this compressor turns Algorithm 2 into its full-participation form
    (`algo:FedSS-MM:fullP`), draw for draw. It stands for clients that send nothing, so it does not travel itself.
    """

    inner: Compressor
    p: float

    def __post_init__(self) -> None:
        in_interval("p", self.p, low=0.0, high=1.0, open_low=True)

    def compress(self, x: Array, draw: Draw) -> Array:
        active = draw(Purpose.PARTICIPATION, 1) < self.p
        return np.where(active, self.inner.compress(x, draw) / self.p, 0.0)

    def omega(self, q: int) -> float:
        return omega_p(self.inner.omega(q), self.p)

    def bits(self, q: int) -> int:
        return self.inner.bits(q)

    def layout(self, q: int) -> Layout:
        raise InvalidInput(
            f"{self!r} has no form on the wire: use participation=Bernoulli({self.p}) and compressor={self.inner!r}, "
            "which is the same run."
        )


@dataclass(frozen=True)
class Sometimes(Compressor):
    """The row itself with probability p, else Q of it, on one coin that server and clients share in a round (MARINA).

    It is unbiased with ω (1 − p) where Q is with ω. On the wire a row is what it is in its round.
    """

    inner: Compressor
    p: float

    def __post_init__(self) -> None:
        in_interval("p", self.p, low=0.0, high=1.0, open_low=True)

    def of_round(self, draws: Draws) -> Compressor:
        return Identity() if draws.coin() < self.p else self.inner

    def compress(self, x: Array, draw: Draw) -> Array:
        raise InvalidInput(f"{self!r} is another operator from round to round: ask `of_round` which.")

    def omega(self, q: int) -> float:
        return (1.0 - self.p) * self.inner.omega(q)

    def layout(self, q: int) -> Layout:
        raise InvalidInput(f"{self!r} sends other rows from round to round: ask `of_round` which.")

    def try_wire(self, q: int) -> None:
        Identity().try_wire(q)
        self.inner.try_wire(q)


def omega_p(omega: float, p: float) -> float:
    """ω_p = ω + (1 + ω)(1 − p)/p, the variance factor of compression and participation together (`theo:main`)."""
    in_interval("p", p, low=0.0, high=1.0, open_low=True)
    return omega + (1.0 + omega) * (1.0 - p) / p


def largest_alpha(omega_p: float) -> float:
    """1/(1 + ω_p), the largest α of Theorem 1(B); every term of its bound decreases in α."""
    return 1.0 / (1.0 + in_interval("omega_p", omega_p, low=0.0, high=math.inf))


def add_to_rows(variates: Array, rows: Indices, gains: Array, messages: Array) -> None:
    """variates[rows_i] += gains_i·messages_i in place, for different rows: what an active client does with its V_i."""
    fast = compiled_for(messages.size)
    if fast is not None:
        fast.add_to_rows(variates, rows, gains, messages)
    else:
        variates[rows] = variates.take(rows, axis=0) + gains[:, None] * messages
