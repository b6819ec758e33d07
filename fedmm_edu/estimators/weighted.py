"""The surrogate of a model for samples of another form; rows with weights, which carry one in a last column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.estimators.fitting import FitTask
from fedmm_edu.estimators.rows import ClientRows
from fedmm_edu.surrogate import Surrogate


class OtherSamples(Surrogate):
    """A problem with another S̄ and loss, for other samples: φ, ψ, g, T and both sets are those of `problem`."""

    def __init__(self, problem: Surrogate) -> None:
        self.problem = problem
        self.S, self.Theta = problem.S, problem.Theta

    def T(self, s: Array) -> Array:
        return self.problem.T(s)

    def phi(self, theta: Array) -> Array:
        return self.problem.phi(theta)

    def psi(self, theta: Array) -> float:
        return self.problem.psi(theta)

    def g(self, theta: Array) -> float:
        return self.problem.g(theta)


class Weighted(OtherSamples):
    """ℓ((z, w), θ) = wℓ(z, θ) and S̄((z, w), τ) = wS̄(z, τ) for samples (z, w), where the mean of w over a client is 1.

    So E_{π_i} of both is the weighted mean of `problem` over the client, in 𝒮 as a convex combination, and MM-1 holds
    for each f_i.
    """

    def S_bar(self, z: Array, theta: Array) -> Array:
        return z[:, -1:] * self.problem.S_bar(z[:, :-1], theta)

    def mean_S_bar(self, z: Array, theta: Array, weights: Array | None = None) -> Array:
        shares = z[:, -1] / len(z) if weights is None else z[:, -1] * weights
        return self.problem.mean_S_bar(np.ascontiguousarray(z[:, :-1]), theta, shares)

    def loss(self, z: Array, theta: Array) -> Array:
        return z[:, -1] * self.problem.loss(z[:, :-1], theta)


def weighted(rows: ClientRows, task: FitTask) -> FitTask:
    """The task with the weights of its rows; itself where all are equal."""
    if rows.weights is None:
        return task
    z = np.column_stack([task.clients.z, rows.local])
    return replace(
        task, problem=Weighted(task.problem), clients=rows.clients(z), plain=task.plain, of=task.of,
        foreign="the example's formula is that of rows without weights",
    )  # fmt: skip
