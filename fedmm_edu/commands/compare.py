"""`fedmm compare`: FedMM beside its relatives on a problem that is built in, or on a person's own."""

from __future__ import annotations

import argparse
from pathlib import Path

from fedmm_edu.commands.constants import setting
from fedmm_edu.errors import InvalidInput

DESCRIPTION = """\
Run FedMM beside its relatives (FedAvg, SCAFFOLD, DIANA, ProxSkip, EF21, …) on one problem: what each accuracy costs in
kilobytes, gradients, rounds and seconds of the server, who never gets there and why, and which setting won. Each is
tuned over the same lists, on seeds that are not reported.

The problem is one of quadratic:l1, quadratic:ridge, quadratic:ill, logistic, mixture, mixture:personal, dictionary,
movielens (where FEDMM_DATA names its folder); or FILE.py, which is executed and defines a
`fedmm_edu.Model`, with a CSV file that has a column for each symbol of z and one that says whose row it is.
Interrupted, it goes on from the runs that it has finished. Pictures and numbers are written into --out.
"""
EXAMPLES = """\
examples:
  fedmm compare quadratic:l1
  fedmm compare logistic --active 5 --names fedmm,scaffold,diana,ef21
  fedmm compare my_model.py data.csv --client hospital --set lambda=1/10
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `fedmm compare`."""
    add = parser.add_argument
    add("problem", metavar="PROBLEM | FILE.py[:MODEL]", help="what to minimise")
    add("data", nargs="?", type=Path, metavar="DATA.csv", help="the samples, for FILE.py")
    add("--client", default="client", metavar="COLUMN", help="the column that says whose row it is (default client)")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="a constant of the model")
    add("--start", help="θ_0, comma-separated (default: the point of Θ nearest to 0)")
    add("--equal", action="store_true", help="clients of equal weight, not by their numbers of samples")
    add("--names", help="the relatives to compare, comma-separated (default: all that run on the problem)")
    add("--active", type=int, default=0, help="clients a round (default: all)")
    add(
        "--accuracy", default="1e-1,1e-2,1e-3,1e-4", help="shares of W_0 − min W, comma-separated (default %(default)s)"
    )
    add("--by", default="both", help="choose settings by: both (kb both ways, default), up, gradients, rounds, server")
    add("--rounds", type=int, default=400, help="at most so many rounds a run (default %(default)s)")
    add("--passes", type=int, default=800, help="at most so many passes over each client's data (default %(default)s)")
    add("--seeds", type=int, default=3, help="runs that are reported (default %(default)s)")
    add("--settings", type=int, default=8, help="at most so many settings of each (default %(default)s)")
    add("--seed", type=int, default=0, help="the first seed of the tuning; the next ones are reported (default 0)")
    add("--tuning", type=int, default=2, metavar="SEEDS", help="seeds of the tuning (default %(default)s)")
    add("--jobs", type=int, help="processes (default: the processors)")
    add("--out", type=Path, help="folder of pictures, numbers and runs (default results/compare/PROBLEM)")


def run(args: argparse.Namespace) -> int:
    """Compare, print, write; 0."""
    from threadpoolctl import threadpool_limits

    from fedmm_edu.studies.relatives import OUT, ComparePlan, Given, compare_relatives
    from fedmm_edu.studies.relatives.report import compared
    from fedmm_edu.studies.study import listed, processors
    from fedmm_edu.studies.tasks import Pool
    from fedmm_edu.text.tables import terminal_width

    start = () if args.start is None else listed("--start", args.start, float, "--start 0.5,1")
    constants = {name: _value(name, text) for name, text in map(setting, args.set)}
    given = {"client": args.client, "constants": constants, "start": start, "equal": args.equal}
    source = Given.of(args.problem, data=args.data, **given)
    plan = ComparePlan(
        tuple(sorted(listed("--accuracy", args.accuracy, float, "--accuracy 1e-2,1e-4"), reverse=True)),
        args.active, args.rounds, args.passes, args.seeds, args.settings, args.seed, args.tuning, args.by,
        tuple(args.names.split(",")) if args.names else (),
    )  # fmt: skip
    out = args.out or OUT / Path(args.problem).name.replace(":", "-")
    with Pool(out / "runs", jobs=args.jobs or processors()) as pool, threadpool_limits(1):
        found = compare_relatives(source, plan, pool)
    compared(found, terminal_width()).show(out)
    return 0


def _value(name: str, text: str) -> float:
    """A number, or a fraction such as 1/3."""
    top, slash, bottom = text.partition("/")
    try:
        return float(top) / float(bottom) if slash else float(text)
    except (ValueError, ZeroDivisionError) as error:
        raise InvalidInput(f"--set {name}={text} is no number: write one such as 0.5 or 1/2.") from error
