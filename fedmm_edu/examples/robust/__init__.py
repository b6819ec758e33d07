"""Section 2.3: Huber regression as a variational surrogate, and a loss of the same family that is not convex."""

import numpy as np

from fedmm_edu.examples.registry import Case, Example
from fedmm_edu.examples.robust.forms import FORMS
from fedmm_edu.examples.robust.kernel import RobustRegression
from fedmm_edu.examples.robust.losses import EACH_ROBUST_LOSS, GemanMcClure, Huber, PseudoHuber, RobustLoss

_D = 2


def _draw_z(rng, n):
    """A line with noise, and one sample in ten far from it."""
    x = rng.uniform(-1.0, 1.0, (n, _D))
    y = x @ np.array([1.0, -0.5]) + 0.2 * rng.normal(size=n) + 5.0 * (rng.uniform(size=n) < 0.1)
    return np.column_stack([x, y])


def _draw_theta(rng):
    return rng.normal(size=_D)


def _case(rho, form):
    return Case(draw_z=_draw_z, draw_theta=_draw_theta, problem=lambda clients: RobustRegression(_D, 0.1, rho, form))


EXAMPLE = Example(
    name="robust",
    title="Robust regression",
    where="Section 2.3, `ex:SurrogateCvx`",
    cases={f"{rho.name}, {form}": _case(rho, form) for rho in EACH_ROBUST_LOSS for form in FORMS},
)

__all__ = ["EXAMPLE", "GemanMcClure", "Huber", "PseudoHuber", "RobustLoss", "RobustRegression"]
