"""What the kernel takes from the books about π, erf, sin, cos and the gamma function: their signs, and laws by name.

A law is a theorem on real numbers with its source. It gives facts about terms that have values where its conditions
hold; the rule `law` shows these before it uses the facts. A law that claims too much would prove what is false: each is
looked at with many digits in the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import factorial
from typing import Any

from fedmm_edu.proofs.terms import ONE, Fact, Malformed, Term, minus

HIGHEST_ORDER = 20
"""The highest order of a polygamma function of which a law speaks."""
LawOfTerms = Callable[..., tuple[tuple[Fact, ...], tuple[Fact, ...]]]
"""Conditions and facts, for the arguments of a law."""


def sign_of_special(head: str, order: Any, inside: frozenset[int]) -> frozenset[int]:
    """The signs that π, erf, lgamma or polygamma may have, where its argument has one of the signs `inside`."""
    if head == "erf":
        return inside
    if head == "polygamma" and order > 0:  # (−1)^{n+1} ψ_n(x) = n! Σ_k (x + k)^{−n−1}
        return frozenset({1 if order % 2 else -1})
    return frozenset({1}) if head == "pi" else frozenset({-1, 0, 1})


def _pi() -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """3 < π < 22/7 (Archimedes)."""
    return (), (Fact(">", minus(("pi",), Fraction(3))), Fact(">", minus(Fraction(22, 7), ("pi",))))


def _erf(x: Term) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """−1 < erf(x) < 1."""
    return (), (Fact(">", ("+", ONE, ("erf", x))), Fact(">", minus(ONE, ("erf", x))))


def _erf_tail(x: Term) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """1 + erf(x) ≤ e^{−x²} for x ≤ 0: the tail of the Gaussian law (DLMF 7.8.1 with 7.8.2 gives more)."""
    bell = ("exp", ("*", Fraction(-1), ("pow", x, 2)))
    return (Fact(">=", ("*", Fraction(-1), x)),), (Fact(">=", minus(bell, ONE, ("erf", x))),)


def _polygamma_step(n: int, x: Term) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """ψ_n(x + 1) = ψ_n(x) + (−1)ⁿ n!/x^{n+1} for x > 0 (DLMF 5.15.5)."""
    jump = ("*", Fraction((-1) ** n * factorial(n)), ("pow", x, -n - 1))
    return (Fact(">", x),), (Fact("=", minus(("polygamma", n, ("+", x, ONE)), ("polygamma", n, x), jump)),)


def _polygamma_bounds(n: int, x: Term) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """a + b < (−1)^{n+1} ψ_n(x) < a + b + c for x > 0, with n ≥ 1 and the first terms of Stirling's series,

    a = (n−1)!/xⁿ, b = n!/(2x^{n+1}), c = (n+1)!/(12x^{n+2})  (Alzer 1997, Math. Comp. 66, Theorem 9).
    """
    if n == 0:
        raise Malformed("the bounds are those of a polygamma function of order >= 1.")
    size = ("*", Fraction((-1) ** (n + 1)), ("polygamma", n, x))
    a = ("*", Fraction(factorial(n - 1)), ("pow", x, -n))
    b = ("*", Fraction(factorial(n), 2), ("pow", x, -n - 1))
    c = ("*", Fraction(factorial(n + 1), 12), ("pow", x, -n - 2))
    return (Fact(">", x),), (Fact(">", minus(size, a, b)), Fact(">", minus(("+", a, b, c), size)))


def _circle(x: Term) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """sin²x + cos²x = 1, and so both lie between −1 and 1."""
    sine, cosine = ("sin", x), ("cos", x)
    ends = tuple(Fact(">=", end) for f in (sine, cosine) for end in (("+", ONE, f), minus(ONE, f)))
    return (), (Fact("=", minus(("+", ("pow", sine, 2), ("pow", cosine, 2)), ONE)), *ends)


LAWS: Mapping[str, tuple[int, LawOfTerms]] = {
    "pi": (0, _pi),
    "erf": (1, _erf),
    "erf tail": (1, _erf_tail),
    "circle": (1, _circle),
    "polygamma step": (2, _polygamma_step),
    "polygamma bounds": (2, _polygamma_bounds),
}
"""The number of arguments of each law, and the law; of two the first is an order."""


def law_of(name: Any, args: Any) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """Conditions and facts; `Malformed` where there is no such law. Whether arguments are terms is for the kernel."""
    if not isinstance(name, str) or name not in LAWS or not isinstance(args, tuple) or len(args) != LAWS[name][0]:
        raise Malformed(f"{name!r} of {args!r} is no law: there are {', '.join(LAWS)}.")
    if len(args) == 2 and (type(args[0]) is not int or not 0 <= args[0] <= HIGHEST_ORDER):
        raise Malformed(f"{args[0]!r} is no order of a polygamma function from 0 to {HIGHEST_ORDER}.")
    return LAWS[name][1](*args)
