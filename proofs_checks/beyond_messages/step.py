"""One round of FedMM under A7 along any direction H = h + ξ, unbiased or not, with the length of the move kept.

The notation is that of `beyond_theorem.step`; own-any-step is this line without its last term but one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict
from proofs_checks.appendix_d_lemmas.monotony import FIELD, MOVE, f, f_, g, g_
from proofs_checks.appendix_d_lemmas.projection import b_square
from proofs_checks.beyond_theorem.gap import own_gap
from proofs_checks.beyond_theorem.line import LINES, Line
from proofs_checks.beyond_theorem.step import C_BAR, DESCENT, XI_NOISE, descent, gamma, inside, v_max, v_min
from proofs_checks.shared.exact import first_failing

MOVED = (*DESCENT, "mean in 𝒮", "γ ≤ 1", "retraction")


def kept_move(hypotheses: Sequence[str] = MOVED, gain: str = "1/2", drift: str = "1", error: str = "1/2") -> Verdict:
    """W_{t+1} ≤ W_t − gain·γ‖h‖²_B − (v_min/(2γ) − drift·C̄)‖ΔŜ‖² + error·γ v_max‖H − h‖², for every H and outcome.

    Π is any map into 𝒮 with ‖Π(x) − m‖ ≤ ‖x − m‖ for m ∈ 𝒮.
    """
    k, d, b = (sp.Rational(text) for text in (gain, drift, error))
    left = MOVE / gamma - FIELD

    def prove() -> Sequence[Step]:
        given, factors = descent(hypotheses)
        given["v_max"] = Hypothesis(v_max * square(left) - b_square(left), "A7(ii)")
        if {"retraction", "mean in 𝒮", "𝒮 convex", "γ ≤ 1"} <= set(hypotheses):
            why = r"$\|\Pi(m + \gamma\xi) - m\| \leq \gamma\|\xi\|$, $m = \hat S_t + \gamma h \in \mathcal{S}$"
            given["nonexpansive"] = Hypothesis(square(XI_NOISE) - square(left), why)
        factors |= {"v_min": 1 / (2 * gamma), "nonexpansive": gamma / 2 * v_max, "v_max": gamma / 2}
        target = f + g - f_ - g_ - k * gamma * b_square(FIELD) + b * gamma * v_max * square(XI_NOISE)
        target -= (v_min / (2 * gamma) - d * C_BAR) * square(MOVE)
        says = (
            r"$W_{t+1} \leq W_t - \frac{\gamma}{2}\|h\|_{B_t}^2 - (\frac{v_{\min}}{2\gamma} - \bar C)\|\Delta s\|^2 + "
            r"\frac{\gamma}{2} v_{\max}\|\xi\|^2$"
        )
        return (*inside(hypotheses, "1"), *own_gap(hypotheses), *verify(target, given, factors, says=says))

    def wrong(line: Line) -> str | None:
        """The line in the mean over the outcomes, which it implies."""
        low, high = line.constants[:2]
        bound = line.W(line.s) - F(gain) * line.gamma * line.B * line.h**2
        bound -= (low / (2 * line.gamma) - F(drift) * line.c_bar) * line.mean(lambda e: (line.move(e) - line.s) ** 2)
        bound += F(error) * line.gamma * high * line.mean(lambda e: e * e)
        after = line.mean(lambda e: line.W(line.move(e)))
        return f"$E[W_{{t+1}}] = {after} > {bound}$" if after > bound else None

    return decide("certificate", prove, [lambda: first_failing(LINES, hypotheses, wrong)])
