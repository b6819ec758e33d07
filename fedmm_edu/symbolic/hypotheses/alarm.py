"""An attempt to break what was just proved, by numbers alone: it shares no simplification with the search for proofs.

Each row of a check is written down once more as plain expressions whose signs its claim fixes. They are evaluated in
floating point at many points of the sets (at random on several scales, at simple numbers, at the places where a branch
or a set ends and just beside them, constants free); where the claim looks broken, ball arithmetic decides. So a
counterexample is certain, and beside a proof it means that this program has a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.function import expand_mul

from fedmm_edu.arrays import Array
from fedmm_edu.errors import FedMMError
from fedmm_edu.proofs.verdict import Verdict
from fedmm_edu.symbolic.decide import balls
from fedmm_edu.symbolic.decide.definedness import is_supported
from fedmm_edu.symbolic.decide.domain import Relation, fresh, relations_of
from fedmm_edu.symbolic.decide.pieces import by_signs
from fedmm_edu.symbolic.decide.witness_search import solve_equations
from fedmm_edu.symbolic.functions.faces import Kinked
from fedmm_edu.symbolic.functions.table import FUNCTIONS, NUMPY, PIECED
from fedmm_edu.symbolic.hypotheses.free import curved
from fedmm_edu.symbolic.model import Model, solved

POINTS = 1500
CONFIRMED = 12
"""So many of the points at which a claim looks broken are looked at exactly."""


class ProofContradicted(FedMMError):
    """A statement has an accepted proof and a counterexample: a mistake of this program, never of its user."""


class Refutable(NamedTuple):
    """`holds` (expr op 0) at every point where all of `where` hold and everything has a value."""

    where: tuple[Relation, ...]
    holds: Relation
    needs_value: bool = False
    """The claim is that `holds.expr` has a real value, nothing more."""
    function: tuple[sp.Expr, tuple[sp.Symbol, ...], tuple[sp.Expr, ...]] | None = None
    """f, its variables and a point a, where the claim compares f with f(a): a hint for whoever looks for a proof."""
    chord: tuple[sp.Expr, tuple[sp.Symbol, ...], Sequence[sp.Symbol], Sequence[sp.Symbol], sp.Symbol] | None = None
    """f, its variables, two ends and a weight, where the claim compares f between the ends with its chord."""
    mean: sp.Expr | None = None
    """What `where` makes ≥ 0, or > 0, where the claim is that `holds.expr` is above it: a hint likewise."""


def confirm(model: Model, row: str, verdict: Verdict, *, seed: int = 0) -> Verdict:
    """`verdict` itself; `ProofContradicted` when it is a proof and a counterexample was found."""
    if verdict.status == "proved" and (broken := broken_at(model, row, seed=seed)) is not None:
        point = ", ".join(f"{name} = {value}" for name, value in broken.items()) or "every point"
        steps = "; ".join(f"{step.claim} ({step.why})" for step in verdict.evidence)
        raise ProofContradicted(
            f"{model.name}, {row}: a proof was accepted ({verdict.method}: {steps}) and yet the row fails at {point}. "
            "This is a mistake of fedmm-edu, not of your model: please report it with the model's file."
        )
    return verdict


def broken_at(model: Model, row: str, *, seed: int = 0) -> dict[str, Fraction] | None:
    """A point, certified by ball arithmetic, at which the row fails; None when none was found."""
    for claim in CLAIMS[row](model):
        if not is_supported(claim.holds.expr):
            continue  # a slope without a formula has no value here
        if (point := _broken(claim, np.random.default_rng(seed))) is not None:
            return point
    return None


# ------------------------------------------------------------------------------------------------- what each row claims


def _relations(statements: Iterable[sp.Basic]) -> tuple[Relation, ...]:
    return tuple(r for statement in statements for r in relations_of(statement))


def _set(model: Model, *names: str) -> tuple[Relation, ...]:
    """The relations of the named sets ("tau": Θ at τ) with those that are given."""
    at = {"Theta": model.Theta, "S": model.S, "Z": model.Z, "tau": tuple(map(model.at_tau, model.Theta))}
    return _relations((*model.given, *(r for name in names for r in at[name])))


def _defined(model: Model) -> Iterator[Refutable]:
    theta, both = _set(model, "Theta"), _set(model, "Z", "Theta")
    parts = [(e, theta) for e in (*model.phi, model.psi, model.g)]
    parts += [(e, both) for e in (model.loss, *model.S_bar)]
    parts += [(e, _set(model, "S")) for e in model.T or ()]
    for expr, where in parts:
        yield Refutable(where, Relation(expr, "=="), needs_value=True)


def _convex_set(model: Model, symbols: Sequence[sp.Symbol], relations: Sequence[Relation]) -> Iterator[Refutable]:
    """Two points of the set and one between them."""
    a, b, t = _segment(model, symbols)
    ends = tuple(
        Relation(r.expr.xreplace(dict(zip(symbols, end, strict=True))), r.op) for end in (a, b) for r in relations
    )
    between = {x: t * u + (1 - t) * v for x, u, v in zip(symbols, a, b, strict=True)}
    where = (*_set(model), *ends, Relation(t, ">"), Relation(1 - t, ">"))
    for r in relations:
        at_a, at_b = (r.expr.xreplace(dict(zip(symbols, end, strict=True))) for end in (a, b))
        mean = t * at_a + (1 - t) * at_b
        yield Refutable(where, Relation(r.expr.xreplace(between), r.op), mean=mean)


def _segment(model: Model, symbols: Sequence[sp.Symbol]) -> tuple[Sequence[sp.Symbol], Sequence[sp.Symbol], sp.Symbol]:
    taken = [*model.theta, *model.z, *model.s, *model.constants]
    names = [f"{x.name}_{end}" for end in "ab" for x in symbols]
    t, *both = fresh(["t", *names], taken)
    return both[: len(symbols)], both[len(symbols) :], t


def _S_convex(model: Model) -> Iterator[Refutable]:
    yield from _convex_set(model, model.s, _relations(model.S))


def _S_bar_in_S(model: Model) -> Iterator[Refutable]:
    at = dict(zip(model.s, map(model.at_tau, model.S_bar), strict=True))
    for r in _relations(model.S):
        yield Refutable(_set(model, "Z", "tau"), Relation(r.expr.xreplace(at), r.op))


def _tangent(model: Model) -> Iterator[Refutable]:
    """Along Θ, at inner points, on each smooth piece: Θ's affine equations solved, or across a curved gradient."""
    gone, curves = solved(model.Theta, model.theta), curved(model)
    inside = [r.inner for r in _relations(map(model.at_tau, model.Theta))]
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
        where = (*_set(model, "Z"), *inside, *_relations(map(model.at_tau, guards)))
        for claim in claims:
            yield Refutable(where, Relation(model.at_tau(claim), "=="))


def _majorizes(model: Model) -> Iterator[Refutable]:
    inner = sp.Add(
        *(model.at_tau(s) * (phi - model.at_tau(phi)) for s, phi in zip(model.S_bar, model.phi, strict=True))
    )
    gap = model.at_tau(model.loss) + model.psi - model.at_tau(model.psi) - inner - model.loss
    yield Refutable(_set(model, "Z", "tau", "Theta"), Relation(gap, ">="))


def _T_in_Theta(model: Model) -> Iterator[Refutable]:
    at = dict(zip(model.theta, model.T or (), strict=True))
    for r in _relations(model.Theta):
        yield Refutable(_set(model, "S"), Relation(r.expr.xreplace(at), r.op))


class SurrogateBlock(NamedTuple):
    """A summand of the surrogate with coordinates of its own, these with their entries of T, and where it is asked."""

    J: sp.Expr
    theta: tuple[sp.Symbol, ...]
    T: tuple[sp.Expr, ...]
    where: tuple[Relation, ...]

    @property
    def excess(self) -> sp.Expr:
        """J(θ) − J(T)."""
        return self.J - self.J.xreplace(dict(zip(self.theta, self.T, strict=True)))


def _blocks(model: Model) -> list[SurrogateBlock]:
    """J_s and Θ as a sum and a product over coordinates that do not meet: T minimises J_s where it minimises each."""
    J, where = model.surrogate, _set(model, "Theta", "S")
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
    a, _, _ = _segment(model, model.theta)
    at = dict(zip(model.theta, a, strict=True))
    yield from _convex_set(model, model.theta, _relations(model.Theta))
    line = J.xreplace(at) + sum(sp.diff(J, x).xreplace(at) * (x - end) for x, end in at.items())
    there = tuple(Relation(r.expr.xreplace(at), r.op) for r in _relations(model.Theta))
    for x, end in at.items():
        where = (*_set(model, "Theta", "S"), *there, Relation(x - end, "!="))
        yield Refutable(where, Relation(J - line, ">"), function=(J, model.theta, tuple(a)))


def _A1(model: Model) -> Iterator[Refutable]:
    a, b, t = _segment(model, model.theta)
    yield from _convex_set(model, model.theta, _relations(model.Theta))
    f = model.surrogate - model.g
    at = [dict(zip(model.theta, end, strict=True)) for end in (a, b)]
    mean = {x: t * u + (1 - t) * v for x, u, v in zip(model.theta, a, b, strict=True)}
    ends = tuple(Relation(r.expr.xreplace(swap), r.op) for swap in at for r in _relations(model.Theta))
    where = (*_set(model, "S"), *ends, Relation(t, ">"), Relation(1 - t, ">"))
    chord = t * f.xreplace(at[0]) + (1 - t) * f.xreplace(at[1])
    yield Refutable(where, Relation(chord - f.xreplace(mean), ">="), chord=(f, model.theta, a, b, t))


CLAIMS: Mapping[str, Callable[[Model], Iterator[Refutable]]] = {
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


# ---------------------------------------------------------------------------------------------------------- the attempt


def _broken(claim: Refutable, rng: np.random.Generator) -> dict[str, Fraction] | None:
    solved = solve_equations(claim.where)
    where = [Relation(r.expr.xreplace(solved), r.op) for r in claim.where]
    holds = Relation(claim.holds.expr.xreplace(solved), claim.holds.op)
    exprs = [r.expr for r in where] + [holds.expr]
    symbols = sorted({x for e in exprs for x in e.free_symbols}, key=str)
    rows = _points(symbols, exprs, rng)
    columns = np.array([[float(v) for v in row] for row in rows]).reshape(len(rows), len(symbols)).T
    values = _values(holds.expr, symbols, columns)
    inside = np.ones(len(rows), dtype=bool)
    for r in where:
        inside &= _looks(r.op, _values(r.expr, symbols, columns))
    off = np.where(np.isfinite(values), 0.0, 1.0) if claim.needs_value else _miss(holds.op, values)
    suspicious = np.flatnonzero(inside & (off > 0))
    for k in suspicious[np.argsort(-off[suspicious], kind="stable")][:CONFIRMED]:
        point = {x.name: v for x, v in zip(symbols, rows[k], strict=True)}
        if all(balls.holds(r, point) for r in where) and _fails(claim._replace(holds=holds), point):
            return point
    return None


def _fails(claim: Refutable, point: Mapping[str, Fraction]) -> bool:
    try:
        sign = balls.sign(claim.holds.expr, point)
    except balls.Undefined:
        return claim.needs_value
    return not claim.needs_value and sign is not None and not balls.holds(claim.holds, point)


def _points(symbols: Sequence[sp.Symbol], exprs: Sequence[sp.Expr], rng: np.random.Generator) -> list[list[Fraction]]:
    """Rows of rationals: simple numbers, several scales, and both sides of each place where something switches."""
    columns = []
    for x in symbols:
        simple = [Fraction(p, q) for p in range(-6, 7) for q in (1, 2, 3)]
        edges = [e + d for e in _edges(x, exprs) for d in (Fraction(0), Fraction(1, 1000), Fraction(-1, 1000), 1, -1)]
        scaled = [Fraction(round(1000 * v), 1000) for s in (0.1, 1, 10, 100) for v in s * rng.normal(size=60)]
        pools = [pool for pool in (simple, edges, scaled) if pool]
        kind = rng.integers(len(pools), size=POINTS)
        columns.append([pools[k][rng.integers(len(pools[k]))] for k in kind])
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[]]


def _edges(x: sp.Symbol, exprs: Iterable[sp.Expr]) -> list[Fraction]:
    """Rational zeros, in x alone, of whatever decides on a branch or bounds a set."""
    terms: set[sp.Expr] = set()
    for expr in exprs:
        for node in sp.preorder_traversal(expr):
            if isinstance(node, sp.Rel):
                terms.add(node.lhs - node.rhs)
            elif entry := FUNCTIONS.get(node.func):
                terms |= {value for value, _ in entry.domain(*node.args)}
                terms |= set(entry.switches(*node.args)) if isinstance(entry, Kinked) else set()
            elif isinstance(node, sp.Pow) and not node.exp.is_Integer:
                terms.add(node.args[0])
        terms.add(expr)
    found: set[Fraction] = set()
    for term in terms:
        if term.free_symbols == {x} and term.is_polynomial(x) and sp.degree(term, x) <= 4:
            found |= {Fraction(int(root.p), int(root.q)) for root in sp.roots(sp.Poly(term, x), filter="Q")}
    return sorted(found)


def _values(expr: sp.Expr, symbols: Sequence[sp.Symbol], columns: Array) -> Array:
    """expr at each point, NaN where it has no real value in floating point; a row of `columns` for each symbol."""
    with np.errstate(all="ignore"):
        try:
            found = np.asarray(sp.lambdify(symbols, expr, NUMPY)(*(column + 0j for column in columns)), dtype=complex)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError):  # comparisons want real numbers
            found = np.asarray(_real(expr, symbols, columns), dtype=complex)
    found = np.broadcast_to(found, (columns.shape[1],))
    return np.where(np.isfinite(found) & (np.abs(np.imag(found)) <= 1e-9 * (1 + np.abs(found))), np.real(found), np.nan)


def _real(expr: sp.Expr, symbols: Sequence[sp.Symbol], columns: Array) -> Array:
    with np.errstate(all="ignore"):
        try:
            return np.asarray(sp.lambdify(symbols, expr, NUMPY)(*columns), dtype=complex)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError):
            return np.full(columns.shape[1], np.nan)


def _looks(op: str, value: Array) -> NDArray[np.bool_]:
    return {">": value > 0, ">=": value >= -1e-9, "==": np.abs(value) <= 1e-9, "!=": value != 0}[op]


def _miss(op: str, value: Array) -> Array:
    """By how much `value op 0` is missed, in floating point; 0 where it is not, or where there is no value."""
    miss = {
        ">": np.where(value <= 0, 1e-12 - value, 0.0),
        ">=": np.maximum(-value, 0.0),
        "==": np.abs(value),
        "!=": np.where(np.abs(value) <= 1e-12, 1.0, 0.0),
    }[op]
    return np.nan_to_num(np.where(miss > 1e-13, miss, 0.0))
