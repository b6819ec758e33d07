"""A1 to A8 for the quadratic surrogate on 𝒮 = ℝ^d: φ∘T = prox_{ρg}/ρ, h_i = (I − ρ∇f_i)∘prox_{ρg} − I.

For mI ⪯ ∇²g ⪯ MI, the derivative P of prox_{ρg} = (I + ρ∂g)⁻¹ is symmetric with eigenvalues from 1/(1 + ρM) to
1/(1 + ρm); where ∇²g has the Lipschitz constant b, P has ρb/(1 + ρm)³. What is particular to a penalty or a loss stands
in its class.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fedmm_edu.examples.quadratic.kernel import Quadratic
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place

KINKED = "prox_{ρg} has a kink, at which no matrix B(s) leaves a remainder of second order"
FLAT = "the curvature of g has no bound, so that prox_{ρg} is as good as constant somewhere"


def cells(problem: Quadratic, clients: Clients) -> dict[str, Cell]:
    """Each quantity's bound, from the eigenvalues of ∇²f_i and the facts of g.

    A6(i): h_i has the derivative (I − ρ∇²f_i)P − I. With the mean c of the least and the largest eigenvalue of P, and
    half their difference r, that is at most ‖c(I − ρ∇²f_i) − I‖ + r ≤ 1 + r, for 0 ⪯ I − ρ∇²f_i ⪯ I and 0 < c ≤ 1.
    """
    rho, g = problem.rho, problem.penalty.facts(problem.d)
    shrink, most = 1.0 + rho * g.least, 1.0 + rho * g.most
    flat = g.most == math.inf
    gradient = _gradient_bound(problem, clients)
    return {
        "A1": Cell(0.0, "‖θ‖²/(2ρ) − ⟨s, θ⟩/ρ is convex"),
        "A2": Cell(0.0, "f is smooth"),
        "A3": Cell(
            rho**2 * gradient**2, "the slope of ℓ " + ("is bounded on Θ" if gradient < math.inf else "grows with θ")
        ),
        "A6(i)": Cell(1.0 + (1.0 / shrink - 1.0 / most) / 2.0, "0 ⪯ I − ρ∇²f_i ⪯ I, and the eigenvalues of P"),
        "A6(ii)": Cell(rho * (gradient + g.pull), _field_reason(gradient, g.pull)),
        "A7: C_star": Cell(g.bend / 2.0 / shrink / shrink / shrink, _bend_reason(g.bend)),
        "A7: C_star_star": Cell(
            1.0 / (rho * shrink), "prox_{ρg} is Lipschitz with the constant 1/(1 + ρ·least curvature of g)"
        ),
        "A7: 1/v_min": Cell(rho * most, FLAT if flat else "prox_{ρg} has slopes ≥ 1/(1 + ρ·largest curvature of g)"),
        "A8": Cell(0.0, "𝒮 = ℝ^d"),
    }


def places(problem: Quadratic, clients: Clients, gap: float) -> Iterator[Place]:
    """Surrogates on both sides of a kink of prox_{ρg}, and two between which it does not change."""
    for s, t in problem.penalty.kinks(problem.d, problem.rho, gap):
        yield Place(s, t)


def _gradient_bound(problem: Quadratic, clients: Clients) -> float:
    """A bound on ‖∇ℓ(Z, θ)‖ over all samples and all θ in Θ, or inf."""
    x, y, reach = np.abs(clients.z[:, :-1]), clients.z[:, -1], problem.penalty.facts(problem.d).reach
    total = x.sum(axis=1)
    fitted = np.multiply(total, reach, where=total > 0, out=np.zeros_like(total))  # 0 where x = 0, though reach be inf
    return float((problem.smooth_loss.steepest(fitted, y) * np.linalg.norm(x, axis=1)).max())


def _field_reason(gradient: float, pull: float) -> str:
    """‖h‖ ≤ ρ sup‖∇f‖ + sup‖prox(s) − s‖."""
    if gradient == math.inf:
        return "∇f grows with θ"
    return "∇f and prox(s) − s are bounded" if pull < math.inf else "prox(s) − s grows with s"


def _bend_reason(bend: float) -> str:
    if bend == 0.0:
        return "prox_{ρg} is linear"
    return KINKED if bend == math.inf else "P has a Lipschitz constant, of which C_⋆ is 1/(2ρ)"
