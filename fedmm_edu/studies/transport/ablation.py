"""Partial participation with and without control variates, local steps, server steps: FedMM-OT, one at a time.

On the log-sum-exp pair in 16 dimensions, short runs, the rates of `fedmm run transport`. With an adaptive server: the
plain server's rate is the largest that p = 1, K = 1 and M = 10 bear, and almost any change kills the network. The
clients' rate counts for K > 1 only, since Adam on H does not feel the size of one step.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import product
from pathlib import Path

from fedmm_edu.studies.transport.fig3 import Plan, stacked
from fedmm_edu.studies.transport.runs import Run, Task, Worker
from fedmm_edu.studies.transport.setting import METHODS, Method, federation
from fedmm_edu.studies.transport.statements import Curves
from fedmm_edu.transport import UnboundedObjective

ROUNDS = 100
CLIENT_RATE = 1e-3


def variations() -> dict[str, dict[str, Method]]:
    """The methods of each factor, by the name of its value."""
    base = replace(METHODS["FedMM-OT, adaptive server"], rate=CLIENT_RATE)
    full = replace(base, lam=1.0)
    return {
        "participation": {
            "p = 1": base,
            "p = 0.5, α = 0": replace(base, p=0.5),
            "p = 0.5, α = 0.1": replace(base, p=0.5, alpha=0.1),
            "p = 0.2, α = 0": replace(base, p=0.2),
            "p = 0.2, α = 0.1": replace(base, p=0.2, alpha=0.1),
        },
        "local steps": {
            "K = 1, λ = 1": full,
            "K = 4, λ = 1": replace(full, K=4),
            "K = 10, λ = 1": replace(full, K=10),
            "K = 1, λ = 0": base,
            "K = 10, λ = 0": replace(base, K=10),
        },
        "server steps": {f"M = {M}": replace(base, M=M) for M in (1, 3, 10, 30)},
    }


def ablation(plan: Plan, cache: Path) -> tuple[dict[str, dict[str, Curves]], dict[str, float]]:
    """The curves of each factor by its values, and the scores of the maps that need the moments alone."""
    base = replace(plan.base, d=16, pair="log-sum-exp")
    rounds = min(plan.rounds, ROUNDS)
    every = max(1, rounds // plan.rows)
    tasks = {
        (factor, value): [Task(method, replace(base, seed=seed), rounds, every) for seed in range(plan.seeds)]
        for factor, values in variations().items()
        for value, method in values.items()
    }
    do = Worker(cache, None, [task for of in tasks.values() for task in of])
    runs: dict[tuple[str, str], list[Run]] = {key: [] for key in tasks}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnboundedObjective)  # K = 10 with λ = 0 is here to be seen
        for seed, key in product(range(plan.seeds), tasks):
            runs[key].append(do(tasks[key][seed], ": ".join(key)))
    found: dict[str, dict[str, Curves]] = {}
    for (factor, value), of in runs.items():
        found.setdefault(factor, {})[value] = stacked(of)
    return found, federation(base).references()
