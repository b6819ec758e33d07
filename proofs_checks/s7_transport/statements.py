"""Section 7, what it says about its figure: a row for each sentence, judged from recorded runs of this project."""

from __future__ import annotations

from fedmm_edu.studies.transport.statements import SECTION_7
from proofs_checks.s7_transport.runs import outperforms, settings
from proofs_checks.sentences import row

SUPPORTED: frozenset[str] = frozenset()
"""The statements whose criterion holds in all settings; the others fail in some."""
EXCHANGED = {"the methods exchanged": {"ours": "FedAdam", "theirs": "FedMM-OT"}}

ROWS = [
    row(
        statement,
        outperforms,
        EXCHANGED if statement.id in SUPPORTED else None,
        id=f"exp-{statement.id}",
        where="Section 7.3, the figure",
        non_vacuity=settings,
        runs="three runs of each curve, learning rates tuned for each method by one rule",
        judged="runs of full length",
        note="The paper gives neither λ nor what is held equal; both λ = 0 and λ = 1, equal rounds and equal CPU "
        "seconds are judged.",
    )
    for statement in SECTION_7
]
