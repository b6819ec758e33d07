"""Convexity of functions (Hessian positive semidefinite) and of sets given by relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import sympy as sp

from fedmm_edu.symbolic.algebra import OPAQUE, vanishes
from fedmm_edu.symbolic.domain import Domain, Relation
from fedmm_edu.symbolic.inequality import decide_defined, decide_nonnegative, witness
from fedmm_edu.symbolic.signs import NONNEGATIVE, possible_signs
from fedmm_edu.symbolic.verdict import Step, Verdict, conjunction, proved, refuted, undecided
from fedmm_edu.symbolic.witness_search import find_point


def decide_convex(
    expr: sp.Expr, theta: Sequence[sp.Symbol], domain: Domain, *, strict: bool = False, seed: int = 0
) -> Verdict:
    """The verdict on "expr is convex in theta on the domain (convex in theta, other variables fixed)".

    Principal minors of the Hessian ≥ 0; with `strict`, leading principal minors > 0, which makes expr strictly convex.
    A refutation gives a point where a principal minor is negative (with `strict`, the verdict is then `open`: a
    function can be strictly convex with a singular Hessian).
    """
    domain = domain.also((), (expr, *theta))
    expr, theta = domain.lift(expr), [domain.lift(x) for x in theta]
    kinks = [term for term in sp.Add.make_args(sp.expand(expr)) if _kinked(term, theta, domain, seed)]
    for term in kinks:
        if not _convex_by_rule(term, theta, domain):
            return undecided("Hessian", Step(f"is ${sp.latex(term)}$ convex?", "it has kinks and matches no rule"))
    expr = sp.expand(expr) - sp.Add(*kinks) if kinks else expr
    rules = [
        Step(f"${sp.latex(term)}$ is convex", "a nonnegative multiple of |affine|, max(affine) or a norm")
        for term in kinks
    ]
    hessian = sp.hessian(expr, theta) if theta else sp.zeros(0)
    hessian = hessian.applyfunc(lambda entry: sp.S.Zero if vanishes(entry, domain) else sp.cancel(entry))
    defined = decide_defined(sp.Tuple(*(sp.diff(expr, x) for x in theta), *hessian), domain, seed=seed)
    if defined.status != "proved":
        return undecided(
            "Hessian", Step("the Hessian is not defined on the whole set", "so convexity needs another proof")
        )
    steps = [*rules, Step(f"Hessian ${sp.latex(hessian)}$", "differentiation")]
    for rows in _principal(len(theta), leading=strict):
        minor = hessian.extract(rows, rows).det(method="berkowitz")
        verdict = decide_nonnegative(minor, domain, strict=strict, seed=seed)
        name = f"minor of rows {', '.join(str(r + 1) for r in rows)}"
        if verdict.status == "refuted" and not strict:
            return refuted(
                "Hessian", verdict.witness, *steps, Step(f"the {name} is negative at the witness", "not convex")
            )
        if verdict.status != "proved":
            return undecided("Hessian", *steps, *verdict.evidence, Step(f"the {name}", f"{verdict.status}, not proved"))
        steps += [
            Step(f"the {name} is {'> 0' if strict else '≥ 0'}: {verdict.evidence[-1].claim}", verdict.evidence[-1].why)
        ]
    why = "leading principal minors > 0" if strict else "all principal minors ≥ 0"
    return proved("Hessian", *steps, Step(f"{'strictly ' if strict else ''}convex", why))


def _kinked(term: sp.Expr, theta: Sequence[sp.Symbol], domain: Domain, seed: int) -> bool:
    """Whether the term may fail to be differentiable: |·|, max, a norm at the origin."""
    if not term.free_symbols & set(theta):
        return False
    slopes = sp.Tuple(*(sp.diff(term, x) for x in theta))
    roots = any(not power.exp.is_Integer for power in term.atoms(sp.Pow))
    return term.has(*OPAQUE) or (roots and decide_defined(slopes, domain, seed=seed).status == "refuted")


def _convex_by_rule(term: sp.Expr, theta: Sequence[sp.Symbol], domain: Domain) -> bool:
    """c·|a|, c·max(a, b, …), c·√(Σ a²) with c ≥ 0 free of theta and every a affine in theta; c·min(…) with c ≤ 0."""
    factor, core = term.as_independent(*theta, as_Add=False)
    signs = possible_signs(factor, domain)
    if isinstance(core, sp.Min):
        return signs <= frozenset({-1, 0}) and all(_affine(a, theta, domain) for a in core.args)
    if isinstance(core, sp.Abs | sp.Max):
        return signs <= NONNEGATIVE and all(_affine(a, theta, domain) for a in core.args)
    if core.is_Pow and core.exp == sp.Rational(1, 2):
        squares = sp.Add.make_args(core.base)
        return signs <= NONNEGATIVE and all(u.is_Pow and u.exp == 2 and _affine(u.base, theta, domain) for u in squares)
    return False


def relations_convex_in(domain: Domain, theta: Sequence[sp.Symbol]) -> bool:
    """Whether, for all values of the other variables, the domain is convex in theta (each relation affine in theta)."""
    theta = [domain.lift(x) for x in theta]
    relevant = [r for r in domain.relations if r.expr.free_symbols & set(theta)]
    return all(r.op != "!=" and _affine(r.expr, theta, domain) for r in relevant)


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
    affine = [r for r in relations if r.op != "!=" and _affine(r.expr, theta, space)]
    around = given.also(affine, theta)  # a convex set: the other relations need to be convex only on it
    parts = {str(r): _convex_relation(r, r in affine, theta, around, seed) for r in relations}
    verdict = conjunction(parts)
    if verdict.status == "proved":
        return proved(verdict.method, *verdict.evidence, Step("the set is convex", "an intersection of convex sets"))
    return _by_segments(relations, theta, given, seed) or undecided("segments", *verdict.evidence)


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
    t = sp.Symbol("t", real=True)
    ends = [[sp.Symbol(f"{x.name}_{name}", real=True) for x in theta] for name in ("a", "b")]
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
            return refuted("evaluation", witness(point, says, {str(inside.expr): space.lift(inside.expr)}))
        parts[str(r)] = (
            decide_nonnegative(inside.expr, space, strict=r.op == ">", seed=seed)
            if r.op in (">", ">=")
            else undecided("segments")
        )
    verdict = conjunction(parts)
    return verdict if verdict.status == "proved" else None


def _affine(expr: sp.Expr, theta: Sequence[sp.Symbol], domain: Domain) -> bool:
    if expr.has(*OPAQUE):
        return False
    return all(vanishes(sp.diff(expr, x, y), domain) for x in theta for y in theta)


def _principal(size: int, *, leading: bool) -> Iterable[list[int]]:
    if leading:
        return [list(range(k)) for k in range(1, size + 1)]
    return [list(rows) for k in range(1, size + 1) for rows in combinations(range(size), k)]
