"""Theorem 1 as one value: from its constants come the words that a reader sees and the terms that the check judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from fedmm_edu.errors import InvalidInput
from proofs_checks.appendix_d_theorem.theorem import C, K, V, alpha, omega, parse, v

THIRD = sp.Integer(16)
"""Of the third condition: THIRD·(ω_p/α²)·K γ_1² ≤ 1."""
QUARTER, DRIFT = "1/4", "2"
"""Of the left side: QUARTER·γ_t·(1 − DRIFT·(C̄/v_min)·γ_t − …)."""
ASSUMED = "A1 to A8 as they are used in Propositions 2, 3 and 4: agents are independent given the past (L 667, L 704)"
SUM = r"\sum_{t=1}^T"
GAP = r"E[(f+g)(T(\hat S_0)) - \min(f+g)]"


def bracket(step: sp.Expr, error: sp.Expr, drift: str = DRIFT) -> sp.Expr:
    """1 − drift·(C̄/v_min)·γ − error·(ω_p/α²)·K·γ², of the left side of (27) and of its positivity."""
    return 1 - parse(drift) * C / v * step - error * omega * K * step**2 / alpha**2


def third(step: sp.Expr) -> sp.Expr:
    """1 − THIRD·(ω_p/α²)·K·γ², which the third condition makes ≥ 0."""
    return 1 - THIRD * omega * K * step**2 / alpha**2


def initial_factor(initial: sp.Expr) -> sp.Expr:
    """ρ = initial·ω_p v_max/α, the factor of γ_t G_t."""
    return initial * omega * V / alpha


def part_A_words(form: Mapping[str, Any]) -> str:
    """Part (A) with the constants of the form."""
    quarter, drift, level, gap = (
        form.get(k, d) for k, d in (("quarter", QUARTER), ("drift", DRIFT), ("level", "1"), ("gap", "1"))
    )
    left = rf"{_times(parse(quarter))}\gamma_t ({_tex(bracket(_now(), sp.S.Zero, drift))}) E[\bar E_t]"
    noise = rf"{_tex(parse(level) * V)} \frac{{\sigma^2}}{{n}} {SUM} \gamma_t"
    return rf"If $\omega_p = 0$, then ${SUM} {left} \leq {_times(parse(gap))}{GAP} + {noise}$ for every $T$."


def part_B_words(form: Mapping[str, Any]) -> str:
    """(27) with the constants of the form."""
    error, initial = parse(form["error"]), parse(form["initial"])
    left = rf"{_times(parse(QUARTER))}\gamma_t ({_tex(bracket(_now(), error))}) E[\bar E_t]"
    start = rf"{_tex(initial_factor(initial))} \gamma_1 E[G_0]"
    noise = rf"{_factored(form['level'])} v_{{\max}} \frac{{\sigma^2}}{{n}} {SUM} \gamma_t"
    gap = _times(parse(form.get("gap", "1")))
    return rf"If $\omega_p > 0$, then ${SUM} {left} \leq {gap}{GAP} + {start} + {noise}$ for every $T$."


def part_A_hypotheses() -> tuple[str, ...]:
    """What part (A) assumes."""
    return (ASSUMED, rf"$0 < \gamma_t < {_tex(_longest())}$", r"$\omega_p = 0$", r"$\min(f+g)$ exists")


def part_B_hypotheses(form: Mapping[str, Any]) -> tuple[str, ...]:
    """What (27) assumes, less what the form goes `without`; `by` chooses the condition that bounds the step."""
    error = parse(form["error"])
    largest = sp.sqrt(1 / (THIRD * omega)) * alpha
    said = {
        "alpha range": r"$0 < \alpha \leq 1/(1+\omega_p)$ and $\omega_p > 0$",
        "non-increasing": r"$0 < \gamma_{t+1} \leq \gamma_t$",
        "positivity": rf"${_tex(bracket(_now(), error))} > 0$ for every $t$",
        "third": rf"$\gamma_1 \leq {_tex(largest)} \sqrt{{v_{{\min}}/v_{{\max}}}} \sqrt{{n}}/L$, and $L > 0$",
    }
    dropped = dropped_of(form.get("without", ""))
    if form.get("by", "positivity") == "third":
        said["positivity"] = rf"$0 < \gamma_t < {_tex(_longest())}$"
    return (ASSUMED, *(words for name, words in said.items() if name not in dropped), r"$\min(f+g)$ exists")


CONDITIONS = ("alpha range", "non-increasing", "positivity", "third")


def dropped_of(without: str) -> list[str]:
    """The conditions of (B) that are named in `without`; `InvalidInput` for another name."""
    names = [name for name in without.split("; ") if name]
    if unknown := [name for name in names if name not in CONDITIONS]:
        raise InvalidInput(f"{unknown[0]!r} is no condition of Theorem 1 (B): name some of {', '.join(CONDITIONS)}.")
    return names


def _longest() -> sp.Expr:
    """v_min/(2C̄), below which Proposition 2 asks γ to be: where 1 − DRIFT·(C̄/v_min)γ is 0."""
    return v / (parse(DRIFT) * C)


def _now() -> sp.Symbol:
    return sp.Symbol(r"\gamma_t", positive=True)


def _times(factor: sp.Expr) -> str:
    return "" if factor == 1 else f"{_tex(factor)} "


def _factored(formula: str) -> str:
    """The formula as it is written, 2(1 + 5ω_p), not multiplied out."""
    return sp.latex(sp.sympify(formula, {"omega": omega, "alpha": alpha, "q": sp.Symbol("q")}, evaluate=False))


def _tex(expr: sp.Expr) -> str:
    return sp.latex(expr, order="none" if expr.is_Add else None)
