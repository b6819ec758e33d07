"""Theorem 1 (`theo:main`) as numbers: admissible step sizes, the bound and what it is made of."""

from fedmm_edu.federation import largest_alpha
from fedmm_edu.theory.biased import Contraction, biased, biased_linear, biased_monotone, per_client
from fedmm_edu.theory.coverage import covered
from fedmm_edu.theory.faster import LocalRounds, Restarts, fastest_restarts, restarted, scaffold
from fedmm_edu.theory.linear import Monotone, Rate, diana, diana_alpha, pl
from fedmm_edu.theory.own import Flat, Terms, any_projection, best_own, fastest_own, own_bound, projected, without_A7
from fedmm_edu.theory.planning import Price, best_gamma, fastest_gamma, full_price, price
from fedmm_edu.theory.seminorm import Seminorm, without_v_min
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
    "LocalRounds",
    "Monotone",
    "Price",
    "Rate",
    "Restarts",
    "Seminorm",
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
    "fastest_restarts",
    "full_price",
    "largest_alpha",
    "largest_gamma",
    "own_bound",
    "per_client",
    "pl",
    "price",
    "projected",
    "restarted",
    "rounds_for",
    "scaffold",
    "without_A7",
    "without_v_min",
]
