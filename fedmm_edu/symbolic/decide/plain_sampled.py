"""Where relations hold in floating point, in plain Python: what `arrays_sampled` does, where NumPy is not installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from math import isfinite, nan
from random import Random

import sympy as sp

from fedmm_edu.symbolic.decide.domain import Relation
from fedmm_edu.symbolic.functions.table import FLOATS

STARTS, DESCENTS, HALVINGS, EVALUATIONS = 100, 4, 40, 400
Point = Sequence[float]
OnFloats = Callable[[Point], float]


def compiled(expr: sp.Expr, symbols: Sequence[sp.Symbol]) -> OnFloats:
    """expr as a function of a point in floats; NaN where it has no finite real value."""
    function = sp.lambdify(symbols, expr, FLOATS)

    def value(point: Point) -> float:
        try:
            found = function(*point)
        except (ZeroDivisionError, OverflowError, TypeError, ValueError):
            return nan
        return float(found) if not isinstance(found, complex) and isfinite(found) else nan

    return value


def missed(op: str, value: float) -> float:
    """By how much `value op 0` is missed; 0 where it holds, much where there is no value."""
    if value != value:
        return 1e9
    if op == "==":
        return abs(value)
    if op == ">=":
        return max(-value, 0.0)
    return 0.0 if (value > 0 if op == ">" else value != 0) else 1e-9 - min(value, 0.0)


class PlainSampler:
    """Points for `relations` between `symbols`, each symbol with its pool of simple values, simplest first."""

    def __init__(
        self, symbols: Sequence[sp.Symbol], relations: Sequence[Relation], pools: Sequence[list[Fraction]], seed: int
    ) -> None:
        self.pools = [[float(v) for v in pool] for pool in pools]
        self.rng = Random(seed)
        self.slack = [(r.op, compiled(r.expr, symbols)) for r in relations]

    def satisfying(self, count: int) -> Iterator[Sequence[int]]:
        """Which values of the pools satisfy everything: of `count` random choices, the simplest ones first."""
        columns = []
        for pool in self.pools:
            weights = [1.0 / (2.0 + k) for k in range(len(pool))]  # earlier, simpler entries are more likely
            columns.append(self.rng.choices(range(len(pool)), weights, k=count))
        rows = {(0,) * len(columns): None} | dict.fromkeys(zip(*columns, strict=True))
        for row in sorted(rows, key=sum):
            if self.violation([pool[k] for pool, k in zip(self.pools, row, strict=True)]) <= 1e-12:
                yield row

    def minimisers(self) -> Iterator[Sequence[float]]:
        """Local minimisers of the violation, from the best of many starts."""
        starts = [[self.rng.choice(pool) for pool in self.pools] for _ in range(STARTS)]
        yield from map(self._descended, islice(sorted(starts, key=self.violation), DESCENTS))

    def _descended(self, point: list[float]) -> list[float]:
        """Steps along the axes, halved where none helps."""
        least, step, left = self.violation(point), 0.5, EVALUATIONS
        for _ in range(HALVINGS):
            moved = True
            while moved and left > 0 and least > 0:
                moved = False
                for j in range(len(point)):
                    for way in (step, -step):
                        trial = [*point[:j], point[j] + way * (1 + abs(point[j])), *point[j + 1 :]]
                        left -= 1
                        if (found := self.violation(trial)) < least:
                            point, least, moved = trial, found, True
            step /= 2
        return point

    def violation(self, point: Point) -> float:
        """0 where all relations hold (in floating point), else by how much the worst is missed."""
        return max((missed(op, function(point)) for op, function in self.slack), default=0.0)
