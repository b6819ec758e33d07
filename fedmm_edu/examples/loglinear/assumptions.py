"""A1 to A8 for Poisson regression on 𝒮 = ℝ₊^{2d} × ℝ^d, where T, and with it e^{RT}, is unbounded."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.convex_sets import WholeSpace
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.loglinear.kernel import LogLinear
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place


def cells(problem: LogLinear, clients: Clients) -> dict[str, Cell]:
    """Each quantity's bound on 𝒮; `InvalidInput` where T has no value on part of it, or Θ is a box."""
    if not isinstance(problem.Theta, WholeSpace):
        raise InvalidInput(
            "the cells are worked out for all θ, and here Θ is a box: over one, T and e^{RT} are bounded."
        )
    if problem.kappa == 0.0 and not problem.eta.all():
        raise InvalidInput("the cells are worked out for eta > 0 or kappa > 0: with neither, T has no value somewhere.")
    return {
        "A1": Cell(0.0, "s₁e^{Rθ} + s₂e^{−Rθ} − s₃θ with s₁, s₂ ≥ 0"),
        "A2": Cell(0.0, "f is smooth"),
        "A3": Cell(math.inf, "S̄ holds exp(⟨x, τ⟩ − Rτ_j), which grows with τ"),
        "A6(i)": Cell(math.inf, "h_i holds exp(⟨x, T⟩ − RT_j), whose slope grows with T"),
        "A6(ii)": Cell(math.inf, "𝒮 is unbounded, and s₃ + h₃ = E[yx] is not"),
        "A7: C_star": Cell(math.inf, "the second derivative of e^{RT} in s₁ grows with T"),
        "A7: C_star_star": Cell(math.inf, "the first derivative of e^{RT} in s₁ grows with T"),
        "A7: 1/v_min": Cell(math.inf, "3d > d: T is constant along s₁ if s₃ moves with it"),
        "A8": Cell(0.0, "a closed orthant times ℝ^d"),
    }


def places(problem: LogLinear, clients: Clients, gap: float) -> Iterator[Place]:
    """With e^{RT} = 1/gap: s₁ moves by the gap, or s₂ at the opposite T; and two s that have the same T."""
    d, far = problem.d, np.full(problem.d, math.log1p(1.0 / gap) / problem.R)
    for theta, block in ((far, 0), (-far, 1)):
        s = _lift(problem, 1.0, theta)
        yield Place(s, s + min(gap, 0.5) * np.repeat(np.eye(3)[block], d))
    near = np.full(d, 0.1)
    yield Place(_lift(problem, 1.0, near), _lift(problem, 1.0 + gap, near))


def _lift(problem: LogLinear, size: float, theta: Array) -> Array:
    """The s with s₁ = s₂ = size and T(s) = θ."""
    both, R = size + problem.kappa, problem.R
    third = R * both * 2.0 * np.sinh(R * theta) + problem.eta * theta
    return np.concatenate([np.full(2 * problem.d, size), third])
