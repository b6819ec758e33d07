"""A1 to A8 for the quadratic surrogate on 𝒮 = ℝ^d: φ∘T = prox_{ρg}/ρ, h_i = (I − ρ∇f_i)∘prox_{ρg} − I."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fedmm_edu.examples.quadratic.kernel import Quadratic
from fedmm_edu.examples.quadratic.losses import LeastSquares
from fedmm_edu.examples.quadratic.penalties import L1, BoxConstraint, ElasticNet, GroupL1, Penalty, Ridge, Zero
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place

KINKED = "prox_{ρg} has a kink, at which no matrix B(s) leaves a remainder of second order"
FLAT = "prox_{ρg} is constant on a set with interior points"


def cells(problem: Quadratic, clients: Clients) -> dict[str, Cell]:
    """Each quantity's bound from the eigenvalues of ∇²f_i and the slopes of prox_{ρg}."""
    rho, penalty = problem.rho, problem.penalty
    linear = isinstance(penalty, Zero | Ridge)
    shrink = 1.0 + rho * _curvature(penalty)
    steep, why = 1.0 / (rho * shrink), "prox_{ρg} is Lipschitz with the constant 1/(1 + ρ·curvature of g)"
    return {
        "A1": Cell(0.0, "‖θ‖²/(2ρ) − ⟨s, θ⟩/ρ is convex"),
        "A2": Cell(0.0, "f is smooth"),
        "A3": _variance(problem, clients),
        "A6(i)": Cell(1.0 if linear else 2.0, "0 ⪯ I − ρ∇²f_i ⪯ I, and prox and I − prox are nonexpansive"),
        "A6(ii)": _field(problem, clients),
        "A7: C_star": Cell(0.0, "prox_{ρg} is linear") if linear else Cell(math.inf, KINKED),
        "A7: C_star_star": Cell(steep, why),
        "A7: 1/v_min": Cell(rho * shrink, "prox_{ρg} is a multiple of I") if linear else Cell(math.inf, FLAT),
        "A8": Cell(0.0, "𝒮 = ℝ^d"),
    }


def places(problem: Quadratic, clients: Clients, gap: float) -> Iterator[Place]:
    """Surrogates on both sides of a kink of prox_{ρg}, and two between which it does not change."""
    d, rho, penalty = problem.d, problem.rho, problem.penalty
    kink, step = np.zeros(d), np.zeros(d)
    if isinstance(penalty, L1 | ElasticNet):
        kink[0] = rho * (penalty.lam if isinstance(penalty, L1) else penalty.lam1)
    elif isinstance(penalty, BoxConstraint):
        kink[0] = penalty.high
    elif isinstance(penalty, GroupL1):
        kink[penalty.groups[0][0]] = rho * penalty.lam
    step[np.argmax(kink)] = gap
    if kink.any():
        yield Place(kink - step, kink + step)
        if isinstance(penalty, BoxConstraint):
            yield Place(kink + step, kink + 2 * step)
        else:
            yield Place(0 * kink, np.minimum(step, kink))


def _curvature(penalty: Penalty) -> float:
    """The largest m for which g − (m/2)‖·‖² is convex."""
    if isinstance(penalty, Ridge):
        return penalty.lam
    return penalty.lam2 if isinstance(penalty, ElasticNet) else 0.0


def _gradient_bound(problem: Quadratic, clients: Clients) -> float:
    """A bound on ‖∇ℓ(Z, θ)‖ over all samples and all θ in Θ, or inf."""
    x, y = np.abs(clients.z[:, :-1]), np.abs(clients.z[:, -1])
    norms = np.linalg.norm(x, axis=1)
    if not isinstance(problem.smooth_loss, LeastSquares):
        return float(norms.max())  # |c'| ≤ 1
    if isinstance(problem.penalty, BoxConstraint):
        reach = max(abs(problem.penalty.low), abs(problem.penalty.high))
        return float(((x.sum(axis=1) * reach + y) * norms).max())
    return math.inf


def _variance(problem: Quadratic, clients: Clients) -> Cell:
    bound = problem.rho**2 * _gradient_bound(problem, clients) ** 2
    return Cell(bound, "∇ℓ is bounded on Θ" if bound < math.inf else "the slope ⟨x, θ⟩ − y grows with θ")


def _field(problem: Quadratic, clients: Clients) -> Cell:
    """‖h‖ ≤ ρ sup‖∇f‖ + sup‖prox(s) − s‖."""
    gradient, penalty, d = _gradient_bound(problem, clients), problem.penalty, problem.d
    if gradient == math.inf:
        return Cell(math.inf, "∇f grows with θ")
    if isinstance(penalty, Zero):
        return Cell(problem.rho * gradient, "∇f is bounded")
    if isinstance(penalty, L1 | GroupL1):
        pieces = d if isinstance(penalty, L1) else len(penalty.groups)
        return Cell(problem.rho * (gradient + penalty.lam * math.sqrt(pieces)), "∇f and prox(s) − s are bounded")
    return Cell(math.inf, "prox(s) − s grows with s")
