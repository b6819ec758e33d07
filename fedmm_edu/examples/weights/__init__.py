"""EM for the weights of a mixture of known Gaussians: A7 holds, and 𝒮 has corners."""

from functools import partial

import numpy as np

from fedmm_edu.examples.registry import Case, Example
from fedmm_edu.examples.weights.kernel import MixtureWeights


def _draw_z(rng, n, *, means):
    return rng.choice(means, (n, 1)) + rng.normal(size=(n, 1))


def _draw_theta(rng, *, L):
    """Weights of at least 0.3/L: nearer to 0, finite differences of log θ say nothing."""
    return 0.7 * rng.dirichlet(np.full(L, 2.0)) + 0.3 / L


def _case(means, lam):
    means = np.array(means)
    return Case(
        draw_z=partial(_draw_z, means=means),
        draw_theta=partial(_draw_theta, L=len(means)),
        problem=lambda clients: MixtureWeights(means, lam),
        smooth_g=False,  # g holds the constraint Σ θ = 1, so that single coordinates have no slope
    )


EXAMPLE = Example(
    name="weights",
    title="EM for the weights of a mixture",
    where="our own, after Appendix C.2",
    cases={
        "three components": _case([-1.0, 0.5, 2.0], 0.3),
        "five components": _case([-4.0, -2.0, 0.0, 2.0, 4.0], 0.05),
    },
)

__all__ = ["EXAMPLE", "MixtureWeights"]
