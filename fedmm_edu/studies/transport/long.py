"""Half an hour of one core on the W2 benchmark: how near the published centralised solver it comes, what limits it.

FedMM-OT with an adaptive server and λ = 1 in each dimension, ten clients that hold 5000 samples each, with the rates of
that solver. Beside it λ = 0, which that solver has; and in 16 dimensions, in fewer rounds, what could matter, one
thing at a time: fewer samples, one machine in place of clients, what is aggregated (FedAdam).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fedmm_edu.studies.runs import rounded, versions
from fedmm_edu.studies.transport.fig3 import Plan
from fedmm_edu.studies.transport.runs import Run, Task, Worker
from fedmm_edu.studies.transport.setting import METHODS, Method, federation
from fedmm_edu.transport import CENTRALISED

EVERY = {16: 888, 32: 711, 64: 344}
"""Rounds between two scores."""
ROWS = 45
"""Scores of a run. One core makes the rounds of each dimension in half an hour, about."""
RATE = 1e-3
"""That of Adam for both networks of MMv2."""
MAIN = "FedMM-OT, adaptive server"
Variation = tuple[Method, Mapping[str, Any], int]
"""The method, what differs in its setting, and the scores that are taken."""


def variations(d: int, samples: int) -> dict[str, Variation]:
    """What runs in dimension d, by name; `samples` are those of the first run."""
    main = replace(METHODS[MAIN], lam=1.0, gamma=RATE, server_rate=RATE)
    found: dict[str, Variation] = {MAIN: (main, {}, ROWS), "λ = 0": (replace(main, lam=0.0), {}, ROWS)}
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

    tasks: dict[tuple[int, str], Task]
    runs: dict[tuple[int, str], Run]
    references: dict[int, dict[str, float]]

    def centralised(self, d: int) -> dict[str, float]:
        """The published scores of solvers that hold all data; none for another pair."""
        on_it = any(task.setting.pair == "benchmark" for task in self.tasks.values())
        return {f"{name}, published": of[d] for name, of in CENTRALISED.items() if on_it and d in of}

    def table(self) -> list[str]:
        """The ends, in Markdown; of a shorter run also what the first of its dimension had at that round."""
        lines = [
            "| d | run | rounds | CPU minutes | GB sent | UVP in %, last (least) | of the inverse | the first, then |",
            "|---" * 8 + "|",
        ]
        for (d, name), run in self.runs.items():
            first = self.runs[d, MAIN]
            then = "" if name == MAIN else f"{np.interp(run.t[-1], first.t, first.uvp):.3g}"
            cells = [d, name, run.t[-1], f"{run.seconds[-1] / 60:.1f}", f"{run.bits[-1] / 8e9:.3g}",
                     f"{run.uvp[-1]:.3g} ({run.best:.3g})", f"{run.inverse_uvp[-1]:.3g}", then]  # fmt: skip
            lines.append(f"| {' | '.join(map(str, cells))} |")
        for d, of in self.references.items():
            lines += [f"| {d} | {name} | | | | {uvp:.3g} | | |" for name, uvp in (of | self.centralised(d)).items()]
        return lines

    def manifest(self) -> dict[str, Any]:
        """Settings, curves and versions, as plain values; null for what is not finite."""
        runs = [
            {"d": d, "run": name, "task": asdict(self.tasks[d, name]), "status": run.status, "t": run.t.tolist(),
             **{column: [rounded(v) for v in getattr(run, column)] for column in ("seconds", "uvp", "inverse_uvp")}}
            for (d, name), run in self.runs.items()
        ]  # fmt: skip
        return {"runs": runs, "references": self.references, "versions": versions("fedmm-edu", "numpy", "torch")}


def long(plan: Plan, rounds: int | None, cache: Path, folder: Path | None = None) -> Long:
    """Make the runs, or read them from `cache`; an interrupted one goes on. rounds: at most so many, scored in each."""
    base = replace(plan.base, samples=5 * plan.base.samples, target=10 * plan.base.samples)
    tasks: dict[tuple[int, str], Task] = {}
    for d in plan.dimensions:
        every = 1 if rounds else EVERY.get(d, min(EVERY.values()))
        for name, (method, changes, rows) in variations(d, base.samples).items():
            tasks[d, name] = Task(
                method, replace(base, d=d, **changes), min(rounds or rows * every, rows * every), every
            )
    do = Worker(cache, folder, list(tasks.values()))
    runs = {key: do(task, key[1]) for key, task in tasks.items()}
    return Long(tasks, runs, {d: federation(replace(base, d=d), folder).references() for d in plan.dimensions})
