"""The supremum of an expression over a box, enclosed by ball arithmetic (python-flint's `arb`) with branch and bound.

Every number returned is a bound that holds: the lower one is a value at a point, the upper one covers every box.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import count, product
from operator import add, itemgetter, mul
from typing import Any, NamedTuple

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
    whole = search.look(start)
    at_corners = (search.value([ball((end, end)) for end in corner]) for corner in product(*start))
    best = max((value for value in (whole.value, *at_corners) if value is not None), default=None)
    order = count()
    heap = [(-whole.upper, next(order), whole, start)]
    for _ in range(boxes):
        top, _, seen, widest = heap[0]
        if best is not None and isinstance(top, Fraction) and -top - best <= relative * max(abs(best), relative):
            return best, -top
        heapq.heappop(heap)
        for part in halves(seen.shrunk(widest)):
            seen = search.look(part)
            best = seen.value if best is None or (seen.value is not None and seen.value > best) else best
            heapq.heappush(heap, (-seen.upper, next(order), seen, part))
    return None


class Balls:
    """Expressions that share subexpressions (`sp.cse`), evaluated on balls: each value contains every exact one."""

    def __init__(self, exprs: Sequence[sp.Expr], symbols: Iterable[sp.Symbol]) -> None:
        self.symbols = tuple(symbols)
        unknown = set().union(*(sp.sympify(expr).free_symbols for expr in exprs)) - set(self.symbols)
        if unknown:
            raise InvalidInput(f"no range for {', '.join(sorted(map(str, unknown)))}: give numbers for all constants.")
        named, out = sp.cse(exprs)
        place = {x: k for k, x in enumerate((*self.symbols, *(name for name, _ in named)))}
        self._named, self._out = ([_rule(part, place) for part in parts] for parts in ((e for _, e in named), out))

    def __call__(self, balls: Sequence[arb]) -> list[arb]:
        """In the order of the symbols."""
        values = list(balls)
        for rule in self._named:
            values.append(rule(values))
        return [rule(values) for rule in self._out]


class _Seen(NamedTuple):
    """Of a box: an upper bound, a certain lower bound of the value at its middle (None where not finite), slopes."""

    upper: Fraction | float
    value: Fraction | None
    slopes: Sequence[arb]

    def shrunk(self, box: Intervals) -> Intervals:
        """The box without the part on which the expression is certainly smaller: it is monotone there."""
        if not self.slopes:
            return box
        return tuple(
            (side[1], side[1]) if slope > 0 else (side[0], side[0]) if slope < 0 else side
            for slope, side in zip(self.slopes, box, strict=True)
        )


class _Search:
    """The expression, its partial derivatives (none where it has kinks), and bounds of both over a box."""

    def __init__(self, expr: sp.Expr, symbols: Sequence[sp.Symbol]) -> None:
        self._value = Balls([expr], symbols)
        slopes = () if expr.has(*PIECED) else (sp.diff(expr, x) for x in symbols)
        self._all = Balls([expr, *slopes], symbols)

    def look(self, box: Intervals) -> _Seen:
        """The upper bound is the better one of plain interval evaluation and the mean-value form."""
        balls, centre = [ball(side) for side in box], [ball((middle, middle)) for middle in map(middle_of, box)]
        whole, *slopes = self._all(balls)
        (tangent,) = self._value(centre)
        value, uppers = _lower(tangent), [end_of(whole, upper=True)]
        if slopes:
            for slope, side, mid in zip(slopes, balls, centre, strict=True):
                tangent = tangent + slope * (side - mid)
            uppers.append(end_of(tangent, upper=True))
        return _Seen(min(uppers), value, slopes)

    def value(self, balls: Sequence[arb]) -> Fraction | None:
        """A certain lower bound of the value there; None where it is not finite."""
        return _lower(self._value(balls)[0])


def _lower(value: arb) -> Fraction | None:
    end = end_of(value, upper=False)
    return end if isinstance(end, Fraction) else None


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


def _rule(e: Any, place: Mapping[sp.Symbol, int]) -> Callable[[Sequence[arb]], arb]:
    """From the balls of all symbols, in their places, to one that contains every value of e; not finite where e may be
    undefined.
    """
    if e.is_Symbol:
        return itemgetter(place[e])
    if e.is_Rational:
        number = arb(fmpq(int(e.p), int(e.q)))
        return lambda at: number
    if e in IRRATIONALS:
        return lambda at: IRRATIONALS[e]()
    args = [_rule(arg, place) for arg in e.args if not (e.is_Pow and arg is e.exp)]
    if e.func in FUNCTIONS:
        over = FUNCTIONS[e.func].over
        return lambda at: over(*(arg(at) for arg in args))
    if e.is_Add or e.is_Mul:
        return _joined(add if e.is_Add else mul, args)
    if e.is_Pow and e.exp.is_Integer:
        return lambda at: _power(args[0](at), int(e.exp))
    if e.is_Pow and e.exp.is_Rational:
        return lambda at: _root(args[0](at), int(e.exp.q)) ** int(e.exp.p)
    raise InvalidInput(f"{e.func.__name__} has no ball arithmetic over a box: write the model with {LANGUAGE}.")


def _joined(join: Callable[[arb, arb], arb], args: Sequence[Callable]) -> Callable[[Sequence[arb]], arb]:
    """The sum, or the product, of the parts: this is what a search over boxes spends its time on."""
    first, *others = args

    def value(at: Sequence[arb]) -> arb:
        total = first(at)
        for other in others:
            total = join(total, other(at))
        return total

    return value


def _root(base: arb, q: int) -> arb:
    return base.root(q) if base >= 0 else arb("nan")


def _power(base: arb, exponent: int) -> arb:
    """The hull of the powers at both ends, as x^n is monotone in x, or for even n in |x|; not finite at 1/0."""
    if base.rad() == 0 or (exponent < 0 and base.contains(0)):
        return base**exponent
    ends = (base.abs_lower(), base.abs_upper()) if exponent % 2 == 0 else (base.lower(), base.upper())
    return (ends[0] ** exponent).union(ends[1] ** exponent)


def bracket(low: Fraction, high: Fraction) -> str:
    """The enclosure "[low, high]" with six digits, rounded outward."""
    return f"[{six_digits(low, ROUND_FLOOR):f}, {six_digits(high, ROUND_CEILING):f}]"


def six_digits(value: Fraction, rounding: str) -> Decimal:
    digits = Context(prec=6, rounding=rounding)
    return digits.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
