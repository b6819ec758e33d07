"""The rate of FedMM with biased messages: own-biased-step, -error and -variates, combined and summed over rounds.

The error of the direction is at most q²G_t + ν: q² = 1 − pa and ν = 0 for exact oracles (a is C's contraction, p the
chance to take part), any larger q < 1 and a ν for others. L̃² = Σ μ_i L_i², G_t = Σ μ_i‖V_{t,i} − h_i(Ŝ_t)‖².
One round is one identity for every r > q: Ψ_{t+1} ≤ r²Ψ_t − … with r = 1, or r² = 1 − γm where h satisfies PL.
Refutations are sequences of numbers that satisfy all the inequalities for every β.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cache
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_theorem.bound import summed
from proofs_checks.appendix_d_theorem.theorem import G0, G1, W0, W1, C, E, N, V, b, beta, g, gt, v
from proofs_checks.shared.exact import as_text, value_at
from proofs_checks.shared.tools import instance

Lam, M = sp.symbols(r"{\tilde{L}^2} {E\|\Delta_s\|^2}", nonnegative=True)
q, r = sp.symbols("q r", positive=True)
nu = sp.Symbol(r"\nu", nonnegative=True)
NAMES = {"q": q, "r": r, "gamma": g, "C": C, "vmin": v, "vmax": V, "L2": Lam, "beta": beta}
RULES = ("one step", "error", "variates", "condition", "steps do not increase", "PL")
BEND, WEIGHT, LEVEL = "(q/(r-q))**2", "vmax*q**2/(2*r*(r-q))", "vmax*r/(2*(r-q))"


@cache
def parse(text: str) -> sp.Expr:
    """A formula in q, r, gamma, C, vmin, vmax, L2 (L̃²) and beta."""
    return sp.sympify(text, NAMES)


def condition(bend: str) -> sp.Expr:
    """1 − 2(C̄/v_min)γ − bend·(v_max/v_min) L̃² γ²."""
    return parse(f"1 - 2*C/vmin*gamma - ({bend})*vmax/vmin*L2*gamma**2")


def at_best(expr: sp.Expr) -> sp.Expr:
    """r as βq: β = r/q is the best choice (own-biased-best)."""
    return sp.factor(expr.subs(r, beta * q))


def lines(admitted: sp.Expr) -> dict[str, Hypothesis]:
    """The hypotheses of one round, by the names of `RULES`; in PL, W_t is measured from min(f + g), and γm = 1 − r²."""
    found = {
        "one step": (W0 - g / 2 * E - (v / (2 * g) - C) * M + g / 2 * V * N - W1, "own-biased-step, in expectation"),
        "error": (q**2 * G0 + nu - N, r"own-biased-error, with $\nu = 0$, or own-biased-error-noise"),
        "variates": (beta * N + beta / b * Lam * M - G1, r"Young and A6 as in own-biased-variates, $\beta = r/q$"),
        "condition": (at_best(admitted), "the condition on the step"),
        "steps do not increase": (gt - g, r"$\gamma_{t+1} \leq \gamma_t$"),
        "PL": (E - 2 * at_best(1 - r**2) / g * W0, r"PL: $\|h\|_B^2 \geq 2m(W_t - \min W)$, $\gamma m = 1 - r^2$"),
    }
    return {name: Hypothesis(expr, why) for name, (expr, why) in found.items()}


# ----------------------------------------------------------------------------------------- numbers that refute a mutant


@dataclass(frozen=True)
class Run:
    """T rounds: ‖ΔŜ‖ is such that √G grows by the factor `ratio`, and the error takes all that the lines grant."""

    name: str
    q: F
    L: F
    gamma: F
    C: F
    gap: F
    x: F
    ratio: F
    T: int
    vmax: F = F(1)
    later: F | None = None  # a second, larger step
    r: F = F(1)
    nu: F = F(0)  # only where √G is not to grow

    def at(self, formula: sp.Expr, step: F) -> F:
        values = {q: self.q, g: step, C: self.C, v: F(1), V: self.vmax, Lam: self.L**2, r: self.r}
        return value_at(formula, values)

    def facts(self, admitted: sp.Expr) -> set[str]:
        steps = [self.gamma] + ([] if self.later is None else [self.later])
        tests = {
            "condition": all(self.at(admitted, step) >= 0 for step in steps),
            "steps do not increase": self.later is None,
        }
        return {name for name, holds in tests.items() if holds}

    def rounds(self, without: str, share: Callable[[F, F], F]) -> list[tuple[F, F, F, F]]:
        """(γ_t, W_t, G_t, E_t) for each round and at its end (E = 0); E takes share(W_t, what the lines grant)."""
        W, x, G, found = self.gap, self.x, self.x**2, []
        for t in range(self.T):
            step = self.gamma if t == 0 or self.later is None else self.later
            move = max(F(0), self.ratio - self.q) * x / self.L
            noise = self.q**2 * G + self.nu
            lost = self.vmax * noise * (2 if without == "error" else 1)
            room = W - (1 / (2 * step) - self.C) * move**2 + step / 2 * lost
            if room < 0:
                return []
            error = share(W, 2 * room / step) * (2 if without == "one step" else 1)
            found.append((step, W, G, error))
            W = room - (0 if without == "one step" else step / 2 * error)
            x = self.q * x + self.L * move + (1 if without == "variates" else 0)
            G = x**2 if self.nu == 0 else noise
        return [*found, (F(0), max(F(0), W), G, F(0))]

    def witness(self, over: F) -> Witness:
        point = {"q": self.q, "L": self.L, "gamma": self.gamma, "C": self.C, "v_min": 1, "v_max": self.vmax}
        point |= {"gap": self.gap, "sqrt(G_0)": self.x, "growth of sqrt(G)": max(self.ratio, self.q), "T": self.T}
        point |= ({} if self.later is None else {"later steps": self.later}) | {"nu": self.nu, "r": self.r}
        says = f"numbers that satisfy the inequalities kept, for every β > 1 ({self.name}): left minus right is > 0"
        return Witness(as_text(point), says, {"left minus right": f"{float(over):.3g}"})


HALF, EDGE = F(1, 2), F(3, 4)  # with γ = 1/2 and q = 1/2 the condition is 1/4 − L²/4: L = 1 is at its edge
RUNS = (
    Run("the gap alone", HALF, F(1), HALF, EDGE, F(1), F(0), HALF, 1),
    Run("G_0 alone", HALF, F(1), HALF, EDGE, F(0), F(1), HALF, 5),
    Run("G_0 alone, slowly forgotten", HALF, F(1), HALF, EDGE, F(0), F(1), F(49, 50), 150),
    Run("G_0 kept, the step a little too long", HALF, F(21, 20), HALF, EDGE, F(0), F(1), F(1), 60),
    Run("G_0 kept, the step too long", HALF, F(2), HALF, EDGE, F(0), F(1), F(1), 60),
    Run("noise alone", HALF, F(1), HALF, EDGE, F(0), F(0), HALF, 60, nu=F(1)),
    Run("steps that grow", HALF, F(1), F(1, 200), EDGE, F(0), F(1), HALF, 2, later=HALF),
)  # fmt: skip


NEAR = {"r": F(3, 4), "gamma": HALF, "C": EDGE, "T": 1}  # γm = 7/16, and L = 1/2 is at the edge of the condition
LINEAR = tuple(
    Run(name, q=HALF, L=L, gap=gap, x=x, ratio=ratio, nu=F(name == "noise alone"), **NEAR)
    for name, L, gap, x, ratio in (
        ("the gap alone", HALF, F(1), F(0), HALF),
        ("noise alone", HALF, F(0), F(0), HALF),
        ("G_0 alone", HALF, F(0), F(1), F(3, 4)),
        ("G_0 forgotten a little faster", HALF, F(0), F(1), F(5, 7)),
        ("G_0 and a gap, the step a little too long", F(51, 100), F(9), F(1), F(3, 4)),
        ("G_0 and a gap, the step too long", F(2), F(9), F(1), F(3, 4)),
    )
)


def found_in(
    runs: Sequence[Run], kept: Sequence[str], admitted: sp.Expr, excess: Callable[[Run], F | None]
) -> Witness | None:
    """The first run that satisfies what is kept and by which the claim is exceeded."""
    for run in runs:
        if set(kept) <= run.facts(admitted) and (over := excess(run)) is not None and over > 0:
            return run.witness(over)
    return None


# ---------------------------------------------------------------------------------------------------------- the rate


def one_round(
    place: Mapping[sp.Symbol, sp.Expr],
    admitted: sp.Expr,
    target: sp.Expr,
    without: str,
    last: Literal["PL", "steps do not increase"],
) -> tuple[Step, ...]:
    """The `target` from W_{t+1} + cγ_{t+1}G_{t+1} ≤ W_t − (γ_{t+1}/2)E + r²cγ_{t+1}G_t and the rule `last`."""
    given = {name: line for name, line in lines(admitted).items() if name != without}
    c = at_best(parse(WEIGHT))
    factors = {"one step": sp.S.One, "variates": c * g, "error": g / 2 * V + c * g * beta, "condition": v / (2 * g) * M}
    factors[last] = {"steps do not increase": c * G0, "PL": g / 2}[last]
    given = {name: replace(line, expr=line.expr.subs(place)) for name, line in given.items()}
    return verify(target.subs(place), given, {name: sp.factor(m.subs(place)) for name, m in factors.items()})


def rate(
    gain: str = "1/2",
    bend: str = BEND,
    initial: str = WEIGHT,
    level: str = LEVEL,
    without: Literal["", "condition", "error", "one step", "steps do not increase", "variates"] = "",
) -> Verdict:
    """Σ gain·γ_t E‖h(Ŝ_{t−1})‖²_B ≤ W_0 − min + initial·γ_1 G_0 + level·ν Σγ_t, where

    1 − 2(C̄/v_min)γ_t − bend·(v_max/v_min)L̃²γ_t² ≥ 0; `bend`, `initial` and `level` are taken at r = 1.
    """
    k, admitted = sp.Rational(gain), condition(bend)

    def prove() -> Sequence[Step]:
        one = {q: 1 / beta}  # r = βq = 1
        weight = at_best(parse(initial))
        target = W0 + weight * gt * G0 - k * g * E - W1 - weight * g * G1 + at_best(parse(level)) * g * nu
        return (*one_round(one, admitted, target, without, "steps do not increase"), *summed())

    def excess(run: Run) -> F | None:
        path = run.rounds(without, lambda W, room: room)
        left = sum((F(gain) * step * error for step, _, _, error in path), F(0))
        right = run.gap + run.at(parse(initial), run.gamma) * run.gamma * run.x**2
        right += run.at(parse(level), run.gamma) * run.nu * sum((step for step, *_ in path), F(0))
        return left - right if path else None

    kept = [name for name in ("condition", "steps do not increase") if name != without]
    return decide("certificate, induction", prove, [lambda: found_in(RUNS, kept, admitted, excess)])


def linear(
    bend: str = BEND,
    weight: str = WEIGHT,
    speed: str = "r**2",
    level: str = LEVEL,
    without: Literal["", "PL", "condition", "error", "one step", "variates"] = "",
) -> Verdict:
    """Ψ_{t+1} ≤ speed·Ψ_t + level·γν for Ψ_t = W_t − min + weight·γ G_t, if ‖h‖²_B ≥ 2m(W − min W), r² = 1 − γm and

    1 − 2(C̄/v_min)γ − bend·(v_max/v_min)L̃²γ² ≥ 0.
    """
    admitted = condition(bend)

    def prove() -> Sequence[Step]:
        c = at_best(parse(weight))
        target = at_best(parse(speed)) * (W0 + c * g * G0) - W1 - c * g * G1 + at_best(parse(level)) * g * nu
        return (
            *one_round({}, admitted, target, without, "PL"),
            Step(r"hence $\Psi_T \leq r^{2T}\Psi_0 + \gamma\nu\,\mathrm{level}/(1-r^2)$", "by induction on T"),
        )

    def excess(run: Run) -> F | None:
        least = F(0) if without == "PL" else 2 * (1 - run.r**2) / run.gamma
        path = run.rounds(without, lambda W, room: least * W)
        if not path:
            return None
        size = run.at(parse(weight), run.gamma) * run.gamma
        before, after = (path[t][1] + size * path[t][2] for t in (0, 1))
        noise = run.at(parse(level), run.gamma) * run.gamma * run.nu
        return after - run.at(parse(speed), run.gamma) * before - noise

    kept = [name for name in ("condition",) if name != without]
    return decide("certificate, induction", prove, [lambda: found_in(LINEAR, kept, admitted, excess)])


def best(factor: str = "1", sign: int = 1, without: Literal["", "β > 1"] = "") -> Verdict:
    """sign·β/((β − 1)(r² − βq²)) ≥ factor/(r − q)² for 1 < β < r²/q²: no β admits longer steps than β = r/q does."""
    k = sp.Rational(factor)

    def prove() -> Sequence[Step]:
        more = sp.Symbol("{(beta-1)}", **({"real": True} if without else {"positive": True}))
        room, spare = sp.Symbol(r"{(r^2-\beta q^2)}", positive=True), sp.Symbol("{(r-q)}", positive=True)
        size = 1 + more
        line = size * (r - q) ** 2 - more * (r**2 - size * q**2)
        says = r"$\beta(r-q)^2 - (\beta-1)(r^2-\beta q^2) = (r-\beta q)^2 \geq 0$, with equality for $\beta = r/q$"
        steps = verify(line, {}, {}, [(1, r - size * q)], says=says)
        above = {"above": Hypothesis(size * spare**2 - more * room, "the line above")}
        target = sign * size / (more * room) - k / spare**2
        return (*steps, *verify(target, above, {"above": 1 / (more * room * spare**2)}))

    def fails() -> Witness | None:
        sizes = (F(2), F(3, 2)) if not without else (F(2), F(3, 2), F(1, 2))
        for size in sizes:
            left = sign * size / ((size - 1) * (1 - size * F(1, 4)))  # q = 1/2, r = 1
            if left < F(factor) * 4:
                return Witness({"q": "1/2", "r": "1", "beta": str(size)}, f"${left} < {F(factor) * 4}$")
        return None

    return decide("certificate", prove, [fails])


def numbers(kind: Literal["linear", "rate"]) -> Witness:
    """Numbers that satisfy every hypothesis, with an error and a move in every round."""
    run = Run("gap and G_0", HALF, HALF, HALF, HALF, F(1), F(1), F(3, 4), 20, r=F(1) if kind == "rate" else F(15, 16))
    least = 2 * (1 - run.r**2) / run.gamma
    path = run.rounds("", lambda W, room: max(least * W, min(W, room)))
    holds = {name: name in run.facts(condition(BEND)) for name in ("condition", "steps do not increase")}
    holds |= {"an error in every round": len(path) == 21 and all(error > 0 for *_, error in path[:-1])}
    holds |= {"PL": all(least * W <= error for _, W, _, error in path[:-1])}
    return instance(run.witness(F(0)).point, "numbers that satisfy all the inequalities", holds)
