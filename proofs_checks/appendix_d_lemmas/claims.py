"""Appendix D up to its propositions: from partial participation to compression, filtration, Lyapunov, variance, lemmas.

The numbers A1 to A8 count the assumptions as LaTeX does (A7 `hyp:DL2`, A8 `assumption:projection`). "Uses" in a note
names what the certificate needs, beyond the definitions of the algorithm.
"""

from __future__ import annotations

from fractions import Fraction as F

import sympy as sp

from proofs_checks.appendix_d_lemmas import (
    compression,
    control_variates,
    filtration,
    lyapunov,
    monotony,
    projection,
    variance,
)
from proofs_checks.appendix_d_lemmas.steps import step_instance
from proofs_checks.ledger import Amended, Claim, Context, without
from proofs_checks.quotes import quotes
from proofs_checks.reading import Reading
from proofs_checks.shared.mm_instances import sound_instance

SECTION = "Appendix D: lemmas and propositions behind Theorem 1"
QUOTES = quotes(__file__)

TIGHT = ("unbiased", "variance exactly ω")

LEMMA_1 = [
    Claim(
        id="lem1-unbiased",
        quote=QUOTES["lem1-unbiased"],
        where="Lemma 1 (lem:PP), Appendix D.2",
        lines="L 1242-1251",
        statement="$E[\\tilde Q(s)] = s$ for $\\tilde Q(s) = ‹scale› U Q(s)$, $U$ Bernoulli($p$) ‹law: "
        "independent=independent of; tied=tied to› $Q(s)$.",
        hypotheses=(
            "‹compressor: unbiased=$E[Q(s)] = s$; shrinking=$E[Q(s)] = s/2$›",
            "$0 < p \\leq 1$",
        ),
        check=compression.lemma1_mean,
        expected="proved",
        non_vacuity=compression.lemma1_instance,
        mutants={
            "not divided by p": {"scale": "1"},
            "divided twice": {"scale": "1/p**2"},
            "wrong sign": {"scale": "-1/p"},
            "a biased compressor": {"compressor": "shrinking"},
            "U depends on Q": {"law": "tied"},
        },
        kinds={"a biased compressor": "hypothesis", "U depends on Q": "hypothesis"},
        note="Uses the unbiasedness of A4 and the independence of $U$ and $Q(s)$.",
    ),
    Claim(
        id="lem1-var",
        quote=QUOTES["lem1-var"],
        where="Lemma 1 (lem:PP), eq. `adjusted_quant_omega`",
        lines="L 1242-1266",
        statement="$E\\|\\tilde Q(s) - s\\|^2 ‹relation› \\omega_p \\|s\\|^2$ with $\\omega_p = ‹factor↓›$.",
        hypotheses=(
            "‹hypotheses: unbiased=$E[Q(s)] = s$ (A4); variance at most ω=$E\\|Q(s) - s\\|^2 "
            "\\leq \\omega\\|s\\|^2$ (A4); variance exactly ω=$E\\|Q(s) - s\\|^2 = "
            "\\omega\\|s\\|^2$›",
            "$U$ Bernoulli($p$) independent of $Q(s)$",
        ),
        check=compression.lemma1_variance,
        expected="proved",
        non_vacuity=compression.lemma1_instance,
        mutants={
            "a smaller constant": {"factor": "w + (1-p)/p"},
            "participation forgotten": {"factor": "w/p"},
            "wrong sign": {"factor": "w - (1-p)/p*(w+1)"},
            "unbiasedness of Q dropped": {"hypotheses": ("variance at most ω",)},
        },
        note="Note that $1 + \\omega_p = (1+\\omega)/p$. Uses A4 and the independence of $U$ and $Q(s)$.",
    ),
    Claim(
        id="own-lem1-tight",
        where="Lemma 1 (lem:PP)",
        lines="L 1242-1266",
        statement="$\\omega_p = ‹factor↓›$ cannot be improved: where A4($\\omega$) is an equality at $s$, "
        "$E\\|\\tilde Q(s) - s\\|^2 ‹relation› \\omega_p \\|s\\|^2$.",
        hypotheses=(
            "‹hypotheses: unbiased=$E[Q(s)] = s$ (A4); variance at most ω=$E\\|Q(s) - s\\|^2 "
            "\\leq \\omega\\|s\\|^2$ (A4); variance exactly ω=$E\\|Q(s) - s\\|^2 = "
            "\\omega\\|s\\|^2$›",
            "$U$ Bernoulli($p$) independent of $Q(s)$",
        ),
        check=compression.lemma1_variance,
        form={"relation": "==", "hypotheses": TIGHT},
        expected="proved",
        non_vacuity=compression.lemma1_instance,
        mutants={
            "equality whatever the compressor": {"relation": "==", "hypotheses": compression.A4},
            "unbiasedness of Q dropped": {"relation": "==", "hypotheses": ("variance exactly ω",)},
            "another constant": {"relation": "==", "hypotheses": TIGHT, "factor": "w/p"},
            "wrong sign": {"relation": "==", "hypotheses": TIGHT, "factor": "w - (1-p)/p*(w+1)"},
        },
        note="A statement of ours. Rand-$k$ is such a compressor: its error is $(q/k - 1)\\|s\\|^2$ at every $s$.",
    ),
    Claim(
        id="alg-equivalence",
        quote=QUOTES["alg-equivalence"],
        where="Appendix D.2",
        lines="L 1268-1276",
        statement="Algorithm 2 is equivalent to the algorithm in which all workers are active and $Q$ is "
        "replaced by $\\tilde Q_{t+1,i} = ‹scale› U_{t+1,i} Q_{t+1,i}$.",
        hypotheses=("‹hypotheses: A5=A5($p$)›",),
        check=compression.equivalence,
        expected="proved",
        non_vacuity=compression.draws_instance,
        mutants={
            "without the factor 1/p": {"scale": "1"},
            "wrong sign": {"scale": "-1/p"},
            "any selection with np active workers on average": {"hypotheses": ()},
        },
        note="For given $U_{t+1,i}$ the two algorithms agree outcome by outcome, for every law of the active set; A5 "
        "is "
        "what makes the $U_{t+1,i}$ independent. Uses A5.",
    ),
    Claim(
        id="qtilde-A4",
        quote=QUOTES["qtilde-A4"],
        where="Appendix D.2, “it is easily seen”",
        lines="L 1276",
        statement="The $\\tilde Q_{t+1,i}(s)$, $t \\geq 0$, $i \\in [n]$, satisfy A4($\\omega_p$): for "
        "each $s$ they are independent, of one law, unbiased, with $E\\|\\tilde Q(s) - s\\|^2 "
        "\\leq \\omega_p\\|s\\|^2$, $\\omega_p = ‹factor↓›$.",
        hypotheses=("‹hypotheses: A5=A5($p$)›",),
        check=compression.compressors_again,
        expected="proved",
        non_vacuity=compression.draws_instance,
        mutants={
            "with ω instead of ω_p": {"factor": "w"},
            "with ω/p": {"factor": "w/p"},
            "with the wrong sign": {"factor": "w - (1-p)/p*(w+1)"},
            "A5 dropped: all workers or none": {"hypotheses": ("A4",)},
            "A4 dropped": {"hypotheses": ("A5",)},
        },
        note="A4 and A5 are read as saying that the selection and the compression are drawn independently of the "
        "oracles "
        "and of each other.",
    ),
    Claim(
        id="A4-maps",
        quote=QUOTES["A4-maps"],
        where="A4 (hyp:URVB) as Proposition 3 uses it",
        lines="L 685, L 1494",
        statement="By A4, with its “independent compression steps” (L 704), the messages $\\tilde "
        "Q_{t+1,i}(s_i)$ of different workers are independent, at ‹points: any points=any points "
        "$s_i$; one point=one point $s_i = s$›.",
        differs="The display of A4 says it of each single point $s$, which alone would not do (mutant); L 704 "
        "speaks of independent compression steps: independent maps.",
        hypotheses=("‹hypotheses: A5=A5($p$)›",),
        check=compression.compressors_again,
        form={"points": "any points", "hypotheses": ("A4", "A5", "independent compressors")},
        expected="proved",
        non_vacuity=compression.draws_instance,
        mutants={
            "A5 dropped": {"points": "any points", "hypotheses": ("A4", "independent compressors")},
            "A4 dropped": {"points": "any points", "hypotheses": ("A5", "independent compressors")},
            "independence at each single point only": {"points": "any points"},
            "with ω instead of ω_p": {
                "points": "any points",
                "factor": "w",
                "hypotheses": ("A4", "A5", "independent compressors"),
            },
            "with the wrong sign": {
                "points": "any points",
                "factor": "w - (1-p)/p*(w+1)",
                "hypotheses": ("A4", "A5", "independent compressors"),
            },
        },
        note="Workers compress different vectors $\\Delta_{t+1,i}$, and the cross terms of Proposition 3 need "
        "independence at two different points. Every compressor that draws its own randomness afresh is "
        "independent as a map.",
    ),
    Claim(
        id="filtration",
        quote=QUOTES["filtration"],
        where="Appendix D.3, eq. `condexp:Q`",
        lines="L 1306-1348",
        statement="$F_t \\subseteq F_{t+1/3,i} \\subseteq F_{t+2/3,i} \\subseteq F_{t+1}$; $S_{t+1,i}, "
        "\\Delta_{t+1,i} \\in "
        "F_{t+1/3,i}$; $\\tilde Q(\\Delta_{t+1,i}), V_{t+1,i} \\in F_{t+2/3,i}$; $H_{t+1}, \\hat S_{t+1}, V_{t+1} \\in "
        "F_{t+1}$; and $E[\\tilde Q(\\Delta_{t+1,i}) \\mid F_{t+1/3,i}] = \\Delta_{t+1,i}$.",
        hypotheses=("A4($\\omega$), A5($p$)", "$\\gamma_{t+1}$ deterministic, $B_t$ a function of the past"),
        check=filtration.filtration,
        expected="proved",
        non_vacuity=compression.draws_instance,
        mutants={
            "V_{t+1,i} before the message": {"places": {**filtration.PLACES, "V_i": "F_{t+1/3,i}"}},
            "H_{t+1} from one worker alone": {"places": {**filtration.PLACES, "H": "F_{t+2/3,i}"}},
            "given the message": {"given": "F_{t+2/3,i}"},
            "given the past only": {"given": "F_t"},
            "A4 dropped": {"hypotheses": ("A5",)},
            "A5 dropped": {"hypotheses": ("A4",)},
            "wrong sign": {"sign": -1},
        },
        kinds={"V_{t+1,i} before the message": "constant", "H_{t+1} from one worker alone": "constant"},
        note="That $B_t$ is a function of the past is A8(ii), if $s \\mapsto B(s)$ is measurable; Algorithm 2 alone "
        "leaves "
        "$B_t$ open.",
    ),
]

LYAPUNOV = [
    Claim(
        id="eq46",
        quote=QUOTES["eq46"],
        where="Proof of Proposition 2, eq. `coro:lipschitz`",
        lines="L 1385-1389",
        statement="$(f+g)(T(s')) \\leq (f+g)(T(s)) ‹+field·›\\langle h(s), \\phi(T(s'))-\\phi(T(s)) "
        "\\rangle ‹+scale·›\\langle s'-s, \\phi(T(s'))-\\phi(T(s)) \\rangle$ for $s, s' \\in "
        "\\mathcal{S}$.",
        hypotheses=("‹hypotheses›",),
        check=monotony.smoothness,
        expected="proved",
        non_vacuity=sound_instance,
        mutants={
            "wrong sign of h": {"field": 1},
            "last term halved": {"scale": sp.Rational(1, 2)},
            "MM-1 dropped": without(monotony.MM, "MM-1"),
            "MM-2 dropped": without(monotony.MM, "MM-2"),
        },
        note="MM-1 plus the first line of Lemma 2, each with factor 1.",
    ),
    Claim(
        id="prop2-Xi-equality",
        quote=QUOTES["prop2-Xi-equality"],
        where="Proof of Proposition 2",
        lines="L 1408-1415",
        statement="$\\Xi(s,s') = \\mathcal{L}(s',s') ‹+sign·›\\langle s'-s, \\phi(T(s')) \\rangle - "
        "\\mathcal{L}(s,s)$.",
        hypotheses=("the definitions of $\\Xi$ and $\\mathcal{L}$",),
        check=monotony.xi_equality,
        expected="proved",
        non_vacuity=sound_instance,
        mutants={"wrong sign": {"sign": -1}, "the term twice": {"sign": 2}, "without the term": {"sign": 0}},
        spared={"hypothesis": None},
    ),
    Claim(
        id="prop2-Xi",
        quote=QUOTES["prop2-Xi"],
        where="Proof of Proposition 2",
        lines="L 1410-1417",
        statement="$\\Xi(s,s') \\leq ‹scale·›\\langle s'-s, \\phi(T(s'))-\\phi(T(s)) \\rangle$.",
        hypotheses=("‹hypotheses›",),
        check=monotony.xi_bound,
        expected="proved",
        idle=("MM-1",),
        non_vacuity=sound_instance,
        mutants={
            "half of it": {"scale": sp.Rational(1, 2)},
            "wrong sign": {"scale": -1},
            "MM-2 dropped": without(monotony.MM, "MM-2"),
        },
        note="Uses MM-2 at $s'$ only.",
    ),
    Claim(
        id="prop2-A7-second",
        quote=QUOTES["prop2-A7-second"],
        where="Proof of Proposition 2",
        lines="L 1422-1425",
        statement="$\\langle \\hat S_{t+1}-\\hat S_t, \\phi(T(\\hat S_{t+1}))-\\phi(T(\\hat S_t)) "
        "\\rangle \\leq ‹middle·↓›\\|\\hat S_{t+1}-\\hat S_t\\|^2 \\leq v_{\\min}^{-1} "
        "‹constant·↓›\\gamma_{t+1}^2 E_{t+1}$.",
        hypotheses=("‹hypotheses›",),
        check=lyapunov.second_bound,
        expected="proved",
        non_vacuity=step_instance,
        mutants={
            "half the constant": {"constant": "C2/2"},
            "half of C⋆⋆": {"middle": "C2/2"},
            "wrong sign": {"constant": "-C2"},
            "A7 dropped": {"hypotheses": ("A8(ii)",)},
            "B_t is another matrix": {"hypotheses": ("A7",)},
        },
        note="Uses A7(i) second line, A7(ii), A8(ii).",
    ),
    Claim(
        id="prop2-split",
        quote=QUOTES["prop2-split"],
        where="Proof of Proposition 2, eqs. `prop:lyap:tool1` to `prop:lyap:tool3`",
        lines="L 1426-1436",
        statement="$-\\langle h, \\phi'-\\phi \\rangle \\leq -\\langle H_{t+1}, \\Delta\\hat S "
        "\\rangle_{B_t} ‹+error·›|\\langle H_{t+1}-h, \\Delta\\hat S \\rangle_{B_t}| + "
        "|\\langle h, \\phi'-\\phi-B_t\\Delta\\hat S \\rangle|$.",
        hypotheses=("$B_t$ symmetric",),
        check=lyapunov.split,
        expected="proved",
        non_vacuity=step_instance,
        mutants={"wrong sign of the error": {"error": -1}, "error counted twice": {"error": 2}},
        spared={"hypothesis": None},
    ),
    Claim(
        id="prop2-tool2",
        quote=QUOTES["prop2-tool2"],
        where="Proof of Proposition 2, the bound of eq. `prop:lyap:tool2`",
        lines="L 1437",
        statement="$\\|\\hat S_{t+1} - \\hat S_t\\|_{B_t}‹^power› = ‹sign·›\\gamma_{t+1}^2 E_{t+1}$.",
        hypotheses=("$E_{t+1} = \\gamma_{t+1}^{-2}\\|\\hat S_{t+1} - \\hat S_t\\|^2_{B_t}$",),
        check=lyapunov.move_norm,
        form={"power": 1},
        expected="refuted",
        reading=Reading.SLIP,
        non_vacuity=step_instance,
        amended=Amended(
            kind="wording",
            statement="$\\|\\hat S_{t+1} - \\hat S_t\\|_{B_t}‹^power› = ‹sign·›\\gamma_{t+1}^2 E_{t+1}$.",
            form={"power": 2},
            differs="The norm is squared.",
            matters="A slip of the pen: the next line of the proof uses the square.",
            same_as="cor2-ii",
        ),
        mutants={"the cube": {"power": 3}, "wrong sign": {"sign": -1}},
        spared={"hypothesis": None},
    ),
    Claim(
        id="prop2-tool3",
        quote=QUOTES["prop2-tool3"],
        where="Proof of Proposition 2, the bound of eq. `prop:lyap:tool3`",
        lines="L 1441-1444",
        statement="$C_\\star \\sup_{\\mathcal{S}}\\|h\\| \\, \\|\\hat S_{t+1}-\\hat S_t\\|^2 ‹relation› "
        "‹scale·↓›v_{\\min}^{-1} C_\\star \\sup_{\\mathcal{S}}\\|h\\| \\, \\gamma_{t+1}^2 "
        "E_{t+1}$ bounds eq. `prop:lyap:tool3`.",
        hypotheses=("‹hypotheses›",),
        check=lyapunov.third_bound,
        form={"relation": "=="},
        expected="refuted",
        reading=Reading.SLIP,
        non_vacuity=step_instance,
        amended=Amended(
            kind="wording",
            statement="The first term bounds eq. `prop:lyap:tool3` and is at most ($‹relation›$) the second.",
            form={"relation": "<="},
            differs="“≤” in place of “=”.",
            matters="The two differ unless $\\|\\Delta\\hat S\\|^2_{B_t} = v_{\\min}\\|\\Delta\\hat S\\|^2$; only ≤ "
            "is needed.",
        ),
        mutants={
            "B_t is another matrix": {"hypotheses": ("A7",)},
            "A7 dropped": {"hypotheses": ("A8(ii)",)},
            "half the constant": {"scale": sp.Rational(1, 2)},
            "wrong sign": {"scale": -1},
        },
        note="Uses A7(i) first line, A7(ii), A8(ii) and the Cauchy–Schwarz inequality.",
    ),
    Claim(
        id="prop2",
        quote=QUOTES["prop2"],
        where="Proposition 2 (prop:lyapunov)",
        lines="L 1372-1381",
        statement="$E[W_{t+1} \\mid F_t] \\leq W_t - ‹gain·›\\gamma_{t+1}(1 - 2\\bar C "
        "v_{\\min}^{-1}\\gamma_{t+1}) E[\\bar E_{t+1} \\mid F_t] ‹+error·›\\gamma_{t+1}(1 - "
        "\\bar C v_{\\min}^{-1}\\gamma_{t+1}) E[\\|H_{t+1}-h(\\hat S_t)\\|^2_{B_t} \\mid F_t]$, "
        "where $W_t = (f+g)(T(\\hat S_t))$.",
        hypotheses=("‹hypotheses›",),
        check=lyapunov.lyapunov,
        form={"hypotheses": lyapunov.PRINTED},
        expected="refuted",
        reading=Reading.DEPENDS,
        context=Context(
            "The proof of Theorem 1, of which the proposition is a part, stands under A1 to A8.", "amended"
        ),
        non_vacuity=step_instance,
        amended=Amended(
            kind="hypothesis",
            statement="The same inequality, under MM-1, MM-2, A7 and A8.",
            form={"hypotheses": lyapunov.LYAPUNOV},
            differs="A8 is added: 𝒮 closed and convex, and $B_t = B(\\hat S_t)$.",
            matters="Algorithm 2 projects in the norm of any positive definite $B_t$, and $\\bar E_{t+1}$ is "
            "measured in it: "
            "scaling $B_t$ up makes the promised decrease as large as one likes. Theorem 1 does assume A8. The "
            "constants "
            "are right as printed.",
        ),
        mutants={
            "four times the decrease": {"gain": "1"},
            "a quarter of the error": {"error": "1/4"},
            "wrong sign of the error": {"error": "-1"},
            "MM-1 dropped": without(lyapunov.LYAPUNOV, "MM-1"),
            "MM-2 dropped": without(lyapunov.LYAPUNOV, "MM-2"),
            "A7 dropped": without(lyapunov.LYAPUNOV, "A7"),
            "𝒮 not convex": without(lyapunov.LYAPUNOV, "A8(i)"),
            "B_t is another matrix": without(lyapunov.LYAPUNOV, "A8(ii)"),
            "long steps": without(lyapunov.LYAPUNOV, "γ < v_min/(2C̄)"),
        },
        note="Uses MM-1, MM-2, A7, A8; not A1 to A6. A6(ii) is not an omission: where $\\sup\\|h\\| = \\infty$, "
        "$\\bar C$ is "
        "infinite and no step is admissible. Holds for every outcome before the expectation is taken; $\\bar "
        "E_{t+1}$ is "
        "$F_t$-measurable, so its conditional expectation is itself (it is defined for $t \\geq 0$, where L 1360 "
        "says $t "
        "\\geq 1$). Each positive definite $B(s)$ is understood to be symmetric.",
    ),
]

VARIANCE = [
    Claim(
        id="prop3-unbiased",
        quote=QUOTES["prop3-unbiased"],
        where="Proposition 3 (prop:update_error), eq. `unbiasedoracle`",
        lines="L 1455, L 1460-1476",
        statement="$E[H_{t+1} \\mid F_t] = h(\\hat S_t)$, where $H_{t+1} = ‹server·›V_t + \\sum_i \\mu_i "
        "\\tilde Q_{t+1,i}(\\Delta_{t+1,i})$.",
        hypotheses=("‹hypotheses›",),
        check=variance.direction_mean,
        expected="proved",
        non_vacuity=control_variates.round_instance,
        mutants={
            "V_t not added": {"server": "0"},
            "V_t subtracted": {"server": "-1"},
            "A3 dropped": without(variance.PRINTED_VARIANCE, "A3"),
            "A4 dropped": without(variance.PRINTED_VARIANCE, "A4"),
            "A5 dropped": without(variance.PRINTED_VARIANCE, "A5"),
        },
        note="Uses A3 (means), A4 (means), A5 and $V_t = \\sum_i \\mu_i V_{t,i}$; workers need not be independent.",
    ),
    Claim(
        id="prop3-delta",
        quote=QUOTES["prop3-delta"],
        where="Proof of Proposition 3",
        lines="L 1518-1533",
        statement="$E[\\|\\Delta_{t+1,i}\\|^2 \\mid F_t] \\leq ‹bias·↓›\\|h_i(\\hat S_t) - V_{t,i}\\|^2 "
        "‹+noise·↓›\\sigma_i^2$.",
        hypotheses=("‹hypotheses›",),
        check=variance.delta_moment,
        expected="proved",
        non_vacuity=control_variates.round_instance,
        mutants={
            "half the noise": {"noise": "1/2"},
            "half the bias": {"bias": "1/2"},
            "wrong sign of the bias": {"bias": "-1"},
            "A3 dropped": {"hypotheses": ()},
        },
        note="Uses A3.",
    ),
    Claim(
        id="prop3",
        quote=QUOTES["prop3"],
        where="Proposition 3 (prop:update_error), eq. `varianceoracle`",
        lines="L 1452-1459",
        statement="$E[\\|H_{t+1} - h(\\hat S_t)\\|‹^power›_{B_t} \\mid F_t] \\leq ‹noise·↓›v_{\\max} "
        "\\frac{\\sigma^2}{n} ‹+bias·↓›v_{\\max} \\sum_i \\mu_i^2 \\|V_{t,i} - h_i(\\hat "
        "S_t)\\|^2$.",
        hypotheses=("‹hypotheses›",),
        check=variance.direction_variance,
        form={"hypotheses": variance.IN_FORCE},
        expected="refuted",
        reading=Reading.DEPENDS,
        context=Context(
            "The proof of Theorem 1, of which the proposition is a part, stands under A1 to A8.", "amended"
        ),
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
            "A3 dropped": without(variance.VARIANCE, "A3"),
            "A4 dropped": without(variance.VARIANCE, "A4"),
            "A5 dropped: all workers or none": without(variance.VARIANCE, "A5"),
            "A7 dropped": without(variance.VARIANCE, "A7"),
            "B_t is another matrix": without(variance.VARIANCE, "A8"),
        },
        note="An equality where A3, A4 and $v_{\\max}$ are: the constants are the best possible. Uses A3, A4, A5, "
        "A7(ii), "
        "A8(ii) and Proposition 5.",
    ),
    Claim(
        id="prop4-contraction",
        quote=QUOTES["prop4-contraction"],
        where="Before Proposition 4",
        lines="L 1537-1545",
        statement="For small enough steps and convenient $\\alpha > 0$, $\\beta > 1$, the factor of $G_t$ "
        "in Proposition 4 is below 1: with $\\beta = 1 + \\alpha/2$ and $\\ell = \\omega_p "
        "\\frac{v_{\\max}}{v_{\\min}}\\frac{L^2}{n}\\gamma^2 \\leq ‹step›$ "
        "it is at most $‹rate›$.",
        hypotheses=("$\\alpha > 0$",),
        check=control_variates.contraction,
        expected="proved",
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
        quote=QUOTES["prop4-young"],
        where="Proof of Proposition 4",
        lines="L 1568-1569",
        statement="$\\|a+b\\|^2 \\leq ‹other·↓›\\|a\\|^2 ‹+own·↓›\\|b\\|^2$ for every $\\eta > ‹low›$: the "
        "paper's $\\beta$ is $1 + \\eta$, its $\\frac{\\beta}{\\beta-1}$ is $1 + 1/\\eta$.",
        differs="$\\beta$ is written $1 + \\eta$.",
        check=control_variates.young,
        expected="proved",
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
        quote=QUOTES["prop4"],
        where="Proposition 4 (prop:varcont-PP2), eq. `induction:Gt`",
        lines="L 1547-1564",
        statement="For $\\beta > 1$, with $K = "
        "\\frac{‹error›}{\\beta-1}\\frac{v_{\\max}}{v_{\\min}}\\frac{L^2}{n}\\gamma_{t+1}^2$: "
        "$E[G_{t+1} \\mid F_t] \\leq \\beta(‹rate› + K\\omega_p) G_t "
        "‹+sign·›\\frac{‹error·›\\beta}{\\beta-1} v_{\\min}^{-1}\\frac{L^2}{n}\\gamma_{t+1}^2 "
        "E[\\bar E_{t+1} \\mid F_t] + \\beta(‹noise› + K(1+\\omega_p))\\frac{\\sigma^2}{n}$.",
        hypotheses=("‹hypotheses›",),
        check=control_variates.recursion,
        form={"hypotheses": control_variates.PRINTED_RECURSION},
        expected="refuted",
        reading=Reading.DEPENDS,
        context=Context(
            "The proof of Theorem 1, of which the proposition is a part, stands under A1 to A8.", "amended"
        ),
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
            "A3 dropped": without(control_variates.RECURSION, "A3"),
            "A4 dropped": without(control_variates.RECURSION, "A4"),
            "A5 dropped": without(control_variates.RECURSION, "A5"),
            "A6 dropped": without(control_variates.RECURSION, "A6"),
            "A7 dropped": without(control_variates.RECURSION, "A7"),
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

LEMMAS = [
    Claim(
        id="lem2-i",
        quote=QUOTES["lem2-i"],
        where="Lemma 2 (lem:monotony), eq. `theo:tool1`",
        lines="L 1672-1679",
        statement="$\\mathcal{L}(s',s') \\leq \\mathcal{L}(s,s) ‹+sign·›\\langle s'-s, \\phi(T(‹at: own=s; "
        "other=s'›)) \\rangle$ for $s, s' \\in \\mathcal{S}$.",
        hypotheses=("‹hypotheses›",),
        check=monotony.monotony_first,
        expected="proved",
        idle=("MM-1",),
        non_vacuity=sound_instance,
        mutants={
            "wrong sign": {"sign": 1},
            "twice the decrease": {"sign": -2},
            "φ(T(s')) in place of φ(T(s))": {"at": "other"},
            "MM-2 dropped": without(monotony.MM, "MM-2"),
        },
        note="MM-2 at $s'$, compared with $\\theta = T(s)$. MM-1 is assumed but not used.",
    ),
    Claim(
        id="lem2-ii",
        quote=QUOTES["lem2-ii"],
        where="Lemma 2 (lem:monotony), eq. `theo:tool1bis`",
        lines="L 1672-1679",
        statement="$‹sign·›\\langle s'-s, \\phi(T(s'))-\\phi(T(s)) \\rangle \\geq ‹modulus: 0=0; "
        "1/100=\\|s'-s\\|^2/100›$ for $s, s' \\in \\mathcal{S}$.",
        hypotheses=("‹hypotheses›",),
        check=monotony.monotony_second,
        expected="proved",
        idle=("MM-1",),
        non_vacuity=sound_instance,
        mutants={
            "wrong sign": {"sign": -1},
            "strongly monotone": {"modulus": sp.Rational(1, 100)},
            "MM-2 dropped": without(monotony.MM, "MM-2"),
        },
        note="MM-2 at $s'$ plus MM-2 at $s$. MM-1 is assumed but not used.",
    ),
    Claim(
        id="lem3-i",
        quote=QUOTES["lem3-i"],
        where="Lemma 3 (lem:weightedproj)",
        lines="L 1701-1708",
        statement="$\\langle \\Pi(\\hat s,B) - \\hat s, s' - \\Pi(\\hat s,B) \\rangle_B ‹wanted›$ for "
        "$s' \\in \\mathcal{B}$ and every ‹anywhere: True=$\\hat s \\in \\mathbb{R}^q$; "
        "False=$\\hat s \\in$ 𝓑› (domain as printed).",
        hypotheses=(
            "𝓑 closed‹convex: True=, convex; False=› and not empty",
            "$B$ ‹symmetric: True=symmetric ; False=›positive definite",
        ),
        check=projection.characterises,
        form={"anywhere": False},
        expected="proved",
        non_vacuity=projection.set_instance,
        mutants={"strictly positive": {"anywhere": False, "wanted": "> 0"}},
        spared={
            "hypothesis": {"anywhere": False, "convex": False},
            "sign": {"anywhere": False, "wanted": "<= 0"},
        },
        note="True but empty: for $\\hat s$ in the set itself, $\\Pi(\\hat s,B) = \\hat s$ and the left side is 0. The "
        "corollary needs $\\hat s \\in \\mathbb{R}^q$: next row.",
    ),
    Claim(
        id="own-lem3-i-anywhere",
        where="Lemma 3 (lem:weightedproj), as its corollary uses it",
        lines="L 1701-1719",
        statement="$\\langle \\Pi(\\hat s,B) - \\hat s, s' - \\Pi(\\hat s,B) \\rangle_B ‹wanted›$ for "
        "$s' \\in \\mathcal{B}$ and every ‹anywhere: True=$\\hat s \\in \\mathbb{R}^q$; "
        "False=$\\hat s \\in$ 𝓑›.",
        hypotheses=(
            "𝓑 closed‹convex: True=, convex; False=› and not empty",
            "$B$ ‹symmetric: True=symmetric ; False=›positive definite",
        ),
        check=projection.characterises,
        expected="proved",
        non_vacuity=projection.set_instance,
        mutants={
            "wrong sign": {"wanted": "<= 0"},
            "strictly positive": {"wanted": "> 0"},
            "𝓑 not convex": {"convex": False},
            "B not symmetric": {"symmetric": False},
        },
        note="A statement of ours: the lemma with the domain that the paper meant.",
    ),
    Claim(
        id="lem3-ii",
        quote=QUOTES["lem3-ii"],
        where="Lemma 3 (lem:weightedproj)",
        lines="L 1701-1712",
        statement="$‹factor·↑›\\|\\Pi(\\hat s_1,B) - \\Pi(\\hat s_2,B)\\|_B ‹relation› \\|\\hat s_1 - "
        "\\hat s_2\\|_B$ for all ‹anywhere: True=$\\hat s_1, \\hat s_2 \\in \\mathbb{R}^q$; "
        "False=$\\hat s_1, \\hat s_2 \\in$ 𝓑› (domain as printed).",
        hypotheses=(
            "𝓑 closed‹convex: True=, convex; False=› and not empty",
            "$B$ symmetric positive definite",
        ),
        check=projection.nonexpansive,
        form={"anywhere": False},
        expected="proved",
        non_vacuity=projection.set_instance,
        mutants={"a contraction": {"anywhere": False, "factor": F(101, 100)}},
        spared={
            "hypothesis": {"anywhere": False, "convex": False},
            "sign": {"anywhere": False, "relation": ">="},
        },
        note="True but empty, as above: both sides are equal.",
    ),
    Claim(
        id="own-lem3-ii-anywhere",
        where="Lemma 3 (lem:weightedproj), as its corollary uses it",
        lines="L 1709-1729",
        statement="$‹factor·↑›\\|\\Pi(\\hat s_1,B) - \\Pi(\\hat s_2,B)\\|_B ‹relation› \\|\\hat s_1 - "
        "\\hat s_2\\|_B$ for all ‹anywhere: True=$\\hat s_1, \\hat s_2 \\in \\mathbb{R}^q$; "
        "False=$\\hat s_1, \\hat s_2 \\in$ 𝓑›.",
        hypotheses=(
            "𝓑 closed‹convex: True=, convex; False=› and not empty",
            "$B$ symmetric positive definite",
        ),
        check=projection.nonexpansive,
        expected="proved",
        non_vacuity=projection.set_instance,
        mutants={
            "a contraction": {"factor": F(101, 100)},
            "the other way round": {"relation": ">="},
            "𝓑 not convex": {"convex": False},
        },
        note="A statement of ours: the lemma with the domain that the paper meant.",
    ),
    Claim(
        id="cor2-i",
        quote=QUOTES["cor2-i"],
        where="Corollary of Lemma 3 (coro:monotony)",
        lines="L 1731-1736",
        statement="$‹factor·↑›\\gamma_{t+1} E_{t+1} \\leq ‹sign·›\\langle \\hat S_{t+1} - \\hat S_t, "
        "H_{t+1} \\rangle_{B_t}$.",
        hypotheses=("‹hypotheses›",),
        check=projection.check_descent,
        expected="proved",
        non_vacuity=projection.projection_instance,
        mutants={
            "twice as much": {"factor": F(2)},
            "wrong sign": {"sign": -1},
            "𝒮 not convex": without(projection.USED, "𝒮 convex"),
            "Ŝ_t outside 𝒮": without(projection.USED, "Ŝ_t ∈ 𝒮"),
        },
        note="Lemma 3 with $s' = \\hat S_t$ and $\\hat s = \\hat S_t + \\gamma H$, which need not lie in 𝒮; the "
        "proof cites "
        "`lem:monotony` where it uses `lem:weightedproj`. Any positive definite $B_t$ will do.",
    ),
    Claim(
        id="cor2-ii",
        quote=QUOTES["cor2-ii"],
        where="Corollary of Lemma 3 (coro:monotony)",
        lines="L 1731-1740",
        statement="$\\bar E_{t+1} \\leq ‹own·› E_{t+1} ‹+sign·›‹error·›\\|H_{t+1}-h(\\hat "
        "S_t)\\|_{B_t}‹^power›$ and $E_{t+1} \\leq ‹own·›\\bar E_{t+1} "
        "‹+sign·›‹error·›\\|H_{t+1}-h(\\hat S_t)\\|_{B_t}‹^power›$.",
        hypotheses=("‹hypotheses›",),
        idle=("Ŝ_t ∈ 𝒮",),
        check=projection.check_exchange,
        form={"power": 1},
        expected="refuted",
        reading=Reading.SLIP,
        non_vacuity=projection.projection_instance,
        amended=Amended(
            statement="$\\bar E_{t+1} \\leq ‹own·› E_{t+1} ‹+sign·›‹error·›\\|H_{t+1}-h(\\hat "
            "S_t)\\|_{B_t}‹^power›$ and $E_{t+1} \\leq ‹own·›\\bar E_{t+1} "
            "‹+sign·›‹error·›\\|H_{t+1}-h(\\hat S_t)\\|_{B_t}‹^power›$.",
            form={"power": 2},
            differs="The norms are squared.",
            matters="The two sides scale differently as printed. Propositions 2 and 4 use the squares.",
        ),
        mutants={
            "E once": {"own": F(1)},
            "error once": {"error": F(1)},
            "wrong sign of the error": {"sign": -1},
            "𝒮 not convex": without(projection.USED, "𝒮 convex"),
        },
        note="Uses the second line of Lemma 3 on $\\mathbb{R}^q$ (cited as `lem:monotony`); any positive definite "
        "$B_t$.",
    ),
    Claim(
        id="prop5",
        quote=QUOTES["prop5"],
        where="Proposition 5 (prop:meanV:PP)",
        lines="L 1757-1775",
        statement="$V_t = \\sum_{i=1}^n \\mu_i V_{t,i}$ for all $t \\geq 0$, where a round adds "
        "$‹server·›\\tilde Q_{t+1,i}$ to $V_t$, for each $i$, and $‹client·›\\tilde Q_{t+1,i}$ "
        "to $V_{t,i}$.",
        hypotheses=("‹start: sum=$V_0 = \\sum_i \\mu_i V_{0,i}$, as the algorithm has it; free=$V_0$ is any vector›",),
        check=filtration.conserved,
        expected="proved",
        non_vacuity=filtration.conserved_instance,
        mutants={
            "the server uses half of α": {"server": "alpha*mu_i/2"},
            "the client scales by μ_i": {"client": "alpha*mu_i"},
            "wrong sign": {"server": "-alpha*mu_i"},
            "another V_0": {"start": "free"},
        },
        kinds={"another V_0": "hypothesis"},
        note="Uses none of A1 to A8.",
    ),
    Claim(
        id="lem4-identity",
        quote=QUOTES["lem4-identity"],
        where="Proof of Lemma 4",
        lines="L 1817-1820",
        statement="$\\|(1-\\alpha)x + \\alpha y\\|^2 = (1-\\alpha)\\|x\\|^2 + \\alpha\\|y\\|^2 "
        "‹+sign·›‹last·›\\|x-y\\|^2$ for all $x, y \\in \\mathbb{R}^q$ and $\\alpha \\in "
        "\\mathbb{R}$.",
        check=control_variates.convexity_identity,
        form={"sign": -1},
        expected="proved",
        non_vacuity=control_variates.round_instance,
        mutants={"wrong sign": {"sign": 1}, "α in place of α(1−α)": {"last": "a"}},
        spared={"hypothesis": None},
    ),
    Claim(
        id="lem4",
        quote=QUOTES["lem4"],
        where="Lemma 4 (lem:controlvariate)",
        lines="L 1777-1789",
        statement="For $\\alpha \\in [0,1]$: $E[\\|V_{t+1,i} - h_i(\\hat S_t)\\|^2 \\mid F_t] \\leq "
        "‹own·›\\|V_{t,i} - h_i(\\hat S_t)\\|^2 ‹+noise·›\\sigma_i^2 "
        "‹+last·›E[\\|\\Delta_{t+1,i}\\|^2 \\mid F_t]$.",
        hypotheses=("‹hypotheses›",),
        check=control_variates.control_variate,
        expected="proved",
        non_vacuity=control_variates.round_instance,
        mutants={
            "contraction 1 − 2α": {"own": "1 - 2*a"},
            "half the noise": {"noise": "a/2"},
            "ω_p in place of 1 + ω_p": {"last": "a*(a*w - 1)"},
            "wrong sign of the last term": {"last": "-a*(a*(1+w) - 1)"},
            "A3 dropped": without(control_variates.PRINTED_VARIATE, "A3"),
            "A4 dropped": without(control_variates.PRINTED_VARIATE, "A4"),
            "A5 dropped: a worker that is never selected": without(control_variates.PRINTED_VARIATE, "A5"),
            "negative α": without(control_variates.PRINTED_VARIATE, "α ≥ 0"),
        },
        note="Uses A3, A4, A5, for each worker alone: no independence between workers. $\\alpha \\leq 1$ is not "
        "used: the "
        "lemma is proved for every $\\alpha \\geq 0$. An equality where A3 and A4 are.",
    ),
]

CLAIMS = [*LEMMA_1, *LYAPUNOV, *VARIANCE, *LEMMAS]
