"""Theorem 1 (`theo:main`) as numbers: admissible step sizes, the bound and what it is made of."""

from fedmm_edu.theory.theorem1 import Bound, Constants, bound, largest_alpha, largest_gamma, rounds_for

__all__ = ["Bound", "Constants", "bound", "largest_alpha", "largest_gamma", "rounds_for"]
