"""Appendix C.1: EM for Poisson observations with a hidden log-intensity h."""

from __future__ import annotations

from fractions import Fraction as F

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.appendix_c_poisson.poisson import (
    COMPLETE,
    PRINTED,
    component,
    likelihood,
    majorizes,
    map_weight,
    minimiser,
    range_of_S_bar,
    same_map,
    second_strategy,
)
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.shared.tools import instance

SECTION = "Appendix C.1: Poisson observations"


def _model() -> Witness:
    counts, weight, intensities = (F(1), F(2)), F(1), (F(1), F(2))
    return instance(
        {"e^h": intensities, "mu": "1/2, 1/2", "Z": counts, "lambda": weight},
        "two observations, two points of h",
        {
            "lambda > 0": weight > 0,
            "E Z > 0": sum(counts) > 0,
            "h is not constant": intensities[0] != intensities[1],
            "Z is not constant": counts[0] != counts[1],
        },
    )


def _surrogate_point() -> Witness:
    s1, s2, weight = F(3, 2), F(-3, 2), F(1)
    growth = s1 / (weight - s2)  # e^{T(s)}
    return instance(
        {"s1": s1, "s2": s2, "lambda": weight},
        f"$T(s) = \\ln({growth})$",
        {"s1 > 0": s1 > 0, "s2 < 0": s2 < 0, "lambda > 0": weight > 0, "stationary": (weight - s2) * growth == s1},
    )


FIRST = {"exponent": PRINTED, "phi": ("theta", "exp(theta)"), "S": ("z", "-exp(h)"), "weight": PRINTED}
SECOND = {"psi": "-theta*m", "T": "log(m/(lam - s))", "mean_Z": "m >= 0"}

CLAIMS = [
    Claim(
        id="poisson-complete",
        where="Appendix C.1",
        lines="L 1121-1126",
        statement="The likelihood of the pair $(Z, h)$ is proportional to $\\theta \\mapsto \\exp(Z(\\theta + h) - "
        "\\exp(\\theta + h))$.",
        check=likelihood,
        form={"exponent": COMPLETE},
        non_vacuity=_model,
        mutants={
            "h missing from the intensity": {"exponent": "z*(theta + h) - exp(theta)"},
            "e^{Zh} missing": {"exponent": PRINTED},
        },
    ),
    Claim(
        id="poisson-objective",
        where="Appendix C.1, eq. (43)",
        statement="A MAP estimator is a minimiser of $\\theta \\mapsto E_\\pi[-\\log \\int \\exp(\\theta Z - e^\\theta "
        "e^h) \\mu(dh)] + \\lambda e^\\theta$.",
        check=likelihood,
        form={"exponent": PRINTED},
        reading=Reading.SLIP,
        non_vacuity=_model,
        amended=Amended(
            kind="result",
            statement="It is a minimiser of $\\theta \\mapsto E_\\pi[-\\log \\int \\exp(Z(\\theta + h) - e^\\theta "
            "e^h) \\mu(dh)] + \\lambda e^\\theta$ (with the weight of the penalty as in the next row).",
            form={"exponent": COMPLETE},
            differs="The factor $e^{Zh}$ stays under the integral.",
            matters="$e^{Zh}$ does not depend on θ, but it does on h and Z: it weighs the points h, and is no constant "
            "outside the logarithm. Without it the posterior of h does not depend on the observation at all.",
            same_as="ex2-posterior",
        ),
        mutants={
            "intensity without h": {"exponent": "z*(theta + h) - exp(theta)"},
            "e^h in place of e^{Zh}": {"exponent": "z*theta + h - exp(theta)*exp(h)"},
        },
        note="This is the additive term $c(z, h)$ of Example 2 once more.",
    ),
    Claim(
        id="poisson-prior",
        where="Appendix C.1, eq. (43)",
        lines="L 1125-1133",
        statement="With the prior proportional to $\\exp(-\\lambda e^\\theta)$ and $N$ i.i.d. observations, the "
        "criterion is the mean loss over the batch plus $\\lambda e^\\theta$.",
        check=map_weight,
        form={"penalty": "lam"},
        reading=Reading.SLIP,
        non_vacuity=_model,
        amended=Amended(
            kind="result",
            statement="It is the mean loss over the batch plus $(\\lambda/N) e^\\theta$.",
            form={"penalty": "lam/N"},
            differs="$\\lambda/N$ in place of $\\lambda$.",
            matters="The prior counts once, not once per observation. With λ itself (43) is MAP for the prior "
            "$\\exp(-N\\lambda e^\\theta)$, which grows stronger with every new sample.",
        ),
        mutants={"λN": {"penalty": "lam*N"}, "no penalty": {"penalty": "0"}},
        note="The prior is improper: $\\exp(-\\lambda e^\\theta) \\to 1$ as $\\theta \\to -\\infty$. A MAP exists "
        "if some $Z_j > 0$.",
    ),
    Claim(
        id="poisson-mm1",
        where="Appendix C.1",
        statement="(43) satisfies MM-1 with $\\psi = 0$, $\\phi(\\theta) = (\\theta, e^\\theta)$, $S(Z, h) = (Z, "
        "-e^h)$.",
        hypotheses=(
            "$\\bar S$ as in Example 2, with $\\mu(dh | Z, \\tau) \\propto \\exp\\langle S(Z, h), "
            "\\phi(\\tau)\\rangle \\mu(dh)$",
        ),
        check=majorizes,
        form=FIRST,
        non_vacuity=_model,
        mutants={
            "sign of e^h": {"S": ("z", "exp(h)")},
            "e^{-θ} in place of e^θ": {"phi": ("theta", "exp(-theta)")},
            "the prior in place of the posterior": {"weight": "0"},
        },
        note="True of (43) as printed. There the posterior $\\propto \\exp(-e^\\tau e^h)$ does not depend on Z: "
        "see the next row.",
    ),
    Claim(
        id="own-poisson-mm1-map",
        where="Appendix C.1",
        lines="L 1135-1140",
        statement="The MAP criterion, with $\\exp(Z(\\theta + h) - e^{\\theta+h})$ under the integral, satisfies MM-1 "
        "with the same $\\psi, \\phi, S$ and the law $\\mu(dh | Z, \\tau) \\propto \\exp(Zh - e^{\\tau+h}) \\mu(dh)$.",
        check=majorizes,
        form={**FIRST, "exponent": COMPLETE, "weight": "z*h - exp(theta + h)"},
        non_vacuity=_model,
        mutants={"the law printed in Example 2": {"weight": FIRST["weight"]}},
        note="So the surrogate survives the correction of (43); only the law of h changes, and now depends on Z.",
    ),
    Claim(
        id="poisson-S1",
        where="Appendix C.1",
        lines="L 1139",
        statement="$\\bar S$ takes its values in $\\mathcal{S} = (0, \\infty) \\times (-\\infty, 0)$.",
        check=range_of_S_bar,
        form={"first": "(0, oo)", "mean": "(0, oo)"},
        reading=Reading.SLIP,
        non_vacuity=_model,
        amended=Amended(
            kind="result",
            statement="$\\bar S$ takes its values in $[0, \\infty) \\times (-\\infty, 0)$, and $E_\\pi[\\bar S(Z, "
            "\\tau)] \\in (0, \\infty) \\times (-\\infty, 0)$ if $E_\\pi[Z] > 0$.",
            form={"first": "[0, oo)", "mean": "(0, oo)"},
            differs="The first component may be 0, since $Z = 0$ has a positive probability.",
            matters="At $s_1 = 0$ there is no minimiser, $T(s) = \\ln 0$: a one-sample oracle with $Z = 0$ and "
            "$\\gamma = 1$ breaks the "
            "algorithm. With $\\hat S_0 \\in \\mathcal{S}$ and $\\gamma_t < 1$ the iterates stay in $\\mathcal{S}$.",
        ),
        mutants={
            "from 1 on": {"first": "[1, oo)"},
            "sign of the second": {"second": "(0, oo)"},
            "means of at least 1": {"mean": "[1, oo)"},
        },
    ),
    Claim(
        id="poisson-T1",
        where="Appendix C.1",
        statement="MM-2: $T(s_1, s_2) = \\mathrm{argmin}_\\theta \\{\\lambda e^\\theta - s_1 \\theta - s_2 "
        "e^\\theta\\} = \\ln(s_1 / (\\lambda - s_2))$ on $\\mathcal{S}$.",
        hypotheses=("$\\lambda > 0$, $s_1 > 0$, $s_2 < 0$",),
        check=minimiser,
        form={"T": "log(s1/(lam - s2))"},
        non_vacuity=_surrogate_point,
        mutants={
            "sign of s_2": {"T": "log(s1/(lam + s2))"},
            "no logarithm": {"T": "s1/(lam - s2)"},
            "s_1 = 0 allowed": {"first": "s1 >= 0"},
        },
    ),
    Claim(
        id="poisson-first-comp",
        where="Appendix C.1",
        statement="The first component of $E_\\pi[\\bar S(Z, \\tau)]$ does not depend on $\\tau$ and is $E_\\pi[Z]$.",
        check=component,
        form={"which": 1},
        non_vacuity=_model,
        mutants={"the second component": {"which": 2}},
        note="The paper writes $\\bar S(Z, h, \\tau)$; h is integrated out.",
    ),
    Claim(
        id="poisson-2",
        where="Appendix C.1, second strategy",
        statement="MM-1 holds for (43) with $\\psi(\\theta) = -\\theta E_\\pi[Z]$, $\\phi(\\theta) = e^\\theta$, $S(Z, "
        "h) = -e^h$, $\\mathcal{S} = (-\\infty, 0)$, and MM-2 with $T(s) = \\ln(E_\\pi[Z] / (\\lambda - s))$.",
        check=second_strategy,
        form=SECOND,
        reading=Reading.NEEDS,
        context=Context("Poisson observations are counted as $\\geq 0$; all of them may be 0."),
        non_vacuity=_surrogate_point,
        amended=Amended(
            kind="hypothesis",
            statement="The same if $E_\\pi[Z] > 0$.",
            form={**SECOND, "mean_Z": "m > 0"},
            differs="The hypothesis $E_\\pi[Z] > 0$: some observation is not 0.",
            matters="A batch of zeros has a positive probability. Then $(\\lambda - s) e^\\theta$ has no "
            "minimiser, and no MAP estimator "
            "exists. A client whose own batch is all zeros is harmless: only the pooled mean counts.",
        ),
        mutants={
            "sign of ψ": {"psi": "theta*m"},
            "sign of s": {"T": "log(m/(lam + s))"},
        },
    ),
    Claim(
        id="poisson-same-map",
        where="Appendix C.1, second strategy",
        lines="L 1146-1158",
        statement="Both strategies have the same iterates: $T(E_\\pi[Z], s)$ of the first is $T(s)$ of the second.",
        hypotheses=("$E_\\pi[Z] > 0$, exact expectations",),
        check=same_map,
        form={"T1": "log(s1/(lam - s2))", "T2": "log(m/(lam - s))"},
        non_vacuity=_surrogate_point,
        mutants={"E_π[Z] forgotten": {"T2": "log(1/(lam - s))"}},
    ),
]
