"""What is at hand in a search for a proof: facts, those that terms need to have values, and how they are wrapped."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

from fedmm_edu.proofs.kernel import SIGNS_OF, SPECIAL, Branch, Context, Fact, Refused, accept, exponential_fact
from fedmm_edu.proofs.special import law_of
from fedmm_edu.proofs.terms import ONE, Term, apart_from, mentions, minus
from fedmm_edu.symbolic.decide.combination import by_conjugate, combination
from fedmm_edu.symbolic.decide.laws import LawInstance, laws_for
from fedmm_edu.symbolic.decide.term_parts import Triple, requirements_of

Known = tuple[Fact, ...]
Have = tuple[Fact, Any]
"""A fact with its proof."""


def prepared(facts: Known, terms: Sequence[Term], *, positive: Sequence[Term] = ()) -> tuple[Known, list[Have]]:
    """The facts with those that the terms need to have values, as far as they are found, and the proofs of these."""
    haves: list[Have] = []
    needs = [need for term in terms for need in requirements_of(term)] + [(term, (">",)) for term in positive]
    for term, ops in dict.fromkeys(needs):
        if isinstance(term, tuple) and term[0] == "root" and ">=" not in ops:  # a root ≠ 0 has a base > 0
            facts, more = prepared(facts, (), positive=(term[2],))
            haves += more
        book = Branch(Context(facts, (term,)), ())
        signs = book.signs(term)
        visible = next((op for op in ops if signs <= SIGNS_OF[op]), None)
        if visible is not None:
            if not SIGNS_OF[visible] >= book.sign_of(book.normal.of(term).top):  # seen as written, lost when expanded
                fact = Fact(visible, term)
                haves.append((fact, ("by", ONE, term)))
                facts = (*facts, fact)
            continue
        negative = ("*", Fraction(-1), term)
        goals = [Fact(op, term) for op in ops]
        if "!=" in ops:
            goals.insert(1, Fact(">", negative))
        for goal in goals:
            proof = combination(facts, goal)
            if proof is None:
                proof = by_conjugate(facts, goal)
            if proof is not None and accepted(facts, goal, proof):
                break
            if mentions(term, *SPECIAL) and (proof := _lawfully(facts, goal)) is not None:
                break
        else:
            continue
        haves.append((goal, proof))
        facts = (*facts, goal)
    return facts, haves


def _lawfully(facts: Known, goal: Fact) -> Any:
    """A proof with the laws about the functions in the goal."""
    known, before, kept = with_laws(facts, laws_for(goal.term))
    proof = combination(known, goal) if kept else None
    proof = None if proof is None else wrapped(before, by_laws(kept, proof))
    return proof if proof is not None and accepted(facts, goal, proof) else None


def with_laws(known: Known, laws: Sequence[LawInstance]) -> tuple[Known, list[Have], list[LawInstance]]:
    """What is known with the laws whose conditions are found, the proofs of these, and the laws."""
    haves: list[Have] = []
    kept: list[LawInstance] = []
    nothing = Fact("=", Fraction(0))
    for name, args in laws:
        conditions, facts = law_of(name, args)
        there, more = prepared(known, (), positive=tuple(fact.term for fact in conditions))
        if accepted(there, nothing, ("law", name, args, ("by", ONE, Fraction(0)))):
            known, haves, kept = (*there, *facts), [*haves, *more], [*kept, (name, args)]
    return known, haves, kept


def by_laws(laws: Sequence[LawInstance], proof: Any) -> Any:
    """The proof after the laws."""
    for name, args in reversed(laws):
        proof = ("law", name, args, proof)
    return proof


def instantiated(known: Known, instances: Sequence[Triple]) -> tuple[Known, list[Have], list[Fact]]:
    """What is known with the facts of the exponential rule, what they need, and these facts."""
    haves: list[Have] = []
    lemmas: list[Fact] = []
    for a, u, v in instances:
        known, more = prepared(known, (), positive=(u, v))
        haves += more
        apart = (minus(("*", u, ("exp", a)), v), ("+", a, ("log", u), ("*", Fraction(-1), ("log", v))))
        book = Branch(Context(known, apart), ())
        strict = any(0 not in book.signs(term) for term in apart)
        lemmas.append(exponential_fact(a, u, v, strict=strict))
        known = (*known, lemmas[-1])
    return known, haves, lemmas


def accepted(facts: Known, goal: Fact, proof: Any) -> bool:
    try:
        accept(facts, goal, proof)
    except Refused:
        return False
    return True


def wrapped(haves: Sequence[Have], proof: Any) -> Any:
    for fact, found in reversed(haves):
        proof = ("have", tuple(fact), found, proof)
    return proof


def anything(term: Term, clash: Term, names: Collection[str]) -> Any:
    """Whatever is asked of a term, from a fact about `clash` that contradicts the sign that it has."""
    free = apart_from(names, "free")
    without_sign = ("+", clash, free, ("*", Fraction(-1), free))  # so that its sign is looked up, not read off
    return ("by", ONE, ("+", term, ("*", Fraction(0), without_sign)))
