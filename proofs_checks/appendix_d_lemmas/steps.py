"""Exact steps of FedMM in one dimension, on a quadratic problem, for the Lyapunov inequality.

f(θ) = a(θ − c)²/2, g = 0, ψ = θ²/(2ρ), φ = θ/ρ, S̄(τ) = τ − ρ a(τ − c), Θ = 𝒮, and T(s) = s + shift. Then
h(s) = S̄(T(s)) − s and φ(T(s')) − φ(T(s)) = (s' − s)/ρ. Which hypotheses such a step satisfies is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.appendix_d_lemmas.projection import Pieces, contains, nearest, shown
from proofs_checks.shared.tools import instance

ONE, ZERO, QUARTER, TINY = F(1), F(0), F(1, 4), F(1, 100)
CENTRED: Pieces = ((F(-1), F(1)),)
TWO_INTERVALS: Pieces = ((F(-1), F(-1, 2)), (F(1, 4), F(1)))
HALVES = (F(1, 2), F(1, 2))


@dataclass(frozen=True)
class Step1:
    """One step from s with the law `H` of the direction: pairs (probability, value)."""

    s: F
    H: tuple[tuple[F, F], ...]
    gamma: F = QUARTER
    a: F = ONE
    c: F = ZERO
    rho: F = ONE
    shift: F = ZERO
    pieces: Pieces = CENTRED
    B: F = ONE
    b: F = ONE
    v_min: F = ONE
    v_max: F = ONE
    C1: F = TINY
    C2: F = ONE

    def h(self, s: F) -> F:
        theta = s + self.shift
        return theta - self.rho * self.a * (theta - self.c) - s

    @property
    def field(self) -> F:
        return self.h(self.s)

    @property
    def c_bar(self) -> F:
        """C̄ = C⋆⋆ + C⋆ sup |h|; h is affine, so its supremum is at an end of 𝒮."""
        ends = [end for piece in self.pieces for end in piece]
        return self.C2 + self.C1 * max(abs(self.h(end)) for end in ends)

    def facts(self) -> set[str]:
        tests = {
            "MM-1": self.a * self.rho <= 1,
            "MM-2": self.shift == 0,
            "A7": self.B * self.rho == 1 and self.C2 * self.rho >= 1 and self.v_min <= self.B <= self.v_max,
            "A8(i)": len(self.pieces) == 1,
            "A8(ii)": self.b == self.B,
            "γ < v_min/(2C̄)": 0 < self.gamma < self.v_min / (2 * self.c_bar),
        }
        return {name for name, holds in tests.items() if holds and contains(self.pieces, self.s)}

    def moved(self, H: F) -> F:
        """Ŝ_{t+1} − Ŝ_t."""
        return nearest(self.pieces, self.s + self.gamma * H) - self.s

    @property
    def E_bar(self) -> F:
        return self.b * self.moved(self.field) ** 2 / self.gamma**2

    def W(self, s: F) -> F:
        return self.a * (s + self.shift - self.c) ** 2 / 2

    def mean(self, of: Callable[[F], F]) -> F:
        return sum((weight * of(H) for weight, H in self.H), F(0))

    def witness(self, says: str) -> Witness:
        law = ", ".join(f"{value} with probability {weight}" for weight, value in self.H)
        point = {"f": f"{self.a}*(theta - {self.c})^2/2", "rho": self.rho, "S": shown(self.pieces), "Shat": self.s}
        point |= {"T(s)": f"s + {self.shift}", "H": law, "h": self.field, "gamma": self.gamma, "B(s)": self.B}
        point |= {"B_t": self.b, "v_min": self.v_min, "C_star": self.C1, "C_starstar": self.C2}
        return Witness({name: str(value) for name, value in point.items()}, says, {"E_bar": str(self.E_bar)})


def _steps() -> tuple[Step1, ...]:
    """Steps with and without noise, projected or not, and each hypothesis dropped."""
    half = F(1, 2)
    sure = [((F(1), value),) for value in (F(-1, 2), F(-1), F(-1, 4), F(0), F(1, 4), F(3))]
    fair = [tuple(zip(HALVES, (low, high), strict=True)) for low, high in ((-1, 0), (-2, 1), (-9, 8))]
    laws = [*sure, *[tuple((w, F(v)) for w, v in law) for law in fair]]
    found = [Step1(half, law, gamma=k) for law, k in product(laws, (F(1, 4), F(1, 64)))]
    found += [Step1(half, law, a=F(1, 16)) for law in laws]
    found += [Step1(half, law, v_min=half, gamma=F(1, 8)) for law in laws]
    exact = ((F(1), -half),)
    found += [Step1(half, exact, b=b) for b in (F(8), F(1, 8))]  # B_t ≠ B(Ŝ_t)
    found += [Step1(half, exact, B=b, b=b) for b in (F(8), F(1, 8))]  # A7(i) and (ii) fail
    found.append(Step1(F(1, 4), ((F(1), F(-63, 4)),), a=F(64)))  # MM-1
    found.append(Step1(-half, ((F(1), half),), shift=half))  # MM-2
    found += [Step1(half, law, gamma=k) for law, k in product(laws, (F(3, 4), F(1)))]  # long steps
    found.append(Step1(F(1, 4), ((F(1), F(-7, 8)),), pieces=TWO_INTERVALS, c=F(1), gamma=F(7, 16)))  # 𝒮 not convex
    return tuple(found)


STEPS = _steps()


def step_instance() -> Witness:
    """A step with noise that satisfies every hypothesis of the Lyapunov inequality and is projected."""
    step = next(s for s in STEPS if len(s.facts()) == 6 and len(s.H) == 2 and s.moved(s.H[1][1]) == 1 - s.s)
    return instance(
        {"f": "theta^2/2", "rho": step.rho, "S": shown(step.pieces), "Shat": step.s, "H": step.H, "gamma": step.gamma},
        "two equally likely directions, one of which is projected back",
        {
            **{name: name in step.facts() for name in ("MM-1", "MM-2", "A7", "A8(i)", "A8(ii)")},
            "gamma < v_min/(2 C_bar)": "γ < v_min/(2C̄)" in step.facts(),
            "H is random": step.H[0][1] != step.H[1][1],
        },
    )
