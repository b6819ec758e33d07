"""Theorem 1 (`theo:main`) for constant step sizes, as a calculator.

With ω_p = ω + (1 + ω)(1 − p)/p, C̄ = C_⋆⋆ + sup‖h‖ C_⋆ and a step size γ, the theorem says that

    (1/T) Σ_t E[Ē_t] ≤ 4/(γ c) · ( Δ/T + [ω_p > 0] (b ω_p v_max/α) γ G₀/T + noise · γ ),

where Δ = W(T(Ŝ_0)) − min W, G₀ = Σ μ_i²‖V_{0,i} − h_i(Ŝ_0)‖², and

    (A) ω_p = 0:  c = 1 − 2C̄γ/v_min,                                         noise = v_max σ²/n,
    (B) ω_p > 0:  c = 1 − 2C̄γ/v_min − a (ω_p/α²)(v_max/v_min)(L²/n) γ²,      noise = d v_max σ²/n.

It needs c > 0 and, in (B), 0 < α ≤ 1/(1 + ω_p). The paper prints a = 64, b = 4, d = 2(1 + 5ω_p), and a third condition
on γ_1 that follows from c > 0. The same propositions give more (row `own-thm1-B-best`), with r = √(1 − α):
a = 10(1 + r)², b = (5/4)(1 + r), d = (15/8)(1 + 2ω_p), each of them smaller. That is the default here.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Literal, NamedTuple

from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.federation import largest_alpha

Version = Literal["printed", "sharper"]
"""Whose constants: the paper's as printed, or the sharper ones that the ledger proves."""
VERSIONS: tuple[Version, ...] = ("printed", "sharper")
"""Both versions."""
FINITE = sys.float_info.max


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


class Factors(NamedTuple):
    """The numbers a, b and d of part (B)."""

    error: float
    initial: float
    level: float


def factors(omega_p: float, alpha: float, version: Version = "sharper") -> Factors:
    """a, b and d for ω_p > 0: as the paper prints them, or the smaller ones that its propositions give.

    >>> factors(1.0, 0.75), factors(1.0, 0.75, "printed")
    (Factors(error=22.5, initial=1.875, level=5.625), Factors(error=64.0, initial=4.0, level=12.0))
    """
    if version not in VERSIONS:
        raise InvalidInput(f"version = {version!r}: choose one of {', '.join(VERSIONS)}.")
    if version == "printed":
        return Factors(64.0, 4.0, 2.0 * (1.0 + 5.0 * omega_p))
    root = math.sqrt(1.0 - alpha)
    return Factors(10.0 * (1.0 + root) ** 2, 1.25 * (1.0 + root), 1.875 * (1.0 + 2.0 * omega_p))


def largest_gamma(
    constants: Constants,
    omega_p: float,
    alpha: float | None = None,
    *,
    slack: float = 0.0,
    version: Version = "sharper",
) -> float:
    """The supremum of the step sizes γ ≤ 1 with c > `slack` (0: the theorem; ½: its corollary)."""
    in_interval("slack", slack, low=0.0, high=1.0)
    linear, quadratic = coefficients(constants, omega_p, alpha, version)
    return min(1.0, largest_root(linear, quadratic, 1.0 - slack))


def largest_root(linear: float, quadratic: float, room: float) -> float:
    """The positive root of quadratic·γ² + linear·γ = room, so written that it does not cancel; ∞ where all γ do."""
    if linear == 0.0 and quadratic == 0.0:
        return math.inf
    return 2.0 * room / (linear + math.sqrt(linear**2 + 4.0 * quadratic * room))


def bound(
    constants: Constants,
    *,
    gamma: float,
    rounds: int,
    initial_gap: float,
    omega_p: float = 0.0,
    alpha: float | None = None,
    initial_variates: float = 0.0,
    version: Version = "sharper",
) -> Bound:
    """The bound on (1/T) Σ_t E[Ē_t] after T = `rounds` steps of constant size γ.

    `initial_gap` is Δ, `initial_variates` is G₀ (0 for V_{0,i} = h_i(Ŝ_0)); `alpha=None` takes the largest.
    `InvalidInput` for a γ that the theorem does not admit.
    """
    as_count("rounds", rounds)
    in_interval("gamma", gamma, low=0.0, high=1.0, open_low=True)
    for name, value in (("initial_gap", initial_gap), ("initial_variates", initial_variates)):
        if not 0.0 <= value < math.inf:
            raise InvalidInput(f"{name} = {value}: the theorem needs a finite number >= 0.")
    linear, quadratic = coefficients(constants, omega_p, alpha, version)
    slack = 1.0 - linear * gamma - quadratic * gamma**2
    if slack <= 0.0:
        most = largest_gamma(constants, omega_p, alpha, version=version)
        raise InvalidInput(f"gamma = {gamma}: Theorem 1 admits step sizes below {most:.6g} here; choose one of them.")
    scale = 4.0 / (gamma * slack)
    variance = constants.v_max * constants.sigma**2 / constants.n
    if omega_p == 0.0:
        return Bound(scale * initial_gap / rounds, 0.0, scale * gamma * variance, slack)
    size = admitted_alpha(omega_p, alpha)
    numbers = factors(omega_p, size, version)
    weight = numbers.initial * omega_p * constants.v_max / size
    return Bound(
        scale * initial_gap / rounds,
        scale * gamma * weight * initial_variates / rounds,
        scale * gamma * numbers.level * variance,
        slack,
    )


def rounds_for(target: float, constants: Constants, *, gamma: float, initial_gap: float, **settings) -> int | None:
    """The least T with bound ≤ target (up to rounding), or None when the noise alone is above it (decrease σ, not γ).

    `settings` are those of `bound`: omega_p, alpha, initial_variates, version.
    """
    in_interval("target", target, low=0.0, high=math.inf, open_low=True)
    one = bound(constants, gamma=gamma, rounds=1, initial_gap=initial_gap, **settings)
    room = target - one.noise
    if room <= 0.0:
        return None
    return max(1, math.ceil((one.initial + one.control_variates) / room))


def admitted_alpha(omega_p: float, alpha: float | None = None) -> float:
    """`alpha` when part (B) admits it (None: the largest), else `InvalidInput`."""
    most = largest_alpha(omega_p)
    return most if alpha is None else in_interval("alpha", alpha, low=0.0, high=most, open_low=True)


def coefficients(
    constants: Constants, omega_p: float, alpha: float | None = None, version: Version = "sharper"
) -> tuple[float, float]:
    """c = 1 − linear·γ − quadratic·γ²; α plays no role where ω_p = 0."""
    in_interval("omega_p", omega_p, low=0.0, high=math.inf)
    linear = 2.0 * constants.C_bar / constants.v_min
    if omega_p == 0.0:
        return linear, 0.0
    size = admitted_alpha(omega_p, alpha)
    ratio = constants.v_max / constants.v_min
    error = factors(omega_p, size, version).error
    return linear, error * omega_p / size**2 * ratio * constants.L**2 / constants.n
