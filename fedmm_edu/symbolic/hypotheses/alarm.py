"""An attempt to break what was just proved, by numbers alone: it shares no simplification with the search for proofs.

What each row claims (`hypotheses.statements`) is evaluated in floating point at many points of the sets: at random on
several scales, at simple numbers, at the places where a branch or a set ends and just beside them, constants free.
Where a claim looks broken, ball arithmetic decides. So a counterexample is certain, and beside a proof it means that
this program has a mistake.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.errors import FedMMError
from fedmm_edu.proofs.verdict import Verdict
from fedmm_edu.symbolic.decide import balls
from fedmm_edu.symbolic.decide.definedness import is_supported
from fedmm_edu.symbolic.decide.domain import Relation
from fedmm_edu.symbolic.decide.witness_search import solve_equations
from fedmm_edu.symbolic.functions.faces import Kinked
from fedmm_edu.symbolic.functions.table import FUNCTIONS, NUMPY
from fedmm_edu.symbolic.hypotheses.statements import CLAIMS, Claims, Refutable
from fedmm_edu.symbolic.model import Model

POINTS = 1500
CONFIRMED = 12
"""So many of the points at which a claim looks broken are looked at exactly."""
GRID = 10**4
"""Numbers beside a point that a claim compares with have this denominator."""


class ProofContradicted(FedMMError):
    """A statement has an accepted proof and a counterexample: a mistake of this program, never of its user."""


def confirm(model: Model, row: str, verdict: Verdict, *, claims: Claims | None = None, seed: int = 0) -> Verdict:
    """`verdict` itself; `ProofContradicted` when it is a proof and a counterexample was found.

    `claims`: what was proved of the model, where that is not what the row of this name claims.
    """
    if verdict.status == "proved" and (broken := broken_at(model, row, claims=claims, seed=seed)) is not None:
        point = ", ".join(f"{name} = {value}" for name, value in broken.items()) or "every point"
        steps = "; ".join(f"{step.claim} ({step.why})" for step in verdict.evidence)
        raise ProofContradicted(
            f"{model.name}, {row}: a proof was accepted ({verdict.method}: {steps}) and yet the row fails at {point}. "
            "This is a mistake of fedmm-edu, not of your model: please report it with the model's file."
        )
    return verdict


@lru_cache(maxsize=512)
def broken_at(model: Model, row: str, *, claims: Claims | None = None, seed: int = 0) -> dict[str, Fraction] | None:
    """A point, certified by ball arithmetic, at which the row fails; None when none was found. A check asks thrice."""
    for claim in (claims or CLAIMS[row])(model):
        if not is_supported(claim.holds.expr):
            continue  # a slope without a formula has no value here
        if (point := _broken(claim, np.random.default_rng(seed))) is not None:
            return point
    return None


def _broken(claim: Refutable, rng: np.random.Generator) -> dict[str, Fraction] | None:
    solved = solve_equations(claim.where)
    where = [Relation(r.expr.xreplace(solved), r.op) for r in claim.where]
    holds = Relation(claim.holds.expr.xreplace(solved), claim.holds.op)
    exprs = [r.expr for r in where] + [holds.expr]
    symbols = sorted({x for e in exprs for x in e.free_symbols}, key=str)
    switches = _switches(exprs)
    drawn = [_numbers(x, switches, rng) for x in symbols]
    columns = np.array([np.array(numbers, dtype=float)[at] for numbers, at in drawn]) if drawn else np.empty((0, 1))
    beside = _beside(claim, solved, symbols, columns, rng)
    for j, values in beside.items():
        columns[j, ::2] = values[::2]
    values = _values(holds.expr, symbols, columns)
    inside = np.ones(columns.shape[1], dtype=bool)
    for r in where:
        inside &= _looks(r.op, _values(r.expr, symbols, columns))
    off = np.where(np.isfinite(values), 0.0, 1.0) if claim.needs_value else _miss(holds.op, values)
    suspicious = np.flatnonzero(inside & (off > 0))
    for k in suspicious[np.argsort(-off[suspicious], kind="stable")][:CONFIRMED]:
        point = {x.name: numbers[at[k]] for x, (numbers, at) in zip(symbols, drawn, strict=True)}
        point |= {symbols[j].name: Fraction(round(GRID * columns[j, k]), GRID) for j in beside if k % 2 == 0}
        if all(balls.holds(r, point) for r in where) and _fails(claim._replace(holds=holds), point):
            return point
    return None


def _fails(claim: Refutable, point: Mapping[str, Fraction]) -> bool:
    try:
        sign = balls.sign(claim.holds.expr, point)
    except balls.Undefined:
        return claim.needs_value
    return not claim.needs_value and sign is not None and not balls.holds(claim.holds, point)


def _numbers(x: sp.Symbol, terms: Collection[sp.Expr], rng: np.random.Generator) -> tuple[list[Fraction], Indices]:
    """Rationals, and which x is at each point: simple ones, several scales, both sides of where a term vanishes."""
    simple = [Fraction(p, q) for p in range(-6, 7) for q in (1, 2, 3)]
    edges = [e + d for e in _edges(x, terms) for d in (Fraction(0), Fraction(1, 1000), Fraction(-1, 1000), 1, -1)]
    scaled = [Fraction(round(1000 * v), 1000) for s in (0.1, 1, 10, 100) for v in s * rng.normal(size=60)]
    pools = [pool for pool in (simple, edges, scaled) if pool]
    sizes = np.array([len(pool) for pool in pools])
    kind = rng.integers(len(pools), size=POINTS)  # each kind as often, however many numbers it has
    return [v for pool in pools for v in pool], (sizes.cumsum() - sizes)[kind] + rng.integers(sizes[kind])


def _beside(
    claim: Refutable, solved: Mapping, symbols: Sequence[sp.Symbol], columns: Array, rng: np.random.Generator
) -> dict[int, Array]:
    """Where a claim compares f with f(a): for each variable of f, by its place, numbers beside its entry of a."""
    _, names, at = claim.function or (None, (), ())
    scale = 10.0 ** -rng.integers(1, 4, size=columns.shape[1])
    found = {}
    for x, entry in zip(names, at, strict=False):
        if x in symbols:
            centre = _values(entry.xreplace(dict(solved)), symbols, columns)
            moved = centre + (0.1 + np.abs(centre)) * scale * rng.normal(size=len(scale))
            found[symbols.index(x)] = np.rint(GRID * moved) / GRID
    return found


def _switches(exprs: Iterable[sp.Expr]) -> set[sp.Expr]:
    """What decides on a branch or bounds a set where it vanishes."""
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
    return terms


def _edges(x: sp.Symbol, terms: Iterable[sp.Expr]) -> list[Fraction]:
    """The rational zeros of those terms that are polynomials in x alone."""
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
