"""One round of FedMM under A7, three ways: any projection, no projection, and the projection in the norm of B_t.

The notation is that of `monotony`: h = h(Ŝ_t), Δs = Ŝ_{t+1} − Ŝ_t, and D = φ(T(Ŝ_{t+1})) − φ(T(Ŝ_t)). The direction is
H = h + ξ, and e = Δs/γ − h is what is left of the noise ξ after the projection. All three rest on the point
m = Ŝ_t + γh lying in 𝒮, as a mean of two points of 𝒮. C̄ = C_⋆⋆/2 + C_⋆ sup‖h‖ (the paper has C_⋆⋆ in place of C_⋆⋆/2).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.expectation import Expectation, Mean, moment
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict
from proofs_checks.appendix_d_lemmas.monotony import FIELD, MOVE, XI, D, f, f_, g, g_, mm_lines
from proofs_checks.appendix_d_lemmas.projection import ROOT, b_inner, b_square
from proofs_checks.beyond_theorem.gap import C2, own_gap
from proofs_checks.beyond_theorem.line import LINES, Line
from proofs_checks.shared.exact import first_failing
from proofs_checks.shared.oracles import stays_inside

u = sp.Symbol("u", nonnegative=True)
C1, bound_h, v_min, v_max, gamma = sp.symbols(r"C_{\star} M v_{\min} v_{\max} \gamma", positive=True)
C_BAR = C2 / 2 + bound_h * C1
c = C_BAR / v_min
(XI_NOISE,) = atoms(r"\xi")
STEP = "γ ≤ v_min/(2C̄)"
DESCENT = ("MM-1", "MM-2", "A7", "A6(ii)", "𝒮 convex")
ANY = (*DESCENT, "mean in 𝒮", "γ ≤ 1", "retraction", STEP)
UNBIASED = (*DESCENT, "no projection", "unbiased")
PROJECTED = (*DESCENT, "mean in 𝒮", "γ ≤ 1/2", "retraction", "unbiased")


# ------------------------------------------------------------------------------------------------- the descent so far


def descent(hypotheses: Sequence[str]) -> tuple[dict[str, Hypothesis], dict[str, sp.Expr | int]]:
    """The lines with which W_t − W_{t+1} ≥ ⟨h, Δs⟩_B − (C̄/v_min)‖Δs‖²_B, and their multipliers."""
    move2 = square(MOVE)
    remainder = bound_h * C1 * move2 + inner(FIELD, D) - b_inner(FIELD, MOVE)
    lines = {
        "gap": (
            {"MM-2", "A7", "𝒮 convex"},
            C2 / 2 * move2 - XI,
            r"own-gap-half: $\Xi \leq \frac{1}{2} C_{\star\star}\|\Delta s\|^2$",
        ),
        "remainder": (
            {"A7", "A6(ii)"},
            remainder,
            r"A7(i), A6(ii) with $M = \sup\|h\|$ (prop2-tool3): "
            r"$|\langle h, D - B_t \Delta s \rangle| \leq M C_\star \|\Delta s\|^2$",
        ),
        "v_min": ({"A7"}, b_square(MOVE) - v_min * move2, "A7(ii)"),
        "v_min at h": ({"A7"}, b_square(FIELD) - v_min * square(FIELD), "A7(ii)"),
    }
    given = {name: Hypothesis(expr, why) for name, (needs, expr, why) in lines.items() if needs <= set(hypotheses)}
    given |= {name: line for name, line in mm_lines(hypotheses).items() if name == "MM-1"}
    return given, {"MM-1": 1, "gap": 1, "remainder": 1, "v_min": c}


def inside(hypotheses: Sequence[str], gamma_max: str) -> tuple[Step, ...]:
    """m = Ŝ_t + γh(Ŝ_t) ∈ 𝒮, from what is assumed about 𝒮, the mean oracle and the step."""
    given = {name: name in hypotheses for name in ("𝒮 convex", "mean in 𝒮")}
    found = stays_inside(gamma_max=gamma_max, convex=given["𝒮 convex"], oracle_inside=given["mean in 𝒮"])
    return found.evidence if found.status == "proved" else ()


# ------------------------------------------------------------------------------------------------ 1. any projection


def any_projection(hypotheses: Sequence[str] = ANY, gain: str = "1/2", error: str = "1/2") -> Verdict:
    """E[W_{t+1} | F_t] ≤ W_t − gain·γ‖h‖²_B + error·γ v_max E‖H − h‖², for any Π with ‖Π(x) − m‖ ≤ ‖x − m‖, m ∈ 𝒮."""
    a, b = sp.sympify(gain), sp.sympify(error)
    left = MOVE / gamma - FIELD  # e

    def prove() -> Sequence[Step]:
        given, factors = descent(hypotheses)
        given["v_max"] = Hypothesis(v_max * square(left) - b_square(left), "A7(ii)")
        if {"retraction", "mean in 𝒮", "𝒮 convex", "γ ≤ 1"} <= set(hypotheses):
            given["nonexpansive"] = Hypothesis(
                square(XI_NOISE) - square(left), r"$\|\Pi(m + \gamma\xi) - m\| \leq \gamma\|\xi\|$"
            )
        if STEP in hypotheses:
            small = (1 - 2 * c * gamma) * b_square(MOVE / gamma)
            given["small step"] = Hypothesis(
                small, r"$1 - 2\bar C\gamma/v_{\min} \geq 0$ times $\|h+e\|_{B_t}^2 \geq 0$"
            )
        factors |= {"small step": gamma / 2, "nonexpansive": gamma / 2 * v_max, "v_max": gamma / 2}
        target = f + g - f_ - g_ - a * gamma * b_square(FIELD) + b * gamma * v_max * square(XI_NOISE)
        says = (
            r"for every outcome: $W_{t+1} \leq W_t - \frac{\gamma}{2}\|h\|_{B_t}^2 + \frac{\gamma}{2} v_{\max} "
            r"\|\xi\|^2$"
        )
        steps = verify(target, given, factors, says=says)
        E = Expectation({"h"}, {}, free={r"\xi"}, scalars={f_, g_}).through(ROOT)
        printed = f + g - moment(f_) - moment(g_) - a * gamma * b_square(FIELD)
        verify(E.of(target) - printed - b * gamma * v_max * E.of(square(XI_NOISE)), {}, {}, equality=True)
        mean = Step("the statement is the conditional expectation of this line", "linear and positive")
        return (*inside(hypotheses, "1"), *own_gap(hypotheses), *steps, mean)

    def wrong(line: Line) -> str | None:
        noise = line.mean(lambda e: e * e) * line.constants[1]
        bound = line.W(line.s) - F(gain) * line.gamma * line.B * line.h**2 + F(error) * line.gamma * noise
        after = line.mean(lambda e: line.W(line.move(e)))
        return f"$E[W_{{t+1}}] = {after} > {bound}$" if after > bound else None

    return decide("certificate", prove, [lambda: first_failing(LINES, hypotheses, wrong)])


# ------------------------------------------------------------------------------------------- 2. no active projection


def unbiased_step(hypotheses: Sequence[str] = UNBIASED, drift: str = "1", noise: str = "1") -> Verdict:
    """E[W_{t+1} | F_t] ≤ W_t − γ(1 − drift·C̄γ/v_min)‖h‖²_B + noise·C̄γ² E‖H − h‖², where Δs = γH and E[H | F_t] = h."""
    a, b = sp.sympify(drift), sp.sympify(noise)

    def prove() -> Sequence[Step]:
        given, factors = descent(hypotheses)
        factors = {name: m for name, m in factors.items() if name != "v_min"}
        line = f + g - f_ - g_ - b_inner(FIELD, MOVE) + C_BAR * square(MOVE)
        says = r"for every outcome: $W_{t+1} \leq W_t - \langle h, \Delta s \rangle_{B_t} + \bar C\|\Delta s\|^2$"
        steps = verify(line, given, factors, says=says)
        means = {"\\Delta s": Mean(gamma * FIELD)} if {"unbiased", "no projection"} <= set(hypotheses) else {}
        E = Expectation({"h"}, means, free={"\\Delta s"} - set(means), scalars={f_, g_}).through(ROOT)
        target = E.of(f + g - f_ - g_) - gamma * (1 - a * c * gamma) * b_square(FIELD)
        target += b * C_BAR * E.of(square(MOVE - gamma * FIELD))
        given["mean"] = E.line(Hypothesis(line, "the line above"))
        return (
            *own_gap(hypotheses),
            *steps,
            *verify(target, given, {"mean": 1, "v_min at h": C_BAR * gamma**2 / v_min}),
        )

    def wrong(line: Line) -> str | None:
        left = 1 - F(drift) * line.c_bar * line.gamma / line.constants[0]
        bound = line.W(line.s) - line.gamma * left * line.B * line.h**2
        bound += F(noise) * line.c_bar * line.gamma**2 * line.mean(lambda e: e * e)
        after = line.mean(lambda e: line.W(line.move(e)))
        return f"$E[W_{{t+1}}] = {after} > {bound}$" if after > bound else None

    return decide("certificate", prove, [lambda: first_failing(LINES, hypotheses, wrong)])


# ------------------------------------------------------------------- 3. the projection in the norm of B_t, active


def projected_step(
    hypotheses: Sequence[str] = PROJECTED, drift: str = "1", noise: str = "1/2 + c", power: int = 2, metric: str = "B_t"
) -> Verdict:
    """E[W_{t+1} | F_t] ≤ W_t − γ(1 − drift·C̄γ/v_min)‖h‖²_B + γ^power·noise·E‖H − h‖²_B, Π in the norm of B_t.

    `noise` is a formula in c = C̄/v_min; `metric` may be "Euclidean" instead.
    """
    step = 1 / (u + (2 if "γ ≤ 1/2" in hypotheses else 1))  # any 0 < γ ≤ 1/2, or any 0 < γ ≤ 1
    a, b = sp.sympify(drift), sp.sympify(noise, {"c": c})
    left, H = MOVE / step - FIELD, FIELD + XI_NOISE

    def prove() -> Sequence[Step]:
        given, factors = descent(hypotheses)
        if {"retraction", "𝒮 convex"} <= set(hypotheses):
            given["at s"] = Hypothesis(
                variation(step, 0 * FIELD, metric), r"Lemma 3 with $s' = \hat S_t \in \mathcal{S}$"
            )
        if {"retraction", "𝒮 convex", "mean in 𝒮"} <= set(hypotheses):
            why = r"Lemma 3 with $s' = \hat S_t + h = E_\pi[\bar S(Z, T(\hat S_t))] \in \mathcal{S}$"
            given["at the mean"] = Hypothesis(variation(step, FIELD, metric), why)
        factors |= {"at the mean": 1 / (1 - step), "at s": 2 * c}
        squares = [
            (step**2 / (1 - step), ROOT(left - XI_NOISE / 2)),
            (c, ROOT(step * H - MOVE)),
            (step**2 * (1 - 2 * step) / (4 * (1 - step)), ROOT(XI_NOISE)),
        ]
        kept = f + g - f_ - g_ - step * (1 - a * c * step) * b_square(FIELD) + step**power * b * b_square(XI_NOISE)
        line = kept - step * (1 - 2 * c * step) * b_inner(FIELD, XI_NOISE)
        factors = {name: sp.factor(sp.sympify(m)) for name, m in factors.items()}
        says = r"for every outcome, with $-\gamma(1-2\bar C\gamma/v_{\min})\langle h, \xi \rangle_{B_t}$"
        steps = verify(line, given, factors, [(sp.factor(w), x) for w, x in squares], says=says)
        means = {r"\xi": Mean(Vector({}))} if "unbiased" in hypotheses else {}
        E = Expectation({"h"}, means, free={r"\xi"} - set(means), scalars={f_, g_}).through(ROOT)
        last = verify(E.of(kept), {"mean": E.line(Hypothesis(line, "the line above"))}, {"mean": 1})
        return (*own_gap(hypotheses), *steps, *last)

    def wrong(line: Line) -> str | None:
        rate = line.c_bar / line.constants[0]
        factor = F(str(sp.sympify(noise, {"c": sp.Rational(str(rate))})))
        bound = line.W(line.s) - line.gamma * (1 - F(drift) * rate * line.gamma) * line.B * line.h**2
        bound += factor * line.gamma**power * line.B * line.mean(lambda e: e * e)
        after = line.mean(lambda e: line.W(line.move(e)))
        return f"$E[W_{{t+1}}] = {after} > {bound}$" if after > bound else None

    return decide("certificate", prove, [lambda: first_failing(LINES, hypotheses, wrong)])


def variation(step: sp.Expr, other: Vector, metric: str) -> sp.Expr:
    """⟨Π(x) − x, y − Π(x)⟩ in the `metric`, with x = γ(h + ξ), Π(x) = Δs and y = `other`, all relative to Ŝ_t."""
    pairing = {"B_t": b_inner, "Euclidean": inner}[metric]
    return pairing(MOVE - step * (FIELD + XI_NOISE), other - MOVE)
