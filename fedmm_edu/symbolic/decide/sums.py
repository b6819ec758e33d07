"""One inequality in a search for a proof: a sum of products of facts, and of instances of the exponential rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fedmm_edu.proofs.kernel import Fact
from fedmm_edu.proofs.terms import ONE, Term, mentions, minus
from fedmm_edu.symbolic.decide.at_hand import Known, accepted, by_laws, instantiated, prepared, with_laws, wrapped
from fedmm_edu.symbolic.decide.combination import combination, leading, weight
from fedmm_edu.symbolic.decide.jensen import WeightedInstances, cancelling, mixed_exponentials
from fedmm_edu.symbolic.decide.laws import LawInstance
from fedmm_edu.symbolic.decide.roots import taken_apart
from fedmm_edu.symbolic.decide.term_parts import Triple


@dataclass(frozen=True)
class Sums:
    """Proofs of one inequality from facts; `step` counts what was asked."""

    step: Callable[[Fact], None]

    def combined(
        self,
        goal: Fact,
        facts: Known,
        instances: Sequence[Triple],
        swap: Mapping[str, Term] | None = None,
        whole: Term | None = None,
        lines: Sequence[tuple[Fact, Any, Term]] = (),
        laws: Sequence[LawInstance] = (),
    ) -> Iterator[Any]:
        """The goal as a sum of products of facts and of instances of the exponential rule, of lines and of laws."""
        ends = tuple(swap.values()) if swap else ()
        known, before, kept = with_laws(facts, laws)
        known, haves = prepared(known, (goal.term, *ends, *(part for instance in instances for part in instance)))
        for fact, proof in taken_apart(goal.term, known):
            if accepted(known, fact, proof):
                haves.append((fact, proof))
                known = (*known, fact)
        for fact, proof, base in lines:
            known, more = prepared(known, (fact.term,), positive=(base,))
            haves += more
            if accepted(known, fact, proof):
                haves.append((fact, proof))
                known = (*known, fact)
        known, more, lemmas = instantiated(known, instances)
        haves += more
        self.step(goal)
        proof = next((p for p in _sums(known, goal, lemmas, whole) if accepted(known, goal, p)), None)
        proof = combination(known, goal, swap) if proof is None else proof
        if proof is not None:
            proof = with_values(known, goal, proof)
            for instance in reversed(instances):
                proof = ("exponential", *instance, proof)
            yield wrapped(before, by_laws(kept, wrapped(haves, proof)))

    def eliminated(self, goal: Fact, facts: Known, swaps: Sequence[Mapping[str, Term]]) -> Iterator[Any]:
        """The goal as what Jensen's inequality gives, with the weights that it needs, and a rest."""
        for swap in swaps:
            known, haves = prepared(facts, (goal.term, *swap.values()))
            for found in (*(cancelling(goal, known, swap, mixed=m) for m in (False, True)),
                          mixed_exponentials(goal, known, swap)):  # fmt: skip
                if found and (proof := self.with_rest(goal, known, found, swap)) is not None:
                    yield wrapped(haves, proof)

    def with_rest(self, goal: Fact, known: Known, found: Sequence[WeightedInstances], swap: Mapping[str, Term]) -> Any:
        """The goal as the sum of weighted instances and of what is left."""
        instances = [instance for _, group in found for instance in group]
        known, haves, lemmas = instantiated(known, instances)
        parts: list[Term] = []
        for times, group in found:
            weighed = Fact(">=", times)
            if not accepted(known, weighed, ("by", ONE, times)):
                proof = combination(known, weighed)
                if proof is None or not accepted(known, weighed, proof):
                    return None
                haves.append((weighed, proof))
                known = (*known, weighed)
            parts += [("*", times, lemma.term) for lemma in lemmas[: len(group)]]
            lemmas = lemmas[len(group) :]
        proof, rest = ("by", ONE, ("+", *parts)), Fact(goal.op, minus(goal.term, *parts))
        self.step(goal)
        if not accepted(known, goal, proof):
            proofs = (combination(known, rest, centre) for centre in (None, swap))
            of_rest = next((p for p in proofs if p is not None and accepted(known, rest, p)), None)
            if of_rest is None:
                return None
            proof = ("have", tuple(rest), of_rest, ("by", ONE, ("+", *parts, rest.term)))
        proof = wrapped(haves, proof)
        for instance in reversed(instances):
            proof = ("exponential", *instance, proof)
        return proof

    def beyond_squares(
        self, goal: Fact, facts: Known, swap: Mapping[str, Term], lines: Sequence[tuple[Fact, Any, Term]]
    ) -> Iterator[Any]:
        """The goal > 0 as Σ c (x − a)² and a rest ≥ 0, where c > 0 is what x² is multiplied by in it."""
        known, haves = prepared(facts, (goal.term, *swap.values()))
        squares: list[Term] = []
        for x, a in swap.items():
            times = leading(known, goal, x, swap)
            if times is None:
                return
            known, more = prepared(known, (), positive=(times,))
            haves += more
            squares.append(("*", times, ("pow", minus(x, a), 2)))
        rest = Fact(">=", minus(goal.term, *squares))
        for proof in self.combined(rest, known, (), lines=lines):
            if accepted(known, rest, proof):
                yield wrapped([*haves, (rest, proof)], ("by", ONE, ("+", *squares, rest.term)))

    def above_mean(self, goal: Fact, facts: Known, mean: Term) -> Iterator[Any]:
        """The goal as what the facts give it and a rest: a concave function is above its chord."""
        known, haves = prepared(facts, (goal.term, mean))
        rest = Fact(">=", minus(goal.term, mean))
        self.step(rest)
        if (proof := combination(known, rest)) is not None:
            parts = wrapped([(rest, proof)], ("by", ONE, ("+", mean, rest.term)))
            yield wrapped(haves, ("have", (goal.op, mean), ("by", ONE, mean), parts))


def with_values(known: Known, goal: Fact, proof: Any) -> Any:
    """The proof `("by", …)`, after what the roots in it need: they are not written there as they are in the goal."""
    if not any(mentions(term, "root") for term in proof[1:]) or accepted(known, goal, proof):
        return proof
    return wrapped(prepared(known, proof[1:])[1], proof)


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
