"""FedMM without A7: φ∘T is only Lipschitz (constant L_T), which the ℓ1-proximal step and other kinks satisfy.

Notation as in `beyond_step`. A second constant ℓ says that the mean oracle is Lipschitz in φ(T(s)):
‖E S̄(Z, T(s')) − E S̄(Z, T(s))‖ ≤ ℓ‖φ(T(s')) − φ(T(s))‖. With it, ‖h‖² itself decreases, and joins the Lyapunov function.
Refutations are the rounds of `beyond_prox`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from functools import cache

import sympy as sp

from fedmm_edu.errors import FedMMError
from fedmm_edu.proofs.certificate import CertificateFails, decide, nonnegative, verify
from fedmm_edu.proofs.expectation import Expectation, Mean, moment
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.monotony import FIELD, MOVE, D, f, f_, g, g_, smoothness
from proofs_checks.beyond_theorem.cocoercive import COCOERCIVE
from proofs_checks.beyond_theorem.kinds import LT, ell, share
from proofs_checks.beyond_theorem.line import fair, sure
from proofs_checks.beyond_theorem.prox import FULL, ROUND, ROUNDS, Prox
from proofs_checks.shared.exact import first_failing, value_at
from proofs_checks.shared.tools import instance

u = sp.Symbol("u", nonnegative=True)
XI, CHANGE = atoms(r"\xi", r"\delta")
"""H − h, and the change E S̄(Z, T(Ŝ_{t+1})) − E S̄(Z, T(Ŝ_t)) of the mean oracle."""


@cache
def parse(text: str) -> sp.Expr:
    return sp.sympify(text, {"LT": LT, "ell": ell})


def given_lines(hypotheses: Sequence[str], step: sp.Expr) -> tuple[dict[str, Hypothesis], Vector]:
    """eq46, cocoercivity, the retraction and the oracle's Lipschitz constant along the step; the noise e left."""
    left = MOVE / step - FIELD
    lines = {
        "eq46": ({"MM-1", "MM-2"}, f + g - f_ - g_ - inner(FIELD, D) + inner(MOVE, D), "eq46"),
        "cocoercive": (set(COCOERCIVE), inner(MOVE, D) - square(D) / LT, "own-cocoercive"),
        "retraction": (
            {"mean in 𝒮", "𝒮 convex"},
            square(XI) - square(left),
            r"$\|\Pi(m + \gamma\xi) - m\| \leq \gamma\|\xi\|$, $m = \hat S_t + \gamma h \in \mathcal{S}$",
        ),
        "S̄ Lipschitz": ({"S̄ Lipschitz"}, ell**2 * square(D) - square(CHANGE), r"$\|\delta\| \leq \ell\|D\|$"),
    }
    return {n: Hypothesis(e, why) for n, (needs, e, why) in lines.items() if needs <= set(hypotheses)}, left


def lyapunov(hypotheses: Sequence[str] = FULL, gain: str = "1", error: str = "LT + 1/(4*LT*ell**2)") -> Verdict:
    """Φ_t = W_t + a‖h(Ŝ_t)‖², a = 1/(8 L_T ℓ²): E[Φ_{t+1} | F_t] ≤ Φ_t − gain·aγ‖h(Ŝ_t)‖² + error·γ E‖H − h‖²."""
    step = 1 / (u + (2 if "γ ≤ 1/2" in hypotheses else 1))
    k, b = sp.Rational(gain), parse(error)

    def prove() -> Sequence[Step]:
        given, _ = given_lines(hypotheses, step)
        pull = {"cocoercive": (1 - step) / step, "S̄ Lipschitz": 2 * share / step}
        steps = fall(given, pull, step, LT, share, k, b)  # first: Coq numbers them as they come
        return (*smoothness().evidence, *steps)

    def wrong(x: Prox) -> str | None:
        a = 1 / (8 * x.LT * x.ell**2)
        scale = value_at(b, {LT: x.LT, ell: x.ell})
        bound = x.W(x.s) + a * x.h(x.s) ** 2 * (1 - F(gain) * x.gamma) + scale * x.gamma * x.mean(lambda e: e * e)
        after = x.mean(lambda e: x.W(x.move(e)) + a * x.h(x.move(e)) ** 2)
        return rf"$E[\Phi_{{t+1}}] = {after} > {bound}$" if after > bound else None

    return decide("certificate", prove, [lambda: first_failing(ROUNDS, hypotheses, wrong)])


def fall(
    given: dict[str, Hypothesis],
    pull: dict[str, sp.Expr],
    step: sp.Expr,
    LT: sp.Expr,
    share: sp.Expr,
    gain: sp.Expr,
    error: sp.Expr,
) -> tuple[Step, ...]:
    """Φ_{t+1} ≤ Φ_t − gain·aγ‖h‖² + error·γ‖H − h‖², a = `share`; `pull` has the multipliers of what T and S̄ give."""
    left = MOVE / step - FIELD
    target = f + g - f_ - g_ + share * (square(FIELD) - square(FIELD - MOVE + CHANGE))
    target += error * step * square(XI) - gain * share * step * square(FIELD)
    factors = {"eq46": 1, **pull, "retraction": (LT + 2 * share) * step}
    squares = [
        (share * step * (1 - step), FIELD - (CHANGE - step * left) / step),
        (share / step, CHANGE + step * left),
        (1 / (4 * LT * step), D - 2 * LT * step * left),
        ((1 - 2 * step) / (2 * step * LT), D),
    ]
    short = {name: sp.factor(sp.sympify(m)) for name, m in factors.items()}
    says = r"for every outcome: $\Phi_{t+1} \leq \Phi_t - a\gamma\|h\|^2 + (L_T + 2a)\gamma\|\xi\|^2$"
    steps = verify(target, given, short, [(sp.factor(w), x) for w, x in squares], says=says)
    why = r"$h(\hat S_{t+1}) = h - \Delta s + \delta$; then linear and positive: the conditional expectation"
    return (*steps, Step("the statement is the expectation of this line", why))


NOISE = (*ROUND, "no projection", "γ ≤ 1", "unbiased")


def unbiased(hypotheses: Sequence[str] = NOISE, power: int = 1, scale: str = "1") -> Verdict:
    """E[W_{t+1} | F_t] ≤ W_t − (1−γ)/(γ L_T) E‖D‖² + scale·L_T γ^power E‖H − h‖², when ΔŜ = γH and E[H | F_t] = h."""
    step = 1 / (1 + u) if "γ ≤ 1" in hypotheses else sp.Symbol("gamma", positive=True)
    k = sp.Rational(scale)
    (rest,) = atoms("r")  # D = D̄ + r, D̄ = F(m) − F(Ŝ_t) known, r = F(Ŝ_{t+1}) − F(m)

    def prove() -> Sequence[Step]:
        given, _ = given_lines(hypotheses, step)
        known = atoms(r"\bar{D}")[0]
        means = {r"\xi": Mean(Vector({}))} if "unbiased" in hypotheses else {}
        E = Expectation({"h", r"\bar{D}"}, means, free={"r", r"\xi", r"\Delta s"} - set(means), scalars={f_, g_})
        if {"Lipschitz", "𝒮 convex"} <= set(hypotheses):
            why = r"$\|F(m+\gamma\xi)-F(m)\| \leq L_T\gamma\|\xi\|$ with $m = E[\hat S_{t+1} \mid F_t] \in \mathcal{S}$"
            given["m"] = E.line(Hypothesis((LT * step) ** 2 * square(XI) - square(rest), why))
        change, move = known + rest, step * (FIELD + XI) if "no projection" in hypotheses else MOVE
        line = f + g - f_ - g_ - inner(FIELD, change) + inner(move, change)
        for name, expr in {"eq46": line, "cocoercive": inner(move, change) - square(change) / LT}.items():
            if name in given:
                given[name] = E.line(Hypothesis(expr, given[name].why))
        target = f + g - moment(f_) - moment(g_) - (1 - step) / (step * LT) * E.of(square(change))
        target += k * LT * step**power * E.of(square(XI))
        w = LT * step / 2
        given["square"] = Hypothesis(E.of(square(rest - LT * step * XI)), "the expectation of a square")
        factors = {"eq46": 1, "cocoercive": (1 - step) / step, "m": 1 / (4 * w), "square": 1 / (4 * w)}
        return verify(target, given, {name: sp.factor(sp.sympify(m)) for name, m in factors.items()})

    def wrong(x: Prox) -> str | None:
        change2 = x.mean(lambda e: (x.T(x.move(e)) - x.T(x.s)) ** 2)
        bound = x.W(x.s) - (1 - x.gamma) / (x.gamma * x.LT) * change2
        bound += F(scale) * x.LT * x.gamma**power * x.mean(lambda e: e * e)
        after = x.mean(lambda e: x.W(x.move(e)))
        return f"$E[W_{{t+1}}] = {after} > {bound}$" if after > bound else None

    return decide("certificate", prove, [lambda: first_failing(ROUNDS, hypotheses, wrong)])


# --------------------------------------------------------------------------------- what is (not) true of one round


def noise_order(power: int = 2, sign: int = 1, hypotheses: Sequence[str] = NOISE) -> Verdict:
    """For some K > 0: E[W_{t+1} | F_t] ≤ W_t + sign·Kγ^power E‖H − h‖² for 0 < γ ≤ 1, when ΔŜ = γH, E[H | F_t] = h."""

    def prove() -> Sequence[Step]:
        found = unbiased(hypotheses, power=power, scale=str(sign))
        if found.status != "proved":
            raise CertificateFails(f"no certificate: {found.evidence[-1].why}")
        return found.evidence

    def kink() -> Witness | None:
        """T = soft(s, 1) at s = 1, f = (θ − 1/2)²/4, so that h = −3/4; of the noise ±3 one half moves T, upwards."""
        x, t = Prox(F(1), fair(F(-3), F(3)), F(1, 2), F(1, 2), F(1, 2), F(1)), sp.Symbol("gamma", positive=True)
        ends = [x.move(e) for _, e in x.law]
        if not set(NOISE) <= x.facts() or not (abs(ends[0]) <= x.lam <= ends[1]):
            return None  # at γ = 1/2; the moves are linear in γ, so the same holds for all smaller γ
        theta = t * sp.Rational(str(x.h(x.s) + 3))  # T after the outcome +3; after −3 it is still 0
        A, target = sp.Rational(str(x.A)), sp.Rational(str(x.t))
        rise = sp.expand((A * (theta - target) ** 2 / 2 + theta - A * target**2 / 2) / 2)
        if rise.subs(t, sp.Rational(1, 2)) != sp.Rational(str(x.mean(lambda e: x.W(x.move(e))) - x.W(x.s))):
            raise FedMMError("the rise of f + g as a polynomial in γ and at γ = 1/2 differ: one of them is wrong.")
        if sign == 1 and sp.limit(rise / t**power, t, 0, "+") != sp.oo:
            return None
        says = rf"for $\gamma \leq 1/2$: $E[W_{{t+1}}] - W_t = {sp.latex(rise)}$, $E\|H-h\|^2 = 9$: no K will do"
        return Witness(x.point() | {"gamma": "any, up to 1/2"}, says)

    def no_majoriser() -> Witness | None:
        """Without MM-1: f = 2θ², T(s) = s = 1, no noise, γ = 1; S̄ = θ − f'(θ)."""
        x = Prox(F(1), sure(F(0)), F(1), A=F(4), ell=F(3))
        before, after = x.W(x.s), x.W(x.move(F(0)))
        if not set(hypotheses) <= x.facts() or after <= before:
            return None
        return Witness(x.point(), f"there is no noise, but $W_{{t+1}} = {after} > {before} = W_t$: no K helps")

    return decide("certificate", prove, [kink, no_majoriser])


def measure(step: str = "gamma") -> Verdict:
    """φ(T(s + γh(s))) = φ(T(s)) only if T(E S̄(Z, T(s))) = T(s), so T(s) is stationary; `step` is γ or its value."""
    c_s, c_m = sp.symbols("c(T(s)) c(T(m))", real=True)
    s, h, phi = atoms("s", "h", r"\phi")
    size = sp.Symbol("gamma", positive=True) if step == "gamma" else sp.Rational(step)

    def prove() -> Sequence[Step]:
        m = s + size * h
        given = {
            "at m": Hypothesis(
                (c_s - inner(m, phi)) - (c_m - inner(m, phi)), "MM-2: T(m) minimises at $m = s + \\gamma h$"
            ),
            "at s": Hypothesis((c_m - inner(s, phi)) - (c_s - inner(s, phi)), "MM-2: T(s) minimises at s"),
        }
        own = verify(c_s - c_m, given, {"at m": 1}), verify(c_m - c_s, given, {"at s": 1})
        target = s + h - m  # E S̄(Z, T(s)) − m
        exact = verify(square(target), {}, {}, equality=True, says=r"$m = E_\pi[\bar S(Z, T(s))]$")
        unique = Step(
            "T(s) minimises at m, too, so $T(m) = T(s)$", "both values agree, and the minimiser is unique (MM-2)"
        )
        return (
            *own[0],
            *own[1],
            unique,
            *exact,
            Step("T(s) is a fixed point of MM: stationary by Proposition 1", "A1, A2"),
        )

    def flat() -> Witness | None:
        for start in (F(0), F(1)):
            x = Prox(start, sure(F(0)), F(1, 4) if step == "gamma" else F(step), F(1), F(3, 2), F(1))
            after, mean = x.T(x.s + x.gamma * x.h(x.s)), x.mean_S_bar(x.s)
            if after == x.T(x.s) != x.T(mean):
                says = rf"$T(s + \gamma h) = T(s) = {after}$, but $T(E \bar S) = {x.T(mean)}$"
                return Witness(x.point(), says)
        return None

    return decide("derivation", prove, [flat])


def proximal(
    LT_: str = "1/rho", ell_: str = "2*rho", convex: bool = True, weight: str = "1/(32*rho)", paid: str = "34"
) -> Verdict:
    """Example 1 with ∇f L_f-Lipschitz, ρL_f ≤ 1: ⟨Δs, D⟩ ≥ ‖D‖²/L_T and ‖E S̄' − E S̄‖ ≤ ℓ‖D‖, with these constants.

    `weight` is then a, and `paid` is 8L_T²ℓ² + 2.
    """
    rho = sp.Symbol("rho", positive=True)
    L, l, a, most_paid = (sp.sympify(text, {"rho": rho}) for text in (LT_, ell_, weight, paid))
    own = {"a": share.subs({LT: L, ell: l}) - a, r"8L_T^2\ell^2+2": 8 * L**2 * l**2 + 2 - most_paid}

    def prove() -> Sequence[Step]:
        if not nonnegative(l):
            raise CertificateFails(f"the constant {l} of a norm is not visibly >= 0.")
        move, change, grad = atoms(r"\Delta s", r"\Delta T", r"\Delta \nabla f")
        monotone = Hypothesis(
            inner(move - change, change), r"$(s - T(s))/\rho \in \partial g(T(s))$, and $\partial g$ is monotone"
        )
        smooth = Hypothesis(
            square(change) - rho**2 * square(grad),
            r"$\|\nabla f(\theta')-\nabla f(\theta)\| \leq L_f\|\theta'-\theta\|$, $\rho L_f \leq 1$",
        )
        phi = change / rho
        given = {"smooth": smooth} | ({"monotone": monotone} if convex else {})
        first_ = verify(
            inner(move, phi) - square(phi) / L,
            given,
            {"monotone": 1 / rho},
            says=r"$\langle \Delta s, D \rangle \geq \rho\|D\|^2$",
        )
        target = l**2 * square(phi) - square(change - rho * grad)
        second = verify(
            target, given, {"smooth": 2}, [(1, change + rho * grad)], says=r"$\bar S = \theta - \rho\nabla f(\theta)$"
        )
        if any(gap != 0 for gap in own.values()):
            raise CertificateFails(f"a = {a} and {most_paid} are not what these constants give.")
        says = rf"$a = 1/(8L_T\ell^2) = {sp.latex(a)}$, $8L_T^2\ell^2+2 = {sp.latex(most_paid)}$"
        return (*first_, *second, Step(says, "exact, with these two constants"))

    def fails() -> Witness | None:
        """d = 1, ρ = 1: g = 0 (T(s) = s) with f = −θ²/2, or the concave g = −θ²/4 (T(s) = 2s)."""
        scale, slope_f = (F(1), F(-1)) if convex else (F(2), F(0))
        most = [F(str(value.subs(rho, 1))) for value in (L, l)]
        change = scale  # for Δs = 1
        if change < change**2 / most[0] or abs(change - slope_f * change) > most[1] * change:
            says = f"$\\Delta s = 1$, $D = {change}$, $\\Delta \\bar S = {change - slope_f * change}$"
            return Witness({"rho": "1", "f": f"{slope_f}*theta^2/2", "T(s)": f"{scale}*s"}, says)
        wrong = next((name for name, gap in own.items() if gap.subs(rho, 1) != 0), None)
        return Witness({"rho": "1"}, f"${wrong}$ is another number") if wrong else None

    return decide("certificate", prove, [fails])


CONVEX = ("f convex", "smooth", "ρL ≤ 2")


def nonexpansive(hypotheses: Sequence[str] = CONVEX, ell_: str = "1") -> Verdict:
    """The quadratic surrogate: ‖E S̄(Z, θ') − E S̄(Z, θ)‖ ≤ ell_·‖θ' − θ‖ with S̄ = θ − ρ∇f(θ); ℓ_S of own-lip-growth."""
    size, L, room = sp.Rational(ell_), sp.Symbol("L", positive=True), sp.Symbol("u", nonnegative=True)
    rho = 2 / (L + room) if "ρL ≤ 2" in hypotheses else sp.Symbol("rho", positive=True)
    move, slope = atoms(r"\Delta \theta", r"\Delta \nabla f")

    def prove() -> Sequence[Step]:
        if size < 0:
            raise CertificateFails(f"the constant {size} of a norm is below 0.")
        why = r"$L\langle\Delta\theta, \Delta\nabla f\rangle \geq \|\Delta\nabla f\|^2$: f is convex, L-smooth"
        given = {"slopes": Hypothesis(L * inner(move, slope) - square(slope), why)}
        held = given if {"f convex", "smooth"} <= set(hypotheses) else {}
        target = size**2 * square(move) - square(move - rho * slope)
        weight = rho**2 * room / L if "ρL ≤ 2" in hypotheses else 0
        return verify(target, held, {"slopes": 2 * rho / L}, [(weight, slope)])

    def fails() -> Witness | None:
        """f = A θ²/2 on the line, ρ = 1: S̄ moves by |1 − A| when θ moves by 1."""
        for A, claimed in ((F(0), F(1)), (F(-1), F(1)), (F(4), F(1)), (F(4), F(4))):
            tests = {"f convex": A >= 0, "smooth": abs(A) <= claimed, "ρL ≤ 2": claimed <= 2}
            if all(tests[name] for name in hypotheses) and abs(1 - A) > F(ell_):
                point = {"f": f"{A}*theta^2/2", "rho": "1", "L": str(claimed)}
                return Witness(point, f"$\\Delta\\theta = 1$, $\\|\\Delta\\bar S\\| = {abs(1 - A)}$")
        return None

    return decide("certificate", prove, [fails])


def nonexpansive_instance() -> Witness:
    """f = θ²/2 and ρ = 1: S̄ = 0 for every θ."""
    holds = {"f convex": F(1) >= 0, "smooth": F(1) <= 1, "ρL ≤ 2": F(1) * 1 <= 2}
    return instance({"f": "theta^2/2", "rho": "1", "L": "1"}, "a parabola on the line", holds)
