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
from fedmm_edu.studies.dictionary.criteria import Curves
from fedmm_edu.studies.dictionary.data import load_source
from fedmm_edu.studies.dictionary.figures import DictionaryPlan
from fedmm_edu.studies.dictionary.pictures import draw_central
from fedmm_edu.studies.dictionary.runs import DictionaryRun, DictionaryTask
from fedmm_edu.studies.study import Part, Picture
from fedmm_edu.studies.tasks import Pool

A_ROUND = 500
"""Samples that are seen in a round."""


def tasks(plan: DictionaryPlan) -> dict[str, DictionaryTask]:
    """The arms, with seed 0; each sees `A_ROUND` a round."""
    federated = plan.largest("heterogeneous")["fedmm"]
    federated = replace(federated, batch=A_ROUND // federated.active)
    one = replace(federated, source=replace(federated.source, clients=1), active=1, batch=A_ROUND, bits=0, alpha=0.0)
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


def recoveries(plan: DictionaryPlan, runs: dict[str, list[DictionaryRun]]) -> dict[str, Array]:
    """`recovery` of θ_⋆ by the last dictionaries, and by N(0, 1) entries ("chance"): shape (seeds,) each."""
    truth = load_source(tasks(plan)["fedmm"].source).truth
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


def results(plan: DictionaryPlan, pool: Pool) -> Part:
    """Objective over samples seen, and the atoms that are recovered."""
    of = {name: [replace(task, seed=seed) for seed in plan.few] for name, task in tasks(plan).items()}
    runs = pool.run(of, "FedMM against centralised")
    curves = {name: Curves.of(arm) for name, arm in runs.items()}
    found = recoveries(plan, runs)
    ends = {name: [float(run.objective[-1]) for run in arm] for name, arm in runs.items()}
    page = (
        "## Federated against centralised, and the dictionary that is recovered",
        ABOUT.format(samples=A_ROUND, seeds=len(plan.few), beta=max(plan.betas)),
        Picture(
            "central.png", "Objective over samples, and recovered atoms", lambda: draw_central(curves, found, A_ROUND)
        ),
    )
    numbers = {"objective": ends, "recovery": {name: values.tolist() for name, values in found.items()}}
    return Part("central", page, numbers)
