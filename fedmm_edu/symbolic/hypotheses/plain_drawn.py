"""Points at which a claim looks broken, in plain Python: what `arrays_drawn` does, where NumPy is not installed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isnan
from random import Random

from fedmm_edu.symbolic.decide.plain_sampled import OnFloats, compiled, missed
from fedmm_edu.symbolic.hypotheses.looks import CONFIRMED, GRID, LOOKED_AT, SCALES, SIMPLE, Look

SLACK = 1e-9
"""By which a condition may be missed, for the exact look decides."""


def plain_suspects(look: Look, seed: int) -> Iterator[dict[str, Fraction]]:
    """The points, worst first, at which numbers say that the claim fails."""
    rng, symbols = Random(seed), look.symbols
    pools = [_pools(look, j, rng) for j in range(len(symbols))]
    centres = {j: compiled(entry, symbols) for j, entry in look.centres.items()}
    holds = compiled(look.holds.expr, symbols)
    where = [(r.op, compiled(r.expr, symbols)) for r in look.where]
    found: list[tuple[float, list[Fraction]]] = []
    for k in range(LOOKED_AT if symbols else 1):
        point = [rng.choice(rng.choice(own)) for own in pools]  # each kind as often, however many numbers it has
        floats = [float(x) for x in point]
        if k % 2 == 0 and centres:
            _move_beside(point, floats, centres, rng)
        if all(missed(op, function(floats)) <= (0.0 if op in (">", "!=") else SLACK) for op, function in where):
            value = holds(floats)
            off = float(isnan(value)) if look.needs_value else 0.0 if isnan(value) else missed(look.holds.op, value)
            if off > 1e-13:
                found.append((-off, point))
    for _, point in sorted(found, key=lambda entry: entry[0])[:CONFIRMED]:
        yield {x.name: value for x, value in zip(symbols, point, strict=True)}


def _pools(look: Look, j: int, rng: Random) -> list[list[Fraction]]:
    """Values of symbol j: simple ones, several scales, both sides of where a term vanishes."""
    scaled = [Fraction(round(1000 * s * rng.gauss(0, 1)), 1000) for s in SCALES for _ in range(60)]
    return [pool for pool in (list(SIMPLE), look.about_edges(j), scaled) if pool]


def _move_beside(point: list[Fraction], floats: list[float], centres: Mapping[int, OnFloats], rng: Random) -> None:
    """Put the variables of f beside the point that the claim compares with, where that has a value."""
    scale = 10.0 ** -rng.randint(1, 3)
    for j, at in {j: centre(floats) for j, centre in centres.items()}.items():
        if not isnan(at):
            point[j] = Fraction(round(GRID * (at + (0.1 + abs(at)) * scale * rng.gauss(0, 1))), GRID)
            floats[j] = float(point[j])
