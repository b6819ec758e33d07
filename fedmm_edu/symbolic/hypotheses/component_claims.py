"""What each row of a check claims of a model of L components, in the symbols of one component and with `Total`s.

The same rows as those of `hypotheses.statements`, for every L: where a coordinate of one component occurs outside a
total, the claim is about every component.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import sympy as sp
from sympy.functions.special.delta_functions import DiracDelta, Heaviside

from fedmm_edu.proofs.terms import Malformed
from fedmm_edu.symbolic.component_model import Generic, Total
from fedmm_edu.symbolic.decide.domain import Relation, fresh, relations_of
from fedmm_edu.symbolic.hypotheses import statements
from fedmm_edu.symbolic.hypotheses.statements import Refutable, Symbols, relations_in, segment


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


ComponentClaims = Callable[[Generic], Iterator[ComponentClaim]]


def _of_one(claims: Callable[[Generic], Iterator[Refutable]], ends_of: str = "") -> ComponentClaims:
    """The claims of a model without sums, of every component; those about a segment have the `ends_of` θ or s."""

    def of_one(model: Generic) -> Iterator[ComponentClaim]:
        own, symbols = model.own, getattr(model, ends_of) if ends_of else ()
        a, b, _ = segment(model, symbols)
        own += tuple(end for x, *ends in zip(symbols, a, b, strict=True) for end in ends if x in model.own)
        for claim in claims(model):
            yield ComponentClaim(own, claim.where, claim.holds, needs_value=claim.needs_value, chord=claim.chord)

    return of_one


def _at_tau(model: Generic) -> dict[sp.Symbol, sp.Symbol]:
    return dict(zip(model.theta, model.tau, strict=True))


def _tangent(model: Generic) -> Iterator[ComponentClaim]:
    """The slopes at inner points of Θ; all of them, also those across an equation."""
    where = (*relations_in(model, "Z"), *(r.inner for r in relations_of(*map(model.at_tau, model.Theta))))
    fixed = fresh([f"c_{x.name}" for x in model.s], [*model.theta, *model.z, *model.s, *model.constants])
    at_S_bar = dict(zip(fixed, map(model.at_tau, model.S_bar), strict=True))
    difference = model.loss - model.psi + model.inner(fixed, model.phi)
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
    above = model.inner(tuple(map(model.at_tau, model.S_bar)), tuple(f - model.at_tau(f) for f in model.phi))
    gap = model.at_tau(model.loss - model.psi) + model.psi - above - model.loss
    where = relations_in(model, "Z", "Theta", "tau")
    yield ComponentClaim(model.own, where, Relation(gap, ">="), swap=_at_tau(model))


def _at_T(model: Generic) -> dict[sp.Symbol, sp.Expr]:
    return dict(zip(model.theta, model.T or (), strict=True))


def _minimizes(model: Generic) -> Iterator[ComponentClaim]:
    J, at, where = model.surrogate, _at_T(model), relations_in(model, "Theta", "S")
    yield ComponentClaim(model.own, where, Relation(J - J.xreplace(at), ">="), swap=at, function=J)


def _unique(model: Generic) -> Iterator[ComponentClaim]:
    """Where T is a minimiser: a θ that differs from it in one component does worse."""
    J, at, where = model.surrogate, _at_T(model), relations_in(model, "Theta", "S")
    for x, entry in at.items():
        apart = (Relation(x - entry, "!="),)
        alone = {} if x in model.own else {"where": (*where, *apart)}
        claim = ComponentClaim(model.own, where, Relation(J - J.xreplace(at), ">"), apart, swap=at, function=J)
        yield claim._replace(somewhere=(), **alone) if alone else claim


COMPONENT_CLAIMS: Mapping[str, ComponentClaims] = {
    "defined": _of_one(statements.claims_of_values),
    "S convex": _of_one(statements.claims_of_S, "s"),
    "MM-1: S_bar in S": _of_one(statements.claims_of_S_bar),
    "MM-1: tangent": _tangent,
    "MM-1: majorizes": _majorizes,
    "MM-2: T in Theta": _of_one(statements.claims_of_T),
    "MM-2: T minimizes": _minimizes,
    "MM-2: unique": _unique,
    "A1: convex": _of_one(statements.claims_of_A1, "theta"),
}
"""The rows by the names of `hypotheses.statements.CLAIMS`."""
