"""Part (B), its conditions and constants, and the corollary."""

from __future__ import annotations

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.appendix_d_theorem.bound import RUNS, conditions, part_B
from proofs_checks.appendix_d_theorem.common import PROPOSITIONS, RANGE
from proofs_checks.appendix_d_theorem.constants import best, corollary, no_better, redundant, step_conditions
from proofs_checks.appendix_d_theorem.stated import ASSUMED, MINIMUM, PART_B
from proofs_checks.ledger import Claim
from proofs_checks.shared.tools import instance


def _numbers() -> Witness:
    run = RUNS[1]
    held = conditions(run, "64") | {"omega > 0": run.omega > 0, "some error": min(run.errors) > 0}
    return instance(
        run.shown(), "numbers that satisfy Propositions 2 to 4 for every β > 1, and the conditions of (B)", held
    )


THEOREM = {"error": "64", "initial": "4", "level": "2*(1+5*omega)"}
SHARPER = {
    "error": "40",
    "initial": "5/2",
    "level": "5/4*(1+5*omega)",
    "hypotheses": ("alpha range", "non-increasing", "positivity"),
}
BY_THIRD = {**THEOREM, "hypotheses": ("alpha range", "non-increasing", "short steps", "third")}


BOUND = [
    Claim(
        id="thm1-B",
        where="Theorem 1 (B), eq. (27)",
        lines="L 762-776, L 1615-1669",
        statement=PART_B,
        hypotheses=(ASSUMED, "‹hypotheses›", MINIMUM),
        check=part_B,
        form=THEOREM,
        idle=("third",),
        non_vacuity=_numbers,
        mutants={
            "30 in place of 64": {"error": "30"},
            "1 + ω in place of 2(1 + 5ω)": {"level": "1+omega"},
            "neither positivity nor the third condition": {"hypotheses": ("alpha range", "non-increasing")},
        },
        note="$\\gamma_t > 0$ comes from the data of Algorithm 2. The certificate uses positivity alone; the paper's "
        "own way, with the third condition, is checked line by line above. That condition divides by L: read it as "
        "void when all $h_i$ are constant.",
    ),
    Claim(
        id="thm1-cond3",
        where="Theorem 1 (B), the step-size conditions",
        statement="The conditions give what the proof uses at every t: positivity gives $\\gamma_t < "
        "v_{\\min}/(2\\bar C)$ for Proposition 2; "
        "monotony and $\\gamma_1 \\leq \\frac{\\alpha}{4\\sqrt\\omega}\\sqrt{v_{\\min}/v_{\\max}}\\sqrt n/L$ give "
        "$16\\frac{\\omega}{\\alpha^2}K\\gamma_t^2 \\leq 1$ for lines 1 and 4.",
        check=step_conditions,
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
        non_vacuity=_numbers,
    ),
    Claim(
        id="cor1",
        where="Corollary 1",
        lines="L 779-792",
        statement="For a constant step with bracket $\\geq 1/2$ and τ uniform on $\\{1, \\dots, T\\}$: $E[\\bar "
        "E_\\tau] \\leq \\frac{8}{T\\gamma}E[(f+g)(T(\\hat S_0)) - \\min(f+g)] + \\frac{32\\omega "
        "v_{\\max}}{T\\alpha}E[G_0] + 16v_{\\max}(1+5\\omega)\\frac{\\sigma^2}{n}$.",
        hypotheses=("(27)", RANGE, "$\\tau$ is independent of the path"),
        check=corollary,
        non_vacuity=_numbers,
        mutants={
            "7 in place of 8": {"gap": "7"},
            "4 in place of 32": {"initial": "4"},
            "5(1 + ω) in place of 16(1 + 5ω)": {"level": "5*(1+omega)"},
            "bracket ≥ 1/4": {"half": "1/4"},
            "the term of G_0 subtracted": {"initial": "-32"},
            "without the condition on γ": {"without": "half"},
        },
        note="The corollary repeats neither the range of α nor the third condition. The latter follows from the ½; the "
        "range of α is inherited from the theorem and is needed.",
    ),
    Claim(
        id="own-thm1-B-sharper",
        where="Theorem 1 (B), sharper constants",
        lines="L 762-776",
        statement=PART_B,
        hypotheses=(ASSUMED, "‹hypotheses›", MINIMUM),
        check=part_B,
        form=SHARPER,
        non_vacuity=_numbers,
        mutants={
            "30 in place of 40": {"error": "30"},
            "1 in place of 5/2": {"initial": "1"},
            "1 + ω in place of (5/4)(1 + 5ω)": {"level": "1+omega"},
        },
        note="Sharper, with the paper's β. Let positivity itself bound $K\\gamma^2$, and take $\\rho = "
        "\\frac{5}{2}\\omega v_{\\max}/\\alpha$.",
    ),
    Claim(
        id="own-thm1-B-best",
        where="Theorem 1 (B), sharper constants",
        lines="L 762-776",
        statement="With $\\beta = 1/\\sqrt{1-\\alpha}$ and $\\rho = \\frac{5}{4}(1+\\sqrt{1-\\alpha})\\omega "
        "v_{\\max}/\\alpha$, (27) holds with $10(1+\\sqrt{1-\\alpha})^2 < 40$ in place of 64 (in the condition too), "
        "$\\frac{5}{4}(1+\\sqrt{1-\\alpha})$ in place of 4, $\\frac{15}{8}(1+2\\omega)$ in place of $2(1+5\\omega)$, "
        "and without the third condition.",
        hypotheses=(
            PROPOSITIONS,
            RANGE,
            "$0 < \\gamma_{t+1} \\leq \\gamma_t$",
            "positivity with $10(1+\\sqrt{1-\\alpha})^2$",
        ),
        check=best,
        non_vacuity=_numbers,
        mutants={
            "9 in place of 10": {"error": "9*(1+q)**2"},
            "39 in place of 40": {"below": "39"},
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
        statement="No constant below $10(1+\\sqrt{1-\\alpha})^2$ in place of 64, in (27) and in its condition, follows "
        "from Propositions 2 to 4, whatever ρ, β and the other two constants: numbers that satisfy the propositions "
        "for every β break it.",
        check=no_better,
        non_vacuity=_numbers,
        mutants={
            "11(1 + √(1 − α))²": {"constant": "11*(1+q)**2"},
            "40 for every α": {"constant": "40"},
            "no constant above": {"relation": ">"},
        },
        spared={"hypothesis": {"without": "Prop 4"}},
        note="About the propositions, not about the algorithm: a better constant needs a better proposition.",
    ),
]
