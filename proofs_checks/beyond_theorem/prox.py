"""Exact rounds in one dimension without A7: φ(θ) = θ, ψ = θ²/2, g = λ|θ|, f = A(θ − t)²/2; T soft-thresholds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.beyond_theorem.line import Law, fair, sure
from proofs_checks.shared.exact import admitted, as_text
from proofs_checks.shared.tools import instance

ROUND = ("MM-1", "MM-2", "Lipschitz", "𝒮 convex", "interior points")
FULL = (*ROUND, "mean in 𝒮", "S̄ Lipschitz", "γ ≤ 1/2")


@dataclass(frozen=True)
class Prox:
    """One round from s; T(s) = scale·soft(s, λ) minimises for scale 1. `LT`, `ell`: the constants that are claimed."""

    s: F
    law: Law
    gamma: F
    A: F = F(1)
    t: F = F(0)
    lam: F = F(0)
    scale: F = F(1)
    LT: F = F(1)
    ell: F = F(1)
    high: F = F(1000)

    def T(self, s: F) -> F:
        return self.scale * (max(abs(s) - self.lam, F(0)) * (1 if s > 0 else -1))

    def mean_S_bar(self, s: F) -> F:
        return self.T(s) - self.A * (self.T(s) - self.t)

    def h(self, s: F) -> F:
        return self.mean_S_bar(s) - s

    def W(self, s: F) -> F:
        return self.A * (self.T(s) - self.t) ** 2 / 2 + self.lam * abs(self.T(s))

    def move(self, e: F) -> F:
        """Ŝ_{t+1}, projected onto 𝒮 = [−high, high]."""
        return max(-self.high, min(self.high, self.s + self.gamma * (self.h(self.s) + e)))

    def mean(self, of: Callable[[F], F]) -> F:
        return sum((weight * of(e) for weight, e in self.law), F(0))

    def facts(self) -> set[str]:
        tests = {
            "MM-1": self.A <= 1,
            "MM-2": self.scale == 1,
            "Lipschitz": abs(self.scale) <= self.LT,
            "S̄ Lipschitz": abs(1 - self.A) <= self.ell,
            "mean in 𝒮": abs(self.mean_S_bar(self.s)) <= self.high and abs(self.s) <= self.high,
            "no projection": all(abs(self.s + self.gamma * (self.h(self.s) + e)) <= self.high for _, e in self.law),
            "interior points": self.high > 0,
            "γ ≤ 1/2": self.gamma <= F(1, 2),
            "γ ≤ 1": self.gamma <= 1,
            "unbiased": self.mean(lambda e: e) == 0,
        }
        return {"𝒮 convex", *(name for name, holds in tests.items() if holds)}  # 𝒮 is an interval

    def point(self) -> dict[str, str]:
        law = ", ".join(f"{e} with probability {weight}" for weight, e in self.law)
        values = {
            "s": self.s,
            "H - h": law,
            "gamma": self.gamma,
            "f": f"{self.A}*(theta - {self.t})^2/2",
            "S": f"[-{self.high}, {self.high}]",
        }
        values |= {"lambda": self.lam, "T": f"{self.scale}*soft(s, lambda)", "L_T": self.LT, "ell": self.ell}
        return as_text(values)

    def witness(self, says: str) -> Witness:
        return Witness(self.point(), says)


def _rounds() -> tuple[Prox, ...]:
    half, found = F(1, 2), []
    laws = [*(sure(F(e)) for e in (0, 1, -1, half)), fair(F(-1), F(1)), fair(F(-8), F(8))]
    for s, law, k in product((F(0), half, F(1), F(2)), laws, (half, F(1, 100), F(1))):
        for A, t, lam, ell_ in (
            (F(1), F(0), F(0), F(10)),
            (half, F(0), F(0), half),
            (half, F(3), F(1), half),
            (half, F(0), F(1), half),
        ):
            found.append(Prox(s, law, k, A, t, lam, ell=ell_))
        found.append(Prox(s, law, k, F(9), ell=F(8)))  # MM-1
        found.append(Prox(s, law, k, half, F(1), scale=F(-1)))  # MM-2
        found.append(Prox(s, law, k, F(1), LT=F(1, 10), ell=F(10)))  # φ∘T is not L_T-Lipschitz
        found.append(Prox(s, law, k, F(1, 4), ell=F(1, 100)))  # S̄ is not ℓ-Lipschitz
        found.append(Prox(s, law, k, half, F(9), high=F(2)))  # E S̄ outside 𝒮
        found.append(Prox(s, law, k, half, F(1), high=F(2)))  # projected
        found.append(Prox(s, law, F(9, 4), F(1)))  # long steps
    return tuple(found)


ROUNDS = _rounds()


def round_instance() -> Witness:
    """A noisy round with a kink in which A7 fails: T = soft(s, 1) at s = 1."""
    x = next(r for r in admitted(ROUNDS, (*FULL, "unbiased")) if r.lam > 0 and r.s == r.lam and len(r.law) == 2)
    holds = {name: name in x.facts() for name in (*FULL, "unbiased")}
    holds["no derivative at s"] = (x.T(x.s + 1) - x.T(x.s)) != (x.T(x.s) - x.T(x.s - 1))
    return instance(x.point(), "a round at a kink of T, where A7 fails", holds)
