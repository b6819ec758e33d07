"""Lemma 1, Algorithm 2 as full participation, and what each part of a round knows."""

from __future__ import annotations

from proofs_checks.appendix_d_lemmas import compression, filtration
from proofs_checks.ledger import Claim

TIGHT = ("unbiased", "variance exactly ω")

MOMENTS = (
    "‹hypotheses: unbiased=$E[Q(s)] = s$ (A4); variance at most ω=$E\\|Q(s) - s\\|^2 \\leq \\omega\\|s\\|^2$ "
    "(A4); variance exactly ω=$E\\|Q(s) - s\\|^2 = \\omega\\|s\\|^2$›",
    "$U$ Bernoulli($p$) independent of $Q(s)$",
)

LEMMA_1 = [
    Claim(
        id="lem1-unbiased",
        where="Lemma 1 (lem:PP), Appendix D.2",
        lines="L 1242-1251",
        statement="$E[\\tilde Q(s)] = s$ for $\\tilde Q(s) = ‹scale› U Q(s)$, $U$ Bernoulli($p$) ‹law: "
        "independent=independent of; tied=tied to› $Q(s)$.",
        hypotheses=(
            "‹compressor: unbiased=$E[Q(s)] = s$; shrinking=$E[Q(s)] = s/2$›",
            "$0 < p \\leq 1$",
        ),
        check=compression.lemma1_mean,
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
        where="Lemma 1 (lem:PP), eq. `adjusted_quant_omega`",
        lines="L 1242-1266",
        statement="$E\\|\\tilde Q(s) - s\\|^2 ‹relation› \\omega_p \\|s\\|^2$ with $\\omega_p = ‹factor↓›$.",
        hypotheses=MOMENTS,
        check=compression.lemma1_variance,
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
        hypotheses=MOMENTS,
        check=compression.lemma1_variance,
        form={"relation": "==", "hypotheses": TIGHT},
        non_vacuity=compression.lemma1_instance,
        mutants={
            "equality whatever the compressor": {"hypotheses": compression.A4},
            "unbiasedness of Q dropped": {"hypotheses": ("variance exactly ω",)},
            "another constant": {"factor": "w/p"},
            "wrong sign": {"factor": "w - (1-p)/p*(w+1)"},
        },
        note="A statement of ours. Rand-$k$ is such a compressor: its error is $(q/k - 1)\\|s\\|^2$ at every $s$.",
    ),
    Claim(
        id="alg-equivalence",
        where="Appendix D.2",
        lines="L 1268-1276",
        statement="Algorithm 2 is equivalent to the algorithm in which all workers are active and $Q$ is "
        "replaced by $\\tilde Q_{t+1,i} = ‹scale› U_{t+1,i} Q_{t+1,i}$.",
        hypotheses=("‹hypotheses: A5=A5($p$)›",),
        check=compression.equivalence,
        non_vacuity=compression.draws_instance,
        mutants={
            "without the factor 1/p": {"scale": "1"},
            "wrong sign": {"scale": "-1/p"},
            "any selection with np active workers on average": {"hypotheses": ()},
        },
        note="For given $U_{t+1,i}$ the two algorithms agree outcome by outcome, for every law of the active set; A5 "
        "is what makes the $U_{t+1,i}$ independent. Uses A5.",
    ),
    Claim(
        id="qtilde-A4",
        where="Appendix D.2, “it is easily seen”",
        statement="The $\\tilde Q_{t+1,i}(s)$, $t \\geq 0$, $i \\in [n]$, satisfy A4($\\omega_p$): for "
        "each $s$ they are independent, of one law, unbiased, with $E\\|\\tilde Q(s) - s\\|^2 "
        "\\leq \\omega_p\\|s\\|^2$, $\\omega_p = ‹factor↓›$.",
        hypotheses=("‹hypotheses: A5=A5($p$)›",),
        check=compression.compressors_again,
        non_vacuity=compression.draws_instance,
        mutants={
            "with ω instead of ω_p": {"factor": "w"},
            "with ω/p": {"factor": "w/p"},
            "with the wrong sign": {"factor": "w - (1-p)/p*(w+1)"},
            "A5 dropped: all workers or none": {"hypotheses": ("A4",)},
        },
        note="A4 and A5 are read as saying that the selection and the compression are drawn independently of the "
        "oracles and of each other.",
    ),
    Claim(
        id="A4-maps",
        where="A4 (hyp:URVB) as Proposition 3 uses it",
        lines="L 685, L 1494",
        statement="By A4, with its “independent compression steps” (L 704), the messages $\\tilde Q_{t+1,i}(s_i)$ of "
        "different workers are independent, at ‹points: any points=any points $s_i$; one point=one point $s_i = s$›.",
        differs="The display of A4 says it of each single point $s$, which alone would not do (mutant); L 704 "
        "speaks of independent compression steps: independent maps.",
        hypotheses=("‹hypotheses: A5=A5($p$)›",),
        check=compression.compressors_again,
        form={"points": "any points", "hypotheses": ("A4", "A5", "independent compressors")},
        non_vacuity=compression.draws_instance,
        mutants={
            "independence at each single point only": {"hypotheses": ("A4", "A5")},
            "with ω instead of ω_p": {"factor": "w"},
            "with the wrong sign": {"factor": "w - (1-p)/p*(w+1)"},
        },
        note="Workers compress different vectors $\\Delta_{t+1,i}$, and the cross terms of Proposition 3 need "
        "independence at two different points. Every compressor that draws its own randomness afresh is "
        "independent as a map.",
    ),
    Claim(
        id="filtration",
        where="Appendix D.3, eq. `condexp:Q`",
        lines="L 1306-1348",
        statement="$F_t \\subseteq F_{t+1/3,i} \\subseteq F_{t+2/3,i} \\subseteq F_{t+1}$; $S_{t+1,i}, \\Delta_{t+1,i} "
        "\\in F_{t+1/3,i}$; $\\tilde Q(\\Delta_{t+1,i}), V_{t+1,i} \\in F_{t+2/3,i}$; $H_{t+1}, \\hat S_{t+1}, V_{t+1} "
        "\\in F_{t+1}$; and $E[\\tilde Q(\\Delta_{t+1,i}) \\mid F_{t+1/3,i}] = \\Delta_{t+1,i}$.",
        hypotheses=("A4($\\omega$), A5($p$)", "$\\gamma_{t+1}$ deterministic, $B_t$ a function of the past"),
        check=filtration.filtration,
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
        "leaves $B_t$ open.",
    ),
]
