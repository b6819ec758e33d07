"""Where relations hold in floating point, with NumPy and SciPy: many random points at once, and local descent."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from scipy.optimize import minimize

from fedmm_edu.symbolic.decide.domain import Relation
from fedmm_edu.symbolic.functions.table import NUMPY


@lru_cache(maxsize=4096)
def on_arrays(symbols: tuple[sp.Symbol, ...], expr: sp.Expr) -> Callable[..., Any]:
    """expr as a function of arrays; the claims of a model share most of their relations."""
    try:
        return sp.lambdify(symbols, expr, NUMPY)
    except RecursionError:  # Python compiles no sum of thousands of terms: the halves, then
        combine = {sp.Add: operator.add, sp.Mul: operator.mul}.get(expr.func)
        if combine is None:
            raise
        half = len(expr.args) // 2
        first, last = (on_arrays(symbols, expr.func(*part)) for part in (expr.args[:half], expr.args[half:]))
        return lambda *points: combine(first(*points), last(*points))


class ArraySampler:
    """Points for `relations` between `symbols`, each symbol with its pool of simple values, simplest first."""

    def __init__(
        self, symbols: Sequence[sp.Symbol], relations: Sequence[Relation], pools: Sequence[list[Fraction]], seed: int
    ) -> None:
        self.relations = relations
        self.pools = [np.array([float(v) for v in pool]) for pool in pools]
        self.rng = np.random.default_rng(seed)
        self.slack = [on_arrays(tuple(symbols), r.expr) for r in relations]

    def satisfying(self, count: int) -> Iterator[Sequence[int]]:
        """Which values of the pools satisfy everything: of `count` random choices, the simplest ones first."""
        index = np.empty((count, len(self.pools)), dtype=int)
        for j, pool in enumerate(self.pools):
            # earlier, simpler entries are more likely
            weight = 1.0 / (2.0 + np.arange(len(pool)))
            index[:, j] = self.rng.choice(len(pool), size=count, p=weight / weight.sum())
        index[0] = 0
        grid = np.column_stack([pool[index[:, j]] for j, pool in enumerate(self.pools)])
        good = np.flatnonzero(self.violation(grid) <= 1e-12)
        simple = index[good].sum(axis=1)
        yield from index[good[np.argsort(simple, kind="stable")]]

    def minimisers(self) -> Iterator[Sequence[float]]:
        """Local minimisers of the violation, from the best of many starts."""
        starts = np.column_stack([self.rng.choice(pool, size=200) for pool in self.pools])
        order = np.argsort(self.violation(starts), kind="stable")
        for start in starts[order[:6]]:
            yield minimize(
                lambda x: min(float(self.violation(x[None, :])[0]), 1e12), start, method="Nelder-Mead",
                options={"maxiter": 400, "xatol": 1e-9, "fatol": 1e-12},
            ).x.tolist()  # fmt: skip

    def violation(self, points: np.ndarray) -> np.ndarray:
        """0 where all relations hold (in floating point), else by how much the worst is missed."""
        worst = np.zeros(len(points))
        with np.errstate(all="ignore"):
            for relation, function in zip(self.relations, self.slack, strict=True):
                value = np.asarray(_call(function, points))
                if np.iscomplexobj(value):
                    value = np.where(np.abs(np.imag(value)) > 0, np.nan, np.real(value))
                value = np.broadcast_to(
                    np.nan_to_num(value.astype(float), nan=-1e9, posinf=1e9, neginf=-1e9), worst.shape
                )
                missed = {
                    ">": np.where(value > 0, 0.0, 1e-9 - value),
                    ">=": np.maximum(-value, 0.0),
                    "==": np.abs(value),
                    "!=": np.where(value != 0, 0.0, 1e-9),
                }[relation.op]
                worst = np.maximum(worst, missed)
        return worst


def _call(function, points: np.ndarray) -> np.ndarray:
    try:
        return function(*points.T)
    except (ZeroDivisionError, OverflowError, TypeError, ValueError):  # constants that overflow; integer powers
        return np.full(len(points), np.nan)
