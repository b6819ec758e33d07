"""The few things that several sections' checks share: exact zeros, two methods that must agree, checked instances."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs import certificate
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, proved, refuted, undecided


def vanishes(expr: sp.Expr | None) -> bool:
    """Whether `expr` is identically zero: the certificates' test, after adding exponents (u·uᵗ = u^{t+1}).

    None stands for an identity that cannot be derived, and is not zero.
    """
    return expr is not None and certificate.is_identity(sp.powsimp(sp.expand(expr), combine="exp"))


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
