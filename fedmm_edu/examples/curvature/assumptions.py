"""A1 to A8 for second-order surrogates on 𝒮 = ℝ^d × 𝓜_d⁺: T(s) = (s₂ + diag η)⁻¹s₁ and φ∘T = (T, −½TTᵀ).

T is unbounded on this 𝒮, and so is its derivative in s₂, U ↦ −(s₂ + diag η)⁻¹U T. On a bounded 𝒮 all quantities but
1/v_min are bounded. For least squares S̄ does not depend on τ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.curvature.kernel import SecondOrder
from fedmm_edu.examples.curvature.matrices import CURVATURES
from fedmm_edu.examples.symmetric import svec
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place, worst_mean


def cells(problem: SecondOrder, clients: Clients) -> dict[str, Cell]:
    """Each quantity's bound on 𝒮; `InvalidInput` for one feature or a zero in η, which are not worked out."""
    if problem.features < 2 or not problem.eta.all():
        raise InvalidInput(
            f"{problem.features} features, eta = {problem.eta}: the cells are worked out for two features and eta > 0."
        )
    exact = problem.smooth_loss.bent(0.0) is None
    field = "h_i depends on T in directions in which T has unbounded slopes: along s₂, for T across the sample's x"
    return {
        "A1": Cell(0.0, "½θᵀs₂θ − ⟨s₁, θ⟩ with s₂ ⪰ 0"),
        "A2": Cell(0.0, "c is continuously differentiable"),
        "A3": _variance(problem, clients),
        "A6(i)": Cell(1.0, "S̄ does not depend on τ, so h_i(s) = E[S̄] − s") if exact else Cell(math.inf, field),
        "A6(ii)": Cell(math.inf, "𝒮 is unbounded, and E[H] is bounded by the data"),
        "A7: C_star": Cell(math.inf, "the second derivative of TTᵀ grows with T"),
        "A7: C_star_star": Cell(math.inf, "the first derivative of TTᵀ grows with T"),
        "A7: 1/v_min": Cell(math.inf, "d + d(d + 1)/2 > d: T is constant where s₁ = (s₂ + diag η)θ"),
        "A8": Cell(0.0, "ℝ^d times a closed convex cone, with its nearest point"),
    }


def places(problem: SecondOrder, clients: Clients, gap: float) -> Iterator[Place]:
    """With R = 1/gap: s₂ moves by the gap where T has length R; and two s that have the same T."""
    gap, eye = min(gap, 0.5), np.eye(problem.d)
    along, across, fitted = _sample(problem, clients)
    theta = fitted * along + across / gap
    turn = np.outer(along, across) + np.outer(across, along)
    still = np.zeros(problem.d)
    s = _lift(problem, eye, theta)
    yield Place(s, s - gap * np.concatenate([still, svec(turn)]))
    s = _lift(problem, 0 * eye, theta)
    yield Place(s, s + gap * np.concatenate([still, svec(eye)]))
    yield Place(_lift(problem, eye, along), _lift(problem, (1.0 + gap) * eye, along))


def _lift(problem: SecondOrder, s2: Array, theta: Array) -> Array:
    """The s with this matrix and T(s) = θ."""
    return np.concatenate([(s2 + np.diag(problem.eta)) @ theta, svec(s2)])


def _sample(problem: SecondOrder, clients: Clients) -> tuple[Array, Array, float]:
    """Of the longest x: its direction in the first output, one across it, and the slope at which the loss bends."""
    x, y = clients.z[:, :-1], clients.z[:, -1]
    j = int(np.argmax(np.linalg.norm(x, axis=1)))
    length = float(np.linalg.norm(x[j]))
    along = x[j] / length
    across = np.eye(problem.features)[np.argmin(np.abs(along))]
    across = across - (across @ along) * along
    output = np.eye(problem.smooth_loss.outputs)[0]
    bent = problem.smooth_loss.bent(float(y[j])) or 0.0
    return np.kron(along, output), np.kron(across / np.linalg.norm(across), output), bent / length


def _variance(problem: SecondOrder, clients: Clients) -> Cell:
    """‖S̄‖² = ‖x‖²‖Au − ∂c/∂u‖² + ‖x‖⁴‖A‖², and ‖A‖ ≤ ‖M‖ for 0 ⪯ A ⪯ M."""
    length, loss = (clients.z[:, :-1] ** 2).sum(axis=1), problem.smooth_loss
    pull = CURVATURES[problem.form].size(loss, clients.z[:, -1])
    squares = np.multiply(length, pull**2, where=length > 0, out=np.zeros_like(length))
    bound = worst_mean(clients, squares + length**2 * float((loss.most() ** 2).sum()))
    return Cell(bound, "Au − ∂c/∂u is bounded" if bound < math.inf else "Au − ∂c/∂u grows with u")
