"""The simulated E-step of SAEM (Delyon, Lavielle and Moulines 1999): labels are drawn, not averaged over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array, Names, Offsets, counts_of
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.examples.mixture.kernel import MixtureEM
from fedmm_edu.federation import Clients, Draws, Oracle, Purpose
from fedmm_edu.rows import segment_means
from fedmm_edu.surrogate import Surrogate


@dataclass(frozen=True)
class SimulatedLabels(Oracle):
    """(1/m) Σ_k S(Z, h_k) over all of the client's samples, labels h_1, …, h_m drawn from the posterior given Z and θ.

    Given θ it has the mean E_{π_i}[S̄(Z, θ)], so it is an oracle of A3; its variance falls as 1/m.
    """

    m: int = 1

    def __post_init__(self) -> None:
        as_count("m", self.m)

    def rows(self, clients: Clients, draws: Draws) -> tuple[Names, Offsets]:
        return clients.rows(draws.clients)

    def check(self, problem: Surrogate, n: int) -> None:
        _mixture(problem)

    def __call__(self, problem: Surrogate, clients: Clients, theta: Array, draws: Draws) -> Array:
        mixture = _mixture(problem)
        names, offsets = self.rows(clients, draws)
        z, sizes = clients.z[names], counts_of(offsets)
        uniforms = draws(Purpose.LATENT, self.m * int(sizes.max()))
        mine = np.arange(uniforms.shape[1]) < self.m * sizes[:, None]  # the first m N_i draws of client i
        labels = draw_labels(mixture.responsibilities(z, theta), uniforms[mine].reshape(len(z), self.m))
        return segment_means(mixture.statistics(z, labels), offsets)


def _mixture(problem: Surrogate) -> MixtureEM:
    if not isinstance(problem, MixtureEM):
        raise InvalidInput(f"SimulatedLabels draws the labels of a mixture, and {type(problem).__name__} is none.")
    return problem


def draw_labels(responsibilities: Array, uniforms: Array) -> Array:
    """How often each label is drawn from its law, shape (N, L), as a share of the uniforms (N, m): by inversion.

    >>> draw_labels(np.array([[0.2, 0.8]]), np.array([[0.1, 0.3]]))
    array([[0.5, 0.5]])
    """
    ends = np.cumsum(responsibilities[:, :-1], axis=1)
    chosen = (uniforms[:, :, None] >= ends[:, None, :]).sum(axis=2)
    return (chosen[:, :, None] == np.arange(responsibilities.shape[1])).mean(axis=1)
