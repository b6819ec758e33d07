"""Exact instances, which know what hypotheses they satisfy: the first on which a claim fails, and one that has all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction as F
from math import prod
from typing import Protocol, TypeVar

import sympy as sp

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.shared.tools import instance


class Tested(Protocol):
    """Numbers on which claims are tried; `facts` computes from them which hypotheses hold."""

    def facts(self) -> Set[str]: ...


class Exact(Tested, Protocol):
    """Numbers that can be shown."""

    def witness(self, says: str, /) -> Witness: ...


T = TypeVar("T", bound=Tested)
X = TypeVar("X", bound=Exact)


def admitted(found: Iterable[T], hypotheses: Sequence[str]) -> Iterator[T]:
    """Those that satisfy the hypotheses."""
    return (x for x in found if set(hypotheses) <= x.facts())


def first_failing(found: Iterable[X], hypotheses: Sequence[str], wrong: Callable[[X], str | None]) -> Witness | None:
    """The first that satisfies the hypotheses and of which `wrong` says what fails."""
    return next((x.witness(says) for x in admitted(found, hypotheses) if (says := wrong(x))), None)


def satisfying(x: Exact, hypotheses: Sequence[str], says: str) -> Witness:
    """`instance` at x, once it satisfies the hypotheses."""
    return instance(x.witness("").point, says, {name: name in x.facts() for name in hypotheses})


def value_at(formula: sp.Expr, values: Mapping[sp.Symbol, F]) -> F:
    """A formula at exact numbers, in which it is rational."""
    try:
        return _number(formula, values)
    except (LookupError, ZeroDivisionError):  # a root, a minimum, or what only SymPy can cancel
        return F(str(formula.subs({x: sp.Rational(y.numerator, y.denominator) for x, y in values.items()})))


def _number(e: sp.Basic, values: Mapping[sp.Symbol, F]) -> F:
    """Part by part; `LookupError` at what is neither known nor arithmetic."""
    if isinstance(e, sp.Rational):
        return F(int(e.p), int(e.q))
    if isinstance(e, sp.Add):
        return sum((_number(part, values) for part in e.args), F(0))
    if isinstance(e, sp.Mul):
        return prod((_number(part, values) for part in e.args), start=F(1))
    if isinstance(e, sp.Pow) and isinstance(e.exp, sp.Integer):
        return _number(e.base, values) ** int(e.exp)
    if isinstance(e, sp.Symbol):
        return values[e]
    raise LookupError(e)


def as_text(values: Mapping[str, object]) -> dict[str, str]:
    """Values as a witness shows them: the entries of a tuple one after the other."""
    return {name: ", ".join(map(str, x)) if isinstance(x, tuple) else str(x) for name, x in values.items()}
