"""Quantisation on a grid that is the same for every client: what is sent are integers, and sums of them are exact."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import frexp

import numpy as np

from fedmm_edu.arrays import Array, Words
from fedmm_edu.errors import InvalidInput, OutOfScale, as_count, in_interval
from fedmm_edu.federation.compressor import Compressor, Draw, Layout
from fedmm_edu.federation.draws import Draws, Purpose


@dataclass(frozen=True)
class FixedScaleQuantization(Compressor):
    """b bits per coordinate on a grid that all clients share: each xⱼ is rounded at random to a multiple of h.

    h = scale/2^(b−1), and xⱼ/h is rounded up with probability equal to its fractional part: E[Q(x)] = x as long as
    |xⱼ| ≤ scale − h. A row beyond that is refused (`OutOfScale`), never clipped, which would bias it in silence. With
    `halve_every` = k the scale is halved after every k rounds, as messages shrink, `halvings` times at most; it is part
    of the settings, so that nobody needs to be told. The scale is a power of two: then sums of such rows are exact in
    any order.

    The error does not shrink with x: E‖Q(x) − x‖² ≤ q h²/4, attained where every |xⱼ| is half a step from the grid.
    So there is no ω, and A4 fails; it is noise of the oracle, whose σ² grows by q h²/4 (A3, `hyp:oracle`), and the
    channel is exact. On the wire: a sign and b − 1 bits of magnitude for each coordinate, and no scale.
    """

    b: int = 16
    scale: float = 1.0
    halve_every: int | None = None
    halvings: int = 30

    def __post_init__(self) -> None:
        as_count("b", self.b, low=2, high=32)
        in_interval("scale", self.scale, low=2.0**-400, high=2.0**400)
        if frexp(self.scale)[0] != 0.5:
            raise InvalidInput(f"scale = {self.scale} is no power of two: take the next, 2**k, so that sums are exact.")
        object.__setattr__(self, "scale", float(self.scale))
        if self.halve_every is not None:
            as_count("halve_every", self.halve_every)
        as_count("halvings", self.halvings, low=0, high=400)

    @property
    def grid(self) -> float:
        return self.scale / 2.0 ** (self.b - 1)

    def of_round(self, draws: Draws) -> FixedScaleQuantization:
        if self.halve_every is None:
            return self
        halved = min(draws.round // self.halve_every, self.halvings)
        return replace(self, scale=self.scale * 2.0**-halved, halve_every=None)

    def compress(self, x: Array, draw: Draw) -> Array:
        h = self.grid
        if not (np.abs(x) <= self.scale - h).all():
            most = np.abs(x).max()
            if not np.isfinite(most):
                return x  # the run has diverged, and is told so
            raise OutOfScale(
                f"a row to send has an entry of {most:.3g}, and the scale of its round is {self.scale:g}: choose a "
                "larger scale, or halve it later."
            )
        unit = np.abs(x) / h
        floor = np.floor(unit)
        magnitude = floor + (draw(Purpose.COMPRESSION, x.shape[1]) < unit - floor)
        return np.sign(x) * magnitude * h + 0.0  # one zero, so that rows come back as they are

    def omega(self, q: int) -> float:
        raise InvalidInput(
            f"{self!r} has no ω: its error does not shrink with the row, so A4 fails. It is noise of the oracle, of "
            f"variance at most q h²/4 = {q * self.grid**2 / 4:.3g} (A3)."
        )

    def layout(self, q: int) -> Layout:
        return Layout(0, q, self.b)

    def split(self, x: Array, sent: Array) -> tuple[Array, Words]:
        codes = np.rint(np.abs(sent) / self.grid).astype(np.uint64)
        return np.empty((len(sent), 0)), codes | (sent < 0.0).astype(np.uint64) << np.uint64(self.b - 1)

    def join(self, floats: Array, codes: Words, q: int) -> Array:
        top = np.uint64(1 << (self.b - 1))
        magnitude = (codes & (top - np.uint64(1))).astype(np.float64) * self.grid
        return np.where(codes & top, -magnitude, magnitude) + 0.0

    def try_wire(self, q: int) -> None:
        Compressor.try_wire(replace(self, scale=2.0, halve_every=None), q)  # whose rows fit
