"""Convexity of functions (Hessian positive semidefinite) and of sets given by relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import sympy as sp

from fedmm_edu.proofs.verdict import Step, Verdict, conjunction, proved, refuted, undecided
from fedmm_edu.symbolic.decide.domain import Domain, Relation, fresh
from fedmm_edu.symbolic.decide.hessian import Deciders, affine_in, convex_by_minors
from fedmm_edu.symbolic.decide.inequality import decide_defined, decide_nonnegative, witness_at
from fedmm_edu.symbolic.decide.witness_search import find_point

DECIDERS = Deciders(decide_nonnegative, decide_defined)


def decide_convex(
    expr: sp.Expr, theta: Sequence[sp.Symbol], domain: Domain, *, strict: bool = False, seed: int = 0
) -> Verdict:
    """The verdict on "expr is convex in theta on the domain (convex in theta, other variables fixed)".

    Principal minors of the Hessian ≥ 0; with `strict`, leading principal minors > 0, which makes expr strictly convex.
    A refutation gives a point where a principal minor is negative (with `strict`, the verdict is then `open`: a
    function can be strictly convex with a singular Hessian).
    """
    return convex_by_minors(expr, theta, domain, DECIDERS, strict=strict, seed=seed)


def decide_convex_set(
    relations: Iterable[Relation], theta: Sequence[sp.Symbol], given: Domain, *, seed: int = 0
) -> Verdict:
    """The verdict on "the set of theta that satisfy the relations is convex (other variables fixed, in `given`)".

    Each relation is affine or the sublevel set of a convex function; otherwise the definition is given to the solvers,
    and a refutation shows two points whose segment leaves the set.
    """
    space = given.also(relations, theta)
    theta = [space.lift(x) for x in theta]
    relations = [Relation(space.lift(r.expr), r.op) for r in relations]
    if not relations:
        return proved("derivation", Step("no relation restricts the set", "it is the whole space"))
    affine = [r for r in relations if r.op != "!=" and affine_in(r.expr, theta, space)]
    around = given.also(affine, theta)  # a convex set: the other relations need to be convex only on it
    parts = {str(r): _convex_relation(r, r in affine, theta, around, seed) for r in relations}
    verdict = conjunction(parts)
    if verdict.status == "proved":
        return proved(verdict.method, *verdict.evidence, Step("the set is convex", "an intersection of convex sets"))
    return _by_segments(relations, theta, given, seed) or replace(verdict, status="open", method="segments")


def _convex_relation(r: Relation, affine: bool, theta: Sequence[sp.Symbol], around: Domain, seed: int) -> Verdict:
    if affine:
        return proved("affine", Step(r.tex, "an affine relation: a half-space or a hyperplane"))
    if r.op in ("==", "!="):
        return undecided("affine", Step(r.tex, "not affine"))
    convex = decide_convex(-r.expr, theta, around, seed=seed)
    if convex.status == "proved":
        why = "a sublevel set of a function that is convex where the affine relations hold"
        return proved("sublevel set", *convex.evidence, Step(r.tex, why))
    return undecided("sublevel set", Step(r.tex, "its left-hand side is not shown to be concave"))


def _by_segments(relations: list[Relation], theta: Sequence[sp.Symbol], given: Domain, seed: int) -> Verdict | None:
    """The definition: a, b in the set and 0 < t < 1 give ta + (1−t)b in the set."""
    taken = [*given.variables, *(r.expr for r in relations), *theta]
    names = ["t", *(f"{x.name}_{end}" for end in "ab" for x in theta)]
    t, *both = fresh(names, taken)
    ends = both[: len(theta)], both[len(theta) :]
    copies = [Relation(r.expr.subs(list(zip(theta, end, strict=True))), r.op) for end in ends for r in relations]
    space = given.also([*copies, t > 0, t < 1])
    middle = [t * a + (1 - t) * b for a, b in zip(*ends, strict=True)]
    parts = {}
    for r in relations:
        inside = Relation(r.expr.subs(list(zip(theta, middle, strict=True)), simultaneous=True), r.op)
        point = find_point(space, inside.negated(), seed=seed) or find_point(
            space, inside.negated(), seed=seed, thorough=True
        )
        if point is not None:
            says = f"a and b satisfy every relation, ta + (1−t)b violates {r}."
            return refuted("evaluation", witness_at(point, says, {str(inside.expr): space.lift(inside.expr)}))
        parts[str(r)] = (
            decide_nonnegative(inside.expr, space, strict=r.op == ">", seed=seed)
            if r.op in (">", ">=")
            else undecided("segments")
        )
    verdict = conjunction(parts)
    return verdict if verdict.status == "proved" else None
