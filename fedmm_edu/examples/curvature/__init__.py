"""Second-order surrogates: the fixed bound of Böhning and Lindsay, and Newton's method, which does not majorise."""

from functools import partial

import numpy as np

from fedmm_edu.examples.curvature.kernel import SecondOrder
from fedmm_edu.examples.curvature.matrices import CURVATURES
from fedmm_edu.examples.quadratic import EACH_LOSS, LeastSquares
from fedmm_edu.examples.registry import Case, Example

_P = 2


def _draw_z(rng, n, *, loss):
    return np.column_stack([rng.uniform(-1.5, 1.5, (n, _P)), loss.draw(rng, n)])


def _draw_theta(rng, *, loss):
    return rng.normal(size=_P * loss.outputs)


def _problem(clients, *, loss, form):
    return SecondOrder(_P * loss.outputs, 0.1, loss, form)


EXAMPLE = Example(
    name="curvature",
    title="Second-order surrogates",
    where="“directly analogous”, L 659",
    cases={
        f"{loss.name}, {form.name}": Case(
            draw_z=partial(_draw_z, loss=loss),
            draw_theta=partial(_draw_theta, loss=loss),
            problem=partial(_problem, loss=loss, form=form.name),
            majorizes=form.majorizes,
        )
        for form in CURVATURES.values()
        for loss in EACH_LOSS
        if form.majorizes or loss != LeastSquares()  # there the two are one
    },
)

__all__ = ["CURVATURES", "EXAMPLE", "SecondOrder"]
