"""The few things that several sections' checks share: exact zeros, two methods that must agree, checked instances.

The second method beside a certificate is the statement on exact instances, in fractions, with no formula in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.identity import is_identity
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, proved, refuted, undecided


def vanishes(expr: sp.Expr | None) -> bool:
    """Whether `expr` is identically zero: the certificates' test, after adding exponents (u·uᵗ = u^{t+1}).

    None stands for an identity that cannot be derived, and is not zero.
    """
    return expr is not None and is_identity(sp.powsimp(sp.expand(expr), combine="exp"))


def settle(method: str, residuals: Mapping[str, sp.Expr | None], why: str, counterexample: Witness | None) -> Verdict:
    """The verdict of two methods that know nothing of each other.

    `residuals` maps each identity that together prove the statement to left minus right; `counterexample` is the
    exact instance a search found, if any. All identities hold: proved. A counterexample: refuted. Neither: open.
    Both: `InvalidInput`, for then one of the two is wrong.
    """
    left = {name: residual for name, residual in residuals.items() if not vanishes(residual)}
    if counterexample is None:
        if not left:
            return proved(method, *(Step(name, why) for name in residuals))
        return undecided(
            method, *(Step(f"not shown: {name}", f"left minus right is {value}") for name, value in left.items())
        )
    if not left:
        raise InvalidInput(f"proof and counterexample disagree at {dict(counterexample.point)}: one of them is wrong.")
    steps = (Step(f"fails: {name}", f"left minus right is {value}") for name, value in left.items())
    return refuted("exact instance", counterexample, *steps)


def instance(point: Mapping[str, object], says: str, holds: Mapping[str, object]) -> Witness:
    """A witness at `point` once every fact in `holds` is true there, else `InvalidInput` naming the one that is not."""
    for fact, value in holds.items():
        if value is not True and value != sp.true:
            raise InvalidInput(f"the instance {dict(point)} does not satisfy '{fact}': choose another.")
    return Witness({name: shown(value) for name, value in point.items()}, says, dict.fromkeys(holds, "holds"))


def shown(value: object) -> str:
    """A value as a reader writes it: tuples and lists entry by entry, so that a fraction in them is 1/2."""
    return f"({', '.join(map(shown, value))})" if isinstance(value, (tuple, list)) else str(value)


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
