"""What `fedmm reproduce` makes of Section 6: the two figures, and what goes beyond them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fedmm_edu.datasets.movielens import find
from fedmm_edu.studies.dictionary import ablation, central, effects, metric, ratings
from fedmm_edu.studies.dictionary.figures import TITLES, DictionaryPlan, make_figure
from fedmm_edu.studies.study import Block, Part, Study, differences, given, listed, opening

CHOICES = (
    "Each sentence has a criterion that was written down, in code, before a run with these settings was seen. The runs "
    "of the paper cannot be repeated: neither code nor seeds nor T_max nor the chosen β are given, and its figures are "
    "blank in the source. So “not reproduced” means that these runs do not show it, no more. The same sentences are "
    "the rows `exp-…` of the ledger, judged from the same curves. What the paper leaves open was chosen as follows, "
    "unless a difference is stated; each choice is an option.",
    """\
- `--p`: the synthetic data have p = 20 coordinates (K = 15); θ⋆, data and clusters are the same in all runs.
- `--choose`: the 500 movies with most ratings, and the 5000 users with most ratings of these; no rating is a 0.
- `--start`: θ with N(0, 1) entries, another one in each run. FedMM starts at Ŝ₀ = 𝒯(θ), the naive algorithm at \
T(Ŝ₀), so that all curves begin in one point.
- `--variates`: the control variates start at zero in both figures.
- `--rounds`, `--real-rounds`: T_max, which the paper does not state.
- `--betas`, `--tuning`: for each algorithm and data set the β with the least final objective in runs with \
seeds of their own.
- Updates are recorded at rounds 1, 2, 5, and then evenly spaced; bits are those that clients send.""",
)


def page(plan: DictionaryPlan, parts: Sequence[Part]) -> list[Block]:
    """What comes out, what was not expected, each part, and how it was done."""
    left = [f"without {name}" for name in TITLES if name not in [part.name for part in parts]]
    partial = [*differences(plan, DictionaryPlan()), *left]
    real = "" if plan.real == "movielens" else f" ({plan.real}: the files of MovieLens were not named)"
    notes = [f"**Not the full run:** {', '.join(partial)}. A call without these options goes on from here."]
    title, made = "Dictionary learning: Section 6, repeated", "fedmm reproduce --page"
    return [
        *opening(title, made, parts, "Section 6", notes if partial else ()),
        *(block for part in parts for block in part.page),
        "## How it was done",
        f"`fedmm reproduce`: {plan.seeds} runs of each curve, {plan.rounds} rounds on "
        f"synthetic data, {plan.real_rounds} on real data{real}. {CHOICES[0]}",
        CHOICES[1],
    ]


def plan_of(args: Namespace) -> DictionaryPlan:
    """The plan that the options ask for; `--quick` gives way to what is named."""
    named = given(DictionaryPlan, args)
    if "betas" in named:
        named["betas"] = listed("--betas", args.betas, float, "0.001,0.05")
    if "real" not in named and find(args.data_dir) is None:
        named["real"] = "patches"
    return replace(DictionaryPlan().quick() if args.quick else DictionaryPlan(), **named)


STUDY = Study(
    out=Path("results/dictionary"),
    plan=plan_of,
    parts={
        "fig1": lambda plan, pool: make_figure("fig1", plan, pool).part(),
        "fig2": lambda plan, pool: make_figure("fig2", plan, pool).part(),
        "ablation": ablation.results,
        "effects": effects.results,
        "central": central.results,
        "ratings": ratings.results,
        "metric": metric.results,
    },
    figures=tuple(TITLES),
    page=page,
)
