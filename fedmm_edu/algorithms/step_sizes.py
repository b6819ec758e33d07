"""Step-size rules t ↦ γ_t for t = 1, 2, …; any callable of t will do, and a number is a constant step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from fedmm_edu.errors import InvalidInput, as_count, in_interval

StepSize = Callable[[int], float] | float


@dataclass(frozen=True)
class Constant:
    """γ_t = γ."""

    gamma: float

    def __post_init__(self) -> None:
        in_interval("gamma", self.gamma, low=0.0, high=math.inf, open_low=True)

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


@dataclass(frozen=True)
class Cosine:
    """γ_t = γ (1 + cos(π (t − 1)/T))/2 for t = 1, …, T = `rounds`: from γ towards 0, which it would have after the end.

    Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts" (2017), eq. (5), without a restart.
    """

    gamma: float
    rounds: int

    def __post_init__(self) -> None:
        in_interval("gamma", self.gamma, low=0.0, high=1.0, open_low=True)
        as_count("rounds", self.rounds)

    def __call__(self, t: int) -> float:
        _within("Cosine", t, self.rounds)
        return self.gamma * (1.0 + math.cos(math.pi * (t - 1) / self.rounds)) / 2.0


@dataclass(frozen=True)
class Staircase:
    """γ_t = γ `factor`^k when k of the shares `at` of T = `rounds` rounds are over, for t = 1, …, T.

    By default divided by 10 after half of the rounds and after three quarters, as in He et al., "Deep residual learning
    for image recognition" (2016), Section 4.2, on CIFAR-10.
    """

    gamma: float
    rounds: int
    factor: float = 0.1
    at: tuple[float, ...] = (0.5, 0.75)

    def __post_init__(self) -> None:
        in_interval("gamma", self.gamma, low=0.0, high=1.0, open_low=True)
        as_count("rounds", self.rounds)
        in_interval("factor", self.factor, low=0.0, high=1.0, open_low=True)
        for share in self.at:
            in_interval("a share of at", share, low=0.0, high=1.0)

    def __call__(self, t: int) -> float:
        _within("Staircase", t, self.rounds)
        return self.gamma * self.factor ** sum(t - 1 >= share * self.rounds for share in self.at)


def _within(name: str, t: int, rounds: int) -> None:
    if not 1 <= t <= rounds:
        raise InvalidInput(f"{name} is asked for round {t}, its rounds are 1, …, {rounds}: give it those of the run.")


def checked(rule: StepSize, t: int, *, longer: bool = False) -> float:
    """γ_t, or `InvalidInput` when it leaves (0, 1] (Algorithms 1 and 2); (0, ∞) where steps may be `longer`."""
    gamma = float(rule(t) if callable(rule) else rule)
    if not 0.0 < gamma < math.inf:
        raise InvalidInput(f"the step-size rule gives γ_{t} = {gamma}: give a positive number.")
    if gamma > 1.0 and not longer:
        raise InvalidInput(
            f"the step-size rule gives γ_{t} = {gamma}, outside (0, 1]: scale it down, or say beyond_theorem=True "
            "where a longer step is meant."
        )
    return gamma
