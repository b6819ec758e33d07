"""Propositions 3 and 4: the variance of a round, and the control variates."""

from __future__ import annotations

from proofs_checks.appendix_d_lemmas import control_variates, variance
from proofs_checks.appendix_d_lemmas.common import IN_THE_PROOF
from proofs_checks.ledger import Amended, Claim, without
from proofs_checks.reading import Reading

VARIANCE = [
    Claim(
        id="prop3-unbiased",
        where="Proposition 3 (prop:update_error), eq. `unbiasedoracle`",
        lines="L 1455, L 1460-1476",
        statement="$E[H_{t+1} \\mid F_t] = h(\\hat S_t)$, where $H_{t+1} = ‹server·›V_t + \\sum_i \\mu_i "
        "\\tilde Q_{t+1,i}(\\Delta_{t+1,i})$.",
        hypotheses=("‹hypotheses›",),
        check=variance.direction_mean,
        non_vacuity=control_variates.round_instance,
        mutants={
            "V_t not added": {"server": "0"},
            "V_t subtracted": {"server": "-1"},
        },
        note="Uses A3 (means), A4 (means), A5 and $V_t = \\sum_i \\mu_i V_{t,i}$; workers need not be independent.",
    ),
    Claim(
        id="prop3-delta",
        where="Proof of Proposition 3",
        lines="L 1518-1533",
        statement="$E[\\|\\Delta_{t+1,i}\\|^2 \\mid F_t] \\leq ‹bias·↓›\\|h_i(\\hat S_t) - V_{t,i}\\|^2 "
        "‹+noise·↓›\\sigma_i^2$.",
        hypotheses=("‹hypotheses›",),
        check=variance.delta_moment,
        non_vacuity=control_variates.round_instance,
        mutants={
            "half the noise": {"noise": "1/2"},
            "half the bias": {"bias": "1/2"},
            "wrong sign of the bias": {"bias": "-1"},
        },
        note="Uses A3.",
    ),
    Claim(
        id="prop3",
        where="Proposition 3 (prop:update_error), eq. `varianceoracle`",
        lines="L 1452-1459",
        statement="$E[\\|H_{t+1} - h(\\hat S_t)\\|‹^power›_{B_t} \\mid F_t] \\leq ‹noise·↓›v_{\\max} "
        "\\frac{\\sigma^2}{n} ‹+bias·↓›v_{\\max} \\sum_i \\mu_i^2 \\|V_{t,i} - h_i(\\hat S_t)\\|^2$.",
        hypotheses=("‹hypotheses›",),
        check=variance.direction_variance,
        form={"hypotheses": variance.IN_FORCE},
        reading=Reading.DEPENDS,
        context=IN_THE_PROOF,
        non_vacuity=control_variates.round_instance,
        amended=Amended(
            kind="hypothesis",
            statement="The same bound, under A3, A4, A5 and A7(ii), A8(ii).",
            form={"hypotheses": variance.VARIANCE},
            differs="A7(ii) and A8(ii) are named, without which $v_{\\max}$ has nothing to do with $B_t$.",
            matters="For the list of hypotheses only: Theorem 1, where the bound is used, assumes A7 and A8.",
        ),
        mutants={
            "ω_p forgotten in the noise": {"noise": "1"},
            "half of ω_p for the bias": {"bias": "w/2"},
            "wrong sign of ω_p": {"noise": "1 - w"},
            "weights μ_i³": {"power": 3},
            "one noise for all workers": without(variance.VARIANCE, "independent oracles"),
            "compressors independent at each point only": without(variance.VARIANCE, "independent compressors"),
            "A5 dropped: all workers or none": without(variance.VARIANCE, "A5"),
            "B_t is another matrix": without(variance.VARIANCE, "A8"),
        },
        note="An equality where A3, A4 and $v_{\\max}$ are: the constants are the best possible. Uses A3, A4, A5, "
        "A7(ii), A8(ii) and Proposition 5.",
    ),
    Claim(
        id="prop4-contraction",
        where="Before Proposition 4",
        lines="L 1537-1545",
        statement="For small enough steps and convenient $\\alpha > 0$, $\\beta > 1$, the factor of $G_t$ in "
        "Proposition 4 is below 1: with $\\beta = 1 + \\alpha/2$ and $\\ell = \\omega_p "
        "\\frac{v_{\\max}}{v_{\\min}}\\frac{L^2}{n}\\gamma^2 \\leq ‹step›$ it is at most $‹rate›$.",
        hypotheses=("$\\alpha > 0$",),
        check=control_variates.contraction,
        non_vacuity=control_variates.contraction_instance,
        mutants={
            "1 − α": {"rate": "1 - a"},
            "wrong sign": {"rate": "a/4 - 1"},
            "steps of any size": {"step": "oo"},
            "ℓ ≤ α": {"step": "a"},
        },
        note="The explicit $\\beta$, bound and rate are ours; the paper says that there are some. Uses none of A1 to "
        "A8.",
    ),
    Claim(
        id="prop4-young",
        where="Proof of Proposition 4",
        statement="$\\|a+b\\|^2 \\leq ‹other·↓›\\|a\\|^2 ‹+own·↓›\\|b\\|^2$ for every $\\eta > ‹low›$: the "
        "paper's $\\beta$ is $1 + \\eta$, its $\\frac{\\beta}{\\beta-1}$ is $1 + 1/\\eta$.",
        differs="$\\beta$ is written $1 + \\eta$.",
        check=control_variates.young,
        non_vacuity=control_variates.round_instance,
        mutants={
            "1 in place of β": {"own": "1"},
            "1/(β−1)": {"other": "1/eta"},
            "wrong sign": {"other": "-1 - 1/eta"},
            "some β < 1": {"low": "-1"},
        },
        kinds={"some β < 1": "hypothesis"},
    ),
    Claim(
        id="prop4",
        where="Proposition 4 (prop:varcont-PP2), eq. `induction:Gt`",
        statement="For $\\beta > 1$, with $K = "
        "\\frac{‹error›}{\\beta-1}\\frac{v_{\\max}}{v_{\\min}}\\frac{L^2}{n}\\gamma_{t+1}^2$: "
        "$E[G_{t+1} \\mid F_t] \\leq \\beta(‹rate› + K\\omega_p) G_t "
        "‹+sign·›\\frac{‹error·›\\beta}{\\beta-1} v_{\\min}^{-1}\\frac{L^2}{n}\\gamma_{t+1}^2 "
        "E[\\bar E_{t+1} \\mid F_t] + \\beta(‹noise› + K(1+\\omega_p))\\frac{\\sigma^2}{n}$.",
        hypotheses=("‹hypotheses›",),
        check=control_variates.recursion,
        form={"hypotheses": control_variates.PRINTED_RECURSION},
        reading=Reading.DEPENDS,
        context=IN_THE_PROOF,
        non_vacuity=control_variates.round_instance,
        amended=Amended(
            kind="hypothesis",
            statement="The same bound, under A3 to A8.",
            form={"hypotheses": control_variates.RECURSION},
            differs="A8 is named (and A5): $B_t = B(\\hat S_t)$ and a closed convex 𝒮.",
            matters="The proof uses the projection's geometry and Proposition 3. The constants are right as printed.",
        ),
        mutants={
            "Ē ≤ E + error, without the 2": {"error": "1"},
            "contraction 1 − 2α": {"rate": "1 - 2*a"},
            "half the noise": {"noise": "a/2"},
            "wrong sign of Ē": {"sign": -1},
            "B_t is another matrix": without(control_variates.RECURSION, "A8"),
            "one noise for all workers": without(control_variates.RECURSION, "independent oracles"),
            "compressors independent at each point only": without(
                control_variates.RECURSION, "independent compressors"
            ),
            "negative α": without(control_variates.RECURSION, "α ≥ 0"),
            "α above 1/(1+ω_p)": without(control_variates.RECURSION, "α ≤ 1/(1+ω_p)"),
        },
        note="Uses A3, A4, A5, A6(i), A7(ii), A8 and independence between workers, of the compressors as maps too: the "
        "mutant without it is four workers, at four points where one coin decides for all. The 2 of $\\bar E$ is "
        "needed only where a projection is active (its mutant: a corner of 𝒮).",
    ),
]
