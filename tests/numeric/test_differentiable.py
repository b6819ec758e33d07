"""`Differentiable`: a loss given by values and gradients is the same surrogate, and too long a ρ is seen."""

import numpy as np
import pytest

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.quadratic import (
    L1,
    Differentiable,
    LeastSquares,
    Logistic,
    Quadratic,
    admissible_rho,
    longest_rho,
)
from fedmm_edu.federation import Clients


def given(loss):
    """Values and gradients of a loss of the package."""

    def of(z, theta):
        u = z[:, :-1] @ theta
        return loss.value(u, z[:, -1]), loss.slope(u, z[:, -1])[:, None] * z[:, :-1]

    return of


def data(loss, seed=0):
    rng = np.random.default_rng(seed)
    x = [rng.normal(size=(n, 3)) for n in (20, 40)]
    return Clients.of([np.column_stack([rows, loss.draw(rng, len(rows))]) for rows in x]), rng.normal(size=(30, 3))


@pytest.mark.parametrize("loss", [LeastSquares(), Logistic()], ids=lambda loss: loss.name)
def test_it_is_the_quadratic_surrogate(loss):
    clients, points = data(loss)
    rho = admissible_rho(loss, clients)
    mine, theirs = Differentiable(3, rho, given(loss), L1(0.1)), Quadratic(3, rho, loss, L1(0.1))
    z = clients.pooled()[0]
    for theta in points:
        np.testing.assert_allclose(mine.S_bar(z, theta), theirs.S_bar(z, theta), rtol=1e-12)
        np.testing.assert_allclose(mine.loss(z, theta), theirs.loss(z, theta), rtol=1e-12)
        for name in ("T", "phi", "psi", "g", "grad_psi"):
            np.testing.assert_array_equal(getattr(mine, name)(theta), getattr(theirs, name)(theta))
    assert mine.refuted(clients, points) == ""
    assert "choose a smaller rho" in Differentiable(3, 8 * rho, given(loss)).refuted(clients, points)
    assert longest_rho(given(loss), clients, points, share=1.0) >= rho * (1 - 1e-12)


def test_wrong_shapes_and_points_are_refused():
    clients, points = data(LeastSquares())
    z, flat = clients[0], lambda z, theta: (np.zeros(len(z)), np.zeros((len(z), 3)))
    with pytest.raises(InvalidInput, match="the gradients of the loss"):
        Differentiable(3, 1.0, lambda z, theta: (np.zeros(len(z)), np.zeros(3))).S_bar(z, points[0])
    with pytest.raises(InvalidInput, match="the loss is linear there"):
        longest_rho(flat, clients, points)
    with pytest.raises(InvalidInput, match="two at least"):
        longest_rho(flat, clients, points[:1])
