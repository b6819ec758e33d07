"""A search for proofs that the kernel accepts: sums of products of facts, exponentials, cases, tangents on segments.

Everything here may be wrong: what comes out is data, and `accept` looks at every step of it. Budgets are counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

from fedmm_edu.proofs.kernel import Branch, Context, Fact, Refused, accept, exponential_fact
from fedmm_edu.proofs.terms import Malformed, Term, above_tangent, derivative, minus, substitute, variables
from fedmm_edu.symbolic.decide.combination import by_conjugate, combination, contradiction, weight
from fedmm_edu.symbolic.decide.forms import bend_of, by_dominance
from fedmm_edu.symbolic.decide.jensen import WeightedInstances, cancelling, mixed_exponentials
from fedmm_edu.symbolic.decide.roots import cauchy_schwarz, norms_in, taken_apart, tangent_lines
from fedmm_edu.symbolic.decide.term_parts import (
    Triple,
    collected,
    instances_of,
    of_constants,
    operations_in,
    requirements_of,
    separate_parts,
    slope_of,
    switch_of,
    without_decided,
)

ONE = Fraction(1)
DEPTH = 5
"""How many case splits and segments may be nested."""
STEPS = 700
"""For one claim; to ask the kernel, or to solve a linear program, costs one and one more for each `SIZE` operations."""
SIZE = 50
Known = tuple[Fact, ...]
Have = tuple[Fact, Any]
"""A fact with its proof."""


@dataclass(frozen=True)
class Hint:
    """Where to look: `swaps` moves the variables of a function to the point that it is compared at."""

    swaps: tuple[Mapping[str, Term], ...] = ()
    function: Term | None = None
    """The function, where it is not the goal itself."""
    chord: tuple[Term, tuple[str, ...], tuple[Term, ...], tuple[Term, ...], Term] | None = None
    """f, its variables, two ends and a weight, where the goal compares f between the ends with its chord."""
    mean: Term | None = None
    """What the facts give the sign of the goal, where the goal may be above it."""


class Exhausted(Exception):
    """So many steps are enough for one claim."""


class Search:
    """For one claim; `prove` gives a proof that the kernel has accepted, or None."""

    def __init__(self, hint: Hint) -> None:
        self.hint, self.steps = hint, 0
        self.norms: list[tuple[Term, tuple[Term, ...]]] = []

    def prove(self, goal: Fact, facts: Known, depth: int = DEPTH, *, hinted: bool = True) -> Any:
        if depth == DEPTH and hinted:
            self.norms = norms_in(goal.term)
        for proof in self.proofs(goal, facts, depth, hinted):
            if self.accepts(facts, goal, proof):
                return proof
        return None

    def step(self, goal: Fact) -> None:
        self.steps += 1 + operations_in(goal.term) // SIZE
        if self.steps > STEPS:
            raise Exhausted

    def accepts(self, facts: Known, goal: Fact, proof: Any) -> bool:
        self.step(goal)
        return _accepted(facts, goal, proof)

    def proofs(self, goal: Fact, facts: Known, depth: int, hinted: bool) -> Iterator[Any]:
        book = Branch(Context(facts, (goal.term,)), ())
        term = without_decided(goal.term, book)
        yield ("by", ONE, term)
        if (tidy := collected(term)) != term:
            yield ("by", ONE, tidy)
        clash = next((fact.term for fact in facts if not book.signs(fact.term) & _ALLOWED[fact.op]), None)
        if clash is not None:  # no point of this branch satisfies the facts
            yield _anything(term, clash, book.context.names())
            return
        switch = switch_of(term)
        if switch is not None:
            if depth > 0:
                yield from self.split(goal, facts, switch, depth, hinted)
            return
        swaps = [{x: without_decided(a, book) for x, a in swap.items()} for swap in self.hint.swaps] if hinted else []
        swaps = [swap for swap in swaps if all(switch_of(a) is None for a in swap.values())]
        local = Fact(goal.op, term)
        compares = hinted and (self.hint.function is not None or self.hint.chord is not None)
        if depth == DEPTH and compares:  # a split has taken a function with kinks apart
            yield from self.segments(local, facts, book, swaps, depth)
        mixtures, pairs = instances_of(term, swaps)
        for whole, instances in mixtures:
            yield from self.combined(local, facts, instances, whole=whole)
        yield from self.combined(local, facts, ())
        for swap in swaps:
            yield from self.combined(local, facts, (), swap)
        for instances in (*pairs, of_constants(term)):
            if instances:
                yield from self.combined(local, facts, instances)
        if lines := tangent_lines(term, swaps):
            yield from self.combined(local, facts, pairs[0] if pairs else (), lines=lines)
        if (proof := by_conjugate(facts, local)) is not None:
            yield proof
        if depth > 0 and hinted and not (depth == DEPTH and compares):
            yield from self.segments(local, facts, book, swaps, depth)
        yield from self.eliminated(local, facts, swaps)
        if lines := cauchy_schwarz(self.norms):
            yield from self.combined(local, facts, (), lines=lines)
        if depth > 0 and hinted and local.op == ">=":
            yield from self.rising(local, facts, swaps, depth)
        if self.hint.mean is not None:
            yield from self.above_mean(local, facts, self.hint.mean)
        if any(fact.op == "=" for fact in facts):
            yield from self.absurd(goal, facts)

    # ----------------------------------------------------------------------------------------------- one inequality

    def combined(
        self,
        goal: Fact,
        facts: Known,
        instances: Sequence[Triple],
        swap: Mapping[str, Term] | None = None,
        whole: Term | None = None,
        lines: Sequence[tuple[Fact, Any, Term]] = (),
    ) -> Iterator[Any]:
        """The goal as a sum of products of facts and of instances of the exponential rule and of tangent lines."""
        ends = tuple(swap.values()) if swap else ()
        known, haves = prepared(facts, (goal.term, *ends, *(part for instance in instances for part in instance)))
        for fact, proof in taken_apart(goal.term, known):
            if _accepted(known, fact, proof):
                haves.append((fact, proof))
                known = (*known, fact)
        for fact, proof, base in lines:
            known, more = prepared(known, (fact.term,), positive=(base,))
            haves += more
            if _accepted(known, fact, proof):
                haves.append((fact, proof))
                known = (*known, fact)
        known, more, lemmas = instantiated(known, instances)
        haves += more
        self.step(goal)
        proof = next((p for p in _sums(known, goal, lemmas, whole) if _accepted(known, goal, p)), None)
        proof = combination(known, goal, swap) if proof is None else proof
        if proof is not None:
            for instance in reversed(instances):
                proof = ("exponential", *instance, proof)
            yield _wrapped(haves, proof)

    def eliminated(self, goal: Fact, facts: Known, swaps: Sequence[Mapping[str, Term]]) -> Iterator[Any]:
        """The goal as what Jensen's inequality gives, with the weights that it needs, and a rest."""
        for swap in swaps:
            known, haves = prepared(facts, (goal.term, *swap.values()))
            for found in (*(cancelling(goal, known, swap, mixed=m) for m in (False, True)),
                          mixed_exponentials(goal, known, swap)):  # fmt: skip
                if found and (proof := self.with_rest(goal, known, found, swap)) is not None:
                    yield _wrapped(haves, proof)

    def with_rest(self, goal: Fact, known: Known, found: Sequence[WeightedInstances], swap: Mapping[str, Term]) -> Any:
        """The goal as the sum of weighted instances and of what is left."""
        instances = [instance for _, group in found for instance in group]
        known, haves, lemmas = instantiated(known, instances)
        parts: list[Term] = []
        for times, group in found:
            weighed = Fact(">=", times)
            if not _accepted(known, weighed, ("by", ONE, times)):
                proof = combination(known, weighed)
                if proof is None or not _accepted(known, weighed, proof):
                    return None
                haves.append((weighed, proof))
                known = (*known, weighed)
            parts += [("*", times, lemma.term) for lemma in lemmas[: len(group)]]
            lemmas = lemmas[len(group) :]
        proof, rest = ("by", ONE, ("+", *parts)), Fact(goal.op, minus(goal.term, *parts))
        self.step(goal)
        if not _accepted(known, goal, proof):
            proofs = (combination(known, rest, centre) for centre in (None, swap))
            of_rest = next((p for p in proofs if p is not None and _accepted(known, rest, p)), None)
            if of_rest is None:
                return None
            proof = ("have", tuple(rest), of_rest, ("by", ONE, ("+", *parts, rest.term)))
        proof = _wrapped(haves, proof)
        for instance in reversed(instances):
            proof = ("exponential", *instance, proof)
        return proof

    def absurd(self, goal: Fact, facts: Known) -> Iterator[Any]:
        """−1 ≥ 0 from the facts, and so anything."""
        never = Fact(">=", Fraction(-1))
        self.step(never)
        if (proof := contradiction(facts)) is not None:
            yield ("have", tuple(never), proof, _anything(goal.term, never.term, Context(facts, (goal.term,)).names()))

    def split(self, goal: Fact, facts: Known, term: Term, depth: int, hinted: bool) -> Iterator[Any]:
        """By the sign of a term on which a piece depends."""
        _, haves = prepared(facts, (term,))
        facts = (*facts, *(fact for fact, _ in haves))
        branches = []
        for fact in (Fact(">", term), Fact("=", term), Fact(">", ("*", Fraction(-1), term))):
            branches.append(self.prove(goal, (*facts, fact), depth - 1, hinted=hinted))
            if branches[-1] is None:
                return
        yield _wrapped(haves, ("cases", term, *branches))

    # ------------------------------------------------------------------------------------------------------ segments

    def segments(self, goal: Fact, facts: Known, book: Branch, swaps: Sequence[Mapping[str, Term]], depth: int):
        """A function that is convex between two points: above its tangent at one of them, or below a chord."""
        if self.hint.chord is not None:
            yield from self.chord(facts, book, depth)
            return
        f = goal.term if self.hint.function is None else without_decided(self.hint.function, book)
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
                if found is None or not _accepted(known, fact, found):
                    found = combination(known, fact)
                if found is not None and _accepted(known, fact, found):
                    haves.append((fact, found))
                    break
            else:
                proof = combination(known, goal)
            if proof is not None:
                proof = _wrapped(haves, proof)
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

    def chord(self, facts: Known, book: Branch, depth: int) -> Iterator[Any]:
        """t f(a) + (1 − t) f(b) ≥ f(m) at m = ta + (1 − t)b, from the tangents at m to a and to b."""
        assert self.hint.chord is not None
        f, names, a, b, t = self.hint.chord
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
        at = {x: next(name for k in count() if (name := f"{x}_at" + "_" * k) not in names) for x in place}
        own = [fact for fact in about if variables(fact.term) & set(place)]
        apart = {x for fact in own if fact.op == "!=" for x in place if x in variables(fact.term)} if strict else set()
        own = [fact for fact in own if fact.op != "!="]
        given: list[Have] = [(fact, ("by", ONE, fact.term)) for fact in about if fact.op != "!="]
        for x in sorted(apart):
            away = minus(x, place[x])
            given.append((Fact("!=", minus(x, at[x])), ("by", ONE, away)))
        for fact in own:  # the end of the segment lies in the set
            start = Fact(fact.op, substitute(fact.term, place))
            proof = self.prove(start, known, min(depth - 2, 2), hinted=False)
            if proof is not None:
                before.append((start, proof))
                known = (*known, start)
                given.append((Fact(fact.op, substitute(fact.term, at)), ("by", ONE, start.term)))
        given = [
            (fact, proof) for fact, proof in given
            if _accepted(known, Fact(fact.op, substitute(fact.term, {at[x]: a for x, a in place.items()})), proof)
        ]  # fmt: skip
        conditions = tuple(fact for fact, _ in given)
        lemma = self.above(f, at, conditions, own, depth, strict)
        if lemma is None:
            return None
        fact, proof = lemma
        pairs, proofs = tuple((at[x], a) for x, a in place.items()), tuple(own_proof for _, own_proof in given)
        there = Fact(fact.op, substitute(fact.term, dict(pairs)))

        def wrap(rest: Any) -> Any:
            return _wrapped(before, ("instance", conditions, tuple(fact), proof, pairs, proofs, rest))

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
        if proof is None or not self.accepts(found.given, goal, proof):
            proof = self.prove(goal, found.given, depth - 1, hinted=False)
        if proof is None:
            return None
        _, needs = prepared(inside, (substitute(found.term, found.place),))
        bend = _wrapped(needs, found.proof(op, proof))
        above = Fact(op, above_tangent(f, at)[0])
        _, haves = prepared((*given, above), (above.term,))
        rest = _wrapped(haves, ("by", ONE, above.term))
        return above, ("tangent", f, tuple(at), tuple(at.values()), strict, _wrapped(steps, bend), rest)

    def along(
        self, facts: Known, at: Mapping[str, Term], about: Sequence[Fact], names: Collection[str]
    ) -> tuple[str, Known, list[Have], list[Fact]]:
        """The parameter of the segment from `at`, what is known on it, proofs of what `about` gives there, and that."""
        t = next(name for k in count() if (name := "t" + "_" * k) not in names)  # as the kernel calls it
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
            if self.accepts(inside, goal, proof):
                return proof
        return next((p for p in self.combined(goal, inside, ()) if self.accepts(inside, goal, p)), None)

    def above_mean(self, goal: Fact, facts: Known, mean: Term) -> Iterator[Any]:
        """The goal as what the facts give it and a rest: a concave function is above its chord."""
        known, haves = prepared(facts, (goal.term, mean))
        rest = Fact(">=", minus(goal.term, mean))
        self.step(rest)
        if (proof := combination(known, rest)) is not None:
            parts = _wrapped([(rest, proof)], ("by", ONE, ("+", mean, rest.term)))
            yield _wrapped(haves, ("have", (goal.op, mean), ("by", ONE, mean), parts))

    def rising(self, goal: Fact, facts: Known, swaps: Sequence[Mapping[str, Term]], depth: int) -> Iterator[Any]:
        """The goal f(x) ≥ 0 where f(a) = 0 and f rises along the segment from a to x."""
        f = goal.term
        for place in (*swaps, *mirrored(facts, swaps)):
            start = substitute(f, place)
            known, haves = prepared(facts, (f, start, *place.values()))
            if not _accepted(known, Fact("=", start), ("by", ONE, Fraction(0))):
                continue
            names = {x for fact in known for x in variables(fact.term)} | variables(f) | set(place)
            names |= {x for a in place.values() for x in variables(a)}
            t, inside, steps, _ = self.along(known, place, known, names)
            moving = {x: ("+", a, ("*", t, minus(x, a))) for x, a in place.items()}
            try:
                slope = derivative(substitute(f, moving), t)
            except Malformed:
                continue
            rises = self.prove(Fact(">=", slope), inside, depth - 1, hinted=False)
            if rises is not None:
                rest = ("by", ONE, minus(f, start))
                rising = ("increasing", f, tuple(place), tuple(place.values()), False, _wrapped(steps, rises), rest)
                yield _wrapped(haves, rising)


# ----------------------------------------------------------------------------------------------- values and their needs


def prepared(facts: Known, terms: Sequence[Term], *, positive: Sequence[Term] = ()) -> tuple[Known, list[Have]]:
    """The facts with those that the terms need to have values, as far as they are found, and the proofs of these."""
    haves: list[Have] = []
    needs = [need for term in terms for need in requirements_of(term)] + [(term, (">",)) for term in positive]
    for term, ops in dict.fromkeys(needs):
        book = Branch(Context(facts, (term,)), ())
        signs = book.signs(term)
        visible = next((op for op in ops if signs <= _SIGNS[op]), None)
        if visible is not None:
            if not _SIGNS[visible] >= book.sign_of(book.normal.of(term).top):  # seen as written, lost when expanded
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
            if proof is not None and _accepted(facts, goal, proof):
                haves.append((goal, proof))
                facts = (*facts, goal)
                break
    return facts, haves


_ALLOWED = {">": {1}, ">=": {0, 1}, "=": {0}, "!=": {-1, 1}}
_SIGNS = {">": {1}, ">=": {0, 1}, "!=": {-1, 1}}


def _accepted(facts: Known, goal: Fact, proof: Any) -> bool:
    try:
        accept(facts, goal, proof)
    except Refused:
        return False
    return True


def _anything(term: Term, clash: Term, names: Collection[str]) -> Any:
    """Whatever is asked of a term, from a fact about `clash` that contradicts the sign that it has."""
    free = next(name for k in count() if (name := "free" + "_" * k) not in names)
    without_sign = ("+", clash, free, ("*", Fraction(-1), free))  # so that its sign is looked up, not read off
    return ("by", ONE, ("+", term, ("*", Fraction(0), without_sign)))


def _wrapped(haves: Sequence[Have], proof: Any) -> Any:
    for fact, found in reversed(haves):
        proof = ("have", tuple(fact), found, proof)
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


def mirrored(facts: Known, swaps: Sequence[Mapping[str, Term]]) -> Iterator[Mapping[str, Term]]:
    """For one variable x and a fact on c x + r: the point a at which c a + r has minus the value at x's counterpart."""
    for swap in swaps:
        for fact in facts if len(swap) == 1 else ():
            ((x, at),) = swap.items()
            if x in variables(fact.term) and (c := slope_of(fact.term, x)) is not None:
                offset = substitute(fact.term, {x: Fraction(0)})
                yield {x: minus(("*", Fraction(-2) / c, offset), at)}


def _sums(facts: Known, goal: Fact, lemmas: Sequence[Fact], whole: Term | None) -> Iterator[Any]:
    """The instances for the parts of a mixture, added (Jensen), times what its logarithm is multiplied by."""
    if whole is None:
        return
    total = ("+", *(fact.term for fact in lemmas))
    yield ("by", ONE, total)
    times = weight(facts, goal, whole)
    if times is not None:
        yield ("by", ONE, ("*", times, total))
        yield ("by", ONE, ("*", Fraction(-1), times, total))
