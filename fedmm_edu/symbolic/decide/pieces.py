"""Which smooth piece of a piecewise formula holds on a set, and where two pieces meet with a kink.

|·|, sign, max, min and cases switch where an expression changes its sign. If no switch lies inside the set, the formula
is smooth there; if one does, the slopes on both sides of it say whether the derivative exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.decide.domain import Domain, real
from fedmm_edu.symbolic.decide.inequality import decide_nonnegative, domain_point
from fedmm_edu.symbolic.functions.faces import Kinked, Positive, meets
from fedmm_edu.symbolic.functions.table import FUNCTIONS, PIECED


class Switch(Exception):
    """The sign of `term`, on which the choice of a piece depends, is not the same (or not known) everywhere."""

    def __init__(self, term: sp.Expr) -> None:
        super().__init__(term)
        self.term = term


class Kink(NamedTuple):
    """At `point` (constants and s) the slope of component `entry` along `along` is `left` before and `right` after."""

    point: Mapping[str, sp.Expr]
    along: str
    entry: int
    left: sp.Expr
    right: sp.Expr


def smooth_piece(expr: Any, domain: Domain, depth: int = 4) -> Any:
    """The formula that holds on the whole domain, without |·|, sign, max, min or cases; `Switch` where none is known.

    Where a sign is not the same everywhere, the formulas on both sides and the value in between must agree.
    """

    def positive(term: sp.Expr) -> bool:
        for sign in (1, -1):
            if decide_nonnegative(sign * term, domain, strict=True).status == "proved":
                return sign == 1
        raise Switch(term)

    try:
        return _choose(expr, positive)
    except Switch as switch:
        formula = _common(expr, switch.term, domain, depth) if depth and isinstance(switch.term, sp.Expr) else None
        if formula is None:
            raise
        return formula


def _common(expr: Any, term: sp.Expr, domain: Domain, depth: int) -> Any:
    """The formula of expr where term > 0, if it is also the one where term < 0 and the value where term = 0."""
    try:
        above, below = (smooth_piece(expr, domain.also([side > 0]), depth - 1) for side in (term, -term))
        plain = real(above)
        if plain != real(below):
            return None
        for x in sorted(term.free_symbols, key=str):
            roots = _roots(term, x)
            if roots and all(expr.subs(x, root) == domain.lift(plain).subs(x, root) for root in roots):
                return domain.lift(plain)
    except (Switch, InvalidInput):
        return None
    return None


def _choose(e: Any, positive: Positive) -> Any:
    """e with each switch replaced by the piece that `positive` selects."""
    if not e.has(*PIECED):
        return e
    if isinstance(e, sp.Piecewise):
        pairs: Any = e.args
        for branch, condition in pairs:
            if _truth(condition, positive):
                return _choose(branch, positive)
        raise Switch(e)
    args = [_choose(arg, positive) for arg in e.args]
    entry = FUNCTIONS.get(e.func)
    return entry.piece(positive, *args) if isinstance(entry, Kinked) else e.func(*args)


def _truth(condition: Any, positive: Positive) -> bool:
    if condition in (sp.true, sp.false):
        return bool(condition)
    if isinstance(condition, sp.And | sp.Or):
        parts = [_truth(part, positive) for part in condition.args]
        return all(parts) if isinstance(condition, sp.And) else any(parts)
    if isinstance(condition, sp.Not):
        return not _truth(condition.args[0], positive)
    if isinstance(condition, sp.Gt | sp.Ge | sp.Lt | sp.Le):
        return positive(_choose(condition.lhs - condition.rhs, positive)) == isinstance(condition, sp.Gt | sp.Ge)
    raise Switch(condition)


def by_signs(expr: Any, theta: Sequence[sp.Symbol]) -> Iterator[tuple[tuple[sp.Basic, ...], Any]]:
    """The smooth formulas that expr follows in theta, each with the signs of the switches under which it does.

    A switch that is free of theta is left as it is, and so is a maximum of more than two; what holds where a switch
    vanishes is not said.
    """
    switches = (term for node in sp.postorder_traversal(expr) for term in _switches_of(node) if term.has(*theta))
    switch = next((term for term in switches if sp.expand(term) != 0), None)
    if switch is None:
        yield (), expr
        return
    for side in (switch, -switch):
        if (guard := side > 0) is not sp.false:
            for guards, smooth in by_signs(_on_side(expr, switch, side is switch), theta):
                yield (guard, *guards), smooth


def _switches_of(node: Any) -> Iterator[sp.Expr]:
    entry = FUNCTIONS.get(node.func)
    if isinstance(entry, Kinked) and len(found := entry.switches(*node.args)) == 1:
        yield found[0]
    elif isinstance(node, sp.Gt | sp.Ge | sp.Lt | sp.Le):
        yield node.lhs - node.rhs


def _on_side(expr: Any, switch: sp.Expr, above: bool) -> Any:
    """expr where the switch is > 0 (`above`), or < 0: from the inside outwards, each piece that it decides."""
    if not expr.args:
        return expr
    args = [_on_side(arg, switch, above) for arg in expr.args]
    entry = FUNCTIONS.get(expr.func)
    if isinstance(expr, sp.Gt | sp.Ge | sp.Lt | sp.Le) and args[0] - args[1] == switch:
        return sp.sympify(above == isinstance(expr, sp.Gt | sp.Ge))
    if isinstance(entry, Kinked) and tuple(entry.switches(*args)) == (switch,):
        return entry.piece(lambda term: above == (term == switch), *args)
    return expr.func(*args)


def switches(expr: Any, domain: Domain, depth: int = 4) -> list[sp.Expr]:
    """The terms on whose sign the choice of a piece depends within the domain: none where it is one smooth piece."""
    try:
        smooth_piece(expr, domain)
    except Switch as switch:
        found = [switch.term]
        for side in (switch.term, -switch.term) if depth and isinstance(switch.term, sp.Expr) else ():
            with suppress(InvalidInput):  # an empty part of the domain
                found += switches(expr, domain.also([side > 0]), depth - 1)
        return list(dict.fromkeys(found))
    return []


def find_kink(exprs: Sequence[sp.Expr], s: Sequence[sp.Symbol], domain: Domain, switch: sp.Expr) -> Kink | None:
    """A point inside the domain where `switch` vanishes and the slopes on both sides differ; None when none was found.

    The other coordinates are held at 0 where the domain allows it.
    """
    for k, x in enumerate(s):
        others = [y for j, y in enumerate(s) if j != k]
        for rest in dict.fromkeys((tuple(sp.S.Zero for _ in others), None)):
            held = dict(zip(others, rest, strict=True)) if rest is not None else {}
            if rest is None and not others:
                continue
            for root in _roots(switch.xreplace(held), x):
                kink = _compare(exprs, x, root, held, domain)
                if kink is not None:
                    return kink
    return None


def _roots(term: sp.Expr, x: sp.Symbol) -> list[sp.Expr]:
    try:
        return [root for root in sp.solve(term, x) if x not in root.free_symbols]
    except NotImplementedError:
        return []


def _compare(exprs: Sequence[sp.Expr], x: sp.Symbol, root: sp.Expr, held: Mapping, domain: Domain) -> Kink | None:
    """The slopes along x on both sides of x = root at one exact point of the domain."""
    where = {**held, x: root.xreplace(held)}
    inside = [r.at(where) for r in domain.relations]
    if any(r.expr.is_number and not meets(r.expr, r.op) for r in inside):
        return None
    rest = [y for y in domain.variables if y not in where]
    try:
        found = domain_point([r for r in inside if not r.expr.is_number], rest)
    except InvalidInput:
        return None
    if found is None:
        return None
    values = {y: sp.Rational(found[y.name]) for y in rest}
    point = {**values, **{y: sp.sympify(v).xreplace(values) for y, v in where.items()}}
    line = {y: v for y, v in point.items() if y != x}
    for entry, expr in enumerate(exprs):
        on_line = expr.xreplace(line)
        left, right = (_one_sided(on_line, x, point[x], side) for side in (-1, 1))
        if left is not None and right is not None and left != right:
            shown = {y.name: value for y, value in sorted(point.items(), key=lambda item: item[0].name)}
            return Kink(shown, x.name, entry, left, right)
    return None


def _one_sided(expr: sp.Expr, x: sp.Symbol, at: sp.Expr, side: int) -> sp.Expr | None:
    """The slope of expr at x = at, from below (side −1) or above (+1); None when a sign is not decided exactly."""

    def positive(term: sp.Expr) -> bool:
        value, slope = (sp.sympify(e).subs(x, at) for e in (term, side * sp.diff(term, x)))
        sign = sp.sign(slope if value == 0 else value)
        if sign not in (-1, 1):
            raise Switch(term)
        return sign == 1

    try:
        slope = sp.diff(_choose(expr, positive), x).subs(x, at)
    except Switch:
        return None
    return slope if slope.is_Rational else None
