"""What each row of a check claims, as plain expressions whose signs it fixes: to be broken, or to be proved.

Nothing here knows how a verdict is found. The row "unique" is asked where T is a minimiser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import sympy as sp
from sympy.core.function import expand_mul

from fedmm_edu.symbolic.component_model import Generic
from fedmm_edu.symbolic.decide.domain import Relation, fresh, relations_of
from fedmm_edu.symbolic.decide.pieces import by_signs
from fedmm_edu.symbolic.functions.table import PIECED
from fedmm_edu.symbolic.hypotheses.free import curved
from fedmm_edu.symbolic.model import Model, solved

Symbols = tuple[sp.Symbol, ...]


class Refutable(NamedTuple):
    """`holds` (expr op 0) at every point where all of `where` hold and everything has a value."""

    where: tuple[Relation, ...]
    holds: Relation
    needs_value: bool = False
    """The claim is that `holds.expr` has a real value, nothing more."""
    function: tuple[sp.Expr, Symbols, tuple[sp.Expr, ...]] | None = None
    """f, its variables and a point a, where the claim compares f with f(a): a hint for whoever looks for a proof."""
    chord: tuple[sp.Expr, Symbols, Symbols, Symbols, sp.Symbol] | None = None
    """f, its variables, two ends and a weight, where the claim compares f between the ends with its chord."""
    mean: sp.Expr | None = None
    """What `where` makes ≥ 0, or > 0, where the claim is that `holds.expr` is above it: a hint likewise."""


Claims = Callable[[Model], Iterator[Refutable]]


def relations_in(model: Model | Generic, *names: str) -> tuple[Relation, ...]:
    """The relations of the named sets ("tau": Θ at τ) with those that are given."""
    at = {"Theta": model.Theta, "S": model.S, "Z": model.Z, "tau": tuple(map(model.at_tau, model.Theta))}
    return relations_of(*model.given, *(r for name in names for r in at[name]))


def claims_of_values(model: Model | Generic) -> Iterator[Refutable]:
    theta, both = relations_in(model, "Theta"), relations_in(model, "Z", "Theta")
    parts = [(e, theta) for e in (*model.phi, model.psi, model.g)]
    parts += [(e, both) for e in (model.loss, *model.S_bar)]
    parts += [(e, relations_in(model, "S")) for e in model.T or ()]
    for expr, where in parts:
        yield Refutable(where, Relation(expr, "=="), needs_value=True)


def _convex_set(model: Model | Generic, symbols: Symbols, statements: Sequence[sp.Basic]) -> Iterator[Refutable]:
    """Two points of the set and one between them."""
    (a, b, t), relations = segment(model, symbols), relations_of(*statements)
    at_a, at_b = (dict(zip(symbols, end, strict=True)) for end in (a, b))
    between = {x: t * u + (1 - t) * v for x, u, v in zip(symbols, a, b, strict=True)}
    ends = (r.at(end) for end in (at_a, at_b) for r in relations)
    where = (*relations_in(model), *ends, Relation(t, ">"), Relation(1 - t, ">"))
    for r in relations:
        mean = t * r.expr.xreplace(at_a) + (1 - t) * r.expr.xreplace(at_b)
        yield Refutable(where, r.at(between), mean=mean)


def segment(model: Model | Generic, symbols: Symbols) -> tuple[Symbols, Symbols, sp.Symbol]:
    """Two points and a weight."""
    taken = [*model.theta, *model.z, *model.s, *model.constants]
    names = [f"{x.name}_{end}" for end in "ab" for x in symbols]
    t, *both = fresh(["t", *names], taken)
    return tuple(both[: len(symbols)]), tuple(both[len(symbols) :]), t


def claims_of_S(model: Model | Generic) -> Iterator[Refutable]:
    yield from _convex_set(model, model.s, model.S)


def claims_of_S_bar(model: Model | Generic) -> Iterator[Refutable]:
    at = dict(zip(model.s, map(model.at_tau, model.S_bar), strict=True))
    for r in relations_of(*model.S):
        yield Refutable(relations_in(model, "Z", "tau"), r.at(at))


def _tangent(model: Model) -> Iterator[Refutable]:
    """Along Θ, at inner points, on each smooth piece: Θ's affine equations solved, or across a curved gradient."""
    gone, curves = solved(model.Theta, model.theta), curved(model)
    inside = [r.inner for r in relations_of(*map(model.at_tau, model.Theta))]
    if len(curves) > 1:
        return
    whole = sp.Tuple(model.loss, model.psi, sp.Tuple(*model.phi), sp.Tuple(*model.S_bar))
    for guards, (loss, psi, phi, S_bar) in by_signs(whole, model.theta):
        slope = {}
        for x in model.theta:
            inner = sp.Add(*(s * sp.diff(f, x) for s, f in zip(S_bar, phi, strict=True)))
            slope[x] = sp.diff(loss, x) - sp.diff(psi, x) + inner
        along = {
            x: slope[x] + sp.Add(*(sp.diff(e, x) * slope[y] for y, e in gone.items())) for x in slope if x not in gone
        }
        claims = list(along.values())
        for curve in curves:
            claims = [sp.diff(curve, y) * along[x] - sp.diff(curve, x) * along[y] for x, y in combinations(along, 2)]
        where = (*relations_in(model, "Z"), *inside, *relations_of(*map(model.at_tau, guards)))
        for claim in claims:
            yield Refutable(where, Relation(model.at_tau(claim), "=="))


def _majorizes(model: Model) -> Iterator[Refutable]:
    inner = sp.Add(
        *(model.at_tau(s) * (phi - model.at_tau(phi)) for s, phi in zip(model.S_bar, model.phi, strict=True))
    )
    gap = model.at_tau(model.loss) + model.psi - model.at_tau(model.psi) - inner - model.loss
    yield Refutable(relations_in(model, "Z", "tau", "Theta"), Relation(gap, ">="))


def claims_of_T(model: Model | Generic) -> Iterator[Refutable]:
    at = dict(zip(model.theta, model.T or (), strict=True))
    for r in relations_of(*model.Theta):
        yield Refutable(relations_in(model, "S"), r.at(at))


class SurrogateBlock(NamedTuple):
    """A summand of the surrogate with coordinates of its own, these with their entries of T, and where it is asked."""

    J: sp.Expr
    theta: Symbols
    T: tuple[sp.Expr, ...]
    where: tuple[Relation, ...]

    @property
    def excess(self) -> sp.Expr:
        """J(θ) − J(T)."""
        return self.J - self.J.xreplace(dict(zip(self.theta, self.T, strict=True)))


def _blocks(model: Model) -> list[SurrogateBlock]:
    """J_s and Θ as a sum and a product over coordinates that do not meet: T minimises J_s where it minimises each."""
    J, where = model.surrogate, relations_in(model, "Theta", "S")
    parts = [part for part in sp.Add.make_args(expand_mul(J)) if part.free_symbols & set(model.theta)]
    groups: list[set[sp.Basic]] = []
    for own in ({*e.free_symbols} & set(model.theta) for e in (*parts, *(r.expr for r in where), *model.theta)):
        met = [group for group in groups if group & own]
        groups = [group for group in groups if not group & own] + ([own.union(*met)] if own else [])
    if len(groups) < 2:
        return [SurrogateBlock(J, model.theta, model.T or (), where)]
    entries, found = dict(zip(model.theta, model.T or (), strict=True)), []
    for group in sorted(groups, key=lambda group: min(model.theta.index(x) for x in group)):
        theta = tuple(x for x in model.theta if x in group)
        others = set(model.theta) - group
        own = tuple(r for r in where if not r.expr.free_symbols & others)
        J = sp.Add(*(part for part in parts if part.free_symbols & group))
        found.append(SurrogateBlock(J, theta, tuple(entries[x] for x in theta), own))
    return found


def _minimizes(model: Model) -> Iterator[Refutable]:
    for block in _blocks(model):
        yield Refutable(block.where, Relation(block.excess, ">="), function=(block.J, block.theta, block.T))


def _unique(model: Model) -> Iterator[Refutable]:
    """Where T is a minimiser: every other θ does worse."""
    if model.T is None:
        return
    for block in _blocks(model):
        for x, entry in zip(block.theta, block.T, strict=True):
            where = (*block.where, Relation(x - entry, "!="))
            yield Refutable(where, Relation(block.excess, ">"), function=(block.J, block.theta, block.T))


def strictly_above_tangents(model: Model) -> Iterator[Refutable]:
    """Θ is convex and J_s(θ) > J_s(a) + ⟨∇J_s(a), θ − a⟩ for all θ ≠ a in Θ: no two points of Θ minimise J_s.

    With a a minimiser the product is ≥ 0 on a convex Θ. Nothing is claimed where J_s is no single formula.
    """
    J = model.surrogate
    if J.has(*PIECED):
        return
    a, _, _ = segment(model, model.theta)
    at = dict(zip(model.theta, a, strict=True))
    yield from _convex_set(model, model.theta, model.Theta)
    line = J.xreplace(at) + sum(sp.diff(J, x).xreplace(at) * (x - end) for x, end in at.items())
    there = tuple(r.at(at) for r in relations_of(*model.Theta))
    for x, end in at.items():
        where = (*relations_in(model, "Theta", "S"), *there, Relation(x - end, "!="))
        yield Refutable(where, Relation(J - line, ">"), function=(J, model.theta, a))


def claims_of_A1(model: Model | Generic) -> Iterator[Refutable]:
    a, b, t = segment(model, model.theta)
    yield from _convex_set(model, model.theta, model.Theta)
    f = model.surrogate - model.g
    at = [dict(zip(model.theta, end, strict=True)) for end in (a, b)]
    mean = {x: t * u + (1 - t) * v for x, u, v in zip(model.theta, a, b, strict=True)}
    ends = (r.at(end) for end in at for r in relations_of(*model.Theta))
    where = (*relations_in(model, "S"), *ends, Relation(t, ">"), Relation(1 - t, ">"))
    chord = t * f.xreplace(at[0]) + (1 - t) * f.xreplace(at[1])
    yield Refutable(where, Relation(chord - f.xreplace(mean), ">="), chord=(f, model.theta, a, b, t))


CLAIMS: Mapping[str, Claims] = {
    "defined": claims_of_values,
    "S convex": claims_of_S,
    "MM-1: S_bar in S": claims_of_S_bar,
    "MM-1: tangent": _tangent,
    "MM-1: majorizes": _majorizes,
    "MM-2: T in Theta": claims_of_T,
    "MM-2: T minimizes": _minimizes,
    "MM-2: unique": _unique,
    "A1: convex": claims_of_A1,
}
"""The rows in the order in which `check_model` judges them."""
