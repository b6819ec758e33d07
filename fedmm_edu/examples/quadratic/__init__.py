"""Example 1: gradient and proximal-gradient steps as quadratic surrogates."""

import math
from functools import partial

import numpy as np

from fedmm_edu.examples.quadratic.kernel import Quadratic, admissible_rho
from fedmm_edu.examples.quadratic.losses import EACH_LOSS, LeastSquares, Logistic, Loss
from fedmm_edu.examples.quadratic.penalties import (
    EACH_PENALTY,
    L1,
    BoxConstraint,
    ElasticNet,
    Facts,
    GroupL1,
    Penalty,
    Ridge,
    Twin,
    WeightedRidge,
    Zero,
)
from fedmm_edu.examples.registry import Case, Example

_D = 4


def _draw_z(rng, n, *, loss):
    x = rng.uniform(-1.0, 1.0, (n, _D))
    return np.column_stack([x, loss.draw(rng, n)])


def _draw_theta(rng, *, penalty):
    return penalty.domain(_D).project(rng.normal(size=_D))


def _problem(clients, *, loss, penalty):
    return Quadratic(_D, admissible_rho(loss, clients), loss, penalty)


EXAMPLE = Example(
    name="quadratic",
    title="The quadratic surrogate",
    where="Example 1, `ex:gdt`",
    cases={
        f"{loss.name}, {penalty.name}": Case(
            draw_z=partial(_draw_z, loss=loss),
            draw_theta=partial(_draw_theta, penalty=penalty),
            problem=partial(_problem, loss=loss, penalty=penalty),
            smooth_g=penalty.facts(_D).most < math.inf,
        )
        for loss in EACH_LOSS
        for penalty in EACH_PENALTY
    },
)

__all__ = [
    "EACH_LOSS",
    "EACH_PENALTY",
    "EXAMPLE",
    "L1",
    "BoxConstraint",
    "ElasticNet",
    "Facts",
    "GroupL1",
    "LeastSquares",
    "Logistic",
    "Loss",
    "Penalty",
    "Quadratic",
    "Ridge",
    "Twin",
    "WeightedRidge",
    "Zero",
    "admissible_rho",
]
