"""What `run` costs over `FedMM.step`.

CPU microseconds a round, one thread: rounds alone, in the memory of two states; `run` with all its columns but the
objective; `run` as it is by default, where the objective is over all samples in every round, while half of the clients,
or of the dictionary's samples a tenth, are in a round. Where that is too dear, `every={"objective": 50}` asks seldom.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks import dictionary
from benchmarks.clients import MEANS, mixture, sparse_regression
from benchmarks.timing import interleaved, threads
from fedmm_edu.algorithms import FedMM, State, run
from fedmm_edu.algorithms.run import STANDARD


def costs() -> list[dict]:
    """A row for each of four runs."""
    setting = dictionary.data(0.2)
    runs = {
        "sparse regression, 10 × 10, q = 3": (sparse_regression(10, 3, 10), np.zeros(3), 200),
        "sparse regression, 20 × 250, q = 500": (sparse_regression(20, 500, 250), np.zeros(500), 20),
        "mixture, 1000 × 10": (mixture(1000), MEANS, 20),
        "dictionary, 20 × 250": (dictionary.federation(setting.z, remember=False), setting.theta.ravel(), 4),
    }
    columns, rows = {name: of for name, of in STANDARD.items() if name != "objective"}, []
    for name, (fed, theta, rounds) in runs.items():
        start = fed.init(fed.point(theta))
        calls = {
            "rounds": partial(_alone, fed, start, rounds),
            "no objective": partial(run, fed, start, rounds, columns=columns),
            "by default": partial(run, fed, start, rounds),
        }
        with threads(1):
            micro = {key: 1e6 * time.cpu / rounds for key, time in interleaved(calls, 5).items()}
        ratios = {f"{key}/rounds": micro[key] / micro["rounds"] for key in ("no objective", "by default")}
        rows.append({"run": name} | micro | ratios)
    return rows


def _alone(fed: FedMM, state: State, rounds: int) -> None:
    before = None
    for t in range(rounds):
        before, state = state, fed.step(state, onto=before if t > 1 else None)  # the start is not ours to give up
