"""Section D.5, part (B): the choice of β and ρ, the four bounds on coefficients (L 1651-1656), and what they give."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Verdict, conjunction
from proofs_checks.appendix_d_theorem.theorem import (  # fmt: skip
    G0,
    G1,
    PRODUCT,
    PROP_2,
    PROP_3,
    PROP_4,
    PROPS,
    SMALL_STEP,
    W0,
    W1,
    C,
    E,
    K,
    Lam,
    N,
    V,
    alpha,
    at_least_zero,
    b,
    beta,
    c,
    g,
    g1,
    gt,
    judge,
    noise,
    omega,
    parse,
    rho,
    sign_of,
    times,
    v,
)
from proofs_checks.shared.tools import agreed, tried

BETA_RULES = {
    "beta <= 2": Hypothesis(1 - b, r"$\beta \leq 2$"),
    "contraction": Hypothesis(1 - alpha / 2 - beta * (1 - alpha), r"$\beta(1-\alpha) \leq 1 - \alpha/2$"),
    "ratio": Hypothesis(2 / alpha - beta / b, r"$\beta/(\beta-1) \leq 2/\alpha$"),
}
STEP_RULES = {
    "gamma_next <= gamma_t": Hypothesis(gt - g, "steps do not increase"),
    "gamma_next <= gamma_1": Hypothesis(g1 - g, "steps do not increase"),
    "third condition": Hypothesis(alpha**2 / (16 * omega) - K * g1**2, "the third condition, squared"),
}
ALPHA_RULE = {"alpha range": Hypothesis(1 - alpha * (1 + omega), r"$\alpha \leq 1/(1+\omega_p)$, so that $\alpha < 1$")}
RULES = {**BETA_RULES, **STEP_RULES, **ALPHA_RULE}
RHO = 4 * omega * V / alpha
CAPS = {"2": sp.Integer(2), "ratio": (1 - alpha / 2) / (1 - alpha)}  # the two arguments of 2 ∧ (1−α/2)/(1−α)
STEPS = ("1/8", "1/16", "1/4", "2/5")
GRID = {
    omega: ("1/4", 1), alpha: ("1/2", "1/4", "4/5"), b: (1, "1/3", "1/7", "1/2", "1/6", "2/3", 2), v: (1,), V: (1,),
    Lam: (1,), g1: STEPS, g: STEPS, gt: STEPS, C: (1, "1/100"),
}  # fmt: skip
LINES_NEED = {
    "line 1": ("contraction", "ratio", "gamma_next <= gamma_1", "third condition"),
    "line 2": ("gamma_next <= gamma_t",),
    "line 3": ("ratio",),
    "line 4": ("beta <= 2", "contraction", "ratio", "gamma_next <= gamma_1", "third condition"),
}
"""What each of the four lines is proved from, below."""
SECOND = 2 * RHO * K * g**2  # times ωβ/(β−1) in line 1, times (1+ω)β/(β−1) in line 4


def beta_choice(
    switch: str,
    below: str,
    above: str,
    upper: str = "2",
    contract: str = "1-alpha/2",
    ratio: str = "2/alpha",
    without: Literal["", "alpha < 1"] = "",
) -> Verdict:
    """β = `above` for α ≥ `switch`, else `below`: 1 < β ≤ `upper`, β(1−α) ≤ `contract`, β/(β−1) ≤ `ratio`; α < 1."""
    at = parse(switch)
    parts = {}
    for name, chosen, domain in (
        (f"alpha >= {switch}", parse(above), [alpha >= at, *([] if without else [alpha < 1])]),
        (f"alpha < {switch}", parse(below), [alpha < at]),
    ):
        wanted = {
            r"$\beta > 1$": (chosen - 1, True),
            r"$\beta$ bounded": (parse(upper) - chosen, False),
            "contraction": (parse(contract) - chosen * (1 - alpha), False),
            "ratio": (parse(ratio) - chosen / (chosen - 1), False),
        }
        parts |= {f"{name}, {what}": sign_of(sp.cancel(e), domain, strict=s) for what, (e, s) in wanted.items()}

    def values() -> Iterator[tuple[F, F]]:
        for k in range(1, 48):
            a, chosen = F(k, 48), parse(above if F(k, 48) >= F(switch) else below)
            at_a = F(str(chosen.subs(alpha, sp.Rational(str(a)))))
            bounds = [F(str(parse(text).subs(alpha, sp.Rational(str(a))))) for text in (upper, contract, ratio)]
            yield from zip((at_a, at_a * (1 - a), at_a / (at_a - 1)), bounds, strict=True)

    verdict = conjunction(parts)
    second = tried("inequalities at α = 1/48, …, 47/48", values()) if verdict.status == "proved" else ()
    return agreed(verdict, *second)


def line_1(
    middle: str = "4*omega/alpha",
    gain: str = "alpha/4",
    without: Literal["", "contraction", "gamma_next <= gamma_1", "ratio", "third condition"] = "",
) -> Verdict:
    """ρβ(1 − α + 2ω/(β−1) Kγ²) ≤ ρ(1 − α/2) + ρ·`middle`·Kγ_1² ≤ ρ − ρ·`gain`, K = (v_max/v_min) L²/n."""
    left = RHO * beta * (1 - alpha + 2 * omega / b * K * g**2)
    between = RHO * (1 - alpha / 2) + RHO * parse(middle) * K * g1**2
    spread = 4 * RHO * omega / alpha * K * (g1 + g)
    first = {"contraction": RHO, "ratio": SECOND * omega, "gamma_next <= gamma_1": spread}
    return conjunction(
        {
            "first": judge(between - left, RULES, first, GRID, without=without),
            "second": judge(
                RHO * (1 - parse(gain)) - between,
                RULES,
                {"third condition": 4 * RHO * omega / alpha},
                GRID,
                without=without,
            ),
        }
    )


def line_2(bound: str = "rho*alpha/4-rho", without: Literal["", "gamma_next <= gamma_t"] = "") -> Verdict:
    """(1 − C̄γ/v_min) ω v_max − ρ γ_t/γ_{t+1} ≤ `bound`, with ρ = 4ω v_max/α."""
    target = parse(bound).subs(rho, RHO) - (1 - c * g) * omega * V + RHO * gt / g
    facts = {**RULES, **at_least_zero(C)}
    return judge(
        target, facts, {"gamma_next <= gamma_t": RHO / g, r"\bar{C} >= 0": g * omega * V / v}, GRID, without=without
    )


def line_3(constant: str = "64", without: Literal["", "ratio"] = "") -> Verdict:
    """8ρβ/(β−1) ≤ `constant` · ω v_max/α²."""
    target = parse(constant) * omega * V / alpha**2 - 8 * RHO * beta / b
    return judge(target, RULES, {"ratio": 8 * RHO}, GRID, without=without)


def line_4(
    factor: str = "4",
    rest: str = "(1+omega)*vmax",
    without: Literal["", "beta <= 2", "contraction", "gamma_next <= gamma_1", "ratio", "third condition"] = "",
) -> Verdict:
    """ρβ(α + 2(1+ω)/(β−1) Kγ²) ≤ `factor`·ω v_max·(2 ∧ (1−α/2)/(1−α)) + `rest`."""
    left = RHO * beta * (alpha + 2 * (1 + omega) / b * K * g**2)
    inverse = {
        "1/(1-alpha)": Hypothesis(
            (1 - alpha / 2 - beta * (1 - alpha)) / (1 - alpha), r"the contraction divided by $1 - \alpha > 0$"
        )
    }
    multipliers = {
        "ratio": SECOND * (1 + omega),
        "gamma_next <= gamma_1": 16 * omega * V / alpha**2 * (1 + omega) * K * (g1 + g),
        "third condition": 16 * omega * V / alpha**2 * (1 + omega),
    }
    by_cap = {"2": "beta <= 2", "ratio": "1/(1-alpha)"}
    return conjunction(
        {
            f"against ${sp.latex(cap)}$": judge(
                parse(factor) * omega * V * cap + parse(rest) - left,
                RULES,
                {by_cap[name]: 4 * omega * V, **multipliers},
                GRID,
                products=inverse,
                needs={"1/(1-alpha)": ("contraction",)},
                without=without,
            )
            for name, cap in CAPS.items()
        }
    )


def together_lines(
    error: str = "64*omega/alpha**2",
    level: str = "2*vmax*(2*omega*cap+1+omega)",
    without: Literal["", "gamma_next <= gamma_t", "ratio", "third condition"] = "",
) -> Verdict:
    """The display after the four lines, which are proved with it; ρ = 4ω v_max/α and cap = 2 ∧ (1−α/2)/(1−α):

    W' + ρ γ_{t+1} G' ≤ W + ρ γ_t G − (γ/4)(1 − 2C̄γ/v_min − `error` Kγ²) Ē + γ·`level`·σ²/n.
    """
    grid = {
        **GRID, alpha: ("1/2",), C: ("1/100",), G0: (0, 1), E: (0, 1), noise: (0, 1), W0: (0,),
        **dict.fromkeys((g, g1, gt), ("1/8", "1/4")),
    }  # fmt: skip
    extreme = {N: (1 + omega) * V * noise + omega * V * G0, W1: PROP_2.expr + W1, G1: PROP_4.expr + G1}
    multipliers = {
        "Prop 2": 1, "Prop 3": g / 2, "Prop 3, step": g / (2 * v), "Prop 4": RHO * g, "line 1": g * G0,
        "line 2": g * G0,
        "line 3": g**3 * Lam / (4 * v) * E, "line 4": g * noise, r"\bar{C} >= 0": g**2 * (1 + omega) * V / v * noise,
    }  # fmt: skip
    parts = {}
    for cap in CAPS.values():
        kept = W0 + RHO * gt * G0 - g / 4 * (1 - 2 * c * g - parse(error) * K * g**2) * E
        lines = {
            "line 1": RHO * (1 - alpha / 4) - RHO * beta * (1 - alpha + 2 * omega / b * K * g**2),
            "line 2": RHO * alpha / 4 - RHO - (1 - c * g) * omega * V + RHO * gt / g,
            "line 3": 64 * omega * V / alpha**2 - 8 * RHO * beta / b,
            "line 4": (4 * omega * cap + 1 + omega) * V - RHO * beta * (alpha + 2 * (1 + omega) / b * K * g**2),
        }
        parts[f"with ${sp.latex(cap)}$"] = judge(
            kept + g * parse(level, cap=cap) * noise - W1 - RHO * g * G1,
            {**PROPS, **RULES, **at_least_zero(C)},
            multipliers,
            grid,
            derived=extreme,
            products={"Prop 3, step": times(PROP_3, SMALL_STEP)}
            | {name: Hypothesis(slack, f"{name} of the four, proved below") for name, slack in lines.items()},
            needs=PRODUCT | LINES_NEED,
            without=without,
            solvers=False,
        )
    if all(verdict.status == "proved" for verdict in parts.values()):
        parts |= {"line 1": line_1(), "line 2": line_2(), "line 3": line_3(), "line 4": line_4()}
    return conjunction(parts)


def noise_level(
    level: str = "2*vmax*(2*omega*cap+1+omega)",
    bound: str = "2*vmax*(1+5*omega)",
    without: Literal["", "cap <= 2"] = "",
) -> Verdict:
    """`level` ≤ `bound` for cap = 2 ∧ (1−α/2)/(1−α) ≤ 2."""
    cap = sp.Symbol("cap", positive=True)
    facts = {"cap <= 2": Hypothesis(2 - cap, r"$2 \wedge x \leq 2$")}
    target = parse(bound) - parse(level, cap=cap)
    grid = {omega: (1, 2, "1/10"), V: (1,), cap: (2, 1, 3)}
    return judge(target, facts, {"cap <= 2": 4 * omega * V}, grid, without=without)
