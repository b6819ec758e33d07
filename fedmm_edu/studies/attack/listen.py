"""The reconstruction: a run whose messages are kept, and what is rebuilt from them, beside what is on the nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fedmm_edu.algorithms.spaces import SurrogateSpace
from fedmm_edu.algorithms.work import Surrogates
from fedmm_edu.arrays import Array, Indices
from fedmm_edu.distributed.engine import federate
from fedmm_edu.distributed.jobs import Job
from fedmm_edu.distributed.plan import Plan
from fedmm_edu.distributed.wiretap import Overheard, Sighting, Wiretap
from fedmm_edu.errors import InvalidInput
from fedmm_edu.studies.attack.records import Explained, one_record

SLACK = 5.0
"""How many times the misfit that compression explains, √(ω/q) or half a step of the grid, a record may have."""
AGAIN = 1
"""Further starts, of each new look at a longer tape."""


@dataclass(frozen=True, eq=False)
class Rebuilt:
    """Of one client: its records, V_i and what was rebuilt of them.

    V: max |V_i rebuilt − V_i on the node|; statistic: that of S̄_i(θ_t), over max |S̄_i|, in the last round that was
    seen; heard: after how many messages of the client a record was looked for; guesses: what was found; errors:
    max |z − record| for a client of one record, ∞ where nothing was found.
    """

    client: int
    records: int
    V: float
    statistic: float
    heard: Indices
    guesses: tuple[Explained, ...]
    errors: Array


def listened(job: Job, rounds: int) -> tuple[Overheard, list[Array]]:
    """Run the job over nodes in this process: what its messages say, and V_i of the nodes in the same histories."""
    nodes = job.in_process()
    tap = Wiretap(nodes)
    federate(job.plan, tap, job.start, rounds)
    heard = Overheard.of(job.plan, tap.tape)
    held = [node.at(heard.base(k)) for k, node in nodes.nodes.items()]
    return heard, [np.zeros((len(job.plan.nodes[k]), job.plan.dim)) if s is None else s.V for k, s in enumerate(held)]


def attack(job: Job, rounds: int, *, starts: int = 4, looks: int = 4, seed: int = 0,
           told: Callable[[int], object] = lambda client: None) -> list[Rebuilt]:  # fmt: skip
    """What is rebuilt of every client from the messages of so many rounds; `told` hears of each client that is done.

    Only the plan, the number of columns, and the tape are used; the nodes' data and V_i serve to measure the error.
    """
    plan = job.plan
    if not isinstance(plan.space, SurrogateSpace) or not isinstance(plan.work, Surrogates):
        raise InvalidInput(f"the clients send {plan.space!r} after {plan.work!r}: records are rebuilt from surrogates.")
    heard, held = listened(job, rounds)
    out = []
    for k, who in enumerate(plan.nodes):
        data = job.data(k)
        for place, i in enumerate(who):
            out.append(_rebuilt(plan, heard, int(i), held[k][place], data[place], starts, looks, seed))
            told(int(i))
    return sorted(out, key=lambda found: found.client)


def _rebuilt(plan: Plan, heard: Overheard, i: int, V: Array, z: Array, starts: int, looks: int, seed: int) -> Rebuilt:
    seen, p = heard.seen[i], z.shape[1]
    counts = np.unique(np.geomspace(len(seen), min(2, len(seen)), looks).astype(np.int64)) if seen else np.zeros(0, int)
    guesses = _looks(plan, seen, counts, p, starts, np.random.default_rng((seed, i)))
    one = [guess.error(z[0]) if len(z) == 1 else np.inf for guess in guesses]
    statistic = np.inf
    if seen:
        truth = plan.problem.mean_S_bar(z, seen[-1].theta)
        statistic = float(np.abs(seen[-1].aim - truth).max() / np.abs(truth).max())
    return Rebuilt(i, len(z), float(np.abs(heard.V[i] - V).max()), statistic, counts, tuple(guesses), np.array(one))


def _looks(
    plan: Plan, seen: Sequence[Sighting], counts: Indices, p: int, starts: int, rng: np.random.Generator
) -> list[Explained]:
    """A guess after each of `counts` messages: from scratch at first, then from the last guess and some new starts."""
    rounded = plan.compressor.grid is not None  # then misfits are counted in half steps of the grid
    allowed = SLACK * (1.0 if rounded else math.sqrt(plan.compressor.omega(plan.dim) / plan.dim)) + 1e-6
    found: list[Explained] = []
    for count in counts:
        fresh = rng.normal(size=(AGAIN if found and len(found[-1].z) else starts, p)) * 10.0 ** rng.uniform(-0.5, 0.5)
        begin = np.concatenate([found[-1].z, fresh]) if found else fresh
        found.append(one_record(plan.problem, seen[:count], p, allowed, begin))
    return found
