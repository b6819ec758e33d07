"""`fedmm reproduce`: the figures of the paper's experiments, with their runs, their manifest and their judgement."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from fedmm_edu.errors import InvalidInput
from fedmm_edu.studies import REPRODUCIBLE

DESCRIPTION = """\
Repeat the dictionary-learning experiments of Section 6: fig1, the impact of the aggregation space, and fig2, that of
control variates. Draws each figure over rounds and over bits, judges each sentence about it by a criterion, and
writes a manifest. Finished runs are kept: an interrupted command goes on where it was, with identical numbers.

Beyond them: ablation, what other choices would change; effects, of participation, bits, heterogeneity and the number of
clients; central, one machine instead; ratings, withheld ones of MovieLens; metric, the projection with B_t.

fig3 is the figure of Section 7, transport maps in 16, 32 and 64 dimensions (extra `transport`): on the W2 benchmark
where its files are named, else on a pair of ours. fig3-ablation: participation, local steps, server steps. fig3-long:
half an hour of one core for each dimension, beside what a centralised solver reaches. fig3-schedules: the same methods
with steps that fall over the rounds, tuned by one rule, at equal rounds, bytes and CPU time; half an hour of one core
for d = 16, nine to ten hours in all. fig3-hour: longer runs beside published scores, less than an hour each.

relatives: FedMM beside the named systems of `fedmm compare`, on six problems, by bits, gradients, rounds and time; a
quarter of an hour of one core.
"""
EXAMPLES = """\
examples:
  fedmm reproduce --quick
  fedmm reproduce fig1 --data-dir ~/ml-1m --jobs 2
  fedmm reproduce fig1 --real digits --betas 0.01,0.05,0.5 --out results/larger-steps
"""
DEFAULT = ("fig1", "fig2")

HELPS = {
    "seeds": "number of runs of each curve",
    "rounds": "T_max on the synthetic data; in fig3 and fig3-schedules",
    "real_rounds": "T_max on the real data",
    "tuning": "runs of each β when it is chosen",
    "p": "dimension of the synthetic data",
    "active": "clients active in a round, of 20",
    "data_seed": "seed of the data and of the clusters",
    "rows": "recorded rounds of a run, about",
}
CHOICES = {
    "split": (
        ("balanced", "half", "random"),
        "clients: equal clusters, half of each exchanged, or random parts",
    ),
    "choose": (("most", "random"), "which users and movies: those with most ratings, or at random"),
    "start": (("shared", "samples", "apart"), "the first dictionary (see the page on results)"),
    "variates": (("zero", "mean_field"), "V_0 of the control variates in the first figure"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `fedmm reproduce`; each default is that of `Plan`."""
    parser.add_argument(
        "figures", nargs="*", metavar="NAME", help=f"{', '.join(REPRODUCIBLE)} (default: {' and '.join(DEFAULT)})"
    )
    parser.add_argument("--quick", action="store_true", help="2 seeds and few rounds: under 2 minutes")
    for name, text in HELPS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, help=text)
    for name, (values, text) in CHOICES.items():
        parser.add_argument(f"--{name}", choices=values, help=text)
    parser.add_argument("--betas", help="the values of β to choose from, with commas (default: 0.001,0.005,0.02,0.05)")
    parser.add_argument(
        "--dimensions", help="those of fig3, with commas (default: 16,32,64; fig3-schedules: 2,4,8,16,32,64,128)"
    )
    parser.add_argument("--hours", help="those of fig3-hour, with commas (default: all, or those of --dimensions)")
    parser.add_argument("--schedules", help="of cosine, staircase, constant, with commas (default: cosine,constant)")
    parser.add_argument(
        "--real", choices=("movielens", "patches", "digits"),
        help="the real data (default: movielens where its files are named, else patches)",
    )  # fmt: skip
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="folder of ml-1m; for fig3, of the W2 benchmark")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per processor)")
    parser.add_argument("--out", type=Path, help="folder of figures and manifests (default: a folder in results/)")
    parser.add_argument("--cache", type=Path, help="folder of finished runs (default: runs/ in that of the figures)")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR",
        help="folder of schedules.json and runs.jsonl: what stands there of the same plan is not run again",
    )  # fmt: skip
    parser.add_argument("--page", type=Path, metavar="FILE.md", help="also write the page on results")
    parser.add_argument("--record", type=Path, metavar="FILE.json", help="also write the curves of fig1 and fig2")


def run(args: argparse.Namespace) -> int:
    """Let each study make what is wanted of it; 0 whatever the verdicts: they are findings, not failures."""
    wanted = args.figures or DEFAULT
    for name in wanted:
        if name not in REPRODUCIBLE:
            raise InvalidInput(f"there is no figure {name!r}: choose one of {', '.join(REPRODUCIBLE)}.")
    for module in dict.fromkeys(module for name, module in REPRODUCIBLE.items() if name in wanted):
        names = [name for name, where in REPRODUCIBLE.items() if where == module and name in wanted]
        import_module(module).STUDY.reproduce(names, args)
    return 0
