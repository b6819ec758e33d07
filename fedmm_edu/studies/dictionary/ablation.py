"""Would another choice, where the paper leaves one open, change what is found? And which one would make it so?

One choice at a time, with fewer runs and the largest β of the range, which the tuning prefers. Some of the choices are
none that the paper leaves: they say what an observation hangs on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fedmm_edu.studies.dictionary.criteria import Runs
from fedmm_edu.studies.dictionary.figures import TITLES, DictionaryPlan, Figure, make_figure
from fedmm_edu.studies.dictionary.statements import ALL_DATA, SECTION_6, SETTING, SYNTHETIC
from fedmm_edu.studies.judging import Statement
from fedmm_edu.studies.study import Part, markdown_table
from fedmm_edu.studies.tasks import Pool

BASE = "as in the figure"


@dataclass(frozen=True)
class Variation:
    """What is changed in the plan for a figure on some data sets; `says` names it."""

    figure: str
    says: str
    changes: Mapping[str, Any]
    data: tuple[str, ...]


def variations(plan: DictionaryPlan) -> list[Variation]:
    """All of them; the first of each figure changes nothing. Without MovieLens, those on synthetic data."""
    shorter = {name: max(plan.rows, getattr(plan, name) // 4) for name in ("rounds", "real_rounds")}
    longer = {name: 4 * getattr(plan, name) for name in ("rounds", "real_rounds")}
    larger = {"betas": (0.5,)}
    found = [
        Variation("fig1", BASE, {}, ALL_DATA),
        Variation("fig1", "four times the rounds", longer, ALL_DATA),
        Variation("fig1", "a quarter of the rounds", shorter, ALL_DATA),
        Variation("fig1", "β = 0.5 (ten times the range)", larger, ALL_DATA),
        Variation("fig1", "the least β of the range", {"betas": (min(plan.betas),)}, SYNTHETIC),
        Variation("fig1", "p = 10", {"p": 10}, SYNTHETIC),
        Variation("fig1", "p = 50", {"p": 50}, SYNTHETIC),
        Variation("fig1", "other data", {"data_seed": plan.data_seed + 1}, SYNTHETIC),
        Variation("fig1", "parts at random", {"split": "random"}, SYNTHETIC),
        Variation("fig1", "start at samples", {"start": "samples"}, SYNTHETIC),
        Variation("fig1", "start apart", {"start": "apart"}, SYNTHETIC),
        Variation("fig1", "V₀ = h(Ŝ₀)", {"variates": "mean_field"}, SYNTHETIC),
        Variation("fig2", BASE, {}, ALL_DATA),
        Variation("fig2", "four times the rounds", longer, ("heterogeneous",)),
        Variation("fig2", "β = 0.5 (ten times the range)", larger, ("heterogeneous", "movielens")),
        Variation("fig2", "all clients active", {"active": 20}, ("homogeneous",)),
    ]
    kept = [replace(v, data=tuple(name for name in v.data if name in plan.data)) for v in found]
    return [v for v in kept if v.data]


def vary(plan: DictionaryPlan, pool: Pool) -> list[tuple[Variation, Figure]]:
    """Each variation, and what it gives."""
    base = replace(plan, seeds=len(plan.few), betas=(max(plan.betas),))
    return [(v, make_figure(v.figure, replace(base, **v.changes), pool, data=v.data)) for v in variations(plan)]


def results(plan: DictionaryPlan, pool: Pool) -> Part:
    """For each sentence whether it holds with each choice, and what those that fail hang on."""
    found = vary(plan, pool)
    about = (
        f"One choice changed at a time, {len(plan.few)} runs each, β = {max(plan.betas):g} where it is "
        "not said otherwise. Does the criterion hold on homogeneous / heterogeneous / MovieLens data? A dot: not run, "
        "or the sentence does not speak of these data."
    )
    says = "Sentences that fail somewhere, and with which of these choices they hold there:"
    tables = [_table(figure, [(v, r) for v, r in found if v.figure == figure]) for figure in TITLES]
    page = ("## Would another choice change this?", about, *tables, says, "\n".join(_reasons(found)))
    numbers = {figure: {v.says: r.manifest() for v, r in found if v.figure == figure} for figure in TITLES}
    return Part("ablation", page, numbers)


def _table(figure: str, found: Sequence[tuple[Variation, Figure]]) -> str:
    of = [s for s in SECTION_6 if s.figure == figure]
    rows = [[v.says, *(_cell(r, s) for s in of)] for v, r in found]
    return markdown_table([TITLES[figure], *(s.id for s in of)], rows)


def _cell(found: Figure, statement: Statement[Runs]) -> str:
    answers = [_holds(found, statement, name) for name in ALL_DATA]
    return " / ".join("·" if answer is None else "yes" if answer else "no" for answer in answers)


def _holds(found: Figure, statement: Statement[Runs], data: str) -> bool | None:
    """Whether the criterion holds there; None where it was not asked."""
    for judged in found.judged:
        if judged.statement is statement and data in judged.findings:
            return judged.findings[data].holds
    return None


def _reasons(found: Sequence[tuple[Variation, Figure]]) -> list[str]:
    """A line for each sentence and data set where it fails as in the figure."""
    lines = []
    for statement in SECTION_6:
        tried = [(v.says, r) for v, r in found if v.figure == statement.figure]
        for data in statement.settings:
            answers = {says: _holds(r, statement, data) for says, r in tried}
            if answers.get(BASE) is not False:
                continue
            yes = [says for says, holds in answers.items() if holds]
            no = [says for says, holds in answers.items() if holds is False and says != BASE]
            what = f"holds with {', '.join(yes)}" if yes else "holds with none"
            what += f"; not with {', '.join(no)}" if no else ""
            lines.append(f"- {statement.says} – {SETTING[data]}: {what}.")
    return lines
