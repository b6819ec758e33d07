"""Unbiased compression Quant with variance factor ω (A4, `hyp:URVB`): E[Q(x)] = x, E‖Q(x) − x‖² ≤ ω ‖x‖².

Each operator is a pure function of the rows to compress and of uniform draws, so its law can be enumerated; each ω is
the smallest valid one, and the docstring says where it is attained. `bits` counts what one row costs on the wire,
with 64-bit floats.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.federation.draws import Draws, Purpose, compiled_for, words

Draw = Callable[[Purpose, int], Array]
FLOAT_BITS = 64


class Compressor(ABC):
    """An unbiased random map on ℝ^q, applied to each row of an (m, q) array."""

    @abstractmethod
    def compress(self, x: Array, draw: Draw) -> Array:
        """Q(x) row by row: shape (m, q). `draw(purpose, k)` gives k uniforms per row."""

    def messages(self, target: Array, origin: Array, variates: Array, rows: Array, draw: Draw) -> Array:
        """Q(Δ_i) for Δ_i = target_i − origin − variates[rows_i], as Algorithm 2 sends it: shape (m, q)."""
        return self.compress(target - origin - variates[rows], draw)

    @abstractmethod
    def omega(self, q: int) -> float:
        """The smallest ω with E‖Q(x) − x‖² ≤ ω‖x‖² for all x in ℝ^q."""

    @abstractmethod
    def bits(self, q: int) -> int:
        """Bits on the wire for one compressed row of length q."""


@dataclass(frozen=True)
class Identity(Compressor):
    """No compression: ω = 0."""

    def compress(self, x: Array, draw: Draw) -> Array:
        return x

    def omega(self, q: int) -> float:
        return 0.0

    def bits(self, q: int) -> int:
        return FLOAT_BITS * q


@dataclass(frozen=True)
class RandK(Compressor):
    """Keep k coordinates chosen uniformly without replacement, times q/k: ω = q/k − 1, attained at every x."""

    k: int

    def __post_init__(self) -> None:
        as_count("k", self.k)

    def compress(self, x: Array, draw: Draw) -> Array:
        q = x.shape[1]
        self._fits(q)
        kept = np.argsort(draw(Purpose.COMPRESSION, q), axis=1, kind="stable")[:, : self.k]
        out = np.zeros_like(x)
        rows = np.arange(len(x))[:, None]
        out[rows, kept] = x[rows, kept] * (q / self.k)
        return out

    def omega(self, q: int) -> float:
        self._fits(q)
        return q / self.k - 1.0

    def bits(self, q: int) -> int:
        return self.k * (FLOAT_BITS + math.ceil(math.log2(q)) if q > 1 else FLOAT_BITS)

    def _fits(self, q: int) -> None:
        if self.k > q:
            raise InvalidInput(f"RandK keeps k = {self.k} of q = {q} coordinates: choose k <= q.")


@dataclass(frozen=True)
class UniformQuantization(Compressor):
    """b bits per coordinate: a sign and a magnitude rounded at random to one of `levels` + 1 equidistant values.

    With m = maxⱼ|xⱼ| and L = 2^(b−1) − 1 levels, |xⱼ| L/m is rounded up with probability equal to its fractional part.
    Zero stays zero. One 64-bit scale a row is sent beside the b q bits.

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
        scale = np.abs(x).max(axis=1, keepdims=True) / self.levels
        unit = np.minimum(np.abs(x) / np.where(scale > 0, scale, 1.0), self.levels)
        floor = np.floor(unit)
        magnitude = floor + (draw(Purpose.COMPRESSION, x.shape[1]) < unit - floor)
        return np.sign(x) * magnitude * scale

    def messages(self, target: Array, origin: Array, variates: Array, rows: Array, draw: Draw) -> Array:
        fast = compiled_for(target.size)
        if fast is None or not isinstance(draw, Draws):
            return super().messages(target, origin, variates, rows, draw)
        name = words(draw.seed, draw.round, Purpose.COMPRESSION)
        return fast.quantize(target, origin, variates, rows, float(self.levels), *name, draw.clients.astype(np.uint64))

    def omega(self, q: int) -> float:
        return (math.sqrt(1.0 + (q - 1) / self.levels**2) - 1.0) / 2.0

    def bits(self, q: int) -> int:
        return self.b * q + FLOAT_BITS


@dataclass(frozen=True)
class BlockQuantization(Compressor):
    """Block-p-quantisation: in each block xⱼ becomes ±‖x_block‖_p with probability |xⱼ|/‖x_block‖_p, else 0.

    E‖Q(x) − x‖² = ‖x‖₁‖x‖_p − ‖x‖² per block of length B. Hence ω = B^(1/p) − 1 for 1 ≤ p ≤ 2 (attained at constant
    blocks) and ω = (√B − 1)/2 for p = ∞ (attained at (√B + 1, 1, …, 1)). Two bits per coordinate and one 64-bit norm
    per block are sent.
    """

    block: int
    p: float = 2.0

    def __post_init__(self) -> None:
        as_count("block", self.block)
        if not (1 <= self.p <= 2 or self.p == math.inf):
            raise InvalidInput(f"p = {self.p}: choose 1 <= p <= 2 or p = inf (no closed form of ω is known between).")

    def compress(self, x: Array, draw: Draw) -> Array:
        u = draw(Purpose.COMPRESSION, x.shape[1])
        out = np.empty_like(x)
        for start in range(0, x.shape[1], self.block):
            part = slice(start, start + self.block)
            norm = np.linalg.norm(x[:, part], ord=self.p, axis=1, keepdims=True)
            kept = u[:, part] * norm < np.abs(x[:, part])
            out[:, part] = np.where(kept, np.sign(x[:, part]) * norm, 0.0)
        return out

    def omega(self, q: int) -> float:
        size = min(self.block, q)
        return (math.sqrt(size) - 1.0) / 2.0 if self.p == math.inf else size ** (1.0 / self.p) - 1.0

    def bits(self, q: int) -> int:
        return 2 * q + FLOAT_BITS * math.ceil(q / self.block)


@dataclass(frozen=True)
class WithParticipation(Compressor):
    """Q̃(x) = (U/p) Q(x), U Bernoulli(p): participation as compression, with ω_p = ω + (1 + ω)(1 − p)/p (`lem:PP`).

    With every client active, this compressor turns Algorithm 2 into its full-participation form
    (`algo:FedSS-MM:fullP`), draw for draw.
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


def omega_p(omega: float, p: float) -> float:
    """ω_p = ω + (1 + ω)(1 − p)/p, the variance factor of compression and participation together (`theo:main`)."""
    in_interval("p", p, low=0.0, high=1.0, open_low=True)
    return omega + (1.0 + omega) * (1.0 - p) / p


def add_to_rows(variates: Array, rows: Array, gains: Array, messages: Array) -> None:
    """variates[rows_i] += gains_i·messages_i in place, for different rows: what an active client does with its V_i."""
    fast = compiled_for(messages.size)
    if fast is not None:
        fast.add_to_rows(variates, rows, gains, messages)
    else:
        variates[rows] += gains[:, None] * messages
