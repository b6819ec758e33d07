"""Theorem 1 (`theo:main`) as numbers: admissible step sizes, the bound and what it is made of."""

from fedmm_edu.theory.planning import Price, best_gamma, fastest_gamma, full_price, price
from fedmm_edu.theory.theorem1 import (
    VERSIONS,
    Bound,
    Constants,
    Factors,
    Version,
    bound,
    factors,
    largest_alpha,
    largest_gamma,
    rounds_for,
)

__all__ = [
    "VERSIONS",
    "Bound",
    "Constants",
    "Factors",
    "Price",
    "Version",
    "best_gamma",
    "bound",
    "factors",
    "fastest_gamma",
    "full_price",
    "largest_alpha",
    "largest_gamma",
    "price",
    "rounds_for",
]
