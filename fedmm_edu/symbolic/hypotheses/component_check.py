"""The rows of a model of L components: proved for every L by a certificate, refuted at a number of components."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.components import ProvenSum
from fedmm_edu.proofs.terms import Malformed, in_words
from fedmm_edu.proofs.verdict import Step, Verdict, proved, refuted, supported, undecided
from fedmm_edu.symbolic.component_model import ComponentModel, Generic, Total
from fedmm_edu.symbolic.decide.domain import Relation
from fedmm_edu.symbolic.decide.inequality import domain_point, witness_at
from fedmm_edu.symbolic.hypotheses.alarm import (
    ProofContradicted,
    breaking_point,
    broken_at,
    confirm,
    refuted_by_numbers,
)
from fedmm_edu.symbolic.hypotheses.component_certificates import component_certificates, without_sums
from fedmm_edu.symbolic.hypotheses.component_claims import COMPONENT_CLAIMS, ComponentClaim
from fedmm_edu.symbolic.hypotheses.mm2 import derive_T
from fedmm_edu.symbolic.hypotheses.statements import Refutable
from fedmm_edu.symbolic.model import Model

SMALL = (2, 1, 3)
"""Numbers of components at which numbers try to break a row; it is judged in full at the first that makes sense."""
LARGER = (5, 8, 20, 100, 10_000)
"""Where they try to break what is neither proved nor refuted at these, at points with all components alike."""
UNIQUE = "MM-2: unique"
Judge = Callable[..., Mapping[str, Verdict]]


def each_component_row(
    model: ComponentModel, judge: Judge, rows: Sequence[str], *, seed: int = 0
) -> Iterator[tuple[str, Verdict]]:
    """Each of `rows`, in this order; `judge` is `check_model`, for a number of components."""
    missing = None
    try:
        model = _with_T(model, seed)
    except InvalidInput as error:
        missing = undecided("derivation", Step("a closed form of T", str(error)))
    cases = _cases(model)
    n = next(iter(cases))
    for sets in (("Theta",), ("S",), ("Z", "tau")):
        domain_point(cases[n].space(*sets), seed=seed)
    found = {row: None if _broken(row, cases, seed) else component_certificates(model, row) for row in rows}
    left = [row for row in rows if found[row] is None]
    judged = judge(cases[n], rows=left, seed=seed) if left else {}
    for row in rows:
        certificates = found[row]
        if certificates is not None:
            verdict = _confirmed(model, row, proved("for every L", *_shown(model, row, certificates)), cases, seed)
        elif missing is not None and row.startswith("MM-2"):
            verdict = missing
        else:
            verdict = _at_numbers(model, row, judged[row], cases, n, seed)
        yield row, verdict


def _broken(row: str, cases: Mapping[int, Model], seed: int) -> bool:
    """Whether numbers break the row for few components: then no certificate is looked for."""
    return row != UNIQUE and any(broken_at(case, row, seed=seed) is not None for case in cases.values())


def _confirmed(model: ComponentModel, row: str, verdict: Verdict, cases: Mapping[int, Model], seed: int) -> Verdict:
    """The verdict itself; `ProofContradicted` where numbers break a row that has a certificate."""
    for concrete in cases.values():
        verdict = confirm(concrete, row, verdict, seed=seed)
    for n in (LARGER[0], LARGER[-1]):
        if (contrary := _alike(model, row, n, seed)) is not None:
            raise ProofContradicted(
                f"{model.name}, {row}: a proof for every {model.length} was accepted and yet {contrary.finding} "
                "This is a mistake of fedmm-edu, not of your model: please report it with the model's file."
            )
    return verdict


def _cases(model: ComponentModel) -> dict[int, Model]:
    """The models of few components; one whose Θ is a point, as a simplex of one component, is none."""
    found: dict[int, Model] = {}
    reason = InvalidInput(f"{model.name}: no number of components makes sense.")
    for n in SMALL:
        try:
            found[n] = model.at(n)
        except InvalidInput as error:
            reason = error
    if not found:
        raise reason
    return found


def _at_numbers(
    model: ComponentModel, row: str, verdict: Verdict, cases: Mapping[int, Model], n: int, seed: int
) -> Verdict:
    """A row without a certificate: refuted where it fails for a number of components, and else not proved."""
    at = f"{model.length} = {n}"
    alone = row == UNIQUE and component_certificates(model, "MM-2: T minimizes") is None
    for m in (*cases, *LARGER):
        if verdict.status == "refuted" or alone:  # a value equal to that of a wrong T says nothing about minimisers
            break
        if m != n:
            broken = refuted_by_numbers(cases[m], row, seed=seed) if m in cases else _alike(model, row, m, seed)
            verdict, at = (broken, f"{model.length} = {m}") if broken is not None else (verdict, at)
    if verdict.status == "refuted" and verdict.witness is not None:
        witness = replace(verdict.witness, says=f"with {at}, {verdict.witness.says}")
        return replace(verdict, witness=witness, evidence=(Step(f"with {at}", "it fails"), *verdict.evidence))
    missing = Step(f"no certificate for every {model.length} was found", f"with {at} it is {verdict.status}")
    if verdict.status == "open":
        return undecided(verdict.method, *verdict.evidence, missing)
    return supported(at, *verdict.evidence, missing)


def _alike(model: ComponentModel, row: str, n: int, seed: int) -> Verdict | None:
    """The refutation of a row at n components that are all alike, where a total is n times its term."""
    generic = model.generic

    def at(expr: Any) -> Any:
        return expr.replace(Total, lambda body: n * body).xreplace({generic.length: sp.Integer(n)})

    for claim in _claims(generic, row):
        where = tuple(Relation(at(r.expr), r.op) for r in (*claim.where, *claim.somewhere))
        holds = Relation(at(claim.goal.expr), claim.goal.op)
        point = breaking_point(Refutable(where, holds, claim.needs_value), seed=seed)
        if point is not None:
            says = f"all components are alike, and {holds} fails."
            return refuted("evaluation", witness_at(point, says, {str(holds.expr): holds.expr}))
    return None


def _claims(generic: Generic, row: str) -> tuple[ComponentClaim, ...]:
    try:
        return tuple(COMPONENT_CLAIMS[row](generic))
    except Malformed:
        return ()


def _shown(model: ComponentModel, row: str, certificates: Sequence[ProvenSum]) -> Iterator[Step]:
    """What a reader is told of the certificates: totals and their multipliers."""
    for certificate in certificates:
        claim, parts = certificate.claim, certificate.proof[1:]
        if parts[0] != "sum":
            continue
        totals = "; ".join(f"{name} = sum of {in_words(body)}" for name, body in claim.totals)
        times = "; ".join(f"{in_words(m)} times {name}" for name, m in parts[1])
        yield Step(f"{in_words(claim.goal.term)} {claim.goal.op} 0, where {totals}", "the claim")
        why = "what they leave of it, and what they give one component, have this sign"
        yield Step(f"the multipliers {times or 'are none'}", why)
    what = f"a certificate of {row}" if certificates else "nothing, as no relation restricts the set"
    yield Step(f"the kernel accepts {what}", f"for every {model.length} >= 1, with a component whichever")


def with_component_T(model: ComponentModel, *, seed: int = 0) -> ComponentModel:
    """With T derived for one component where the model leaves it out; the model itself where none is found."""
    try:
        return _with_T(model, seed)
    except InvalidInput:
        return model


def _with_T(model: ComponentModel, seed: int) -> ComponentModel:
    return model if model.T is not None else replace(model, T=_derived(model, seed))


def _derived(model: ComponentModel, seed: int) -> tuple[sp.Expr, ...]:
    generic = model.generic
    J = without_sums(generic.surrogate, generic.own, generic.length)
    sets: dict[str, Any] = {key: getattr(generic, key) for key in ("Theta", "S", "given")}
    whole = (*generic.theta, *generic.s, *(r for value in sets.values() for r in value))
    if J is None or not {*generic.theta, *generic.s} <= {*generic.own} or any(e.has(Total) for e in whole):
        raise InvalidInput(f"{model.name}: J_s is no sum over components without a condition between them: state T.")
    inner = sp.Add(*(x * f for x, f in zip(generic.s, generic.phi, strict=True)))
    zeros = (sp.S.Zero,) * len(generic.s)
    z = sp.Symbol("unused", real=True)
    one = Model(theta=generic.theta, z=(z,), s=generic.s, loss=sp.S.Zero, psi=sp.expand(J + inner), phi=generic.phi,
                S_bar=zeros, name=model.name, **sets)  # fmt: skip
    return tuple(model.indexed(e) for e in derive_T(one, seed=seed))
