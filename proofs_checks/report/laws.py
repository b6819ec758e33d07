"""A4 and A5, which speak of messages and clients: compressors and laws of the active set, judged by their whole law.

What an operator does depends on uniform draws. It is constant on finitely many cells of them: orders of the draws, or
boxes between the draws at which a coordinate switches. One evaluation a cell, with the volume of the cell, is the law.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.federation import (
    Bernoulli,
    BlockQuantization,
    Compressor,
    CustomLaw,
    Everyone,
    FixedSize,
    Identity,
    Participation,
    Purpose,
    RandK,
    UniformQuantization,
    WithParticipation,
)

Q, N = 4, 3
COMPRESSORS: tuple[Compressor, ...] = (
    Identity(),
    RandK(1),
    UniformQuantization(2),
    UniformQuantization(8),
    BlockQuantization(4),
    BlockQuantization(4, math.inf),
    WithParticipation(RandK(1), 0.5),
)
PARTICIPATIONS: tuple[tuple[str, Participation, tuple[float, ...]], ...] = (
    ("Everyone()", Everyone(), ()),
    ("Bernoulli(0.25)", Bernoulli(0.25), (0.25,)),
    ("FixedSize(1)", FixedSize(1), ()),
    ("FixedSize(2)", FixedSize(2), ()),
    ("CustomLaw: chances ½, ¼, ¼", CustomLaw(lambda u: u < [0.5, 0.25, 0.25], (0.5, 0.25, 0.25)), (0.25, 0.5)),
    ("CustomLaw: all with chance ½, or none", CustomLaw(lambda u: np.full(len(u), u[0] < 0.5), 0.5), (0.5,)),
)
"""Name, law, and the values of a client's draw at which it changes its mind (none: only the order counts)."""

Cells = Sequence[tuple[float, Array]]


@dataclass(frozen=True)
class Judged:
    """Whether a law satisfies its assumption, and the numbers that say so."""

    holds: bool
    why: str


@dataclass(frozen=True)
class _Given:
    """Draws that are given, in the place of named ones: participation (n, 1), compression (n, q).

    A law of participation asks of `Draws` no more than this.
    """

    participation: Array
    compression: Array

    @property
    def clients(self) -> Indices:
        return np.arange(len(self.participation))

    def __call__(self, purpose: Purpose, size: int) -> Array:
        return (self.participation if purpose is Purpose.PARTICIPATION else self.compression)[:, :size]


def judge_compressor(compressor: Compressor) -> Judged:
    """A4(ω) at vectors of length 4, among them those at which the quantisers are worst."""
    omega, rng = compressor.omega(Q), np.random.default_rng(0)
    bias, most = 0.0, 0.0
    for x in (np.ones(Q), np.array([3.0, 1.0, 1.0, 1.0]), np.array([1.0, 0.3, -0.3, 0.3]), *rng.normal(size=(5, Q))):
        outcomes = list(_outcomes(compressor, x))
        bias = max(bias, float(np.abs(sum(chance * value for chance, value in outcomes) - x).max()))
        spread = sum(chance * float(((value - x) ** 2).sum()) for chance, value in outcomes)
        most = max(most, spread / float(x @ x))
    unbiased = bias <= 1e-9
    why = f"E‖Q(x) − x‖²/‖x‖² reaches {most:.3g} of ω = {omega:.3g}" if unbiased else f"E[Q(x)] is {bias:.3g} off x"
    return Judged(unbiased and most <= omega * (1 + 1e-9) + 1e-12, why)


def judge_participation(law: Participation, switches: Sequence[float]) -> Judged:
    """A5(p) for three clients: one chance p for all, and independence, the product of the chances for every set."""
    masks: dict[tuple[bool, ...], float] = {}
    for chance, u in _boxes([switches] * N) if switches else _orders(N):
        active = tuple(map(bool, law.active(_Given(u[:, None], u[:, None]))))  # pyright: ignore[reportArgumentType]
        masks[active] = masks.get(active, 0.0) + chance
    chances = [sum(c for mask, c in masks.items() if mask[i]) for i in range(N)]
    if max(chances) - min(chances) > 1e-12:
        return Judged(False, f"the chances differ: {', '.join(f'{c:.3g}' for c in chances)}")
    p = chances[0]
    for mask in itertools.product((True, False), repeat=N):
        product, seen = math.prod(p if active else 1 - p for active in mask), masks.get(mask, 0.0)
        if abs(product - seen) > 1e-12:
            who = ", ".join(str(i + 1) for i in range(N) if mask[i]) or "none"
            return Judged(False, f"active clients {{{who}}} have chance {seen:.3g}; independent, {product:.3g}")
    return Judged(True, f"p = {p:.3g}, independent")


def _outcomes(compressor: Compressor, x: Array) -> Iterator[tuple[float, Array]]:
    """The law of Q(x): chances and values."""
    p = compressor.p if isinstance(compressor, WithParticipation) else 1.0
    inner = compressor.inner if isinstance(compressor, WithParticipation) else compressor
    cells = _orders(len(x)) if inner.by_order else _boxes([[_switch(inner, x, j)] for j in range(len(x))])
    for chance, u in cells:
        yield chance * p, _message(compressor, x, u, p / 2)
        if p < 1.0:
            yield chance * (1.0 - p), _message(compressor, x, u, (1.0 + p) / 2)


def _message(compressor: Compressor, x: Array, u: Array, participation: float = 0.0) -> Array:
    return compressor.compress(x[None], _Given(np.full((1, 1), participation), u[None]))[0]


def _switch(compressor: Compressor, x: Array, j: int) -> float:
    """The draw at which coordinate j of Q(x) changes, by bisection on `compress` itself; 1 if it does not."""
    low, high = 0.0, 1.0 - 2.0**-53

    def at(u: float) -> float:
        return _message(compressor, x, np.full(len(x), u))[j]

    start = at(low)
    if at(high) == start:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle) == start else (low, middle)
    return high


def _orders(n: int) -> Cells:
    orders = list(itertools.permutations(range(n)))
    return [(1.0 / len(orders), (np.array(order) + 0.5) / n) for order in orders]


def _boxes(switches: Sequence[Sequence[float]]) -> Cells:
    """The boxes between the switches of each coordinate: volume and midpoint."""
    edges = [[0.0, *sorted(row), 1.0] for row in switches]
    sides = [[(b - a, (a + b) / 2) for a, b in itertools.pairwise(row) if b > a] for row in edges]
    return [
        (math.prod(width for width, _ in box), np.array([middle for _, middle in box]))
        for box in itertools.product(*sides)
    ]
