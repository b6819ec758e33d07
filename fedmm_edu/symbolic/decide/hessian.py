"""Convexity of functions by their Hessians, for whoever can decide signs.

The tests of inequalities use convexity, and convexity needs the signs of minors: each is handed the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import sympy as sp

from fedmm_edu.proofs.verdict import Step, Verdict, proved, refuted, undecided
from fedmm_edu.symbolic.decide.algebra import TooLarge, require_size, vanishes
from fedmm_edu.symbolic.decide.domain import Domain
from fedmm_edu.symbolic.decide.signs import possible_signs
from fedmm_edu.symbolic.functions.faces import Kinked
from fedmm_edu.symbolic.functions.signs import NONNEGATIVE
from fedmm_edu.symbolic.functions.table import FUNCTIONS, PIECED

MINORS = 63
"""Principal minors that are looked at: all of them in six variables."""


class Deciders(NamedTuple):
    """How signs and definedness are decided (`inequality.decide_nonnegative` and `decide_defined`)."""

    nonnegative: Callable[..., Verdict]
    defined: Callable[..., Verdict]


def convex_by_minors(
    expr: sp.Expr,
    theta: Sequence[sp.Symbol],
    domain: Domain,
    decide: Deciders,
    *,
    strict: bool = False,
    seed: int = 0,
) -> Verdict:
    """The verdict of `convexity.decide_convex`, every sign decided by `decide`; "open" where it would go on and on."""
    theta = [x for x in theta if strict or expr.has(x)]  # a minor with another row is 0
    try:
        return _by_minors(expr, theta, domain, decide, strict, seed)
    except TooLarge as large:
        return undecided("Hessian", Step("the test of the Hessian is given up", str(large)))


def _by_minors(
    expr: sp.Expr, theta: Sequence[sp.Symbol], domain: Domain, decide: Deciders, strict: bool, seed: int
) -> Verdict:
    domain = domain.also((), (expr, *theta))
    expr, theta = domain.lift(expr), [domain.lift(x) for x in theta]
    kinks = [term for term in sp.Add.make_args(sp.expand(expr)) if _kinked(term, theta, domain, decide, seed)]
    for term in kinks:
        if not _convex_by_rule(term, theta, domain):
            return undecided("Hessian", Step(f"is ${sp.latex(term)}$ convex?", "it has kinks and matches no rule"))
    expr = sp.expand(expr) - sp.Add(*kinks) if kinks else expr
    rules = [
        Step(f"${sp.latex(term)}$ is convex", "a nonnegative multiple of |affine|, max(affine) or a norm")
        for term in kinks
    ]
    hessian = sp.hessian(expr, theta) if theta else sp.zeros(0)
    hessian = hessian.applyfunc(lambda entry: sp.S.Zero if vanishes(entry, domain) else _cancelled(entry))
    curved = [j for j in range(len(theta)) if strict or any(hessian.row(j))]  # a minor with a row of zeros is 0
    if not strict and 2 ** len(curved) - 1 > MINORS:
        says = f"there are {2 ** len(curved) - 1}, and {MINORS} are the limit"
        return undecided("Hessian", Step("the principal minors are not looked at", says))
    defined = decide.defined(sp.Tuple(*(sp.diff(expr, x) for x in theta), *hessian), domain, seed=seed)
    if defined.status != "proved":
        return undecided(
            "Hessian", Step("the Hessian is not defined on the whole set", "so convexity needs another proof")
        )
    steps = [*rules, Step(f"Hessian ${sp.latex(hessian)}$", "differentiation")]
    for rows in ([curved[j] for j in minor] for minor in _principal(len(curved), leading=strict)):
        minor = hessian.extract(rows, rows).det(method="berkowitz")
        verdict = decide.nonnegative(minor, domain, strict=strict, seed=seed)
        name = f"minor of rows {', '.join(str(r + 1) for r in rows)}"
        if verdict.status == "refuted" and verdict.witness is not None and not strict:
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


def _cancelled(entry: sp.Expr) -> sp.Expr:
    for part in sp.fraction(sp.together(entry)):
        require_size(part, "a second derivative")
    return sp.cancel(entry)


def _kinked(term: sp.Expr, theta: Sequence[sp.Symbol], domain: Domain, decide: Deciders, seed: int) -> bool:
    """Whether the term may fail to be differentiable: |·|, max, a norm at the origin."""
    if not term.free_symbols & set(theta):
        return False
    slopes = sp.Tuple(*(sp.diff(term, x) for x in theta))
    roots = any(not power.exp.is_Integer for power in term.atoms(sp.Pow))
    return term.has(*PIECED) or (roots and decide.defined(slopes, domain, seed=seed).status == "refuted")


def _convex_by_rule(term: sp.Expr, theta: Sequence[sp.Symbol], domain: Domain) -> bool:
    """c·|a|, c·max(a, b, …), c·√(Σ a²) with c ≥ 0 free of theta and every a affine in theta; c·min(…) with c ≤ 0."""
    factor, core = term.as_independent(*theta, as_Add=False)
    signs = possible_signs(factor, domain)
    entry = FUNCTIONS.get(core.func)
    if isinstance(entry, Kinked) and entry.bend:
        bent = frozenset(sign * entry.bend for sign in signs)
        return bent <= NONNEGATIVE and all(affine_in(a, theta, domain) for a in core.args)
    if isinstance(core, sp.Pow) and core.exp == sp.Rational(1, 2):
        terms = sp.Add.make_args(core.base)
        squares = all(isinstance(u, sp.Pow) and u.exp == 2 and affine_in(u.base, theta, domain) for u in terms)
        return signs <= NONNEGATIVE and squares
    return False


def relations_convex_in(domain: Domain, theta: Sequence[sp.Symbol]) -> bool:
    """Whether, for all values of the other variables, the domain is convex in theta (each relation affine in theta)."""
    theta = [domain.lift(x) for x in theta]
    relevant = [r for r in domain.relations if r.expr.free_symbols & set(theta)]
    return all(r.op != "!=" and affine_in(r.expr, theta, domain) for r in relevant)


def affine_in(expr: sp.Expr, theta: Sequence[sp.Symbol], domain: Domain) -> bool:
    """Whether all second derivatives in theta vanish on the domain."""
    if expr.has(*PIECED):
        return False
    return all(vanishes(sp.diff(expr, x, y), domain) for x in theta for y in theta)


def _principal(size: int, *, leading: bool) -> Iterable[list[int]]:
    if leading:
        return [list(range(k)) for k in range(1, size + 1)]
    return [list(rows) for k in range(1, size + 1) for rows in combinations(range(size), k)]
