"""Proofs of one inequality in one step: identity, signed factors, completing the square, the SMT solvers.

Each takes an expression that is defined on a nonempty domain and returns a proof or None; none of them can refute.
"""

from __future__ import annotations

import sympy as sp

from fedmm_edu.errors import MissingExtra
from fedmm_edu.proofs.verdict import Step, Verdict, proved
from fedmm_edu.symbolic.decide.algebra import Algebra, factor_list, require_size, vanishes
from fedmm_edu.symbolic.decide.domain import Domain, Relation
from fedmm_edu.symbolic.decide.signs import possible_signs
from fedmm_edu.symbolic.decide.smt import Clause, Untranslatable, require_solver, satisfiable
from fedmm_edu.symbolic.decide.witness_search import find_point
from fedmm_edu.symbolic.functions.signs import ANY_SIGN, NONNEGATIVE, POSITIVE, Op, Signs
from fedmm_edu.symbolic.functions.table import PIECED

_SIGN_WORDS = {
    POSITIVE: "> 0",
    NONNEGATIVE: "≥ 0",
    frozenset({-1}): "< 0",
    frozenset({-1, 0}): "≤ 0",
    frozenset({0}): "= 0",
}


def by_identity(expr: sp.Expr, domain: Domain, strict: bool) -> Verdict | None:
    if not strict and vanishes(expr, domain):
        return proved("identity", Step(f"${sp.latex(expr)} = 0$", "expanding gives zero"))
    return None


def by_factors(expr: sp.Expr, domain: Domain, strict: bool) -> Verdict | None:
    signs, step = signed_factors(expr, domain)
    return proved("factorisation", step) if signs <= (POSITIVE if strict else NONNEGATIVE) else None


def by_square(expr: sp.Expr, domain: Domain, strict: bool) -> Verdict | None:
    """ax² + bx + c = a(x + b/2a)² + (4ac − b²)/4a with a > 0 and 4ac − b² ≥ 0."""
    if expr.has(*PIECED) or expr.count_ops() > 200:
        return None
    algebra = Algebra((expr,), domain)
    numerator, denominator = algebra.fraction(expr)
    if possible_signs(denominator, domain) != POSITIVE:
        return None
    for x in sorted(numerator.free_symbols - algebra.meaning.keys(), key=str):
        poly = sp.Poly(numerator, x)
        if poly.degree() != 2:
            continue
        a, b, c = (algebra.back(coefficient) for coefficient in poly.all_coeffs())
        lead, lead_step = signed_factors(a, domain)
        rest, rest_step = signed_factors(4 * a * c - b**2, domain)
        if lead == POSITIVE and rest <= (POSITIVE if strict else NONNEGATIVE):
            square = f"a(x + b/(2a))^2 + (4ac-b^2)/(4a), \\quad x = {sp.latex(x)}"
            claim = f"the numerator of ${sp.latex(expr)}$ is ${square}$"
            top = Step(claim, "completing the square: a > 0 and 4ac − b² ≥ 0 (> 0 for a strict inequality)")
            return proved("completing the square", top, lead_step, rest_step)
    return None


def by_solvers(expr: sp.Expr, domain: Domain, strict: bool) -> Verdict | None:
    require_solver()
    bad = Relation(expr, ">" if strict else ">=").negated()
    algebra = Algebra((expr,), domain)
    if not expr.has(*PIECED):  # without denominators where their sign is known
        top, bottom = sp.fraction(sp.together(algebra.of(expr)))
        if possible_signs(bottom, domain) == POSITIVE:
            require_size(top, "the numerator for the solvers")
            bad = Relation(algebra.back(sp.expand(top)), ">" if strict else ">=").negated()
    answer = impossible(domain, [bad])
    if not answer:
        return None
    how = f"{answer} finds that the negation has no solution"
    return proved(answer, Step(Relation(expr, ">" if strict else ">=").tex, how))


def signed_factors(expr: sp.Expr, domain: Domain) -> tuple[Signs, Step]:
    """The possible signs of expr from those of its irreducible factors, each found by structure or by the solvers."""
    algebra = Algebra((expr,), domain)
    content, factors = factor_list(algebra.opaque(algebra.of(expr)))
    signs: Signs = frozenset({int(sp.sign(content))})
    shown = [] if content == 1 else [sp.latex(content)]
    reasons = []
    for base, power in factors:
        restored = algebra.back(base)
        shown.append(sp.latex(restored**power))
        found = possible_signs(base, domain) & possible_signs(restored, domain)
        if power % 2 == 0:
            found = frozenset(s * s for s in found)
        elif len(found) > 1 and found not in (NONNEGATIVE, frozenset({-1, 0})) and len(factors) > 1:
            found = _solver_sign(restored, domain)
        if power < 0:  # a denominator is not zero where expr is defined
            found -= {0}
        signs = frozenset(a * b for a in signs for b in found)
        reasons.append(f"${sp.latex(restored**power)}$ {_SIGN_WORDS.get(found, 'of either sign')}")
    product = " ".join(f"({factor})" for factor in shown)
    return signs, Step(f"${sp.latex(expr)} = {product or '1'}$", "; ".join(reasons) or "a number")


def _solver_sign(expr: sp.Expr, domain: Domain) -> Signs:
    weaker_and_weaker: tuple[tuple[Op, Signs], ...] = ((">", POSITIVE), (">=", NONNEGATIVE))
    for op, signs in weaker_and_weaker:
        for factor in (1, -1):
            if find_point(domain, Relation(factor * expr, op).negated(), samples=500) is None and impossible(
                domain, [Relation(factor * expr, op).negated()]
            ):
                return frozenset(factor * s for s in signs)
    return ANY_SIGN


def impossible(domain: Domain, clauses: list[Clause]) -> str:
    """The solvers that prove that no point of the domain satisfies every clause, by name, or "" (also without z3).

    The relations that share a variable with the clauses are tried first: fewer hypotheses make an easier problem.
    """
    names = {x for clause in clauses for r in clause for x in r.expr.free_symbols}
    near = tuple(r for r in domain.relations if r.expr.free_symbols <= names)
    sizes = [near] if clauses else []
    if not clauses or len(near) < len(domain.relations):
        sizes.append(domain.relations)
    for relations in sizes:
        try:
            answer = satisfiable(Domain.of(relations, tuple(names)), clauses)
        except (Untranslatable, MissingExtra):
            return ""
        if answer.status == "unsat":
            return " + ".join(answer.solvers)
    return ""
