"""A search for proofs that the kernel accepts: sums of products of facts, exponentials, cases, tangents on segments.

Everything here may be wrong: what comes out is data, and `accept` looks at every step of it. Budgets are counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fedmm_edu.proofs.kernel import SIGNS_OF, Branch, Context, Fact
from fedmm_edu.proofs.terms import ONE, Term, mentions
from fedmm_edu.symbolic.decide.at_hand import Known, accepted, anything, prepared, wrapped
from fedmm_edu.symbolic.decide.ceilings import above_one, ceilings
from fedmm_edu.symbolic.decide.combination import by_conjugate, contradiction
from fedmm_edu.symbolic.decide.from_infinity import rising_from_minus_infinity
from fedmm_edu.symbolic.decide.from_zero import LOGARITHMS, SQUARES, on_another_scale, rising_from_zero
from fedmm_edu.symbolic.decide.laws import laws_for
from fedmm_edu.symbolic.decide.roots import cauchy_schwarz, norm_bounds, norms_in, tangent_lines
from fedmm_edu.symbolic.decide.segments import Chord, Segments
from fedmm_edu.symbolic.decide.sums import Sums
from fedmm_edu.symbolic.decide.term_parts import (
    collected,
    instances_of,
    of_constants,
    operations_in,
    switch_of,
    without_decided,
)

DEPTH = 5
"""How many case splits and segments may be nested."""
STEPS = 700
"""For one claim; to ask the kernel, or to solve a linear program, costs one and one more for each `SIZE` operations."""
SIZE = 50


@dataclass(frozen=True)
class Hint:
    """Where to look: `swaps` moves the variables of a function to the point that it is compared at."""

    swaps: tuple[Mapping[str, Term], ...] = ()
    function: Term | None = None
    """The function, where it is not the goal itself."""
    chord: Chord | None = None
    """Where the goal compares f between the ends with its chord."""
    mean: Term | None = None
    """What the facts give the sign of the goal, where the goal may be above it."""


class Exhausted(Exception):
    """So many steps are enough for one claim."""


class Search:
    """For one claim; `prove` gives a proof that the kernel has accepted, or None."""

    def __init__(self, hint: Hint) -> None:
        self.hint, self.steps = hint, 0
        self.norms: list[tuple[Term, tuple[Term, ...]]] = []
        self.sums = Sums(self.step)
        self.along = Segments(self, self.sums)

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
        return accepted(facts, goal, proof)

    def proofs(self, goal: Fact, facts: Known, depth: int, hinted: bool) -> Iterator[Any]:
        book = Branch(Context(facts, (goal.term,)), ())
        term = without_decided(goal.term, book)
        yield ("by", ONE, term)
        if (tidy := collected(term)) != term:
            yield ("by", ONE, tidy)
        clash = next((fact.term for fact in facts if not book.signs(fact.term) & SIGNS_OF[fact.op]), None)
        if clash is not None:  # no point of this branch satisfies the facts
            yield anything(term, clash, book.context.names())
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
        if lines := cauchy_schwarz(self.norms):
            lines = [*lines, *norm_bounds(self.norms, facts)]
            for swap in swaps if local.op == ">" else ():
                yield from self.sums.beyond_squares(local, facts, swap, lines)
            for swap in (*swaps, None):
                yield from self.sums.combined(local, facts, (), swap, lines=lines)
        if laws := laws_for(term):
            yield from self.sums.combined(local, facts, (), laws=laws)
        mixtures, pairs = instances_of(term, swaps)
        for whole, instances in mixtures:
            yield from self.sums.combined(local, facts, instances, whole=whole)
        yield from self.sums.combined(local, facts, ())
        for swap in swaps:
            yield from self.sums.combined(local, facts, (), swap)
        for instances in (*pairs, of_constants(term)):
            if instances:
                yield from self.sums.combined(local, facts, instances)
        if lines := tangent_lines(term, swaps):
            yield from self.sums.combined(local, facts, pairs[0] if pairs else (), lines=lines)
        known, haves = prepared(facts, (term,))
        if (proof := by_conjugate(known, local)) is not None:
            yield wrapped(haves, proof)
        if depth == DEPTH and hinted:
            yield from on_another_scale(self, local, facts, swaps, depth, SQUARES)
        if depth > 0 and hinted and not (depth == DEPTH and compares):
            yield from self.segments(local, facts, book, swaps, depth)
        if depth == DEPTH and hinted and mentions(term, "log"):
            yield from on_another_scale(self, local, facts, swaps, depth, LOGARITHMS)
        yield from self.sums.eliminated(local, facts, swaps)
        if depth > 0 and hinted and local.op == ">=":
            yield from self.along.rising(local, facts, swaps, depth)
        if depth > 0 and not (hinted and swaps):
            yield from rising_from_zero(self, local, facts, depth)
            yield from rising_from_minus_infinity(self, local, facts, depth)
        if self.hint.mean is not None:
            yield from self.sums.above_mean(local, facts, self.hint.mean)
        if instances := above_one(term):
            yield from self.sums.combined(local, facts, instances)
        if lines := ceilings(term, facts):
            yield from self.sums.combined(local, facts, (), lines=lines)
        if any(fact.op == "=" for fact in facts):
            yield from self.absurd(goal, facts)

    def segments(
        self, goal: Fact, facts: Known, book: Branch, swaps: Sequence[Mapping[str, Term]], depth: int
    ) -> Iterator[Any]:
        """A function that is convex between two points: above its tangent at one of them, or below a chord."""
        if self.hint.chord is not None:
            yield from self.along.below_chord(self.hint.chord, facts, book, depth)
            return
        f = goal.term if self.hint.function is None else without_decided(self.hint.function, book)
        yield from self.along.above_tangents(f, goal, facts, swaps, depth)

    def absurd(self, goal: Fact, facts: Known) -> Iterator[Any]:
        """−1 ≥ 0 from the facts, and so anything."""
        never = Fact(">=", Fraction(-1))
        self.step(never)
        if (proof := contradiction(facts)) is not None:
            yield ("have", tuple(never), proof, anything(goal.term, never.term, Context(facts, (goal.term,)).names()))

    def split(self, goal: Fact, facts: Known, term: Term, depth: int, hinted: bool) -> Iterator[Any]:
        """By the sign of a term on which a piece depends."""
        _, haves = prepared(facts, (term,))
        facts = (*facts, *(fact for fact, _ in haves))
        branches = []
        for fact in (Fact(">", term), Fact("=", term), Fact(">", ("*", Fraction(-1), term))):
            branches.append(self.prove(goal, (*facts, fact), depth - 1, hinted=hinted))
            if branches[-1] is None:
                return
        yield wrapped(haves, ("cases", term, *branches))
