"""Half an hour of one core on the W2 benchmark: how near the published centralised solver it comes, and what limits it.

FedMM-OT with an adaptive server in each dimension, ten clients that hold 10,000 samples each, with the rates of that
solver. In 16 dimensions, at equal rounds, what could be in its way, one at a time: fewer samples; clients in place of
one machine; what is aggregated (FedAdam).
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

ROUNDS = {16: 40_000, 32: 36_000, 64: 19_000}
"""What one core makes in half an hour, about."""
ROWS = 100
RATE = 1e-3
"""That of Adam for both networks of MMv2."""
MAIN = "FedMM-OT, adaptive server"


def variations(d: int) -> dict[str, tuple[Method, Mapping[str, Any]]]:
    """What runs in dimension d: the method, and what of the setting differs, by name."""
    main = replace(METHODS[MAIN], gamma=RATE, server_rate=RATE)
    found: dict[str, tuple[Method, Mapping[str, Any]]] = {MAIN: (main, {})}
    if d == 16:
        found |= {
            "a tenth of the samples": (main, {"samples": 10_000, "target": 10_000}),
            "one machine": (main, {"clients": 1, "batch": 1280}),
            "FedAdam": (replace(METHODS["FedAdam"], gamma=RATE), {}),
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


def long(plan: Plan, cache: Path, folder: Path | None = None) -> Long:
    """Make the runs, or read them from `cache`; an interrupted one goes on."""
    base = replace(plan.base, samples=100_000, target=100_000)
    tasks = {
        (d, name): Task(method, replace(base, d=d, **changes), rounds, max(1, rounds // ROWS))
        for d, rounds in ((d, min(plan.rounds, ROUNDS.get(d, plan.rounds))) for d in plan.dimensions)
        for name, (method, changes) in variations(d).items()
    }
    do = Worker(cache, folder, list(tasks.values()))
    runs = {key: do(task, key[1]) for key, task in tasks.items()}
    return Long(tasks, runs, {d: federation(replace(base, d=d), folder).references() for d in plan.dimensions})
