"""Federations to listen to: some clients have one record, as a phone or a patient has."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.distributed.jobs import Job
from fedmm_edu.examples.mixture import GaussianMixture, Prior
from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic, admissible_rho
from fedmm_edu.federation import Bernoulli, Clients, FixedScaleQuantization, UniformQuantization

SIZES = 1, 1, 1, 1, 40, 40
"""Records of each client."""
P = 3


def _records() -> Clients:
    rng = np.random.default_rng(11)
    return Clients.of([1.5 * np.eye(P)[i % P] + rng.normal(size=(m, P)) for i, m in enumerate(SIZES)])


def _run(problem, clients: Clients, theta: np.ndarray, nodes: int) -> Job:
    fed = FedMM(
        problem, clients, Constant(0.5), participation=Bernoulli(0.8), compressor=UniformQuantization(8), alpha=0.7,
        seed=3,
    )  # fmt: skip
    return Job.of(fed, fed.point(theta), nodes)


def regression(nodes: int) -> Job:
    """Example 1, ℓ1-regularised least squares of records (x, y); 8 bits, four of five clients a round, α = 0.7."""
    clients = _records()
    problem = Quadratic(P - 1, admissible_rho(LeastSquares(), clients), penalty=L1(0.01))
    return _run(problem, clients, np.zeros(P - 1), nodes)


def mixture(nodes: int) -> Job:
    """Appendix C.2, a mixture of two Gaussians, all of it unknown; the same channel."""
    problem = GaussianMixture(2, P, Prior.of(np.zeros(P), np.eye(P), a=0.1, kappa=0.05, eta=0.4))
    means = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return _run(problem, _records(), problem.theta([0.5, 0.5], means, [np.eye(P)] * 2), nodes)


def secure(nodes: int) -> Job:
    """`regression` with a secure sum: 24 bits on one grid, everybody in every round."""
    plain = regression(nodes)
    fed = FedMM(
        plain.plan.problem, _records(), plain.plan.gamma, alpha=plain.plan.alpha, seed=plain.plan.seed,
        compressor=FixedScaleQuantization(24, 1.0, halve_every=8), secure_sum=True,
    )  # fmt: skip
    return Job.of(fed, plain.x, nodes)


HEARD: Mapping[str, Callable[[int], Job]] = {"regression": regression, "mixture": mixture, "secure": secure}
