"""The Lyapunov inequality (Prop. `prop:lyapunov`) and the displays of its proof, for every dimension.

The notation is that of `monotony`, with the B_t-inner product ⟨u, v⟩_{B_t} = ⟨B_t^{1/2}u, B_t^{1/2}v⟩. Refutations are
exact one-dimensional steps (`steps.Step1`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from functools import partial

import sympy as sp

from fedmm_edu.symbolic.certificate import CertificateFails, Hypothesis, decide, verify
from fedmm_edu.symbolic.expectation import Expectation, moment
from fedmm_edu.symbolic.gram import atoms, inner, square
from fedmm_edu.symbolic.verdict import Step, Verdict, Witness
from proofs_checks.checks.monotony import FIELD, MOVE, D, f, f_, g, g_, mm_lines
from proofs_checks.checks.projection import ROOT, b_inner, b_square
from proofs_checks.checks.steps import STEPS, Step1

NOISE, BAR = atoms("e", r"\bar\Delta")
"""e = H_{t+1} − h(Ŝ_t), and Π(Ŝ_t + γh(Ŝ_t), B_t) − Ŝ_t."""
gamma, slack, bound_h = sp.symbols("gamma kappa M", positive=True)
C1, C2 = sp.symbols(r"C_{\star} C_{\star\star}", positive=True)
C_BAR = C2 + bound_h * C1
V_MIN = 2 * C_BAR * gamma + slack
"""The condition on the step, γ < v_min/(2C̄): v_min = 2C̄γ + κ with some κ > 0."""


# --------------------------------------------------------------------------- the terms of the Lyapunov inequality


def a7_lines(hypotheses: Sequence[str]) -> dict[str, Hypothesis]:
    """A7 and sup‖h‖ ≤ M along the step, for B_t = B(s) (A8(ii)) and r = φ' − φ − B(s)(s' − s)."""
    (r,), move2 = atoms("r"), square(MOVE)
    lines = {
        "A7 first": Hypothesis(C1**2 * move2**2 - square(r), r"A7(i): $\|\phi'-\phi-B(s'-s)\| \leq C_\star\|s'-s\|^2$"),
        "sup h": Hypothesis(bound_h**2 - square(FIELD), r"$\|h(s)\| \leq M$ for any $M > \sup_{\mathcal{S}} \|h\|$"),
        "A7 second": Hypothesis(C2 * move2 - inner(MOVE, D), r"A7(i), with $C_{\star\star}$"),
        "v_min": Hypothesis(b_square(MOVE) - V_MIN * move2, r"A7(ii) and A8(ii)"),
    }
    return lines if {"A7", "A8(ii)"} <= set(hypotheses) else {}


def remainder_lines(sign: int) -> Sequence[Step]:
    """sign·⟨h, r⟩ ≤ M C⋆ N for ‖h‖ ≤ M, ‖r‖ ≤ C⋆ N: Cauchy–Schwarz as a square, N = ‖s' − s‖² > 0."""
    (r,) = atoms("r")
    N = sp.Symbol("N", positive=True)
    given = {
        "h": Hypothesis(bound_h**2 - square(FIELD), r"$\|h\| \leq M$"),
        "r": Hypothesis(C1**2 * N**2 - square(r), r"A7(i), $N = \|s'-s\|^2$; for $N = 0$ both sides are 0"),
    }
    weight = C1 * N / bound_h
    factors = {"h": weight / 2, "r": 1 / (2 * weight)}
    relation = "" if sign > 0 else "-"
    says = rf"${relation}\langle h, \phi'-\phi-B_t(s'-s) \rangle \leq M C_\star \|s'-s\|^2$"
    return verify(
        bound_h * C1 * N - sign * inner(FIELD, r), given, factors, [(weight / 2, FIELD - sign * r / weight)], says=says
    )


def field_lines(hypotheses: Sequence[str]) -> dict[str, Hypothesis]:
    """What follows from the lines above, as the Lyapunov inequality uses it."""
    if not {"A7", "A8(ii)"} <= set(hypotheses):
        return {}
    remainder = inner(FIELD, D) - b_inner(FIELD, MOVE)
    return {
        "remainder": Hypothesis(bound_h * C1 * square(MOVE) + remainder, r"the bound of $-\langle h, r \rangle$ above"),
        **{name: line for name, line in a7_lines(hypotheses).items() if name in ("A7 second", "v_min")},
    }


def split(error: int = 1) -> Verdict:
    """−⟨h, φ'−φ⟩ ≤ −⟨H, s'−s⟩_B + |⟨H−h, s'−s⟩_B| + |⟨h, φ'−φ−B(s'−s)⟩|: an equality without the bars."""
    target = -inner(FIELD, D) + b_inner(FIELD + NOISE, MOVE) - error * b_inner(NOISE, MOVE)
    target += inner(FIELD, D) - b_inner(FIELD, MOVE)

    def fails() -> Witness | None:
        h, e, d, B, step = 1, 1, 5, 2, 1  # on the line: φ' − φ = d
        value = -h * d + B * (h + e) * step - error * B * e * step + (h * d - B * h * step)
        point = {"h": "1", "H": "2", "s'-s": "1", "phi'-phi": "5", "B": "2"}
        return None if value == 0 else Witness(point, f"left minus right is ${value}$")

    bars = Step(r"$y \leq |y|$ for the last two terms", "absolute values")
    return decide("identity", lambda: (*verify(target, {}, {}, equality=True), bars), [fails])


def move_norm(power: int = 2) -> Verdict:
    """‖Ŝ_{t+1} − Ŝ_t‖^power_{B_t} = γ² E_{t+1}, which is the definition of E_{t+1} for power 2."""
    step = STEPS[0]

    def prove() -> Sequence[Step]:
        if power != 2:
            raise CertificateFails("the definition has the square of the norm.")
        error = b_square(MOVE) / gamma**2
        return verify(b_square(MOVE) - gamma**2 * error, {}, {}, equality=True, says=r"$\|s'-s\|_B^2 = \gamma^2 E$")

    def fails() -> Witness | None:
        size = abs(step.moved(step.H[0][1]))  # B_t = 1
        right = size**2
        return None if size**power == right else step.witness(rf"$\|\Delta \hat S\| = {size}$, $\gamma^2 E = {right}$")

    return decide("identity", prove, [fails])


def second_bound(constant: str = "C2", middle: str = "C2") -> Verdict:
    """⟨ΔŜ, φ'−φ⟩ ≤ middle·‖ΔŜ‖² ≤ v_min^{-1}·constant·γ²E, with γ²E = ‖ΔŜ‖²_{B_t}."""
    c, m = (sp.sympify(text, {"C2": C2}) for text in (constant, middle))
    lines = a7_lines(("A7", "A8(ii)"))

    def prove() -> Sequence[Step]:
        says = r"$\langle \Delta\hat S, \phi'-\phi \rangle \leq C_{\star\star} \|\Delta\hat S\|^2$"
        first = verify(m * square(MOVE) - inner(MOVE, D), lines, {"A7 second": 1}, says=says)
        says = r"$C_{\star\star} \|\Delta\hat S\|^2 \leq v_{\min}^{-1} C_{\star\star} \gamma^2 E$"
        return (*first, *verify(c / V_MIN * b_square(MOVE) - m * square(MOVE), lines, {"v_min": c / V_MIN}, says=says))

    def fails() -> Witness | None:
        for step in STEPS:
            if {"A7", "A8(ii)"} <= step.facts():
                shift = step.moved(step.H[0][1])
                sizes = [v.subs(C2, step.C2) * shift**2 for v in (m, c * step.b / step.v_min)]
                if shift**2 / step.rho > sizes[0] or sizes[0] > sizes[1]:
                    return step.witness(f"the three terms are ${shift**2 / step.rho}, {sizes[0]}, {sizes[1]}$")
        return None

    return decide("certificate", prove, [fails])


def third_bound(
    relation: str = "<=", hypotheses: Sequence[str] = ("A7", "A8(ii)"), scale: sp.Rational = sp.S.One
) -> Verdict:
    """|⟨h, φ'−φ−BΔŜ⟩| ≤ C⋆ sup‖h‖ ‖ΔŜ‖² `relation` scale·v_min^{-1} C⋆ sup‖h‖ γ²E, γ²E = ‖ΔŜ‖²_{B_t}."""

    def prove() -> Sequence[Step]:
        if relation != "<=":
            raise CertificateFails("A7(ii) is an inequality.")
        factor = C1 * bound_h
        given = a7_lines(hypotheses)
        target = scale * factor / V_MIN * b_square(MOVE) - factor * square(MOVE)
        says = r"$\|\Delta\hat S\|^2 \leq \gamma^2 E/v_{\min}$"
        last = verify(target, given, {"v_min": factor / V_MIN}, says=says)
        return (*remainder_lines(1), *remainder_lines(-1), *last)

    def fails() -> Witness | None:
        for step in STEPS:
            shift = step.moved(step.H[0][1])
            left, right = shift**2, scale * step.b / step.v_min * shift**2
            wrong = left > right if relation == "<=" else left != right
            if set(hypotheses) <= step.facts() and wrong:
                says = rf"$\|\Delta \hat S\|^2 = {left}$, $v_{{\min}}^{{-1}} \gamma^2 E = {right}$"
                return step.witness(says)
        return None

    return decide("certificate", prove, [fails])


# ---------------------------------------------------------------------------------------- the Lyapunov inequality

PRINTED = ("MM-1", "MM-2", "A7", "γ < v_min/(2C̄)")
LYAPUNOV = (*PRINTED, "A8(i)", "A8(ii)")


def lyapunov(hypotheses: Sequence[str] = LYAPUNOV, gain: str = "1/4", error: str = "1") -> Verdict:
    """E[W_{t+1} | F_t] ≤ W_t − gain·γ(1 − 2C̄γ/v_min)Ē + error·γ(1 − C̄γ/v_min) E[‖H − h‖²_{B_t} | F_t]."""

    def prove() -> Sequence[Step]:
        return lyapunov_lines(hypotheses, sp.Rational(gain), sp.Rational(error))

    def fails(step: Step1) -> Witness | None:
        if not set(hypotheses) <= step.facts():
            return None
        rate, noise = step.gamma * step.c_bar / step.v_min, step.mean(lambda H: step.b * (H - step.field) ** 2)
        bound = step.W(step.s) - F(gain) * step.gamma * (1 - 2 * rate) * step.E_bar
        bound += F(error) * step.gamma * (1 - rate) * noise
        left = step.mean(lambda H: step.W(step.s + step.moved(H)))
        return step.witness(f"$E[W_{{t+1}}] = {left} > {bound}$") if left > bound else None

    return decide("certificate", prove, [partial(fails, step) for step in STEPS])


def lyapunov_lines(hypotheses: Sequence[str], gain: sp.Expr, error: sp.Expr) -> Sequence[Step]:
    """The pathwise inequality as one certificate, then its conditional expectation."""
    H, v, rate = FIELD + NOISE, V_MIN, gamma * C_BAR / V_MIN
    if "γ < v_min/(2C̄)" not in hypotheses:
        raise CertificateFails(
            "without the bound on $\\gamma$ the factor $1 - 2\\bar C \\gamma/v_{\\min}$ has no sign."
        )
    given = mm_lines(hypotheses) | field_lines(hypotheses)
    if "A8(i)" in hypotheses:
        lemma = b_inner(MOVE, H) - b_square(MOVE) / gamma
        exchange = 2 * b_square(MOVE) / gamma**2 + 2 * b_square(NOISE) - b_square(BAR) / gamma**2
        given["descent"] = Hypothesis(
            lemma, r"the corollary of Lemma 3: $\gamma E \leq \langle \Delta \hat S, H \rangle_{B_t}$"
        )
        given["exchange"] = Hypothesis(exchange, r"the corollary of Lemma 3: $\bar E \leq 2E + 2\|H-h\|_{B_t}^2$")
    target = f + g - f_ - g_ - gain * gamma * (1 - 2 * rate) * b_square(BAR) / gamma**2
    target += error * gamma * (1 - rate) * b_square(NOISE)
    factors = {"MM-1": 1, "MM-2": 1, "A7 second": 1, "remainder": 1, "v_min": C_BAR / v, "descent": 1}
    factors["exchange"] = gamma / 4 * slack / v
    says = r"for every outcome: $W_t - W_{t+1} - \frac{\gamma}{4}(\ldots)\bar E + \gamma(\ldots)\|H-h\|_{B_t}^2 \geq 0$"
    young = [(gamma / 2, ROOT(NOISE - MOVE / gamma))]
    steps = verify(target, given, factors, young, says=says)
    past = {name for u in (FIELD, BAR) for name in u.coefficients}
    E = Expectation(past, {}, free=set(NOISE.coefficients), scalars={f_, g_}).through(ROOT)
    printed = f + g - moment(f_) - moment(g_) - gain * gamma * (1 - 2 * rate) * b_square(BAR) / gamma**2
    printed += error * gamma * (1 - rate) * E.of(b_square(NOISE))
    verify(E.of(target) - printed, {}, {}, equality=True)
    why = r"linear and positive; $\gamma_{t+1}$, $B_t$, $\hat S_t$ and hence $\bar E_{t+1}$ are $F_t$-measurable"
    mean = Step("the printed inequality is the conditional expectation of this line", why)
    return (*remainder_lines(-1), *steps, mean)
