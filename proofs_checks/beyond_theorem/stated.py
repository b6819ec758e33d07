"""The theorems beyond Theorem 1 in words that are made from their `Kind`, which the checks judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction as F
from typing import Any

from proofs_checks.beyond_theorem.kinds import KINDS, RULES, KindName, parse
from proofs_checks.beyond_theorem.sum import UNIT
from proofs_checks.wording import arguments, formula

LETTERS = {"a": "a", "K": r"\frac{v_{\max}}{v_{\min}} \frac{L^2}{n}", "L2n": r"\frac{L^2}{n}", "q": "q"}
NOW, CONSTANT = {**LETTERS, "gamma": r"\gamma_t"}, {**LETTERS, "gamma": r"\gamma"}
ERRORS: Mapping[KindName, str] = {
    "any projection": r"E\|h(\hat S_{t-1})\|_{B_{t-1}}^2",
    "no projection": r"E\|h(\hat S_{t-1})\|_{B_{t-1}}^2",
    "projection in the norm of B_t": r"E[\bar E_t]",
    "Lipschitz, without A7": r"E\|h(\hat S_{t-1})\|^2",
}
STARTS: Mapping[KindName, str] = {"Lipschitz, without A7": r"E[W_0] - \min(f+g) + a E\|h(\hat S_0)\|^2"}
SUM, NOISE = r"\sum_{t=1}^T", r"\frac{\sigma^2}{n}"
SAID: Mapping[str, str] = {
    "one step": "the one-step inequality, and its bound of the move",
    "noise": "own-noise-plain",
    "control variates": "own-variates",
    "steps do not increase": r"$0 < \gamma_{t+1} \leq \gamma_t$",
    "α ≤ 1/(1+ω_p)": r"$0 < \alpha \leq 1/(1+\omega_p)$, $\omega_p > 0$, $q = \sqrt{1-\alpha}$",
    "v_min ≤ v_max": r"$0 < v_{\min} \leq v_{\max}$",
}


def theorem_words(kind: KindName, form: Mapping[str, str]) -> str:
    """Σ left(γ_t) E_t ≤ W_0 − min + initial·γ_1^power G_0 + level·σ²/n Σ γ_t^power."""
    power, left = KINDS[kind].power, _set(form["left"], NOW)
    first, each = (rf"\gamma_{k}{'' if power == 1 else f'^{power}'}" for k in "1t")
    initial, level = _set(form["initial"], NOW), _set(form["level"], NOW)
    return (
        rf"${SUM} {left} {ERRORS[kind]} \leq {_start(kind)} + {initial} {first} E[G_0] + "
        rf"{level} {NOISE} {SUM} {each}$."
    )


def theorem_hypotheses(kind: KindName, form: Mapping[str, str]) -> tuple[str, ...]:
    """What `sum.theorem` uses, less what the form goes `without`."""
    positive = rf"${_set(KINDS[kind].positive, NOW)} \geq 0$"
    dropped = form.get("without", "").split("; ")
    return tuple(positive if name == "positivity" else SAID[name] for name in RULES if name not in dropped)


def full_words(kind: KindName, check: Callable[..., Any]) -> str:
    """Σ gain(γ_t) E_t ≤ W_0 − min + (σ²/n) Σ cost(γ_t), each times the factor that the check has."""
    base, given = KINDS[kind], arguments(check, {})
    gain, cost = (_times(given[name], text) for name, text in (("gain", base.gain), ("level", base.cost)))
    return rf"${SUM} {gain} {ERRORS[kind]} \leq {_start(kind)} + {NOISE} {SUM} {cost}$."


def mean_words(kind: KindName, check: Callable[..., Any]) -> tuple[str, str]:
    """The bound of E[E_τ] for a constant step, and its condition left(γ) ≥ unit·γ/2."""
    base, factor, unit = KINDS[kind], arguments(check, {})["factor"], UNIT[kind]
    power = "" if base.power == 1 else f"^{base.power}"
    named = "" if unit.replace("/", "").isdigit() else f"{_set(unit, CONSTANT)} "
    share = F(1) if named else F(unit)
    half, by = share / 2, F(factor) / share
    initial, level = _set(base.initial, CONSTANT), _set(base.level, CONSTANT)
    error = ERRORS[kind].replace("_{t-1}", r"_\tau").replace("_t", r"_\tau")
    condition = rf"${_set(base.left, CONSTANT)} \geq {named}\frac{{\gamma}}{{{1 / half}}}$"
    bound = (
        rf"${error} \leq \frac{{{by}}}{{{named}T\gamma}} ({_start(kind)} + {initial} \gamma{power} E[G_0] + "
        rf"{level} {NOISE} T\gamma{power})$"
    )
    return f"For a constant step: {bound}.", condition


def _start(kind: KindName) -> str:
    return STARTS.get(kind, r"E[W_0] - \min(f+g)")


def _times(factor: str, text: str) -> str:
    return _set(text if factor == "1" else f"{factor}*({text})", NOW)


def _set(text: str, letters: Mapping[str, str]) -> str:
    shown = formula(text, parse, letters)
    return f"({shown})" if " + " in shown.partition("(")[0] else shown
