"""The case α = 0 (D.7)."""

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
from proofs_checks.appendix_d_theorem.common import PRINTED, PROPOSITIONS, SMALL, combined
from proofs_checks.appendix_d_theorem.theorem import combination
from proofs_checks.ledger import Amended, Claim
from proofs_checks.reading import Reading
from proofs_checks.shared.tools import instance

A0 = (
    "$(1+2\\epsilon)\\gamma_{t+1}^u \\leq \\gamma_t^u$, $0 < u < 1$, $\\rho_t = \\gamma_t^u$, $\\beta_{t+1}$ as in (66)"
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


ALPHA_0 = {
    **combined(
        "gamma*(rho_next/gamma*beta*(1+2*omega/(beta-1)*vmax/vmin*L2n*gamma**2)"
        "+(1-C/vmin*gamma)*omega*vmax-rho_t/gamma)",
        PRINTED["Ebar"],
        "gamma*(rho_next*beta*2*(1+omega)/(beta-1)*vmax/vmin*L2n*gamma+(1-C/vmin*gamma)*(1+omega)*vmax)",
    ),
    "alpha_": "0",
}


ALPHA_ZERO = [
    Claim(
        id="a0-coeffs",
        where="D.7, (62) to (65)",
        statement="With $\\alpha = 0$ and $\\beta_{t+1} > 1$, Propositions 2, 3 and 4 give (62) to (65), with their "
        "printed coefficients.",
        hypotheses=(PROPOSITIONS, SMALL),
        check=combination,
        form=ALPHA_0,
        non_vacuity=_alpha0,
        mutants={
            "4 in place of 8 in (64)": {"Ebar": ALPHA_0["Ebar"].replace("8*beta", "4*beta")},
            "γ² in place of γ in (65)": {"noise_": ALPHA_0["noise_"].replace("L2n*gamma", "L2n*gamma**2")},
            "−2ρ_t in (63)": {"G": ALPHA_0["G"].replace("-rho_t", "-2*rho_t")},
            "noise with the other sign": {"noise_": "-(" + ALPHA_0["noise_"] + ")"},
            "without Proposition 3": {"without": "Prop 3"},
        },
    ),
    Claim(
        id="a0-impossible",
        where="D.7, first star",
        statement="With $\\gamma_{t+1} = \\gamma$, $\\rho_{t+1} = \\rho\\gamma$, the coefficient "
        "$\\rho\\beta(1+\\frac{2\\omega}{\\beta-1}K\\gamma^2) + (1-\\bar C v_{\\min}^{-1}\\gamma)\\omega v_{\\max} - "
        "\\rho$ is positive for all $\\rho > 0$, $\\beta > 1$ and $0 < \\gamma < v_{\\min}/(2\\bar C)$.",
        differs="“Whatever γ” is read in the range that Proposition 2 asks for, in which (62) to (65) hold.",
        check=impossible,
        form={"largest": "1/2"},
        non_vacuity=_alpha0,
        note="Up to $v_{\\min}/\\bar C$ it stays positive; for larger γ it need not (mutants).",
        mutants={
            "up to 2 v_min/C̄": {"largest": "2"},
            "up to 3/2 v_min/C̄": {"largest": "3/2"},
            "any γ": {"largest": "oo"},
            "negative": {"sign": -1},
        },
    ),
    Claim(
        id="own-a0-summable",
        where="D.7",
        lines="L 1838-1888",
        statement="With $\\alpha = 0$, whatever $\\gamma_t$, $\\rho_t$ and $\\beta_t$: if (63) is $\\leq 0$ at each t, "
        "then $\\gamma_{t+1} \\leq \\frac{2}{\\omega v_{\\max}}(\\rho_t - \\rho_{t+1})$, hence $\\sum_t \\gamma_t < "
        "2\\rho_0/(\\omega v_{\\max})$.",
        hypotheses=(SMALL,),
        check=always_summable,
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
        where="D.7, second star",
        lines="L 1863-1871",
        statement="Under (66), $\\beta_{t+1} > 1$ and $\\beta_{t+1}/(\\beta_{t+1}-1) \\leq 2 + \\epsilon^{-1}$.",
        hypotheses=("$(1+2\\epsilon)\\gamma_{t+1}^u \\leq \\gamma_t^u$",),
        check=ratio,
        form={"bound": "2+1/eps"},
        non_vacuity=_alpha0,
        mutants={
            "1 + 1/ε": {"bound": "1+1/eps"},
            "wrong sign": {"bound": "-2-1/eps"},
            "slower steps: 1 + 3ε/2": {"growth": "1+3*eps/2"},
            "slower steps: 1 + ε/2": {"growth": "1+eps/2"},
            "any steps": {"growth": "0"},
        },
        kinds={"any steps": "hypothesis"},
        note="With equality in (66), $\\beta_{t+1}/(\\beta_{t+1}-1) = 2 + 1/\\epsilon$: the bound is sharp.",
    ),
    Claim(
        id="a0-63bound",
        where="D.7, bound on (63)",
        statement="(63) is at most $(\\frac{\\gamma_t^u}{1+\\epsilon} + 2\\omega(2+\\epsilon^{-1})K\\gamma_{t+1}^{2+u} "
        "+ \\omega v_{\\max}\\gamma_{t+1} - \\gamma_t^u) G_t$.",
        hypotheses=(A0,),
        check=bound_63,
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
        where="D.7, bound on (63)",
        statement="That bound is $\\leq 0$ for $\\gamma_1$ small enough; made explicit: for "
        "$2\\omega(2+\\epsilon^{-1})K\\gamma_1^2 + \\omega v_{\\max}\\gamma_1^{1-u} \\leq "
        "\\epsilon(1+2\\epsilon)/(1+\\epsilon)$.",
        hypotheses=(A0,),
        check=small_63,
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
        where="D.7, bound on (64)",
        statement="(64) is at most $-\\frac{\\gamma}{4}(1 - 2\\bar C v_{\\min}^{-1}\\gamma - "
        "8(2+\\epsilon^{-1})v_{\\min}^{-1}\\frac{L^2}{n}"
        "\\gamma^{1+u})\\bar E_{t+1}$, and at most $-\\frac{\\gamma}{8}\\bar E_{t+1}$ for small $\\gamma_1$.",
        hypotheses=(A0,),
        check=bound_64,
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
        where="D.7, bound on (65)",
        statement="(65) is at most $\\gamma(2(1+\\omega)(2+\\epsilon^{-1})K\\gamma^{1+u} + (1-\\bar C "
        "v_{\\min}^{-1}\\gamma)(1+\\omega)v_{\\max})"
        "\\sigma^2/n$, and at most $2\\gamma(1+\\omega)v_{\\max}\\sigma^2/n$ for small $\\gamma_1$.",
        hypotheses=(A0,),
        check=bound_65,
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
        where="D.7, last display",
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
            "any γ_1": {"without": "63"},
        },
    ),
    Claim(
        id="a0-sum",
        where="D.7, last paragraph",
        statement="Under (66) the steps are majorized by a geometric sequence and $\\sum_t \\gamma_t < \\infty$: with "
        "$q = (1+2\\epsilon)^{-1/u}$, $\\gamma_t \\leq \\gamma_1 q^{t-1}$ and $\\sum_{t=1}^T\\gamma_t \\leq "
        "\\gamma_1/(1-q)$ for every $T$; so the right side divided by $\\sum_t\\gamma_t$ does not tend to 0.",
        hypotheses=(
            "$(1+2\\epsilon)\\gamma_{t+1}^u \\leq \\gamma_t^u$",
            "the start is not already a minimum with $G_0 = 0$",
        ),
        check=geometric,
        non_vacuity=_alpha0,
        mutants={
            "the rate q²": {"rate": "q**2"},
            "the sum ≤ γ_1": {"total": "1"},
            "1/(1 + q)": {"total": "1/(1+q)"},
            "wrong sign": {"total": "-1/(1-q)"},
            "any steps": {"without": "step"},
        },
        note="By induction on t. The noise term, $2(1+\\omega)v_{\\max}\\sigma^2/n$ after the division, does not "
        "depend on T either, here as in Theorem 1.",
    ),
]
