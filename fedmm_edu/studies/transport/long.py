"""Half an hour of one core on the W2 benchmark: how near the published centralised solver it comes, what limits it.

FedMM-OT with an adaptive server and λ = 1 in each dimension, ten clients that hold 5000 samples each, with the rates of
that solver. Beside it λ = 0, which that solver has; and in 16 dimensions, in fewer rounds, what could matter, one
thing at a time: fewer samples, one machine in place of clients, what is aggregated (FedAdam).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from fedmm_edu.figures import stack
from fedmm_edu.figures.transport import draw_scores
from fedmm_edu.studies.record import rounded
from fedmm_edu.studies.study import Part, Picture, markdown_table, versions
from fedmm_edu.studies.tasks import Pool
from fedmm_edu.studies.transport.figure import TransportPlan
from fedmm_edu.studies.transport.runs import TransportRun, TransportTask
from fedmm_edu.studies.transport.setting import METHODS, OTMethod, federation_of
from fedmm_edu.transport import CENTRALISED

BETWEEN = {16: 888, 32: 711, 64: 344}
"""Rounds between two scores."""
SCORES = 45
"""Scores of a run. One core makes the rounds of each dimension in half an hour, about."""
RATE = 1e-3
"""That of Adam for both networks of MMv2."""
MAIN = "FedMM-OT, adaptive server"
Variation = tuple[OTMethod, Mapping[str, Any], int]
"""The method, what differs in its setting, and the scores that are taken."""


def variations(d: int, samples: int) -> dict[str, Variation]:
    """What runs in dimension d, by name; `samples` are those of the first run."""
    main = replace(METHODS[MAIN], lam=1.0, gamma=RATE, server_rate=RATE)
    found: dict[str, Variation] = {MAIN: (main, {}, SCORES), "λ = 0": (replace(main, lam=0.0), {}, SCORES)}
    if d == 16:
        found |= {
            "a tenth of the samples": (main, {"samples": samples // 10, "target": samples // 5}, 8),
            "one machine": (main, {"clients": 1, "batch": 1280}, 8),
            "FedAdam": (replace(METHODS["FedAdam"], gamma=RATE), {}, 8),
        }
    return found


@dataclass(frozen=True, eq=False)
class Long:
    """The runs of each dimension by name, and the scores of the maps that need the moments alone."""

    tasks: dict[tuple[int, str], TransportTask]
    runs: dict[tuple[int, str], TransportRun]
    references: dict[int, dict[str, float]]

    def centralised(self, d: int) -> dict[str, float]:
        """The published scores of solvers that hold all data; none for another pair."""
        on_it = any(task.setting.pair == "benchmark" for task in self.tasks.values())
        return {f"{name}, published": of[d] for name, of in CENTRALISED.items() if on_it and d in of}

    def table(self) -> str:
        """The ends; of a shorter run also what the first of its dimension had at that round."""
        header = ("d", "run", "rounds", "CPU minutes", "GB sent", "UVP in %, last (least)", "of the inverse",
                  "the first, then")  # fmt: skip
        rows = []
        for (d, name), run in self.runs.items():
            first = self.runs[d, MAIN]
            then = "" if name == MAIN else f"{np.interp(run.t[-1], first.t, first.uvp):.3g}"
            rows.append((d, name, run.t[-1], f"{run.seconds[-1] / 60:.1f}", f"{run.bits[-1] / 8e9:.3g}",
                         f"{run.uvp[-1]:.3g} ({run.best:.3g})", f"{run.inverse_uvp[-1]:.3g}", then))  # fmt: skip
        lines = [markdown_table(header, rows)]
        for d, of in self.references.items():
            lines += [f"| {d} | {name} | | | | {uvp:.3g} | | |" for name, uvp in (of | self.centralised(d)).items()]
        return "\n".join(lines)

    def manifest(self) -> dict[str, Any]:
        """Settings, curves and versions, as plain values; null for what is not finite."""
        runs = [
            {"d": d, "run": name, "task": asdict(self.tasks[d, name]), "status": run.status, "t": run.t.tolist(),
             **{column: [rounded(v) for v in getattr(run, column)] for column in ("seconds", "uvp", "inverse_uvp")}}
            for (d, name), run in self.runs.items()
        ]  # fmt: skip
        return {"runs": runs, "references": self.references, "versions": versions("fedmm-edu", "numpy", "torch")}

    def draw(self) -> Figure:
        """A panel for each dimension, against CPU minutes."""
        figure, axes = stack(len(self.references))
        for ax, (d, references) in zip(axes, self.references.items(), strict=True):
            curves = {name: (run.seconds / 60.0, run.uvp[None]) for (at, name), run in self.runs.items() if at == d}
            lines = references | self.centralised(d)
            draw_scores(ax, curves, lines, xlabel="CPU minutes, one core", legend=ax is axes[0])  # it has all runs
            ax.set_title(f"UVP in %, $d = {d}$", loc="left")
        return figure


ABOUT = """\
The published centralised solver MMv2 makes 50,001 rounds with 15 inner steps on batches of 1024 fresh samples, \
without a cycle term. Here FedMM-OT with an adaptive server has its rates (Adam, 1e-3, for both networks), λ = 1, \
10 clients with 5000 samples each, 100,000 public ones, and half an hour of one core; one seed. In each other run \
one thing is different, in some the number of rounds, too; the last column is what the first run of the dimension \
had at that round."""


def results(plan: TransportPlan, pool: Pool, rounds: int | None) -> Part:
    """The runs; an interrupted one goes on. rounds: at most so many, scored in each."""
    base = replace(plan.base, samples=5 * plan.base.samples, target=10 * plan.base.samples)
    tasks: dict[tuple[int, str], TransportTask] = {}
    for d in plan.dimensions:
        every = 1 if rounds else BETWEEN.get(d, min(BETWEEN.values()))
        for name, (method, changes, rows) in variations(d, base.samples).items():
            last = min(rounds or rows * every, rows * every)
            tasks[d, name] = TransportTask(method, replace(base, d=d, **changes), last, every)
    made = pool.run({key: [task] for key, task in tasks.items()}, "half an hour of one core")
    runs = {key: run for key, (run,) in made.items()}
    references = {d: federation_of(replace(base, d=d), pool.folder).references() for d in plan.dimensions}
    found = Long(tasks, runs, references)
    ends = found.table()
    picture = Picture("fig3_long.png", "UVP over CPU minutes", found.draw)
    return Part("fig3_long", ("## Half an hour of one core", picture, ABOUT, ends), found.manifest(), text=ends)
