"""The supremum of an expression over a box, enclosed by ball arithmetic (python-flint's `arb`) with branch and bound.

Every number returned is a bound that holds: the lower one is a value at a point, the upper one covers every box.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import count, product
from typing import Any

import sympy as sp
from flint import arb, fmpq

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.functions.table import FUNCTIONS, IRRATIONALS, LANGUAGE, PIECED

Interval = tuple[Fraction, Fraction]
Intervals = tuple[Interval, ...]


def enclose_supremum(
    expr: sp.Expr, box: Mapping[sp.Symbol, Interval], *, relative: Fraction = Fraction(1, 10**5), boxes: int = 4_000
) -> Interval | None:
    """Rationals (low, high) with low ≤ sup expr ≤ high over the box, high − low ≤ relative·max(|low|, relative).

    None when `boxes` boxes were not enough, or where expr has no finite value. `InvalidInput` for functions that ball
    arithmetic has no rule for.

    >>> x = sp.Symbol("x")
    >>> low, high = enclose_supremum(x * (1 - x), {x: (Fraction(0), Fraction(1))})
    >>> low <= Fraction(1, 4) <= high, high - low < Fraction(1, 10**5)
    (True, True)
    """
    search = _Search(expr, tuple(box))
    start = tuple(box.values())
    corners = [tuple((end, end) for end in corner) for corner in product(*start)]
    best = max((v for box in (start, *corners) if (v := search.value(box)) is not None), default=None)
    order = count()
    heap = [(-search.upper(start), next(order), start)]
    for _ in range(boxes):
        top, _, widest = heap[0]
        if best is not None and isinstance(top, Fraction) and -top - best <= relative * max(abs(best), relative):
            return best, -top
        heapq.heappop(heap)
        for part in halves(search.shrink(widest)):
            value = search.value(part)
            best = value if best is None or (value is not None and value > best) else best
            heapq.heappush(heap, (-search.upper(part), next(order), part))
    return None


class Balls:
    """Expressions that share subexpressions (`sp.cse`), evaluated on balls: each value contains every exact one."""

    def __init__(self, exprs: Sequence[sp.Expr], symbols: Iterable[sp.Symbol]) -> None:
        self.symbols = tuple(symbols)
        unknown = set().union(*(sp.sympify(expr).free_symbols for expr in exprs)) - set(self.symbols)
        if unknown:
            raise InvalidInput(f"no range for {', '.join(sorted(map(str, unknown)))}: give numbers for all constants.")
        self._named, self._out = sp.cse(exprs)

    def __call__(self, balls: Sequence[arb]) -> list[arb]:
        values = dict(zip(self.symbols, balls, strict=True))
        for name, part in self._named:
            values[name] = _value(part, values)
        return [_value(part, values) for part in self._out]


class _Search:
    """The expression, its partial derivatives (none where it has kinks), and bounds of both over a box."""

    def __init__(self, expr: sp.Expr, symbols: Sequence[sp.Symbol]) -> None:
        self._value = Balls([expr], symbols)
        self._kinks = expr.has(*PIECED)
        self._all = Balls([expr, *(() if self._kinks else (sp.diff(expr, x) for x in symbols))], symbols)

    def upper(self, box: Intervals) -> Fraction | float:
        """An upper bound on the box: the better one of plain interval evaluation and the mean-value form."""
        balls = [ball(side) for side in box]
        if self._kinks:
            return end_of(self._all(balls)[0], upper=True)
        centre = [ball((middle, middle)) for middle in map(middle_of, box)]
        whole, *slopes = self._all(balls)
        (tangent,) = self._value(centre)
        for slope, side, mid in zip(slopes, balls, centre, strict=True):
            tangent = tangent + slope * (side - mid)
        return min(end_of(value, upper=True) for value in (whole, tangent))

    def value(self, box: Intervals) -> Fraction | None:
        """A certain lower bound of the value at the middle of the box; None where it is not finite."""
        end = end_of(self._value([ball((x, x)) for x in map(middle_of, box)])[0], upper=False)
        return end if isinstance(end, Fraction) else None

    def shrink(self, box: Intervals) -> Intervals:
        """The box without the part on which expr is certainly smaller: it is monotone there."""
        if self._kinks:
            return box
        _, *slopes = self._all([ball(side) for side in box])
        return tuple(
            (side[1], side[1]) if slope > 0 else (side[0], side[0]) if slope < 0 else side
            for slope, side in zip(slopes, box, strict=True)
        )


def halves(box: Intervals) -> tuple[Intervals, ...]:
    widths = [high - low for low, high in box]
    k = widths.index(max(widths))
    if widths[k] == 0:
        return (box,)
    low, high = box[k]
    middle = (low + high) / 2
    return tuple((*box[:k], side, *box[k + 1 :]) for side in ((low, middle), (middle, high)))


def middle_of(side: Interval) -> Fraction:
    return (side[0] + side[1]) / 2


def ball(side: Interval) -> arb:
    low, high = (arb(fmpq(x.numerator, x.denominator)) for x in side)
    return low if side[0] == side[1] else low.union(high)


def end_of(value: arb, *, upper: bool) -> Any:
    """The upper (lower) end as a fraction; +∞ (−∞) where the value is not finite."""
    if not value.is_finite():
        return float("inf") if upper else float("-inf")
    end = value.upper() if upper else value.lower()
    mantissa, exponent = (int(part) for part in end.mid().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def _value(e: Any, at: Mapping[sp.Symbol, arb]) -> arb:
    """A ball that contains every value of e on the balls `at`; not finite where e may be undefined."""
    if e.is_Symbol:
        return at[e]
    if e.is_Rational:
        return arb(fmpq(int(e.p), int(e.q)))
    if e in IRRATIONALS:
        return IRRATIONALS[e]()
    if e.func in FUNCTIONS:
        return FUNCTIONS[e.func].over(*(_value(arg, at) for arg in e.args))
    args = [_value(arg, at) for arg in e.args if not (e.is_Pow and arg is e.exp)]
    if e.is_Add:
        return sum(args[1:], args[0])
    if e.is_Mul:
        out = args[0]
        for arg in args[1:]:
            out = out * arg
        return out
    if e.is_Pow and e.exp.is_Integer:
        return _power(args[0], int(e.exp))
    if e.is_Pow and e.exp.is_Rational:
        return args[0].root(int(e.exp.q)) ** int(e.exp.p) if args[0] >= 0 else arb("nan")
    raise InvalidInput(f"{e.func.__name__} has no ball arithmetic over a box: write the model with {LANGUAGE}.")


def _power(base: arb, exponent: int) -> arb:
    """The hull of the powers at both ends, as x^n is monotone in x, or for even n in |x|; not finite at 1/0."""
    if base.rad() == 0 or (exponent < 0 and base.contains(0)):
        return base**exponent
    ends = (base.abs_lower(), base.abs_upper()) if exponent % 2 == 0 else (base.lower(), base.upper())
    return (ends[0] ** exponent).union(ends[1] ** exponent)


def bracket(low: Fraction, high: Fraction) -> str:
    """The enclosure "[low, high]" with six digits, rounded outward."""
    ends = []
    for end, rounding in ((low, ROUND_FLOOR), (high, ROUND_CEILING)):
        digits = Context(prec=6, rounding=rounding)
        ends.append(f"{digits.divide(Decimal(end.numerator), Decimal(end.denominator)).normalize():f}")
    return f"[{', '.join(ends)}]"
