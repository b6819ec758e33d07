"""What was found, as tables for the terminal and as the page of the book."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from fedmm_edu.studies.dictionary.reproduce import FIGURES, Plan, Reproduction
from fedmm_edu.studies.dictionary.section import Section
from fedmm_edu.studies.dictionary.statements import SETTING, Judged
from fedmm_edu.text.tables import table, terminal_width

CHOICES = (
    "Each sentence has a criterion that was written down, in code, before a run with these settings was seen. The runs "
    "of the paper cannot be repeated: neither code nor seeds nor T_max nor the chosen β are given, and its figures are "
    "blank in the source. So “not reproduced” means that these runs do not show it, no more. The same sentences are "
    "the rows `exp-…` of the ledger, judged from the same curves. What the paper leaves open was chosen as follows, "
    "unless a difference is stated; each choice is an option.",
    "",
    "- `--p`: the synthetic data have p = 20 coordinates (K = 15); θ⋆, data and clusters are the same in all runs.",
    "- `--choose`: the 500 movies with most ratings, and the 5000 users with most ratings of these; no rating is a 0.",
    "- `--start`: θ with N(0, 1) entries, another one in each run. FedMM starts at Ŝ₀ = 𝒯(θ), the naive algorithm at "
    "T(Ŝ₀), so that all curves begin in one point.",
    "- `--variates`: the control variates start at zero in both figures.",
    "- `--rounds`, `--real-rounds`: T_max, which the paper does not state.",
    "- `--betas`, `--tuning`: for each algorithm and data set the β with the least final objective in runs with "
    "seeds of their own.",
    "- Updates are recorded at rounds 1, 2, 5, and then evenly spaced; bits are those that clients send.",
)


def as_text(found: Reproduction) -> str:
    """Verdicts, with the numbers that decide them, and the chosen step sizes."""
    rows = [(j.statement.says, j.verdict, "\n".join(_lines(j))) for j in found.judged]
    head = f"{FIGURES[found.figure]}: {found.plan.seeds} runs of each curve"
    body = table(("Section 6 says", "verdict", "measured"), rows, columns=terminal_width(), shares=(36, 14, 50))
    betas = "; ".join(
        f"{data}: " + ", ".join(f"{name} {beta:g}" for name, beta in arms.items()) for data, arms in found.betas.items()
    )
    return f"{head}\n\n{body}\n\nchosen β — {betas}"


def as_page(done: Sequence[Reproduction], sections: Sequence[Section], figures: Path, page: Path) -> str:
    """The page in MyST Markdown; `figures`, `page`: folders."""
    plan, where = done[0].plan, Path(os.path.relpath(figures, page)).as_posix()
    default, given = asdict(Plan()), asdict(plan)
    differs = [f"{name} = {given[name]} (full: {default[name]})" for name in given if given[name] != default[name]]
    left = [name for name in FIGURES if name not in {found.figure for found in done}]
    partial = [*differs, *(f"without {name}" for name in left)]
    real = "" if plan.real == "movielens" else f" ({plan.real}: the files of MovieLens were not named)"
    parts = [
        "# Dictionary learning: Section 6, repeated",
        "",
        f"Made by `fedmm reproduce --page`; do not edit. {plan.seeds} runs of each curve, {plan.rounds} rounds on "
        f"synthetic data, {plan.real_rounds} on real data{real}. " + CHOICES[0],
        *CHOICES[1:],
    ]
    if partial:
        parts += ["", f"**Not the full run:** {', '.join(partial)}. A call without these options goes on from here."]
    for found in done:
        parts += _figure(found, where)
    for section in sections:
        parts += ["", f"## {section.title}", "", section.about]
        parts += ["", f"![{section.caption}]({where}/{section.name}.png)"] if section.draw else []
        parts += ["", *section.found] if section.found else []
    return "\n".join(parts) + "\n"


def _figure(found: Reproduction, where: str) -> list[str]:
    name, title = found.figure, FIGURES[found.figure]
    parts = ["", f"## {title}", "", f"![{title}, over rounds]({where}/{name}.png)", ""]
    parts += ["Mean and one standard deviation over the runs. The same against megabytes sent by the clients:", ""]
    parts += [f"![{title}, over megabytes]({where}/{name}_bits.png)", ""]
    parts += ["| Section 6 says | criterion | measured | verdict |", "|---|---|---|---|"]
    for j in found.judged:
        sentence = f"{j.statement.says} ({j.statement.line}, `{j.statement.id}`)"
        cells = (sentence, j.statement.criterion, "<br>".join(_lines(j)) or "–")
        parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + f" | **{j.verdict}** |")
    return [*parts, "", *_step_sizes(found)]


def _lines(j: Judged) -> list[str]:
    return [f"{SETTING[name]}: {'yes' if f.holds else 'no'} ({f.evidence})" for name, f in j.findings.items()]


def _step_sizes(found: Reproduction) -> list[str]:
    lines = ["| data | algorithm | chosen β | final objective in tuning, by β |", "|---|---|---|---|"]
    for data, arms in found.tuned.items():
        for name, ends in arms.items():
            tried = ", ".join(f"{beta:g}: {value:.4g}" for beta, value in ends.items()) or "–"
            lines.append(f"| {SETTING.get(data, data)} | {name} | {found.betas[data][name]:g} | {tried} |")
    return lines
