"""The step-size conditions of part (B), its corollary, and the best constants that Propositions 2 to 4 allow."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction
from proofs_checks.appendix_d_theorem.bound import RUNS, agreement, at, conditions, excess, failure, positive, summed
from proofs_checks.appendix_d_theorem.lines import GRID
from proofs_checks.appendix_d_theorem.numbers import Numbers
from proofs_checks.appendix_d_theorem.theorem import (  # fmt: skip
    G0,
    G1,
    PROP_2,
    PROP_3,
    PROP_4,
    SMALL_STEP,
    W0,
    W1,
    C,
    E,
    K,
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
    part_of,
    times,
    v,
)
from proofs_checks.shared.tools import APART

POSITIVITY = Hypothesis(1 - 2 * c * g - 64 * omega / alpha**2 * K * g**2, "the positivity condition")
SIGNS = at_least_zero(C, g)


def step_conditions(
    third: str = "4", right: str = "1", without: Literal["", "non-increasing", "positivity", "third"] = ""
) -> Verdict:
    """2C̄γ/v_min and 16 (ω/α²) K γ² ≤ `right`, as the proof needs, from positivity and γ ≤ γ_1 ≤ (α/(`third` √ω)) …"""
    y, steps = omega / alpha**2, ("1/7", "1/8", "1/16", "1/32", "1/4")
    grid = {**GRID, alpha: ("1/2",), g: steps, g1: steps, C: ("1/100", 8)}
    parts = {
        "Proposition 2": (
            parse(right) - 2 * c * g,
            {"positivity": POSITIVITY},
            {"positivity": 1, r"\gamma_{t+1} >= 0": 64 * y * K * g},
        ),
        "lines 1 and 4": (
            parse(right) - 16 * y * K * g**2,
            {
                "third": Hypothesis(alpha**2 / (parse(third) ** 2 * omega) - K * g1**2, "the third condition, squared"),
                "non-increasing": Hypothesis(g1 - g, "steps do not increase"),
            },
            {"third": 16 * y, "non-increasing": 16 * y * K * (g1 + g)},
        ),
    }  # fmt: skip
    return conjunction(
        {
            name: judge(target, facts, used, grid, products=SIGNS, without=part_of(facts, without))
            for name, (target, facts, used) in parts.items()
        }
    )


def redundant(factor: str = "8", right: str = "1", without: Literal["", "positivity"] = "") -> Verdict:
    """Positivity at t = 1 implies γ_1 ≤ (α/(`factor` √ω_p)) √(v_min/v_max) √n/L: `factor`² (ω/α²) K γ_1² ≤ `right`."""
    facts = {"positivity": POSITIVITY}
    target = parse(right) - parse(factor) ** 2 * omega / alpha**2 * K * g**2
    grid = {**GRID, alpha: ("1/2",), omega: ("1/4", 1), g: ("1/8", "1/9", "2/17", "1/16", 1), C: ("1/100", "1/10000")}
    return judge(target, facts, {"positivity": 1, r"\bar{C} >= 0": 2 * g / v}, grid, products=SIGNS, without=without)


def corollary(
    gap: str = "8",
    initial: str = "32",
    level: str = "16*(1+5*omega)",
    half: str = "1/2",
    without: Literal["", "half"] = "",
) -> Verdict:
    """E Ē_τ ≤ `gap`/(Tγ) Δ + `initial`·ω v_max/(Tα) G_0 + `level`·v_max σ²/n when the bracket is ≥ `half`."""
    T, total, gap_0 = (
        sp.Symbol("T", positive=True),
        sp.Symbol(r"\Sigma_E", nonnegative=True),
        sp.Symbol(r"\Delta_0", nonnegative=True),
    )
    bracket = 1 - 2 * c * g - 64 * omega / alpha**2 * K * g**2

    def prove() -> Sequence[Step]:
        given = {
            "half": Hypothesis(bracket - parse(half), "the condition of the corollary"),
            "theorem": Hypothesis(
                gap_0
                + 4 * omega * V / alpha * g * G0
                + 2 * V * (1 + 5 * omega) * noise * T * g
                - g / 4 * bracket * total,
                r"(27) with $\gamma_t = \gamma$ and $\Sigma_E = \sum_{t=1}^T E[\bar E_t]$",
            ),
            **SIGNS,
        }
        given = {name: fact for name, fact in given.items() if name != without}
        right = parse(gap) / (T * g) * gap_0 + parse(initial) * omega * V / (T * alpha) * G0 + parse(level) * V * noise
        mean = Step(
            r"$E[\bar E_\tau] = \Sigma_E/T$", r"$\tau$ is uniform on $\{1, \dots, T\}$ and independent of the path"
        )
        used = {"theorem": 8 / (T * g), "half": 2 * total / T}
        third = verify(
            1 - 64 * omega / alpha**2 * K * g**2, given, {"half": 1, r"\gamma_{t+1} >= 0": 2 * c}, [(parse(half), 1)]
        )
        return (mean, *verify(right - total / T, given, used), *third, *agreement(RUNS, needed, value))

    def value(run: Numbers) -> sp.Expr:
        errors = run.errors
        count = len(errors)
        right = at(gap, run) / (count * run.steps[0]) * run.gap
        right += at(initial, run) * sp.Rational(run.omega * run.vmax * run.G0 / (count * run.alpha))
        return sp.Rational(sum(errors) / count) - right - at(level, run) * sp.Rational(run.vmax * run.noise)

    def needed(run: Numbers) -> bool:
        y = 64 * run.omega * run.K * run.steps[0] ** 2 / run.alpha**2
        enough = without == "half" or 1 - 2 * run.C * run.steps[0] / run.vmin - y >= F(half)
        return enough and len(set(run.steps)) == 1 and conditions(run, "64")["alpha range"]

    return decide("certificate", prove, [lambda: failure(RUNS, needed, value)])


# --------------------------------------------------------------------------------------------- the best this scheme can


def best(
    error: str = "10*(1+q)**2",
    initial: str = "5/4*(1+q)",
    level: str = "15/8*(1+2*omega)",
    without: Literal["", "non-increasing", "positivity"] = "",
    below: str = "40",
) -> Verdict:
    """(27) with these constants, q = √(1−α), under positivity with `error` in place of 64; no third condition.

    `error` is less than `below`.
    """

    def room(q: sp.Expr) -> sp.Expr:
        return sp.factor(sp.sympify(below) - parse(error, q=q))

    def prove() -> Sequence[Step]:
        root = 1 / beta  # β = 1/√(1−α), that is α = 1 − 1/β²
        now = {alpha: 1 - root**2}
        size, r = (
            sp.factor(sp.cancel(e.subs(now)))
            for e in (parse(error, q=root) / alpha**2, parse(initial, q=root) * omega * V / alpha)
        )
        fourth = Hypothesis(PROP_4.expr.subs(now), r"Proposition 4, with $\beta = 1/\sqrt{1-\alpha}$")
        given = {
            "Prop 2": PROP_2, "Prop 3": PROP_3, "Prop 3, step": times(PROP_3, SMALL_STEP), "Prop 4": fourth,
            "positivity": Hypothesis(1 - 2 * c * g - size * omega * K * g**2, "the positivity condition"),
            "non-increasing": Hypothesis(gt - g, "steps do not increase"),
            "alpha range": Hypothesis(1 - omega * b * (2 + b), r"$\alpha \leq 1/(1+\omega_p)$, multiplied by "
            r"$\beta^2$"),
            **at_least_zero(C, noise),
        }  # fmt: skip
        both = omega * G0 + (1 + omega) * noise
        used = {
            "Prop 2": 1, "Prop 3": g / 2, "Prop 3, step": g / (2 * v), "Prop 4": r * g, "non-increasing": r * G0,
            "positivity": g * V * both / 4, r"\bar{C} >= 0": g**2 * V / v * both * sp.Rational(3, 2),
            "alpha range": sp.Rational(5, 4) * V * g * noise / (2 + b),
            f"{noise.name} >= 0": sp.Rational(5, 8) * V * g * b / (2 + b),
        }  # fmt: skip
        target = (
            W0 + r * gt * G0 - g / 4 * (1 - 2 * c * g - size * omega * K * g**2) * E
            + g * V * parse(level) * noise - W1 - r * g * G1
        )  # fmt: skip
        given = {name: fact for name, fact in given.items() if name != without}
        less = room(root)
        says = rf"the constant of the bracket is less than ${below}$"
        return (
            *verify(target, given, used), *verify(less, {}, {}, [(less, sp.S.One)], says=says),
            *summed(), *agreement(RUNS, needed, value),
        )  # fmt: skip

    def value(run: Numbers) -> sp.Expr:
        return excess(run, error, initial, level)

    def too_much() -> Witness | None:
        most = next((q for q in (sp.Rational(1, 2), sp.Rational(999, 1000)) if room(q) <= 0), None)
        return most and Witness({"q": str(most)}, f"the constant of the bracket is not below ${below}$")

    def needed(run: Numbers) -> bool:
        return all(held for name, held in conditions(run, error).items() if name not in ("third", without))

    return decide("certificate, induction", prove, [lambda: failure(RUNS, needed, value), too_much])


def no_better(
    constant: str = "10*(1+q)**2", relation: Literal["<", ">"] = "<", without: Literal["", "Prop 4"] = ""
) -> Verdict:
    """For X `relation` `constant`, (27) with X does not follow from Propositions 2 to 4, whatever the other constants.

    Numbers that satisfy the propositions for every β, and positivity with X, break it for large T: W_t = min, σ = 0,
    Ē_{t+1} = 4 m ω v_max/d · G_t and G_t = λ^t G_0, with m = 1 − C̄γ/v_min, d = 2m − 1 and y = ω K γ²/α².
    """
    q, d, y = sp.symbols("q d y", positive=True)  # √(1−α), 1 − 2C̄γ/v_min, ω K γ²/α²
    wanted = 10 * (1 + q) ** 2

    def prove() -> Sequence[Step]:
        x, z = sp.symbols("x z", real=True)  # the square roots of the two terms of Proposition 4
        m = (1 + d) / 2
        least = verify(
            beta * x**2 + beta / b * z**2 - (x + z) ** 2, {}, {}, [(1 / b, b * x - z)],
            says=r"$\beta x^2 + \frac{\beta}{\beta-1} z^2 \geq (x + z)^2$: $G_{t+1} = (x+z)^2$ satisfies Proposition 4 "
            r"for every $\beta$, with $x^2 = (1-\alpha) G_t$ and $z^2 = 2 v_{\min}^{-1} (L^2/n) \gamma^2 (\bar "
            r"E_{t+1} + N_{t+1})$",
        )  # fmt: skip
        error = 4 * m * omega * V / d * G0
        spent = verify(
            g * m * omega * V * G0 - g / 4 * d * error, {}, {}, equality=True,
            says=r"$\bar E_{t+1} = 4 m \omega_p v_{\max} G_t/d$ keeps $W_{t+1} = W_t$ in Proposition 2, $d = 2m - 1$",
        )  # fmt: skip
        size = verify(
            2 * y * (4 * m / d + 1) - 10 * y, {"d": Hypothesis(1 - d, r"$d = 1 - 2\bar C\gamma/v_{\min}$")},
            {"d": 4 * y / d},
            says=r"$z^2 = 2 \alpha^2 y (4m/d + 1) G_t \geq 10 \alpha^2 y G_t$",
        )  # fmt: skip
        grows = verify(
            10 * y * (1 - q**2) ** 2 - (1 - q) ** 2,
            {"y": Hypothesis(parse(constant, q=q) * y - 1, rf"$y > 1/({sp.latex(parse(constant, q=q))})$, allowed "
            rf"by positivity with X once $X y < d$")},
            {"y": (1 - q) ** 2},
            says=r"$\alpha \sqrt{10 y} \geq 1 - q$, so $\lambda = (q + \alpha\sqrt{10y})^2 > 1$: $\sum_t \bar E_t$ "
            r"grows like $\lambda^T$ and the right side stays",
        )  # fmt: skip
        if relation == ">":
            raise CertificateFails("numbers that break (27) with X need not break it with a larger X.")
        return (*(least if without != "Prop 4" else ()), *spent, *size, *grows, *below())

    def below() -> tuple[Step, ...]:
        """With 9/10 of the constant and the other two of `best`, (27) fails for one of the runs."""
        error = f"9/10*({constant})"

        def needed(run: Numbers) -> bool:
            return all(held for name, held in conditions(run, error).items() if name != "third")

        found = failure(RUNS, needed, lambda run: excess(run, error, "5/4*(1+q)", "15/8*(1+2*omega)"))
        if found is None:
            raise CertificateFails(f"no run of numbers breaks (27) with {error}.")
        over = found.values["left minus right"]
        return (
            Step(
                f"with {error} (27) fails for {found.says.split('(')[-1].split(')')[0]}: left minus right is {over}",
                APART,
            ),
        )

    def beaten() -> Witness | None:
        for root in (F(1, 2), F(9, 10)):
            over = positive(parse(constant, q=sp.Rational(root)) - wanted.subs(q, sp.Rational(root)))
            if (over or relation == ">") and best().status == "proved":
                says = "a constant is proved, so that no larger one is the limit, and each larger one follows, too"
                return Witness(
                    {"alpha": str(1 - root**2)}, says, {"proved with": str(wanted.subs(q, sp.Rational(root)))}
                )
        return None

    return decide("certificate", prove, [beaten])
