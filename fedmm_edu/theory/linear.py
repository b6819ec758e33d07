"""Linear rates as a calculator: Ψ_{t+1} ≤ factor(γ)Ψ_t + noise(γ), with Ψ_0 ≤ Δ + weight(γ)·G_0.

- `diana` (row own-diana-rate): −h strongly monotone and cocoercive, messages unbiased; Ψ begins with ‖Ŝ_t − s_⋆‖²;
- `pl` (own-pl, own-pl-projected): the constants of Theorem 1 and ‖h‖²_B ≥ 2m(W − min W); Ψ begins with W_t − min W;
- `biased_linear` (own-biased-linear, in `biased`): the same with biased messages.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.theory.own import check_start, steepness
from fedmm_edu.theory.theorem1 import FINITE, Bound, Constants, admitted_alpha

CANDIDATES = 2000
"""Step sizes that `fastest` and `best_rate` try, equally spaced in log γ over eight decades."""
Projection = Literal["any", "projected"]


@dataclass(frozen=True)
class Rate:
    """A linear rate: what one round leaves, adds and starts with, for every step size up to `most`."""

    factor: Callable[[float], float]
    weight: Callable[[float], float]
    noise: Callable[[float], float]
    most: float
    row: str

    def bound(self, *, gamma: float, rounds: int, initial_gap: float, initial_variates: float = 0.0) -> Bound:
        """The bound on Ψ_T's first part after T = `rounds` steps of size γ; `slack` is the factor of one round.

        `InvalidInput` for a γ that is not admitted.
        """
        as_count("rounds", rounds)
        check_start(initial_gap, initial_variates)
        in_interval("gamma", gamma, low=0.0, high=self.most, open_low=True)
        factor = self.factor(gamma)
        left = factor**rounds
        held = 0.0 if initial_variates == 0.0 else left * self.weight(gamma) * initial_variates
        return Bound(left * initial_gap, held, self.floor(gamma) * (1.0 - left), factor)

    def floor(self, gamma: float) -> float:
        """What the noise leaves for ever: noise/(1 − factor); infinite where nothing contracts."""
        added, factor = self.noise(gamma), self.factor(gamma)
        return 0.0 if added == 0.0 else added / (1.0 - factor) if factor < 1.0 else math.inf

    def best(self, *, rounds: int, initial_gap: float, initial_variates: float = 0.0) -> tuple[float, Bound]:
        """The step size with the least bound after T rounds among `CANDIDATES`, and that bound."""
        at = {"rounds": rounds, "initial_gap": initial_gap, "initial_variates": initial_variates}
        return min(((g, self.bound(gamma=g, **at)) for g in self._sizes()), key=lambda pair: pair[1].total)

    def fastest(self, target: float, *, initial_gap: float, initial_variates: float = 0.0) -> tuple[float, int] | None:
        """The step size among `CANDIDATES` with the fewest rounds to bound ≤ target, and T; None: none reaches it."""
        in_interval("target", target, low=0.0, high=math.inf, open_low=True)
        found = []
        for gamma in self._sizes():
            floor, factor = self.floor(gamma), self.factor(gamma)
            start = initial_gap + (self.weight(gamma) * initial_variates if initial_variates > 0.0 else 0.0)
            if factor < 1.0 and floor < target:
                found.append((gamma, _rounds(start, floor, factor, target)))
        return min(found, key=lambda pair: pair[1], default=None)

    def _sizes(self) -> list[float]:
        return [g for g in (self.most * np.logspace(0.0, -8.0, CANDIDATES)).tolist() if 0.0 < g <= self.most]


def _rounds(start: float, floor: float, factor: float, target: float) -> int:
    """The least T ≥ 1 with factor^T (start − floor) + floor ≤ target."""
    if start <= target or factor == 0.0:
        return 1
    return max(1, math.ceil(math.log((target - floor) / (start - floor)) / math.log(factor) - 1e-9))


# ------------------------------------------------------------------------------------ DIANA's rate, row own-diana-rate


@dataclass(frozen=True)
class Monotone:
    """What own-diana-rate knows: ⟨−h(s), d⟩ ≥ m‖d‖², ≥ ‖h(s)‖²/ℓ and ≥ Σ μ_i²‖h_i(s) − h_i(s_⋆)‖²/λ, d = s − s_⋆; A3.

    `L` is that of Σ μ_i‖h_i(s) − h_i(s')‖² ≤ L²‖s − s'‖², which own-biased-monotone asks for besides.

    >>> Monotone.prox(rho_mu=0.5, rho_L=1.0, largest_mu=0.1, sigma=0.0, n=10)
    Monotone(m=0.5, ell=1.3333333333333333, lam=0.13333333333333333, sigma=0.0, n=10, L=1.3333333333333333)
    """

    m: float
    ell: float
    lam: float
    sigma: float
    n: int
    L: float

    def __post_init__(self) -> None:
        as_count("n", self.n)
        for name in ("m", "ell"):
            in_interval(name, getattr(self, name), low=0.0, high=FINITE, open_low=True)
        for name in ("lam", "sigma", "L"):
            in_interval(name, getattr(self, name), low=0.0, high=FINITE)
        if self.m > self.ell * (1.0 + 1e-12):
            raise InvalidInput(f"m = {self.m} above ell = {self.ell}: no field is that; m‖d‖² ≤ ⟨−h, d⟩ ≤ ell‖d‖².")

    @classmethod
    def prox(
        cls, *, rho_mu: float, rho_L: float, largest_mu: float, sigma: float, n: int, smooth: bool = False
    ) -> Monotone:
        """The quadratic surrogate with any convex g (own-diana-cocoercive, -monotone), or with g = 0 (`smooth`)."""
        in_interval("rho_L", rho_L, low=0.0, high=1.0, open_low=True)
        ell = rho_L if smooth else 4.0 / (4.0 - rho_L)
        return cls(rho_mu, ell, ell * in_interval("largest_mu", largest_mu, low=0.0, high=1.0), sigma, n, ell)

    @property
    def start(self) -> float:
        """G_0 ≤ start·‖Ŝ_0 − s_⋆‖² for V_{0,i} = h_i(Ŝ_0)."""
        return self.lam * self.ell


def diana_alpha(omega_p: float) -> float:
    """1/(2(1 + ω_p)): half of the largest α, with which K = 2ω_p."""
    return 1.0 / (2.0 * (1.0 + in_interval("omega_p", omega_p, low=0.0, high=FINITE)))


def diana(c: Monotone, omega_p: float, alpha: float | None = None) -> Rate:
    """Row own-diana-rate, with K = ω_p/(1 − α(1 + ω_p)); `InvalidInput` for α not below 1/(1 + ω_p), where ω_p > 0."""
    size = diana_alpha(omega_p) if alpha is None else alpha
    slack = 1.0 - size * (1.0 + omega_p)
    if omega_p > 0.0:
        in_interval("alpha", size, low=0.0, high=1.0, open_low=True)
        if slack <= 0.0:
            raise InvalidInput(
                f"alpha = {size}: own-diana-rate asks for one below 1/(1 + ω_p) = {1 / (1 + omega_p):.6g}."
            )
    K = omega_p / slack if omega_p > 0.0 else 0.0
    bend, level = c.ell + K * c.lam, (1.0 + omega_p) * (1.0 + size * K) * c.sigma**2 / c.n

    def factor(gamma: float) -> float:
        own = 1.0 - gamma * c.m * (2.0 - gamma * bend)
        return own if K == 0.0 else max(own, 1.0 - size)

    def weight(gamma: float) -> float:
        return K / size * gamma**2

    return Rate(factor, weight, lambda gamma: level * gamma**2, min(1.0, 2.0 / bend), "own-diana-rate")


# ----------------------------------------------------------------------------------------------- PL, rows own-pl-…


def pl(c: Constants, omega_p: float, m: float, alpha: float | None = None, projection: Projection = "any") -> Rate:
    """Row own-pl (any projection) or own-pl-projected (in the norm of B_t, γ ≤ ½), for ‖h(s)‖²_B ≥ 2m(W − min W)."""
    in_interval("m", m, low=0.0, high=FINITE, open_low=True)
    in_interval("omega_p", omega_p, low=0.0, high=FINITE)
    size = 1.0 if omega_p == 0.0 else admitted_alpha(omega_p, alpha)
    q, ratio = math.sqrt(1.0 - size), c.v_max / c.v_min
    bend = steepness(c) / c.v_min
    any_map = projection == "any"
    spread = 1.0 if any_map else ratio

    def load(gamma: float) -> float:
        return omega_p * c.L**2 / c.n * gamma**2 / (1.0 - q) ** 2 if omega_p > 0.0 else 0.0

    def cost(gamma: float) -> float:
        return gamma / 2.0 * c.v_max if any_map else (0.5 + bend) * c.v_max * gamma**2

    def left(gamma: float) -> float:
        gain = gamma / 2.0 if any_map else gamma * (1.0 - bend * gamma)
        return gain - 2.0 * cost(gamma) * load(gamma) / c.v_min

    def factor(gamma: float) -> float:
        own = max(0.0, 1.0 - 2.0 * m * left(gamma))
        return own if omega_p == 0.0 else max(own, 1.0 - (1.0 - q) * (0.5 - load(gamma) * spread))

    def noise(gamma: float) -> float:
        held = 2.0 * omega_p * (1.0 + q) / q if omega_p > 0.0 else 0.0
        return ((1.0 + omega_p) * (1.0 + 2.0 * load(gamma) * spread) + held) * cost(gamma) * c.sigma**2 / c.n

    most = min(1.0, 0.5 / bend if bend > 0.0 else 1.0) if any_map else 0.5
    most = last_admitted(lambda gamma: left(gamma) > 0.0 and load(gamma) * spread < 0.5, most)
    row = "own-pl" if any_map else "own-pl-projected"
    return Rate(factor, lambda gamma: 2.0 * omega_p * cost(gamma) / (1.0 - q), noise, most, row)


def last_admitted(admits: Callable[[float], bool], most: float) -> float:
    """The end of the interval (0, x] of admitted step sizes, up to `most`; `admits` holds near 0."""
    if admits(most):
        return most
    low, high = 0.0, most
    for _ in range(200):
        middle = (low + high) / 2.0
        low, high = (middle, high) if admits(middle) else (low, middle)
    return low
