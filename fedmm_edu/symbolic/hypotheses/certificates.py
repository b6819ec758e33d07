"""Certificates for the rows of a check: each claim of a row with a proof for the kernel.

The search below may be as clever as it likes: what it finds is data, and `proofs.kernel.accept` decides. It looks at
the statement alone (`hypotheses.statements`), not at how the verdict was found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, TypeVar

import sympy as sp

from fedmm_edu.proofs.kernel import Fact
from fedmm_edu.proofs.stored import Proven
from fedmm_edu.proofs.terms import Malformed, Term, minus
from fedmm_edu.proofs.verdict import Step, Verdict, proved
from fedmm_edu.symbolic.decide.domain import Relation, relations_of
from fedmm_edu.symbolic.decide.proof_search import Exhausted, Hint, Search
from fedmm_edu.symbolic.decide.segments import Chord
from fedmm_edu.symbolic.functions.table import without_rewritten
from fedmm_edu.symbolic.hypotheses.alarm import confirm
from fedmm_edu.symbolic.hypotheses.statements import CLAIMS, Refutable, strictly_above_tangents
from fedmm_edu.symbolic.model import Model

Found = TypeVar("Found")
NOWHERE = Hint()
_NO_CERTIFICATE = Step(
    "the search proves it; no certificate that the kernel accepts was found",
    "only what the kernel accepts is called proved",
)


def by_kernel(model: Model, row: str, verdict: Verdict, *, seed: int = 0) -> Verdict:
    """The verdict of a search, after the kernel: *proved* where it accepts a certificate of the row, and only there.

    What a search proved without one is `supported` and says so. Raises `ProofContradicted` when numbers break a proof.
    """
    if verdict.status == "refuted":
        return verdict
    found = certificates(model, row)
    if verdict.status == "proved":
        if found is not None:
            return verdict
        return without_certificate(verdict)
    if not found:  # a row that claims nothing has no proof either
        return verdict
    claim = Step(f"the kernel accepts a certificate of {row}", "found where the search for a verdict stops")
    apart = row == "MM-2: unique" and certificates(model, "MM-2: T minimizes") is None  # then T may be a wrong one
    claims = strictly_above_tangents if apart else None
    return confirm(model, row, proved("certificate", claim), claims=claims, seed=seed)


def without_certificate(verdict: Verdict) -> Verdict:
    """What a search proved, as *supported*, with what is missing."""
    evidence = (*verdict.evidence, _NO_CERTIFICATE)
    return replace(verdict, status="supported", evidence=evidence, missing=_NO_CERTIFICATE)


@lru_cache(maxsize=512)
def certificates(model: Model, row: str) -> tuple[Proven, ...] | None:
    """One certificate for each claim of the row; None where the kernel accepts none for one of them.

    "defined" claims values, which the kernel asks for in every proof: e − e = 0 is accepted only where e has one.
    "unique" is certified by strict growth away from T, which has to lie in Θ, or by strict convexity.
    """
    if row == "MM-2: unique":
        return _unique(model)
    return None if row.startswith("MM-2") and model.T is None else _of_all(CLAIMS[row](model))


def _unique(model: Model) -> tuple[Proven, ...] | None:
    """By growth away from T where T is right, else, whatever T is, by strict convexity."""
    inside = None if model.T is None else certificates(model, "MM-2: T in Theta")
    if inside is not None and certificates(model, "MM-2: T minimizes") is not None:  # what is strict is harder still
        above = _of_all(CLAIMS["MM-2: unique"](model))
        if above is not None:
            return (*inside, *above)
    return _of_all(strictly_above_tangents(model)) or None


def _of_all(claims: Iterable[Refutable]) -> tuple[Proven, ...] | None:
    return all_found(map(certificate_of, claims))


def all_found(certificates: Iterable[Found | None]) -> tuple[Found, ...] | None:
    """All of them; None, and none is looked for any more, at the first that is missing."""
    found: list[Found] = []
    for certificate in certificates:
        if certificate is None:
            return None
        found.append(certificate)
    return tuple(found)


def certificate_of(claim: Refutable) -> Proven | None:
    """A certificate of one claim, or None."""
    try:
        given, term = facts_of(claim.where), as_term(claim.holds.expr)
        goal = Fact("=", minus(term, term)) if claim.needs_value else Fact(_OPS[claim.holds.op], term)
        return by_search(given, goal, _hint(claim))
    except Malformed:
        return None


def by_search(given: tuple[Fact, ...], goal: Fact, hint: Hint = NOWHERE) -> Proven | None:
    """A certificate of the goal, or None where the search finds none; the same question is searched for once."""
    swaps = tuple(tuple(swap.items()) for swap in hint.swaps)
    return _searched(given, goal, swaps, hint.function, hint.chord, hint.mean)


@lru_cache(maxsize=2048)
def _searched(
    given: tuple[Fact, ...],
    goal: Fact,
    swaps: tuple[tuple[tuple[str, Term], ...], ...],
    function: Term | None,
    chord: Chord | None,
    mean: Term | None,
) -> Proven | None:
    try:
        proof = Search(Hint(tuple(map(dict, swaps)), function, chord, mean)).prove(goal, given)
    except (Exhausted, Malformed):
        return None
    return None if proof is None else Proven(given, goal, proof)


def facts_of(relations: Iterable[Relation]) -> tuple[Fact, ...]:
    """The relations in the kernel's language; `Malformed` for functions that it does not know."""
    return tuple(Fact(_OPS[r.op], as_term(r.expr)) for r in relations)


def _hint(claim: Refutable) -> Hint:
    if claim.chord is not None:
        f, names, a, b, t = claim.chord
        ends = (tuple(map(as_term, a)), tuple(map(as_term, b)))
        return Hint(chord=(as_term(f), tuple(x.name for x in names), *ends, t.name))
    if claim.function is not None:
        f, names, at = claim.function
        return Hint(({x.name: as_term(a) for x, a in zip(names, at, strict=True)},), as_term(f))
    if claim.mean is not None:
        return Hint(mean=as_term(claim.mean))
    names = {x.name for r in (*claim.where, claim.holds) for x in r.expr.free_symbols}
    moved = ((x, tau) for x in sorted(names) for tau in (x.replace("theta", "tau"), f"tau_{x}"))
    pairs = {x: tau for x, tau in moved if tau != x and tau in names}
    return Hint((pairs,) if pairs else ())


_OPS = {">": ">", ">=": ">=", "==": "=", "!=": "!="}
_NAMES = {
    sp.log: "log",
    sp.Abs: "abs",
    sp.sign: "sign",
    sp.erf: "erf",
    sp.loggamma: "lgamma",
    sp.sin: "sin",
    sp.cos: "cos",
}


@cache
def as_term(expr: sp.Basic) -> Term:
    """A SymPy expression as a term, node by node, hyperbolic functions by exp; `Malformed` for others."""
    e: Any = without_rewritten(expr)
    if e.is_Rational:
        return Fraction(int(e.p), int(e.q))
    if e.is_Symbol:
        return e.name
    if e.is_Add or e.is_Mul:
        return ("+" if e.is_Add else "*", *map(as_term, e.args))
    if isinstance(e, sp.exp):
        return ("exp", as_term(e.args[0]))
    if e in (sp.pi, sp.E):
        return ("pi",) if e is sp.pi else ("exp", Fraction(1))
    if e.is_Pow and e.exp.is_Integer:
        return ("pow", as_term(e.base), int(e.exp))
    if e.is_Pow and e.exp.is_Rational:
        root = ("root", int(e.exp.q), as_term(e.base))
        return root if e.exp.p == 1 else ("pow", root, int(e.exp.p))
    if isinstance(e, sp.polygamma) and e.args[0].is_Integer and e.args[0].is_nonnegative:
        return ("polygamma", int(str(e.args[0])), as_term(e.args[1]))
    for kind, name in _NAMES.items():
        if isinstance(e, kind):
            return (name, as_term(e.args[0]))
    if isinstance(e, sp.Max | sp.Min):
        out = as_term(e.args[0])
        for arg in e.args[1:]:
            out = ("max" if isinstance(e, sp.Max) else "min", out, as_term(arg))
        return out
    if isinstance(e, sp.Piecewise):
        return _piecewise(list(e.args))
    raise Malformed(f"{e} has no counterpart in the kernel's language")


def _piecewise(pairs: list) -> Term:
    (branch, condition), rest = pairs[0], pairs[1:]
    if condition is sp.true:
        return as_term(branch)
    if not rest:
        raise Malformed("a case distinction without a last case")
    if not isinstance(condition, sp.Gt | sp.Ge | sp.Lt | sp.Le | sp.Eq | sp.Ne):
        raise Malformed(f"{condition} is no single relation")
    (fact,) = facts_of(relations_of(condition))
    return ("if", tuple(fact), as_term(branch), _piecewise(rest))
