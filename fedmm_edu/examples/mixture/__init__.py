"""Appendix C.2: EM for mixtures of Gaussians, with unknown means or with everything unknown."""

import numpy as np

from fedmm_edu.examples.mixture.full import GaussianMixture, Prior
from fedmm_edu.examples.mixture.means import GaussianMeans, PooledGaussianMeans
from fedmm_edu.examples.mixture.simulated import SimulatedLabels
from fedmm_edu.examples.registry import Case, Example

_LINE = {"weights": [0.4, 0.6], "covariances": [[[0.5]], [[1.5]]], "lam": 0.2}
_PLANE = {
    "weights": [0.5, 0.2, 0.3],
    "covariances": [[[1.0, 0.3], [0.3, 0.6]], [[0.4, 0.0], [0.0, 2.0]], [[0.8, -0.2], [-0.2, 0.5]]],
    "lam": 0.1,
}


def _draw_z(p, L):
    """Samples around L corners, so that responsibilities range from certain to undecided."""

    def draw(rng, n):
        return 2.5 * np.eye(max(L, p))[rng.integers(0, L, n), :p] + rng.normal(size=(n, p))

    return draw


def _draw_means(p, L):
    return lambda rng: rng.normal(scale=1.5, size=L * p)


def _draw_everything(problem):
    def draw(rng):
        L, p, floor = problem.L, problem.p, problem.natural.least_weight
        weights = floor + (1 - L * floor) * rng.dirichlet(np.full(L, 3.0))
        factors = rng.normal(size=(L, p, p + 2)) / np.sqrt(p + 2)
        return problem.theta(weights, rng.normal(scale=1.5, size=(L, p)), factors @ np.swapaxes(factors, 1, 2))

    return draw


def _pooled(clients):
    weights = clients.pooled()[1]
    return PooledGaussianMeans(**_PLANE, mean_z=weights @ clients.pooled()[0])


def _everything(L, p):
    problem = GaussianMixture(L, p, Prior.of(np.zeros(p), np.eye(p), a=0.1, kappa=0.05, eta=0.4))
    # g holds the constraint Σ ν = 1, so that single coordinates have no slope
    return Case(_draw_z(p, L), _draw_everything(problem), lambda clients: problem, smooth_g=False)


EXAMPLE = Example(
    name="mixture",
    title="EM for mixtures of Gaussians",
    where="Appendix C.2, `app:em_second_example`",
    cases={
        "means, L = 2, p = 1": Case(_draw_z(1, 2), _draw_means(1, 2), lambda clients: GaussianMeans(**_LINE)),
        "means, L = 3, p = 2": Case(_draw_z(2, 3), _draw_means(2, 3), lambda clients: GaussianMeans(**_PLANE)),
        "means with known average, L = 3, p = 2": Case(_draw_z(2, 3), _draw_means(2, 3), _pooled),
        "weights, means, covariances, L = 2, p = 2": _everything(2, 2),
    },
)

__all__ = ["EXAMPLE", "GaussianMeans", "GaussianMixture", "PooledGaussianMeans", "Prior", "SimulatedLabels"]
