"""The largest eigenvalue of symmetric matrices, and the norm of their derivative, over a box: certain enclosures.

Upper bounds: for A in an interval matrix with midpoint A_0 and radius Δ (entrywise), λ_max(A) ≤ λ_max(A_0) + ρ(Δ); both
terms are bounded by balls: A_0 by Gershgorin's discs in a basis of approximate eigenvectors, ρ(Δ) by
max_i (Δx)_i / x_i for an x > 0 (Collatz). A box is also bounded by its mean-value form. Lower bounds are Rayleigh
quotients at exact points. NumPy proposes eigenvectors; nothing rests on their accuracy.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, count, islice, product
from typing import NamedTuple

import numpy as np
import sympy as sp
from flint import arb, arb_mat

from fedmm_edu.symbolic.decide.ranges import Balls, Interval, Intervals, ball, end_of, halves, middle_of

CORNERS = 64
Index = tuple[int, ...]


@dataclass(frozen=True)
class Enclosure:
    """low ≤ the supremum ≤ high; at the point `at` of the box the eigenvalue is at least `low`."""

    low: Fraction
    high: Fraction
    at: Mapping[sp.Symbol, Fraction]


class _Bound(NamedTuple):
    value: Fraction
    at: Mapping[sp.Symbol, Fraction]


def enclose_largest_eigenvalue(
    matrix: sp.Matrix, box: Mapping[sp.Symbol, Interval], *, boxes: int = 1000
) -> Enclosure | None:
    """sup λ_max of a symmetric matrix over the box of its symbols.

    The work is bounded by `boxes`: what it leaves is a wider enclosure that holds. None where no finite bound is found.

    >>> x = sp.Symbol("x")
    >>> found = enclose_largest_eigenvalue(sp.Matrix([[x, 1], [1, 0]]), {x: (Fraction(0), Fraction(3, 2))})
    >>> found.low <= 2 <= found.high, found.at == {x: Fraction(3, 2)}
    (True, True)
    """
    return _branch(_Matrix(matrix, tuple(box)), tuple(box.values()), Fraction(1, 1000), boxes)


def curvature(B: sp.Matrix, box: Mapping[sp.Symbol, Interval], *, boxes: int = 200) -> Enclosure | None:
    """sup ‖T[u, u]‖ over the box and ‖u‖ = 1, where T_ijk = ∂_k B_ij is symmetric (B is a Hessian).

    The upper end is the norm of T as a q × q² matrix, ‖T[u, u]‖ ≤ ‖T‖ ‖u⊗u‖: for q > 1 it need not be reached, however
    many boxes are spent.
    """
    return _branch(_Tensor(B, tuple(box)), tuple(box.values()), Fraction(1, 100), boxes)


def _branch(search: _Matrix | _Tensor, start: Intervals, relative: Fraction, boxes: int) -> Enclosure | None:
    """The supremum, to this share of it where the boxes do."""
    corners = (tuple((end, end) for end in corner) for corner in product(*start))
    best = _better(None, search, (start, *islice(corners, CORNERS)))
    order = count()
    heap = [(-search.upper(start), next(order), start)]
    for _ in range(boxes):
        top, _, widest = heap[0]
        if best is not None and -top - best.value <= relative * max(abs(best.value), relative):
            break
        heapq.heappop(heap)
        parts = {part: search.upper(part) for part in halves(search.shrink(widest))}
        best = _better(best, search, (part for part, upper in parts.items() if best is None or upper > best.value))
        for part, upper in parts.items():
            heapq.heappush(heap, (-upper, next(order), part))
    high = -heap[0][0]
    if best is None or not isinstance(high, Fraction):
        return None
    return Enclosure(best.value, max(high, best.value), best.at)


def _better(best: _Bound | None, search: _Matrix | _Tensor, boxes: Iterable[Intervals]) -> _Bound | None:
    for box in boxes:
        found = search.lower(box)
        if found is not None and (best is None or found.value > best.value):
            best = found
    return best


class _Entries:
    """Distinct entries of a symmetric array and their slopes, on balls."""

    def __init__(self, entries: Mapping[Index, sp.Expr], symbols: Sequence[sp.Symbol]) -> None:
        self.symbols, self.index = tuple(symbols), list(entries)
        self._value = Balls(list(entries.values()), self.symbols)
        self._slopes = [Balls([sp.diff(entry, x) for entry in entries.values()], self.symbols) for x in self.symbols]

    def at(self, point: Sequence[Fraction]) -> list[arb] | None:
        """The entries at a point; None where one is not finite."""
        values = self._value([ball((x, x)) for x in point])
        return values if all(value.is_finite() for value in values) else None

    def over(self, box: Intervals) -> list[list[arb]]:
        """Enclosures of all entries over the box: as they are, and in mean-value form."""
        sides = [ball(side) for side in box]
        whole = self._value(sides)
        if not all(entry.is_finite() for entry in whole):
            return []
        centre = [ball((middle, middle)) for middle in map(middle_of, box)]
        tangent = self._value(centre)
        for slopes, side, mid in zip(self._slopes, sides, centre, strict=True):
            if side.rad() > 0:
                tangent = [entry + slope * (side - mid) for entry, slope in zip(tangent, slopes(sides), strict=True)]
        return [entries for entries in (whole, tangent) if all(entry.is_finite() for entry in entries)]

    def slopes(self, box: Intervals) -> list[list[arb]]:
        """The slopes in each coordinate over the box."""
        return [slopes([ball(side) for side in box]) for slopes in self._slopes]


class _Matrix:
    """A symmetric matrix of expressions and its partial derivatives, with bounds of λ_max over boxes."""

    def __init__(self, matrix: sp.Matrix, symbols: Sequence[sp.Symbol]) -> None:
        self.size = matrix.rows
        self._pairs = [(i, j) for i in range(self.size) for j in range(i, self.size)]
        self._entries = _Entries({pair: matrix[pair] for pair in self._pairs}, symbols)

    def upper(self, box: Intervals) -> Fraction | float:
        """An upper bound of λ_max on the box; +∞ where some entry is not finite."""
        return min((self.largest(entries) for entries in self._entries.over(box)), default=float("inf"))

    def lower(self, box: Intervals) -> _Bound | None:
        """A lower bound of λ_max at the middle of the box, a Rayleigh quotient."""
        point = tuple(map(middle_of, box))
        entries = self._entries.at(point)
        if entries is None:
            return None
        vector = [arb(float(x)) for x in np.linalg.eigh(self._floats(entries))[1][:, -1]]
        form = sum(((1 if i == j else 2) * entry * vector[i] * vector[j]
                    for (i, j), entry in zip(self._pairs, entries, strict=True)), arb(0))  # fmt: skip
        end = end_of(form / sum((x * x for x in vector), arb(0)), upper=False)
        return _Bound(end, dict(zip(self._entries.symbols, point, strict=True)))

    def shrink(self, box: Intervals) -> Intervals:
        """The box without the part where the matrix is certainly smaller (in Loewner's order)."""
        out = []
        for entries, side in zip(self._entries.slopes(box), box, strict=True):
            finite = all(entry.is_finite() for entry in entries)
            if finite and side[0] < side[1] and self.largest([-entry for entry in entries]) <= 0:
                side = (side[1],) * 2
            elif finite and side[0] < side[1] and self.largest(entries) <= 0:
                side = (side[0],) * 2
            out.append(side)
        return tuple(out)

    def largest(self, entries: Sequence[arb]) -> Fraction | float:
        """An upper bound of λ_max of every symmetric matrix with these entries (all finite)."""
        middle = [entry.mid() for entry in entries]
        radius = np.zeros((self.size, self.size))
        for (i, j), entry in zip(self._pairs, entries, strict=True):
            radius[i, j] = radius[j, i] = float(entry.rad())
        return end_of(self._gershgorin(middle) + self._spread(entries, radius), upper=True)

    def _gershgorin(self, middle: Sequence[arb]) -> arb:
        """λ_max(A) of an exact matrix: x = Qy, so x'Ax/x'x ≤ sup y'Dy/y'y over inf y'Sy/y'y, D = Q'AQ, S = Q'Q."""
        floats = np.linalg.eigh(self._floats(middle))[1]
        Q = arb_mat([[float(x) for x in row] for row in floats])
        A = arb_mat(self.size, self.size, [middle[self._pairs.index((min(i, j), max(i, j)))]
                                           for i in range(self.size) for j in range(self.size)])  # fmt: skip
        D, S = Q.transpose() * A * Q, Q.transpose() * Q
        top = reduce(arb.max, [D[i, i] + self._off(D, i) for i in range(self.size)])
        ends = [S[i, i] + sign * self._off(S, i) for i in range(self.size) for sign in (-1, 1)]
        return top / reduce(arb.min if top > 0 else arb.max, ends)

    def _off(self, matrix: arb_mat, i: int) -> arb:
        return sum((abs(matrix[i, j]) for j in range(self.size) if j != i), arb(0))

    def _spread(self, entries: Sequence[arb], radius: np.ndarray) -> arb:
        """ρ(Δ) ≤ max_i (Δx)_i / x_i, with x > 0 near Δ's largest eigenvector."""
        if not radius.any():
            return arb(0)
        start = np.abs(np.linalg.eigh(radius)[1][:, -1])
        x = [arb(float(v)) for v in start + 1e-3 * start.max()]
        exact = {pair: arb(entry.rad()) for pair, entry in zip(self._pairs, entries, strict=True)}
        rows = [sum((exact[min(i, j), max(i, j)] * x[j] for j in range(self.size)), arb(0)) / x[i]
                for i in range(self.size)]  # fmt: skip
        return reduce(arb.max, rows)

    def _floats(self, entries: Sequence[arb]) -> np.ndarray:
        out = np.zeros((self.size, self.size))
        for (i, j), entry in zip(self._pairs, entries, strict=True):
            out[i, j] = out[j, i] = float(entry.mid())
        return out


class _Tensor:
    """T_ijk = ∂_k B_ij, symmetric in i, j, k, with bounds of sup ‖T[u, u]‖ over boxes."""

    def __init__(self, B: sp.Matrix, symbols: Sequence[sp.Symbol]) -> None:
        self.size = B.rows
        triples = combinations_with_replacement(range(self.size), 3)
        slopes = {(i, j, k): sp.factor(sp.diff(B[i, j], symbols[k])) for i, j, k in triples}
        self._entries = _Entries(slopes, symbols)
        self._gram = _Matrix(sp.zeros(self.size), ())

    def upper(self, box: Intervals) -> Fraction | float:
        """The norm of the q × q² matrix (T_i(jk)), from the largest eigenvalue of Σ_k T_k²."""
        return min((self._norm(entries) for entries in self._entries.over(box)), default=float("inf"))

    def _norm(self, entries: Sequence[arb]) -> Fraction | float:
        q, at = self.size, dict(zip(self._entries.index, entries, strict=True))
        rows = arb_mat(q, q * q, [at[tuple(sorted((i, j, k)))] for i, j, k in product(range(q), repeat=3)])  # pyright: ignore[reportArgumentType]
        gram = rows * rows.transpose()
        bound = self._gram.largest([gram[i, j] for i in range(q) for j in range(i, q)])
        return bound if not isinstance(bound, Fraction) else end_of(ball((bound, bound)).max(0).sqrt(), upper=True)

    def lower(self, box: Intervals) -> _Bound | None:
        """‖T[u, u]‖/‖u‖² at the middle of the box, for a direction that a power iteration finds."""
        point, q = tuple(map(middle_of, box)), self.size
        entries = self._entries.at(point)
        if entries is None:
            return None
        at = dict(zip(self._entries.index, entries, strict=True))
        full = np.empty((q, q, q))
        for triple in product(range(q), repeat=3):
            full[triple] = float(at[tuple(sorted(triple))].mid())  # pyright: ignore[reportArgumentType]
        u = [arb(float(x)) for x in _direction(full)]
        image = [sum((at[tuple(sorted((i, j, k)))] * u[j] * u[k] for j in range(q) for k in range(q)), arb(0))  # pyright: ignore[reportArgumentType]
                 for i in range(q)]  # fmt: skip
        length = sum((x * x for x in u), arb(0))
        end = end_of(sum((x * x for x in image), arb(0)).sqrt() / length, upper=False)
        return _Bound(end, dict(zip(self._entries.symbols, point, strict=True))) if isinstance(end, Fraction) else None

    def shrink(self, box: Intervals) -> Intervals:
        """The box itself: no part of it is known to be smaller."""
        return box


def _direction(tensor: np.ndarray) -> np.ndarray:
    """A unit vector at which ‖T[u, u]‖ is near its maximum: u ← T[u, u]/‖·‖ from axes, diagonals, singular vectors."""
    q = len(tensor)
    signs = [np.array((1.0, *rest)) / np.sqrt(q) for rest in islice(product((1.0, -1.0), repeat=q - 1), CORNERS)]
    u = np.array([*np.eye(q), *signs, *np.linalg.svd(tensor.reshape(q, q * q))[0].T])
    best, value, flat = u[0], -1.0, tensor.reshape(q, q * q).T
    for _ in range(20):
        image = (u[:, :, None] * u[:, None, :]).reshape(len(u), q * q) @ flat
        sizes = np.linalg.norm(image, axis=1)
        if sizes.max() > value:
            best, value = u[sizes.argmax()], sizes.max()
        u, image, sizes = u[sizes > 0], image[sizes > 0], sizes[sizes > 0]
        if len(u) == 0:
            break
        u = image / sizes[:, None] + u / 2  # damped: the plain iteration can cycle
        u = u / np.linalg.norm(u, axis=1)[:, None]
    return best
