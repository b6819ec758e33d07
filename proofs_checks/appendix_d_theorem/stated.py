"""Theorem 1 as one value: from its constants come the words that a reader sees and the terms that the check judges."""

from __future__ import annotations

from typing import Literal

import sympy as sp

from proofs_checks.appendix_d_theorem.theorem import C, K, V, alpha, omega, parse, v

THIRD = sp.Integer(16)
"""Of the third condition: THIRD·(ω_p/α²)·K γ_1² ≤ 1."""
QUARTER, DRIFT = "1/4", "2"
"""Of the left side: QUARTER·γ_t·(1 − DRIFT·(C̄/v_min)·γ_t − …)."""
Condition = Literal["alpha range", "non-increasing", "positivity", "short steps", "third"]
CONDITIONS: tuple[Condition, ...] = ("alpha range", "non-increasing", "positivity", "third")
"""Of part (B), as they are printed."""
Rounds = Literal["every", "some"]


def drift_term(step: sp.Expr) -> sp.Expr:
    """(C̄/v_min)·γ."""
    return C / v * step


def compression_term(step: sp.Expr) -> sp.Expr:
    """(ω_p/α²)·K·γ²."""
    return omega * K * step**2 / alpha**2


def bracket(step: sp.Expr, error: sp.Expr, drift: str = DRIFT) -> sp.Expr:
    """1 − drift·(C̄/v_min)·γ − error·(ω_p/α²)·K·γ², of the left side of (27) and of its positivity."""
    return 1 - parse(drift) * drift_term(step) - error * compression_term(step)


def third(step: sp.Expr) -> sp.Expr:
    """1 − THIRD·(ω_p/α²)·K·γ², which the third condition makes ≥ 0."""
    return 1 - THIRD * compression_term(step)


def initial_factor(initial: sp.Expr) -> sp.Expr:
    """ρ = initial·ω_p v_max/α, the factor of γ_t G_t."""
    return initial * omega * V / alpha


NOW = sp.Symbol(r"\gamma_t", positive=True)
AGENTS = "agents being independent given the past (L 667, L 704)"
ASSUMED = f"MM-1, MM-2 and A3 to A8 as they are used in Propositions 2, 3 and 4, {AGENTS}"
MINIMUM = r"$\min(f+g)$ exists"
SUM = r"\sum_{t=1}^T"
GAP = r"E[(f+g)(T(\hat S_0)) - \min(f+g)]"
SHORT = rf"1 ‹-drift·↓›{sp.latex(drift_term(NOW))}"
BRACKET = rf"{SHORT} ‹-error·↓1/2›{sp.latex(compression_term(NOW))}"
NOISE = rf"v_{{\max}} \frac{{\sigma^2}}{{n}} {SUM} \gamma_t"
PART_A = (
    rf"If $\omega_p = 0$, then ${SUM} ‹quarter·↑›\gamma_t ({SHORT}) E[\bar E_t] \leq ‹gap·↓›{GAP} "
    rf"‹+level·↓›{NOISE}$ for every $T$."
)
PART_B = (
    rf"If $\omega_p > 0$, then ${SUM} ‹quarter·↑›\gamma_t ({BRACKET}) E[\bar E_t] \leq ‹gap·↓›{GAP} "
    rf"‹+initial·↓1/4›{sp.latex(initial_factor(sp.S.One))} \gamma_1 E[G_0] ‹+level·↓1/4›{NOISE}$ for every $T$."
)
"""(27)."""
SAYS = {
    "ω_p = 0": r"$\omega_p = 0$",
    "short steps": rf"$0 < \gamma_t < {sp.latex(v / (parse(DRIFT) * C))}$",
    "alpha range": r"$0 < \alpha \leq 1/(1+\omega_p)$ and $\omega_p > 0$",
    "non-increasing": r"$0 < \gamma_{t+1} \leq \gamma_t$",
    "positivity": f"${BRACKET} > 0$ for ‹rounds: every=every; some=some› $t$",
    "third": rf"$\gamma_1 \leq {sp.latex(sp.sqrt(1 / (THIRD * omega)) * alpha)} \sqrt{{v_{{\min}}/v_{{\max}}}} "
    r"\sqrt{n}/L$, and $L > 0$",
}
"""How a reader sees the hypotheses; "short steps" are below v_min/(2C̄), as Proposition 2 asks."""
