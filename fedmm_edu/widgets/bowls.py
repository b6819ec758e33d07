"""Clients whose f_i are quadratic bowls: three in the plane who bend differently, and three with eight coordinates."""

from __future__ import annotations

from functools import cache

import numpy as np

from fedmm_edu.algorithms import FedMM, State
from fedmm_edu.arrays import Array
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import Clients
from fedmm_edu.relatives import Relative, Tuning

__all__ = ["BENDS", "MINIMA", "bought", "plane", "travelled"]

BENDS = np.array([[2.0, 0.25], [0.25, 1.0], [1.0, 1.0]])
"""Of the three in the plane: the second derivatives of f_i along the two axes."""
MINIMA = np.array([[0.0, 0.0], [4.0, 1.0], [1.0, 4.0]])
"""Where each of their f_i is least."""
DEPARTURE = np.array([3.0, -2.0])
"""Where runs in the plane begin."""
BUDGET = 10_000
"""Bits that all clients together may send: 10 kbit."""
DIM = 8
"""Coordinates of those who are on that budget."""


def bowls(bends: Array, least: Array, rho: float) -> tuple[Quadratic, Clients]:
    """f_i = ½ Σ_j bends_ij (θ_j − least_ij)² as least squares with d samples for each client, equal weights."""
    x = [np.diag(np.sqrt(len(bend) * bend)) for bend in bends]
    data = [np.column_stack([rows, rows @ m]) for rows, m in zip(x, least, strict=True)]
    return Quadratic(bends.shape[1], rho), Clients.of(data)


def plane() -> tuple[Quadratic, Clients, Array]:
    """The three in the plane with ρ = ¼, and the optimum."""
    best = (BENDS * MINIMA).sum(axis=0) / BENDS.sum(axis=0)
    return *bowls(BENDS, MINIMA, rho=0.25), best


def trail(fed: FedMM, state: State, rounds: int) -> Array:
    """θ_0, …, θ_T from a state: shape (rounds + 1, d)."""
    found = [fed.theta(state)]
    for _ in range(rounds):
        state = fed.step(state)
        found.append(fed.theta(state))
    return np.array(found)


def travelled(relative: Relative, at: Tuning, rounds: int) -> Array:
    """θ_0, …, θ_T of a relative in the plane."""
    problem, clients, _ = plane()
    fed = relative.on(problem, clients, at)
    return trail(fed, relative.start(fed, DEPARTURE), rounds)


@cache
def wide() -> tuple[Quadratic, Clients, Array]:
    """Eight coordinates that bend between 1/50 and 1, ρ = 1, and the optimum."""
    rng = np.random.default_rng(4)
    bends = np.exp(rng.uniform(np.log(0.02), 0.0, (3, DIM)))
    bends[:, 0] = 1.0
    least = rng.normal(size=(3, DIM))
    return *bowls(bends, least, rho=1.0), (bends * least).sum(axis=0) / bends.sum(axis=0)


def bought(relative: Relative, at: Tuning) -> tuple[float, State]:
    """W − min W after the last round that the budget pays for, from θ = 0, and the state there."""
    problem, clients, best = wide()
    fed = relative.on(problem, clients, at)
    state = relative.start(fed, np.zeros(DIM))
    while (after := fed.step(state)).bits_up <= BUDGET:
        state = after
    gap = clients.objective(problem, fed.theta(state)) - clients.objective(problem, best)
    return max(gap, 0.0), state
