"""A1 to A8 for the weights of a mixture on the simplex: φ∘T(s) = log((s + λ)/(1 + Lλ)), coordinate by coordinate.

S̄ = r has the derivative diag(r) − rrᵀ ⪯ ½I in log τ, and log T(s) has diag(1/(s + λ)) in s.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fedmm_edu.examples.weights.kernel import MixtureWeights
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place


def cells(problem: MixtureWeights, clients: Clients) -> dict[str, Cell]:
    """Each quantity's bound on 𝒮."""
    lam, L = problem.lam, problem.q
    return {
        "A1": Cell(0.0, "−Σ s_ℓ log θ_ℓ with s ≥ 0"),
        "A2": Cell(0.0, "the logarithm of a positive linear function"),
        "A3": Cell(1.0 - 1.0 / L, "‖S̄‖² ≤ 1, and its mean, a point of the simplex, has norm² ≥ 1/L"),
        "A6(i)": Cell(1.0 + 0.5 / lam, "‖diag(r) − rrᵀ‖ ≤ ½, and 1/(s + λ) ≤ 1/λ"),
        "A6(ii)": Cell(math.sqrt(2.0), "s and the mean of S̄ lie in the simplex, whose diameter is √2"),
        "A7: C_star": Cell(0.5 / lam**2, "half the second derivative −1/(s + λ)² of φ∘T"),
        "A7: C_star_star": Cell(1.0 / lam, "the derivative 1/(s + λ) at s = 0"),
        "A7: 1/v_min": Cell(1.0 + lam, "the derivative 1/(s + λ) at s = 1"),
        "A8": Cell(0.0, "a compact convex set, with its nearest point"),
    }


def places(problem: MixtureWeights, clients: Clients, gap: float) -> Iterator[Place]:
    """Near a corner, where two weights vanish; and the middle of an edge, along it."""
    eye, step = np.eye(problem.q), min(gap, 0.5)
    corner, edge = eye[-1], (eye[0] + eye[1]) / 2
    yield Place(corner, corner + step * (eye[0] - corner))
    yield Place(corner + step * (eye[0] - corner), corner + step * (eye[1] - corner))
    yield Place(edge + step / 2 * (eye[0] - eye[1]), edge - step / 2 * (eye[0] - eye[1]))
