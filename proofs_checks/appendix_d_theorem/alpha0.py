"""Section D.7: ω_p > 0 and α = 0, with ρ_{t+1} = γ_{t+1}^u and β_{t+1} = γ_t^u/((1+ε)γ_{t+1}^u).

Powers with a symbolic exponent u in (0, 1) enter as numbers: r = γ_{t+1}^u and R = γ_t^u ≥ (1+2ε)r, and
p = γ_{t+1}^{1−u}, so that γ_{t+1} = r p. x ↦ x^a is increasing on (0, ∞) for a > 0: that is all that is used of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import pairwise, product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction, proved
from proofs_checks.appendix_d_theorem.bound import summed
from proofs_checks.appendix_d_theorem.theorem import (  # fmt: skip
    G0,
    G1,
    W0,
    W1,
    C,
    E,
    K,
    Lam,
    V,
    at_least_zero,
    b,
    beta,
    c,
    g,
    g1,
    judge,
    noise,
    omega,
    parse,
    part_of,
    r0,
    r1,
    rho,
    sign_of,
    v,
)
from proofs_checks.shared.tools import agreed, tried

eps = sp.Symbol(r"\varepsilon", positive=True)
r, R, p = sp.symbols("r R p", positive=True)  # γ_{t+1}^u, γ_t^u, γ_{t+1}^{1−u}
STEPS = {
    "steps": Hypothesis(
        R - (1 + 2 * eps) * r,
        r"$(1+2\varepsilon)\gamma_{t+1}^u \leq \gamma_t^u$, $r = \gamma_{t+1}^u$, $R = \gamma_t^u$",
    )
}
DECAY = eps * (1 + 2 * eps) / (1 + eps)  # (R − R/(1+ε))/r is at least this


def impossible(largest: str, sign: int = 1) -> Verdict:
    """sign·(ρβ(1 + 2ω/(β−1) Kγ²) + (1 − C̄γ/v_min) ω v_max − ρ) > 0 for ρ > 0, β > 1, 0 < γ < `largest`·v_min/C̄."""
    bound = parse(largest)
    domain = [] if bound == sp.oo else [bound * v - C * g > 0]
    value = sign * (rho * beta * (1 + 2 * omega / b * K * g**2) + (1 - c * g) * omega * V - rho)
    verdict = sign_of(sp.together(value), domain, strict=True)
    if verdict.status != "proved":
        return verdict
    numbers = product(("1/100", "1/3", "99/100"), ("1/9", "4"), ("1/7", "5"), ("1/2", "3"))
    at = ({g: sp.Rational(x) * bound * v / C, rho: y, b: z, omega: w} for x, y, z, w in numbers)
    fixed = {v: sp.Rational(1, 2), V: 3, C: 2, Lam: sp.Rational(1, 5)}
    pairs = [(0, F(str(value.subs(point, simultaneous=True).subs(fixed)))) for point in at]
    small = {"step": Hypothesis(bound * v - C * g, rf"$\gamma < {sp.latex(bound)} v_{{\min}}/\bar C$")}
    more = rho * b + rho * beta * 2 * omega / b * K * g**2  # > 0, and 1 − C̄γ/v_min = (bound − C̄γ/v_min) + (1 − bound)
    says = r"the coefficient is at least $\rho(\beta-1) + \rho\beta\frac{2\omega}{\beta-1}K\gamma^2 > 0$"
    given = {**small, "omega": Hypothesis(omega, "positive")}
    by = verify(value - more, given, {"step": omega * V / v, "omega": (1 - bound) * V}, says=says)
    return agreed(verdict, *by, *tried("points, γ up to 99/100 of its bound", pairs))


def always_summable(factor: str = "2", without: Literal["", "coefficient", "step"] = "") -> Verdict:
    """With α = 0 and any ρ, β: (63) ≤ 0 forces γ_{t+1} ≤ `factor` (ρ_t − ρ_{t+1})/(ω v_max)."""
    coefficient = r1 * beta * (1 + 2 * omega / b * K * g**2) + g * (1 - c * g) * omega * V - r0
    facts = {
        "coefficient": Hypothesis(-coefficient, r"the coefficient of $G_t$ is $\leq 0$"),
        "step": Hypothesis(1 - 2 * c * g, r"$\gamma_{t+1} < v_{\min}/(2\bar C)$"),
    }
    share = parse(factor) / (omega * V)
    used = {
        "coefficient": share, "step": parse(factor) * g / 2,
        r"\rho_{t+1} >= 0": share * (b + beta * 2 * omega / b * K * g**2), rf"{g.name} >= 0": parse(factor) / 2 - 1,
    }  # fmt: skip
    grid = {omega: (1,), V: (1,), v: (1,), Lam: ("1/1000000",), C: (2, 8), g: ("1/5", "1/4"), b: ("1/1000",),
            r1: ("1/1000", 1), r0: ("1/5", "13/100", "13/10", 1)}  # fmt: skip
    one = judge(share * (r0 - r1) - g, facts, used, grid, products=at_least_zero(r1, g), without=without)
    if one.status != "proved":
        return one
    return conjunction({"one step": one, "sum": proved("certificate, induction", *_telescoped(share))})


def _telescoped(share: sp.Expr) -> tuple[Step, ...]:
    """γ_{t+1} ≤ share·(ρ_t − ρ_{t+1}) for all t gives Σ_{t≤T} γ_t < share·ρ_0, by induction on T."""
    total, start, now, after = sp.symbols(r"\Gamma_T \rho_0 \rho_T \rho_{T+1}", positive=True)
    given = {
        "T": Hypothesis(share * (start - now) - total, r"the claim for T, $\Gamma_T = \sum_{t \leq T} \gamma_t$"),
        "step": Hypothesis(share * (now - after) - g, "the inequality for one step"),
    }
    chain = verify(share * (start - after) - total - g, given, {"T": 1, "step": 1}, says="the claim for T + 1")
    end = verify(share * start - share * now - total, given, {"T": 1}, says=r"$\Gamma_T < $ the factor times $\rho_0$")
    least, initial = (
        sp.Symbol(r"E[G_0]", nonnegative=True),
        {"end": Hypothesis(share * start - total, "the line above")},
    )
    says = r"$\rho_0 E[G_0] \geq \Gamma_T E[G_0]/(\text{the factor})$: divided by $\sum_t \gamma_t$ it does not vanish"
    away = verify((start - total / share) * least, initial, {"end": least / share}, says=says)
    return (*chain, *end, *away)


def ratio(bound: str, growth: str = "1+2*eps") -> Verdict:
    """β = R/((1+ε) r) with R ≥ (`growth`) r has β > 1 and β/(β−1) ≤ `bound`."""
    chosen = R / ((1 + eps) * r)
    facts = [R - parse(growth, eps=eps) * r >= 0]
    above = sign_of(R - (1 + eps) * r, facts, strict=True)  # β > 1, multiplied by (1+ε) r
    # β/(β−1) ≤ bound, multiplied by β − 1 > 0
    less = sign_of(sp.together(parse(bound, eps=eps) * (chosen - 1) - chosen), facts)
    verdict = conjunction({"beta > 1": above, "the ratio": less})
    if verdict.status != "proved":
        return verdict
    numbers = product(map(F, ("1/9", "1", "7")), map(F, ("1", "5/4", "30")))
    pairs = []
    for e, more in numbers:  # R = more·(1 + 2ε) r
        value = more * (1 + 2 * e) / (1 + e)
        pairs.append((value / (value - 1), F(str(parse(bound, eps=eps).subs(eps, sp.Rational(str(e)))))))
    more = (parse(growth, eps=eps) - 1 - eps) * r  # > 0 for the printed growth
    says = [r"$\beta - 1 \geq \varepsilon/(1+\varepsilon) > 0$", r"$\beta \leq (2 + 1/\varepsilon)(\beta - 1)$"]
    first = verify(R - (1 + eps) * r - more, STEPS, {"steps": 1}, says=says[0])
    second = verify(parse(bound, eps=eps) * (chosen - 1) - chosen, STEPS, {"steps": 1 / (eps * r)}, says=says[1])
    return agreed(verdict, *first, *second, *tried("values of ε, γ_t and γ_{t+1}", pairs))


RATIO = 2 + 1 / eps
k = sp.Symbol(r"\tfrac{\beta}{\beta-1}", positive=True)
BELOW = {"ratio": Hypothesis(RATIO - k, r"$\beta_{t+1}/(\beta_{t+1}-1) \leq 2 + 1/\varepsilon$")}
GRID = {eps: ("1/2", 1), omega: (1,), V: (1,), v: (1,), Lam: (1, 4), C: (1, "1/100"), g: ("1/16", "1/4"),
        r: ("1/4", "1/2"), R: ("1/2", 1, 2), k: (4, 3), p: ("1/4", "1/100", 1)}  # fmt: skip


def bound_63(drift: str = "omega*vmax*gamma", middle: str = "2*omega", without: Literal["", "ratio"] = "") -> Verdict:
    """(63) ≤ (R/(1+ε) + `middle` (2+1/ε) K γ² r + `drift` − R) G_t."""
    exact = R / (1 + eps) + 2 * omega * k * K * g**2 * r + g * (1 - c * g) * omega * V - R  # ρβ = R/(1+ε)
    claimed = R / (1 + eps) + parse(middle) * RATIO * K * g**2 * r + parse(drift) - R
    used = {"ratio": 2 * omega * K * g**2 * r, r"\bar{C} >= 0": g**2 * omega * V / v}
    return judge(claimed - exact, BELOW, used, GRID, products=at_least_zero(C), without=without)


def small_63(
    room: str = "1",
    relation: Literal["<=", ">="] = "<=",
    u_is_1: bool = False,
    without: Literal["", "small", "steps"] = "",
) -> Verdict:
    """R/(1+ε) + 2ω(2+1/ε)Kγ² r + ω v_max γ − R `relation` 0 once 2ω(2+1/ε)Kγ² + ω v_max γ^{1−u} is at most

    `room` ε(1+2ε)/(1+ε).

    `u_is_1`: the same for u = 1, where γ^{1−u} = 1 and only γ can be made small.
    """
    at = {p: sp.S.One} if u_is_1 else {}
    step = (r * p).subs(at)
    first = 2 * omega * RATIO * K * step**2
    small = parse(room) * DECAY - first - (0 if u_is_1 else omega * V * p)
    facts = {**STEPS, "small": Hypothesis(small, r"$\gamma_1$, hence $\gamma_{t+1}$, is small enough")}
    target = R - R / (1 + eps) - first * r - omega * V * step
    used = {"steps": eps / (1 + eps), "small": r}
    grid = {
        **GRID,
        r: ("1/4", "1/100", "1/1000"),
        V: ("1/2", 1, 4),
        R: ("1/50", "1/2", 1, "1/500", "3/4"),
        p: ("1/100", "1/2", "3/4", "9/10", "2/3"),
        Lam: ("1/1000",),
    }
    return judge(target if relation == "<=" else -target, facts, used, grid, without=without)


def bound_64(middle: str = "8", without: Literal["", "ratio", "small"] = "") -> Verdict:
    """(64)'s bracket is ≥ 1 − 2C̄γ/v_min − `middle`(2+1/ε) v_min⁻¹ (L²/n) γ^{1+u}, and ≥ 1/2 for small γ_1."""
    exact = 1 - 2 * c * g - 8 * k / v * Lam * r * g
    claimed = 1 - 2 * c * g - parse(middle) * RATIO / v * Lam * r * g
    small = {
        "small": Hypothesis(sp.Rational(1, 2) - 2 * c * g - 8 * RATIO / v * Lam * r * g, r"$\gamma_1$ is small enough")
    }
    return conjunction(
        {
            "bound": judge(
                exact - claimed,
                BELOW,
                {"ratio": 8 / v * Lam * r * g},
                GRID,
                without=part_of(BELOW, without),
            ),
            "at least 1/2": judge(
                claimed - sp.Rational(1, 2), small, {"small": 1}, GRID, without=part_of(small, without)
            ),
        }
    )


def bound_65(middle: str = "2", final: str = "2", without: Literal["", "ratio", "small"] = "") -> Verdict:
    """(65)'s bracket is ≤ `middle`(1+ω)(2+1/ε) K γ^{1+u} + (1 − C̄γ/v_min)(1+ω)v_max; for small γ_1 that is

    ≤ `final`(1+ω)v_max.
    """
    exact = 2 * (1 + omega) * k * K * r * g + (1 - c * g) * (1 + omega) * V
    claimed = parse(middle) * (1 + omega) * RATIO * K * r * g + (1 - c * g) * (1 + omega) * V
    small = {
        "small": Hypothesis(
            V - 2 * RATIO * K * r * g,
            r"$\gamma_1$ is small enough: $2(2+1/\varepsilon)(L^2/n)\gamma^{1+u} \leq v_{\min}$",
        )
    }
    return conjunction(
        {
            "bound": judge(
                claimed - exact, BELOW, {"ratio": 2 * (1 + omega) * K * r * g}, GRID, without=part_of(BELOW, without)
            ),
            "for small steps": judge(
                parse(final) * (1 + omega) * V - claimed, small,
                {"small": 1 + omega, r"\bar{C} >= 0": g * (1 + omega) * V / v},
                {**GRID, g: (*GRID[g], "1/40")}, products=at_least_zero(C), without=part_of(small, without),
            ),
        }
    )  # fmt: skip


def final(initial: str, without: Literal["", "63"] = "") -> Verdict:
    """Summing gives (1/8) Σ γ_t E Ē_t ≤ E W_0 − min + (`initial`) E G_0 + 2(1+ω) v_max σ²/n Σ γ_t; R1 stands for γ_1^u.

    The numbers of the witness satisfy Propositions 2, 3 and 4 (for every β, with α = 0), and all that is asked of γ_1.
    """
    R1 = sp.Symbol(r"\gamma_1^u", positive=True)
    claimed = parse(initial, eps=eps, R1=R1)

    def prove() -> Sequence[Step]:
        start = Step(
            r"$\rho_0 = \gamma_0^u = (1+2\varepsilon)\gamma_1^u$",
            r"the convention $\gamma_0 = (1+2\varepsilon)^{1/u}\gamma_1$; the bound on (63) at t = 0 needs it",
        )
        x63, x64, x65 = sp.symbols("x_{63} x_{64} x_{65}", real=True)
        given = {
            "combined": Hypothesis(
                W0 + r0 * G0 + x63 * G0 - g / 4 * x64 * E + g * x65 * noise - W1 - r1 * G1, "(62) to (65)"
            ),
            "63": Hypothesis(-x63, r"(63) is $x_{63} G_t$ with $x_{63} \leq 0$ for small $\gamma_1$"),
            "64": Hypothesis(x64 - sp.Rational(1, 2), r"the bracket of (64), for small $\gamma_1$"),
            "65": Hypothesis(2 * (1 + omega) * V - x65, r"the bracket of (65), for small $\gamma_1$"),
        }
        target = W0 + r0 * G0 - g / 8 * E + 2 * g * (1 + omega) * V * noise - W1 - r1 * G1
        given = {name: line for name, line in given.items() if name != without}
        one = verify(target, given, {"combined": 1, "63": G0, "64": g * E / 4, "65": g * noise})
        equal = verify(claimed - (1 + 2 * eps) * R1, {}, {}, equality=True)
        return (*one, start, *equal, *summed(), *tried("sequences of numbers", (pair for _, pair, _ in runs())))

    def runs() -> Iterator[tuple[dict[str, object], tuple[F, F], dict[str, bool]]]:
        """u = 1/2, v_min = C̄ = ω = 1, σ = 0, f + g at its minimum, G_0 = 1, one round; W_1 = W_0 and G_1 = 0."""
        for epsilon in (F(1, 2), F(2)):
            power, L = F(1, 100), F(1, 100)  # γ_1^u = γ_1^{1−u} and L²/n
            step, limit, growth = power**2, epsilon * (1 + 2 * epsilon) / (1 + epsilon), 2 + 1 / epsilon
            vmax = limit * (F(1000) if without == "63" else F(9, 10)) / power
            error = 4 * (1 - step) * vmax / (1 - 2 * step)  # all that Propositions 2 and 3 allow
            asked = {
                "(63) <= 0": 2 * growth * vmax * L * step**2 + vmax * power <= limit,
                "(64) >= 1/2": 1 - 2 * step - 8 * growth * L * step * power >= F(1, 2),
                "(65) <= 2(1+omega) v_max": 2 * growth * L * step * power <= 1,
            }
            asked = {name: held for name, held in asked.items() if name[1:3] != without}
            right = claimed.subs({eps: sp.Rational(epsilon), g1: sp.Rational(step), R1: sp.Rational(power)})
            point = {
                "u": "1/2", "epsilon": epsilon, "gamma_1": step, "omega": 1, "vmin": 1, "vmax": vmax, "C": 1,
                "L^2/n": L, "sigma": 0, "T": 1, "W_0 - min": 0, "G_0": 1, "Ebar_1": error,
            }  # fmt: skip
            if all(asked.values()):
                yield point, (step * error / 8, F(str(right))), asked

    def fails() -> Witness | None:
        for point, (left, right), asked in runs():
            if left > right:
                says = f"left ${left}$, right ${right}$, for numbers that satisfy Propositions 2 to 4"
                return Witness({name: str(value) for name, value in point.items()}, says, dict.fromkeys(asked, "holds"))
        return None

    return decide("certificate, induction", prove, [fails])


def geometric(rate: str = "q", total: str = "1/(1-q)", without: Literal["", "step"] = "") -> Verdict:
    """γ_t ≤ γ_1 (`rate`)^{t−1} and Σ_{t≤T} γ_t ≤ `total` γ_1 for every T, where q = (1+2ε)^{−1/u}.

    `without="step"`: for any steps, without γ_{t+1} ≤ qγ_t, which (66) gives.
    """
    w = sp.Symbol("w", positive=True)  # q = 1/(1+w)
    q = 1 / (1 + w)
    power, now, after, total_now = sp.symbols(r"q^{t-1} \gamma_t \gamma_{t+1} S_t", positive=True)

    def prove() -> Sequence[Step]:
        word = Step(
            r"$\gamma_{t+1} \leq q \gamma_t$ with $q = (1+2\varepsilon)^{-1/u} < 1$",
            r"$x \mapsto x^{1/u}$ is increasing",
        )
        bound = Hypothesis(g1 * power - now, r"the claim for t: $\gamma_t \leq \gamma_1 q^{t-1}$ (equality for t = 1)")
        step = Hypothesis(q * now - after, r"$\gamma_{t+1} \leq q \gamma_t$, $q = 1/(1+w)$")
        given = {name: line for name, line in {"t": bound, "step": step}.items() if name != without}
        chain = verify(parse(rate, q=q) * g1 * power - after, given, {"t": q, "step": 1})
        sums = {
            "S": Hypothesis(
                g1 * (1 - power) / (1 - q) - total_now, r"the claim for t − 1: $S \leq \gamma_1 (1-q^{t-1})/(1-q)$"
            ),
            "t": bound,
        }
        added = verify(g1 * (1 - q * power) / (1 - q) - total_now - now, sums, {"S": 1, "t": 1})
        limit = verify(
            parse(total, q=q) * g1 - total_now,
            {**sums, **at_least_zero(power)},
            {"S": 1, "q^{t-1} >= 0": g1 * (1 + w) / w},
        )
        right, most = sp.Symbol("R", nonnegative=True), sp.cancel(parse(total, q=q)) * g1
        away = verify(
            right - total_now * right / most,
            {"sum": Hypothesis(most - total_now, "the line above")},
            {"sum": right / most},
            says=r"$R / \sum_{t \leq T} \gamma_t \geq (1-q) R / \gamma_1$ for every $T$, "
            r"$R = E[W_0] - \min(f+g) + \rho_0 E[G_0]$: it does not tend to 0 unless $R = 0$",
        )
        sums = [pair for steps in sequences() for pair in bounds(steps)]
        return (word, *chain, *added, *limit, *away, *tried("bounds along an exact sequence", sums))

    def sequences() -> list[list[F]]:
        """ε = u = 1/2, so that q = 1/4: γ_t = 4^{1−t} satisfies (66); without (66), constant steps too."""
        tried_ = ([F(1, 4**t) for t in range(6)], [F(1)] * 6)
        return [s for s in tried_ if without == "step" or all(after <= now / 4 for now, after in pairwise(s))]

    def bounds(steps: list[F]) -> list[tuple[F, F]]:
        r_, s_ = (F(str(parse(text, q=sp.Rational(1, 4)))) for text in (rate, total))
        return [*((step, r_**t) for t, step in enumerate(steps)), (sum(steps, F(0)), s_)]

    def fails() -> Witness | None:
        for steps in sequences():
            if any(left > right for left, right in bounds(steps)):
                point = {"epsilon": "1/2", "u": "1/2", "gamma": ", ".join(map(str, steps))}
                return Witness(point, f"$q = 1/4$, the sum is ${sum(steps)}$, and one of the two bounds fails")
        return None

    return decide("certificate, induction", prove, [fails])
