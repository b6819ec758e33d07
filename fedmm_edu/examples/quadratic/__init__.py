"""Example 1: gradient and proximal-gradient steps as quadratic surrogates."""

from functools import partial

import numpy as np

from fedmm_edu.examples.quadratic.kernel import Quadratic, admissible_rho
from fedmm_edu.examples.quadratic.losses import LeastSquares, Logistic, Loss
from fedmm_edu.examples.quadratic.penalties import (
    L1,
    BoxConstraint,
    ElasticNet,
    GroupL1,
    Penalty,
    Ridge,
    Zero,
)
from fedmm_edu.examples.registry import Case, Example

_D = 4
_PENALTIES: dict[str, Penalty] = {
    "zero": Zero(),
    "ridge": Ridge(0.7),
    "l1": L1(0.15),
    "elastic-net": ElasticNet(0.1, 0.4),
    "box": BoxConstraint(-0.5, 0.8),
    "group-l1": GroupL1(0.2, ((0, 2), (1,))),
}


def _draw_z(rng, n, *, loss):
    x = rng.uniform(-1.0, 1.0, (n, _D))
    y = rng.normal(size=n) if isinstance(loss, LeastSquares) else rng.choice([-1.0, 1.0], n)
    return np.column_stack([x, y])


def _draw_theta(rng, *, penalty):
    return penalty.domain(_D).project(rng.normal(size=_D))


def _problem(clients, *, loss, penalty):
    return Quadratic(_D, admissible_rho(loss, clients), loss, penalty)


EXAMPLE = Example(
    name="quadratic",
    title="The quadratic surrogate",
    where="Example 1, `ex:gdt`",
    cases={
        f"{loss_name}, {name}": Case(
            draw_z=partial(_draw_z, loss=loss),
            draw_theta=partial(_draw_theta, penalty=penalty),
            problem=partial(_problem, loss=loss, penalty=penalty),
            smooth_g=name in ("zero", "ridge"),
        )
        for loss_name, loss in (("least squares", LeastSquares()), ("logistic", Logistic()))
        for name, penalty in _PENALTIES.items()
    },
)

__all__ = [
    "EXAMPLE",
    "L1",
    "BoxConstraint",
    "ElasticNet",
    "GroupL1",
    "LeastSquares",
    "Logistic",
    "Loss",
    "Penalty",
    "Quadratic",
    "Ridge",
    "Zero",
    "admissible_rho",
]
