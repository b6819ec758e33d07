"""What each row of a check claims of a model of L components, in the symbols of one component and with `Total`s.

The same rows as those of `hypotheses.statements`, for every L: where a coordinate of one component occurs outside a
total, the claim is about every component.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sympy as sp
from sympy.functions.special.delta_functions import DiracDelta, Heaviside

from fedmm_edu.proofs.terms import Malformed
from fedmm_edu.symbolic.component_model import Generic, Total
from fedmm_edu.symbolic.decide.domain import Relation, fresh, relations_of

Symbols = tuple[sp.Symbol, ...]


class ComponentClaim(NamedTuple):
    """`goal` wherever all of `where` hold, those with symbols of one component at each of them."""

    own: Symbols
    where: tuple[Relation, ...]
    goal: Relation
    somewhere: tuple[Relation, ...] = ()
    """What holds at one component at least."""
    needs_value: bool = False
    """The claim is that `goal.expr` has a real value, nothing more."""
    swap: Mapping[sp.Symbol, sp.Expr] = {}
    """Where to look: θ and the point that it is compared with."""
    function: sp.Expr | None = None
    """f, where the claim compares f(θ) with f there."""
    chord: tuple[sp.Expr, Symbols, Symbols, Symbols, sp.Symbol] | None = None
    """f, its variables, two ends and a weight, where the claim compares f between the ends with its chord."""


def _relations(statements: Iterable[sp.Basic]) -> tuple[Relation, ...]:
    return tuple(r for statement in statements for r in relations_of(statement))


def _put(rs: Iterable[Relation], swap: Mapping[sp.Symbol, sp.Expr]) -> tuple[Relation, ...]:
    return tuple(Relation(r.expr.xreplace(dict(swap)), r.op) for r in rs)


def _sets(model: Generic, *names: str) -> tuple[Relation, ...]:
    found = _relations((*model.given, *(r for name in names if name != "tau" for r in getattr(model, name))))
    return (*found, *_put(_relations(model.Theta), _at_tau(model))) if "tau" in names else found


def _at_tau(model: Generic) -> dict[sp.Symbol, sp.Symbol]:
    return dict(zip(model.theta, model.tau, strict=True))


def _inner(model: Generic, left: Sequence[sp.Expr], right: Sequence[sp.Expr]) -> sp.Expr:
    """⟨left, right⟩ over the entries of s: those of a component summed over them all."""
    products = [(x in model.own, a * b) for x, a, b in zip(model.s, left, right, strict=True)]
    own = sp.Add(*(e for of_one, e in products if of_one))
    return sp.Add(*(e for of_one, e in products if not of_one)) + (Total(own) if own != 0 else 0)


def component_surrogate(model: Generic) -> sp.Expr:
    """J_s(θ) = g(θ) + ψ(θ) − ⟨s, φ(θ)⟩."""
    return model.g + model.psi - _inner(model, model.s, model.phi)


def _defined(model: Generic) -> Iterator[ComponentClaim]:
    theta, both = _sets(model, "Theta"), _sets(model, "Z", "Theta")
    parts = [(e, theta) for e in (*model.phi, model.psi, model.g)]
    parts += [(e, both) for e in (model.loss, *model.S_bar)]
    parts += [(e, _sets(model, "S")) for e in model.T or ()]
    for expr, where in parts:
        yield ComponentClaim(model.own, where, Relation(expr, "=="), needs_value=True)


def _segment(model: Generic, symbols: Symbols) -> tuple[Symbols, Symbols, sp.Symbol, Symbols]:
    """Two points, a weight, and the symbols that are of one component then."""
    taken = [*model.theta, *model.z, *model.s, *(e for e in _everything(model) if isinstance(e, sp.Basic))]
    t, *both = fresh(["t", *(f"{x.name}_{end}" for end in "ab" for x in symbols)], taken)
    a, b = tuple(both[: len(symbols)]), tuple(both[len(symbols) :])
    moved = (end for x, *ends in zip(symbols, a, b, strict=True) for end in ends if x in model.own)
    return a, b, t, (*model.own, *moved)


def _everything(model: Generic) -> Iterator[Any]:
    for value in model:
        yield from value if isinstance(value, tuple) else (value,)


def _convex_set(model: Generic, symbols: Symbols, rs: tuple[Relation, ...]) -> Iterator[ComponentClaim]:
    a, b, t, own = _segment(model, symbols)
    ends = [dict(zip(symbols, end, strict=True)) for end in (a, b)]
    between = {x: t * u + (1 - t) * v for x, u, v in zip(symbols, a, b, strict=True)}
    where = (*_sets(model), *(r for end in ends for r in _put(rs, end)), Relation(t, ">"), Relation(1 - t, ">"))
    for r in _put(rs, between):
        yield ComponentClaim(own, where, r)


def _S_convex(model: Generic) -> Iterator[ComponentClaim]:
    yield from _convex_set(model, model.s, _relations(model.S))


def _S_bar_in_S(model: Generic) -> Iterator[ComponentClaim]:
    at = {x: model.at_tau(e) for x, e in zip(model.s, model.S_bar, strict=True)}
    for r in _put(_relations(model.S), at):
        yield ComponentClaim(model.own, _sets(model, "Z", "tau"), r)


def _tangent(model: Generic) -> Iterator[ComponentClaim]:
    """The slopes at inner points of Θ; all of them, also those across an equation."""
    where = (*_sets(model, "Z"), *(r.inner for r in _put(_relations(model.Theta), _at_tau(model))))
    fixed = fresh([f"c_{x.name}" for x in model.s], [e for e in _everything(model) if isinstance(e, sp.Basic)])
    at_S_bar = dict(zip(fixed, map(model.at_tau, model.S_bar), strict=True))
    difference = model.loss - model.psi + _inner(model, fixed, model.phi)
    for x in model.theta:
        slope = _derivative(difference, x, x in model.own)
        if slope.has(sp.Derivative, sp.Subs, DiracDelta, Heaviside):
            raise Malformed(f"the slope in {x} has no formula")
        yield ComponentClaim(model.own, where, Relation(model.at_tau(slope).xreplace(at_S_bar), "=="))


def _derivative(expr: sp.Expr, x: sp.Symbol, of_one: bool) -> sp.Expr:
    """∂/∂x, x a coordinate of one component (then only its own term of a sum moves) or a shared one."""
    totals = {total: sp.Dummy(real=True) for total in expr.atoms(Total) if not _inside(total, expr)}
    held = expr.xreplace(totals)
    slope = sp.diff(held, x)
    for total, held_total in totals.items():
        (body,) = total.args
        moving = _derivative(body, x, of_one) if not of_one else _own_term(body, x)
        slope += sp.diff(held, held_total) * (moving if of_one else Total(moving))
    return slope.xreplace({held_total: total for total, held_total in totals.items()})


def _own_term(body: sp.Expr, x: sp.Symbol) -> sp.Expr:
    """The slope of the sum of a body whose own term alone moves with x: a total in it would move in every term."""
    if any(total.has(x) for total in body.atoms(Total)):
        return sp.Derivative(body, x)
    return sp.diff(body, x)


def _inside(total: sp.Expr, expr: sp.Expr) -> bool:
    """Whether it stands in another total only."""
    return not expr.xreplace({t: sp.Dummy() for t in expr.atoms(Total) if t != total and t.has(total)}).has(total)


def _majorizes(model: Generic) -> Iterator[ComponentClaim]:
    above = _inner(model, tuple(map(model.at_tau, model.S_bar)), tuple(f - model.at_tau(f) for f in model.phi))
    gap = model.at_tau(model.loss - model.psi) + model.psi - above - model.loss
    yield ComponentClaim(model.own, _sets(model, "Z", "tau", "Theta"), Relation(gap, ">="), swap=_at_tau(model))


def _at_T(model: Generic) -> dict[sp.Symbol, sp.Expr]:
    return dict(zip(model.theta, model.T or (), strict=True))


def _T_in_Theta(model: Generic) -> Iterator[ComponentClaim]:
    for r in _put(_relations(model.Theta), _at_T(model)):
        yield ComponentClaim(model.own, _sets(model, "S"), r)


def _minimizes(model: Generic) -> Iterator[ComponentClaim]:
    J, at = component_surrogate(model), _at_T(model)
    where = _sets(model, "Theta", "S")
    yield ComponentClaim(model.own, where, Relation(J - J.xreplace(at), ">="), swap=at, function=J)


def _unique(model: Generic) -> Iterator[ComponentClaim]:
    """Where T is a minimiser: a θ that differs from it in one component does worse."""
    J, at, where = component_surrogate(model), _at_T(model), _sets(model, "Theta", "S")
    for x, entry in at.items():
        apart = (Relation(x - entry, "!="),)
        alone = {} if x in model.own else {"where": (*where, *apart)}
        claim = ComponentClaim(model.own, where, Relation(J - J.xreplace(at), ">"), apart, swap=at, function=J)
        yield claim._replace(somewhere=(), **alone) if alone else claim


def _A1(model: Generic) -> Iterator[ComponentClaim]:
    f = component_surrogate(model) - model.g
    a, b, t, own = _segment(model, model.theta)
    yield from _convex_set(model, model.theta, _relations(model.Theta))
    ends = [dict(zip(model.theta, end, strict=True)) for end in (a, b)]
    mean = {x: t * u + (1 - t) * v for x, u, v in zip(model.theta, a, b, strict=True)}
    rs = (r for end in ends for r in _put(_relations(model.Theta), end))
    where = (*_sets(model, "S"), *rs, Relation(t, ">"), Relation(1 - t, ">"))
    chord = t * f.xreplace(ends[0]) + (1 - t) * f.xreplace(ends[1]) - f.xreplace(mean)
    yield ComponentClaim(own, where, Relation(chord, ">="), chord=(f, model.theta, a, b, t))


COMPONENT_CLAIMS: Mapping[str, Callable[[Generic], Iterator[ComponentClaim]]] = {
    "defined": _defined,
    "S convex": _S_convex,
    "MM-1: S_bar in S": _S_bar_in_S,
    "MM-1: tangent": _tangent,
    "MM-1: majorizes": _majorizes,
    "MM-2: T in Theta": _T_in_Theta,
    "MM-2: T minimizes": _minimizes,
    "MM-2: unique": _unique,
    "A1: convex": _A1,
}
"""The rows by the names of `hypotheses.statements.CLAIMS`."""
