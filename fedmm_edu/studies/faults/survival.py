"""How a run with faults ends: what was injected, what it cost, and how far from the fault-free limit it is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fedmm_edu.algorithms import Constant
from fedmm_edu.arrays import Array
from fedmm_edu.distributed.engine import federate, one_round
from fedmm_edu.distributed.faults import Fault, Misbehaving
from fedmm_edu.distributed.jobs import Job
from fedmm_edu.distributed.state import ServerState
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.federation import Everyone, Identity

FAULTY = 0.75
"""Share of the rounds in which faults are injected; in the rest nothing happens, and the run may recover."""


@dataclass(frozen=True, eq=False)
class Reference:
    """The fault-free run in one process: Ŝ_t after as many rounds, and where it stands still (or is after 2000)."""

    x: Array
    limit: Array

    def error(self, x: Array, to: Array | None = None) -> float:
        """max |x − to| / max |limit|, where `to` is the limit unless given."""
        return float(np.abs(x - (self.limit if to is None else to)).max() / np.abs(self.limit).max())


def reference(job: Job, rounds: int) -> Reference:
    """Run the job with nodes in this process and without faults."""
    engine, state = job.in_process(), job.start
    x = state.x
    while state.t < max(rounds, 2000):
        before, (state, _) = state.x, one_round(job.plan, engine, state)
        x = state.x if state.t == rounds else x
        if state.t >= rounds and np.abs(state.x - before).max() <= 1e-15 * np.abs(before).max():
            break
    return Reference(x, state.x)


@dataclass(frozen=True, eq=False)
class Survival:
    """The state at the end; how often each fault was injected; answers refused, re-basings; Ŝ_t of every round."""

    state: ServerState
    injected: dict[Fault, int]
    refused: int
    rebased: int
    path: Array


def survive(job: Job, rate: float, rounds: int, *, attempts: int = 2, seed: int = 0) -> Survival:
    """Run with every kind of fault, all equally likely, on the share `rate` of the messages, until `FAULTY`."""
    in_interval("rate", rate, low=0.0, high=1.0)
    rng, kinds = np.random.default_rng(seed), list(Fault)
    reports, path = [], []

    def schedule(exchange: int, node: int) -> Fault | None:
        hit = rng.random() < rate and len(path) < FAULTY * rounds
        return kinds[rng.integers(len(kinds))] if hit else None

    def keep(state, report) -> None:
        path.append(state.x)
        reports.append(report)

    engine = Misbehaving(job.in_process().nodes, schedule)
    state = federate(job.plan, engine, job.start, rounds, attempts=attempts, after_round=keep)
    refused, rebased = (sum(len(getattr(report, name)) for report in reports) for name in ("refused", "rebased"))
    return Survival(state, engine.injected, refused, rebased, np.array(path))


def _slowing(t: int) -> float:
    """γ_t: constant at first, then in proportion to 1/t."""
    return min(0.9, 45.0 / t)


def without_answers(job: Job, node: int, answers: float, alpha: float, rounds: int, *, seed: int = 0) -> Array:
    """Ŝ_t of every round when one node answers with probability `answers` only, and the server does not know.

    Everybody is asked, nothing is compressed, and γ_t decreases, so that what stays at the end is bias, not noise.
    """
    in_interval("answers", answers, low=0.0, high=1.0)
    parts = {"participation": Everyone(), "compressor": Identity(), "gamma": _slowing}
    slow, rng, path = replace(job, plan=replace(job.plan, alpha=alpha, **parts)), np.random.default_rng(seed), []
    engine = Misbehaving(
        slow.in_process().nodes, lambda c, k: Fault.LOSE_REPLY if k == node and rng.random() >= answers else None
    )
    federate(slow.plan, engine, slow.start, rounds, attempts=1, after_round=lambda state, _: path.append(state.x))
    return np.array(path)


def biased_limit(job: Job, node: int, answers: float) -> Array:
    """Where `without_answers` goes for α = 0: the limit of the problem in which the clients have other weights.

    With K nodes asked and c = K over the number that arrived, E[c 1{k arrived}] is `answers` for this node and
    answers + (1 − answers) K/(K − 1) for the others.
    """
    K = len(job.plan.nodes)
    if K < 2:
        raise InvalidInput(f"{K} node: where it alone does not answer, the round waits; take two or more.")
    mu = job.plan.mu * (answers + (1.0 - answers) * K / (K - 1))
    mu[job.plan.nodes[node]] = answers * job.plan.mu[job.plan.nodes[node]]
    parts = {"participation": Everyone(), "compressor": Identity(), "gamma": Constant(1.0), "alpha": 0.0}
    plan = replace(job.plan, clients=replace(job.plan.clients, mu=mu / mu.sum()), **parts)
    return reference(replace(job, plan=plan), 1).limit
