"""Mixtures of linear regressions by EM: sufficient statistics aggregated in 𝒮."""

import numpy as np

from fedmm_edu.examples.registry import Case, Example
from fedmm_edu.examples.regressions.kernel import MixtureOfRegressions, RegressionPrior

_SLOPES = 2.0 * np.array([[1.0, -0.5], [-1.0, 0.5], [0.2, 1.0]])


def _draw_z(L):
    def draw(rng, n):
        x = np.column_stack([rng.uniform(-1.5, 1.5, n), np.ones(n)])
        slopes = _SLOPES[rng.integers(0, L, n)]
        return np.column_stack([x, (x * slopes).sum(axis=1) + 0.5 * rng.normal(size=n)])

    return draw


def _case(L):
    problem = MixtureOfRegressions(L, 3, RegressionPrior(a=0.1, kappa=0.05, eta=0.4, scatter=0.3))

    def draw_theta(rng):
        floor = 0.1 / (1 + 0.1 * L)
        weights = floor + (1 - L * floor) * rng.dirichlet(np.full(L, 3.0))
        return problem.theta(weights, rng.normal(scale=1.5, size=(L, 2)), rng.uniform(0.2, 2.0, L))

    # g holds the constraint Σ ν = 1, so that single coordinates have no slope
    return Case(_draw_z(L), draw_theta, lambda clients: problem, smooth_g=False)


EXAMPLE = Example(
    name="regressions",
    title="Mixtures of linear regressions",
    where="the statistics of FMLR, L 637",
    cases={f"L = {L}, two features": _case(L) for L in (2, 3)},
)

__all__ = ["EXAMPLE", "MixtureOfRegressions", "RegressionPrior"]
