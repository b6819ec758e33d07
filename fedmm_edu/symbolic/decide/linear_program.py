"""A polynomial as a sum of products with non-negative weights: a linear program, solved in floats and made exact.

HiGHS of SciPy finds which products are needed; where SciPy is not installed, exact arithmetic does, more slowly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from importlib.util import find_spec
from typing import NamedTuple

from flint import fmpq, fmpq_mat

from fedmm_edu.proofs.normal import Poly, Powers
from fedmm_edu.proofs.terms import ONE, Term
from fedmm_edu.symbolic.decide import simplex

Entries = list[tuple[int, int, Fraction]]
"""(row, column, number) of a matrix, whatever is not 0."""


class SignedProduct(NamedTuple):
    """A product whose sign can be read off: its polynomial, how it is written, and its sign."""

    poly: Poly
    term: Term
    sign: str
    last: int = 0
    """Which of the generators its last factor is."""


def distinct(columns: Iterable[SignedProduct]) -> list[SignedProduct]:
    """One column of each polynomial, the strict one where there is a choice."""
    found: dict[frozenset, SignedProduct] = {}
    for column in columns:
        if not column.poly:
            continue
        k = frozenset(column.poly.items())
        if k not in found:
            found[k] = column
        elif (column.sign == ">" and found[k].sign == ">=") or column.sign == "=":
            found[k] = column._replace(last=found[k].last)
    return list(found.values())


def solve(poly: Poly, columns: Sequence[SignedProduct], strict: list[int] | None) -> list[tuple[int, Fraction]] | None:
    """λ with Σ λ column = poly, λ ≥ 0 but for columns that are 0; where `strict`, one of these has λ > 0."""
    columns, chosen = _pruned(poly, columns)
    if not chosen:
        return None
    rows = sorted(set(poly) | {m for c in columns for m in c.poly})
    place = {m: k for k, m in enumerate(rows)}
    entries = [(place[m], k, Fraction(c)) for k, column in enumerate(columns) for m, c in column.poly.items()]
    target = [Fraction(poly.get(m, 0)) for m in rows]
    height, width = len(rows), len(columns)
    if strict is not None:  # σ poly = Σ λ column with the strict λ summing to 1
        entries += [(place[m], width, Fraction(-c)) for m, c in poly.items()]
        entries += [(height, k, ONE) for k, original in enumerate(chosen) if original in set(strict)]
        target = [Fraction(0)] * height + [ONE]
        height, width = height + 1, width + 1
    free = [c.sign == "=" for c in columns] + [False] * (strict is not None)
    if find_spec("scipy"):
        support = _by_highs(entries, target, free, strict is not None)
    else:
        support = simplex.vertex(entries, target, free)
    if support is None:
        return None
    table = {(a, b): c for a, b, c in entries}
    exact = _exact([[Fraction(table.get((r, k), 0)) for k in support] for r in range(height)], target)
    if exact is None:
        return None
    weights = dict(zip(support, exact, strict=True))
    scale = weights.pop(width - 1, Fraction(0)) if strict is not None else ONE
    if scale <= 0 or any(w < 0 and columns[k].sign != "=" for k, w in weights.items()):
        return None
    return [(chosen[k], w / scale) for k, w in weights.items() if w]


def _by_highs(entries: Entries, target: Sequence[Fraction], free: Sequence[bool], strict: bool) -> list[int] | None:
    """The columns that HiGHS weighs, short ones rather; where `strict`, the last row and column are those of σ."""
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    scaled = len(target) - strict
    sizes, cost = [ONE * 0] * len(free), [1.0] * len(free)
    for r, k, c in entries:
        if r < scaled:
            sizes[k] = max(sizes[k], abs(c))  # else large numbers of a column hide its weight
            cost[k] += 1
    if strict:
        cost[-1] = 0.01
    try:
        i, j, v = zip(*((r, k, float(c / sizes[k]) if r < scaled else float(c)) for r, k, c in entries), strict=True)
        aim = [float(x) for x in target]
    except OverflowError:  # beyond the floats, in which this program is solved
        return None
    matrix = csr_array((np.array(v), (i, j)), shape=(len(target), len(free)))
    found = linprog(
        np.where(free, 0.0, cost), A_eq=matrix, b_eq=np.array(aim),
        bounds=[(None, None) if f else (0, None) for f in free], method="highs-ds", options={"maxiter": 3000},
    )  # fmt: skip
    return [k for k in range(len(free)) if abs(found.x[k]) > 1e-9] if found.status == 0 else None


def _pruned(poly: Poly, columns: Sequence[SignedProduct]) -> tuple[list[SignedProduct], list[int]]:
    """Without columns that have a monomial which nothing can cancel; none where a monomial of poly has no column."""
    alive = list(range(len(columns)))
    while True:
        signs: dict[Powers, set[int]] = {m: {-1 if c > 0 else 1} for m, c in poly.items()}
        for k in alive:
            for m, c in columns[k].poly.items():
                signs.setdefault(m, set()).update({1, -1} if columns[k].sign == "=" else {1 if c > 0 else -1})
        kept = [k for k in alive if all(len(signs[m]) == 2 for m in columns[k].poly)]
        if any(len(signs[m]) < 2 for m in poly):
            return [], []
        if len(kept) == len(alive):
            return [columns[k] for k in alive], alive
        alive = kept


def _exact(rows: list[list[Fraction]], target: list[Fraction]) -> list[Fraction] | None:
    """The solution of a system with independent columns, or None."""
    width = len(rows[0]) if rows else 0
    table = [[fmpq(x.numerator, x.denominator) for x in (*row, t)] for row, t in zip(rows, target, strict=True)]
    reduced, rank = fmpq_mat(table).rref()
    if rank != width or any(reduced[k, k] != 1 for k in range(width)):
        return None
    return [Fraction(int(reduced[k, width].p), int(reduced[k, width].q)) for k in range(width)]
