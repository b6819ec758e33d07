"""Linear rates with unbiased messages under PL: ‖h(s)‖²_B ≥ 2m(W(T(s)) − min W) on 𝒮, for each `Kind` of one step.

W_t is measured from min W. With the Lyapunov function of the sums, Ψ_t = W_t + initial·γ^p G_t, and y = ω_p γ²
(L²/n)/(1 − q)², one round gives Ψ_{t+1} ≤ max(1 − 2m·left, 1 − (1 − q)(½ − y·spread))Ψ_t + level·γ^p σ²/n, where
left = gain − 2·cost·y/low: for steps so short that y is small, that is MM's own rate, or (1 + q)/2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_theorem.numbers import rounded_down
from proofs_checks.appendix_d_theorem.theorem import G0, G1, W0, W1, C, E, Lam, V, alpha, b, beta, g, noise, omega, v
from proofs_checks.beyond_theorem.kinds import KINDS, at_root, facts, parse, q
from proofs_checks.shared.exact import as_text, value_at
from proofs_checks.shared.tools import instance

LinearKind = Literal["any projection", "no projection", "projection in the norm of B_t"]
GAP = sp.Symbol("{(W_t-\\min W)}", nonnegative=True)
m, room = sp.Symbol("m", positive=True), sp.Symbol("{left}", nonnegative=True)
y = sp.Symbol("y", nonnegative=True)
SPEED, KEEP, LEVEL = "1 - 2*m*left", "1 - (1-q)*(1/2 - y*spread)", "(1+omega)*(1+2*y*spread) + 2*omega*(1+q)/q"
RULES = ("PL", "condition", "one step", "noise", "control variates")


def formula(text: str, kind: LinearKind) -> sp.Expr:
    """A formula that may use m, y, left and spread besides the names of `kinds`."""
    base = KINDS[kind]
    names = {"m": m, "y": y, "left": room, "spread": parse(base.spread), "q": q, "omega": omega}
    return sp.sympify(text, names)


def load() -> sp.Expr:
    """The value of y: ω_p(L²/n)γ²/(1 − q)²."""
    return omega * Lam * g**2 / (1 - q) ** 2


def left_of(kind: LinearKind) -> sp.Expr:
    """gain − 2·cost·y/low."""
    base = KINDS[kind]
    gain, cost, low = (parse(text) for text in (base.gain, base.cost, base.low))
    return gain - 2 * cost * load() / low


def linear(
    kind: LinearKind,
    speed: str = SPEED,
    keep: str = KEEP,
    level: str = LEVEL,
    without: Literal["", "PL", "condition", "control variates", "noise", "one step"] = "",
) -> Verdict:
    """Ψ_{t+1} ≤ speed·W_t + keep·initial·γ^p G_t + level·cost·σ²/n; `condition` is left ≥ 0."""
    base = KINDS[kind]
    forms = {name: formula(text, kind) for name, text in (("speed", speed), ("keep", keep), ("level", level))}
    weight = parse(base.initial) * g**base.power

    def prove() -> Sequence[Step]:
        given = {name: line for name, line in facts(base).items() if name in RULES}
        given["one step"] = replace(given["one step"], expr=one_step(kind))
        given["PL"] = Hypothesis(E - 2 * m * GAP, r"PL: $\|h\|_B^2 \geq 2m(W_t - \min W)$")
        given = {name: line for name, line in given.items() if name != without}
        cost, r = at_root(parse(base.cost)), at_root(weight)
        factors = {"one step": 1, "control variates": r}
        factors["noise"] = cost + r * beta / b * Lam * g**2 * parse(base.spread)
        left = at_root(left_of(kind))
        if without == "condition":
            factors["PL"] = left
            values = {room: left}
        else:
            given["condition"] = Hypothesis(left - room, "the condition on the step: left ≥ 0", equality=True)
            factors |= {"condition": E, "PL": room}
            values = {}
        at = {y: at_root(load())} | values
        speed_, keep_, level_ = (at_root(form.subs(at)) for form in forms.values())
        target = speed_ * GAP + keep_ * r * G0 + level_ * cost * noise - W1 - r * G1
        return verify(target, given, {name: sp.factor(x) for name, x in factors.items()})

    kept = {name for name in ("condition",) if name != without}
    return decide("certificate", prove, [lambda: refuted_by(kind, kept, forms, without)])


def one_step(kind: LinearKind) -> sp.Expr:
    """W_t − gain·E + cost·N − W_{t+1}, in the gap."""
    return facts(KINDS[kind])["one step"].expr.subs(W0, GAP)


# ----------------------------------------------------------------------------------------- numbers that refute a mutant


@dataclass(frozen=True)
class Numbers:
    """One round: the gap W, G_t, noise S, and E = 2mW + more; N, W_{t+1} and G_{t+1} are all that the lines grant."""

    W: F
    G: F
    S: F
    more: F
    omega: F
    q: F
    L2n: F
    gamma: F
    m: F = F(1, 4)
    C: F = F(1, 2)
    vmax: F = F(2)

    def at(self, expr: sp.Expr) -> F:
        values = {omega: self.omega, q: self.q, alpha: 1 - self.q**2, Lam: self.L2n, g: self.gamma, m: self.m}
        values |= {C: self.C, V: self.vmax, v: F(1)}
        return value_at(expr, values)

    def excess(self, kind: LinearKind, kept: set[str], forms: dict[str, sp.Expr], without: str) -> F | None:
        base = KINDS[kind]
        left, weight = self.at(left_of(kind)), self.at(parse(base.initial) * g**base.power)
        if (left < 0 and "condition" in kept) or (1 - self.q**2) * (1 + self.omega) > 1:
            return None
        gain, cost, low, spread = (self.at(parse(text)) for text in (base.gain, base.cost, base.low, base.spread))
        error = (0 if without == "PL" else 2 * self.m * self.W) + self.more
        N = ((1 + self.omega) * self.S + self.omega * self.G) * (2 if without == "noise" else 1)
        W = self.W - gain * error + cost * N + (1 if without == "one step" else 0)
        if W < 0:
            return None
        kept_ = self.q**2 * self.G + (1 - self.q**2) * self.S
        G = rounded_down(kept_, self.L2n * self.gamma**2 * (error / low + spread * N))
        G += 1 if without == "control variates" else 0
        at = {y: load(), room: left_of(kind)}
        speed, keep, level = (self.at(form.subs(at)) for form in forms.values())
        return W + weight * G - speed * self.W - keep * weight * self.G - level * cost * self.S

    def witness(self, over: F) -> Witness:
        point = as_text(vars(self)) | {"v_min": "1"}
        says = "numbers that satisfy the inequalities kept, for every β > 1: left minus right is > 0"
        return Witness(point, says, {"left minus right": f"{float(over):.3g}"})


def too_long(kind: LinearKind) -> Numbers:
    """left < 0, and G_t such that β = 1/q is the best β: a larger error than PL asks for then pays."""
    w, root_, gamma, error = F(1, 3), F(1, 2), F(9, 10), F(12)
    base, near = KINDS[kind], F(9, 10)
    probe = Numbers(F(9), F(0), F(0), F(0), w, root_, F(1), gamma)
    size = near / probe.at(parse(base.spread))  # y
    L2n = size * (1 - root_) ** 2 / (w * gamma**2)
    G = L2n * gamma**2 * error / probe.at(parse(base.low)) / ((1 - near) * (1 - root_) ** 2)
    return replace(probe, G=G, L2n=L2n, more=error - 2 * probe.m * probe.W)


def numbers(kind: LinearKind) -> Iterator[Numbers]:
    """The gap, the control variates or the noise alone and together; steps that are short, and too long."""
    yield too_long(kind)
    channels = ((F(1, 3), F(1, 2)), (F(4), F(9, 10)), (F(1, 50), F(1, 7)))
    for (w, root_), L2n, size in product(channels, (F(0), F(1, 100), F(4)), (F(1, 100), F(1, 4))):
        for W, G, S, more in ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 1, 1, 0), (9, 0, 0, 8)):
            yield Numbers(F(W), F(G), F(S), F(more), w, root_, L2n, size)


def refuted_by(kind: LinearKind, kept: set[str], forms: dict[str, sp.Expr], without: str) -> Witness | None:
    for x in numbers(kind):
        over = x.excess(kind, kept, forms, without)
        if over is not None and over > 0:
            return x.witness(over)
    return None


def linear_instance(kind: LinearKind) -> Witness:
    """Numbers with a gap, noise and compression that satisfy every hypothesis, and the claim."""
    x = Numbers(F(9), F(1), F(1), F(0), F(1, 3), F(1, 2), F(1, 100), F(1, 4))
    forms = {name: formula(text, kind) for name, text in (("speed", SPEED), ("keep", KEEP), ("level", LEVEL))}
    over = x.excess(kind, {"condition"}, forms, "")
    holds = {"condition": x.at(left_of(kind)) > 0, "the claim": over is not None and over <= 0}
    return instance(x.witness(F(0)).point, "numbers that satisfy all the inequalities", holds)
