"""What `fedmm reproduce` makes of Section 7: the figure, what changes it, and long runs."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from fedmm_edu.studies.study import Block, Part, Study, differences, given, listed, opening
from fedmm_edu.studies.transport import ablation, long
from fedmm_edu.studies.transport.figure import TransportPlan, make_figure3
from fedmm_edu.transport import data_folder, one_thread

CHOICES = (
    "Each sentence has a criterion that was written down, in code, before a run with these settings was seen. What the "
    "paper leaves open was chosen as follows:",
    """\
- Sign and extremum: ω descends W_i, θ descends −l + λR, as in the benchmark's public solvers; the joint minimum \
as printed has no lower bound (rows `ot-two-networks` and `ot-regulariser` of the ledger). The paper does not say \
λ: 0 and 1 are both shown.
- `--rounds`: the horizon. It sets the CPU budget; FedAdam, whose round costs less, runs twice as many rounds, to \
be compared at equal CPU seconds, too. CPU seconds are those of one thread, scoring not counted.
- Learning rates: for each method, λ and dimension by one rule. On the grid 10^(k/3), go to the best \
neighbour (one rate one step up or down) until none is better; a setting is as good as the UVP at the end of a \
third of the rounds, with samples, clusters, networks, draws and test points of a seed of its own.
- FedAdam has the benchmark's Adam (β = 0.9, 0.999; τ = 1e-8; bias correction). Adam on H (“adaptive server”) \
has the same, so that the two differ in what is aggregated, and FedMM-OT itself in the step, too.
- 10,000 samples of P, cut into 10 clients by balanced k-means; 20,000 public samples of Q; batches of 128; \
networks pretrained to the identity; all methods share data, start and draws in each seed. Test points are those \
of nobody.
- A run whose network died (all hidden weights clamped) or diverged counts as infinite from then on.""",
)


@dataclass(frozen=True)
class Asked:
    """The plan of the figure, and how many rounds the long runs have at most."""

    plan: TransportPlan
    long_rounds: int | None


def page(asked: Asked, parts: Sequence[Part]) -> list[Block]:
    """What comes out, what was not expected, each part, and how it was done."""
    plan = asked.plan
    pair = "the continuous W2 benchmark" if plan.base.pair == "benchmark" else (
        "the log-sum-exp pair of the same dimensions (the files of the benchmark were not named)"
    )  # fmt: skip
    partial = differences(plan, TransportPlan(), but=("base",))
    notes = [f"**Not the full run:** {', '.join(partial)}."] if partial else []
    title, made = "Federated optimal transport: Section 7, measured", "fedmm reproduce fig3 --page"
    return [
        *opening(title, made, parts, "Section 7", notes),
        *(block for part in parts for block in part.page),
        "## How it was done",
        f"`fedmm reproduce fig3`, on {pair}; {plan.seeds} runs of each curve, {plan.rounds} rounds. {CHOICES[0]}",
        CHOICES[1],
        "What steps that fall over the rounds change, and how near the published centralised scores they come: [the "
        "page on schedules](transport_schedules.md).",
    ]


def asked_of(args: Namespace) -> Asked:
    """What the options ask for. Without the benchmark's files: the log-sum-exp pair, as is said."""
    plan, named = TransportPlan(), given(TransportPlan, args)
    if "dimensions" in named:
        named["dimensions"] = listed("--dimensions", args.dimensions, int, "16,32")
    if "rounds" in named:
        named["tuning_rounds"] = max(1, named["rounds"] // 3)
    if not args.quick and args.data_dir is None and not (os.environ.get("FEDMM_DATA") and data_folder().is_dir()):
        print("the files of the W2 benchmark are not named (FEDMM_DATA, --data-dir): the log-sum-exp pair instead")
        plan = replace(plan, base=replace(plan.base, pair="log-sum-exp"))
    plan = replace(plan.quick() if args.quick else plan, **named)
    return Asked(plan, plan.rounds if args.quick else args.rounds)


STUDY = Study(
    out=Path("results/transport"),
    plan=asked_of,
    parts={
        "fig3": lambda asked, pool: make_figure3(asked.plan, pool).part(),
        "fig3-ablation": lambda asked, pool: ablation.results(asked.plan, pool),
        "fig3-long": lambda asked, pool: long.results(asked.plan, pool, asked.long_rounds),
    },
    figures=("fig3",),
    page=page,
    recorded=lambda asked: {"plan": asdict(asked.plan)},
    within=one_thread,
    alone=True,
)
