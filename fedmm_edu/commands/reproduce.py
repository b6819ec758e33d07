"""`fedmm reproduce`: the figures of Section 6, with their runs, their manifest and the judgement of the text."""

from __future__ import annotations

import argparse
import json
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fedmm_edu.errors import InvalidInput

if TYPE_CHECKING:
    from fedmm_edu.experiments.dictionary import Plan, Reproduction

DESCRIPTION = """\
Repeat the dictionary-learning experiments of Section 6: fig1, the impact of the aggregation space, and fig2, that of
control variates. Draws each figure over rounds and over bits, judges each sentence about it by a criterion, and
writes a manifest. Finished runs are kept: an interrupted command goes on where it was, with identical numbers.
"""
EXAMPLES = """\
examples:
  fedmm reproduce --quick
  fedmm reproduce fig1 --data-dir ~/ml-1m --jobs 2
  fedmm reproduce fig1 --real digits --betas 0.01,0.05,0.5 --out results/larger-steps
"""
HELPS = {
    "seeds": "number of runs of each curve",
    "rounds": "T_max on the synthetic data",
    "real_rounds": "T_max on the real data",
    "tuning": "runs of each β when it is chosen",
    "p": "dimension of the synthetic data",
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
        "figures", nargs="*", metavar="NAME", help="fig1, fig2, ablation or effects (default: both figures)"
    )
    parser.add_argument("--quick", action="store_true", help="2 seeds and few rounds: under 2 minutes")
    for name, text in HELPS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, help=text)
    for name, (values, text) in CHOICES.items():
        parser.add_argument(f"--{name}", choices=values, help=text)
    parser.add_argument("--betas", help="the values of β to choose from, with commas (default: 0.001,0.005,0.02,0.05)")
    parser.add_argument(
        "--real", choices=("movielens", "patches", "digits"),
        help="the real data (default: movielens where its files are named, else patches)",
    )  # fmt: skip
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="folder of ml-1m (default: $FEDMM_DATA)")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per processor)")
    parser.add_argument("--out", type=Path, default=Path("results/dictionary"), help="folder of figures and manifests")
    parser.add_argument("--cache", type=Path, help="folder of finished runs (default: runs/ in that of the figures)")
    parser.add_argument("--page", type=Path, metavar="FILE.md", help="also write the page on results")


def run(args: argparse.Namespace) -> int:
    """Run what is missing, draw, write, print; 0 whatever the verdicts: they are findings, not failures."""
    from fedmm_edu.experiments.dictionary import FIGURES, Pool, ablation, effects, reproduce
    from fedmm_edu.experiments.dictionary.page import as_page, as_text
    from fedmm_edu.figures import save_png
    from fedmm_edu.figures.dictionary import draw_effects
    from fedmm_edu.files import write_text

    wanted = args.figures or list(FIGURES)
    for name in wanted:
        if name not in (*FIGURES, "ablation", "effects"):
            raise InvalidInput(f"there is no figure {name!r}: choose one of {', '.join(FIGURES)}, ablation, effects.")
    if args.page and not set(FIGURES) & set(wanted):
        raise InvalidInput("--page describes figures: name fig1, fig2 or both.")
    folder = None if args.data_dir is None else str(args.data_dir)
    plan = make_plan(args, folder)
    with Pool(args.cache or args.out / "runs", jobs=args.jobs or _processors(), folder=folder) as pool:
        done = [reproduce(name, plan, pool) for name in FIGURES if name in wanted]
        others = ablation(plan, pool) if "ablation" in wanted else {}
        beyond = effects(plan, pool) if "effects" in wanted else []
    for found in done:
        _write(found, args.out)
        print(as_text(found))
        print(f"wrote {found.figure}.png, {found.figure}_bits.png and {found.figure}.json to {args.out}")
    if others:
        manifests = {name: found.manifest() for name, found in others.items()}
        write_text(args.out / "ablation.json", json.dumps(manifests, indent=1, ensure_ascii=False) + "\n")
        print(f"wrote ablation.json to {args.out}")
    if beyond:
        save_png(draw_effects(beyond), args.out / "effects.png", dpi=100)
        numbers = {effect.factor: effect.plain() for effect in beyond}
        write_text(args.out / "effects.json", json.dumps(numbers, indent=1, ensure_ascii=False) + "\n")
        print(f"wrote effects.png and effects.json to {args.out}")
    if args.page:
        write_text(args.page, as_page(done, others, beyond, args.out, args.page.parent))
        print(f"wrote {args.page}")
    return 0


def _write(found: Reproduction, out: Path) -> None:
    """Both pictures of a figure, and its manifest."""
    from fedmm_edu.figures import save_png
    from fedmm_edu.figures.dictionary import draw_panels
    from fedmm_edu.files import write_text

    for against, suffix in (("t", ""), ("bits", "_bits")):
        save_png(draw_panels(found.curves, against=against), out / f"{found.figure}{suffix}.png", dpi=100)
    write_text(out / f"{found.figure}.json", json.dumps(found.manifest(), indent=1, ensure_ascii=False) + "\n")


def make_plan(args: argparse.Namespace, folder: str | None) -> Plan:
    """The plan that the options ask for; `--quick` gives way to what is named."""
    from fedmm_edu.datasets.movielens import find
    from fedmm_edu.experiments.dictionary import Plan

    plan = Plan().quick() if args.quick else Plan()
    given = {f.name: getattr(args, f.name) for f in fields(Plan) if getattr(args, f.name) is not None}
    if "betas" in given:
        given["betas"] = _numbers(args.betas)
    if "real" not in given and find(folder) is None:
        given["real"] = "patches"
    return replace(plan, **given)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as error:
        raise InvalidInput(f"--betas {text}: give numbers with commas between them, as in 0.001,0.05.") from error


def _processors() -> int:
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
