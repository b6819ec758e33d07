"""What a row of the ledger is, and how rows are run.

A claim is checked by one function, `check(**form)`, that judges a *form* of the statement. The printed statement, its
amended version and every mutant are forms of the same check: so a check that cannot tell them apart shows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Status, Verdict, Witness

Form = Mapping[str, Any]

Falsifies = Literal["constant", "hypothesis", "sign"]
"""What a mutant makes wrong: a constant better than proved, a hypothesis dropped, a sign flipped."""

Kind = Literal["result", "hypothesis", "formula", "wording"]
"""What a correction touches, the weightiest first: a result or an algorithm as a reader would use it, a hypothesis that
is missing, a formula, or the wording alone."""


@dataclass(frozen=True)
class Amended:
    """The statement that should stand in place of a refuted one; it must be proved by the same check."""

    statement: str
    form: Form
    differs: str
    matters: str
    kind: Kind = "formula"


@dataclass(frozen=True)
class Claim:
    """One checkable statement.

    `statement`, `hypotheses` and the texts of `amended` may contain LaTeX between dollar signs. `where` is the place
    in the paper in words, `lines` its line numbers in the source ("L 391"). `form` holds the keyword arguments with
    which `check` judges the printed statement; `mutants` are falsified forms (of the amended statement where there is
    one), each of which the same check must refute. `non_vacuity` returns an exact instance that satisfies the
    hypotheses, or raises.

    A row that rests on certificates has mutants of each kind in `Falsifies`. `kinds` names the kind of a mutant whose
    form does not show it: a word changes, or the range of a hypothesis. `spared` names the kinds that the statement has
    no mutant of: with a form of that kind that is true all the same, which the check proves, or with None where the
    certificates use no hypothesis at all.
    """

    id: str
    where: str
    lines: str
    statement: str
    check: Callable[..., Verdict]
    expected: Status
    non_vacuity: Callable[[], Witness]
    form: Form = field(default_factory=dict)
    mutants: Mapping[str, Form] = field(default_factory=dict)
    hypotheses: tuple[str, ...] = ()
    amended: Amended | None = None
    note: str = ""
    kinds: Mapping[str, Falsifies] = field(default_factory=dict)
    spared: Mapping[Falsifies, Form | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.expected == "refuted") != (self.amended is not None):
            raise InvalidInput(f"claim {self.id}: exactly the refuted claims carry an amended statement.")
        if self.expected in ("proved", "refuted") and not self.mutants:
            raise InvalidInput(f"claim {self.id}: give at least one mutant that its check must refute.")
