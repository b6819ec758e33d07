"""Where an expression has a real value: the terms that may fail and the relation that each of them needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import sympy as sp
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import BooleanAtom

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.decide.domain import Relation, relations_of
from fedmm_edu.symbolic.functions.table import FUNCTIONS, IRRATIONALS, LANGUAGE

_LOGIC = (sp.Rel, sp.And, sp.Or, sp.Not, BooleanAtom, sp.Tuple, ExprCondPair)


def require_supported(expr: sp.Basic) -> None:
    """`InvalidInput` unless expr is made of symbols, real numbers, + * / powers, cases and functions of the table."""
    for node in sp.preorder_traversal(expr):
        if not _supported(node):
            raise InvalidInput(f"{node} is not supported: write it with {LANGUAGE}.")


def is_supported(expr: sp.Basic) -> bool:
    """Whether `require_supported` accepts the expression."""
    return all(map(_supported, sp.preorder_traversal(expr)))


def _supported(node: Any) -> bool:
    known = node.is_Symbol or node.is_Add or node.is_Mul or node.is_Pow or isinstance(node, (sp.Piecewise, *_LOGIC))
    if known or node.is_Rational or node in IRRATIONALS:
        return True
    entry = FUNCTIONS.get(node.func)
    return entry is not None and all(n.is_Integer and n >= 0 for n in node.args[: entry.parameters])


class Need(NamedTuple):
    """`term` has a real value only where `relation` holds; it is met only where all of `guards` hold."""

    term: sp.Expr
    relation: Relation
    guards: tuple[Relation, ...]


def needs_of(expr: sp.Basic, guards: tuple[Relation, ...] = ()) -> Iterator[Need]:
    """What expr needs to be defined, inner terms first.

    SymPy cancels x/x to 1 before anything can look at it: only terms that are still in the expression count.
    """
    if isinstance(expr, sp.Piecewise):
        yield from _piecewise_needs(expr, guards)
        return
    for arg in expr.args:
        yield from needs_of(arg, guards)
    if not isinstance(expr, sp.Expr):  # a tuple or a condition, which needs what its parts need
        return
    if expr.func in FUNCTIONS:
        for value, op in FUNCTIONS[expr.func].domain(*expr.args):
            yield Need(expr, Relation(value, op), guards)
    elif isinstance(expr, sp.Pow):
        base, exponent = expr.args
        if exponent.is_Integer:
            if exponent < 0 and not base.is_Number:
                yield Need(expr, Relation(base, "!="), guards)
        elif not (base.is_Number and base > 0):
            yield Need(expr, Relation(base, ">=" if exponent.is_Rational and exponent > 0 else ">"), guards)


def _piecewise_needs(expr: Any, guards: tuple[Relation, ...]) -> Iterator[Need]:
    """Each branch under its own condition; a condition is an `Or` of relations at most when negated away."""
    for branch, condition in expr.args:
        yield from needs_of(condition, guards)
        own = guards
        if condition is not sp.true and not condition.has(sp.Or, sp.Not):
            own = (*guards, *relations_of(condition))
        yield from needs_of(branch, own)
        if isinstance(condition, sp.Rel):  # further branches are met where this condition fails
            guards = (*guards, *Relation(*relations_of(condition)[0]).negated())
    if expr.args[-1][1] is not sp.true:
        yield Need(expr, Relation(sp.S.NegativeOne, ">="), guards)
