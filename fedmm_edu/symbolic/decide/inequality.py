"""Is expr ≥ 0 (or > 0) on a domain? Exact strategies, each leaving readable evidence.

In order: identity, signed factors, completing the square, a quick search for a counterexample, convexity around an
anchor, calculus in one variable, z3 with cvc5 as a second opinion, a thorough search. What none of them decides is
`supported` by the number of points at which it was seen to hold, which is no proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import sympy as sp

from fedmm_edu.errors import InvalidInput, MissingExtra
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, proved, refuted, supported, undecided
from fedmm_edu.symbolic.decide import balls
from fedmm_edu.symbolic.decide.algebra import Algebra, TooLarge, vanishes
from fedmm_edu.symbolic.decide.bending import beside_anchor
from fedmm_edu.symbolic.decide.definedness import is_supported, needs_of, require_supported
from fedmm_edu.symbolic.decide.domain import Domain, Relation, relations_of
from fedmm_edu.symbolic.decide.hessian import Deciders, convex_by_minors, relations_convex_in
from fedmm_edu.symbolic.decide.strategies import (
    by_factors,
    by_identity,
    by_solvers,
    by_square,
    impossible,
    signed_factors,
)
from fedmm_edu.symbolic.decide.witness_search import POINTS_TRIED, find_point
from fedmm_edu.symbolic.functions.table import PIECED

Anchor = Mapping[sp.Symbol, sp.Expr]


def decide_nonnegative(
    expr: Any,
    domain: Domain | Iterable[sp.Basic] = (),
    *,
    strict: bool = False,
    variables: Iterable[sp.Symbol] = (),
    anchor: Anchor | None = None,
    seed: int = 0,
) -> Verdict:
    """The verdict on "expr ≥ 0 (> 0 if strict) at every point of the domain, and defined there".

    `domain`: SymPy relations (assumptions of symbols such as positive=True count too). `anchor` {θ: τ} names variables
    in which expr may be convex with value and gradient zero at θ = τ. A refutation carries an exact rational point.
    Raises `InvalidInput` when no point satisfies the domain: such a claim would hold of anything.

    >>> x = sp.Symbol("x", real=True)
    >>> decide_nonnegative(x**2 - 2 * x + 1).status, decide_nonnegative(x**2 - 2 * x, [x > 0]).status
    ('proved', 'refuted')
    """
    expr = sp.sympify(expr)
    require_supported(expr)
    space = (domain if isinstance(domain, Domain) else Domain.of(domain)).also((), (expr, *variables))
    expr = space.lift(expr)
    if domain_point(space, seed=seed) is None:
        return undecided("no point", Step(f"no point of the domain ({space}) was found", "so nothing is claimed on it"))
    undefined = decide_defined(expr, space, seed=seed)
    if undefined.status != "proved":
        return undefined
    lifted = tuple(sorted(((space.lift(k), space.lift(sp.sympify(v))) for k, v in (anchor or {}).items()), key=str))
    return _decide(expr, space, strict, lifted, seed)


def domain_point(
    domain: Domain | Iterable[sp.Basic | Relation], variables: Iterable[sp.Symbol] = (), *, seed: int = 0
) -> dict[str, Fraction] | None:
    """A rational point of the domain (its non-vacuity); None when none was found.

    Raises `InvalidInput` when the solvers prove that there is none.
    """
    space = (domain if isinstance(domain, Domain) else Domain.of(domain)).also((), variables)
    point = find_point(space, seed=seed) or find_point(space, seed=seed, thorough=True)
    if point is None and impossible(space, []):
        raise InvalidInput(
            f"the domain ({space}) is empty, and an empty domain proves anything: correct its relations."
        )
    return point


def decide_defined(expr: sp.Basic, domain: Domain, *, seed: int = 0) -> Verdict:
    """The verdict on "expr has a real value at every point of the domain", naming a term that has none."""
    space = domain.also((), (expr,))
    expr = space.lift(expr)
    steps = []
    for need in dict.fromkeys(needs_of(expr)):
        try:
            local = space.also(need.guards)
        except InvalidInput:  # a guard that is trivially false: the branch is never met
            continue
        if need.guards and impossible(local, []):
            continue
        relation = Relation(local.lift(need.relation.expr), need.relation.op)
        verdict = _holds_everywhere(relation, local, seed)
        if verdict.status == "proved":
            steps.append(Step(f"${sp.latex(need.term)}$ is defined: {relation.tex}", verdict.evidence[-1].why))
            continue
        point = find_point(local, relation.negated(), seed=seed, thorough=True)
        if point is not None and _is_undefined(expr, point):
            says = f"{need.term} is not defined at {_read(point)}: it needs {relation}."
            return refuted("evaluation", witness_at(point, says, {str(relation.expr): relation.expr}), *steps)
        why = f"not decided; {verdict.missing.claim}: {verdict.missing.why}" if verdict.missing else "not decided"
        return undecided(verdict.method, *steps, Step(f"is ${sp.latex(need.term)}$ defined everywhere?", why))
    return proved(
        "definedness", *(steps or [Step("defined everywhere", "no division, logarithm or root that can fail")])
    )


def where_defined(expr: sp.Expr, verdict: Verdict) -> Verdict:
    """`verdict` on `expr`, but open where it was refuted only because `expr` has no value at the witness."""
    if verdict.status != "refuted" or verdict.witness is None:
        return verdict
    if not _is_undefined(expr, {name: Fraction(value) for name, value in verdict.witness.point.items()}):
        return verdict
    return undecided("definedness", *verdict.evidence, Step(verdict.witness.says, "there is nothing to compare there"))


def witness_at(point: Mapping[str, Fraction], says: str, values: Mapping[str, sp.Expr]) -> Witness:
    """A witness at a rational point with the values, exact or enclosed, of the named expressions there."""
    shown = {}
    for name, expr in values.items():
        try:
            shown[name] = balls.show(expr, point)
        except InvalidInput:
            shown[name] = "not defined"
    return Witness({name: str(value) for name, value in point.items()}, says, shown)


@lru_cache(maxsize=4096)
def _decide(expr: sp.Expr, domain: Domain, strict: bool, anchor: tuple, seed: int) -> Verdict:
    """`decide_nonnegative` for an expression that is defined on a nonempty domain."""
    wanted = Relation(expr, ">" if strict else ">=")
    spent: list[Step] = []

    def tried(strategy: Callable[[sp.Expr, Domain, bool], Verdict | None]) -> Verdict | None:
        try:
            return strategy(expr, domain, strict)
        except (TooLarge, MissingExtra) as reason:
            spent.append(Step(f"{strategy.__name__.strip('_').replace('_', ' ')} is given up", str(reason)))
            return None

    for strategy in (by_identity, by_factors, by_square):
        if verdict := tried(strategy):
            return verdict
    if found := _by_search(wanted, domain, seed, thorough=False):
        return found
    if anchor and not strict and (verdict := _by_anchor(expr, domain, dict(anchor), seed)):
        return verdict
    for strategy in (_by_calculus, _by_cases, by_solvers):
        if verdict := tried(strategy):
            return verdict
    if found := _by_search(wanted, domain, seed, thorough=True):
        return found
    if anchor and not strict and not expr.has(*PIECED) and (point := beside_anchor(wanted, domain, dict(anchor), seed)):
        return _refuted_at(point, wanted)
    return supported(
        "sampling",
        Step(f"no counterexample to {wanted.tex}", f"{POINTS_TRIED} exact points and local descent: not a proof"),
        *spent,
    )


def _by_anchor(expr: sp.Expr, domain: Domain, anchor: dict[sp.Symbol, sp.Expr], seed: int) -> Verdict | None:
    """Value 0 and gradient 0 at θ = τ, convex in θ on a convex set: ≥ 0."""
    theta = list(anchor)
    at = [expr.xreplace(anchor), *(sp.diff(expr, x).xreplace(anchor) for x in theta)]
    if expr.has(*PIECED) or not all(vanishes(value, domain) for value in at) or not relations_convex_in(domain, theta):
        return None
    about = [r for r in domain.relations if r.expr.free_symbols & set(theta)]
    if any(_holds_everywhere(r.at(anchor), domain, seed).status != "proved" for r in about):
        return None  # the anchor itself must lie in the convex set
    convex = convex_by_minors(expr, theta, domain, Deciders(decide_nonnegative, decide_defined), seed=seed)
    if convex.status != "proved":
        return None
    pairs = ", ".join(f"{sp.latex(k)} = {sp.latex(v)}" for k, v in anchor.items())
    first = Step(f"value and gradient vanish at ${pairs}$", "identity")
    return proved("convexity", first, *convex.evidence, Step("a convex function lies above its tangent", "hence ≥ 0"))


def _by_calculus(expr: sp.Expr, domain: Domain, strict: bool) -> Verdict | None:
    """One variable: convex on an interval, with a stationary point at which the value is known."""
    if len(expr.free_symbols) != 1 or expr.has(*PIECED) or expr.count_ops() > 60:
        return None
    (x,) = expr.free_symbols
    slope, local = sp.diff(expr, x), Domain.of([r for r in domain.relations if r.expr.free_symbols <= {x}], (x,))
    expr, slope, x = local.lift(expr), local.lift(slope), local.lift(x)
    if not relations_convex_in(local, [x]):
        return None
    for root in _stationary_points(slope, x, local):
        value = expr.subs(x, root)
        inside = all(balls.holds(Relation(r.expr.subs(x, root), r.op), {}) for r in local.relations)
        sign = 0 if vanishes(value) else balls.sign(value, {}) if inside else None
        if not inside or sign is None or sign < int(strict):
            continue
        convex = convex_by_minors(expr, [x], local, Deciders(decide_nonnegative, decide_defined))
        if convex.status == "proved":
            at = f"${sp.latex(x)} = {sp.latex(root)}$"
            step = Step(
                f"the derivative vanishes at {at}, the value there is {'0' if sign == 0 else '> 0'}", "calculus"
            )
            return proved(
                "calculus", step, *convex.evidence, Step("a convex function is least where it is stationary", at)
            )
    return None


def _stationary_points(slope: sp.Expr, x: sp.Symbol, domain: Domain) -> list[sp.Expr]:
    """Real roots of the derivative that a polynomial equation in x, exp(x) or log(x) gives."""
    algebra = Algebra((slope,), domain)
    numerator = algebra.fraction(slope)[0]
    if len(numerator.free_symbols) != 1:
        return []
    (unknown,) = numerator.free_symbols
    if not numerator.is_polynomial(unknown) or sp.degree(numerator, unknown) > 4:
        return []
    out = []
    for root in sp.roots(sp.Poly(numerator, unknown)):
        if root.is_real and unknown in algebra.meaning:
            try:
                found = sp.solve(algebra.meaning[unknown] - root, x)
            except NotImplementedError:
                found = []
            out += [value for value in found if value.is_real and is_supported(value)]
        elif root.is_real:
            out.append(root)
    return out


def _by_cases(expr: Any, domain: Domain, strict: bool) -> Verdict | None:
    """One inequality for each way in which the conditions of the pieces can hold or fail."""
    conditions = {c for piece in expr.atoms(sp.Piecewise) for _, c in list(piece.args) if c is not sp.true}
    if not 0 < len(conditions) <= 3 or not all(isinstance(c, sp.Gt | sp.Ge | sp.Lt | sp.Le) for c in conditions):
        return None
    ordered, steps, methods = sorted(conditions, key=str), [], []
    for truth in product((True, False), repeat=len(ordered)):
        guards = [r for c, held in zip(ordered, truth, strict=True) for r in relations_of(c if held else sp.Not(c))]
        local = domain.also(guards)
        case = local.lift(expr.xreplace(dict(zip(ordered, map(sp.sympify, truth), strict=True))))
        name = Step("case " + ", ".join(guard.tex for guard in guards), "one of the cases")
        if how := impossible(local, []):
            steps += [name, Step("no point", f"{how} finds the case empty")]
            continue
        verdict = _decide(case, local, strict, (), 0)
        if verdict.status != "proved":
            return None
        steps += [name, *verdict.evidence]
        methods.append(verdict.method)
    return proved("cases, " + ", ".join(dict.fromkeys(methods)), *steps)


def _holds_everywhere(relation: Relation, domain: Domain, seed: int) -> Verdict:
    """The verdict on a relation over the domain; `!=` and `==` through signs and identities."""
    expr, op = relation
    if op == "==":
        return by_identity(expr, domain, False) or undecided("identity")
    if op in (">", ">="):
        return _decide(expr, domain, op == ">", (), seed)
    signs, step = signed_factors(expr, domain)
    if 0 not in signs:
        return proved("factorisation", step)
    if find_point(domain, (Relation(expr, "=="),), seed=seed) is None and (
        how := impossible(domain, [[Relation(expr, "==")]])
    ):
        return proved(how, Step(relation.tex, f"{how} finds no zero"))
    return undecided("factorisation", step)


def holds_everywhere(relation: Relation, domain: Domain, *, seed: int = 0) -> Verdict:
    """The verdict on a relation at every point of a (nonempty) domain on which it is defined."""
    domain = domain.also((), (relation.expr,))
    relation = Relation(domain.lift(relation.expr), relation.op)
    verdict = _holds_everywhere(relation, domain, seed)
    if verdict.status in ("proved", "refuted"):
        return verdict
    point = find_point(domain, relation.negated(), seed=seed, thorough=True)
    if point is not None:
        says = f"{relation} fails at {_read(point)}."
        return refuted("evaluation", witness_at(point, says, {str(relation.expr): relation.expr}))
    return verdict


def _by_search(wanted: Relation, domain: Domain, seed: int, *, thorough: bool) -> Verdict | None:
    point = find_point(domain, wanted.negated(), seed=seed, thorough=thorough)
    return None if point is None else _refuted_at(point, wanted)


def _refuted_at(point: Mapping[str, Fraction], wanted: Relation) -> Verdict:
    says = f"at {_read(point)} the left-hand side of {wanted.op} 0 is {balls.show(wanted.expr, point)}."
    step = Step(f"{wanted.tex} fails", "evaluated at an exact point with exact or ball arithmetic")
    return refuted("evaluation", witness_at(point, says, {str(wanted.expr): wanted.expr}), step)


def _is_undefined(expr: sp.Basic, point: Mapping[str, Fraction]) -> bool:
    try:
        balls.sign(expr, point)
    except balls.Undefined:
        return True
    return False


def _read(point: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items()) or "every point"
