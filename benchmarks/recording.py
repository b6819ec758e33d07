"""What `run` costs over `FedMM.step`.

CPU microseconds a round, one thread: rounds alone, in the memory of two states; `run` as it is by default, which
records every k-th round, k = `affordable(fed)`, here of 3 k; `run` with `every=1`, all columns in each round, where the
objective is over all samples while half of the clients, or of the dictionary's samples a tenth, are in a round; and
that without the objective. Dictionary, warm: its rounds start at remembered codes. Log-linear, robust and second-order
are the first such cases in the section on every example, of the paper's size.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks import dictionary
from benchmarks.clients import MEANS, PARTS, mixture, sparse_regression
from benchmarks.examples import N, sized
from benchmarks.timing import interleaved, threads
from fedmm_edu.algorithms import Constant, FedMM, State, affordable, run
from fedmm_edu.algorithms.run import STANDARD
from fedmm_edu.arrays import Array
from fedmm_edu.examples import examples
from fedmm_edu.federation import Clients

FEW = 15
"""Rounds with `every=1`; each costs the same."""
LONG, MOST = 3.0, 21
"""CPU seconds of rounds alone after which a run is repeated no more, but five times; and how often at most."""


def costs() -> list[dict]:
    """A row for each run."""
    setting = dictionary.data(0.2)
    runs = {
        "sparse regression, 10 × 10, q = 3": (sparse_regression(10, 3, 10), np.zeros(3)),
        "sparse regression, 20 × 250, q = 500": (sparse_regression(20, 500, 250), np.zeros(500)),
        "mixture, 1000 × 10": (mixture(1000), MEANS),
        "mixture, 20 × 250": (mixture(20, 250), MEANS),
        "dictionary, 20 × 250": (dictionary.federation(setting.z, remember=False), setting.theta.ravel()),
        "dictionary, 20 × 250, warm": (dictionary.federation(setting.z, remember=True), setting.theta.ravel()),
        **{f"{name}, 20 × 250": _example(name) for name in ("loglinear", "robust", "curvature")},
    }
    columns, rows = {name: of for name, of in STANDARD.items() if name != "objective"}, []
    for name, (fed, theta) in runs.items():
        start, k = fed.init(fed.point(theta)), affordable(fed)
        many = 3 * k
        calls = {
            "rounds": (many, partial(_alone, fed, start, many)),
            "by default": (many, partial(run, fed, start, many)),
            "every=1": (FEW, partial(run, fed, start, FEW, every=1)),
            "no objective": (FEW, partial(run, fed, start, FEW, columns=columns, every=1)),
        }
        with threads(1):
            once = interleaved({"rounds": calls["rounds"][1]}, 1)["rounds"].cpu
            repetitions = min(MOST, max(5, round(LONG / once)))
            times = interleaved({key: call for key, (_, call) in calls.items()}, repetitions)
        micro = {key: 1e6 * times[key].cpu / count for key, (count, _) in calls.items()}
        ratios = {f"{key}/rounds": micro[key] / micro["rounds"] for key in ("by default", "every=1", "no objective")}
        rows.append({"run": name, "k": k} | micro | ratios)
    return rows


def _example(name: str) -> tuple[FedMM, Array]:
    """The first case of an example, of the paper's size, and a θ."""
    (found,) = (example for example in examples() if example.name == name)
    made = sized(next(iter(found.cases.values())))
    assert made is not None
    problem, z, theta = made
    return FedMM(problem, Clients.of_rows(z, [N // 20] * 20), Constant(0.1), **PARTS), theta


def _alone(fed: FedMM, state: State, rounds: int) -> None:
    before = None
    for t in range(rounds):
        before, state = state, fed.step(state, onto=before if t > 1 else None)  # the start is not ours to give up
