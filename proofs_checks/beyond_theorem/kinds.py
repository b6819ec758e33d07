"""The theorems beyond Theorem 1: one-step inequalities, control variates, and the sum over rounds.

Each `Kind` is a one-step inequality W' ≤ W − gain·E + cost·N, with E the error of the round, N = E‖H − h‖², and
E‖ΔŜ‖² ≤ γ²(E/low + spread·N). Together with N ≤ (1+ω)σ²/n + ωG and
G' ≤ β(1−α)G + βα σ²/n + β/(β−1) (L²/n) E‖ΔŜ‖² for every β > 1, they give

    Σ left(γ_t) E_t ≤ W_0 − min + initial·γ_1^power G_0 + level·σ²/n Σ γ_t^power.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step
from proofs_checks.appendix_d_theorem.theorem import (
    G0,
    G1,
    W0,
    W1,
    C,
    E,
    Lam,
    N,
    V,
    alpha,
    at_least_zero,
    b,
    beta,
    c,
    g,
    gt,
    noise,
    omega,
    v,
)

LT, ell = sp.symbols(r"L_T \ell", positive=True)
share = 1 / (8 * LT * ell**2)  # a, the weight of ‖h‖² beside (f+g)(T(s))
q, root = sp.Symbol("q", positive=True), 1 / beta  # √(1−α); the choice β = 1/√(1−α), that is α = 1 − 1/β²
NAMES = {
    "omega": omega,
    "alpha": alpha,
    "q": q,
    "vmin": v,
    "vmax": V,
    "C": C,
    "c": c,
    "gamma": g,
    "L2n": Lam,
    "K": V / v * Lam,
    "LT": LT,
    "ell": ell,
    "a": share,
}
RULES = (
    "one step",
    "noise",
    "control variates",
    "steps do not increase",
    "positivity",
    "α ≤ 1/(1+ω_p)",
    "v_min ≤ v_max",
)


@cache
def parse(text: str) -> sp.Expr:
    return sp.sympify(text, NAMES)


@cache
def at_root(expr: sp.Expr) -> sp.Expr:
    """α and √(1−α) as rational functions of β = 1/√(1−α)."""
    return sp.factor(expr.subs({alpha: 1 - root**2, q: root}))


KindName = Literal["Lipschitz, without A7", "any projection", "no projection", "projection in the norm of B_t"]


@dataclass(frozen=True)
class Kind:
    """One theorem: its one-step inequality, its condition `positive` ≥ 0 and the constants that are claimed."""

    name: str
    power: int
    gain: str
    cost: str
    low: str
    spread: str
    positive: str
    left: str
    initial: str
    level: str


ANY = Kind(
    name="any projection",
    power=1,
    gain="gamma/2",
    cost="gamma/2*vmax",
    low="vmin",
    spread="1",
    positive="1-2*(1+q)**2*omega/alpha**2*K*gamma**2",
    left="gamma/2*(1-2*(1+q)**2*omega/alpha**2*K*gamma**2)",
    initial="(1+q)*omega*vmax/alpha",
    level="3/2*(1+2*omega)*vmax",
)
UNBIASED = Kind(
    name="no projection",
    power=2,
    gain="gamma*(1-c*gamma)",
    cost="C*gamma**2",
    low="vmin",
    spread="1",
    positive="1-2*(1+q)**2*omega/alpha**2*L2n*gamma**2",
    left="gamma*(1-2*c*gamma)",
    initial="2*(1+q)*omega*C/alpha",
    level="3*(1+2*omega)*C",
)
PROJECTED = Kind(
    name="projection in the norm of B_t",
    power=2,
    gain="gamma*(1-c*gamma)",
    cost="(1/2+c)*vmax*gamma**2",
    low="vmin",
    spread="vmax/vmin",
    positive="1-2*(1+q)**2*omega/alpha**2*K*gamma**2",
    left="gamma*(1-(1/2+2*c)*gamma)",
    initial="2*(1+q)*omega*(1/2+c)*vmax/alpha",
    level="3*(1+2*omega)*(1/2+c)*vmax",
)
LIPSCHITZ = Kind(
    name="Lipschitz, without A7",
    power=1,
    gain="a*gamma",
    cost="(LT+2*a)*gamma",
    low="1",
    spread="1",
    positive="1-3*(1+4*LT**2*ell**2)*(1+q)**2*omega/alpha**2*L2n*gamma**2",
    left="a*gamma*(1-3*(1+4*LT**2*ell**2)*(1+q)**2*omega/alpha**2*L2n*gamma**2)",
    initial="3/2*(1+q)*omega*(LT+2*a)/alpha",
    level="9/4*(1+2*omega)*(LT+2*a)",
)
KINDS = {kind.name: kind for kind in (ANY, UNBIASED, PROJECTED, LIPSCHITZ)}


def facts(kind: Kind) -> dict[str, Hypothesis]:
    """The hypotheses of one round, by the names of `RULES`."""
    gain, cost, low, spread = (parse(text) for text in (kind.gain, kind.cost, kind.low, kind.spread))
    move2 = g**2 * (E / low + spread * N)
    lines = {
        "one step": (W0 - gain * E + cost * N - W1, "the one-step inequality"),
        "noise": ((1 + omega) * noise + omega * G0 - N, "own-noise-plain"),
        "control variates": (
            root * G0 + beta * (1 - root**2) * noise + beta / b * Lam * move2 - G1,
            r"own-variates, $\beta = 1/\sqrt{1-\alpha}$, with the bound of $E\|\Delta\hat S\|^2$",
        ),
        "steps do not increase": (gt - g, r"$\gamma_{t+1} \leq \gamma_t$"),
        "positivity": (at_root(parse(kind.positive)), "the condition on the step"),
        "α ≤ 1/(1+ω_p)": (1 - omega * b * (2 + b), r"$\alpha(1+\omega_p) \leq 1$, multiplied by $\beta^2$"),
        "v_min ≤ v_max": (V - v, r"$v_{\min} \leq v_{\max}$"),
    }
    return {name: Hypothesis(expr, why) for name, (expr, why) in lines.items()}


def one_round(kind: Kind, claimed: Kind, without: Sequence[str]) -> tuple[Step, ...]:
    """W' + r γ^p G' ≤ W + r γ_t^p G − left E + level γ^p σ²/n with r = `initial`, by one certificate."""
    left, r, level = (at_root(parse(text)) for text in (claimed.left, claimed.initial, claimed.level))
    cost, r0, p = at_root(parse(kind.cost)), at_root(parse(kind.initial)), kind.power
    y = omega * Lam * g**2 * beta**2 / b**2
    both, third = omega * G0 + (1 + omega) * noise, sp.Rational(3, 4)
    used = {
        "one step": 1,
        "control variates": r0 * g**p,
        "noise": cost + r0 * g**p * beta / b * Lam * g**2 * parse(kind.spread),
        "steps do not increase": r0 * G0 * (1 if p == 1 else gt + g),
    }
    if kind is LIPSCHITZ:
        rest = third * LT / share * y * cost  # 1 − 3y is the condition plus (3/2)(L_T/a)y
        used |= {"positivity": cost * both / 2, f"{G0.name} >= 0": rest * omega}
        used |= {"α ≤ 1/(1+ω_p)": 2 * third * cost * noise / (2 + b)}
        used |= {f"{noise.name} >= 0": rest * (1 + omega) + third * cost * b / (2 + b)}
    else:
        spare = {"any projection": 0, "no projection": c, "projection in the norm of B_t": sp.Rational(1, 2) + c}
        used |= {"positivity": cost * both + spare[kind.name] * g**2 * E}
        used |= {"α ≤ 1/(1+ω_p)": 2 * cost * noise / (2 + b), f"{noise.name} >= 0": cost * b / (2 + b)}
        used |= {"v_min ≤ v_max": 2 * y / v * cost * both} if kind is ANY else {}
    given = {name: line for name, line in facts(kind).items() if name not in without} | at_least_zero(G0, noise)
    target = W0 + r * gt**p * G0 - left * E + level * g**p * noise - W1 - r * g**p * G1
    return verify(target, given, {name: sp.factor(m) for name, m in used.items()})
