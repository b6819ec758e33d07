"""What Theorem 1 recommends: the step size for a number of rounds or an accuracy, and the price of fewer bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.federation import largest_alpha, omega_p
from fedmm_edu.federation.compressor import FLOAT_BITS
from fedmm_edu.theory.theorem1 import Constants, bound, largest_gamma, rounds_for

EDGE = 1e-9
"""A recommended γ stays this share below the supremum, which the theorem does not admit itself."""


def best_gamma(constants: Constants, *, rounds: int, initial_gap: float, **settings) -> float:
    """The γ with the least bound after T = `rounds` rounds.

    The bound is (a/γ + b)/c(γ), whose logarithm is convex in γ where c > 0, so that there is one minimum. With Δ = 0
    the bound falls as γ → 0: then the smallest γ of the search is returned.
    """
    most = _most(constants, settings)
    return _least(
        lambda gamma: bound(constants, gamma=gamma, rounds=rounds, initial_gap=initial_gap, **settings).total, most
    )


def fastest_gamma(target: float, constants: Constants, *, initial_gap: float, **settings) -> float | None:
    """The γ with which `rounds_for(target)` is least, or None where no γ reaches the target (too much noise).

    T(γ) = (a/γ + b)/(target·c(γ)/4 − noise), whose logarithm is convex in γ where the denominator is positive.
    """
    in_interval("target", target, low=0.0, high=math.inf, open_low=True)
    most = _most(constants, settings)

    def terms(gamma: float):
        return bound(constants, gamma=gamma, rounds=1, initial_gap=initial_gap, **settings)

    at_zero = terms(most * 1e-12)
    if at_zero.noise >= target:
        return None

    def rounds(gamma: float) -> float:
        found = terms(gamma)
        room = target - found.noise
        return (found.initial + found.control_variates) / room if room > 0.0 else math.inf

    return _least(rounds, most)


def _most(constants: Constants, settings: dict) -> float:
    kept = {name: value for name, value in settings.items() if name in ("alpha", "version")}
    return (1.0 - EDGE) * largest_gamma(constants, settings.get("omega_p", 0.0), **kept)


def _least(value: Callable[[float], float], most: float) -> float:
    """The minimiser of a unimodal function on (0, most], searched in log γ."""
    from scipy.optimize import minimize_scalar  # SciPy costs more than everything else that this module imports

    end = math.log(most)
    found = minimize_scalar(lambda u: _log(value(math.exp(u))), bounds=(end - 28.0, end), method="bounded",
                            options={"xatol": 1e-10})  # fmt: skip
    return min((most, math.exp(float(found.x))), key=value)


def _log(value: float) -> float:
    return math.log(value) if 0.0 < value < math.inf else (-1e3 if value == 0.0 else 1e3)


@dataclass(frozen=True)
class Price:
    """Rounds and uplink bits of all clients that the bound asks for; `gamma` is the step size with the fewest rounds.

    None: no step size reaches the target, as the noise term alone is above it.
    """

    omega_p: float
    alpha: float | None
    largest_gamma: float
    gamma: float | None
    rounds: int | None
    bits: float | None


def price(
    target: float,
    constants: Constants,
    *,
    omega: float,
    p: float,
    bits_per_message: float,
    initial_gap: float,
    alpha: float | None = None,
    **settings,
) -> Price:
    """What reaching `target` costs with compression ω and participation p; n p messages are sent in a mean round."""
    if not 0.0 <= omega < math.inf:
        raise InvalidInput(f"omega = {omega}: A4 asks for a finite number >= 0.")
    in_interval("bits_per_message", bits_per_message, low=0.0, high=math.inf, open_low=True)
    together = omega_p(omega, p)
    size = None if together == 0.0 else largest_alpha(together) if alpha is None else alpha
    at = {"initial_gap": initial_gap, "omega_p": together, "alpha": size, **settings}
    version = {name: value for name, value in settings.items() if name == "version"}
    most = largest_gamma(constants, together, size, **version)
    gamma = fastest_gamma(target, constants, **at)
    rounds = None if gamma is None else rounds_for(target, constants, gamma=gamma, **at)
    bits = None if rounds is None else rounds * constants.n * p * bits_per_message
    return Price(together, size, most, gamma, rounds, bits)


def full_price(target: float, constants: Constants, *, q: int, initial_gap: float, **settings) -> Price:
    """The same with neither compression nor partial participation: every client sends q floats in every round."""
    bits = FLOAT_BITS * as_count("q", q)
    kept = {name: value for name, value in settings.items() if name == "version"}
    return price(target, constants, omega=0.0, p=1.0, bits_per_message=bits, initial_gap=initial_gap, **kept)
