"""Beyond Section 6: FedMM against centralised online dictionary learning, at equal numbers of samples.

On the heterogeneous synthetic data, 500 samples a round. Centralised: one client that holds all data, without
compression and control variates. With γ_t = 1/t its iterate is the mean of all statistics so far, which is online
dictionary learning (Mairal et al., 2010) with the ridge of (28) in place of their unit balls. The atoms of θ_⋆ are
known: how many of them are recovered?
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from fedmm_edu.arrays import Array
from fedmm_edu.figures.dictionary import draw_central
from fedmm_edu.studies.dictionary.data import load
from fedmm_edu.studies.dictionary.pool import Pool
from fedmm_edu.studies.dictionary.reproduce import Plan, together
from fedmm_edu.studies.dictionary.runs import Run, Task
from fedmm_edu.studies.dictionary.section import Section

SAMPLES, SEEDS = 500, 3


def tasks(plan: Plan) -> dict[str, Task]:
    """The arms, with seed 0; each sees `SAMPLES` a round."""
    federated = replace(plan.arms("fig1", "heterogeneous")["fedmm"], beta=max(plan.betas))
    federated = replace(federated, batch=SAMPLES // federated.active)
    one = replace(federated, source=replace(federated.source, clients=1), active=1, batch=SAMPLES, bits=0, alpha=0.0)
    return {
        "fedmm": federated,
        "naive": replace(federated, naive=True),
        "fedmm 1/t": replace(federated, beta=0.0),
        "central": one,
        "central 1/t": replace(one, beta=0.0),
    }


def recovery(theta: Array, truth: Array) -> float:
    """The mean |cosine| between the atoms of θ_⋆ and those of θ, shape (p, K) each, in their best matching: 1 is all.

    A zero atom has cosine 0 with every other.
    """
    lengths = [np.maximum(np.linalg.norm(atoms, axis=0), np.finfo(float).tiny) for atoms in (theta, truth)]
    cosines = np.abs((truth / lengths[1]).T @ (theta / lengths[0]))
    return float(cosines[linear_sum_assignment(-cosines)].mean())


def recoveries(plan: Plan, runs: dict[str, list[Run]]) -> dict[str, Array]:
    """`recovery` of θ_⋆ by the last dictionaries, and by N(0, 1) entries ("chance"): shape (seeds,) each."""
    truth = load(tasks(plan)["fedmm"].source).truth
    assert truth is not None
    rng = np.random.default_rng(0)
    found = {name: np.array([recovery(run.theta, truth) for run in of]) for name, of in runs.items()}
    return found | {"chance": np.array([recovery(rng.normal(size=truth.shape), truth) for _ in range(20)])}


ABOUT = """\
Heterogeneous synthetic data, {samples} samples a round, {seeds} runs each, β = {beta:g}: FedMM and the naive
algorithm as in the first figure (20 clients, half of them active, 8 bits), and one machine that holds all data, with
the same γ_t; then both with γ_t = 1/t. One machine with 1/t is online dictionary learning (Mairal et al., 2010) with
the ridge of (28). Right: mean |cosine| between the atoms of θ⋆ and those found, in their best matching; the dotted
line is what N(0, 1) entries get by chance."""


def section(plan: Plan, pool: Pool) -> Section:
    """Objective over samples seen, and the atoms that are recovered."""
    seeds = min(plan.seeds, SEEDS)
    of = {name: [replace(task, seed=seed) for seed in range(seeds)] for name, task in tasks(plan).items()}
    made = pool.run((task for arm in of.values() for task in arm), "FedMM against centralised")
    runs = {name: [made[task] for task in arm] for name, arm in of.items()}
    curves = {name: together(arm) for name, arm in runs.items()}
    found = recoveries(plan, runs)
    ends = {name: [float(run.objective[-1]) for run in arm] for name, arm in runs.items()}
    return Section(
        name="central",
        title="Federated against centralised, and the dictionary that is recovered",
        about=ABOUT.format(samples=SAMPLES, seeds=seeds, beta=max(plan.betas)),
        numbers={"objective": ends, "recovery": {name: values.tolist() for name, values in found.items()}},
        draw=lambda: draw_central(curves, found, SAMPLES),
        caption="Objective over samples, and recovered atoms",
    )
