"""The second method beside a certificate: the statement on exact instances, in fractions, with no formula in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Step, Verdict


def tried(where: str, pairs: Iterable[Sequence]) -> tuple[Step, ...]:
    """The step that says on how many instances left ≤ right was evaluated, and on how many it is an equality.

    A pair with left > right is an error here: it is a counterexample, which the check's own search reports first.
    """
    found = [(left, right) for left, right in pairs]
    if wrong := [pair for pair in found if pair[0] > pair[1]]:
        raise InvalidInput(f"{where}: {wrong[0][0]} > {wrong[0][1]} contradicts the proof: inspect both.")
    tight = sum(left == right for left, right in found)
    says = f"it holds on {len(found)} {where}, on {tight} of them with equality"
    return (Step(says, APART),) if found else ()


APART = "independently of the certificate: evaluated in exact fractions"


def agreed(verdict: Verdict, *steps: Step) -> Verdict:
    """A proved verdict with the steps of a second method; any other verdict as it is."""
    return replace(verdict, evidence=(*verdict.evidence, *steps)) if verdict.status == "proved" else verdict
