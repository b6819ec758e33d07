"""Which columns make up a target, without SciPy: phase one of the simplex method, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from flint import fmpq

CHANGES = 400_000
"""So many numbers are changed at most: an answer depends on the problem alone, not on the machine."""
BLAND = 200
"""So many steps follow the steepest column; from then on the first one, with which the method cannot go in circles."""
Row = dict[int, fmpq]


def vertex(
    entries: Iterable[tuple[int, int, Fraction]], target: Sequence[Fraction], free: Sequence[bool]
) -> list[int] | None:
    """The columns with a weight ≠ 0 at a vertex of {λ: Σ λ column = target, λ ≥ 0 but for those that are `free`}.

    `entries` are (row, column, number). Their columns are independent, so the weights follow from them. None where
    there is no such λ, or `CHANGES` ends the search.
    """
    width = len(free)
    rows: list[Row] = [{} for _ in target]
    for r, k, number in entries:
        value = fmpq(number.numerator, number.denominator) * (1 if target[r] >= 0 else -1)
        rows[r][k] = value
        if free[k]:  # a free weight is a difference of two
            rows[r][width + k] = -value
    right = [fmpq(abs(t).numerator, abs(t).denominator) for t in target]
    basis: list[int | None] = [None] * len(rows)  # None: what the row still misses
    missed: Row = {}
    for row in rows:
        for k, value in row.items():
            missed[k] = missed.get(k, fmpq(0)) + value
    steps = spent = 0
    while spent < CHANGES:
        if not any(right[r] for r, k in enumerate(basis) if k is None):
            return sorted({k % width for r, k in enumerate(basis) if k is not None and right[r]})
        k = _entering(missed, steepest=steps < BLAND)
        if k is None:
            return None
        ratios = [(right[r] / row[k], basis[r] is not None, basis[r] or 0, r) for r, row in enumerate(rows)
                  if k in row and row[k] > 0]  # fmt: skip
        at = min(ratios)[-1]
        spent += _pivot(rows, right, missed, at, k)
        basis[at] = k
        steps += 1
    return None


def _entering(missed: Row, *, steepest: bool) -> int | None:
    """A column that lowers what is missed; None where there is none."""
    useful = [k for k, gain in missed.items() if gain > 0]
    return (max(useful, key=lambda k: (missed[k], -k)) if steepest else min(useful)) if useful else None


def _pivot(rows: list[Row], right: list[fmpq], missed: Row, at: int, k: int) -> int:
    """Solve row `at` for column k and put it into the others, and what is missed; how many numbers that changes."""
    lead = rows[at][k]
    row = rows[at] = {j: value / lead for j, value in rows[at].items()}
    right[at] /= lead
    touched = 2
    for r, other in enumerate(rows):
        if r != at and k in other:
            right[r] -= other[k] * right[at]
            _subtract(other, row, other[k])
            touched += 1
    _subtract(missed, row, missed[k])
    return touched * len(row)


def _subtract(other: Row, row: Row, times: fmpq) -> None:
    for j, value in row.items():
        left = other.get(j, fmpq(0)) - times * value
        if left:
            other[j] = left
        else:
            other.pop(j, None)
