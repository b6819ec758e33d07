"""What Section 6 says about its figures, judged anew from recorded runs of this project.

`runs.jsonl` beside this file holds the curves of ten runs of each algorithm on each data set, as `fedmm
reproduce --record` wrote them. Each check applies the criterion of the statement to these numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, refuted, supported, undecided
from fedmm_edu.studies.dictionary.criteria import Curves, Runs
from fedmm_edu.studies.dictionary.record import read_figures
from fedmm_edu.studies.dictionary.statements import SECTION_6, Panels, judge_figure
from fedmm_edu.studies.record import Recorded
from proofs_checks.shared.tools import instance

FILE = Path(__file__).with_name("runs.jsonl")
NOT_REPEATABLE = Step(
    "the runs of the paper cannot be repeated",
    "neither code nor seeds nor T_max nor the tuned β are given, and the figures are blank in its source",
)


@cache
def recorded() -> dict[str, Recorded[Panels]]:
    """Both figures."""
    return read_figures(FILE.read_text(encoding="utf-8"))


def backwards(runs: Runs) -> dict[str, Curves]:
    """The last round first (the start has no updates, and keeps its place)."""
    return {name: _moved(curves, lambda rows: np.concatenate([rows[:, :1], rows[:, :0:-1]], axis=1))
            for name, curves in runs.items()}  # fmt: skip


def late(runs: Runs) -> dict[str, Curves]:
    """The second algorithm three records late."""
    first, second = runs
    delayed = _moved(runs[second], lambda rows: np.concatenate([rows[:, :4], rows[:, 1:-3]], axis=1))
    return {first: runs[first], second: delayed}


def _moved(curves: Curves, change: Callable[[Array], Array]) -> Curves:
    """The three metrics after a change of their rows, shape (seeds, rounds)."""
    metrics = ("objective", "parameter", "surrogate")
    return replace(curves, **{name: change(getattr(curves, name)) for name in metrics})


Change = Literal["none", "rounds backwards", "one algorithm three records late"]
Of = Literal["Section 6", "these runs"]
StatementId = Literal[
    "objective-monotone", "naive-diverges", "objective-better", "parameter-decays", "parameter-faster",
    "parameter-overtaken", "surrogate-decays", "surrogate-naive-diverges", "surrogate-naive-unstable",
    "naive-both-ways", "cv-objective", "cv-cancel", "cv-lower",
]  # fmt: skip
CHANGES: Mapping[Change, Callable[[Runs], Runs]] = {
    "none": lambda runs: runs,
    "rounds backwards": backwards,
    "one algorithm three records late": late,
}


def reported(statement: StatementId, of: Of = "Section 6", change: Change = "none") -> Verdict:
    """The statement by its criterion on the recorded curves, perhaps changed, in all data sets that it names.

    of: "Section 6", what the paper reports of its own runs, which ours can support and not refute; "these runs", where
    a data set in which the criterion fails is a counterexample.
    """
    found = next(s for s in SECTION_6 if s.id == statement)
    panels = {data: CHANGES[change](runs) for data, runs in recorded()[found.figure].panels.items()}
    judged = next(j for j in judge_figure(panels, found.figure) if j.statement is found)
    steps = [Step(f"{data}: {'yes' if f.holds else 'no'}", f.evidence) for data, f in judged.findings.items()]
    steps.append(_what_was_run(recorded()[found.figure]))
    if judged.verdict == "reproduced":
        return supported("recorded runs", *steps, NOT_REPEATABLE)
    failed = [(data, f) for data, f in judged.findings.items() if not f.holds]
    if of == "Section 6" or not failed:
        return undecided("recorded runs", *steps, NOT_REPEATABLE)
    data, wrong = failed[0]
    point = {"data": data, "runs": "10, seeds 0 to 9", "curves": change if change != "none" else "as recorded"}
    return refuted("recorded runs", Witness(point, f"the criterion fails: {wrong.evidence}"), *steps)


def _what_was_run(figure: Recorded[Panels]) -> Step:
    """How many rounds were recorded, and where the tuned β lies in the paper's range."""
    plan = figure.about["plan"]
    points = sorted({curves.objective.shape[1] for arms in figure.panels.values() for curves in arms.values()})
    betas = sorted({beta for arms in figure.about["beta"].values() for beta in arms.values()})
    shown = f"{' or '.join(map(str, points))} recorded rounds of {plan['rounds']} ({plan['real_rounds']} on real data)"
    at_end = ": the end of the paper's range [0.001, 0.05]" if set(betas) <= {0.001, 0.05} else ""
    tuned = f"every tuned β is {', '.join(map(str, betas))}{at_end}"
    return Step(f"seen at {shown}", f"between them nothing is recorded; {tuned}")


def settings() -> Witness:
    """The recorded runs have the settings that Section 6 states."""
    plans = {figure: found.about["plan"] for figure, found in recorded().items()}
    chosen = [beta for found in recorded().values() for arms in found.about["beta"].values()
              for beta in arms.values()]  # fmt: skip
    sizes = {curves.objective.shape[0] for found in recorded().values() for arms in found.panels.values()
             for curves in arms.values()}  # fmt: skip
    return instance(
        {"figures": ", ".join(plans), "T_max": f"{plans['fig1']['rounds']}, real data {plans['fig1']['real_rounds']}"},
        f"runs of each curve: {sizes.pop() if len(sizes) == 1 else sorted(sizes)}",
        {
            "both figures": set(plans) == {"fig1", "fig2"},
            "ten runs of each curve": all(plan["seeds"] == 10 for plan in plans.values()),
            "10 of 20 clients active, balanced clusters": all(
                plan["active"] == 10 and plan["split"] == "balanced" for plan in plans.values()
            ),
            "MovieLens 1M": all(plan["real"] == "movielens" for plan in plans.values()),
            "each β in [0.001, 0.05]": all(0.001 <= beta <= 0.05 for beta in chosen),
        },
    )
