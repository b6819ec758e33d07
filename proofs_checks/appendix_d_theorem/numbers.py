"""Sequences of numbers that satisfy Propositions 2 to 4 for every β > 1, with as much error as these allow.

They are the witnesses of this section: an inequality that fails for them does not follow from the propositions. In each
round the error Ē_{t+1} uses up all of W_t − min and all the noise that Propositions 2 and 3 grant, and G_{t+1} is the
least value over β of Proposition 4's right-hand side, (√a + √b)², rounded down to a fraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from functools import cached_property
from math import isqrt
from typing import TypeVar

from flint import fmpq

from fedmm_edu.errors import InvalidInput

SCALE = 10**12
Q = TypeVar("Q", F, fmpq)


@dataclass(frozen=True)
class Numbers:
    """Constants, steps γ_1 … γ_T, with the errors that follow; `gap` is W_0 − min(f+g).

    `silent`: the rounds (from 1) in which no error is taken, so that W grows; by `jump` where the step is so long that
    Proposition 2 says nothing.
    """

    name: str
    omega: F
    alpha: F
    steps: tuple[F, ...]
    vmin: F = F(1)
    vmax: F = F(1)
    L2n: F = F(1)
    C: F = F(1)
    noise: F = F(0)
    gap: F = F(0)
    G0: F = F(0)
    silent: frozenset[int] = frozenset()
    jump: F = F(0)

    @cached_property
    def errors(self) -> tuple[F, ...]:
        """Ē_1 … Ē_T; `InvalidInput` where a proposition is not satisfied."""
        W, G, errors = self.gap, self.G0, []
        for t, step in enumerate(self.steps, 1):
            m = 1 - self.C * step / self.vmin
            slope = step * (2 * m - 1) / 4  # (γ/4)(1 − 2 C̄ γ/v_min), positive where Proposition 2 applies
            if slope <= 0 and t not in self.silent:
                raise InvalidInput(f"{self.name}: the step {step} is not below v_min/(2C̄): choose a smaller one.")
            N = (1 + self.omega) * self.vmax * self.noise + self.omega * self.vmax * G
            error = F(0) if t in self.silent else (W + step * m * N) / slope
            W += step * m * N - slope * error if slope > 0 else self.jump
            a = (1 - self.alpha) * G + self.alpha * self.noise
            b = 2 * self.L2n / self.vmin * step**2 * (error + N)
            G = rounded_down(a, b)
            if W < 0 or (a + b < G and (G - a - b) ** 2 > 4 * a * b):
                raise InvalidInput(f"{self.name}: round {t} breaks a proposition: this is an error in `rounds`.")
            errors.append(error)
        return tuple(errors)

    @cached_property
    def moments(self) -> tuple[F, F, F]:
        """Σ γ_t Ē_t, Σ γ_t² Ē_t and Σ γ_t³ Ē_t."""
        pairs = list(zip(self.steps, self.errors, strict=True))
        first, second, third = (sum((step**k * error for step, error in pairs), F(0)) for k in (1, 2, 3))
        return first, second, third

    @property
    def K(self) -> F:
        """(v_max/v_min) L²/n."""
        return self.vmax / self.vmin * self.L2n

    def shown(self) -> dict[str, str]:
        """The constants, for a witness."""
        names = ("omega", "alpha", "vmin", "vmax", "L2n", "C", "noise", "gap", "G0")
        first = ", ".join(str(step) for step in self.steps[:3])
        rest = f" (the last one {len(self.steps)} times in all)" if len(self.steps) > 3 else ""
        return {name: str(getattr(self, name)) for name in names} | {"T": str(len(self.steps)), "gamma": first + rest}


def rounded_down(a: Q, b: Q) -> Q:
    """A fraction just below (√a + √b)² = min over β > 1 of βa + βb/(β−1), of the type of a and b."""
    fraction = type(a)
    root = fraction(isqrt(int(4 * a * b * SCALE**2)), SCALE)
    return fraction(int((a + b + root) * SCALE), SCALE)


def constant(name: str, step: Sequence[str], T: int, **constants) -> Numbers:
    """`Numbers` with T equal steps; values may be given as strings such as "1/10"."""
    silent = constants.pop("silent", frozenset())
    return Numbers(name, steps=(F(*step),) * T, silent=silent, **{key: F(value) for key, value in constants.items()})
