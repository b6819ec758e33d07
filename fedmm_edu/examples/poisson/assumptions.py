"""A1 to A8 for Poisson counts on the compact 𝒮 of the kernels, for the true likelihood and for the printed one.

With R = max e^h − min e^h, the posterior variance of e^h is at most R²/4, and its derivative in θ is −e^θ times it.
What is particular to a strategy stands in its kernel.
"""

from __future__ import annotations

from collections.abc import Iterator

from fedmm_edu.convex_sets import Box
from fedmm_edu.examples.poisson.kernel import PoissonEM
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place


def cells(problem: PoissonEM, clients: Clients) -> dict[str, Cell]:
    """Each quantity's bound on 𝒮."""
    return {
        "A1": Cell(0.0, "e^θ has a coefficient −s ≥ 0, and θ enters linearly"),
        "A2": Cell(0.0, "f is smooth"),
        **problem.bounds(clients),
        "A8": Cell(0.0, "a closed box"),
    }


def places(problem: PoissonEM, clients: Clients, gap: float) -> Iterator[Place]:
    """The corners of 𝒮 with neighbours, and what the strategy adds."""
    box = Box.of(problem.S)
    low, high, step = box.low, box.high, min(gap, 1.0) * (box.high - box.low)
    yield Place(low, problem.project(low + step))
    yield Place(high, problem.project(high - step))
    yield from problem.flat_places(gap)
