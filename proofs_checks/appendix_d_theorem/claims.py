"""Theorem 1: how Propositions 2 to 4 give it (D.5), its conditions and constants, the case α = 0 (D.7)."""

from __future__ import annotations

from fractions import Fraction as F

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.appendix_d_theorem.alpha0 import (
    always_summable,
    bound_63,
    bound_64,
    bound_65,
    final,
    geometric,
    impossible,
    ratio,
    small_63,
)
from proofs_checks.appendix_d_theorem.bound import FULL, RUNS, conditions, part_A, part_B
from proofs_checks.appendix_d_theorem.constants import best, corollary, no_better, redundant, step_conditions
from proofs_checks.appendix_d_theorem.lines import (
    beta_choice,
    line_1,
    line_2,
    line_3,
    line_4,
    noise_level,
    together_lines,
)
from proofs_checks.appendix_d_theorem.stated import AGENTS, ASSUMED, MINIMUM, PART_A, PART_B
from proofs_checks.appendix_d_theorem.theorem import combination
from proofs_checks.ledger import Amended, Claim
from proofs_checks.quotes import quotes
from proofs_checks.reading import Reading
from proofs_checks.shared.tools import instance

SECTION = "Appendix D.5 and D.7: Theorem 1 from Propositions 2 to 4, and α = 0"
QUOTES = quotes(__file__)

PROPOSITIONS = f"Propositions 2, 3 and 4, under MM-1, MM-2 and A3 to A8 as they use them, {AGENTS}"
SHORT = "$K = (v_{\\max}/v_{\\min}) L^2/n$, $\\gamma = \\gamma_{t+1}$, $\\omega = \\omega_p$"
CHOICE = (
    "$1 < \\beta \\leq 2$, $\\beta(1-\\alpha) \\leq 1 - \\alpha/2$, $\\beta/(\\beta-1) \\leq 2/\\alpha$, "
    "$\\rho = 4\\omega v_{\\max}/\\alpha$"
)
STEPS = (
    "$0 < \\gamma_{t+1} \\leq \\gamma_t \\leq \\gamma_1 \\leq "
    "(\\alpha/(4\\sqrt\\omega)) \\sqrt{v_{\\min}/v_{\\max}} \\sqrt n/L$"
)
RANGE = "$0 < \\alpha \\leq 1/(1+\\omega)$ and $\\omega > 0$"
SMALL = "$\\gamma_{t+1} < v_{\\min}/(2\\bar C)$"
A0 = (
    "$(1+2\\epsilon)\\gamma_{t+1}^u \\leq \\gamma_t^u$, $0 < u < 1$, $\\rho_t = \\gamma_t^u$, $\\beta_{t+1}$ as in (66)"
)


def _numbers() -> Witness:
    run = RUNS[1]
    held = conditions(run, "64") | {"omega > 0": run.omega > 0, "some error": min(run.errors) > 0}
    return instance(
        run.shown(), "numbers that satisfy Propositions 2 to 4 for every β > 1, and the conditions of (B)", held
    )


def _full() -> Witness:
    run = FULL[1]
    return instance(
        run.shown(),
        "numbers that satisfy Propositions 2 and 3 with $\\omega_p = 0$",
        {
            "omega = 0": run.omega == 0,
            "2 C gamma < vmin": 2 * run.C * max(run.steps) < run.vmin,
            "error": min(run.errors) > 0,
        },
    )


def _coefficients() -> Witness:
    w, a, beta, steps, K = F(1), F(1, 2), F(3, 2), (F(1, 8), F(1, 8), F(1, 9)), F(1)
    return instance(
        {
            "omega": w,
            "alpha": a,
            "beta": beta,
            "gamma_1, gamma_t, gamma_{t+1}": steps,
            "K": K,
            "C": 1,
            "vmin": 1,
            "vmax": 1,
        },
        "the third condition holds with equality",
        {
            "alpha range": a <= 1 / (1 + w),
            "beta rules": 1 < beta <= 2 and beta * (1 - a) <= 1 - a / 2 and beta / (beta - 1) <= 2 / a,
            "steps": steps[0] >= steps[1] >= steps[2] > 0,
            "third condition": 16 * w * K * steps[0] ** 2 == a**2,
            "2 C gamma < vmin": 2 * steps[0] < 1,
        },
    )


def _alpha0() -> Witness:
    root_now, root_next, eps = F(1, 50), F(1, 100), F(1, 2)  # γ_t^{1/2}, γ_{t+1}^{1/2}: u = 1/2
    beta = root_now / ((1 + eps) * root_next)
    return instance(
        {
            "epsilon": eps,
            "u": "1/2",
            "gamma_t": root_now**2,
            "gamma_{t+1}": root_next**2,
            "beta": beta,
            "K": 1,
            "vmax": 1,
            "C": 1,
        },
        "(66) with equality, and steps that are small enough for (63), (64) and (65)",
        {
            "(66)": (1 + 2 * eps) * root_next <= root_now,
            "beta > 1": beta > 1,
            "(63)": 8 * root_next**4 + root_next <= eps * (1 + 2 * eps) / (1 + eps),
            "(64)": 2 * root_next**2 + 32 * root_next**3 <= F(1, 2),
            "(65)": 8 * root_next**3 <= 1,
        },
    )


def _combined(G: str, errors: str, noise: str) -> dict[str, str]:
    return {"G": G, "Ebar": errors, "noise_": noise}


PRINTED = _combined(
    "gamma*(rho_next/gamma*beta*(1-alpha+2*omega/(beta-1)*vmax/vmin*L2n*gamma**2)"
    "+(1-C/vmin*gamma)*omega*vmax-rho_t/gamma)",
    "gamma/4*(1-2*C/vmin*gamma-8*beta/(beta-1)/vmin*L2n*rho_next*gamma)",
    "gamma*(rho_next/gamma*beta*(alpha+2*(1+omega)/(beta-1)*vmax/vmin*L2n*gamma**2)+(1-C/vmin*gamma)*(1+omega)*vmax)",
)
ALPHA_0 = {
    **_combined(
        "gamma*(rho_next/gamma*beta*(1+2*omega/(beta-1)*vmax/vmin*L2n*gamma**2)"
        "+(1-C/vmin*gamma)*omega*vmax-rho_t/gamma)",
        PRINTED["Ebar"],
        "gamma*(rho_next*beta*2*(1+omega)/(beta-1)*vmax/vmin*L2n*gamma+(1-C/vmin*gamma)*(1+omega)*vmax)",
    ),
    "alpha_": "0",
}
BETA = {"switch": "2/3", "below": "(1-alpha/2)/(1-alpha)", "above": "2"}
THEOREM = {"error": "64", "initial": "4", "level": "2*(1+5*omega)"}
SHARPER = {
    "error": "40",
    "initial": "5/2",
    "level": "5/4*(1+5*omega)",
    "hypotheses": ("alpha range", "non-increasing", "positivity"),
}
BY_THIRD = {**THEOREM, "hypotheses": ("alpha range", "non-increasing", "short steps", "third")}

CLAIMS = [
    Claim(
        id="thm1-A",
        quote=QUOTES["thm1-A"],
        where="Theorem 1 (A), proof in D.5",
        lines="L 755-760, L 1606-1613",
        statement=PART_A,
        hypotheses=(ASSUMED, "‹hypotheses›", MINIMUM),
        check=part_A,
        expected="proved",
        non_vacuity=_full,
        mutants={
            "C̄ in place of 2C̄": {"drift": "1"},
        },
        note="The steps need not decrease, and neither Proposition 4 nor α enters: A6 (i) is not used. The proof gives "
        "$\\gamma_t(1 - \\bar C \\gamma_t/v_{\\min})$ in the noise, which the statement rounds up to $\\gamma_t$. "
        "The mutants "
        "here and below are refuted by numbers that satisfy the propositions, not by runs of the algorithm.",
    ),
    Claim(
        id="thm1-B-combination",
        quote=QUOTES["thm1-B-combination"],
        where="D.5, first display for $\\omega_p > 0$",
        lines="L 1616-1626",
        statement="For any $\\rho_t, \\rho_{t+1} > 0$ and $\\beta > 1$, Propositions 2, 3 and 4 give the printed "
        "bound on "
        "$E[W_{t+1} + \\rho_{t+1} G_{t+1} \\mid F_t]$, with its coefficients of $G_t$, $\\bar E_{t+1}$ and "
        "$\\sigma^2/n$.",
        hypotheses=(PROPOSITIONS, SMALL),
        check=combination,
        form=PRINTED,
        expected="proved",
        non_vacuity=_coefficients,
        mutants={
            "4 in place of 8": {**PRINTED, "Ebar": PRINTED["Ebar"].replace("8*beta", "4*beta")},
            "−2ρ_t in place of −ρ_t": {**PRINTED, "G": PRINTED["G"].replace("-rho_t", "-2*rho_t")},
            "1 + ω in place of 2(1 + ω)": {**PRINTED, "noise_": PRINTED["noise_"].replace("2*(1+omega)", "(1+omega)")},
            "noise with the other sign": {**PRINTED, "noise_": "-(" + PRINTED["noise_"] + ")"},
            "without Proposition 3": {**PRINTED, "without": "Prop 3"},
            "without Proposition 4": {**PRINTED, "without": "Prop 4"},
            "any step size": {**PRINTED, "without": "step"},
        },
        note="The step-size condition is needed beyond Proposition 2: Proposition 3 is multiplied by "
        "$\\gamma(1 - \\bar C\\gamma/v_{\\min})$, which must not be negative.",
    ),
    Claim(
        id="thm1-B-beta",
        quote=QUOTES["thm1-B-beta"],
        where="D.5, the choice of β",
        lines="L 1641-1645",
        statement="For $0 < \\alpha < 1$: $\\beta = 2$ if $\\alpha \\geq 2/3$ and $\\beta(1-\\alpha) = 1-\\alpha/2$ "
        "otherwise satisfies "
        "$1 < \\beta \\leq 2$, $\\beta(1-\\alpha) \\leq 1-\\alpha/2$ and $\\beta/(\\beta-1) \\leq 2/\\alpha$.",
        hypotheses=(RANGE,),
        check=beta_choice,
        form=BETA,
        expected="proved",
        non_vacuity=_coefficients,
        mutants={
            "β = 2 from 1/2 on": {**BETA, "switch": "1/2"},
            "β = 2 from 3/4 on": {**BETA, "switch": "3/4"},
            "3/(2α) in place of 2/α": {**BETA, "ratio": "3/(2*alpha)"},
            "β ≤ 15/8": {**BETA, "upper": "15/8"},
            "contraction to 1 − 3α/4": {**BETA, "contract": "1-3*alpha/4"},
            "wrong sign": {**BETA, "ratio": "-2/alpha"},
            "every α > 0": {**BETA, "without": "alpha < 1"},
        },
        note="This β is $2 \\wedge (1-\\alpha/2)/(1-\\alpha)$. Below 2/3 even $\\beta/(\\beta-1) = 2/\\alpha - 1$.",
    ),
    Claim(
        id="thm1-B-line1",
        quote=QUOTES["thm1-B-line1"],
        where="D.5, first of four lines",
        lines="L 1647-1649",
        statement="$\\rho\\beta(1-\\alpha+\\frac{2\\omega}{\\beta-1}K\\gamma^2) \\leq \\rho(1-\\frac{\\alpha}{2}) + "
        f"4\\rho\\frac{{\\omega}}{{\\alpha}}K\\gamma_1^2 \\leq \\rho - \\rho\\frac{{\\alpha}}{{4}}$; {SHORT}.",
        hypotheses=(CHOICE, STEPS),
        check=line_1,
        expected="proved",
        non_vacuity=_coefficients,
        mutants={
            "3 in place of 4": {"middle": "3*omega/alpha"},
            "α/3 in place of α/4": {"gain": "alpha/3"},
            "without the contraction": {"without": "contraction"},
            "without the bound on β/(β − 1)": {"without": "ratio"},
            "without the third condition": {"without": "third condition"},
            "steps that grow": {"without": "gamma_next <= gamma_1"},
            "wrong sign": {"middle": "-4*omega/alpha"},
        },
    ),
    Claim(
        id="thm1-B-line2",
        quote=QUOTES["thm1-B-line2"],
        where="D.5, second of four lines",
        lines="L 1650",
        statement="$(1 - \\bar C v_{\\min}^{-1}\\gamma)\\omega v_{\\max} - \\rho\\gamma_t/\\gamma_{t+1} \\leq "
        "\\omega v_{\\max} - \\rho = "
        "\\rho\\frac{\\alpha}{4} - \\rho$.",
        hypotheses=("$\\gamma_{t+1} \\leq \\gamma_t$", "$\\rho = 4\\omega v_{\\max}/\\alpha$"),
        check=line_2,
        expected="proved",
        non_vacuity=_coefficients,
        mutants={
            "α/5 in place of α/4": {"bound": "rho*alpha/5-rho"},
            "−2ρ in place of −ρ": {"bound": "rho*alpha/4-2*rho"},
            "wrong sign": {"bound": "-rho*alpha/4-rho"},
            "steps that grow": {"without": "gamma_next <= gamma_t"},
        },
    ),
    Claim(
        id="thm1-B-line3",
        quote=QUOTES["thm1-B-line3"],
        where="D.5, third of four lines",
        lines="L 1651",
        statement="$8\\rho\\frac{\\beta}{\\beta-1} \\leq \\frac{64}{\\alpha^2}\\omega v_{\\max}$.",
        hypotheses=(CHOICE,),
        check=line_3,
        expected="proved",
        non_vacuity=_coefficients,
        mutants={
            "63": {"constant": "63"},
            "without the bound on β/(β − 1)": {"without": "ratio"},
            "−64": {"constant": "-64"},
        },
    ),
    Claim(
        id="thm1-B-line4",
        quote=QUOTES["thm1-B-line4"],
        where="D.5, fourth of four lines",
        lines="L 1652-1653",
        statement="$\\rho\\beta(\\alpha+\\frac{2(1+\\omega)}{\\beta-1}K\\gamma^2) \\leq 4\\omega v_{\\max}(2\\wedge"
        "\\frac{1-\\alpha/2}{1-\\alpha}) + (1+\\omega)v_{\\max}$.",
        hypotheses=(CHOICE, STEPS, RANGE),
        check=line_4,
        expected="proved",
        non_vacuity=_coefficients,
        mutants={
            "7/2 in place of 4": {"factor": "7/2"},
            "ω in place of 1 + ω": {"rest": "omega*vmax"},
            "the rest subtracted": {"rest": "-(1+omega)*vmax"},
            "without the contraction": {"without": "contraction"},
            "without β ≤ 2": {"without": "beta <= 2"},
            "without the bound on β/(β − 1)": {"without": "ratio"},
            "without the third condition": {"without": "third condition"},
            "steps that grow": {"without": "gamma_next <= gamma_1"},
        },
    ),
    Claim(
        id="thm1-B-hence",
        quote=QUOTES["thm1-B-hence"],
        where="D.5, the display after the four lines",
        lines="L 1655-1664",
        statement="Hence $E[W_{t+1} \\mid F_t] + \\rho\\gamma_{t+1} E[G_{t+1} \\mid F_t] \\leq W_t + \\rho\\gamma_t "
        "G_t - "
        "\\frac{\\gamma}{4}(1 - 2\\bar C v_{\\min}^{-1}\\gamma - 64\\frac{\\omega}{\\alpha^2}K\\gamma^2) E[\\bar "
        "E_{t+1} \\mid F_t] + "
        "2\\gamma v_{\\max}(2\\omega(2\\wedge\\frac{1-\\alpha/2}{1-\\alpha}) + 1+\\omega)\\frac{\\sigma^2}{n}$.",
        hypotheses=(PROPOSITIONS, CHOICE, STEPS, RANGE, SMALL),
        check=together_lines,
        expected="proved",
        non_vacuity=_coefficients,
        mutants={
            "60 in place of 64": {"error": "60*omega/alpha**2"},
            "half of the noise": {"level": "vmax*(2*omega*cap+1+omega)"},
            "the noise subtracted": {"level": "-2*vmax*(2*omega*cap+1+omega)"},
            "−64 in place of 64": {"error": "-64*omega/alpha**2"},
            "steps that grow": {"without": "gamma_next <= gamma_t"},
            "without the third condition": {"without": "third condition"},
            "without the bound on β/(β − 1)": {"without": "ratio"},
        },
    ),
    Claim(
        id="thm1-B-noise",
        quote=QUOTES["thm1-B-noise"],
        where="D.5, the last display",
        lines="L 1665-1668",
        statement="$2v_{\\max}(2\\omega(2\\wedge\\frac{1-\\alpha/2}{1-\\alpha}) + 1+\\omega) \\leq "
        "2v_{\\max}(1+5\\omega)$.",
        check=noise_level,
        expected="proved",
        non_vacuity=_coefficients,
        mutants={
            "1 + 4ω": {"bound": "2*vmax*(1+4*omega)"},
            "wrong sign": {"bound": "2*vmax*(1-5*omega)"},
            "without the cap at 2": {"without": "cap <= 2"},
        },
    ),
    Claim(
        id="thm1-B",
        quote=QUOTES["thm1-B"],
        where="Theorem 1 (B), eq. (27)",
        lines="L 762-776, L 1615-1669",
        statement=PART_B,
        hypotheses=(ASSUMED, "‹hypotheses›", MINIMUM),
        check=part_B,
        form=THEOREM,
        expected="proved",
        idle=("third",),
        non_vacuity=_numbers,
        mutants={
            "30 in place of 64": {**THEOREM, "error": "30"},
            "1 + ω in place of 2(1 + 5ω)": {**THEOREM, "level": "1+omega"},
            "neither positivity nor the third condition": {**THEOREM, "hypotheses": ("alpha range", "non-increasing")},
        },
        note="$\\gamma_t > 0$ comes from the data of Algorithm 2. The certificate uses positivity alone; the "
        "paper's own way, with the "
        "third condition, is checked line by line above. That condition divides by L: read it as void when all "
        "$h_i$ are constant.",
    ),
    Claim(
        id="thm1-cond3",
        quote=QUOTES["thm1-cond3"],
        where="Theorem 1 (B), the step-size conditions",
        lines="L 762-766",
        statement="The conditions give what the proof uses at every t: positivity gives $\\gamma_t < "
        "v_{\\min}/(2\\bar C)$ for Proposition 2; "
        "monotony and $\\gamma_1 \\leq \\frac{\\alpha}{4\\sqrt\\omega}\\sqrt{v_{\\min}/v_{\\max}}\\sqrt n/L$ give "
        "$16\\frac{\\omega}{\\alpha^2}K\\gamma_t^2 \\leq 1$ for lines 1 and 4.",
        check=step_conditions,
        expected="proved",
        non_vacuity=_numbers,
        mutants={
            "3 in place of 4": {"third": "3"},
            "wrong sign": {"right": "-1"},
            "without positivity": {"without": "positivity"},
            "without the third condition": {"without": "third"},
            "steps that grow": {"without": "non-increasing"},
        },
        note="Sufficient, but not all needed: the next row shows that the third condition is implied.",
    ),
    Claim(
        id="own-thm1-cond3-redundant",
        where="Theorem 1 (B), the step-size conditions",
        lines="L 762-766",
        statement="The third condition is redundant: positivity at $t = 1$ already gives $\\gamma_1 \\leq "
        "\\frac{\\alpha}{8\\sqrt\\omega}\\sqrt{v_{\\min}/v_{\\max}}\\sqrt n/L$, twice as strict.",
        check=redundant,
        expected="proved",
        non_vacuity=_numbers,
        mutants={
            "9 in place of 8": {"factor": "9"},
            "wrong sign": {"right": "-1"},
            "without positivity": {"without": "positivity"},
        },
    ),
    Claim(
        id="own-thm1-B-third",
        where="Theorem 1 (B), the step-size conditions",
        lines="L 762-776",
        statement=PART_B,
        hypotheses=(ASSUMED, "‹hypotheses›", MINIMUM),
        check=part_B,
        form=BY_THIRD,
        expected="proved",
        non_vacuity=_numbers,
    ),
    Claim(
        id="cor1",
        quote=QUOTES["cor1"],
        where="Corollary 1",
        lines="L 779-792",
        statement="For a constant step with bracket $\\geq 1/2$ and τ uniform on $\\{1, \\dots, T\\}$: $E[\\bar "
        "E_\\tau] \\leq "
        "\\frac{8}{T\\gamma}E[(f+g)(T(\\hat S_0)) - \\min(f+g)] + \\frac{32\\omega v_{\\max}}{T\\alpha}E[G_0] + "
        "16v_{\\max}(1+5\\omega)\\frac{\\sigma^2}{n}$.",
        hypotheses=("(27)", RANGE, "$\\tau$ is independent of the path"),
        check=corollary,
        expected="proved",
        non_vacuity=_numbers,
        mutants={
            "7 in place of 8": {"gap": "7"},
            "4 in place of 32": {"initial": "4"},
            "5(1 + ω) in place of 16(1 + 5ω)": {"level": "5*(1+omega)"},
            "bracket ≥ 1/4": {"half": "1/4"},
            "the term of G_0 subtracted": {"initial": "-32"},
            "without the condition on γ": {"without": "half"},
        },
        note="The corollary repeats neither the range of α nor the third condition. The latter follows from the ½; "
        "the range of α "
        "is inherited from the theorem and is needed.",
    ),
    Claim(
        id="own-thm1-B-sharper",
        where="Theorem 1 (B), sharper constants",
        lines="L 762-776",
        statement=PART_B,
        hypotheses=(ASSUMED, "‹hypotheses›", MINIMUM),
        check=part_B,
        form=SHARPER,
        expected="proved",
        non_vacuity=_numbers,
        mutants={
            "30 in place of 40": {**SHARPER, "error": "30"},
            "1 in place of 5/2": {**SHARPER, "initial": "1"},
            "1 + ω in place of (5/4)(1 + 5ω)": {**SHARPER, "level": "1+omega"},
        },
        note="Sharper, with the paper's β. Let positivity itself bound $K\\gamma^2$, and take $\\rho = "
        "\\frac{5}{2}\\omega v_{\\max}/\\alpha$.",
    ),
    Claim(
        id="own-thm1-B-best",
        where="Theorem 1 (B), sharper constants",
        lines="L 762-776",
        statement="With $\\beta = 1/\\sqrt{1-\\alpha}$ and $\\rho = \\frac{5}{4}(1+\\sqrt{1-\\alpha})\\omega "
        "v_{\\max}/\\alpha$, (27) holds with "
        "$10(1+\\sqrt{1-\\alpha})^2 < 40$ in place of 64 (in the condition too), "
        "$\\frac{5}{4}(1+\\sqrt{1-\\alpha})$ in "
        "place of 4, "
        "$\\frac{15}{8}(1+2\\omega)$ in place of $2(1+5\\omega)$, and without the third condition.",
        hypotheses=(
            PROPOSITIONS,
            RANGE,
            "$0 < \\gamma_{t+1} \\leq \\gamma_t$",
            "positivity with $10(1+\\sqrt{1-\\alpha})^2$",
        ),
        check=best,
        expected="proved",
        non_vacuity=_numbers,
        mutants={
            "9 in place of 10": {"error": "9*(1+q)**2"},
            "1 in place of (5/4)(1 + √(1 − α))": {"initial": "1"},
            "1 + ω in place of (15/8)(1 + 2ω)": {"level": "1+omega"},
            "the term of G_0 subtracted": {"initial": "-5/4*(1+q)"},
            "steps that grow": {"without": "non-increasing"},
            "without positivity": {"without": "positivity"},
        },
        note="Sharper. The condition on the step reads $10\\,\\omega K\\gamma^2/(1-\\sqrt{1-\\alpha})^2 < 1 - "
        "2\\bar C\\gamma/v_{\\min}$.",
    ),
    Claim(
        id="own-thm1-B-optimal",
        where="Theorem 1 (B), sharper constants",
        lines="L 762-776",
        statement="No constant below $10(1+\\sqrt{1-\\alpha})^2$ in place of 64, in (27) and in its "
        "condition, follows from "
        "Propositions 2 to 4, whatever ρ, β and the other two constants: numbers that satisfy the propositions for "
        "every β break it.",
        check=no_better,
        expected="proved",
        non_vacuity=_numbers,
        mutants={
            "11(1 + √(1 − α))²": {"constant": "11*(1+q)**2"},
            "40 for every α": {"constant": "40"},
            "no constant above": {"relation": ">"},
        },
        spared={"hypothesis": {"without": "Prop 4"}},
        note="About the propositions, not about the algorithm: a better constant needs a better proposition.",
    ),
    Claim(
        id="a0-coeffs",
        quote=QUOTES["a0-coeffs"],
        where="D.7, (62) to (65)",
        lines="L 1841-1852",
        statement="With $\\alpha = 0$ and $\\beta_{t+1} > 1$, Propositions 2, 3 and 4 give (62) to (65), with their "
        "printed coefficients.",
        hypotheses=(PROPOSITIONS, SMALL),
        check=combination,
        form=ALPHA_0,
        expected="proved",
        non_vacuity=_alpha0,
        mutants={
            "4 in place of 8 in (64)": {**ALPHA_0, "Ebar": ALPHA_0["Ebar"].replace("8*beta", "4*beta")},
            "γ² in place of γ in (65)": {**ALPHA_0, "noise_": ALPHA_0["noise_"].replace("L2n*gamma", "L2n*gamma**2")},
            "−2ρ_t in (63)": {**ALPHA_0, "G": ALPHA_0["G"].replace("-rho_t", "-2*rho_t")},
            "noise with the other sign": {**ALPHA_0, "noise_": "-(" + ALPHA_0["noise_"] + ")"},
            "without Proposition 3": {**ALPHA_0, "without": "Prop 3"},
        },
    ),
    Claim(
        id="a0-impossible",
        quote=QUOTES["a0-impossible"],
        where="D.7, first star",
        lines="L 1855-1860",
        statement="With $\\gamma_{t+1} = \\gamma$, $\\rho_{t+1} = \\rho\\gamma$, the coefficient "
        "$\\rho\\beta(1+\\frac{2\\omega}{\\beta-1}K\\gamma^2) + (1-\\bar C v_{\\min}^{-1}\\gamma)\\omega "
        "v_{\\max} - \\rho$ is positive for all $\\rho > 0$, $\\beta > 1$ and $0 < \\gamma < "
        "v_{\\min}/(2\\bar C)$.",
        differs="“Whatever γ” is read in the range that Proposition 2 asks for, in which (62) to (65) hold.",
        check=impossible,
        form={"largest": "1/2"},
        expected="proved",
        non_vacuity=_alpha0,
        note="Up to $v_{\\min}/\\bar C$ it stays positive; for larger γ it need not (mutants).",
        mutants={
            "up to 2 v_min/C̄": {"largest": "2"},
            "up to 3/2 v_min/C̄": {"largest": "3/2"},
            "any γ": {"largest": "oo"},
            "negative": {"largest": "1/2", "sign": -1},
        },
    ),
    Claim(
        id="own-a0-summable",
        where="D.7",
        lines="L 1838-1888",
        statement="With $\\alpha = 0$, whatever $\\gamma_t$, $\\rho_t$ and $\\beta_t$: if (63) is $\\leq 0$ "
        "at each t, then "
        "$\\gamma_{t+1} \\leq \\frac{2}{\\omega v_{\\max}}(\\rho_t - \\rho_{t+1})$, hence $\\sum_t \\gamma_t < "
        "2\\rho_0/(\\omega v_{\\max})$.",
        hypotheses=(SMALL,),
        check=always_summable,
        expected="proved",
        non_vacuity=_alpha0,
        mutants={
            "1 in place of 2": {"factor": "1"},
            "(63) of either sign": {"without": "coefficient"},
            "any step size": {"without": "step"},
            "wrong sign": {"factor": "-2"},
        },
        note="The paper shows this for one strategy; it holds for every strategy of this kind. So the bound divided by "
        "$\\sum_t \\gamma_t$ stays above $\\omega v_{\\max} E[G_0]/2$.",
    ),
    Claim(
        id="a0-beta",
        quote=QUOTES["a0-beta"],
        where="D.7, second star",
        lines="L 1863-1871",
        statement="Under (66), $\\beta_{t+1} > 1$ and $\\beta_{t+1}/(\\beta_{t+1}-1) \\leq 2 + \\epsilon^{-1}$.",
        hypotheses=("$(1+2\\epsilon)\\gamma_{t+1}^u \\leq \\gamma_t^u$",),
        check=ratio,
        form={"bound": "2+1/eps"},
        expected="proved",
        non_vacuity=_alpha0,
        mutants={
            "1 + 1/ε": {"bound": "1+1/eps"},
            "wrong sign": {"bound": "-2-1/eps"},
            "slower steps: 1 + 3ε/2": {"bound": "2+1/eps", "growth": "1+3*eps/2"},
            "slower steps: 1 + ε/2": {"bound": "2+1/eps", "growth": "1+eps/2"},
            "any steps": {"bound": "2+1/eps", "growth": "0"},
        },
        kinds={"any steps": "hypothesis"},
        note="With equality in (66), $\\beta_{t+1}/(\\beta_{t+1}-1) = 2 + 1/\\epsilon$: the bound is sharp.",
    ),
    Claim(
        id="a0-63bound",
        quote=QUOTES["a0-63bound"],
        where="D.7, bound on (63)",
        lines="L 1867-1871",
        statement="(63) is at most $(\\frac{\\gamma_t^u}{1+\\epsilon} + "
        "2\\omega(2+\\epsilon^{-1})K\\gamma_{t+1}^{2+u} + \\omega v_{\\max}\\gamma_{t+1} "
        "- \\gamma_t^u) G_t$.",
        hypotheses=(A0,),
        check=bound_63,
        expected="proved",
        non_vacuity=_alpha0,
        mutants={
            "ω v_max γ/2": {"drift": "omega*vmax*gamma/2"},
            "ω in place of 2ω": {"middle": "omega"},
            "drift with the other sign": {"drift": "-omega*vmax*gamma"},
            "without the bound on β/(β − 1)": {"without": "ratio"},
        },
    ),
    Claim(
        id="a0-63small",
        quote=QUOTES["a0-63small"],
        where="D.7, bound on (63)",
        lines="L 1872",
        statement="That bound is $\\leq 0$ for $\\gamma_1$ small enough; made explicit: for "
        "$2\\omega(2+\\epsilon^{-1})K\\gamma_1^2 + \\omega v_{\\max}\\gamma_1^{1-u} \\leq "
        "\\epsilon(1+2\\epsilon)/(1+\\epsilon)$.",
        hypotheses=(A0,),
        check=small_63,
        expected="proved",
        non_vacuity=_alpha0,
        mutants={
            "twice as much room": {"room": "2"},
            "wrong sign": {"relation": ">="},
            "u = 1": {"u_is_1": True},
            "steps that do not decrease": {"without": "steps"},
            "any γ_1": {"without": "small"},
        },
        note="The left side of the condition grows with $\\gamma_1$ and is 0 in the limit because $u < 1$; for u = "
        "1 no $\\gamma_1$ may help.",
    ),
    Claim(
        id="a0-64bound",
        quote=QUOTES["a0-64bound"],
        where="D.7, bound on (64)",
        lines="L 1872-1877",
        statement="(64) is at most $-\\frac{\\gamma}{4}(1 - 2\\bar C v_{\\min}^{-1}\\gamma - "
        "8(2+\\epsilon^{-1})v_{\\min}^{-1}\\frac{L^2}{n}"
        "\\gamma^{1+u})\\bar E_{t+1}$, and at most $-\\frac{\\gamma}{8}\\bar E_{t+1}$ for small $\\gamma_1$.",
        hypotheses=(A0,),
        check=bound_64,
        expected="proved",
        non_vacuity=_alpha0,
        mutants={
            "7 in place of 8": {"middle": "7"},
            "−8 in place of 8": {"middle": "-8"},
            "without the bound on β/(β − 1)": {"without": "ratio"},
            "any γ_1": {"without": "small"},
        },
    ),
    Claim(
        id="a0-65bound",
        quote=QUOTES["a0-65bound"],
        where="D.7, bound on (65)",
        lines="L 1877-1881",
        statement="(65) is at most $\\gamma(2(1+\\omega)(2+\\epsilon^{-1})K\\gamma^{1+u} + (1-\\bar C "
        "v_{\\min}^{-1}\\gamma)(1+\\omega)v_{\\max})"
        "\\sigma^2/n$, and at most $2\\gamma(1+\\omega)v_{\\max}\\sigma^2/n$ for small $\\gamma_1$.",
        hypotheses=(A0,),
        check=bound_65,
        expected="proved",
        non_vacuity=_alpha0,
        mutants={
            "1 in place of 2 (first)": {"middle": "1"},
            "wrong sign": {"middle": "-2"},
            "1 in place of 2 (last)": {"final": "1"},
            "without the bound on β/(β − 1)": {"without": "ratio"},
            "any γ_1": {"without": "small"},
        },
    ),
    Claim(
        id="a0-final",
        quote=QUOTES["a0-final"],
        where="D.7, last display",
        lines="L 1881-1887",
        statement="Taking expectations and summing yields $\\frac{1}{8}\\sum_{t=1}^T\\gamma_t E[\\bar E_t] \\leq "
        "E[(f+g)(T(\\hat S_0))] - \\min(f+g) + "
        "(1+2\\epsilon)^2\\gamma_1 G_0 + 2(1+\\omega)v_{\\max}\\frac{\\sigma^2}{n}\\sum_{t=1}^T\\gamma_t$.",
        hypotheses=(
            A0,
            "$\\gamma_1$ small enough for the bounds on (63), (64), (65)",
            "$\\gamma_0 = (1+2\\epsilon)^{1/u}\\gamma_1$",
        ),
        check=final,
        form={"initial": "(1+2*eps)**2*gamma_1"},
        expected="refuted",
        reading=Reading.NO_PROOF,
        non_vacuity=_alpha0,
        amended=Amended(
            statement="The same with $(1+2\\epsilon)\\gamma_1^u E[G_0]$ in place of $(1+2\\epsilon)^2\\gamma_1 G_0$.",
            form={"initial": "(1+2*eps)*R1"},
            differs="$\\rho_0 = \\gamma_0^u = (1+2\\epsilon)\\gamma_1^u$, and the expectation of $G_0$.",
            matters="For $\\gamma_1 < (1+2\\epsilon)^{-1/(1-u)}$ the printed coefficient is the smaller one, and "
            "the proof does not give it. The "
            "witness is made of numbers that satisfy Propositions 2 to 4; it is no run of the algorithm.",
        ),
        mutants={
            "γ_1^u": {"initial": "R1"},
            "(1 + 2ε)γ_1": {"initial": "(1+2*eps)*gamma_1"},
            "subtracted": {"initial": "-(1+2*eps)*R1"},
            "any γ_1": {"initial": "(1+2*eps)*R1", "without": "63"},
        },
    ),
    Claim(
        id="a0-sum",
        quote=QUOTES["a0-sum"],
        where="D.7, last paragraph",
        lines="L 1888",
        statement="Under (66) the steps are majorized by a geometric sequence and $\\sum_t \\gamma_t < \\infty$: "
        "with $q = (1+2\\epsilon)^{-1/u}$, "
        "$\\gamma_t \\leq \\gamma_1 q^{t-1}$ and $\\sum_{t=1}^T\\gamma_t \\leq \\gamma_1/(1-q)$ for every $T$; so the "
        "right side divided by "
        "$\\sum_t\\gamma_t$ does not tend to 0.",
        hypotheses=(
            "$(1+2\\epsilon)\\gamma_{t+1}^u \\leq \\gamma_t^u$",
            "the start is not already a minimum with $G_0 = 0$",
        ),
        check=geometric,
        expected="proved",
        non_vacuity=_alpha0,
        mutants={
            "the rate q²": {"rate": "q**2"},
            "the sum ≤ γ_1": {"total": "1"},
            "1/(1 + q)": {"total": "1/(1+q)"},
            "wrong sign": {"total": "-1/(1-q)"},
            "any steps": {"without": "step"},
        },
        note="By induction on t. The noise term, $2(1+\\omega)v_{\\max}\\sigma^2/n$ after the division, does not "
        "depend on T either, "
        "here as in Theorem 1.",
    ),
]
