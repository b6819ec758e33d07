"""Theorem 1 (`theo:main`) for constant step sizes, as a calculator.

With ω_p = ω + (1 + ω)(1 − p)/p, C̄ = C_⋆⋆ + sup‖h‖ C_⋆ and a step size γ, the theorem says that

    (1/T) Σ_t E[Ē_t] ≤ 4/(γ c) · ( Δ/T + [ω_p > 0] (4 ω_p v_max/α) γ G₀/T + noise · γ ),

where Δ = W(T(Ŝ_0)) − min W, G₀ = Σ μ_i²‖V_{0,i} − h_i(Ŝ_0)‖², and

    (A) ω_p = 0:  c = 1 − 2C̄γ/v_min,                                           noise = v_max σ²/n,
    (B) ω_p > 0:  c = 1 − 2C̄γ/v_min − 64 (ω_p/α²)(v_max/v_min)(L²/n) γ²,        noise = 2 v_max (1 + 5ω_p) σ²/n.

It needs c > 0 and, in (B), 0 < α ≤ 1/(1 + ω_p). The third condition that the paper prints on γ_1 follows from c > 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fedmm_edu.errors import InvalidInput, as_count, in_interval


@dataclass(frozen=True)
class Constants:
    """What the theorem knows of a problem (A3, A6, A7): all finite and ≥ 0, with 0 < v_min ≤ v_max.

    `sup_h` may be infinite where `C_star` is 0. `sigma` and `L` are the means of `theo:main`, σ² = n Σ μ_i² σ_i² and
    L² = n Σ μ_i² L_i².
    """

    v_min: float
    v_max: float
    C_star: float
    C_star_star: float
    sup_h: float
    L: float
    sigma: float
    n: int

    def __post_init__(self) -> None:
        in_interval("v_min", self.v_min, low=0.0, high=self.v_max, open_low=True)
        as_count("n", self.n)
        for name in ("v_max", "C_star", "C_star_star", "L", "sigma"):
            value = getattr(self, name)
            if not 0.0 <= value < math.inf:
                raise InvalidInput(f"{name} = {value}: the theorem needs a finite constant >= 0.")
        if not self.sup_h >= 0.0 or (math.isinf(self.sup_h) and self.C_star > 0.0):
            raise InvalidInput(f"sup_h = {self.sup_h}: A6(ii) asks for a finite supremum (unless C_star = 0).")

    @property
    def C_bar(self) -> float:
        """C̄ = C_⋆⋆ + sup‖h‖ C_⋆."""
        return self.C_star_star + (self.sup_h * self.C_star if self.C_star > 0.0 else 0.0)


@dataclass(frozen=True)
class Bound:
    """The right-hand side and its three terms; `slack` is c, and the average of E[Ē_t] is at most `total`."""

    initial: float
    control_variates: float
    noise: float
    slack: float

    @property
    def total(self) -> float:
        """The sum of the three terms."""
        return self.initial + self.control_variates + self.noise


def largest_alpha(omega_p: float) -> float:
    """1/(1 + ω_p), the largest α of part (B); every term of the bound decreases in α."""
    return 1.0 / (1.0 + in_interval("omega_p", omega_p, low=0.0, high=math.inf))


def largest_gamma(constants: Constants, omega_p: float, alpha: float | None = None, *, slack: float = 0.0) -> float:
    """The supremum of the step sizes γ ≤ 1 with c > `slack` (0: the theorem; ½: its corollary)."""
    in_interval("slack", slack, low=0.0, high=1.0)
    linear, quadratic = _coefficients(constants, omega_p, alpha)
    room = 1.0 - slack
    if linear == 0.0 and quadratic == 0.0:
        return 1.0
    # the positive root of quadratic·γ² + linear·γ = room, written so that it does not cancel
    return min(1.0, 2.0 * room / (linear + math.sqrt(linear**2 + 4.0 * quadratic * room)))


def bound(
    constants: Constants,
    *,
    gamma: float,
    rounds: int,
    initial_gap: float,
    omega_p: float = 0.0,
    alpha: float | None = None,
    initial_variates: float = 0.0,
) -> Bound:
    """The bound on (1/T) Σ_t E[Ē_t] after T = `rounds` steps of constant size γ.

    `initial_gap` is Δ, `initial_variates` is G₀ (0 for V_{0,i} = h_i(Ŝ_0)); `alpha=None` takes the largest.
    `InvalidInput` for a γ that the theorem does not admit.
    """
    as_count("rounds", rounds)
    in_interval("gamma", gamma, low=0.0, high=1.0, open_low=True)
    for name, value in (("initial_gap", initial_gap), ("initial_variates", initial_variates)):
        in_interval(name, value, low=0.0, high=math.inf)
    linear, quadratic = _coefficients(constants, omega_p, alpha)
    slack = 1.0 - linear * gamma - quadratic * gamma**2
    if slack <= 0.0:
        most = largest_gamma(constants, omega_p, alpha)
        raise InvalidInput(f"gamma = {gamma}: Theorem 1 admits step sizes below {most:.6g} here; choose one of them.")
    scale = 4.0 / (gamma * slack)
    variance = constants.v_max * constants.sigma**2 / constants.n
    if omega_p == 0.0:
        return Bound(scale * initial_gap / rounds, 0.0, scale * gamma * variance, slack)
    weight = 4.0 * omega_p * constants.v_max / _alpha(omega_p, alpha)
    return Bound(
        scale * initial_gap / rounds,
        scale * gamma * weight * initial_variates / rounds,
        scale * gamma * 2.0 * (1.0 + 5.0 * omega_p) * variance,
        slack,
    )


def rounds_for(
    target: float, constants: Constants, *, gamma: float, initial_gap: float, **settings: float
) -> int | None:
    """The least T with bound ≤ target, or None when the noise alone is above it (then decrease σ, not γ)."""
    in_interval("target", target, low=0.0, high=math.inf, open_low=True)
    one = bound(constants, gamma=gamma, rounds=1, initial_gap=initial_gap, **settings)
    room = target - one.noise
    if room <= 0.0:
        return None
    return max(1, math.ceil((one.initial + one.control_variates) / room))


def _alpha(omega_p: float, alpha: float | None) -> float:
    most = largest_alpha(omega_p)
    return most if alpha is None else in_interval("alpha", alpha, low=0.0, high=most, open_low=True)


def _coefficients(constants: Constants, omega_p: float, alpha: float | None) -> tuple[float, float]:
    """c = 1 − linear·γ − quadratic·γ²."""
    in_interval("omega_p", omega_p, low=0.0, high=math.inf)
    linear = 2.0 * constants.C_bar / constants.v_min
    if omega_p == 0.0:
        return linear, 0.0
    ratio = constants.v_max / constants.v_min
    return linear, 64.0 * omega_p / _alpha(omega_p, alpha) ** 2 * ratio * constants.L**2 / constants.n
