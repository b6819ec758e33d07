"""What Section 7 says about its figure, judged anew from recorded runs of this project.

`runs.jsonl` beside this file holds the curves of three runs of each method, λ and dimension, as `fedmm
reproduce fig3 --record` wrote them. Each check applies the criterion of the statement to these numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from fedmm_edu.proofs.verdict import Step, Verdict, Witness, refuted, supported, undecided
from fedmm_edu.studies.record import Recorded
from fedmm_edu.studies.transport.record import read_scores
from fedmm_edu.studies.transport.statements import AXES, Panel, judge_scores
from proofs_checks.shared.tools import instance

FILE = Path(__file__).with_name("runs.jsonl")
NOT_REPEATABLE = Step(
    "the runs of the paper cannot be repeated",
    "code, λ, learning rates, rounds and sample sizes are not given, and the figure is missing from its source",
)


@cache
def recorded() -> Recorded[Mapping[int, Panel]]:
    """The runs."""
    return read_scores(FILE.read_text(encoding="utf-8"))


def outperforms(
    statement: Literal["ot-better", "ot-better-best", "ot-faster"],
    ours: str = "FedMM-OT",
    theirs: str = "FedAdam",
    of: Literal["Section 7", "these runs"] = "Section 7",
) -> Verdict:
    """The statement about `ours` and `theirs` by its criterion, for each dimension and λ, at equal rounds and seconds.

    of: "Section 7", what the paper reports of its own runs, which ours can support and not refute; "these runs", where
    a setting in which the criterion fails is a counterexample.
    """
    panels = {
        d: {lam: {"ours": arms[ours], "FedAdam": arms[theirs]} for lam, arms in panel.items()}
        for d, panel in recorded().panels.items()
    }
    findings = next(j for j in judge_scores(panels, "ours") if j.statement.id == statement).findings
    steps = [
        Step(f"λ = {at}, equal {AXES[along]}, d = {d}: {'yes' if f.holds else 'no'}", f.evidence)
        for (at, along, d), f in findings.items()
    ]
    failed = [(key, f) for key, f in findings.items() if not f.holds]
    if not failed:
        return supported("recorded runs", *steps, NOT_REPEATABLE)
    if of == "Section 7":
        return undecided("recorded runs", *steps, NOT_REPEATABLE)
    (at, along, d), wrong = failed[0]
    point = {"d": d, "λ": at, "compared at equal": AXES[along], "runs": "3, seeds 0 to 2"}
    return refuted("recorded runs", Witness(point, f"the criterion fails: {wrong.evidence}"), *steps)


def settings() -> Witness:
    """The recorded runs have the settings that Section 7 states."""
    plan, panels = recorded().about, recorded().panels
    sizes = {of.uvp.shape[0] for panel in panels.values() for arms in panel.values() for of in arms.values()}
    return instance(
        {"dimensions": ", ".join(map(str, panels)), "rounds": plan["rounds"], "λ": ", ".join(map(str, plan["lams"]))},
        f"runs of each curve: {sizes.pop() if len(sizes) == 1 else sorted(sizes)}",
        {
            "d = 16, 32, 64": list(panels) == [16, 32, 64],
            "the W2 benchmark": plan["base"]["pair"] == "benchmark",
            "10 clients": plan["base"]["clients"] == 10,
            "three runs of each curve": plan["seeds"] == 3,
        },
    )
