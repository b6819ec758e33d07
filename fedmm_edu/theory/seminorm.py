"""Row own-seminorm as a calculator: B(s) may be singular, as it is wherever q > d; noise is of second order.

With κ > 0, W(T(s')) ≤ W(T(s)) − ⟨h(s), Δs⟩_{B(s)} + C‖Δs‖²_{B(s)} + (κ/4)‖Δs‖² is asked. A7 without v_min gives it
with C = 0 and κ = 4C̄ (own-gap-half), and any κ will do with C = ½ where φ∘T is affine. The other number is λ, with
‖ΔE S̄‖ ≤ λ‖Δs‖_{B(s)}: λ² = L_Tℓ² where φ∘T is affine, else λ = ℓ_S√Λ/κ_J by the growth κ_J of J_s and its largest
second derivative Λ at T(s) (row own-seminorm-growth). Projections may be active where κ is free, in the norm of
B(s) + 2κγ(1 − γ)I (row own-seminorm-projected).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.theory.own import Terms, at_most
from fedmm_edu.theory.theorem1 import FINITE, admitted_alpha

SHARES = np.logspace(-3.0, 3.0, 25)
"""Weights κ that are tried, over what κ must be at least, or over v_max where it may be anything."""


@dataclass(frozen=True)
class Seminorm:
    """What own-seminorm knows: v_max, λ, the least κ (0: any), C, ‖h(Ŝ_0)‖, and L, σ and n as in Theorem 1."""

    v_max: float
    lam: float
    least: float
    C: float
    h0: float
    L: float
    sigma: float
    n: int

    def __post_init__(self) -> None:
        as_count("n", self.n)
        in_interval("v_max", self.v_max, low=0.0, high=FINITE, open_low=True)
        for name in ("lam", "least", "C", "h0", "L", "sigma"):
            in_interval(name, getattr(self, name), low=0.0, high=1e150)

    @classmethod
    def under_A7(cls, C_bar: float, C_star: float, **known: Any) -> Seminorm:
        """From A7 without v_min, C̄ = ½C_⋆⋆ + C_⋆ sup‖h‖: κ ≥ 4C̄ and C = 0, or any κ and C = ½ where C_⋆ = 0."""
        least, C = (0.0, 0.5) if C_star == 0.0 else (4.0 * C_bar, 0.0)
        return cls(least=least, C=C, **known)


def without_v_min(c: Seminorm, omega_p: float, alpha: float | None = None, *, projected: bool = False) -> list[Terms]:
    """Row own-seminorm with own-noise-plain and own-variates, for several κ, of which the least bound may be taken.

    r = √(1 − α): G_{t+1} ≤ rG_t + (L²/n)E‖Ŝ_{t+1} − Ŝ_t‖²/(1 − r) + (α/r)σ²/n, and the least c that the row admits.
    projected: row own-seminorm-projected; `InvalidInput` where κ is not free (least > 0).

    >>> c = Seminorm(v_max=1.0, lam=1.0, least=0.0, C=0.5, h0=0.0, L=1.0, sigma=0.0, n=1)
    >>> max(round(terms.most, 3) for terms in without_v_min(c, 0.0))
    1.0
    """
    in_interval("omega_p", omega_p, low=0.0, high=math.inf)
    if projected and c.least > 0.0:
        raise InvalidInput(
            f"least = {c.least}: with a remainder in the plain norm no theorem admits active projections (row "
            "own-seminorm-remainder is open); ask for an affine φ∘T, least = 0, or for runs without projections."
        )
    size = 1.0 if omega_p == 0.0 else admitted_alpha(omega_p, alpha)
    root, unit = math.sqrt(1.0 - size), c.least if c.least > 0.0 else c.v_max
    one = _in_projections if projected else _free
    return [one(c, omega_p, size, root, k * unit) for k in SHARES.tolist() if k * unit >= c.least]


def _free(c: Seminorm, omega_p: float, alpha: float, root: float, kappa: float) -> Terms:
    bend = c.C + 2.0 * kappa * c.lam**2
    load = c.C * c.v_max + 2.0 * kappa * (1.0 + c.lam**2 * c.v_max) + 0.75 * kappa
    weight, pace, level = _variates(c, omega_p, alpha, root, load)
    most, begins = min(1.0, at_most(1.0, bend), math.sqrt(at_most(kappa / 2.0, pace))), kappa * c.h0**2
    return Terms(lambda gamma: gamma * (1.0 - bend * gamma), weight, level, 2, most, "own-seminorm", begins, kappa)


def _in_projections(c: Seminorm, omega_p: float, alpha: float, root: float, kappa: float) -> Terms:
    bend = 2.0 * (c.C + 1.25 * kappa * c.lam**2)
    weight, pace, level = _variates(c, omega_p, alpha, root, (2.5 + bend) * (c.v_max + kappa / 2.0))
    most, begins = min(0.5, at_most(1.0, bend), at_most(kappa / 4.0, pace)), kappa * c.h0**2
    row = "own-seminorm-projected"
    return Terms(lambda gamma: gamma * (1.0 - bend * gamma), weight, level, 2, most, row, begins, kappa)


def _variates(c: Seminorm, omega_p: float, alpha: float, root: float, load: float) -> tuple[float, float, float]:
    """The least c, cM, and the factor of the noise; without messages that lose something the variates play no part."""
    if omega_p == 0.0:
        return 0.0, 0.0, load
    weight = omega_p * load / (1.0 - root)
    return weight, weight * c.L**2 / (c.n * (1.0 - root)), (1.0 + omega_p) * load + weight * alpha / root
