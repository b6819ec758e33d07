"""The lemmas on surrogates and projections, and the sum of the control variates."""

from __future__ import annotations

from fractions import Fraction as F

import sympy as sp

from proofs_checks.appendix_d_lemmas import control_variates, filtration, monotony, projection
from proofs_checks.ledger import Amended, Claim, without
from proofs_checks.reading import Reading
from proofs_checks.shared.mm_instances import sound_instance

CLOSED = "𝓑 closed‹convex: True=, convex; False=› and not empty"

LEMMAS = [
    Claim(
        id="lem2-i",
        where="Lemma 2 (lem:monotony), eq. `theo:tool1`",
        lines="L 1672-1679",
        statement="$\\mathcal{L}(s',s') \\leq \\mathcal{L}(s,s) ‹+sign·›\\langle s'-s, \\phi(T(‹at: own=s; "
        "other=s'›)) \\rangle$ for $s, s' \\in \\mathcal{S}$.",
        hypotheses=("‹hypotheses›",),
        check=monotony.monotony_first,
        idle=("MM-1",),
        non_vacuity=sound_instance,
        mutants={
            "wrong sign": {"sign": 1},
            "twice the decrease": {"sign": -2},
            "φ(T(s')) in place of φ(T(s))": {"at": "other"},
        },
        note="MM-2 at $s'$, compared with $\\theta = T(s)$. MM-1 is assumed but not used.",
    ),
    Claim(
        id="lem2-ii",
        where="Lemma 2 (lem:monotony), eq. `theo:tool1bis`",
        lines="L 1672-1679",
        statement="$‹sign·›\\langle s'-s, \\phi(T(s'))-\\phi(T(s)) \\rangle \\geq ‹modulus: 0=0; "
        "1/100=\\|s'-s\\|^2/100›$ for $s, s' \\in \\mathcal{S}$.",
        hypotheses=("‹hypotheses›",),
        check=monotony.monotony_second,
        idle=("MM-1",),
        non_vacuity=sound_instance,
        mutants={
            "wrong sign": {"sign": -1},
            "strongly monotone": {"modulus": sp.Rational(1, 100)},
        },
        note="MM-2 at $s'$ plus MM-2 at $s$. MM-1 is assumed but not used.",
    ),
    Claim(
        id="lem3-i",
        where="Lemma 3 (lem:weightedproj)",
        lines="L 1701-1708",
        statement="$\\langle \\Pi(\\hat s,B) - \\hat s, s' - \\Pi(\\hat s,B) \\rangle_B ‹wanted›$ for "
        "$s' \\in \\mathcal{B}$ and every ‹anywhere: True=$\\hat s \\in \\mathbb{R}^q$; "
        "False=$\\hat s \\in$ 𝓑› (domain as printed).",
        hypotheses=(CLOSED, "$B$ ‹symmetric: True=symmetric ; False=›positive definite"),
        check=projection.characterises,
        form={"anywhere": False},
        non_vacuity=projection.set_instance,
        mutants={"strictly positive": {"wanted": "> 0"}},
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
        statement="$\\langle \\Pi(\\hat s,B) - \\hat s, s' - \\Pi(\\hat s,B) \\rangle_B ‹wanted›$ for $s' \\in "
        "\\mathcal{B}$ and every ‹anywhere: True=$\\hat s \\in \\mathbb{R}^q$; False=$\\hat s \\in$ 𝓑›.",
        hypotheses=(CLOSED, "$B$ ‹symmetric: True=symmetric ; False=›positive definite"),
        check=projection.characterises,
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
        where="Lemma 3 (lem:weightedproj)",
        lines="L 1701-1712",
        statement="$‹factor·↑›\\|\\Pi(\\hat s_1,B) - \\Pi(\\hat s_2,B)\\|_B ‹relation› \\|\\hat s_1 - "
        "\\hat s_2\\|_B$ for all ‹anywhere: True=$\\hat s_1, \\hat s_2 \\in \\mathbb{R}^q$; "
        "False=$\\hat s_1, \\hat s_2 \\in$ 𝓑› (domain as printed).",
        hypotheses=(CLOSED, "$B$ symmetric positive definite"),
        check=projection.nonexpansive,
        form={"anywhere": False},
        non_vacuity=projection.set_instance,
        mutants={"a contraction": {"factor": F(101, 100)}},
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
        statement="$‹factor·↑›\\|\\Pi(\\hat s_1,B) - \\Pi(\\hat s_2,B)\\|_B ‹relation› \\|\\hat s_1 - \\hat s_2\\|_B$ "
        "for all ‹anywhere: True=$\\hat s_1, \\hat s_2 \\in \\mathbb{R}^q$; False=$\\hat s_1, \\hat s_2 \\in$ 𝓑›.",
        hypotheses=(CLOSED, "$B$ symmetric positive definite"),
        check=projection.nonexpansive,
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
        where="Corollary of Lemma 3 (coro:monotony)",
        lines="L 1731-1736",
        statement="$‹factor·↑›\\gamma_{t+1} E_{t+1} \\leq ‹sign·›\\langle \\hat S_{t+1} - \\hat S_t, "
        "H_{t+1} \\rangle_{B_t}$.",
        hypotheses=("‹hypotheses›",),
        check=projection.check_descent,
        non_vacuity=projection.projection_instance,
        mutants={
            "twice as much": {"factor": F(2)},
            "wrong sign": {"sign": -1},
            "𝒮 not convex": without(projection.USED, "𝒮 convex"),
            "Ŝ_t outside 𝒮": without(projection.USED, "Ŝ_t ∈ 𝒮"),
        },
        note="Lemma 3 with $s' = \\hat S_t$ and $\\hat s = \\hat S_t + \\gamma H$, which need not lie in 𝒮; the proof "
        "cites `lem:monotony` where it uses `lem:weightedproj`. Any positive definite $B_t$ will do.",
    ),
    Claim(
        id="cor2-ii",
        where="Corollary of Lemma 3 (coro:monotony)",
        lines="L 1731-1740",
        statement="$\\bar E_{t+1} \\leq ‹own·› E_{t+1} ‹+sign·›‹error·›\\|H_{t+1}-h(\\hat S_t)\\|_{B_t}‹^power›$ and "
        "$E_{t+1} \\leq ‹own·›\\bar E_{t+1} ‹+sign·›‹error·›\\|H_{t+1}-h(\\hat S_t)\\|_{B_t}‹^power›$.",
        hypotheses=("‹hypotheses›",),
        idle=("Ŝ_t ∈ 𝒮",),
        check=projection.check_exchange,
        form={"power": 1},
        reading=Reading.SLIP,
        non_vacuity=projection.projection_instance,
        amended=Amended(
            statement="$\\bar E_{t+1} \\leq ‹own·› E_{t+1} ‹+sign·›‹error·›\\|H_{t+1}-h(\\hat S_t)\\|_{B_t}‹^power›$ "
            "and $E_{t+1} \\leq ‹own·›\\bar E_{t+1} ‹+sign·›‹error·›\\|H_{t+1}-h(\\hat S_t)\\|_{B_t}‹^power›$.",
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
        where="Proposition 5 (prop:meanV:PP)",
        lines="L 1757-1775",
        statement="$V_t = \\sum_{i=1}^n \\mu_i V_{t,i}$ for all $t \\geq 0$, where a round adds $‹server·›\\tilde "
        "Q_{t+1,i}$ to $V_t$, for each $i$, and $‹client·›\\tilde Q_{t+1,i}$ to $V_{t,i}$.",
        hypotheses=("‹start: sum=$V_0 = \\sum_i \\mu_i V_{0,i}$, as the algorithm has it; free=$V_0$ is any vector›",),
        check=filtration.conserved,
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
        where="Proof of Lemma 4",
        statement="$\\|(1-\\alpha)x + \\alpha y\\|^2 = (1-\\alpha)\\|x\\|^2 + \\alpha\\|y\\|^2 "
        "‹+sign·›‹last·›\\|x-y\\|^2$ for all $x, y \\in \\mathbb{R}^q$ and $\\alpha \\in \\mathbb{R}$.",
        check=control_variates.convexity_identity,
        form={"sign": -1},
        non_vacuity=control_variates.round_instance,
        mutants={"wrong sign": {"sign": 1}, "α in place of α(1−α)": {"last": "a"}},
        spared={"hypothesis": None},
    ),
    Claim(
        id="lem4",
        where="Lemma 4 (lem:controlvariate)",
        lines="L 1777-1789",
        statement="For $\\alpha \\in [0,1]$: $E[\\|V_{t+1,i} - h_i(\\hat S_t)\\|^2 \\mid F_t] \\leq ‹own·›\\|V_{t,i} - "
        "h_i(\\hat S_t)\\|^2 ‹+noise·›\\sigma_i^2 ‹+last·›E[\\|\\Delta_{t+1,i}\\|^2 \\mid F_t]$.",
        hypotheses=("‹hypotheses›",),
        check=control_variates.control_variate,
        non_vacuity=control_variates.round_instance,
        mutants={
            "contraction 1 − 2α": {"own": "1 - 2*a"},
            "half the noise": {"noise": "a/2"},
            "ω_p in place of 1 + ω_p": {"last": "a*(a*w - 1)"},
            "wrong sign of the last term": {"last": "-a*(a*(1+w) - 1)"},
            "A5 dropped: a worker that is never selected": without(control_variates.PRINTED_VARIATE, "A5"),
            "negative α": without(control_variates.PRINTED_VARIATE, "α ≥ 0"),
        },
        note="Uses A3, A4, A5, for each worker alone: no independence between workers. $\\alpha \\leq 1$ is not used: "
        "the lemma is proved for every $\\alpha \\geq 0$. An equality where A3 and A4 are.",
    ),
]
