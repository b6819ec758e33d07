"""Sums over L components, for every L ≥ 1: what is claimed of them, and the one rule that proves it without a sum.

Some of the variables are of one component (θ_l) and the others are shared by all (z, λ). A *total* is shared as well: a
name P for the sum Σ_l p_l of a term over the components, in which totals that stand before it may occur. With
multipliers λ_k, terms without a variable of one component,

    goal − Σ_k λ_k P_k ≥ 0    and    Σ_k λ_k p_kl ≥ 0 at whichever component l

give goal ≥ 0: the second, added over l, is Σ_k λ_k P_k ≥ 0. As L ≥ 1 there is a component, so either line may use what
holds at each. Jensen's inequality and that of Cauchy and Schwarz are
instances. Both lines are statements without sums, which `kernel.accept` judges. Nothing here searches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fedmm_edu.proofs.kernel import Refused, accept
from fedmm_edu.proofs.terms import OPS, Fact, Malformed, Term, check_term, in_words, minus, variables


@dataclass(frozen=True)
class SumClaim:
    """`goal` for every L ≥ 1, wherever all conditions hold; at every component, where it has variables of one."""

    own: tuple[str, ...]
    """The variables that are others in each component."""
    totals: tuple[tuple[str, Term], ...]
    """P and p_l, where P = Σ_l p_l."""
    given: tuple[Fact, ...]
    """What holds; with variables of one component: at each of them."""
    somewhere: tuple[Fact, ...]
    """What holds, all at once, at one component at least."""
    goal: Fact

    def check(self) -> None:
        """`Malformed` unless every part means something."""
        pairs = isinstance(self.totals, tuple) and all(isinstance(t, tuple) and len(t) == 2 for t in self.totals)
        if not pairs or not isinstance(self.own, tuple):
            raise Malformed(f"{self.totals!r} are no totals: write pairs of a name and a term, and own names.")
        names = [name for name, _ in self.totals]
        known = (*self.own, *names)
        if not all(isinstance(name, str) for name in known) or len({*known}) < len(known):
            raise Malformed(f"{known!r} are not distinct variables.")
        for k, (name, body) in enumerate(self.totals):
            check_term(body)
            if variables(body) & {*names[k:]}:
                raise Malformed(f"the total {name} is a sum of terms in totals that do not stand before it.")
        for fact in (*self.given, *self.somewhere, self.goal):
            if not (isinstance(fact, tuple) and len(fact) == 2 and fact[0] in OPS):
                raise Malformed(f"{fact!r} is no relation.")
            check_term(fact[1])


def accept_sum(claim: SumClaim, proof: Any) -> None:
    """`Refused` unless `proof` proves the claim; it is (signs, rule, parts …).

    signs: for each total in its order (op, proof of p_l op 0), op being > or >=, which gives P op 0 and P ≥ p_l, or =
    with a proof of p_l − p_l = 0, that is of p_l having a value. Then one of

        "plain", proof                              the goal as it stands, from these facts
        "sum", multipliers, strict, head, each, one
            by the rule above; `strict` says which of the three proofs is of > instead of >=, where the goal is: "head",
            "each" (there is a component), or "one", of > at the component that `somewhere` tells of; else ""
    """
    try:
        claim.check()
        if not isinstance(proof, tuple) or len(proof) < 2 or not isinstance(proof[0], tuple):
            raise Malformed(f"{proof!r} is no proof about components: it is (signs, rule, parts …).")
        signs, rule, *parts = proof
        facts = with_signs(claim, signs)
        if rule == "plain" and len(parts) == 1:
            accept(facts, claim.goal, parts[0])
        elif rule == "sum" and len(parts) == 5:
            _sum(claim, facts, *parts)
        else:
            raise Malformed(f"{rule!r} with {len(parts)} parts is no rule: plain has 1, sum has 5.")
    except (Malformed, RecursionError) as error:
        raise Refused(f"no proof: {error}") from error


def with_signs(claim: SumClaim, signs: Sequence[Any]) -> tuple[Fact, ...]:
    """What is given, and what the signs of the terms tell of each total."""
    if len(signs) != len(claim.totals):
        raise Malformed(f"{len(signs)} signs for {len(claim.totals)} totals.")
    facts = tuple(Fact(*fact) for fact in claim.given)
    for (name, body), sign in zip(claim.totals, signs, strict=True):
        if not isinstance(sign, tuple) or len(sign) != 2 or sign[0] not in (">", ">=", "="):
            raise Malformed(f"{sign!r} is no sign with its proof.")
        op, proof = sign
        accept(facts, Fact(op, minus(body, body) if op == "=" else body), proof)
        if op != "=":
            facts = (*facts, Fact(op, name), Fact(">=", minus(name, body)))
    return facts


def _sum(
    claim: SumClaim, facts: tuple[Fact, ...], multipliers: Any, strict: Any, head: Any, each: Any, one: Any
) -> None:
    below, summand = parts_of_sum(claim, multipliers)
    if strict not in ("", "head", "each", "one") or (strict == "") != (claim.goal.op != ">") or claim.goal.op == "!=":
        raise Malformed(f"{strict!r} does not tell what is strict where the goal is {claim.goal.op} 0.")
    weak = "=" if claim.goal.op == "=" else ">="
    accept(facts, Fact(">" if strict == "head" else weak, below), head)
    accept(facts, Fact(">" if strict == "each" else weak, summand), each)
    if strict == "one":
        accept((*facts, *(Fact(*fact) for fact in claim.somewhere)), Fact(">", summand), one)


def parts_of_sum(claim: SumClaim, multipliers: Any) -> tuple[Term, Term]:
    """goal − Σ_k λ_k P_k and Σ_k λ_k p_kl; `Malformed` where a multiplier, or the goal, is not shared."""
    bodies: Mapping[str, Term] = dict(claim.totals)
    if not isinstance(multipliers, tuple) or not all(isinstance(m, tuple) and len(m) == 2 for m in multipliers):
        raise Malformed(f"{multipliers!r} are no multipliers: write pairs of a total and a term.")
    for name, times in multipliers:
        if name not in bodies:
            raise Malformed(f"{name!r} is no total.")
        check_term(times)
    moving = set().union(variables(claim.goal.term), *(variables(times) for _, times in multipliers)) & {*claim.own}
    if moving:
        raise Malformed(f"{sorted(moving)[0]} is of one component, and stands in the goal of a sum or a multiplier.")
    below = minus(claim.goal.term, *(("*", times, name) for name, times in multipliers))
    return below, ("+", Fraction(0), *(("*", times, bodies[name]) for name, times in multipliers))


def statement_in_words(given: Sequence[Fact], goal: Fact) -> str:
    """Conditions and conclusion on one line."""
    conditions = ", ".join(f"{in_words(fact.term)} {fact.op} 0" for fact in given)
    return f"{conditions or 'always'}  =>  {in_words(goal.term)} {goal.op} 0"


@dataclass(frozen=True)
class ProvenSum:
    """A claim about components with its proof."""

    claim: SumClaim
    proof: Any

    @property
    def in_words(self) -> str:
        """The statement on one line; a variable of one component stands for that of each."""
        claim = self.claim
        totals = "; ".join(f"{name} = sum of {in_words(body)}" for name, body in claim.totals)
        where = f"for every number of components with their own {', '.join(claim.own)}" if claim.own else "always"
        one = "".join(f", at one of them {in_words(fact.term)} {fact.op} 0" for fact in claim.somewhere)
        return f"{where}{f', {totals}' if totals else ''}: {statement_in_words(claim.given, claim.goal)}{one}"

    def accept(self) -> None:
        """Let the kernel follow the proof; `Refused` at the first step that does not hold."""
        accept_sum(self.claim, self.proof)
