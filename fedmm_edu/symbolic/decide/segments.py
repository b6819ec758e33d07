"""A function along a segment: convex, and so above its tangent or below a chord; or rising from where it is 0."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from fedmm_edu.proofs.kernel import SPECIAL, Branch, Fact
from fedmm_edu.proofs.terms import (
    ONE,
    Malformed,
    Term,
    above_tangent,
    apart_from,
    derivative,
    mentions,
    minus,
    substitute,
    variables,
)
from fedmm_edu.symbolic.decide.at_hand import Have, Known, accepted, prepared, wrapped
from fedmm_edu.symbolic.decide.combination import combination
from fedmm_edu.symbolic.decide.forms import bend_of, by_dominance
from fedmm_edu.symbolic.decide.laws import laws_for
from fedmm_edu.symbolic.decide.sums import Sums
from fedmm_edu.symbolic.decide.term_parts import separate_parts, slope_of, without_decided

Chord = tuple[Term, tuple[str, ...], tuple[Term, ...], tuple[Term, ...], Term]
"""f, its variables, two ends and a weight."""


class Prover(Protocol):
    """The search in which segments are looked at: slopes and bends have proofs of their own."""

    def prove(self, goal: Fact, facts: Known, depth: int, *, hinted: bool) -> Any: ...
    def accepts(self, facts: Known, goal: Fact, proof: Any) -> bool: ...


@dataclass(frozen=True)
class Segments:
    """Proofs by a segment from a point to another."""

    search: Prover
    sums: Sums

    def above_tangents(
        self, f: Term, goal: Fact, facts: Known, swaps: Sequence[Mapping[str, Term]], depth: int
    ) -> Iterator[Any]:
        """The goal by a function that is convex between two points, and so above its tangent at one of them."""
        for swap in swaps:
            built = self.tangents(f, swap, facts, depth, strict=goal.op in (">", "!="))
            if built is None:
                continue
            wraps, above, known = built
            rest = minus(goal.term, *(fact.term for fact in above))  # ∇f(a)·(x − a), where the goal is f(x) − f(a)
            known, haves = prepared(known, (goal.term,))
            proof: Any = ("by", ONE, ("+", *(fact.term for fact in above), rest))
            for fact in (Fact("=", rest), Fact(">=", rest)):
                found = ("by", ONE, Fraction(0)) if fact.op == "=" else None
                if found is None or not accepted(known, fact, found):
                    found = combination(known, fact)
                if found is not None and accepted(known, fact, found):
                    haves.append((fact, found))
                    break
            else:
                proof = combination(known, goal)
            if proof is not None:
                proof = wrapped(haves, proof)
                for wrap in reversed(wraps):
                    proof = wrap(proof)
                yield proof

    def tangents(
        self, f: Term, place: Mapping[str, Term], facts: Known, depth: int, *, strict: bool
    ) -> tuple[list[Callable[[Any], Any]], list[Fact], Known] | None:
        """Each part of f that has variables of its own above its tangent: how a proof goes on, and what is known then.

        With `strict` the parts that a relation ≠ speaks of are strictly above it, or all where none does.
        """
        apart = {x for fact in facts if fact.op == "!=" for x in variables(fact.term)} & set(place)
        wraps, above, known = [], [], facts
        for part, names in separate_parts(f, tuple(place)):
            wanted = strict and (not apart or bool(apart & set(names)))
            at = {x: place[x] for x in names}
            others = set(place) - set(names)
            about = tuple(fact for fact in facts if not variables(fact.term) & others)
            for op in dict.fromkeys((wanted, False)):
                built = self.tangent(part, at, about, known, depth, op)
                if built is not None:
                    break
            else:
                return None
            wrap, fact, known = built
            known = (*known, fact)
            above.append(fact)
            wraps.append(wrap)
        return wraps, above, known

    def below_chord(self, chord: Chord, facts: Known, book: Branch, depth: int) -> Iterator[Any]:
        """t f(a) + (1 − t) f(b) ≥ f(m) at m = ta + (1 − t)b, from the tangents at m to a and to b."""
        f, names, a, b, t = chord
        rest_of_t = minus(ONE, t)
        middle = [("+", ("*", t, u), ("*", rest_of_t, v)) for u, v in zip(a, b, strict=True)]
        wraps, parts, known = [], [], facts
        ends: dict[str, tuple[Any, Any, Any]] = {x: (u, v, m) for x, u, v, m in zip(names, a, b, middle, strict=True)}
        for part, own in separate_parts(f, names):
            others = {y for x, both in ends.items() if x not in own for end in both[:2] for y in variables(end)}
            about = tuple(fact for fact in facts if not variables(fact.term) & others)
            for k, share in enumerate((t, rest_of_t)):
                moved = without_decided(substitute(part, {x: ends[x][k] for x in own}), book)
                built = self.tangent(moved, {ends[x][k]: ends[x][2] for x in own}, about, known, depth, False)
                if built is None:
                    return
                wrap, above, known = built
                known = (*known, above)
                parts.append(("*", share, above.term))
                wraps.append(wrap)
        proof: Any = ("by", ONE, ("+", *parts))
        for wrap in reversed(wraps):
            proof = wrap(proof)
        yield proof

    def tangent(
        self, f: Term, place: Mapping[str, Term], about: Known, known: Known, depth: int, strict: bool
    ) -> tuple[Callable[[Any], Any], Fact, Known] | None:
        """f above its tangent: how a proof goes on from it, the fact, and what is known by then.

        `about` are the facts that may say something of the segment.
        """
        known, before = prepared(known, tuple(place.values()))
        names = {x for fact in (*known, *about) for x in variables(fact.term)} | variables(f) | set(place)
        at = {x: apart_from(names, f"{x}_at") for x in place}
        own = [fact for fact in about if variables(fact.term) & set(place)]
        apart = {x for fact in own if fact.op == "!=" for x in place if x in variables(fact.term)} if strict else set()
        own = [fact for fact in own if fact.op != "!="]
        given: list[Have] = [(fact, ("by", ONE, fact.term)) for fact in about if fact.op != "!="]
        for x in sorted(apart):
            away = minus(x, place[x])
            given.append((Fact("!=", minus(x, at[x])), ("by", ONE, away)))
        for fact in own:  # the end of the segment lies in the set
            start = Fact(fact.op, substitute(fact.term, place))
            proof = self.search.prove(start, known, min(depth - 2, 2), hinted=False)
            if proof is not None:
                before.append((start, proof))
                known = (*known, start)
                given.append((Fact(fact.op, substitute(fact.term, at)), ("by", ONE, start.term)))
        given = [
            (fact, proof) for fact, proof in given
            if accepted(known, Fact(fact.op, substitute(fact.term, {at[x]: a for x, a in place.items()})), proof)
        ]  # fmt: skip
        conditions = tuple(fact for fact, _ in given)
        lemma = self.above(f, at, conditions, own, depth, strict)
        if lemma is None:
            return None
        fact, proof = lemma
        pairs, proofs = tuple((at[x], a) for x, a in place.items()), tuple(own_proof for _, own_proof in given)
        there = Fact(fact.op, substitute(fact.term, dict(pairs)))

        def wrap(rest: Any) -> Any:
            return wrapped(before, ("instance", conditions, tuple(fact), proof, pairs, proofs, rest))

        return wrap, there, known

    def above(
        self, f: Term, at: Mapping[str, str], given: Known, about: Sequence[Fact], depth: int, strict: bool
    ) -> Have | None:
        """f(x) above its tangent at other variables, for all values that satisfy `given`."""
        names = {x for fact in given for x in variables(fact.term)} | variables(f) | set(at) | set(at.values())
        t, inside, steps, held = self.along(given, at, about, names)
        op = ">" if strict else ">="
        found = bend_of(f, at, t, inside, held)
        if found is None:
            return None
        goal = Fact(op, found.term)
        proof = by_dominance(found.given, goal, found.directions) if len(at) > 1 and not strict else None
        if proof is None or not self.search.accepts(found.given, goal, proof):
            proof = self.search.prove(goal, found.given, depth - 1, hinted=False)
        if proof is None:
            return None
        _, needs = prepared(inside, (substitute(found.term, found.place),))
        bend = wrapped(needs, found.proof(op, proof))
        above = Fact(op, above_tangent(f, at))
        _, haves = prepared((*given, above), (above.term,))
        rest = wrapped(haves, ("by", ONE, above.term))
        return above, ("tangent", f, tuple(at), tuple(at.values()), strict, wrapped(steps, bend), rest)

    def along(
        self, facts: Known, at: Mapping[str, Term], about: Sequence[Fact], names: Collection[str]
    ) -> tuple[str, Known, list[Have], list[Fact]]:
        """The parameter of the segment from `at`, what is known on it, proofs of what `about` gives there, and that."""
        t = apart_from(names, "t")  # as the kernel calls it
        moving = {x: ("+", a, ("*", t, minus(x, a))) for x, a in at.items()}
        inside: Known = (*facts, Fact(">=", t), Fact(">=", minus(ONE, t)))
        steps: list[Have] = []
        held: list[Fact] = []
        for fact in about:  # what lies between two points of the set lies in it, where that is convex
            if not variables(fact.term) & set(at):
                continue
            for op in dict.fromkeys((fact.op, ">=")) if fact.op in (">", ">=") else (fact.op,):
                between = Fact(op, substitute(fact.term, moving))
                proof = self._between(between, fact, at, t, inside)
                if proof is not None:
                    steps.append((between, proof))
                    held.append(Fact(op, fact.term))
                    inside = (*inside, between)
                    break
        return t, inside, steps, held

    def _between(self, goal: Fact, fact: Fact, place: Mapping[str, Term], t: str, inside: Known) -> Any:
        """An affine condition holds between two points at which it holds; another one perhaps."""
        mix = ("+", ("*", minus(ONE, t), substitute(fact.term, place)), ("*", t, fact.term))
        plain = ("by", ONE, mix)
        for proof in (plain, ("cases", t, plain, plain, plain)):
            if self.search.accepts(inside, goal, proof):
                return proof
        return next((p for p in self.sums.combined(goal, inside, ()) if self.search.accepts(inside, goal, p)), None)

    def rising(self, goal: Fact, facts: Known, swaps: Sequence[Mapping[str, Term]], depth: int) -> Iterator[Any]:
        """The goal f(x) ≥ 0 where f(a) = 0 and f rises along the segment from a to x."""
        f = goal.term
        for place in (*swaps, *mirrored(facts, swaps)):
            start = substitute(f, place)
            known, haves = prepared(facts, (f, start, *place.values()))
            rest = ("by", ONE, minus(f, start))
            zero = Fact("=", start)
            if not accepted(known, zero, ("by", ONE, Fraction(0))):
                laws = laws_for(start)
                found = next(self.sums.combined(zero, known, (), laws=laws), None) if laws else None
                if found is None or not accepted(known, zero, found):
                    continue
                rest = ("have", tuple(zero), found, ("by", ONE, ("+", minus(f, start), start)))
            names = {x for fact in known for x in variables(fact.term)} | variables(f) | set(place)
            names |= {x for a in place.values() for x in variables(a)}
            t, inside, steps, held = self.along(known, place, known, names)
            rises = self._rises(f, place, t, goal.op, inside, held, depth)
            if rises is not None:
                strict, ends = goal.op == ">", tuple(place.values())
                yield wrapped(haves, ("increasing", f, tuple(place), ends, strict, wrapped(steps, rises), rest))

    def _rises(
        self, f: Term, place: Mapping[str, Term], t: str, op: str, inside: Known, held: Sequence[Fact], depth: int
    ) -> Any:
        """The derivative along the segment `op` 0: in one variable from the slope at any point where `held` holds."""
        moving = {x: ("+", a, ("*", t, minus(x, a))) for x, a in place.items()}
        try:
            slope = derivative(substitute(f, moving), t)
        except Malformed:
            return None
        if len(place) > 1 or not mentions(f, *SPECIAL):
            return self.search.prove(Fact(op, slope), inside, depth - 1, hinted=False)
        ((x, a),) = place.items()
        others = tuple(fact for fact in inside if not variables(fact.term) & {x, t})
        names = variables(f).union({x, t}, *(variables(fact.term) for fact in inside))
        v = apart_from(names, "v")
        own = (*others, *(Fact(fact.op, substitute(fact.term, {x: v})) for fact in held))
        given = (*own, Fact(">=", minus(v, a)))
        there = Fact(op, derivative(substitute(f, {x: v}), v))
        proof = self.search.prove(there, given, depth, hinted=False)
        if proof is None:
            return None
        proofs = (*(("by", ONE, substitute(fact.term, {v: moving[x]})) for fact in own),
                  ("by", ONE, ("*", t, minus(x, a))))  # fmt: skip
        _, needs = prepared(inside, (substitute(there.term, {v: moving[x]}),), positive=(minus(x, a),))
        rest = ("by", ONE, ("*", substitute(there.term, {v: moving[x]}), minus(x, a)))
        instance = ("instance", tuple(map(tuple, given)), tuple(there), proof, ((v, moving[x]),), proofs, rest)
        return wrapped(needs, instance)


def mirrored(facts: Known, swaps: Sequence[Mapping[str, Term]]) -> Iterator[Mapping[str, Term]]:
    """For one variable x and a fact on c x + r: the point a at which c a + r has minus the value at x's counterpart."""
    for swap in swaps:
        for fact in facts if len(swap) == 1 else ():
            ((x, at),) = swap.items()
            if x in variables(fact.term) and (c := slope_of(fact.term, x)) is not None:
                offset = substitute(fact.term, {x: Fraction(0)})
                yield {x: minus(("*", Fraction(-2) / c, offset), at)}
