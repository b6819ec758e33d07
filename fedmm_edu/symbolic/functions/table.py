"""The functions that a model may use, one entry each: a new one is added here and nowhere else.

Laws of arithmetic (sums, products, powers, cases) stand in the walkers of `decide`, and so do the two laws that make
exp and log their normal forms there: exp(a + b) = exp(a)·exp(b), log(ab) = log(a) + log(b).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

import sympy as sp
from flint import acb, arb, fmpq

from fedmm_edu.symbolic.functions.faces import ExactOrBall, Kinked, Positive, Smooth, certain_sign
from fedmm_edu.symbolic.functions.signs import ANY_SIGN, NEGATIVE, POSITIVE, combined

# --------------------------------------------------------------------------------------- balls from values at the ends


def hull_of_ends(f: Callable[[arb], arb]) -> Callable[[arb], arb]:
    """The hull of both ends, for a function that increases, or decreases, on the whole of a ball inside its domain."""

    def ball(x: arb) -> arb:
        if not x.is_finite() or x.rad() == 0:
            return f(x)
        return f(x.lower()).union(f(x.upper()))

    return ball


def valley(f: Callable[[arb], arb], low: Fraction, high: Fraction, least: Fraction) -> Callable[[arb], arb]:
    """For a function that decreases until some point of [low, high], increases then, and is nowhere below `least`."""
    sides = hull_of_ends(f)

    def ball(x: arb) -> arb:
        around = not (x > _exactly(high) or x < _exactly(low)) and x.rad() > 0
        return sides(x).union(_exactly(least)) if around else sides(x)

    return ball


def _exactly(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def _special(name: str) -> Callable[..., Any]:
    """SciPy's special function of that name, imported when it is called: a verdict can be had without SciPy."""

    def on_arrays(*args: Any) -> Any:
        from scipy import special

        return getattr(special, name)(*args)

    return on_arrays


def _everywhere(*_: Any) -> tuple:
    return ()


def _positive_argument(*args: Any) -> tuple:
    return ((args[-1], ">"),)


# ---------------------------------------------------------------------------------------------------- smooth functions

SMOOTH = (
    Smooth(
        function=sp.exp,
        domain=_everywhere,
        exact={0: 1},
        ball=arb.exp,
        signs=lambda of, x: POSITIVE,
        rewritten=None,
        squared=None,
        facts=_everywhere,  # its sign is enough
        numpy=None,
    ),
    Smooth(
        function=sp.log,
        domain=_positive_argument,
        exact={1: 0},
        ball=arb.log,
        signs=lambda of, x: of(sp.expand(x - 1)),
        rewritten=None,
        squared=None,
        facts=_everywhere,
        numpy=None,
    ),
    Smooth(
        function=sp.tanh,
        domain=_everywhere,
        exact={0: 0},
        ball=hull_of_ends(arb.tanh),
        signs=lambda of, x: of(x),
        rewritten=lambda x: (sp.exp(2 * x) - 1) / (sp.exp(2 * x) + 1),
        squared=None,
        facts=_everywhere,
        numpy=None,
    ),
    Smooth(
        function=sp.cosh,
        domain=_everywhere,
        exact={0: 1},
        ball=valley(arb.cosh, Fraction(0), Fraction(0), Fraction(1)),
        signs=lambda of, x: POSITIVE,
        rewritten=lambda x: (sp.exp(x) + sp.exp(-x)) / 2,
        squared=None,
        facts=_everywhere,
        numpy=None,
    ),
    Smooth(
        function=sp.sinh,
        domain=_everywhere,
        exact={0: 0},
        ball=hull_of_ends(arb.sinh),
        signs=lambda of, x: of(x),
        rewritten=lambda x: (sp.exp(x) - sp.exp(-x)) / 2,
        squared=None,
        facts=_everywhere,
        numpy=None,
    ),
    Smooth(
        function=sp.cos,
        domain=_everywhere,
        exact={0: 1},
        ball=arb.cos,
        signs=lambda of, x: ANY_SIGN,
        rewritten=None,
        squared=None,
        facts=lambda w, x: ((1 - w, ">="), (1 + w, ">="), (w - 1 + x**2 / 2, ">=")),
        numpy=None,
    ),
    Smooth(
        function=sp.sin,
        domain=_everywhere,
        exact={0: 0},
        ball=arb.sin,
        signs=lambda of, x: ANY_SIGN,
        rewritten=None,
        squared=lambda x: 1 - sp.cos(x) ** 2,
        facts=lambda w, x: ((1 - w, ">="), (1 + w, ">="), (x**2 - w**2, ">=")),
        numpy=None,
    ),
    Smooth(
        function=sp.erf,
        domain=_everywhere,
        exact={0: 0},
        ball=hull_of_ends(arb.erf),
        signs=lambda of, x: of(x),
        rewritten=None,
        squared=None,
        # its slope at 0, 2/√π = 1.128…, is the largest
        facts=lambda w, x: (
            (1 - w, ">"),
            (1 + w, ">"),
            (w * x, ">="),
            (sp.Rational(113, 100) * x**2 - w * x, ">="),
        ),
        numpy=_special("erf"),
    ),
    Smooth(
        function=sp.loggamma,
        domain=_positive_argument,
        exact={1: 0, 2: 0},
        # its least value is −0.12148629… at 1.46163214…
        ball=valley(arb.lgamma, Fraction(1461, 1000), Fraction(1462, 1000), Fraction(-1215, 10_000)),
        signs=lambda of, x: of(sp.expand((x - 1) * (x - 2))),  # it is convex with zeros 1 and 2
        rewritten=None,
        squared=None,
        facts=lambda w, x: ((w + sp.Rational(1215, 10_000), ">="),),
        numpy=_special("loggamma"),
    ),
    Smooth(  # the derivatives of loggamma: ψ^(n)(x), n = 0 the digamma function; (−1)^{n+1} ψ^(n) > 0 for n ≥ 1
        function=sp.polygamma,
        domain=_positive_argument,
        exact={},
        ball=lambda n, x: hull_of_ends(lambda y: acb(y).polygamma(acb(n)).real)(x),
        signs=lambda of, n, x: ANY_SIGN if n == 0 else POSITIVE if n % 2 else NEGATIVE,
        rewritten=None,
        squared=None,
        facts=_everywhere,
        numpy=_special("polygamma"),
        parameters=1,
    ),
)

# ------------------------------------------------------------------------------------------------ functions with kinks


def _extreme(direction: int) -> Callable[..., ExactOrBall]:
    def at(*values: ExactOrBall) -> ExactOrBall:
        best = values[0]
        for value in values[1:]:
            if certain_sign(value - best) * direction > 0:
                best = value
        return best

    return at


def _extreme_piece(direction: int) -> Callable[..., sp.Expr]:
    def piece(positive: Positive, *args: sp.Expr) -> sp.Expr:
        best = args[0]
        for arg in args[1:]:
            best = arg if positive(arg - best) == (direction > 0) else best
        return best

    return piece


def _extreme_smt(op: str) -> Callable[..., str]:
    return lambda *terms: reduce(lambda a, b: f"(ite ({op} {a} {b}) {a} {b})", terms)


def _differences(*args: sp.Expr) -> tuple[sp.Expr, ...]:
    return tuple(args[0] - other for other in args[1:])


KINKED = (
    Kinked(
        function=sp.Abs,
        at=lambda x: abs(x),
        over=arb.__abs__,
        signs=lambda of, x: frozenset(map(abs, of(x))),
        switches=lambda x: (x,),
        piece=lambda positive, x: x if positive(x) else -x,
        bend=1,
        smt=lambda u: f"(ite (>= {u} 0.0) {u} (- {u}))",
        numpy=None,
    ),
    Kinked(
        function=sp.sign,
        at=lambda x: fmpq(certain_sign(x)),
        over=arb.sgn,
        signs=lambda of, x: of(x),
        switches=lambda x: (x,),
        piece=lambda positive, x: sp.S.One if positive(x) else sp.S.NegativeOne,
        bend=0,
        smt=lambda u: f"(ite (> {u} 0.0) 1.0 (ite (< {u} 0.0) (- 1.0) 0.0))",
        numpy=None,
    ),
    Kinked(
        function=sp.Max,
        at=_extreme(1),
        over=lambda *balls: reduce(arb.max, balls),
        signs=lambda of, *args: combined(max, *map(of, args)),
        switches=_differences,
        piece=_extreme_piece(1),
        bend=1,
        smt=_extreme_smt(">="),
        numpy=None,
    ),
    Kinked(
        function=sp.Min,
        at=_extreme(-1),
        over=lambda *balls: reduce(arb.min, balls),
        signs=lambda of, *args: combined(min, *map(of, args)),
        switches=_differences,
        piece=_extreme_piece(-1),
        bend=-1,
        smt=_extreme_smt("<="),
        numpy=None,
    ),
)

# ---------------------------------------------------------------------------------------------------------- the tables

FUNCTIONS: Mapping[type, Smooth | Kinked] = {entry.function: entry for entry in (*SMOOTH, *KINKED)}
IRRATIONALS: Mapping[sp.Expr, Callable[[], arb]] = {
    sp.pi: arb.pi,
    sp.E: lambda: arb(1).exp(),
    sp.EulerGamma: arb.const_euler,
}
"""The irrational numbers of the language, each positive."""

PIECED = (*(entry.function for entry in KINKED), sp.Piecewise)
"""Everything that follows one formula or another."""

NUMPY: Any = [{entry.function.__name__: entry.numpy for entry in FUNCTIONS.values() if entry.numpy}, "numpy"]
"""The modules with which `sp.lambdify` runs every function of the table on arrays."""


def _on_floats(entry: Smooth | Kinked) -> Callable[..., float]:
    """The middle of the ball around a value, for what Python's `math` does not have; NaN outside the domain."""
    return lambda *args: float(entry.over(*map(arb, args)).mid())


_MATH = {f.__name__: getattr(math, f.__name__, None) or _on_floats(entry) for f, entry in FUNCTIONS.items()}
_MATH |= {"Abs": abs, "Max": max, "Min": min, "EulerGamma": float(arb.const_euler())}
FLOATS: Any = [_MATH, "math"]
"""The same for plain floats, where NumPy is not installed."""

LANGUAGE = f"+ * / powers {' '.join(function.__name__ for function in FUNCTIONS)} Piecewise"
_REWRITTEN = {entry.function: entry.rewritten for entry in SMOOTH if entry.rewritten is not None}


def without_rewritten(expr: Any) -> Any:
    """The expression without functions that are rewritten in others."""
    if not _REWRITTEN or not expr.has(*_REWRITTEN):
        return expr
    return expr.replace(lambda e: e.func in _REWRITTEN, lambda e: _REWRITTEN[e.func](*e.args))
