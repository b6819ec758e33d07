"""ProxSkip (Mishchenko et al. 2022): gradient steps always, the prox (or the mean over clients) with probability p."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from itertools import product

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.expectation import mix
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.exact import admitted, as_text, first_failing, satisfying, value_at

PROXSKIP = ("firm", "strongly convex", "smooth", "γ ≤ 1/L", "coin")
gamma, p, m = sp.symbols("gamma p m", positive=True)
NAMES = {"gamma": gamma, "p": p, "m": m}
X, H, D, P = atoms(r"\delta x", r"\delta h", r"\delta\nabla f", r"\delta P")
"""x_t − x_⋆, h_t − h_⋆, ∇f(x_t) − ∇f(x_⋆), and P(x̂ − (γ/p)h_t) − x_⋆."""


@dataclass(frozen=True)
class Line:
    """f = slope·x²/2 with claimed m and L on the line, x_⋆ = h_⋆ = 0, P(u) = factor·u, coin with this chance."""

    x: F
    h: F
    gamma: F
    p: F
    chance: F
    slope: F
    m: F
    L: F
    factor: F

    def facts(self) -> set[str]:
        tests = {
            "firm": 0 <= self.factor <= 1,
            "strongly convex": self.slope >= self.m,
            "smooth": self.slope <= self.L,
            "γ ≤ 1/L": self.gamma * self.L <= 1,
            "coin": self.chance == self.p,
        }
        return {name for name, holds in tests.items() if holds}

    def value(self, x: F, h: F) -> F:
        return x**2 + (self.gamma / self.p * h) ** 2

    def after(self) -> F:
        """E of Ψ_{t+1} as the algorithm has it."""
        moved = self.x - self.gamma * (self.slope * self.x - self.h)
        to = self.factor * (moved - self.gamma / self.p * self.h)
        skipped, done = self.value(moved, self.h), self.value(to, self.h + self.p / self.gamma * (to - moved))
        return self.chance * done + (1 - self.chance) * skipped

    def at(self, formula: sp.Expr) -> F:
        return value_at(formula, {gamma: self.gamma, p: self.p, m: self.m})

    def witness(self, says: str) -> Witness:
        return Witness(as_text(vars(self)), says)


def lines() -> Iterator[Line]:
    """Rounds that satisfy all, then those of which one hypothesis fails."""
    half = F(1, 2)
    for x, h, step, factor in product((F(0), F(1), F(2)), (F(-1), F(0), F(1)), (F(1), half), (F(0), half, F(1))):
        for slope in (F(1), half):
            right = Line(x, h, step, half, half, slope, half, F(1), factor)
            yield right
            wrong = {"factor": F(3)}, {"slope": F(0)}, {"slope": F(4)}, {"slope": F(4), "L": F(4)}, {"chance": F(0)}
            yield from (replace(right, **change) for change in wrong)


def proxskip(hypotheses: Sequence[str] = PROXSKIP, drift: str = "1-gamma*m", dual: str = "1-p**2") -> Verdict:
    """EΨ_{t+1} ≤ drift·‖x_t − x_⋆‖² + dual·(γ²/p²)‖h_t − h_⋆‖²."""
    c, d = (sp.sympify(text, NAMES) for text in (drift, dual))

    def prove() -> Sequence[Step]:
        moved = X - gamma * (D - H)
        start = moved - gamma / p * H
        done, skipped, value = sp.symbols(r"\Psi_{\mathrm{prox}} \Psi_{\mathrm{skip}} E\Psi_{t+1}", nonnegative=True)
        weight = (gamma / p) ** 2
        given = {}
        if "firm" in hypotheses:
            firm = inner(P, start) - square(P)
            given["firm"] = Hypothesis(firm, r"P is firmly nonexpansive, $\delta P$ against $\delta u$")
        first = verify(
            square(start) - square(P) - square(P - start), given, {"firm": 2},
            says=r"with the prox: $\Psi_{t+1} \leq \|\delta u\|^2$, $u = \hat x-\frac{\gamma}{p}h_t$",
        )  # fmt: skip
        short = _contraction(hypotheses)
        rows = {
            "prox": Hypothesis(square(start) - done, "the line above"),
            "skip": Hypothesis(square(moved) + weight * square(H) - skipped, "without the prox"),
            "step": Hypothesis((1 - gamma * m) * square(X) - square(X - gamma * D), "the gradient step, above"),
        }
        if "coin" in hypotheses:
            rows["coin"] = Hypothesis(mix([(p, done), (1 - p, skipped)]) - value, "the coin", equality=True)
            rows["p ≤ 1"] = Hypothesis((1 - p) * rows["skip"].expr, r"$p \leq 1$, times the line without the prox")
        target = c * square(X) + d * weight * square(H) - value
        last = verify(target, rows, {"coin": 1, "prox": p, "p ≤ 1": 1, "step": 1})
        return (
            *first,
            *short,
            *last,
            Step(r"hence $\leq \max(1-\gamma m, 1-p^2)\Psi_t$", "both factors at most the larger"),
        )

    def wrong(line: Line) -> str | None:
        left, right = line.after(), line.at(c) * line.x**2 + line.at(d) * (line.gamma / line.p * line.h) ** 2
        return rf"$E\Psi_{{t+1}} = {left} > {right}$" if left > right else None

    return decide("certificate", prove, [lambda: first_failing(lines(), hypotheses, wrong)])


def _contraction(hypotheses: Sequence[str]) -> Sequence[Step]:
    """‖x − γ∇f(x) − (x_⋆ − γ∇f(x_⋆))‖² ≤ (1 − γm)‖x − x_⋆‖² for γ = 1/(L_f + w), w ≥ 0."""
    L, w = sp.Symbol("L_f", positive=True), sp.Symbol("w", nonnegative=True)
    step = 1 / (L + w) if "γ ≤ 1/L" in hypotheses else gamma
    lines = {
        "smooth": (L * inner(X, D) - square(D), r"f is convex and $L_f$-smooth (Baillon and Haddad)"),
        "strongly convex": (inner(X, D) - m * square(X), "f is m-strongly convex"),
    }  # fmt: skip
    given = {name: Hypothesis(expr, why) for name, (expr, why) in lines.items() if name in hypotheses}
    target = (1 - step * m) * square(X) - square(X - step * D)
    factors = {"strongly convex": step, "smooth": step**2 * (1 + w / L)}
    says = r"$\|\delta x-\gamma\,\delta\nabla f\|^2 \leq (1-\gamma m)\|\delta x\|^2$, $\gamma = 1/(L_f+w)$"
    return verify(target, given, factors, [(step**2 * w / L, D)], says=says)


def one_instance() -> Witness:
    """A round with a step, a prox that moves and a coin, which satisfies every hypothesis."""
    line = next(x for x in admitted(lines(), PROXSKIP) if x.x and x.h and x.factor == F(1, 2))
    return satisfying(line, PROXSKIP, "a round on the line")
