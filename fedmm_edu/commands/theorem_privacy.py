"""ε and δ in `fedmm theorem`: the noise that they ask for is part of σ, and so of the bound."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, replace
from typing import Any

from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.theory.hypotheses import Grounds, Number, Problem, with_constants
from fedmm_edu.theory.privacy import noise_multiplier, spent_epsilon

PRIVACY = {
    "epsilon": "ε of what each client sends in T rounds together, for the exchange of one row, by Gaussian noise",
    "delta": "δ of it",
    "sensitivity": "the most, in ‖·‖, by which a client's statistic moves when one of its rows is exchanged: 2ρδR/N "
    "for losses of slope δ and ‖x‖ ≤ R, the diameter of 𝒮 over N where each S̄ lies in a bounded 𝒮",
}
"""The options, which go together, and what they mean."""


@dataclass(frozen=True)
class Privacy:
    """(ε, δ) over so many rounds, by noise of standard deviation `multiplier` times `sensitivity` in each number."""

    epsilon: float
    delta: float
    sensitivity: float
    rounds: int
    multiplier: float

    @staticmethod
    def of(args: argparse.Namespace) -> Privacy | None:
        """What the options ask for; `InvalidInput` where one is missing."""
        told = {name: getattr(args, name) for name in PRIVACY}
        if missing := [f"--{name}" for name, value in told.items() if value is None]:
            if len(missing) == len(PRIVACY):
                return None
            raise InvalidInput(f"--{', --'.join(PRIVACY)} go together: give {' and '.join(missing)}, too, or none.")
        in_interval("sensitivity", args.sensitivity, low=0.0, high=1e100, open_low=True)
        return Privacy(**told, rounds=args.rounds, multiplier=noise_multiplier(args.epsilon, args.delta, args.rounds))

    def start_of_variates(self, chosen: str | None) -> str:
        """V_{0,i}; `InvalidInput` for h_i(Ŝ_0), which clients would send without noise."""
        if chosen == "mean_field":
            raise InvalidInput("--V0 mean_field sends h_i(Ŝ_0) before the first round, without noise: use --V0 zero.")
        return "zero"

    def sigma(self, q: int, spread: float) -> float:
        """√(n Σ μ_i² σ_i²) of the noise, σ_i² = q z² D²; `spread` is n Σ μ_i²."""
        return math.sqrt(spread * q) * self.multiplier * self.sensitivity

    def added(self, problem: Problem, spread: float = 1.0) -> Problem:
        """The problem whose clients add this noise: σ² is that of the samples and that of the noise."""
        of_rows, noise = problem.numbers["sigma"], self.sigma(problem.q, spread)
        if of_rows.value is None:
            return problem
        how = f"√({of_rows.value:.6g}² + {noise:.6g}²): {of_rows.how}; and the noise for ε"
        status: Grounds = "given" if of_rows.status == "proved" else of_rows.status
        numbers = {**problem.numbers, "sigma": Number(math.hypot(of_rows.value, noise), status, how)}
        A3 = {row.name: row for row in with_constants(numbers)}["A3"]
        rows = tuple(A3 if row.name == "A3" else row for row in problem.hypotheses)
        return replace(problem, numbers=numbers, hypotheses=rows)

    def spent(self, rounds: int | None) -> float | None:
        """ε of so many rounds with this noise."""
        return None if rounds is None else spent_epsilon(self.multiplier, self.delta, rounds)

    def as_dict(self) -> dict[str, Any]:
        """For JSON, with what it means in a sentence."""
        noise = self.multiplier * self.sensitivity
        says = (
            f"ε = {self.epsilon:g}, δ = {self.delta:g} of what each client sends in {self.rounds} rounds, for the "
            f"exchange of one row (not of this text): noise {noise:.4g} in each number, z = {self.multiplier:.4g} "
            "times the sensitivity"
        )
        return {**vars(self), "noise": noise, "says": says}
