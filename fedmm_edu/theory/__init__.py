"""Theorem 1 (`theo:main`) as numbers: admissible step sizes, the bound and what it is made of."""

from fedmm_edu.federation import largest_alpha
from fedmm_edu.theory.biased import Contraction, biased, biased_linear, biased_monotone, per_client
from fedmm_edu.theory.coverage import covered
from fedmm_edu.theory.linear import Monotone, Rate, diana, diana_alpha, pl
from fedmm_edu.theory.own import Flat, Terms, any_projection, best_own, fastest_own, own_bound, projected, without_A7
from fedmm_edu.theory.planning import Price, best_gamma, fastest_gamma, full_price, price
from fedmm_edu.theory.theorem1 import (
    VERSIONS,
    Bound,
    Constants,
    Factors,
    Version,
    bound,
    factors,
    largest_gamma,
    rounds_for,
)

__all__ = [
    "VERSIONS",
    "Bound",
    "Constants",
    "Contraction",
    "Factors",
    "Flat",
    "Monotone",
    "Price",
    "Rate",
    "Terms",
    "Version",
    "any_projection",
    "best_gamma",
    "best_own",
    "biased",
    "biased_linear",
    "biased_monotone",
    "bound",
    "covered",
    "diana",
    "diana_alpha",
    "factors",
    "fastest_gamma",
    "fastest_own",
    "full_price",
    "largest_alpha",
    "largest_gamma",
    "own_bound",
    "per_client",
    "pl",
    "price",
    "projected",
    "rounds_for",
    "without_A7",
]
