"""A1 to A8 for Poisson counts on the compact 𝒮 of the kernels, for the true likelihood and for the printed one.

With R = max e^h − min e^h, the posterior variance of e^h is at most R²/4, and its derivative in θ is −e^θ times it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fedmm_edu.examples.poisson.kernel import Poisson, PoissonJoint
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place


def cells(problem: Poisson | PoissonJoint, clients: Clients) -> dict[str, Cell]:
    """Each quantity's bound on 𝒮."""
    own = _joint if isinstance(problem, PoissonJoint) else _known_mean
    return {
        "A1": Cell(0.0, "e^θ has a coefficient −s ≥ 0, and θ enters linearly"),
        "A2": Cell(0.0, "f is smooth"),
        **own(problem, clients),
        "A8": Cell(0.0, "a closed box"),
    }


def places(problem: Poisson | PoissonJoint, clients: Clients, gap: float) -> Iterator[Place]:
    """The corners of 𝒮 with neighbours, and (first strategy) two points of a ray along which T is constant."""
    low, high, step = problem.S.low, problem.S.high, min(gap, 1.0) * (problem.S.high - problem.S.low)
    yield Place(low, problem.project(low + step))
    yield Place(high, problem.project(high - step))
    if isinstance(problem, PoissonJoint):
        apex, middle = np.array([0.0, problem.lam]), (problem.S.low + problem.S.high) / 2
        yield Place(middle, problem.project(apex + (1.0 + min(gap, 0.1)) * (middle - apex)))


def _known_mean(problem: Poisson, clients: Clients) -> dict[str, Cell]:
    m, spread = problem.mean_z, problem.most - problem.least
    nearest, farthest = problem.lam - problem.most, problem.lam - problem.least  # of λ − s
    return {
        "A3": Cell(spread**2 / 4, "S̄ lies in an interval of length R"),
        "A6(i)": Cell(max(1.0, m * spread**2 / 4 / nearest**2 - 1.0), "0 ≤ h_i' + 1 ≤ (m/(λ − s)²) R²/4"),
        "A6(ii)": Cell(spread, "s and the mean of S̄ lie in an interval of length R"),
        "A7: C_star": Cell(m / nearest**3, "half the second derivative 2m/(λ − s)³ of φ∘T = m/(λ − s)"),
        "A7: C_star_star": Cell(m / nearest**2, "the derivative m/(λ − s)² at the largest s"),
        "A7: 1/v_min": Cell(farthest**2 / m, "the derivative m/(λ − s)² at the smallest s"),
    }


def _joint(problem: PoissonJoint, clients: Clients) -> dict[str, Cell]:
    """F = (ln(s₁/(λ − s₂)), s₁/(λ − s₂)); norms of its derivatives bounded entry by entry."""
    (low, least), (high, most) = problem.S.low, problem.S.high
    near, spread = problem.lam - most, most - least
    mean = float(clients.mean_S_bar(problem, np.zeros(1))[0])
    second = math.sqrt(low**-4 + near**-4 + 2 * near**-4 + 4 * high**2 * near**-6)
    return {
        "A3": Cell(max(float(z.var()) for z in clients) + spread**2 / 4, "Z has finite variance, E[e^h | Z] a range R"),
        "A6(i)": Cell(
            1.0 + spread**2 / 4 * math.hypot(1 / near, high / near**2), "the derivative of the posterior mean"
        ),
        "A6(ii)": Cell(math.hypot(max(high - mean, mean - low), spread), "𝒮 is bounded"),
        "A7: C_star": Cell(second / 2, "half the norm of D²(φ∘T)"),
        "A7: C_star_star": Cell(math.sqrt(low**-2 + 2 * near**-2 + (high / near**2) ** 2), "the norm of D(φ∘T)"),
        "A7: 1/v_min": Cell(math.inf, "q > d: T is constant along a ray of 𝒮"),
    }
