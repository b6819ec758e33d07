"""`fedmm attack`: rebuild from the messages of a run what the nodes did not send."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fedmm_edu.errors import as_count

if TYPE_CHECKING:
    from fedmm_edu.studies.attack.listen import Rebuilt

DESCRIPTION = """\
Run a federation over nodes in this process, keep its messages, and rebuild from them alone what the nodes keep: the
control variates V_i, the statistics of each client, and the data of clients with one record. What is found is compared
with what is on the nodes.
"""
EXAMPLES = """\
examples:
  fedmm attack
  fedmm attack mixture --rounds 200
  fedmm attack secure --rounds 30           # the regression with a secure sum
  fedmm attack my_module:my_job --nodes 3 --out picture.png
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `fedmm attack`."""
    add = parser.add_argument
    add("job", nargs="?", default="regression", help="regression (default), mixture, secure, or module:function")
    add("--nodes", type=int, default=6, help="number of nodes (default 6)")
    add("--rounds", type=int, default=80, help="number of rounds that are heard (default 80)")
    add("--starts", type=int, default=4, help="where the search for a record starts, so many times (default 4)")
    add("--seed", type=int, default=0, help="of these starts")
    add("--out", type=Path, metavar="FILE", help="draw the errors of the records as PNG to this file")


def run(args: argparse.Namespace) -> int:
    """Listen, rebuild and tell."""
    from fedmm_edu.distributed.jobs import full_name, job_of
    from fedmm_edu.studies.attack.jobs import HEARD
    from fedmm_edu.studies.attack.listen import attack
    from fedmm_edu.text.tables import Progress

    for name in ("nodes", "rounds", "starts"):
        as_count(name, getattr(args, name))
    as_count("seed", args.seed, low=0)
    job = job_of(full_name(args.job, HEARD), args.nodes)
    bar = Progress(len(job.plan.clients), sys.stderr)
    found = attack(
        job, args.rounds, starts=args.starts, seed=args.seed, told=lambda client: bar.step(f"client {client}")
    )
    print(described(found))
    if args.out is not None:
        _draw(found, args.out)
        print(f"wrote {args.out}")
    return 0


def described(found: list[Rebuilt]) -> str:
    """A table of the clients, and what it says."""
    from fedmm_edu.text.tables import table, terminal_width

    head = (
        "client",
        "records",
        "messages heard",
        "error of V_i",
        "error of S̄_i",
        "error of the record",
        "records that fit",
    )
    rows = []
    for one in found:
        last = one.guesses[-1] if one.guesses else None
        error = f"{one.errors[-1]:.0e}" if last is not None and np.isfinite(one.errors[-1]) else "—"
        fit = 0 if last is None else len(last.z)
        rows.append((f"{one.client}", f"{one.records}", f"{one.heard[-1] if one.guesses else 0}", f"{one.V:.0e}",
                     f"{one.statistic:.0e}", error, f"{fit}"))  # fmt: skip
    exact = sum(one.V == 0.0 for one in found)
    alone = [one for one in found if one.records == 1]
    near = [float(one.errors[-1]) for one in alone if one.guesses and np.isfinite(one.errors[-1])]
    worst = f", the worst to {max(near):.0e}" if near else ""
    return "\n".join(
        [
            table(head, rows, columns=min(terminal_width(), 120), shares=(2, 2, 2, 2, 2, 2, 2)),
            f"V_i of {exact} of {len(found)} clients is rebuilt bit for bit;"
            f" the record of {len(near)} of the {len(alone)} clients that have one{worst}.",
        ]
    )


def _draw(found: list[Rebuilt], path: Path) -> None:
    from fedmm_edu.figures import save_png
    from fedmm_edu.figures.attack import draw_rebuilt
    from fedmm_edu.figures.style import panels

    figure, (ax,) = panels(1, width=5.6)
    shown = {f"client {one.client}": (one.heard, one.errors) for one in found if np.isfinite(one.errors).all()}
    draw_rebuilt(ax, {name: pair for name, pair in shown.items() if len(pair[0])})
    save_png(figure, path, dpi=100)
