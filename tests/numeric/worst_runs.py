"""`python -m tests.numeric.worst_runs`: worst cases of T rounds by performance estimation (PEPit), beside our bounds.

PEPit brings a convex solver and half a gigabyte, so that it is no dependency: the worst cases are kept in
worst_runs.json, and the bounds are computed by `fedmm_edu.theory` whenever they are asked for. What is estimated stands
in `worst_programs`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from fedmm_edu.theory import (
    Constants,
    Contraction,
    LocalRounds,
    Monotone,
    Rate,
    any_projection,
    best_gamma,
    biased,
    biased_linear,
    biased_monotone,
    bound,
    diana,
    own_bound,
    projected,
    scaffold,
    without_A7,
)
from tests.numeric.worst_programs import (
    FLAT,
    MU,
    descent,
    ef21,
    ef21_rate,
    far,
    high,
    local_steps,
    lossy_rate,
    lossy_sum,
    nesterov,
    shrunk,
)

FILE = Path(__file__).with_suffix(".json")
RHO = Constants(1.0, 1.0, 0.0, 1.0, math.inf, 1.0, 0.0, 1)
MONOTONE = Monotone(MU, 1.0, 1.0, 0.0, 1, 1.0)
"""−h is μ-strongly monotone and cocoercive for f strongly convex; A7 holds with v_min = v_max = C_⋆⋆ = 1, C_⋆ = 0."""


@dataclass(frozen=True)
class Family:
    """What is bounded for which functions, the numbers T of rounds, the worst case (with PEPit), and our bound."""

    row: str
    about: str
    rounds: Sequence[int]
    worst: Callable[[int], float]
    bound: Callable[[int], float]


def steps(terms: Any, share: float = 1.0) -> float:
    """A share of the longest step at which something is left."""
    sizes = (terms.most * k / 1000 for k in range(1000, 0, -1))
    return share * next(size for size in sizes if terms.left(size) > 0.0)


def summed(terms: Any, c: Any, gamma: float) -> Callable[[int], float]:
    return lambda T: own_bound(terms, c, gamma=gamma, rounds=T, initial_gap=1.0).total


FEW, MANY, BLOCKS = range(1, 5), range(1, 11), range(6, 13)


def families() -> Mapping[str, Family]:
    """By name: no projection is active, as 𝒮 is the whole space."""
    found = [*_sums(), *_rates(), *_faster()]
    return {f"{family.row}, {family.about}": family for family in found}


def _sums() -> list[Family]:
    plain, near = any_projection(RHO, 0.0), projected(RHO, 0.0)
    sent, short = "f smooth, messages doubled or lost, γ = ", steps(any_projection(RHO, 1.0), 0.6)
    lossy, in_norm = any_projection(RHO, 1.0), projected(RHO, 1.0)
    return [
        *(Family("own-any-A", f"γ = {x:g}", MANY, descent(x), summed(plain, RHO, x)) for x in (0.25, 0.5, 1.0)),
        *(Family("own-projected-A", f"γ = {x:g}", MANY, descent(x), summed(near, RHO, x)) for x in (0.25, 0.5)),
        Family("own-thm1-B-best", f"{sent}the best for T", FEW, lossy_sum(_best, 0.5), _paper),
        Family("own-any", f"{sent}{short:.3g}", FEW, lossy_sum(lambda T: short, 0.5), summed(lossy, RHO, short)),
        Family(
            "own-projected", f"{sent}{short:.3g}", FEW, lossy_sum(lambda T: short, 0.5), summed(in_norm, RHO, short)
        ),
        *(_ef21(a, n) for a, n in product((0.25, 0.5, 0.9), (1, 2))),
        Family("own-lip-A", "f and g convex, γ = 0.5", MANY, shrunk, summed(without_A7(FLAT, 0.0), FLAT, 0.5)),
    ]


def _ef21(a: float, n: int) -> Family:
    terms = biased(RHO, Contraction(a))
    about = f"f_i smooth, a = {a:g}, {n} client{'s' * (n > 1)}, γ = {terms.most:.3g}"
    return Family("own-biased", about, MANY if n == 1 else FEW, ef21(terms.most, a, n), summed(terms, RHO, terms.most))


def _rates() -> list[Family]:
    loss, found = diana(MONOTONE, 1.0), []
    for gamma in (0.1, 0.5 * loss.most):
        about = f"μ = {MU:g}, messages doubled or lost, γ = {gamma:.3g}"
        found.append(Family("own-diana-rate", about, FEW, lossy_rate(gamma, 0.25), shrinking(loss, gamma)))
    for a in (0.5, 0.9):
        rate, near = biased_linear(RHO, Contraction(a), MU), biased_monotone(MONOTONE, Contraction(a), 1.0)
        worst = ef21_rate(rate.most, a, "PL", high)
        about = f"PL with m = {MU:g}, a = {a:g}, γ = {rate.most:.3g}"
        found.append(Family("own-biased-linear", about, MANY, worst, shrinking(rate, rate.most)))
        worst = ef21_rate(near.most, a, "SmoothStronglyConvexFunction", far)
        about = f"μ = {MU:g}, a = {a:g}, γ = {near.most:.3g}"
        rounds = MANY if a == 0.5 else FEW  # the solver fails beyond
        found.append(Family("own-biased-monotone", about, rounds, worst, shrinking(near, near.most)))
    return found


def _faster() -> list[Family]:
    found = [Family("own-accelerated", "f convex", MANY, nesterov("distance"), lambda T: 2.0 / (T + 1) ** 2)]
    for start, about in (("growth", "W grows about θ_⋆"), ("strong", "f strongly convex")):
        found.append(Family("own-accelerated-restart", f"{about}, μ = {MU:g}", BLOCKS, nesterov(start), _block))
    for K, active in product((1, 2), (1, 2)):
        c = LocalRounds(1.0 / MU, K, active, 2)
        rate = scaffold(c)
        gamma = round(0.7 * rate.most, 3)
        about = f"μ = {MU:g}, K = {K}, {active} of 2 clients, ηL = {gamma:g}"
        rounds = range(1, 4) if active == 2 else range(1, 3)
        found.append(Family("own-scaffold-rate", about, rounds, local_steps(gamma, c), decay(rate, gamma)))
    return found


def shrinking(rate: Rate, gamma: float) -> Callable[[int], float]:
    return lambda T: rate.bound(gamma=gamma, rounds=T, initial_gap=1.0).total


def _block(T: int) -> float:
    return 4.0 / (MU * (T + 1) ** 2)


def decay(rate: Rate, gamma: float) -> Callable[[int], float]:
    return lambda T: rate.factor(gamma) ** T


def _best(T: int) -> float:
    """The step size with the least bound of Theorem 1 (B)."""
    return best_gamma(RHO, rounds=T, **PAPER)


PAPER: dict[str, Any] = {"initial_gap": 1.0, "omega_p": 1.0, "alpha": 0.5}


def _paper(T: int) -> float:
    return bound(RHO, gamma=_best(T), rounds=T, **PAPER).total


def read() -> dict[str, dict[int, float]]:
    """The worst cases by family and T."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: {int(T): worst for T, worst in found.items()} for name, found in kept.items()}


def main() -> None:
    found = {}
    for name, family in families().items():
        found[name] = {str(T): family.worst(T) for T in family.rounds}
        shown = ", ".join(f"{worst / family.bound(int(T)):.3f}" for T, worst in found[name].items())
        print(f"{name}: {shown}", flush=True)
    FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
