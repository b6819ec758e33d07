"""Section 7, what it says about its figure: a row for each sentence, judged from recorded runs of this project."""

from __future__ import annotations

from fedmm_edu.experiments.transport.statements import STATEMENTS, Statement
from proofs_checks.checks.transport_runs import outperforms, settings
from proofs_checks.ledger import Claim

SUPPORTED: frozenset[str] = frozenset()
"""The statements whose criterion holds in all settings; the others fail in some."""


def row(statement: Statement) -> Claim:
    """The claim; where our runs do not show it, the mutant is the same sentence about these runs."""
    shown, form = statement.id in SUPPORTED, {"statement": statement.id}
    exchanged = form | {"ours": "FedAdam", "theirs": "FedMM-OT", "of": "these runs"}
    return Claim(
        id=f"exp-{statement.id}",
        where="Section 7.3, the figure",
        lines=statement.line,
        statement=f"{statement.says[0].upper()}{statement.says[1:]}.",
        check=outperforms,
        form=form,
        expected="supported" if shown else "open",
        mutants={"the methods exchanged": exchanged}
        if shown
        else {"said about the recorded runs": form | {"of": "these runs"}},
        non_vacuity=settings,
        hypotheses=("three runs of each curve, learning rates tuned for each method by one rule",),
        note=f"Criterion, fixed before runs of full length: {statement.criterion}. The paper gives neither λ nor what "
        "is held equal; both λ = 0 and λ = 1, equal rounds and equal CPU seconds are judged. A report of runs that "
        "cannot be repeated: our own can support it, and where they do not show it, it stays open.",
    )


ROWS = [row(statement) for statement in STATEMENTS]
