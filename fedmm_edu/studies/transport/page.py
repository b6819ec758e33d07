"""What was found, as tables for the terminal and as the page of the book."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from fedmm_edu.studies.judging import Finding
from fedmm_edu.studies.transport.ablation import CLIENT_RATE, ROUNDS
from fedmm_edu.studies.transport.fig3 import Figure3, Plan
from fedmm_edu.studies.transport.long import Long
from fedmm_edu.studies.transport.setting import METHODS
from fedmm_edu.studies.transport.statements import AXES, Curves, Judged
from fedmm_edu.studies.transport.tuning import describe
from fedmm_edu.text.tables import table, terminal_width

CHOICES = (
    "Each sentence has a criterion that was written down, in code, before a run with these settings was seen. What the "
    "paper leaves open was chosen as follows:",
    "",
    "- Sign and extremum: ω descends W_i, θ descends −l + λR, as in the benchmark's public solvers; the joint minimum "
    "as printed has no lower bound (rows `ot-two-networks` and `ot-regulariser` of the ledger). The paper does not say "
    "λ: 0 and 1 are both shown.",
    "- `--rounds`: the horizon. It sets the CPU budget; FedAdam, whose round costs less, runs twice as many rounds, to "
    "be compared at equal CPU seconds, too. CPU seconds are those of one thread, scoring not counted.",
    "- Learning rates: for each method, λ and dimension by one rule. On the grid 10^(k/3), go to the best "
    "neighbour (one rate one step up or down) until none is better; a setting is as good as the UVP at the end of a "
    "third of the rounds, with samples, clusters, networks, draws and test points of a seed of its own.",
    "- FedAdam has the benchmark's Adam (β = 0.9, 0.999; τ = 1e-8; bias correction). Adam on H (“adaptive server”) "
    "has the same, so that the two differ in what is aggregated, and FedMM-OT itself in the step, too.",
    "- 10,000 samples of P, cut into 10 clients by balanced k-means; 20,000 public samples of Q; batches of 128; "
    "networks pretrained to the identity; all methods share data, start and draws in each seed. Test points are those "
    "of nobody.",
    "- A run whose network died (all hidden weights clamped) or diverged counts as infinite from then on.",
)


def as_text(found: Figure3) -> str:
    """Verdicts, and the numbers that decide them."""
    rows = [
        (j.statement.says, j.ours, j.verdict, "\n".join(f"{_key(key)}: {_cell(f)}" for key, f in j.findings.items()))
        for j in found.judged
    ]
    return table(
        ("Section 7 says", "of", "verdict", "measured"), rows, columns=terminal_width(), shares=(30, 15, 15, 60)
    )


def as_page(
    found: Figure3, ablations: Mapping[str, Mapping[str, Curves]], far: Long | None, figures: Path, page: Path
) -> str:
    """The page in MyST Markdown; `ablations`: curves by factor and value, or nothing; `figures`, `page`: folders."""
    plan, where = found.plan, Path(os.path.relpath(figures, page)).as_posix()
    pair = "the continuous W2 benchmark" if plan.base.pair == "benchmark" else (
        "the log-sum-exp pair of the same dimensions (the files of the benchmark were not named)"
    )  # fmt: skip
    default, given = asdict(Plan()), asdict(plan)
    differs = [f"{k} = {given[k]} (full: {default[k]})" for k in given if k != "base" and given[k] != default[k]]
    parts = [
        "# Federated optimal transport: Section 7, measured",
        "",
        f"Made by `fedmm reproduce fig3 --page`; do not edit. On {pair}; {plan.seeds} runs of each curve, "
        f"{plan.rounds} rounds. {CHOICES[0]}",
        *CHOICES[1:],
    ]
    if differs:
        parts += ["", f"**Not the full run:** {', '.join(differs)}."]
    parts += ["", "## UVP over rounds, and over CPU seconds", "", f"![UVP over rounds]({where}/fig3.png)", ""]
    parts += ["Mean, least and largest of the runs. The same against CPU seconds:", ""]
    parts += [f"![UVP over CPU seconds]({where}/fig3_seconds.png)", "", *_scores(found), "", *_verdicts(found.judged)]
    parts += ["", *_rates(found)]
    if ablations:
        parts += ["", *_ablations(ablations, where)]
    if far:
        parts += ["", *_far(far, where)]
    return "\n".join(parts) + "\n"


def _scores(found: Figure3) -> list[str]:
    """Last and best values at the horizon, means over the seeds."""
    plan = found.plan
    lines = [
        f"UVP in %, mean over the runs, within {plan.rounds} rounds: last (best); CPU seconds; MB sent by clients."
    ]
    lines += ["", "| d | λ | " + " | ".join(METHODS) + " | identity | linear |", "|---" * (len(METHODS) + 4) + "|"]
    for d in plan.dimensions:
        for lam in plan.lams:
            cells = []
            for name in METHODS:
                rows = [(run.uvp[run.t <= plan.rounds], run) for run in found.runs[d, lam, name]]
                last, best = (np.mean([end(uvp) for uvp, _ in rows]) for end in (lambda u: u[-1], np.min))
                at = [int((run.t <= plan.rounds).sum()) - 1 for _, run in rows]
                seconds = np.mean([run.seconds[k] for (_, run), k in zip(rows, at, strict=True)])
                bits = np.mean([run.bits[k] for (_, run), k in zip(rows, at, strict=True)])
                cells.append(f"{last:.3g} ({best:.3g}); {seconds:.0f} s; {bits / 8e6:.3g} MB")
            ends = [f"{value:.3g}" for value in found.references[d].values()]
            lines.append("| " + " | ".join([str(d), f"{lam:g}", *cells, *ends]) + " |")
    return lines


def _verdicts(judged: Sequence[Judged]) -> list[str]:
    lines: list[str] = []
    for j in judged:
        s = j.statement
        of = "" if j.ours == "FedMM-OT" else f" — {j.ours} in its place"
        lines += [f"### {s.says} ({s.line}){of}: **{j.verdict}**", "", f"Criterion: {s.criterion}.", ""]
        dimensions = sorted({d for _, _, d in j.findings})
        lines += ["| λ | at equal | " + " | ".join(f"d = {d}" for d in dimensions) + " |"]
        lines += ["|---" * (len(dimensions) + 2) + "|"]
        for lam, axis in dict.fromkeys((lam, axis) for lam, axis, _ in j.findings):
            cells = [_cell(j.findings[lam, axis, d]) for d in dimensions]
            lines.append(f"| {lam} | {AXES[axis]} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines[:-1]


def _cell(finding: Finding) -> str:
    return f"{'yes' if finding.holds else 'no'} ({finding.evidence})"


def _key(key: tuple[str, str, int]) -> str:
    return f"λ = {key[0]}, equal {AXES[key[1]]}, d = {key[2]}"


def _rates(found: Figure3) -> list[str]:
    lines = [
        "## Learning rates",
        "",
        "| d | λ | method | chosen | UVP in tuning, of all that was tried |",
        "|---|---|---|---|---|",
    ]
    for (d, lam, name), of in found.tuned.items():
        tried = "; ".join(f"{describe(method)}: {value:.3g}" for method, value in of.tried)
        lines.append(f"| {d} | {lam:g} | {name} | {describe(of.method)} | {tried} |")
    return lines


def _far(far: Long, where: str) -> list[str]:
    return [
        "## Half an hour of one core",
        "",
        f"![UVP over CPU minutes]({where}/fig3_long.png)",
        "",
        "The published centralised solver MMv2 makes 50,001 rounds with 15 inner steps on batches of 1024 fresh "
        "samples, without a cycle term. Here FedMM-OT with an adaptive server has its rates (Adam, 1e-3, for both "
        "networks), λ = 1, 10 clients with 5000 samples each, 100,000 public ones, and half an hour of one core; one "
        "seed. In each other run one thing is different, in some the number of rounds, too; the last column is what "
        "the first run of the dimension had at that round.",
        "",
        *far.table(),
    ]


def _ablations(ablations: Mapping[str, Mapping[str, Curves]], where: str) -> list[str]:
    lines = ["## Participation, local steps, server steps", "", f"![Ablations]({where}/fig3_ablation.png)", ""]
    lines += [
        f"FedMM-OT with an adaptive server on the log-sum-exp pair, d = 16, {ROUNDS} rounds or fewer, one factor at a "
        f"time, with the rates of `fedmm run transport`, chosen for p = 1, K = 1, M = 10 (clients: {CLIENT_RATE:g}, "
        "which counts for K > 1 only). UVP in %, mean [least, largest] of the runs.",
        "",
        "| factor | value | last | best | CPU seconds |",
        "|---|---|---|---|---|",
    ]
    for factor, values in ablations.items():
        for value, of in values.items():
            last, best = of.uvp[:, -1], of.uvp.min(axis=1)
            ends = [f"{v.mean():.3g} [{v.min():.3g}, {v.max():.3g}]" for v in (last, best)]
            lines.append(f"| {factor} | {value} | {ends[0]} | {ends[1]} | {of.seconds[:, -1].mean():.1f} |")
    return lines
