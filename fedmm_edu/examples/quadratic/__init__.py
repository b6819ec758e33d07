"""Example 1: gradient and proximal-gradient steps as quadratic surrogates."""

import math
from functools import partial

import numpy as np

from fedmm_edu.examples.quadratic.differentiable import Differentiable, longest_rho
from fedmm_edu.examples.quadratic.kernel import Quadratic, admissible_rho
from fedmm_edu.examples.quadratic.losses import EACH_LOSS, HuberLoss, LeastSquares, Logistic, Loss, Multinomial
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
    WeightedElasticNet,
    WeightedRidge,
    Zero,
)
from fedmm_edu.examples.registry import Case, Example

_D = 4


_EVERYWHERE = ("zero", "l1")
"""The penalties that every loss is tried with; those of Example 1, least squares and logistic, are with each."""
_PAIRS = [
    (loss, penalty)
    for loss in EACH_LOSS
    for penalty in EACH_PENALTY
    if loss in (LeastSquares(), Logistic()) or penalty.name in _EVERYWHERE
]


def _draw_z(rng, n, *, loss):
    x = rng.uniform(-1.0, 1.0, (n, loss.features(_D)))
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
        for loss, penalty in _PAIRS
    },
)

__all__ = [
    "EACH_LOSS",
    "EACH_PENALTY",
    "EXAMPLE",
    "L1",
    "BoxConstraint",
    "Differentiable",
    "ElasticNet",
    "Facts",
    "GroupL1",
    "HuberLoss",
    "LeastSquares",
    "Logistic",
    "Loss",
    "Multinomial",
    "Penalty",
    "Quadratic",
    "Ridge",
    "Twin",
    "WeightedElasticNet",
    "WeightedRidge",
    "Zero",
    "admissible_rho",
    "longest_rho",
]
