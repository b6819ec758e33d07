"""Section 6, what it says about its two figures: a row for each sentence, judged from recorded runs of this project."""

from __future__ import annotations

from collections.abc import Mapping

from fedmm_edu.experiments.dictionary.statements import SETTING, STATEMENTS, Statement
from proofs_checks.checks.experiments_runs import reported, settings
from proofs_checks.ledger import Claim

SUPPORTED: Mapping[str, tuple[str, ...]] = {
    "objective-monotone": ("rounds backwards",),
    "parameter-decays": ("rounds backwards",),
    "surrogate-decays": ("rounds backwards",),
    "cv-objective": ("one algorithm three records late",),
}
"""The statements whose criterion holds on all data that they name, each with changes of the curves after which it
must fail. The others fail on some data."""


def row(statement: Statement) -> Claim:
    """The claim; where our runs do not show it, the mutant is the same sentence about these runs."""
    changes = SUPPORTED.get(statement.id)
    mutants = {
        f"with {change}": {"statement": statement.id, "of": "these runs", "change": change} for change in changes or ()
    }
    if changes is None:
        mutants["said about the recorded runs"] = {"statement": statement.id, "of": "these runs"}
    place = "aggregation space" if statement.figure == "fig1" else "control variates"
    data = ", ".join(SETTING[name] for name in statement.data)
    return Claim(
        id=f"exp-{statement.id}",
        where=f"Section 6, impact of {'the ' if statement.figure == 'fig1' else ''}{place}",
        lines=statement.line,
        statement=f"{statement.says[0].upper()}{statement.says[1:]}.",
        check=reported,
        form={"statement": statement.id},
        expected="open" if changes is None else "supported",
        mutants=mutants,
        non_vacuity=settings,
        hypotheses=("means and single curves of ten runs with the settings of L 824-834",),
        note=f"Criterion, fixed before the runs: {statement.criterion}. Data: {data}. A report of runs that cannot be "
        "repeated: our own can support it, and where they do not show it, it stays open. The page on the results of "
        "dictionary learning says with which choices it holds.",
    )


ROWS = [row(statement) for statement in STATEMENTS]
