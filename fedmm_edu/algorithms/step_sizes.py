"""Step-size rules t ↦ γ_t for t = 1, 2, …; any callable of t will do, and a number is a constant step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from fedmm_edu.errors import InvalidInput, in_interval

StepSize = Callable[[int], float] | float


@dataclass(frozen=True)
class Constant:
    """γ_t = γ."""

    gamma: float

    def __post_init__(self) -> None:
        in_interval("gamma", self.gamma, low=0.0, high=1.0, open_low=True)

    def __call__(self, t: int) -> float:
        return self.gamma


@dataclass(frozen=True)
class Harmonic:
    """γ_t = 1/t, under which the iterate is the mean of the oracles (Section 2.2)."""

    def __call__(self, t: int) -> float:
        return 1.0 / t


@dataclass(frozen=True)
class SqrtDecay:
    """γ_t = β/√(β + t), the rule of the experiments (Section 6)."""

    beta: float

    def __post_init__(self) -> None:
        in_interval("beta", self.beta, low=0.0, high=math.inf, open_low=True)

    def __call__(self, t: int) -> float:
        return self.beta / math.sqrt(self.beta + t)


def checked(rule: StepSize, t: int) -> float:
    """γ_t, or `InvalidInput` when it leaves (0, 1] (Algorithms 1 and 2)."""
    gamma = float(rule(t) if callable(rule) else rule)
    if not 0.0 < gamma <= 1.0:
        raise InvalidInput(f"the step-size rule gives γ_{t} = {gamma}, outside (0, 1]: scale it down.")
    return gamma
