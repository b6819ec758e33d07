"""Local steps and acceleration as a calculator: the quadratic surrogate with ρ = 1/L and convex f.

Nothing is compressed, and κ = L/μ where W(θ) − min W ≥ (μ/2)‖θ − θ_⋆‖²:

- `scaffold` (row own-scaffold-rate): SCAFFOLD with K local steps, m of n clients, no penalty; a rate of ‖θ_t − θ_⋆‖²;
- `restarted`, `fastest_restarts` (own-accelerated-restart): Nesterov's acceleration, everyone, any convex g, exact
  gradients; of W.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.errors import as_count, in_interval
from fedmm_edu.theory.linear import Rate, last_admitted
from fedmm_edu.theory.theorem1 import FINITE

LONGEST = 20
"""Blocks of more than 20√κ rounds are not tried: the best have about 2e√κ."""


@dataclass(frozen=True)
class LocalRounds:
    """κ = L/μ, K local steps, and m = `active` of n clients in each round; σ of S̄ = θ − ∇f/L, as in A3.

    >>> LocalRounds(10.0, K=5, active=10, n=10).spread
    0.0
    """

    condition: float
    K: int
    active: int
    n: int
    sigma: float = 0.0

    def __post_init__(self) -> None:
        in_interval("condition", self.condition, low=1.0, high=FINITE)
        in_interval("sigma", self.sigma, low=0.0, high=1e150)
        as_count("K", self.K)
        as_count("active", self.active, high=as_count("n", self.n))

    @property
    def p(self) -> float:
        """m/n."""
        return self.active / self.n

    @property
    def spread(self) -> float:
        """ν = 2(n − m)/(m(n − 1)), 0 where everyone takes part."""
        return 0.0 if self.active == self.n else 2.0 * (self.n - self.active) / (self.active * (self.n - 1))

    @property
    def chi(self) -> float:
        """χ = (1 + … + 1/(K − 1))/(2K)."""
        return math.fsum(1.0 / j for j in range(1, self.K)) / (2.0 * self.K)


def scaffold(c: LocalRounds, server_step: float = 1.0) -> Rate:
    """Row own-scaffold-rate with the best b, for steps γ = ηL of the clients and η_g = `server_step`.

    Ψ begins with ‖θ_t − θ_⋆‖²; its G_0 is Σ‖c_i − ∇f_i(θ_⋆)‖²/(nL²), at most ‖θ_0 − θ_⋆‖² for c_i = ∇f_i(θ_0).

    >>> rate = scaffold(LocalRounds(10.0, K=1, active=4, n=4))
    >>> round(rate.factor(0.5), 12), round(rate.most, 12)
    (0.95, 1.0)
    """
    in_interval("server_step", server_step, low=0.0, high=FINITE, open_low=True)

    def cost(gamma: float) -> tuple[float, float]:
        """v and A."""
        u = gamma * c.K
        return server_step * u, (1.0 - 1.0 / c.K) * u**2 + c.spread * server_step * u

    def held(gamma: float) -> float:
        """The least b with which c_i are no slower than θ, or the largest that the condition admits."""
        v, A = cost(gamma)
        most, slack = max(0.0, 1.0 - A - v) / c.p, c.p - v / c.condition
        return min(most, A / slack) if slack > 0.0 else most

    def factor(gamma: float) -> float:
        (v, A), b = cost(gamma), held(gamma)
        kept = 0.0 if A == 0.0 else A / b if b > 0.0 else math.inf
        return max(1.0 - v / c.condition, 1.0 - c.p + kept)

    def weight(gamma: float) -> float:
        return held(gamma) * cost(gamma)[0]

    def noise(gamma: float) -> float:
        v, u = cost(gamma)[0], gamma * c.K
        local = c.chi * (1.0 - 1.0 / c.K) * u**2
        return v * (v / c.n + c.spread * v + c.p * held(gamma) + local) * c.sigma**2

    def admits(gamma: float) -> bool:
        v, A = cost(gamma)
        return 2.0 * A + v <= 1.0

    most = last_admitted(admits, 1.0 / (server_step * c.K))
    return Rate(factor, weight, noise, most, "own-scaffold-rate")


@dataclass(frozen=True)
class Restarts:
    """Blocks of so many rounds, how many of them, and what is left of W − min W."""

    block: int
    blocks: int
    bound: float

    @property
    def rounds(self) -> int:
        """All of them."""
        return self.block * self.blocks


def restarted(condition: float, *, rounds: int, initial_gap: float) -> Restarts:
    """The blocks with the least bound after at most T = `rounds` rounds; no block where none shrinks the gap."""
    sizes, logs = _blocks(condition, as_count("rounds", rounds))
    start = in_interval("initial_gap", initial_gap, low=0.0, high=FINITE)
    if not len(sizes):
        return Restarts(rounds, 0, start)
    total = (rounds // sizes) * logs
    best = int(np.argmin(total))
    return Restarts(int(sizes[best]), int(rounds // sizes[best]), start * math.exp(total[best]))


def fastest_restarts(target: float, condition: float, *, initial_gap: float) -> Restarts:
    """The blocks with the fewest rounds to W − min W ≤ target."""
    in_interval("target", target, low=0.0, high=FINITE, open_low=True)
    start = in_interval("initial_gap", initial_gap, low=0.0, high=FINITE)
    if start <= target:
        return Restarts(1, 0, start)
    sizes, logs = _blocks(condition, math.ceil(LONGEST * math.sqrt(condition)) + LONGEST)
    blocks = np.maximum(1, np.ceil(math.log(target / start) / logs - 1e-12)).astype(int)
    best = int(np.argmin(sizes * blocks))
    return Restarts(int(sizes[best]), int(blocks[best]), start * math.exp(float(blocks[best] * logs[best])))


def _blocks(condition: float, longest: int) -> tuple[Indices, Array]:
    """Block lengths that shrink the gap, and the logarithm of 4κ/(T + 1)² for each."""
    in_interval("condition", condition, low=1.0, high=1e12)
    limit = min(longest, math.ceil(LONGEST * math.sqrt(condition)) + LONGEST)
    sizes = np.arange(1, limit + 1)
    logs = math.log(4.0 * condition) - 2.0 * np.log(sizes + 1.0)
    return sizes[logs < -1e-12], logs[logs < -1e-12]
