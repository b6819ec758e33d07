"""Section 6, what it says about its two figures: a row for each sentence, judged from recorded runs of this project."""

from __future__ import annotations

from collections.abc import Mapping

from fedmm_edu.studies.dictionary.statements import SECTION_6, SETTING
from fedmm_edu.studies.judging import Statement
from proofs_checks.s6_experiments.runs import reported, settings
from proofs_checks.sentences import row

SUPPORTED: Mapping[str, tuple[str, ...]] = {
    "objective-monotone": ("rounds backwards",),
    "parameter-decays": ("rounds backwards",),
    "surrogate-decays": ("rounds backwards",),
    "cv-objective": ("one algorithm three records late",),
}
"""The statements whose criterion holds on all data that they name, each with changes of the curves after which it
must fail. The others fail on some data."""


PLACE = {"fig1": "impact of the aggregation space", "fig2": "impact of control variates"}


def _changes(statement: Statement) -> dict[str, dict[str, str]] | None:
    names = SUPPORTED.get(statement.id)
    return None if names is None else {f"with {name}": {"change": name} for name in names}


ROWS = [
    row(
        statement,
        reported,
        _changes(statement),
        where=f"Section 6, {PLACE[statement.figure]}",
        non_vacuity=settings,
        runs="means and single curves of ten runs with the settings of L 824-834",
        judged="the runs",
        note=f"Data: {', '.join(SETTING[name] for name in statement.settings)}. The page on the results of dictionary "
        "learning says with which choices it holds.",
    )
    for statement in SECTION_6
]
