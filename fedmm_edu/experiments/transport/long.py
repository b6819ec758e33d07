"""Half an hour of one core on the W2 benchmark: how near the published centralised solver it comes, and what limits it.

FedMM-OT with an adaptive server in each dimension, ten clients that hold 5000 samples each, with λ and the rates of that
solver. In 16 dimensions, for a third of the rounds, what could be in its way, one at a time: fewer samples; clients in
place of one machine; what is aggregated (FedAdam).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fedmm_edu.experiments.runs import versions
from fedmm_edu.experiments.transport.fig3 import Plan
from fedmm_edu.experiments.transport.runs import Run, Task, Worker
from fedmm_edu.experiments.transport.setting import METHODS, Method, federation
from fedmm_edu.transport import CENTRALISED

ROUNDS = {16: 80_000, 32: 64_000, 64: 31_000}
"""What one core makes in half an hour, about."""
ROWS = 90
RATE = 1e-3
"""That of Adam for both networks of MMv2."""
MAIN = "FedMM-OT, adaptive server"
Variation = tuple[Method, Mapping[str, Any], int]
"""The method, what differs in its setting, and the share of the rounds that it makes: one in so many."""


def variations(d: int) -> dict[str, Variation]:
    """What runs in dimension d, by name."""
    main = replace(METHODS[MAIN], gamma=RATE, server_rate=RATE)
    found: dict[str, Variation] = {MAIN: (main, {}, 1)}
    if d == min(ROUNDS):
        found |= {
            "a tenth of the samples": (main, {"samples": 5000, "target": 10_000}, 3),
            "one machine": (main, {"clients": 1, "batch": 1280}, 3),
            "FedAdam": (replace(METHODS["FedAdam"], gamma=RATE), {}, 3),
        }
    return found


@dataclass(frozen=True, eq=False)
class Long:
    """The runs of each dimension by name, and the scores of the maps that need the moments alone."""

    tasks: dict[tuple[int, str], Task]
    runs: dict[tuple[int, str], Run]
    references: dict[int, dict[str, float]]

    def manifest(self) -> dict[str, Any]:
        """Settings, ends and versions, as plain values."""
        rows = [
            {"d": d, "run": name, "task": asdict(self.tasks[d, name]), "status": run.status, "last": float(run.uvp[-1]),
             "best": run.best, "seconds": float(run.seconds[-1]), "bits": int(run.bits[-1])}
            for (d, name), run in self.runs.items()
        ]  # fmt: skip
        return {
            "runs": rows,
            "references": self.references,
            "centralised": CENTRALISED,
            "versions": versions("fedmm-edu", "numpy", "torch"),
        }


def long(plan: Plan, rounds: int | None, cache: Path, folder: Path | None = None) -> Long:
    """Make the runs, or read them from `cache`; an interrupted one goes on. rounds: in place of `ROUNDS`."""
    base, tasks = replace(plan.base, samples=50_000, target=100_000), {}
    for d in plan.dimensions:
        most = rounds or ROUNDS.get(d, min(ROUNDS.values()))
        for name, (method, changes, share) in variations(d).items():
            setting = replace(base, d=d, **changes)
            tasks[d, name] = Task(method, setting, max(1, most // share), max(1, most // ROWS))
    do = Worker(cache, folder, list(tasks.values()))
    runs = {key: do(task, key[1]) for key, task in tasks.items()}
    return Long(tasks, runs, {d: federation(replace(base, d=d), folder).references() for d in plan.dimensions})
