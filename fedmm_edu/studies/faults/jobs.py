"""The jobs that `fedmm federate` knows by a short name: small, and the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.datasets import load_diabetes
from fedmm_edu.distributed.jobs import Job
from fedmm_edu.examples.dictionary import DictionaryLearning, SparseCodes, UnitBall
from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic, admissible_rho
from fedmm_edu.federation import Clients, Purpose, UniformQuantization, uniforms
from fedmm_edu.federation.partition import by_covariate


def dictionary(nodes: int) -> Job:
    """Dictionary learning (Section 2.3): 8 clients, 2 atoms in the unit disc, ℓ1 codes; 8-bit messages, α = 0.9.

    Each client sees the two directions in another proportion.
    """
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
    data = load_diabetes()
    clients = Clients.of(by_covariate(np.column_stack([data.x, data.y]), data.column("bmi"), 8))
    problem = Quadratic(data.x.shape[1], admissible_rho(LeastSquares(), clients), penalty=L1(0.05))
    fed = FedMM(problem, clients, Constant(1.0), compressor=UniformQuantization(8), alpha=0.9)
    return Job.of(fed, np.zeros(problem.d), nodes)


JOBS: Mapping[str, Callable[[int], Job]] = {"dictionary": dictionary, "regression": regression}
