"""The theorems of the ledger that go beyond Theorem 1, as a calculator for constant steps.

Each of them says, for γ_t = γ, ω_p and α as in `theorem1`, r = √(1 − α) and K = (v_max/v_min) L²/n,

    (1/T) Σ_t E[measure] ≤ ( (Δ + initial·γ^power·G₀)/T + level·(σ²/n)·γ^power ) / left(γ):

- "own-any" (rows own-any-A, own-any): Π may be the Euclidean projection; the measure is E‖h‖²_B, which is Ē for γ ≤ 1;
- "own-projected" (own-projected-A, own-projected): Theorem 1's algorithm, noise γ² in place of γ; the measure is Ē;
- "own-lip" (own-lip-A, own-lip): no A7; the measure is E‖h‖² in the Euclidean norm, and a‖h(Ŝ_0)‖² belongs to Δ;
- "own-seminorm" (in `seminorm`): B(s) may be singular; the measure is E‖h‖²_B, and begins·γ belongs to Δ.

C̄ is here ½C_⋆⋆ + sup‖h‖ C_⋆, smaller than in `theorem1`. A step size is admitted where left(γ) > 0 and γ ≤ `most`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.theory.theorem1 import FINITE, Bound, Constants, admitted_alpha

CANDIDATES = 4000
"""Step sizes that `best_own` and `fastest_own` try, equally spaced in log γ over eight decades."""


@dataclass(frozen=True)
class Flat:
    """What "own-lip" knows of a problem: φ∘T is L_T-Lipschitz, E S̄(Z, T(s)) is ℓ-Lipschitz in φ(T(s)); A3, A6(i)."""

    L_T: float
    ell: float
    L: float
    sigma: float
    n: int

    def __post_init__(self) -> None:
        as_count("n", self.n)
        for name in ("L_T", "ell"):
            in_interval(name, getattr(self, name), low=0.0, high=FINITE, open_low=True)
        for name in ("L", "sigma"):
            in_interval(name, getattr(self, name), low=0.0, high=FINITE)

    @property
    def a(self) -> float:
        """The weight of ‖h‖² in the Lyapunov function, 1/(8 L_T ℓ²)."""
        return 1.0 / (8.0 * self.L_T * self.ell**2)


class Noisy(Protocol):
    """The constants of a theorem, as far as noise goes: σ and n."""

    @property
    def sigma(self) -> float: ...

    @property
    def n(self) -> int: ...


@dataclass(frozen=True)
class Terms:
    """left(γ), the factors of the right-hand side, the power of γ in them, and the largest γ that conditions leave.

    begins: what joins Δ besides, for each unit of γ. kappa: the κ of own-seminorm; 0 in other rows.
    """

    left: Callable[[float], float]
    initial: float
    level: float
    power: int
    most: float
    row: str
    begins: float = 0.0
    kappa: float = 0.0


def any_projection(c: Constants, omega_p: float, alpha: float | None = None) -> Terms:
    """Row own-any, or own-any-A for ω_p = 0: any Π that comes no farther from the points of 𝒮."""
    most = min(1.0, at_most(c.v_min, 2.0 * steepness(c)))
    if omega_p == 0.0:
        return Terms(lambda gamma: gamma / 2.0, 0.0, c.v_max / 2.0, 1, most, "own-any-A")
    size, root = _alpha(omega_p, alpha)
    bend = 2.0 * (1.0 + root) ** 2 * omega_p / size**2 * _K(c)
    initial, level = (1.0 + root) * omega_p * c.v_max / size, 1.5 * (1.0 + 2.0 * omega_p) * c.v_max
    return Terms(lambda gamma: gamma / 2.0 * (1.0 - bend * gamma**2), initial, level, 1, most, "own-any")


def projected(c: Constants, omega_p: float, alpha: float | None = None) -> Terms:
    """Row own-projected, or own-projected-A for ω_p = 0: the projection in the norm of B_t, γ ≤ ½."""
    ratio = steepness(c) / c.v_min
    k = 0.5 + ratio
    if omega_p == 0.0:
        return Terms(lambda gamma: gamma * (1.0 - ratio * gamma), 0.0, k * c.v_max, 2, 0.5, "own-projected-A")
    size, root = _alpha(omega_p, alpha)
    bend = 2.0 * (1.0 + root) ** 2 * omega_p / size**2 * _K(c)
    most = min(0.5, at_most(1.0, math.sqrt(bend)))
    initial, level = 2.0 * (1.0 + root) * k * omega_p * c.v_max / size, 3.0 * (1.0 + 2.0 * omega_p) * k * c.v_max
    return Terms(lambda gamma: gamma * (1.0 - (0.5 + 2.0 * ratio) * gamma), initial, level, 2, most, "own-projected")


def without_A7(c: Flat, omega_p: float, alpha: float | None = None) -> Terms:
    """Row own-lip, or own-lip-A for ω_p = 0: φ∘T is Lipschitz, and neither A6(ii), A7 nor A8(ii) is assumed."""
    a, both = c.a, c.L_T + 2.0 * c.a
    if omega_p == 0.0:
        return Terms(lambda gamma: a * gamma, 0.0, both, 1, 0.5, "own-lip-A")
    size, root = _alpha(omega_p, alpha)
    bend = 3.0 * (1.0 + 4.0 * c.L_T**2 * c.ell**2) * (1.0 + root) ** 2 * omega_p / size**2 * c.L**2 / c.n
    initial, level = 1.5 * (1.0 + root) * omega_p / size * both, 2.25 * (1.0 + 2.0 * omega_p) * both
    return Terms(lambda gamma: a * gamma * (1.0 - bend * gamma**2), initial, level, 1, 0.5, "own-lip")


def own_bound(
    terms: Terms, c: Noisy, *, gamma: float, rounds: int, initial_gap: float, initial_variates: float = 0.0
) -> Bound:
    """The bound after T = `rounds` steps of size γ; `slack` is left(γ)/γ. `InvalidInput` for a γ not admitted."""
    as_count("rounds", rounds)
    check_start(initial_gap, initial_variates)
    in_interval("gamma", gamma, low=0.0, high=terms.most, open_low=True)
    left = terms.left(gamma)
    if left <= 0.0:
        raise InvalidInput(f"gamma = {gamma}: {terms.row} needs a positive left side; choose a smaller step.")
    scale = gamma**terms.power
    return Bound(
        (initial_gap + terms.begins * gamma) / (rounds * left),
        terms.initial * scale * initial_variates / (rounds * left),
        terms.level * c.sigma**2 / c.n * scale / left,
        left / gamma,
    )


def best_own(
    terms: Terms, c: Noisy, *, rounds: int, initial_gap: float, initial_variates: float = 0.0
) -> tuple[float, Bound]:
    """The step size with the least bound after T = `rounds` rounds among `CANDIDATES`, and that bound."""
    sizes, left = admitted_steps(terms)
    if not len(sizes):
        raise InvalidInput(f"{terms.row} admits no step size here: its left side is nowhere positive.")
    start, noise = _parts(terms, c, sizes, left, initial_gap, initial_variates)
    gamma = float(sizes[np.argmin(start / rounds + noise)])
    at = {"rounds": rounds, "initial_gap": initial_gap, "initial_variates": initial_variates}
    return gamma, own_bound(terms, c, gamma=gamma, **at)


def fastest_own(
    target: float, terms: Terms, c: Noisy, *, initial_gap: float, initial_variates: float = 0.0
) -> tuple[float, int] | None:
    """The step size among `CANDIDATES` with the fewest rounds to bound ≤ target, and T; None where none reaches it."""
    in_interval("target", target, low=0.0, high=math.inf, open_low=True)
    sizes, left = admitted_steps(terms)
    start, noise = _parts(terms, c, sizes, left, initial_gap, initial_variates)
    near = noise < target
    if not near.any():
        return None
    T = np.maximum(1.0, np.ceil(start[near] / (target - noise[near])))
    return float(sizes[near][np.argmin(T)]), int(T.min())


def admitted_steps(terms: Terms) -> tuple[Array, Array]:
    """The admitted step sizes among `CANDIDATES`, the largest first, and left(γ) of each."""
    sizes = np.minimum(terms.most * np.logspace(0.0, -8.0, CANDIDATES), terms.most)
    left = np.array([terms.left(gamma) for gamma in sizes.tolist()])
    return sizes[left > 0.0], left[left > 0.0]


def _parts(
    terms: Terms, c: Noisy, sizes: Array, left: Array, initial_gap: float, initial_variates: float
) -> tuple[Array, Array]:
    """Of each step size, what the bound divides by T, and its noise."""
    check_start(initial_gap, initial_variates)
    scale = sizes**terms.power / left
    start = (initial_gap + terms.begins * sizes) / left + terms.initial * initial_variates * scale
    return start, terms.level * c.sigma**2 / c.n * scale


def check_start(initial_gap: float, initial_variates: float) -> None:
    """`InvalidInput` unless Δ and G₀ are finite and ≥ 0."""
    for name, value in (("initial_gap", initial_gap), ("initial_variates", initial_variates)):
        in_interval(name, value, low=0.0, high=FINITE)


def _alpha(omega_p: float, alpha: float | None) -> tuple[float, float]:
    """α and √(1 − α)."""
    in_interval("omega_p", omega_p, low=0.0, high=math.inf)
    size = admitted_alpha(omega_p, alpha)
    return size, math.sqrt(1.0 - size)


def steepness(c: Constants) -> float:
    """C̄ = ½C_⋆⋆ + sup‖h‖ C_⋆, as row own-gap-half has it."""
    return c.C_star_star / 2.0 + (c.sup_h * c.C_star if c.C_star > 0.0 else 0.0)


def _K(c: Constants) -> float:
    return c.v_max / c.v_min * c.L**2 / c.n


def at_most(top: float, bottom: float) -> float:
    return math.inf if bottom == 0.0 else top / bottom
