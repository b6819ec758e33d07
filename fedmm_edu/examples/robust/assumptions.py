"""A1 to A8 for robust regression on 𝒮 = 𝓜_d⁺ × ℝ^d, d ≥ 2: T(s) = (s₁ + ηI)⁻¹s₂ and φ∘T = (−½TTᵀ, T).

T is unbounded on this 𝒮, and so is its derivative in s₁, U ↦ −(s₁ + ηI)⁻¹U T. On a bounded 𝒮 all quantities but
1/v_min are bounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.robust.forms import FORMS
from fedmm_edu.examples.robust.kernel import RobustRegression
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place, worst_mean


def cells(problem: RobustRegression, clients: Clients) -> dict[str, Cell]:
    """Each quantity's bound on 𝒮; `InvalidInput` for d = 1 or η = 0, which are not worked out."""
    if problem.d < 2 or problem.eta == 0.0:
        raise InvalidInput(f"d = {problem.d}, eta = {problem.eta}: the cells are worked out for d >= 2 and eta > 0.")
    field = "h_i depends on T in directions in which T has unbounded slopes: along s₁, for T across the sample's x"
    return {
        "A1": Cell(0.0, "½θᵀs₁θ − ⟨s₂, θ⟩ with s₁ ⪰ 0"),
        "A2": Cell(0.0, "ρ is continuously differentiable"),
        "A3": _variance(problem, clients),
        "A6(i)": Cell(math.inf, field),
        "A6(ii)": Cell(math.inf, "𝒮 is unbounded, and s₁ + h₁ = E[w xxᵀ] with w ≤ 1 is not"),
        "A7: C_star": Cell(math.inf, "the second derivative of TTᵀ grows with T"),
        "A7: C_star_star": Cell(math.inf, "the first derivative of TTᵀ grows with T"),
        "A7: 1/v_min": Cell(math.inf, "d(d + 1)/2 + d > d: T is constant where s₂ = (s₁ + ηI)θ"),
        "A8": Cell(0.0, "a closed convex cone times ℝ^d, with its nearest point"),
    }


def places(problem: RobustRegression, clients: Clients, gap: float) -> Iterator[Place]:
    """With R = 1/gap: s₁ moves by the gap where T has length R; and two s that have the same T."""
    gap, eye = min(gap, 0.5), np.eye(problem.d)
    along, across, fitted = _sample(problem, clients)
    theta = fitted * along + across / gap
    turn = np.outer(along, across) + np.outer(across, along)
    s = _lift(problem, eye, theta)
    yield Place(s, s - np.concatenate([gap * turn.ravel(), np.zeros(problem.d)]))
    s = _lift(problem, 0 * eye, theta)
    yield Place(s, s + np.concatenate([gap * eye.ravel(), np.zeros(problem.d)]))
    yield Place(_lift(problem, eye, along), _lift(problem, (1.0 + gap) * eye, along))


def _lift(problem: RobustRegression, s1: Array, theta: Array) -> Array:
    """The s with this first block and T(s) = θ."""
    return np.concatenate([s1.ravel(), (s1 + problem.eta * np.eye(problem.d)) @ theta])


def _sample(problem: RobustRegression, clients: Clients) -> tuple[Array, Array, float]:
    """Of the longest x: its direction, a direction across it, and the slope at which |r| is twice ρ's scale."""
    x, y = clients.z[:, :-1], clients.z[:, -1]
    j = int(np.argmax(np.linalg.norm(x, axis=1)))
    length = float(np.linalg.norm(x[j]))
    along = x[j] / length
    across = np.eye(problem.d)[np.argmin(np.abs(along))]
    across = across - (across @ along) * along
    return along, across / np.linalg.norm(across), float(y[j] - 2.0 * problem.rho.scale) / length


def _variance(problem: RobustRegression, clients: Clients) -> Cell:
    form, length = FORMS[problem.form], (clients.z[:, :-1] ** 2).sum(axis=1)
    return Cell(worst_mean(clients, form.size(length, clients.z[:, -1])), form.why)
