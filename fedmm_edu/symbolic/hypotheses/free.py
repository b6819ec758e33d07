"""Equations in Θ and 𝒮 (a simplex, Σ θ = 1): the same model in coordinates that are free.

An affine equation gives one coordinate as a function of the others. Put into everything, it leaves a model without
equations whose points are the points of the old one: so slopes are slopes along Θ, a convex function is convex along
Θ, and every row may be judged as if there had been no equation. MM-1 compares values of J_s on Θ alone: slopes across
an equation of Θ do not matter to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fedmm_edu.proofs.verdict import Verdict
from fedmm_edu.symbolic.decide.algebra import vanishes
from fedmm_edu.symbolic.decide.domain import Relation, relations_of
from fedmm_edu.symbolic.model import Model, solved


def free_Theta(model: Model) -> Model:
    """The model without the affine equations of Θ: fewer symbols in theta, and as many entries of T."""
    gone = solved(model.Theta, model.theta)
    if not gone:
        return model
    kept = [k for k, x in enumerate(model.theta) if x not in gone]
    put = {key: tuple(e.xreplace(gone) for e in getattr(model, key)) for key in ("phi", "S_bar")}
    put |= {key: getattr(model, key).xreplace(gone) for key in ("loss", "psi", "g")}
    T = None if model.T is None else tuple(model.T[k] for k in kept)
    theta = tuple(model.theta[k] for k in kept)
    return replace(model, theta=theta, T=T, Theta=_without(model.Theta, gone), **put)


def free_S(model: Model) -> Model:
    """The model without the affine equations of 𝒮 either: J_s at each point of 𝒮, T and Θ are those of `model`.

    s_e = c_e + Σ_j A_ej s_j moves c_e φ_e into ψ and A_ej φ_e into φ_j. S̄ keeps the entries of the free coordinates:
    MM-1 is not to be judged on this model, as S̄ may miss the equation.
    """
    model = free_Theta(model)
    gone = solved(model.S, model.s)
    if not gone:
        return model
    kept = [j for j, x in enumerate(model.s) if x not in gone]
    s = tuple(model.s[j] for j in kept)
    rest = sp.expand(sum(gone[x] * model.phi[model.s.index(x)] for x in gone))
    phi = tuple(model.phi[j] + sp.diff(rest, model.s[j]) for j in kept)
    psi = model.psi - rest.xreplace(dict.fromkeys(s, sp.S.Zero))
    T = None if model.T is None else T_on_S(model)
    S_bar = tuple(model.S_bar[j] for j in kept)
    return replace(model, s=s, phi=phi, psi=psi, S_bar=S_bar, T=T, S=_without(model.S, gone))


def T_on_S(model: Model) -> tuple[sp.Expr, ...]:
    """Every entry of T, with the equations of 𝒮 put in."""
    gone = solved(model.S, model.s)
    return tuple(e.xreplace(gone) for e in model.T or ())


def free_for_T(model: Model) -> Model:
    """`free_S(model)` where T obeys the equations of Θ; else the model itself, as J_s(T(s)) is then no value on Θ."""
    flat, at_T = free_S(model), dict(zip(model.theta, T_on_S(model), strict=True))
    gone = solved(model.Theta, model.theta)
    obeys = all(vanishes(at_T[x] - e.xreplace(at_T), flat.space("S")) for x, e in gone.items())
    return flat if obeys else model


def _without(statements: Sequence[sp.Basic], gone: dict[sp.Symbol, sp.Expr]) -> tuple[sp.Basic, ...]:
    """The relations with the solution put in; an equation that it solves is dropped."""
    put = (r.at(gone) for r in relations_of(*statements))
    put = (Relation(sp.expand(r.expr), r.op) if r.op == "==" else r for r in put)
    return tuple(statement for r in put if (statement := r.statement) is not sp.true)


def curved(model: Model) -> list[sp.Expr]:
    """The left-hand sides of the equations of Θ that are not affine (a sphere)."""
    return [r.expr for r in relations_of(*free_Theta(model).Theta) if r.op == "=="]


def restored(model: Model, verdict: Verdict) -> Verdict:
    """The verdict on a model in free coordinates, its witness with the coordinates that the equations give."""
    if verdict.witness is None:
        return verdict
    point = dict(verdict.witness.point)
    tau = dict(zip(model.theta, model.tau, strict=True))
    Theta, S = solved(model.Theta, model.theta), solved(model.S, model.s)
    for gone in (Theta, {tau[x]: e.xreplace(tau) for x, e in Theta.items()}, S):
        for x, expr in gone.items():
            names = {y.name for y in expr.free_symbols}
            if x.name not in point and names and names <= point.keys():
                value = expr.subs({y: sp.Rational(point[y.name]) for y in expr.free_symbols})
                if isinstance(value, sp.Rational):
                    point[x.name] = str(Fraction(int(value.p), int(value.q)))
    return replace(verdict, witness=replace(verdict.witness, point=dict(sorted(point.items()))))
