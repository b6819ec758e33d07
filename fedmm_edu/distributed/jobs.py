"""A job: a plan, where to start, and how a node finds its data. Every machine of a run makes the same job by its name.

`fedmm federate` and the Flower apps take a job as "name" or "module:function"; `function(nodes)` returns a `Job`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.distributed.engine import part
from fedmm_edu.distributed.plan import Plan
from fedmm_edu.distributed.state import ServerState, Variates
from fedmm_edu.errors import Array, InvalidInput
from fedmm_edu.federation import Clients, Purpose, UniformQuantization, uniforms


@dataclass(frozen=True, eq=False)
class Job:
    """plan; x, the start Ŝ_0; data(k), the data of node k, which is called on that node alone; V, the start V_{0,i}."""

    plan: Plan
    x: Array
    data: Callable[[int], Clients]
    V: Variates = "zero"

    @property
    def start(self) -> ServerState:
        """The server's state before the first round."""
        return ServerState.start(self.plan, self.x, self.V)

    @staticmethod
    def of(fed: FedMM, x: Array, nodes: int, V: Variates = "zero") -> Job:
        """A job whose data every machine can make: for examples and tests."""
        plan = Plan.of(fed, nodes)
        return Job(plan, x, lambda k: part(fed.clients, plan.nodes[k]), V)


def dictionary(nodes: int) -> Job:
    """Dictionary learning (Section 2.3): 8 clients, 2 atoms in the unit disc, ℓ1 codes; 8-bit messages, α = 0.9.

    Each client sees the two directions in another proportion.
    """
    from fedmm_edu.examples.dictionary import DictionaryLearning, SparseCodes, UnitBall

    n, samples, atoms = 8, 60, np.array([[3.0, 0.5], [-0.8, 2.5]])
    u = uniforms(7, Purpose.DATA, np.arange(n), 0, 4 * samples).reshape(n, samples, 4)
    one = u[:, :, :1] < (np.arange(n)[:, None, None] + 1) / (n + 1)
    z = np.where(one, atoms[0], atoms[1]) * (0.5 + u[:, :, 1:2]) + 0.4 * (u[:, :, 2:] - 0.5)
    problem = DictionaryLearning(2, 2, SparseCodes(0.5), UnitBall(0.01), tol=1e-12)
    clients = Clients.of(list(z))
    fed = FedMM(problem, clients, Constant(1.0), compressor=UniformQuantization(8), alpha=0.9, seed=1)
    return Job.of(fed, fed.point(np.eye(2).ravel()), nodes)


def regression(nodes: int) -> Job:
    """ℓ1-regularised regression on the diabetes data (Example 1): 8 clients by body mass index; 8 bits, α = 0.9."""
    from fedmm_edu.datasets import load_diabetes
    from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic, admissible_rho
    from fedmm_edu.federation.partition import by_covariate

    data = load_diabetes()
    clients = Clients.of(by_covariate(np.column_stack([data.x, data.y]), data.column("bmi"), 8))
    problem = Quadratic(data.x.shape[1], admissible_rho(LeastSquares(), clients), penalty=L1(0.05))
    fed = FedMM(problem, clients, Constant(1.0), compressor=UniformQuantization(8), alpha=0.9)
    return Job.of(fed, np.zeros(problem.d), nodes)


JOBS: dict[str, Callable[[int], Job]] = {"dictionary": dictionary, "regression": regression}


def job_of(name: str, nodes: int) -> Job:
    """The job "name" of this file, or "module:function" of a person's own."""
    make = JOBS.get(name)
    if make is None:
        module, _, function = name.partition(":")
        try:
            make = getattr(import_module(module), function)
        except (ImportError, AttributeError, ValueError) as error:
            raise InvalidInput(
                f"there is no job {name!r} ({error}): choose one of {', '.join(JOBS)}, or give module:function."
            ) from error
    if not callable(make):
        raise InvalidInput(f"{name} is of type {type(make).__name__} and cannot be called: name a function.")
    job = make(nodes)
    if not isinstance(job, Job):
        raise InvalidInput(f"{name} returned {type(job).__name__}: return a fedmm_edu.distributed.jobs.Job.")
    if len(job.plan.nodes) != nodes:
        raise InvalidInput(f"{name} has {len(job.plan.nodes)} nodes, and {nodes} take part: make them equal.")
    return job
