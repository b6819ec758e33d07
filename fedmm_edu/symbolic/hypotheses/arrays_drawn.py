"""Points at which a claim looks broken in floating point, with NumPy: all points of a look at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.symbolic.decide.arrays_sampled import on_arrays
from fedmm_edu.symbolic.hypotheses.looks import CONFIRMED, GRID, LOOKED_AT, SCALES, SIMPLE, Look


def array_suspects(look: Look, seed: int) -> Iterator[dict[str, Fraction]]:
    """The points, worst first, at which numbers say that the claim fails."""
    rng, symbols = np.random.default_rng(seed), look.symbols
    drawn = [_numbers(look, j, rng) for j in range(len(symbols))]
    columns = np.array([numbers.floats[at] for numbers, at in drawn]) if drawn else np.empty((0, 1))
    beside = _beside(look, columns, rng)
    for j, values in beside.items():
        columns[j, ::2] = values[::2]
    values = _values(look.holds.expr, symbols, columns)
    inside = np.ones(columns.shape[1], dtype=bool)
    for r in look.where:
        inside &= _looks(r.op, _values(r.expr, symbols, columns))
    off = np.where(np.isfinite(values), 0.0, 1.0) if look.needs_value else _miss(look.holds.op, values)
    suspicious = np.flatnonzero(inside & (off > 0))
    for k in suspicious[np.argsort(-off[suspicious], kind="stable")][:CONFIRMED]:
        point = {x.name: numbers.exactly(int(at[k])) for x, (numbers, at) in zip(symbols, drawn, strict=True)}
        yield point | {symbols[j].name: Fraction(round(GRID * columns[j, k]), GRID) for j in beside if k % 2 == 0}


class _Rationals(NamedTuple):
    """Given ones, and after them thousandths: few of many are looked at as fractions."""

    given: list[Fraction]
    thousandths: Array

    @property
    def floats(self) -> Array:
        return np.append(np.array(self.given, dtype=float), self.thousandths / 1000.0)

    def exactly(self, k: int) -> Fraction:
        n = len(self.given)
        return self.given[k] if k < n else Fraction(int(self.thousandths[k - n]), 1000)


def _numbers(look: Look, j: int, rng: np.random.Generator) -> tuple[_Rationals, Indices]:
    """Rationals, and which symbol j is at each point: simple ones, several scales, about where a term vanishes."""
    scaled = np.concatenate([np.rint(1000.0 * (s * rng.normal(size=60))) for s in SCALES])
    simple, edges = list(SIMPLE), list(look.about_edges(j))
    sizes = np.array([size for size in (len(simple), len(edges), len(scaled)) if size])
    kind = rng.integers(len(sizes), size=LOOKED_AT)  # each kind as often, however many numbers it has
    return _Rationals(simple + edges, scaled), (sizes.cumsum() - sizes)[kind] + rng.integers(sizes[kind])


def _beside(look: Look, columns: Array, rng: np.random.Generator) -> dict[int, Array]:
    """Numbers beside the point that the claim compares with."""
    scale = 10.0 ** -rng.integers(1, 4, size=columns.shape[1])
    found = {}
    for j, entry in look.centres.items():
        centre = _values(entry, look.symbols, columns)
        moved = centre + (0.1 + np.abs(centre)) * scale * rng.normal(size=len(scale))
        found[j] = np.rint(GRID * moved) / GRID
    return found


def _values(expr: sp.Expr, symbols: Sequence[sp.Symbol], columns: Array) -> Array:
    """expr at each point, NaN where it has no real value in floating point; a row of `columns` for each symbol."""
    with np.errstate(all="ignore"):
        try:
            found = np.asarray(on_arrays(tuple(symbols), expr)(*(column + 0j for column in columns)), dtype=complex)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError):  # comparisons want real numbers
            found = np.asarray(_real(expr, symbols, columns), dtype=complex)
    found = np.broadcast_to(found, (columns.shape[1],))
    return np.where(np.isfinite(found) & (np.abs(np.imag(found)) <= 1e-9 * (1 + np.abs(found))), np.real(found), np.nan)


def _real(expr: sp.Expr, symbols: Sequence[sp.Symbol], columns: Array) -> Array:
    with np.errstate(all="ignore"):
        try:
            return np.asarray(on_arrays(tuple(symbols), expr)(*columns), dtype=complex)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError):
            return np.full(columns.shape[1], np.nan)


def _looks(op: str, value: Array) -> NDArray[np.bool_]:
    return {">": value > 0, ">=": value >= -1e-9, "==": np.abs(value) <= 1e-9, "!=": value != 0}[op]


def _miss(op: str, value: Array) -> Array:
    """By how much `value op 0` is missed, in floating point; 0 where it is not, or where there is no value."""
    miss = {
        ">": np.where(value <= 0, 1e-12 - value, 0.0),
        ">=": np.maximum(-value, 0.0),
        "==": np.abs(value),
        "!=": np.where(np.abs(value) <= 1e-12, 1.0, 0.0),
    }[op]
    return np.nan_to_num(np.where(miss > 1e-13, miss, 0.0))
