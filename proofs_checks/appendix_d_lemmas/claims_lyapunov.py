"""Proposition 2 and the lines of its proof."""

from __future__ import annotations

import sympy as sp

from proofs_checks.appendix_d_lemmas import lyapunov, monotony
from proofs_checks.appendix_d_lemmas.common import IN_THE_PROOF
from proofs_checks.appendix_d_lemmas.steps import step_instance
from proofs_checks.ledger import Amended, Claim, without
from proofs_checks.reading import Reading
from proofs_checks.shared.mm_instances import sound_instance

LYAPUNOV = [
    Claim(
        id="eq46",
        where="Proof of Proposition 2, eq. `coro:lipschitz`",
        statement="$(f+g)(T(s')) \\leq (f+g)(T(s)) ‹+field·›\\langle h(s), \\phi(T(s'))-\\phi(T(s)) \\rangle "
        "‹+scale·›\\langle s'-s, \\phi(T(s'))-\\phi(T(s)) \\rangle$ for $s, s' \\in \\mathcal{S}$.",
        hypotheses=("‹hypotheses›",),
        check=monotony.smoothness,
        non_vacuity=sound_instance,
        mutants={
            "wrong sign of h": {"field": 1},
            "last term halved": {"scale": sp.Rational(1, 2)},
        },
        note="MM-1 plus the first line of Lemma 2, each with factor 1.",
    ),
    Claim(
        id="prop2-Xi-equality",
        where="Proof of Proposition 2",
        lines="L 1408-1415",
        statement="$\\Xi(s,s') = \\mathcal{L}(s',s') ‹+sign·›\\langle s'-s, \\phi(T(s')) \\rangle - "
        "\\mathcal{L}(s,s)$.",
        hypotheses=("the definitions of $\\Xi$ and $\\mathcal{L}$",),
        check=monotony.xi_equality,
        non_vacuity=sound_instance,
        mutants={"wrong sign": {"sign": -1}, "the term twice": {"sign": 2}, "without the term": {"sign": 0}},
        spared={"hypothesis": None},
    ),
    Claim(
        id="prop2-Xi",
        where="Proof of Proposition 2",
        lines="L 1410-1417",
        statement="$\\Xi(s,s') \\leq ‹scale·›\\langle s'-s, \\phi(T(s'))-\\phi(T(s)) \\rangle$.",
        hypotheses=("‹hypotheses›",),
        check=monotony.xi_bound,
        idle=("MM-1",),
        non_vacuity=sound_instance,
        mutants={
            "half of it": {"scale": sp.Rational(1, 2)},
            "wrong sign": {"scale": -1},
        },
        note="Uses MM-2 at $s'$ only.",
    ),
    Claim(
        id="prop2-A7-second",
        where="Proof of Proposition 2",
        statement="$\\langle \\hat S_{t+1}-\\hat S_t, \\phi(T(\\hat S_{t+1}))-\\phi(T(\\hat S_t)) \\rangle \\leq "
        "‹middle·↓›\\|\\hat S_{t+1}-\\hat S_t\\|^2 \\leq v_{\\min}^{-1} ‹constant·↓›\\gamma_{t+1}^2 E_{t+1}$.",
        hypotheses=("‹hypotheses›",),
        check=lyapunov.second_bound,
        non_vacuity=step_instance,
        mutants={
            "half the constant": {"constant": "C2/2"},
            "half of C⋆⋆": {"middle": "C2/2"},
            "wrong sign": {"constant": "-C2"},
            "B_t is another matrix": {"hypotheses": ("A7",)},
        },
        note="Uses A7(i) second line, A7(ii), A8(ii).",
    ),
    Claim(
        id="prop2-split",
        where="Proof of Proposition 2, eqs. `prop:lyap:tool1` to `prop:lyap:tool3`",
        statement="$-\\langle h, \\phi'-\\phi \\rangle \\leq -\\langle H_{t+1}, \\Delta\\hat S "
        "\\rangle_{B_t} ‹+error·›|\\langle H_{t+1}-h, \\Delta\\hat S \\rangle_{B_t}| + "
        "|\\langle h, \\phi'-\\phi-B_t\\Delta\\hat S \\rangle|$.",
        hypotheses=("$B_t$ symmetric",),
        check=lyapunov.split,
        non_vacuity=step_instance,
        mutants={"wrong sign of the error": {"error": -1}, "error counted twice": {"error": 2}},
        spared={"hypothesis": None},
    ),
    Claim(
        id="prop2-tool2",
        where="Proof of Proposition 2, the bound of eq. `prop:lyap:tool2`",
        statement="$\\|\\hat S_{t+1} - \\hat S_t\\|_{B_t}‹^power› = ‹sign·›\\gamma_{t+1}^2 E_{t+1}$.",
        hypotheses=("$E_{t+1} = \\gamma_{t+1}^{-2}\\|\\hat S_{t+1} - \\hat S_t\\|^2_{B_t}$",),
        check=lyapunov.move_norm,
        form={"power": 1},
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
        where="Proof of Proposition 2, the bound of eq. `prop:lyap:tool3`",
        statement="$C_\\star \\sup_{\\mathcal{S}}\\|h\\| \\, \\|\\hat S_{t+1}-\\hat S_t\\|^2 ‹relation› "
        "‹scale·↓›v_{\\min}^{-1} C_\\star \\sup_{\\mathcal{S}}\\|h\\| \\, \\gamma_{t+1}^2 "
        "E_{t+1}$ bounds eq. `prop:lyap:tool3`.",
        hypotheses=("‹hypotheses›",),
        check=lyapunov.third_bound,
        form={"relation": "=="},
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
            "half the constant": {"scale": sp.Rational(1, 2)},
            "wrong sign": {"scale": -1},
        },
        note="Uses A7(i) first line, A7(ii), A8(ii) and the Cauchy–Schwarz inequality.",
    ),
    Claim(
        id="prop2",
        where="Proposition 2 (prop:lyapunov)",
        statement="$E[W_{t+1} \\mid F_t] \\leq W_t - ‹gain·›\\gamma_{t+1}(1 - 2\\bar C v_{\\min}^{-1}\\gamma_{t+1}) "
        "E[\\bar E_{t+1} \\mid F_t] ‹+error·›\\gamma_{t+1}(1 - \\bar C v_{\\min}^{-1}\\gamma_{t+1}) "
        "E[\\|H_{t+1}-h(\\hat S_t)\\|^2_{B_t} \\mid F_t]$, where $W_t = (f+g)(T(\\hat S_t))$.",
        hypotheses=("‹hypotheses›",),
        check=lyapunov.lyapunov,
        form={"hypotheses": lyapunov.PRINTED},
        reading=Reading.DEPENDS,
        context=IN_THE_PROOF,
        non_vacuity=step_instance,
        amended=Amended(
            kind="hypothesis",
            statement="The same inequality, under MM-1, MM-2, A7 and A8.",
            form={"hypotheses": lyapunov.LYAPUNOV},
            differs="A8 is added: 𝒮 closed and convex, and $B_t = B(\\hat S_t)$.",
            matters="Algorithm 2 projects in the norm of any positive definite $B_t$, and $\\bar E_{t+1}$ is measured "
            "in it: scaling $B_t$ up makes the promised decrease as large as one likes. Theorem 1 does assume A8. The "
            "constants are right as printed.",
        ),
        mutants={
            "four times the decrease": {"gain": "1"},
            "a quarter of the error": {"error": "1/4"},
            "wrong sign of the error": {"error": "-1"},
            "𝒮 not convex": without(lyapunov.LYAPUNOV, "A8(i)"),
            "B_t is another matrix": without(lyapunov.LYAPUNOV, "A8(ii)"),
            "long steps": without(lyapunov.LYAPUNOV, "γ < v_min/(2C̄)"),
        },
        note="Uses MM-1, MM-2, A7, A8; not A1 to A6. A6(ii) is not an omission: where $\\sup\\|h\\| = \\infty$, $\\bar "
        "C$ is infinite and no step is admissible. Holds for every outcome before the expectation is taken; $\\bar "
        "E_{t+1}$ is $F_t$-measurable, so its conditional expectation is itself (it is defined for $t \\geq 0$, where "
        "L 1360 says $t \\geq 1$). Each positive definite $B(s)$ is understood to be symmetric.",
    ),
]
