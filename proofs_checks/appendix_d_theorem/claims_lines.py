"""Part (A), and the lines from which part (B) follows."""

from __future__ import annotations

from fractions import Fraction as F

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.appendix_d_theorem.bound import FULL, part_A
from proofs_checks.appendix_d_theorem.common import PRINTED, PROPOSITIONS, RANGE, SMALL
from proofs_checks.appendix_d_theorem.lines import (
    beta_choice,
    line_1,
    line_2,
    line_3,
    line_4,
    noise_level,
    together_lines,
)
from proofs_checks.appendix_d_theorem.stated import ASSUMED, MINIMUM, PART_A
from proofs_checks.appendix_d_theorem.theorem import combination
from proofs_checks.ledger import Claim
from proofs_checks.shared.tools import instance

SHORT = "$K = (v_{\\max}/v_{\\min}) L^2/n$, $\\gamma = \\gamma_{t+1}$, $\\omega = \\omega_p$"
CHOICE = (
    "$1 < \\beta \\leq 2$, $\\beta(1-\\alpha) \\leq 1 - \\alpha/2$, $\\beta/(\\beta-1) \\leq 2/\\alpha$, "
    "$\\rho = 4\\omega v_{\\max}/\\alpha$"
)
STEPS = (
    "$0 < \\gamma_{t+1} \\leq \\gamma_t \\leq \\gamma_1 \\leq "
    "(\\alpha/(4\\sqrt\\omega)) \\sqrt{v_{\\min}/v_{\\max}} \\sqrt n/L$"
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


BETA = {"switch": "2/3", "below": "(1-alpha/2)/(1-alpha)", "above": "2"}


LINES = [
    Claim(
        id="thm1-A",
        where="Theorem 1 (A), proof in D.5",
        lines="L 755-760, L 1606-1613",
        statement=PART_A,
        hypotheses=(ASSUMED, "‹hypotheses›", MINIMUM),
        check=part_A,
        non_vacuity=_full,
        mutants={
            "C̄ in place of 2C̄": {"drift": "1"},
        },
        note="The steps need not decrease, and neither Proposition 4 nor α enters: A6 (i) is not used. The proof gives "
        "$\\gamma_t(1 - \\bar C \\gamma_t/v_{\\min})$ in the noise, which the statement rounds up to $\\gamma_t$. The "
        "mutants here and below are refuted by numbers that satisfy the propositions, not by runs of the algorithm.",
    ),
    Claim(
        id="thm1-B-combination",
        where="D.5, first display for $\\omega_p > 0$",
        lines="L 1616-1626",
        statement="For any $\\rho_t, \\rho_{t+1} > 0$ and $\\beta > 1$, Propositions 2, 3 and 4 give the printed bound "
        "on $E[W_{t+1} + \\rho_{t+1} G_{t+1} \\mid F_t]$, with its coefficients of $G_t$, $\\bar E_{t+1}$ and "
        "$\\sigma^2/n$.",
        hypotheses=(PROPOSITIONS, SMALL),
        check=combination,
        form=PRINTED,
        non_vacuity=_coefficients,
        mutants={
            "4 in place of 8": {"Ebar": PRINTED["Ebar"].replace("8*beta", "4*beta")},
            "−2ρ_t in place of −ρ_t": {"G": PRINTED["G"].replace("-rho_t", "-2*rho_t")},
            "1 + ω in place of 2(1 + ω)": {"noise_": PRINTED["noise_"].replace("2*(1+omega)", "(1+omega)")},
            "noise with the other sign": {"noise_": "-(" + PRINTED["noise_"] + ")"},
            "without Proposition 3": {"without": "Prop 3"},
            "without Proposition 4": {"without": "Prop 4"},
            "any step size": {"without": "step"},
        },
        note="The step-size condition is needed beyond Proposition 2: Proposition 3 is multiplied by "
        "$\\gamma(1 - \\bar C\\gamma/v_{\\min})$, which must not be negative.",
    ),
    Claim(
        id="thm1-B-beta",
        where="D.5, the choice of β",
        statement="For $0 < \\alpha < 1$: $\\beta = 2$ if $\\alpha \\geq 2/3$ and $\\beta(1-\\alpha) = 1-\\alpha/2$ "
        "otherwise satisfies "
        "$1 < \\beta \\leq 2$, $\\beta(1-\\alpha) \\leq 1-\\alpha/2$ and $\\beta/(\\beta-1) \\leq 2/\\alpha$.",
        hypotheses=(RANGE,),
        check=beta_choice,
        form=BETA,
        non_vacuity=_coefficients,
        mutants={
            "β = 2 from 1/2 on": {"switch": "1/2"},
            "β = 2 from 3/4 on": {"switch": "3/4"},
            "3/(2α) in place of 2/α": {"ratio": "3/(2*alpha)"},
            "β ≤ 15/8": {"upper": "15/8"},
            "contraction to 1 − 3α/4": {"contract": "1-3*alpha/4"},
            "wrong sign": {"ratio": "-2/alpha"},
            "every α > 0": {"without": "alpha < 1"},
        },
        note="This β is $2 \\wedge (1-\\alpha/2)/(1-\\alpha)$. Below 2/3 even $\\beta/(\\beta-1) = 2/\\alpha - 1$.",
    ),
    Claim(
        id="thm1-B-line1",
        where="D.5, first of four lines",
        statement="$\\rho\\beta(1-\\alpha+\\frac{2\\omega}{\\beta-1}K\\gamma^2) \\leq \\rho(1-\\frac{\\alpha}{2}) + "
        f"4\\rho\\frac{{\\omega}}{{\\alpha}}K\\gamma_1^2 \\leq \\rho - \\rho\\frac{{\\alpha}}{{4}}$; {SHORT}.",
        hypotheses=(CHOICE, STEPS),
        check=line_1,
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
        where="D.5, second of four lines",
        statement="$(1 - \\bar C v_{\\min}^{-1}\\gamma)\\omega v_{\\max} - \\rho\\gamma_t/\\gamma_{t+1} \\leq \\omega "
        "v_{\\max} - \\rho = \\rho\\frac{\\alpha}{4} - \\rho$.",
        hypotheses=("$\\gamma_{t+1} \\leq \\gamma_t$", "$\\rho = 4\\omega v_{\\max}/\\alpha$"),
        check=line_2,
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
        where="D.5, third of four lines",
        statement="$8\\rho\\frac{\\beta}{\\beta-1} \\leq \\frac{64}{\\alpha^2}\\omega v_{\\max}$.",
        hypotheses=(CHOICE,),
        check=line_3,
        non_vacuity=_coefficients,
        mutants={
            "63": {"constant": "63"},
            "without the bound on β/(β − 1)": {"without": "ratio"},
            "−64": {"constant": "-64"},
        },
    ),
    Claim(
        id="thm1-B-line4",
        where="D.5, fourth of four lines",
        statement="$\\rho\\beta(\\alpha+\\frac{2(1+\\omega)}{\\beta-1}K\\gamma^2) \\leq 4\\omega v_{\\max}(2\\wedge"
        "\\frac{1-\\alpha/2}{1-\\alpha}) + (1+\\omega)v_{\\max}$.",
        hypotheses=(CHOICE, STEPS, RANGE),
        check=line_4,
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
        where="D.5, the display after the four lines",
        statement="Hence $E[W_{t+1} \\mid F_t] + \\rho\\gamma_{t+1} E[G_{t+1} \\mid F_t] \\leq W_t + \\rho\\gamma_t "
        "G_t - \\frac{\\gamma}{4}(1 - 2\\bar C v_{\\min}^{-1}\\gamma - 64\\frac{\\omega}{\\alpha^2}K\\gamma^2) E[\\bar "
        "E_{t+1} \\mid F_t] + 2\\gamma v_{\\max}(2\\omega(2\\wedge\\frac{1-\\alpha/2}{1-\\alpha}) + "
        "1+\\omega)\\frac{\\sigma^2}{n}$.",
        hypotheses=(PROPOSITIONS, CHOICE, STEPS, RANGE, SMALL),
        check=together_lines,
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
        where="D.5, the last display",
        statement="$2v_{\\max}(2\\omega(2\\wedge\\frac{1-\\alpha/2}{1-\\alpha}) + 1+\\omega) \\leq "
        "2v_{\\max}(1+5\\omega)$.",
        check=noise_level,
        non_vacuity=_coefficients,
        mutants={
            "1 + 4ω": {"bound": "2*vmax*(1+4*omega)"},
            "wrong sign": {"bound": "2*vmax*(1-5*omega)"},
            "without the cap at 2": {"without": "cap <= 2"},
        },
    ),
]
