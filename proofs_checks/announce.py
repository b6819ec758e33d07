"""What the ledger announces to `fedmm_edu`, by the entry point `paper`: its rows, and what they say of every size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proofs_checks import Rows

if TYPE_CHECKING:
    from fedmm_edu.announced import Requirement
    from proofs_checks.beyond_constants.any_size import General
    from proofs_checks.ledger import Claim, Form


def claims() -> Mapping[str, Claim]:
    """All rows by their ids."""
    return Rows()


@dataclass(frozen=True)
class Wording:
    """A wording of a row's statement, and the form of it that the row's check judges."""

    words: str
    form: Form


def wordings(row: str) -> tuple[Wording, ...]:
    """The row's statement with what it assumes, as it is printed; amended, where it is refuted; and its mutants.

    A mutant that the words do not show, for they have no slot for it, is told by its name.
    """
    from proofs_checks.wording import entries, worded

    claim = claims()[row]

    statement, *hypotheses = claim.template

    def said(form: Form, words: str = statement) -> str:
        assumed = "; ".join(entries(tuple(hypotheses), claim.check, form))
        return worded(words, claim.check, form) + (f" Assumed: {assumed}." if assumed else "")

    printed = said(claim.form)
    found = [Wording(printed, claim.form)]
    if claim.amended is not None:
        found.append(Wording(said(claim.amended.form, claim.amended.statement), claim.amended.form))
    for name, form in claim.mutants.items():
        words = said(form)
        found.append(Wording(f"{words} But: {name}." if words == printed else words, form))
    return tuple(found)


def any_size() -> Mapping[str, Sequence[General]]:
    """What is proved of the constants of an example for every size."""
    from proofs_checks.beyond_constants.any_size import ANY_SIZE

    return ANY_SIZE


@dataclass(frozen=True)
class Support:
    """A row, and what must hold of a model for the row, in its amended form where it has one, to cover the model."""

    row: str
    needs: tuple[Requirement, ...] = ()


_CLOSED = Support("A8-closed", ("the set S of the paper",))
SUPPORTS: Mapping[str, Mapping[str, tuple[Support, ...]]] = {
    "quadratic": {
        "MM-1": (Support("ex1-mm1", ("rho <= 1/L_f",)),),
        "MM-2": (Support("ex1-T-prox"),),
        "A1": (Support("A1-examples"),),
        "A8": (_CLOSED,),
    },
    "dictionary": {
        "MM-1": (Support("dl-decomp", ("complete rows",)), Support("ex3-mm1", ("complete rows",))),
        "MM-2": (Support("dl-mm2", ("g = eta |theta|^2, eta > 0",)),),
        "A1": (Support("A1-examples"),),
        "A8": (Support("dl-S"), _CLOSED),
    },
}
"""Rows that hold for every size and all data, by the example and the hypothesis that rests on them.

The mixture has none: `ex2-mm1` is amended in its result, and that the kernel's law is the amended one is not checked.
"""


def supports(example: str) -> Mapping[str, tuple[Support, ...]]:
    """The rows on which a hypothesis of Theorem 1 rests, for an example of this name; empty where there are none."""
    return SUPPORTS.get(example, {})
