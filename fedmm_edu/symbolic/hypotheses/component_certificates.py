"""Certificates for sums over L components: multipliers of the totals, and proofs of the two lines that they leave.

Everything here may be wrong: what comes out is data, and `proofs.components` decides. The first guess for the
multiplier of a total P is the slope of the goal in P. What the goal then lacks is given to one total more: to a
positive one, to one that a condition bounds (ρ Σ x² ≤ 1), or, where θ obeys an equation, to that by Lagrange's rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from fedmm_edu.proofs.components import ProvenSum, SumClaim, accept_sum, parts_of_sum, with_signs
from fedmm_edu.proofs.kernel import Refused, exponential_fact
from fedmm_edu.proofs.terms import ONE, Fact, Malformed, Term, minus, variables
from fedmm_edu.symbolic.component_model import ComponentModel, Total
from fedmm_edu.symbolic.decide.at_hand import Known, accepted
from fedmm_edu.symbolic.decide.combination import combination
from fedmm_edu.symbolic.decide.domain import Relation, fresh
from fedmm_edu.symbolic.decide.proof_search import Hint
from fedmm_edu.symbolic.hypotheses.alarm import breaking_point
from fedmm_edu.symbolic.hypotheses.certificates import all_found, as_term, by_search, facts_of
from fedmm_edu.symbolic.hypotheses.component_claims import COMPONENT_CLAIMS, ComponentClaim
from fedmm_edu.symbolic.hypotheses.statements import Refutable

TRIES = 12
"""Choices of multipliers."""
Multipliers = dict[sp.Symbol, sp.Expr]


class WithoutTotals:
    """Expressions with a symbol in the place of each total, and what these symbols are."""

    def __init__(self, own: tuple[sp.Symbol, ...], length: sp.Symbol, taken: list[sp.Basic], *, split: bool) -> None:
        self.own, self.length, self.split, self.taken = own, length, split, list(taken)
        self.totals: dict[sp.Symbol, sp.Expr] = {}

    def of(self, expr: Any) -> Any:
        """The expression without a `Total`, inner ones first."""
        while totals := expr.atoms(Total):
            first = next(t for t in sorted(totals, key=str) if not t.args[0].has(Total))
            expr = expr.xreplace({first: self._total(first.args[0])})
        if self.length in expr.free_symbols:
            self.totals.setdefault(self.length, sp.S.One)
        return expr

    def _total(self, body: sp.Expr) -> sp.Expr:
        """Σ_l body, the shared factors before it; with `split` a sum of totals of products."""
        body = sp.expand(body, power_exp=False, power_base=False, log=False) if self.split else body
        out = sp.S.Zero
        for part in sp.Add.make_args(body) if self.split else (body,):
            factor, own = part.as_independent(*self.own, as_Add=False)
            out += factor * self.symbol(own)
        return out

    def symbol(self, body: sp.Expr) -> sp.Symbol:
        known = next((name for name, p in self.totals.items() if p == body), None)
        if known is not None:
            return known
        if body == 1:
            self.totals[self.length] = sp.S.One
            return self.length
        (name,) = fresh([f"P{len(self.totals) + 1}"], [*self.taken, *self.totals])
        self.totals[name] = body
        return name


def without_sums(f: sp.Expr, own: tuple[sp.Symbol, ...], length: sp.Symbol) -> sp.Expr | None:
    """The summand of f, where it is one sum over the components but for what is free of θ's: Σ c Σ_l p_l as Σ c p_l."""
    flat = WithoutTotals(own, length, [f], split=False)
    held = flat.of(f)
    slopes = {name: sp.diff(held, name) for name in flat.totals}
    if any(e.has(*flat.totals) for e in slopes.values()):
        return None
    return sp.Add(*(e * flat.totals[name] for name, e in slopes.items()))


@lru_cache(maxsize=64)
def component_certificates(model: ComponentModel, row: str) -> tuple[ProvenSum, ...] | None:
    """One certificate for each claim of the row; None where none is accepted for one of them."""
    if row.startswith("MM-2") and model.T is None:
        return None
    try:
        claims = tuple(COMPONENT_CLAIMS[row](model.generic))
    except Malformed:
        return None
    before: tuple[ProvenSum, ...] = ()
    if row == "MM-2: unique":  # growth away from T says something where T lies in Θ and is a minimiser
        if component_certificates(model, "MM-2: T minimizes") is None:
            return None
        inside = component_certificates(model, "MM-2: T in Theta")
        if inside is None:
            return None
        before = inside
    found = all_found(
        next((c for split in (False, True) if (c := _Attempt(model, claim, split).prove())), None) for claim in claims
    )
    return None if found is None else (*before, *found)


class _Attempt:
    """One claim, its totals written in one way."""

    def __init__(self, model: ComponentModel, claim: ComponentClaim, split: bool) -> None:
        taken: list[sp.Basic] = [claim.goal.expr, *(r.expr for r in (*claim.where, *claim.somewhere))]
        self.claim, self.flat = claim, WithoutTotals(claim.own, model.generic.length, taken, split=split)
        self.where = tuple(Relation(self.flat.of(r.expr), r.op) for r in claim.where)
        self.somewhere = tuple(Relation(self.flat.of(r.expr), r.op) for r in claim.somewhere)
        self.goal = Relation(self.flat.of(claim.goal.expr), claim.goal.op)
        self.swap = {x: self.flat.of(e) for x, e in claim.swap.items()}
        moved = {name: body.xreplace(self.swap) for name, body in self.flat.totals.items()}
        at = {body: name for name, body in self.flat.totals.items()}
        self.swap |= {name: at[e] for name, e in moved.items() if e in at and e != self.flat.totals[name]}

    def prove(self) -> ProvenSum | None:
        try:
            return self._prove()
        except Malformed:
            return None

    def _prove(self) -> ProvenSum | None:
        given, goal = facts_of(self.where), as_term(self.goal.expr)
        target = Fact("=", minus(goal, goal)) if self.claim.needs_value else facts_of([self.goal])[0]
        names = tuple((name.name, as_term(body)) for name, body in self.flat.totals.items())
        own = tuple(x.name for x in self.claim.own)
        said = SumClaim(own, names, given, facts_of(self.somewhere), target)
        signs = self._signs(said)
        if signs is None:
            return None
        facts = with_signs(said, signs)
        if variables(target.term) & {*own} or target.op in ("=", "!="):
            found = by_search(facts, target, self._hint())
            if found is not None:
                return self._checked(said, (signs, "plain", found.proof))
        if variables(target.term) & {*own} or target.op == "!=" or self.claim.needs_value:
            return None
        shared = tuple(fact for fact in facts if not variables(fact.term) & {*own})
        for multipliers in self._multipliers(facts):
            if (proof := self._sum(said, facts, shared, multipliers)) is not None:
                return self._checked(said, (signs, "sum", *proof))
        return None

    @staticmethod
    def _checked(said: SumClaim, proof: Any) -> ProvenSum | None:
        try:
            accept_sum(said, proof)
        except Refused:
            return None
        return ProvenSum(said, proof)

    def _signs(self, said: SumClaim) -> tuple[Any, ...] | None:
        """For each total what its terms are seen to be, at least to have values."""
        signs: list[Any] = []
        for k, (_, body) in enumerate(said.totals):
            part = SumClaim(said.own, said.totals[:k], said.given, (), said.goal)
            facts = with_signs(part, signs)
            goals = (Fact(">", body), Fact(">=", body))
            tries = [(goal, proof) for goal in goals for proof in (("by", ONE, body), combination(facts, goal))]
            sign = next(((goal.op, p) for goal, p in tries if p is not None and accepted(facts, goal, p)), None)
            if sign is None:
                found = by_search(facts, Fact("=", minus(body, body)))
                if found is None:
                    return None
                sign = ("=", found.proof)
            signs.append(sign)
        return tuple(signs)

    def _sum(self, said: SumClaim, facts: Any, shared: Any, multipliers: Multipliers) -> Any:
        listed = tuple((name.name, as_term(e)) for name, e in multipliers.items())
        head, summand = parts_of_sum(said, listed)
        weak = "=" if said.goal.op == "=" else ">="
        of_head = by_search(shared, Fact(weak, head), self._hint())
        if of_head is None:
            return None
        if self._broken(facts, weak, multipliers):
            return None
        of_each = self._each(facts, Fact(weak, summand))
        if of_each is None:
            return None
        if said.goal.op != ">":
            return listed, "", of_head.proof, of_each, ()
        if said.somewhere:
            of_one = self._each((*facts, *said.somewhere), Fact(">", summand))
            return None if of_one is None else (listed, "one", of_head.proof, of_each, of_one)
        if (stricter := self._each(facts, Fact(">", summand))) is not None:
            return listed, "each", of_head.proof, stricter, ()
        above = by_search(shared, Fact(">", head), self._hint())
        return None if above is None else (listed, "head", above.proof, of_each, ())

    # ------------------------------------------------------------------------------------------------ where to look

    def _hint(self, *, hinted: bool = False) -> Hint:
        if self.claim.chord is not None and hinted:
            f, theta, *ends, t = self.claim.chord
            flat, kept = self._of_one(f), [k for k, x in enumerate(theta) if x in self.claim.own]
            a, b = (tuple(as_term(end[k]) for k in kept) for end in ends)
            names = tuple(theta[k].name for k in kept)
            return Hint() if flat is None else Hint(chord=(as_term(flat), names, a, b, t.name))
        if not self.swap:
            return Hint()
        swap = {x.name: as_term(e) for x, e in self.swap.items()}
        function = self._of_one(self.claim.function) if self.claim.function is not None and hinted else None
        return Hint((swap,), None if function is None else as_term(function))

    def _broken(self, facts: Known, weak: str, multipliers: Multipliers) -> bool:
        """Whether numbers break what the multipliers give one component: then no search for a proof is needed."""
        totals = self.flat.totals
        signs = tuple(Relation(x, op) for x in totals for op in (">", ">=") if Fact(op, x.name) in facts)
        below = tuple(
            Relation(x - p, ">=") for x, p in totals.items() if Fact(">=", minus(x.name, as_term(p))) in facts
        )
        summand = sp.Add(*(e * totals[name] for name, e in multipliers.items()))
        holds = Relation(summand, "==" if weak == "=" else ">=")
        return breaking_point(Refutable((*self.where, *signs, *below), holds)) is not None

    def _each(self, facts: Known, goal: Fact) -> Any:
        """A proof about one component: an instance of the exponential rule for its shares, or what the search finds."""
        for times, u, v in self._shares():
            fact = exponential_fact(Fraction(0), u, v, strict=False)
            proof = ("exponential", Fraction(0), u, v, ("by", ONE, ("*", times, fact.term)))
            if accepted(facts, goal, proof):
                return proof
        found = by_search(facts, goal, self._hint(hinted=True))
        return None if found is None else found.proof

    def _shares(self) -> Iterator[tuple[Term, Term, Term]]:
        """What a logarithm of a total is multiplied by, and the shares of a component in that total at both points."""
        for node in sorted(self.goal.expr.atoms(sp.log), key=str):
            log = sp.Dummy()
            times = sp.diff(self.goal.expr.xreplace({node: log}), log)
            for name, other in self.swap.items():
                if name in self.flat.totals and node.args[0] in (name, other):
                    pair = [as_term(self.flat.totals[sp.Symbol(str(x), real=True)] / x) for x in (name, other)]
                    for c in (times, -times):
                        yield from ((as_term(c), *way) for way in (pair, pair[::-1]))

    def _of_one(self, f: sp.Expr) -> sp.Expr | None:
        return without_sums(f, self.claim.own, self.flat.length)

    def _multipliers(self, facts: Any) -> Iterator[Multipliers]:
        """Guesses, the plainest first."""
        totals = self.flat.totals
        slopes = {name: sp.diff(self.goal.expr, name) for name in totals}
        slopes = {name: e for name, e in slopes.items() if e != 0}
        yield slopes
        count = 0
        for start in (slopes, *self._stationary(slopes)):
            rest = sp.expand(self.goal.expr - sp.Add(*(e * name for name, e in start.items())))
            for more in ({}, *self._carried(rest, facts)):
                found = {name: sp.expand(start.get(name, sp.S.Zero) + more.get(name, sp.S.Zero)) for name in totals}
                found = {name: e for name, e in found.items() if e != 0}
                if found != slopes and count < TRIES:
                    count += 1
                    yield found

    def _carried(self, rest: sp.Expr, facts: Any) -> Iterator[Multipliers]:
        """What the goal lacks, as a multiple of a positive total, or of a condition on one."""
        if rest == 0:
            return
        for r in self.where:
            if r.op not in (">=", ">", "==") or r.expr.free_symbols & {*self.claim.own}:
                continue
            inside = {name: sp.diff(r.expr, name) for name in self.flat.totals if r.expr.has(name)}
            free = sp.expand(r.expr.xreplace(dict.fromkeys(inside, sp.S.Zero)))
            if inside and free != 0 and not any(e.has(*inside) for e in inside.values()):
                yield {name: -rest * e / free for name, e in inside.items()}
        for name in self.flat.totals:
            if Fact(">", name.name) in facts:
                yield {name: rest / name}

    def _stationary(self, slopes: Multipliers) -> Iterator[Multipliers]:
        """With μ times an equation between totals, so that the terms are stationary at the point compared with."""
        equations = [r.expr for r in self.where if r.op == "==" and not r.expr.free_symbols & {*self.claim.own}]
        moving = [x for x in self.claim.swap if x in self.claim.own]
        for equation in equations:
            inside = {name: sp.diff(equation, name) for name in self.flat.totals if equation.has(name)}
            for x in moving:
                term, bound = (
                    sp.diff(sp.Add(*(e * self.flat.totals[name] for name, e in parts.items())), x).xreplace(self.swap)
                    for parts in (slopes, inside)
                )
                if bound == 0:
                    continue
                mu = sp.expand(sp.expand_log(sp.expand(-term / bound), force=True))
                mu = mu if not mu.free_symbols & {*self.claim.own} else sp.simplify(mu)
                if not mu.free_symbols & {*self.claim.own}:
                    names = dict.fromkeys((*slopes, *inside))
                    yield {n: slopes.get(n, sp.S.Zero) + mu * inside.get(n, sp.S.Zero) for n in names}
