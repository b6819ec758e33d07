"""The Lyapunov inequality (Prop. `prop:lyapunov`) and the displays of its proof, for every dimension.

The notation is that of `monotony`, with the B_t-inner product ⟨u, v⟩_{B_t} = ⟨B_t^{1/2}u, B_t^{1/2}v⟩. Refutations are
exact one-dimensional steps (`steps.Step1`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from functools import cache
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.expectation import Expectation, moment
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.monotony import FIELD, MOVE, D, f, f_, g, g_, mm_lines
from proofs_checks.appendix_d_lemmas.projection import ROOT, b_inner, b_square
from proofs_checks.appendix_d_lemmas.steps import STEPS, Step1
from proofs_checks.shared.exact import admitted, first_failing, value_at
from proofs_checks.shared.tools import tried

NOISE, BAR = atoms("e", r"\bar\Delta")
"""e = H_{t+1} − h(Ŝ_t), and Π(Ŝ_t + γh(Ŝ_t), B_t) − Ŝ_t."""
gamma, bound_h, V_MIN = sp.symbols(r"gamma M v_{\min}", positive=True)
C1, C2 = sp.symbols(r"C_{\star} C_{\star\star}", positive=True)
C_BAR = C2 + bound_h * C1


@cache
def parse(text: str) -> sp.Expr:
    return sp.sympify(text, {"C2": C2})


SMALL = "γ < v_min/(2C̄)"
EXACT_STEPS = "exact steps that satisfy the hypotheses"


# --------------------------------------------------------------------------- the terms of the Lyapunov inequality


def a7_lines(hypotheses: Sequence[str]) -> dict[str, Hypothesis]:
    """A7 and sup‖h‖ ≤ M along the step, for B_t = B(s) (A8(ii)) and r = φ' − φ − B(s)(s' − s)."""
    (r,), move2 = atoms("r"), square(MOVE)
    lines = {
        "A7(i) with A8(ii)": Hypothesis(
            C1**2 * move2**2 - square(r), r"A7(i): $\|\phi'-\phi-B(s'-s)\| \leq C_\star\|s'-s\|^2$"
        ),
        "A7 second": Hypothesis(C2 * move2 - inner(MOVE, D), r"A7(i), with $C_{\star\star}$"),
        "v_min": Hypothesis(b_square(MOVE) - V_MIN * move2, r"A7(ii) and A8(ii)"),
    }
    return {name: line for name, line in lines.items() if NEEDS[name] <= set(hypotheses)}


NEEDS = {"A7(i) with A8(ii)": {"A7", "A8(ii)"}, "A7 second": {"A7"}, "v_min": {"A7", "A8(ii)"}}
"""The lines about the step, and the hypotheses they come from: A8(ii) says that B_t is the B(s) of A7."""


def remainder_lines(hypotheses: Sequence[str], sign: int) -> Sequence[Step]:
    """sign·⟨h, r⟩ ≤ M C⋆ N for ‖h‖ ≤ M, ‖r‖ ≤ C⋆ N: Cauchy–Schwarz as a square, N = ‖s' − s‖² > 0."""
    (r,) = atoms("r")
    N = sp.Symbol("N", positive=True)
    line = a7_lines(hypotheses).get("A7(i) with A8(ii)")
    given = {"h": Hypothesis(bound_h**2 - square(FIELD), r"$\|h\| \leq M$ for any $M > \sup_{\mathcal{S}} \|h\|$")}
    if line is not None:
        why = rf"{line.why}, $N = \|s'-s\|^2$; for $N = 0$ both sides are 0"
        given["r"] = Hypothesis(line.expr.subs(square(MOVE), N), why)
    weight = C1 * N / bound_h
    factors = {"h": weight / 2, "r": 1 / (2 * weight)}
    relation = "" if sign > 0 else "-"
    says = rf"${relation}\langle h, \phi'-\phi-B_t(s'-s) \rangle \leq M C_\star \|s'-s\|^2$"
    return verify(
        bound_h * C1 * N - sign * inner(FIELD, r), given, factors, [(weight / 2, FIELD - sign * r / weight)], says=says
    )


def field_lines(hypotheses: Sequence[str]) -> dict[str, Hypothesis]:
    """The lines above, with the bound of −⟨h, r⟩ that `remainder_lines` derives in place of the one of ‖r‖."""
    lines, remainder = a7_lines(hypotheses), inner(FIELD, D) - b_inner(FIELD, MOVE)
    if "A7(i) with A8(ii)" in lines:
        why = r"the bound of $-\langle h, r \rangle$ above"
        lines["A7(i) with A8(ii)"] = Hypothesis(bound_h * C1 * square(MOVE) + remainder, why)
    return lines


def split(error: int = 1) -> Verdict:
    """−⟨h, φ'−φ⟩ ≤ −⟨H, s'−s⟩_B + |⟨H−h, s'−s⟩_B| + |⟨h, φ'−φ−B(s'−s)⟩|: an equality without the bars."""
    target = -inner(FIELD, D) + b_inner(FIELD + NOISE, MOVE) - error * b_inner(NOISE, MOVE)
    target += inner(FIELD, D) - b_inner(FIELD, MOVE)

    def values() -> list[tuple[tuple[int, ...], int]]:
        """Left minus right on the line, with φ' − φ = d."""
        points = product((1, -2), (1, 3), (5, -1), (2, 1), (1, -4))
        return [
            ((h, e, d, B, v), -h * d + B * (h + e) * v - error * B * e * v + (h * d - B * h * v))
            for h, e, d, B, v in points
        ]

    def prove() -> Sequence[Step]:
        bars = Step(r"$y \leq |y|$ for the last two terms", "absolute values")
        return (
            *verify(target, {}, {}, equality=True),
            bars,
            *tried("points on the line", ((x, 0) for _, x in values())),
        )

    def fails() -> Witness | None:
        names = ("h", "H - h", "phi'-phi", "B", "s'-s")
        wrong = next(((at, value) for at, value in values() if value != 0), None)
        if wrong is None:
            return None
        point = {name: str(x) for name, x in zip(names, wrong[0], strict=True)}
        return Witness(point, f"left minus right is ${wrong[1]}$")

    return decide("identity", prove, [fails])


def move_norm(power: int = 2, sign: int = 1) -> Verdict:
    """‖Ŝ_{t+1} − Ŝ_t‖^power_{B_t} = sign·γ² E_{t+1}, which is the definition of E_{t+1} for power 2."""
    step = STEPS[0]

    def prove() -> Sequence[Step]:
        norm = sp.Symbol(r"{\|s'-s\|_B}", nonnegative=True)
        error = norm**2 / gamma**2
        return verify(norm**power - sign * gamma**2 * error, {}, {}, equality=True, says=r"$\|s'-s\|_B^2 = \gamma^2 E$")

    def fails() -> Witness | None:
        size = abs(step.moved(step.H[0][1]))  # B_t = 1
        right = sign * size**2
        return None if size**power == right else step.witness(rf"$\|\Delta \hat S\| = {size}$, $\gamma^2 E = {right}$")

    return decide("identity", prove, [fails])


def second_bound(constant: str = "C2", middle: str = "C2", hypotheses: Sequence[str] = ("A7", "A8(ii)")) -> Verdict:
    """⟨ΔŜ, φ'−φ⟩ ≤ middle·‖ΔŜ‖² ≤ v_min^{-1}·constant·γ²E, with γ²E = ‖ΔŜ‖²_{B_t}."""
    c, m = map(parse, (constant, middle))
    lines = a7_lines(hypotheses)

    def prove() -> Sequence[Step]:
        says = r"$\langle \Delta\hat S, \phi'-\phi \rangle \leq C_{\star\star} \|\Delta\hat S\|^2$"
        first = verify(m * square(MOVE) - inner(MOVE, D), lines, {"A7 second": 1}, says=says)
        says = r"$C_{\star\star} \|\Delta\hat S\|^2 \leq v_{\min}^{-1} C_{\star\star} \gamma^2 E$"
        last = verify(c / V_MIN * b_square(MOVE) - m * square(MOVE), lines, {"v_min": c / V_MIN}, says=says)
        pairs = ((terms[0], terms[2]) for terms in map(three, admitted(STEPS, hypotheses)))
        return (*first, *last, *tried(EXACT_STEPS, pairs))

    def three(step: Step1) -> tuple[F, F, F]:
        shift = step.moved(step.H[0][1])
        between, end = (value_at(v, {C2: step.C2}) * shift**2 for v in (m, c))
        return shift**2 / step.rho, between, end * step.b / step.v_min

    def wrong(step: Step1) -> str | None:
        first, between, last = three(step)
        return None if first <= between <= last else f"the three terms are ${first}, {between}, {last}$"

    return decide("certificate", prove, [lambda: first_failing(STEPS, hypotheses, wrong)])


def third_bound(
    relation: Literal["<=", "=="] = "<=", hypotheses: Sequence[str] = ("A7", "A8(ii)"), scale: sp.Rational = sp.S.One
) -> Verdict:
    """|⟨h, φ'−φ−BΔŜ⟩| ≤ C⋆ sup‖h‖ ‖ΔŜ‖² `relation` scale·v_min^{-1} C⋆ sup‖h‖ γ²E, γ²E = ‖ΔŜ‖²_{B_t}."""

    def prove() -> Sequence[Step]:
        factor = C1 * bound_h
        given = a7_lines(hypotheses)
        target = scale * factor / V_MIN * b_square(MOVE) - factor * square(MOVE)
        says = r"the first term is at most the second: $\|\Delta\hat S\|^2 \leq \gamma^2 E/v_{\min}$"
        last = verify(target, given, {"v_min": factor / V_MIN}, equality=relation == "==", says=says)
        both = (*remainder_lines(hypotheses, 1), *remainder_lines(hypotheses, -1), *last)
        return (*both, *tried(EXACT_STEPS, map(sizes, admitted(STEPS, hypotheses))))

    def sizes(step: Step1) -> tuple[F, F]:
        shift = step.moved(step.H[0][1])
        return shift**2, F(str(scale)) * step.b / step.v_min * shift**2

    def wrong(step: Step1) -> str | None:
        left, right = sizes(step)
        if left == right or (left < right and relation == "<="):
            return None
        return rf"$\|\Delta \hat S\|^2 = {left}$, $v_{{\min}}^{{-1}} \gamma^2 E = {right}$"

    return decide("certificate", prove, [lambda: first_failing(STEPS, hypotheses, wrong)])


# ---------------------------------------------------------------------------------------- the Lyapunov inequality

PRINTED = ("MM-1", "MM-2", "A7", SMALL)
LYAPUNOV = (*PRINTED, "A8(i)", "A8(ii)")


def lyapunov(hypotheses: Sequence[str] = LYAPUNOV, gain: str = "1/4", error: str = "1") -> Verdict:
    """E[W_{t+1} | F_t] ≤ W_t − gain·γ(1 − 2C̄γ/v_min)Ē + error·γ(1 − C̄γ/v_min) E[‖H − h‖²_{B_t} | F_t]."""

    def prove() -> Sequence[Step]:
        lines = lyapunov_lines(hypotheses, sp.Rational(gain), sp.Rational(error))
        return (*lines, *tried(EXACT_STEPS, map(compare, admitted(STEPS, hypotheses))))

    def compare(step: Step1) -> tuple[F, F]:
        rate, noise = step.gamma * step.c_bar / step.v_min, step.mean(lambda H: step.b * (H - step.field) ** 2)
        bound = step.W(step.s) - F(gain) * step.gamma * (1 - 2 * rate) * step.E_bar
        bound += F(error) * step.gamma * (1 - rate) * noise
        return step.mean(lambda H: step.W(step.s + step.moved(H))), bound

    def wrong(step: Step1) -> str | None:
        left, bound = compare(step)
        return f"$E[W_{{t+1}}] = {left} > {bound}$" if left > bound else None

    return decide("certificate", prove, [lambda: first_failing(STEPS, hypotheses, wrong)])


def lyapunov_lines(hypotheses: Sequence[str], gain: sp.Expr, error: sp.Expr) -> Sequence[Step]:
    """The pathwise inequality as one certificate, then its conditional expectation.

    The step enters through the product of 1 − 2C̄γ/v_min ≥ 0 and the corollary of Lemma 3.
    """
    H, rate = FIELD + NOISE, gamma * C_BAR / V_MIN
    given = mm_lines(hypotheses) | field_lines(hypotheses)
    if "A8(i)" in hypotheses:
        lemma = b_inner(MOVE, H) - b_square(MOVE) / gamma
        exchange = 2 * b_square(MOVE) / gamma**2 + 2 * b_square(NOISE) - b_square(BAR) / gamma**2
        given["descent"] = Hypothesis(
            lemma, r"the corollary of Lemma 3: $\gamma E \leq \langle \Delta \hat S, H \rangle_{B_t}$"
        )
        if SMALL in hypotheses:
            why = r"$\bar E \leq 2E + 2\|H-h\|_{B_t}^2$ (corollary of Lemma 3) times $1 \geq 2\bar C\gamma/v_{\min}$"
            given["exchange, small step"] = Hypothesis((1 - 2 * rate) * exchange, why)
    target = f + g - f_ - g_ - gain * gamma * (1 - 2 * rate) * b_square(BAR) / gamma**2
    target += error * gamma * (1 - rate) * b_square(NOISE)
    factors = {"MM-1": 1, "MM-2": 1, "A7 second": 1, "A7(i) with A8(ii)": 1, "v_min": C_BAR / V_MIN, "descent": 1}
    factors["exchange, small step"] = gamma / 4
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
    return (*remainder_lines(hypotheses, -1), *steps, mean)
