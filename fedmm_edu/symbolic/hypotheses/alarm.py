"""An attempt to break what was just proved, by numbers alone: it shares no simplification with the search for proofs.

What each row claims (`hypotheses.statements`) is evaluated in floating point at many points of the sets: at random on
several scales, at simple numbers, at the places where a branch or a set ends and just beside them, constants free.
Where a claim looks broken, ball arithmetic decides. So a counterexample is certain, and beside a proof it means that
this program has a mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from importlib.util import find_spec

import sympy as sp

from fedmm_edu.errors import FedMMError
from fedmm_edu.proofs.verdict import Verdict, refuted
from fedmm_edu.symbolic.decide import balls
from fedmm_edu.symbolic.decide.definedness import is_supported
from fedmm_edu.symbolic.decide.inequality import witness_at
from fedmm_edu.symbolic.decide.witness_search import solve_equations
from fedmm_edu.symbolic.functions.faces import Kinked
from fedmm_edu.symbolic.functions.table import FUNCTIONS
from fedmm_edu.symbolic.hypotheses.looks import Look
from fedmm_edu.symbolic.hypotheses.statements import CLAIMS, Claims, Refutable
from fedmm_edu.symbolic.model import Model


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


def refuted_by_numbers(model: Model, row: str, *, seed: int = 0) -> Verdict | None:
    """The refutation of a row that no search has decided, where numbers break it."""
    if (broken := _broken(model, row, None, seed)) is None:
        return None
    point, look = broken
    says = f"{look.holds.expr} has no value there." if look.needs_value else f"{look.holds} fails there."
    return refuted("evaluation", witness_at(point, says, {str(look.holds.expr): look.holds.expr}))


def broken_at(model: Model, row: str, *, claims: Claims | None = None, seed: int = 0) -> dict[str, Fraction] | None:
    """A point, certified by ball arithmetic, at which the row fails; None when none was found."""
    broken = _broken(model, row, claims, seed)
    return None if broken is None else broken[0]


@lru_cache(maxsize=512)
def _broken(model: Model, row: str, claims: Claims | None, seed: int) -> tuple[dict[str, Fraction], Look] | None:
    """The point, and what fails there; a check asks thrice."""
    if claims is None and row.startswith("MM-2") and model.T is None:
        return None  # there is nothing to break
    for claim in (claims or CLAIMS[row])(model):
        if (found := _broken_claim(claim, seed)) is not None:
            return found
    return None


def breaking_point(claim: Refutable, *, seed: int = 0) -> dict[str, Fraction] | None:
    """A point at which one claim fails, likewise."""
    found = _broken_claim(claim, seed)
    return None if found is None else found[0]


def _broken_claim(claim: Refutable, seed: int) -> tuple[dict[str, Fraction], Look] | None:
    if not is_supported(claim.holds.expr):
        return None  # a slope without a formula has no value here
    look = _look(claim)
    for point in _suspects(look, seed):
        if all(balls.holds(r, point) for r in look.where) and _fails(look, point):
            return point, look
    return None


def _look(claim: Refutable) -> Look:
    solved = solve_equations(claim.where)
    where, holds = tuple(r.at(solved) for r in claim.where), claim.holds.at(solved)
    exprs = [r.expr for r in where] + [holds.expr]
    symbols = sorted({x for e in exprs for x in e.free_symbols}, key=str)
    switches = _switches(exprs)
    _, names, at = claim.function or (None, (), ())
    centres = {symbols.index(x): e.xreplace(solved) for x, e in zip(names, at, strict=False) if x in symbols}
    return Look(where, holds, claim.needs_value, symbols, [_edges(x, switches) for x in symbols], centres)


def _suspects(look: Look, seed: int) -> Iterator[dict[str, Fraction]]:
    if find_spec("numpy") and find_spec("scipy"):
        from fedmm_edu.symbolic.hypotheses.arrays_drawn import array_suspects

        return array_suspects(look, seed)
    from fedmm_edu.symbolic.hypotheses.plain_drawn import plain_suspects

    return plain_suspects(look, seed)


def _fails(claim: Look, point: Mapping[str, Fraction]) -> bool:
    try:
        sign = balls.sign(claim.holds.expr, point)
    except balls.Undefined:
        return claim.needs_value
    return not claim.needs_value and sign is not None and not balls.holds(claim.holds, point)


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
