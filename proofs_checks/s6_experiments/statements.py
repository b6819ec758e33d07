"""Section 6, what it says about its two figures: a row for each sentence, judged from recorded runs of this project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from fedmm_edu.proofs.verdict import Verdict
from fedmm_edu.studies.dictionary.statements import SECTION_6, SETTING
from fedmm_edu.studies.judging import Statement
from proofs_checks.ledger import Form
from proofs_checks.s6_experiments.runs import Change, Of, StatementId, reported, settings
from proofs_checks.s6_experiments.sentences_told import grows
from proofs_checks.sentences import row

SUPPORTED: Mapping[str, tuple[str, ...]] = {
    "objective-monotone": ("rounds backwards",),
    "parameter-decays": ("rounds backwards",),
    "surrogate-decays": ("rounds backwards",),
    "cv-objective": ("one algorithm three records late",),
}
"""The statements whose criterion holds on all data that they name, each with changes of the curves after which it
must fail. The others fail on some data."""


JUDGED_ELSEWHERE = {"cv-cancel": "cv-homogeneous"}
"""Statements that a row judges exactly, without runs."""
IDS = {"objective-monotone": "dl-monotone"}
"""The rows that are not called exp-…: their names are older."""

PLACE = {"fig1": "impact of the aggregation space", "fig2": "impact of control variates"}


def _changes(statement: Statement) -> dict[str, Form] | None:
    names = SUPPORTED.get(statement.id)
    if names is None:
        return None
    found: dict[str, Form] = {f"with {name}": {"change": name} for name in names}
    return found | ({"said of every run": {"scope": "every run"}} if statement.id == "objective-monotone" else {})


def decays_monotonically(
    statement: StatementId,
    of: Of = "Section 6",
    change: Change = "none",
    scope: Literal["recorded runs", "every run"] = "recorded runs",
) -> Verdict:
    """The objective decays in the recorded runs; in "every run" with mini-batches it does not: one exact round."""
    return grows() if scope == "every run" else reported(statement, of, change)


ROWS = [
    row(
        statement,
        decays_monotonically if statement.id == "objective-monotone" else reported,
        _changes(statement),
        id=IDS.get(statement.id, f"exp-{statement.id}"),
        where=f"Section 6, {PLACE[statement.figure]}",
        non_vacuity=settings,
        runs="means and single curves of ten runs with the settings of L 824-834",
        judged="the runs",
        note=f"Data: {', '.join(SETTING[name] for name in statement.settings)}. The page on the results of dictionary "
        "learning says with which choices it holds.",
    )
    for statement in SECTION_6
    if statement.id not in JUDGED_ELSEWHERE
]
