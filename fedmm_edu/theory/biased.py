"""EF21-MM as a calculator: FedMM whose messages are contractions, biased or not, with any participation.

Clients keep V_i ← V_i + C(S_i − Ŝ_t − V_i) with chance p, and the server moves along V_{t+1} (α = 1 where all take
part). All
that is asked of C is E‖C(x) − x‖² ≤ (1 − a)‖x‖²: Top-k has a = k/q, an unbiased Q divided by 1 + ω has 1/(1 + ω).
Rows own-biased, own-biased-linear. With q = √(1 − pa), r = √(1 − γm), L̃² = Σ μ_i L_i², G̃_0 = Σ μ_i‖V_{0,i} − h_i‖²,

    1 − 2(C̄/v_min)γ − (q/(r − q))² (v_max/v_min) L̃² γ² ≥ 0

is the condition on the step (r = 1 without PL). Noise is not averaged over clients: σ̃² = Σ μ_i σ_i² stands for σ²/n.
The `Constants` of the functions here have L̃ and σ̃ in the places of L and σ: `per_client` makes them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.theory.linear import Monotone, Rate, last_admitted
from fedmm_edu.theory.own import Terms, steepness
from fedmm_edu.theory.theorem1 import FINITE, Constants, largest_root

ETAS = np.logspace(-4.0, 4.0, 800)
"""Shares η of Young's inequality between the message's error and the oracle's noise; the best of them is taken."""


@dataclass(frozen=True)
class Contraction:
    """The largest a with E‖C(x) − x‖² ≤ (1 − a)‖x‖², 0 < a ≤ 1, and the chance p to take part.

    >>> Contraction(0.5, 0.5).q  # half of what is new gets through from half of the clients
    0.8660254037844386
    """

    a: float
    p: float = 1.0

    def __post_init__(self) -> None:
        for name in ("a", "p"):
            in_interval(name, getattr(self, name), low=0.0, high=1.0, open_low=True)

    @property
    def q(self) -> float:
        """√(1 − pa): the share of the error of V_{t,i} that one round leaves."""
        return math.sqrt(max(0.0, 1.0 - self.p * self.a))

    def of_noise(self, sigma: float) -> tuple[float, float]:
        """q and ν/σ̃² of own-biased-error-noise for the η with the lowest floor ν/(1 − q); q and 0 where σ = 0."""
        if sigma == 0.0:
            return self.q, 0.0
        if self.q == 0.0:
            return 0.0, 1.0  # η → ∞: the error is the noise
        found = []
        for eta in ETAS.tolist():
            left = (1.0 + eta) * self.q**2
            if left < 1.0:
                level = self.p * ((1.0 + eta) * (1.0 - self.a) + 1.0 + 1.0 / eta)
                found.append((level / (1.0 - math.sqrt(left)), math.sqrt(left), level))
        if not found:
            raise InvalidInput(
                f"p a = {self.p * self.a:.3g}: too little gets through for a bound with noise; send more."
            )
        _, q, level = min(found)
        return q, level


def per_client(c: Constants, mu_min: float) -> Constants:
    """`c` with upper bounds of L̃ and σ̃ for L and σ: L̃² ≤ L²/(n μ_min), with equality where all μ_i are equal.

    In the same way G̃_0 ≤ G_0/μ_min.
    """
    in_interval("mu_min", mu_min, low=0.0, high=1.0 / c.n * (1.0 + 1e-9), open_low=True)
    factor = max(1.0, math.sqrt(1.0 / (c.n * mu_min)))
    return replace(c, L=c.L * factor, sigma=c.sigma * factor)


def biased(c: Constants, channel: Contraction) -> Terms:
    """Row own-biased, for any projection that comes no farther from the points of 𝒮; the measure is E‖h‖²_B."""
    q, level = channel.of_noise(c.sigma)
    most = min(1.0, _longest(c, (q / (1.0 - q)) ** 2))
    initial = c.v_max * q**2 / (2.0 * (1.0 - q))
    return Terms(lambda gamma: gamma / 2.0, initial, c.n * level * c.v_max / (2.0 * (1.0 - q)), 1, most, "own-biased")


def biased_linear(c: Constants, channel: Contraction, m: float) -> Rate:
    """Row own-biased-linear, under PL: ‖h(s)‖²_B ≥ 2m(W − min W); the factor of one round is 1 − γm."""
    in_interval("m", m, low=0.0, high=FINITE, open_low=True)
    q, level = channel.of_noise(c.sigma)

    def root(gamma: float) -> float:
        return math.sqrt(max(0.0, 1.0 - gamma * m))

    def weight(gamma: float) -> float:
        return 0.0 if q == 0.0 else c.v_max * q**2 / (2.0 * root(gamma) * (root(gamma) - q)) * gamma

    def noise(gamma: float) -> float:
        share = 1.0 if q == 0.0 else root(gamma) / (root(gamma) - q)
        return 0.0 if level == 0.0 else c.v_max / 2.0 * share * level * c.sigma**2 * gamma

    def admits(gamma: float) -> bool:
        room = root(gamma) - q
        return room > 0.0 and gamma <= _longest(c, (q / room) ** 2)

    end = 1.0 / m if q == 0.0 else (1.0 - q**2) / m  # r > q below that
    most = last_admitted(admits, min(1.0, end)) if q > 0.0 else min(_longest(c, 0.0), 1.0, end)
    return Rate(lambda gamma: max(0.0, 1.0 - gamma * m), weight, noise, most, "own-biased-linear")


def biased_monotone(c: Monotone, channel: Contraction, mu_min: float) -> Rate:
    """Row own-biased-monotone, with the least w that it admits at each γ; the measure is E‖Ŝ_t − s_⋆‖², as of `diana`.

    σ̃² = Σ μ_i σ_i² is at most σ²/(n μ_min).
    """
    in_interval("mu_min", mu_min, low=0.0, high=1.0 / c.n * (1.0 + 1e-9), open_low=True)
    q, level = channel.of_noise(c.sigma)
    nu = level * c.sigma**2 / (c.n * mu_min)

    def room(gamma: float) -> float:
        return 1.0 - gamma * c.m - q - 2.0 * (gamma * c.L * q) ** 2 / (1.0 - q)

    def held(gamma: float) -> float:
        return q**2 * (2.0 / c.m + 2.0 * gamma) / room(gamma)

    def admits(gamma: float) -> bool:
        bend = 2.0 * gamma + (2.0 * held(gamma) * (gamma * c.L) ** 2 / (1.0 - q) if room(gamma) > 0.0 else math.inf)
        return bend <= 1.0 / (2.0 * c.ell)

    def noise(gamma: float) -> float:
        follows = 0.0 if q == 0.0 else held(gamma) * (1.0 / q + 2.0 * (gamma * c.L) ** 2 / (1.0 - q))
        return gamma * (2.0 / c.m + 2.0 * gamma + follows) * nu

    most = last_admitted(admits, min(1.0, 1.0 / c.m))
    return Rate(lambda gamma: 1.0 - gamma * c.m, lambda gamma: held(gamma) * gamma, noise, most, "own-biased-monotone")


def _longest(c: Constants, bend: float) -> float:
    """The positive root of 2(C̄/v_min)γ + bend·(v_max/v_min) L̃² γ² = 1."""
    linear, quadratic = 2.0 * steepness(c) / c.v_min, bend * c.v_max / c.v_min * c.L**2
    return largest_root(linear, quadratic, 1.0)
