"""Rows about sentences of the paper on its experiments, which recorded runs of this project can support."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from fedmm_edu.proofs.verdict import Verdict, Witness
from proofs_checks.ledger import Claim, Form

ABOUT_OUR_RUNS = {"of": "these runs"}
"""Of the recorded runs, not of the paper's own: there a criterion that fails is a counterexample."""


class Sentence(Protocol):
    """What is said: an id, the line, the words, and a criterion that was fixed before the runs."""

    @property
    def id(self) -> str: ...

    @property
    def line(self) -> str: ...

    @property
    def says(self) -> str: ...

    @property
    def criterion(self) -> str: ...


def row(
    sentence: Sentence,
    check: Callable[..., Verdict],
    changes: Mapping[str, Form] | None,
    *,
    id: str,
    where: str,
    non_vacuity: Callable[[], Witness],
    runs: str,
    judged: str,
    note: str,
) -> Claim:
    """The claim. changes: where our runs show the sentence, changes of the form after which it must fail; else None,
    and the mutant is the same sentence about our runs. id, where: of the row. runs, judged, note: which runs, and what
    a reader should know.
    """
    mutants = {"said about the recorded runs": {}} if changes is None else changes
    return Claim(
        id=id,
        where=where,
        lines=sentence.line,
        statement=f"{sentence.says[0].upper()}{sentence.says[1:]}.",
        check=check,
        form={"statement": sentence.id},
        expected="open" if changes is None else "supported",
        mutants={name: {**ABOUT_OUR_RUNS, **change} for name, change in mutants.items()},
        non_vacuity=non_vacuity,
        hypotheses=(runs,),
        note=f"Criterion, fixed before {judged}: {sentence.criterion}. {note} A report of runs that cannot be "
        "repeated: our own can support it, and where they do not show it, it stays open.",
    )
