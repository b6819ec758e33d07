"""Section 3 and 3.1: the federated objective, and where to aggregate: in 𝒮 or in Θ (Remark 1)."""

from __future__ import annotations

from fractions import Fraction as F

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.s3_aggregation.remark1 import half_line, toy_in_S, toy_in_Theta, toy_minimiser, toy_mm
from proofs_checks.s3_aggregation.where_to_aggregate import (
    aggregate,
    client_surrogates,
    differs,
    diverges,
    pooled_objective,
)
from proofs_checks.shared.oracles import bias
from proofs_checks.shared.tools import instance

SECTION = "Section 3 and 3.1: Federated MM; aggregate in 𝒮 or in Θ?"


def _samples() -> Witness:
    losses, counts = ((F(5),), (F(1), F(3))), (F(1), F(2))
    split = sum(n / 3 * (sum(batch) / n) for n, batch in zip(counts, losses, strict=True))
    return instance({"N_1, N_2": (1, 2), "l": losses}, f"both sides are ${split}$", {"equal": split == F(5 + 1 + 3, 3)})


def _toy() -> Witness:
    mu, means = (F(1, 2), F(1, 2)), (F(1), F(49))
    pooled = sum(w * x for w, x in zip(mu, means, strict=True))
    return instance(
        {"mu": mu, "E_i Z": means},
        "two different clients of Remark 1; $\\theta_\\star = 1/5$",
        {"weights sum to 1": sum(mu) == 1, "Z > 0": min(means) > 0, "theta_star^2 = 1/m": F(1, 5) ** 2 == 1 / pooled},
    )


def _poisson_clients() -> Witness:
    means, mu = (F(1), F(3)), (F(1, 2), F(1, 2))
    return instance(
        {"h": "0", "Z": "1 on client 1, 3 on client 2", "mu": mu},
        "two clients with different means of Z",
        {"E_i Z > 0": min(means) > 0, "different": means[0] != means[1], "weights": sum(mu) == 1},
    )


DIVERGENT = {"T": "prox of max(theta, 0)", "clients": (("0", "-1"), ("2", "5/2"))}

CLAIMS = [
    Claim(
        id="def-mu",
        where="Section 3, eq. (20)",
        statement="With $\\mu_i = N_i/N$ and $f_i(\\theta) = E_{Z \\sim \\pi_i}[\\ell(Z, \\theta)]$, the federated "
        "objective $\\sum_i \\mu_i f_i + g$ is $f + g$ of (1) for the union of all samples.",
        hypotheses=(
            "‹clients: every=every; some=some› client has a sample: $N_i \\geq 1$",
            "$\\pi_i$ is the empirical law of client $i$",
        ),
        check=pooled_objective,
        form={"mu": "N_i/N"},
        non_vacuity=_samples,
        mutants={"equal weights": {"mu": "1/n"}},
        note="With $\\mu_i = 1/n$ (the default online) the objective is that of $\\pi = n^{-1} \\sum_i \\pi_i$, "
        "not of the union.",
    ),
    Claim(
        id="fed-common-psi",
        where="Section 3.1",
        lines="L 521-526",
        statement="An assumption, of an ideal setting. What aggregation in $\\mathcal{S}$ needs of it, for Poisson: "
        "MM-1 holds for each $f_i$ with its own $\\psi_i(\\theta) = -\\theta E_{\\pi_i}[Z]$ and common $\\phi, S, "
        "\\mathcal{S}$; since $\\sum_i \\mu_i \\psi_i = \\psi$, (22) is centralised MM.",
        differs="$\\psi$ may differ between clients. With the common $\\psi(\\theta) = -\\theta E_\\pi[Z]$ of L "
        "1151 MM-1 fails for a single $f_i$ (first mutant).",
        check=client_surrogates,
        form={"client": "m_i", "server": "mu_i*k_i"},
        non_vacuity=_poisson_clients,
        mutants={
            "the server adds ψ_i without weights": {"server": "k_i"},
            "twice the client's mean": {"client": "2*m_i", "server": "mu_i*k_i/2"},
            "one ψ for all clients": {"client": "m"},
        },
        note="Only $S$ and $\\phi$ must be common, as clients send $S$ and only the server minimises. Once, "
        "before the first round, it needs $\\sum_i \\mu_i E_{\\pi_i}[Z]$. The Gaussian mixture of "
        "Appendix C.2 has $E_\\pi[Z]$ in $\\psi$ too (gmm-client-psi). Where $\\psi$ is free of $\\pi$, "
        "as in Example 1 and in the first Poisson strategy, the setting is met as printed.",
    ),
    Claim(
        id="aggr-Theta",
        where="Section 3.1, eq. (21)",
        lines="L 529-534",
        statement="Aggregation in Θ, $\\theta_{t+1} = \\sum_i \\mu_i T(E_{\\pi_i}[\\bar S(Z, \\theta_t)])$, does not "
        "in general reduce to the centralised case.",
        check=differs,
        form={"where": "for some problem"},
        non_vacuity=_toy,
        mutants={
            "it never does": {"where": "always"},
            "never when clients differ": {"where": "whenever clients differ"},
            "it always does": {"where": "never"},
        },
        note='"No longer reduces" is read as "not in general": equal clients, or an affine $T$ (as for '
        "gradient descent), make it exact.",
    ),
    Claim(
        id="own-aggr-Theta-when",
        where="Section 3.1, eq. (21)",
        lines="L 529-534",
        statement="One step of (21) is the centralised one for ‹laws: some=all; every=some› weights and client "
        "surrogates $S_i$ in the convex set $\\mathcal{S}$ if and only if $T$ is affine on $\\mathcal{S}$.",
        check=bias,
        form={"unless": "affine", "laws": "some"},
        non_vacuity=_toy,
        mutants={"linear in place of affine": {"unless": "linear"}},
        note="The weights $\\mu_i$ are a law on the clients' $S_i$, and the gap is $E[T(S)] - T(E[S])$: the bias "
        "of Section 2.2 again.",
    ),
    Claim(
        id="aggr-Theta-noconv",
        where="Section 3.1",
        statement="Aggregation in Θ may fail to converge: take $\\rho = 1$, $\\mu = (1/2, 1/2)$, $g(\\theta) = "
        "\\max(\\theta, 0)$, $f_1(\\theta) = (\\theta+1)^2/2$, $f_2(\\theta) = -(\\theta+5/2)^2/2$ in "
        "Example 1. From $\\theta_0 = 0$, $\\theta_t = t/4 \\to \\infty$, while 0 is the unique "
        "minimiser of $f + g$ and aggregation in $\\mathcal{S}$ reaches it.",
        differs="The instance is ours: the paper refers to Remark 1 (row aggr-Theta-reference).",
        check=diverges,
        form=DIVERGENT,
        non_vacuity=_toy,
        note="Remark 1 shows a wrong limit, not divergence. Both happen; the instance here shows the second.",
        mutants={
            "f_2 convex": {"clients": (("0", "-1"), ("1/2", "5/2"))},
            "f_2 moved by 1/2": {"clients": (("0", "-1"), ("2", "2"))},
        },
    ),
    Claim(
        id="aggr-Theta-reference",
        where="Section 3.1",
        statement="Remark 1 is an instance in which aggregation in Θ does not converge.",
        check=diverges,
        form={"T": "1/sqrt(s)", "clients": (("0", "1"), ("0", "49")), "start": "1"},
        reading=Reading.SLIP,
        non_vacuity=_toy,
        amended=Amended(
            kind="wording",
            statement="The instance of row aggr-Theta-noconv does not converge; Remark 1 shows a wrong limit.",
            form=DIVERGENT,
            differs="The sequence of Remark 1 is constant, so it converges, to a wrong point.",
            matters="For the pointer only: that aggregation in Θ may fail to converge is true (aggr-Theta-noconv).",
        ),
        mutants={"f_2 convex": {"clients": (("0", "-1"), ("1/2", "5/2"))}},
    ),
    Claim(
        id="aggr-S-central",
        where="Section 3.1, eq. (22)",
        lines="L 536-540",
        statement="Aggregation in $\\mathcal{S}$, $s_{t+1} = \\sum_i \\mu_i E_{\\pi_i}[\\bar S(Z, T(s_t))]$, is "
        "centralised MM for $\\pi = \\sum_i \\mu_i \\pi_i$.",
        hypotheses=("$\\mu_i \\geq 0$ and $\\sum_i \\mu_i = 1$",),
        check=aggregate,
        form={"space": "S"},
        non_vacuity=_toy,
        mutants={
            "aggregation in Θ": {"space": "Theta"},
            "π with equal weights": {"mixture": "equal weights"},
        },
    ),
    Claim(
        id="rem1-g",
        where="Remark 1",
        lines="L 546",
        statement="$g$, the indicator of $(0, \\infty)$, is a proper lower semicontinuous convex function, as (1) "
        "requires.",
        check=half_line,
        form={"closed": False},
        reading=Reading.SLIP,
        non_vacuity=_toy,
        amended=Amended(
            kind="hypothesis",
            statement="For any $\\epsilon > 0$, the indicator of $[\\epsilon, \\infty)$ is proper, lower "
            "semicontinuous and convex, and $T(s) = 1/\\sqrt{s}$ is unchanged on $\\mathcal{S} = (0, \\epsilon^{-2}]$.",
            form={"closed": True, "low": "eps", "top": "1/eps**2"},
            differs="A closed half-line in place of the open one, and $\\mathcal{S}$ accordingly.",
            matters="Where $Z \\leq \\epsilon^{-2}$ almost surely, nothing else in Remark 1 changes. One may also keep "
            "the open half-line and ask that $f + g$ be lower semicontinuous: it is, as $1/\\theta \\to \\infty$ at 0.",
        ),
        mutants={
            "open at ε": {"closed": False},
            "𝒮 too large": {"top": "4/eps**2"},
            "𝒮 unbounded": {"top": "oo"},
        },
    ),
    Claim(
        id="rem1-objective",
        where="Remark 1",
        statement="$\\mathrm{argmin}_{\\theta > 0}\\, m\\theta + 1/\\theta = \\sqrt{1/m}$ with $m = \\sum_i \\mu_i "
        "E_{\\pi_i}[Z]$.",
        check=toy_minimiser,
        form={"argmin": "1/r"},
        non_vacuity=_toy,
        mutants={"1/m": {"argmin": "1/r**2"}, "√m": {"argmin": "r"}},
        hypotheses=("$Z > 0$ almost surely and $E_{\\pi_i}[Z] < \\infty$",),
    ),
    Claim(
        id="rem1-mm",
        where="Remark 1",
        statement="MM-1 holds for each $f_i$ with $\\phi(\\theta) = -\\theta$, $\\psi(\\theta) = 1/\\theta$, $\\bar "
        "S(Z, \\theta) = Z$, $\\mathcal{S} = (0, \\infty)$; MM-2 holds with $T(s) = 1/\\sqrt{s}$.",
        check=toy_mm,
        form={"phi": "-theta", "psi": "1/theta", "S_bar": "Z", "T": "1/sqrt(s)"},
        non_vacuity=_toy,
        hypotheses=("$Z > 0$ almost surely and $E_{\\pi_i}[Z] < \\infty$",),
        mutants={
            "sign of φ": {"phi": "theta"},
            "twice S̄": {"S_bar": "2*Z"},
            "T = 1/s": {"T": "1/s"},
            "0 in 𝒮": {"with_zero": True},
        },
        note="MM-1 holds with equality: here the surrogate is the loss.",
    ),
    Claim(
        id="rem1-S",
        where="Remark 1",
        statement="Aggregation in $\\mathcal{S}$ gives the constant sequence $s_t = \\sum_i \\mu_i E_{\\pi_i}[Z]$, "
        "whose mirror is $T(s_t) = \\theta_\\star$.",
        hypotheses=("$t \\geq 1$: (22) defines $s_1, s_2, \\dots$; the start $s_0$ is anyone's choice",),
        check=toy_in_S,
        form={"first": 1, "value": "m"},
        non_vacuity=_toy,
        mutants={
            "from t = 0, whatever the start": {"first": 0},
            "half of it": {"value": "m/2"},
        },
    ),
    Claim(
        id="rem1-Theta",
        where="Remark 1",
        statement="Aggregation in Θ gives the constant sequence $\\theta_t = \\sum_i \\mu_i / "
        "\\sqrt{E_{\\pi_i}[Z]}$, and "
        "$\\theta_t \\neq \\theta_\\star$.",
        hypotheses=("$t \\geq 1$, as $\\theta_0$ is anyone's choice", "$\\mu_i > 0$"),
        check=toy_in_Theta,
        form={"relation": "!="},
        reading=Reading.DEPENDS,
        context=Context("Section 3 speaks of heterogeneous clients (L 514), here of different means.", "amended"),
        non_vacuity=_toy,
        amended=Amended(
            kind="hypothesis",
            statement="$\\theta_t = \\sum_i \\mu_i / \\sqrt{E_{\\pi_i}[Z]} \\geq \\theta_\\star$, with equality if and "
            "only if all $E_{\\pi_i}[Z]$ are equal.",
            form={"relation": ">=, equal iff all E_i Z are"},
            differs="$\\geq$ in place of $\\neq$, with the case of equality.",
            matters="Clients may differ strongly and still agree in $E_{\\pi_i}[Z]$; then both aggregations coincide. "
            "When they disagree, the error has a sign: aggregation in Θ always overshoots.",
        ),
        mutants={"always larger": {"relation": ">"}, "undershoots": {"relation": "<="}},
    ),
]
