"""A1 to A8 for Gaussian mixtures on the unbounded 𝒮 of the kernels, for L ≥ 2.

What is particular to a kernel, and its reasons, stand there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.mixture.kernel import MixtureEM
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import QUANTITIES, Cell, Place


def cells(problem: MixtureEM, clients: Clients) -> dict[str, Cell]:
    """Each quantity's bound on 𝒮; `InvalidInput` for one component, which is not worked out."""
    if problem.L < 2:
        raise InvalidInput("the cells of a mixture are worked out for L >= 2: give two components at least.")
    found = {
        "A2": Cell(0.0, "the logarithm of a sum of smooth positive densities"),
        "A6(ii)": Cell(math.inf, "𝒮 is unbounded, and s + h(s) = E[S̄] is bounded by the data"),
        "A8": Cell(0.0, "closed and convex, with its nearest point"),
        **problem.bounds(clients),
    }
    return {name: found[name] for name in QUANTITIES}


def places(problem: MixtureEM, clients: Clients, gap: float) -> Iterator[Place]:
    """Means at a distance of 1/gap; two s with equal or nearly equal T."""
    return problem.places(clients, min(gap, 0.1))
