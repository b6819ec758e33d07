"""Poisson regression with a separable majoriser, which Jensen's inequality gives."""

import numpy as np

from fedmm_edu.examples.loglinear.kernel import LogLinear, radius
from fedmm_edu.examples.registry import Case, Example

_D = 3


def _draw_z(rng, n):
    x = rng.uniform(-1.0, 1.0, (n, _D))
    return np.column_stack([x, rng.poisson(np.exp(x @ [0.8, -0.5, 0.3]))]).astype(np.float64)


def _draw_theta(rng):
    return 0.7 * rng.normal(size=_D)


EXAMPLE = Example(
    name="loglinear",
    title="Poisson regression",
    where="a Jensen surrogate, as in `ex:EM`",
    cases={
        "ridge": Case(_draw_z, _draw_theta, lambda clients: LogLinear(_D, radius(clients), eta=0.2)),
        "cosh": Case(_draw_z, _draw_theta, lambda clients: LogLinear(_D, radius(clients), kappa=0.05)),
    },
)

__all__ = ["EXAMPLE", "LogLinear", "radius"]
