"""Beyond Section 6: what participation, bits, heterogeneity and the number of clients do, one factor at a time.

On the heterogeneous synthetic data, with the largest β of the range. Where n varies, half of the clients are active and
share 500 samples a round, so that each n sees as many; n = 1 is centralised online dictionary learning (Mairal et al.,
2010) with the γ_t and the quantisation of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from fedmm_edu.errors import Array
from fedmm_edu.experiments.dictionary.data import load
from fedmm_edu.experiments.dictionary.pool import Pool
from fedmm_edu.experiments.dictionary.reproduce import Plan
from fedmm_edu.experiments.dictionary.runs import Run, Task

SEEDS = 3
SAMPLES = 500


@dataclass(frozen=True, eq=False)
class Effect:
    """One factor: for each of its values and each algorithm, what each run ended with, shape (seeds,).

    objective: (28). surrogate: the geometric mean of the surrogate update over the last quarter of the rounds.
    recovery: see `recovery`. megabytes: sent by the clients.
    """

    factor: str
    values: tuple[str, ...]
    ends: Mapping[str, Mapping[str, Mapping[str, Array]]]

    def plain(self) -> dict:
        """Plain values, for a file."""
        ends = {
            value: {arm: {name: list(map(float, of)) for name, of in end.items()} for arm, end in arms.items()}
            for value, arms in self.ends.items()
        }
        return asdict(replace(self, ends=ends))


def effects(plan: Plan, pool: Pool) -> list[Effect]:
    """All factors."""
    rounds = max(plan.rows, plan.rounds // 4)
    base = replace(plan.arms("fig1", "heterogeneous")["fedmm"], beta=max(plan.betas), rounds=rounds)
    found = []
    for factor, settings in factors(base).items():
        tasks = {
            (value, arm): [replace(task, naive=arm == "naive", seed=seed) for seed in range(min(plan.seeds, SEEDS))]
            for value, task in settings.items()
            for arm in ("fedmm", "naive")
        }
        runs = pool.run((task for of in tasks.values() for task in of), f"effect of {factor}")
        ends = {
            value: {arm: _ends([(task, runs[task]) for task in tasks[value, arm]]) for arm in ("fedmm", "naive")}
            for value in settings
        }
        found.append(Effect(factor, tuple(settings), ends))
    return found


def factors(base: Task) -> dict[str, dict[str, Task]]:
    """The tasks of each factor, by the name of its value."""
    source = base.source
    sizes = {n: (max(1, n // 2), SAMPLES // max(1, n // 2)) for n in (1, 10, 20, 50)}
    return {
        "participation p": {f"{m / 20:g}": replace(base, active=m) for m in (2, 5, 10, 20)},
        "bits per coordinate": {str(b or 64): replace(base, bits=b) for b in (2, 4, 8, 0)},
        "heterogeneity": {
            says: replace(base, source=replace(source, split=split))
            for says, split in (("none", "random"), ("half", "half"), ("clusters", "balanced"))
        },
        "clients n": {
            str(n): replace(base, source=replace(source, clients=n), active=active, batch=batch)
            for n, (active, batch) in sizes.items()
        },
    }


def recovery(theta: Array, truth: Array) -> float:
    """The mean |cosine| between the atoms of θ_⋆ and those of θ, shape (p, K) each, in their best matching: 1 is all.

    A zero atom has cosine 0 with every other.
    """
    lengths = [np.maximum(np.linalg.norm(atoms, axis=0), np.finfo(float).tiny) for atoms in (theta, truth)]
    cosines = np.abs((truth / lengths[1]).T @ (theta / lengths[0]))
    return float(cosines[linear_sum_assignment(-cosines)].mean())


def _ends(of: list[tuple[Task, Run]]) -> dict[str, Array]:
    truth = load(of[0][0].source).truth
    late = [run.t > 0.75 * run.t[-1] for _, run in of]
    return {
        "objective": np.array([run.objective[-1] for _, run in of]),
        "surrogate": np.array([
            np.exp(np.log(run.surrogate[part]).mean()) for (_, run), part in zip(of, late, strict=True)
        ]),
        "recovery": np.array([recovery(run.theta, truth) for _, run in of]),
        "megabytes": np.array([run.bits[-1] / 8e6 for _, run in of]),
    }  # fmt: skip
