"""Biased messages where −h is strongly monotone and cocoercive: a linear rate without A7, for any penalty.

e = H_{t+1} − h(Ŝ_t) may be biased; d = Ŝ_t − s_⋆, G_t = Σ μ_i‖V_{t,i} − h_i(Ŝ_t)‖², and E‖e‖² ≤ q²G_t + ν as in
`rates`. w > 0 is the weight of γG_t, and 1/q the β of Young's inequality. Refutations are numbers: a point on
the line with h = −k d, and an error that takes all that the lines grant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cache
from itertools import product

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_messages.rates import Lam, nu
from proofs_checks.shared.exact import admitted, as_text, value_at
from proofs_checks.shared.tools import instance

RULES = ("monotone", "cocoercive", "nonexpansive", "error", "variates", "weight", "step")
g, m, ell, w, b = sp.symbols(r"gamma m \ell w (\beta-1)", positive=True)
beta = 1 + b
q = sp.Symbol("q", positive=True)
NAMES = {"g": g, "m": m, "l": ell, "w": w, "q": q, "L2": Lam}
SPEED, LEVEL = "1 - g*m", "g*(2/m + 2*g + w*(1/q + 2*g**2*L2/(1-q)))"
WEIGHT = "w*(1 - g*m - q - 2*g**2*L2*q**2/(1-q)) - q**2*(2/m + 2*g)"
STEP = "1/(2*l) - 2*g - 2*w*g**2*L2/(1-q)"
D, H, E, AFTER, MOVE = atoms("d", "h", "e", "d'", r"\Delta s")


@cache
def parse(text: str) -> sp.Expr:
    """A formula in g (γ), m, l (ℓ), w, q and L2 (L̃²)."""
    return sp.sympify(text, NAMES)


@cache
def at_beta(expr: sp.Expr) -> sp.Expr:
    """q = 1/β."""
    return sp.factor(expr.subs(q, 1 / beta))


@dataclass(frozen=True)
class Numbers:
    """d = x, h = −k x, e = ±√(q²G + ν) = ±root; the constants are claims, `far` moves Π(x) away from s_⋆."""

    x: F
    k: F
    G: F
    root: F
    sign: int
    gamma: F
    m: F
    ell: F
    w: F
    q: F
    L: F
    nu: F = F(0)
    far: F = F(1)
    late: F = F(0)

    def at(self, formula: sp.Expr) -> F:
        values = {g: self.gamma, m: self.m, ell: self.ell, w: self.w, q: self.q, Lam: self.L**2}
        return value_at(formula, values)

    def facts(self) -> set[str]:
        tests = {
            "monotone": self.k >= self.m,
            "cocoercive": 0 <= self.k <= self.ell,
            "nonexpansive": self.far == 1,
            "error": self.root**2 <= self.q**2 * self.G + self.nu,
            "variates": self.late == 0,
            "weight": self.at(parse(WEIGHT)) >= 0,
            "step": self.at(parse(STEP)) >= 0,
        }
        return {name for name, holds in tests.items() if holds}

    def excess(self, speed: sp.Expr, level: sp.Expr) -> F:
        """Left minus right of the claim, after the step s ← Π(s + γ(h + e))."""
        e = self.sign * self.root
        move = self.gamma * (-self.k * self.x + e)
        X = (self.far * (self.x + move)) ** 2
        G = (self.root + self.L * abs(move)) ** 2 + self.late
        left, right = X + self.w * self.gamma * G, self.x**2 + self.w * self.gamma * self.G
        return left - self.at(speed) * right - self.at(level) * self.nu

    def witness(self, over: F) -> Witness:
        return Witness(as_text(vars(self)), "left minus right is > 0", {"left minus right": f"{float(over):.3g}"})


def numbers() -> Iterator[Numbers]:
    """Short steps that satisfy every condition, then those of which one fails."""
    half = F(1, 2)
    for x, y, sign, noise in product((F(0), F(1), F(8)), (F(0), F(1), F(4)), (1, -1), (F(0), F(1), F(9))):
        root = y / 2 if noise == 0 else noise
        right = Numbers(x, half, y * y if noise == 0 else F(0), root, sign, F(1, 40), half, F(1), F(8), half, half)
        right = replace(right, nu=noise * noise)
        yield right
        yield replace(right, k=F(0))  # monotone
        yield replace(right, k=F(99))  # cocoercive
        yield replace(right, far=F(3))
        yield replace(right, root=9 * root + 9)
        yield replace(right, late=F(99))
        yield replace(right, w=F(1, 8))  # weight
        yield replace(right, L=F(20), w=F(1, 8))
        yield replace(right, L=F(20), w=F(99))  # step
        yield replace(right, k=F(1), gamma=F(1, 3), w=F(99), q=F(1, 8), root=min(root, y / 8) if noise == 0 else root)


def step_lines(hypotheses: Sequence[str]) -> tuple[Step, ...]:
    """‖d'‖² ≤ (1 − γm)‖d‖² − γ(1/(2ℓ) − 2γ)‖h‖² + γ(2/m + 2γ)‖e‖² and ‖Δs‖² ≤ 2γ²(‖h‖² + ‖e‖²), every outcome."""
    lines = {
        "nonexpansive": (square(D + g * (H + E)) - square(AFTER), r"$\|\Pi(x)-s_\star\| \leq \|x-s_\star\|$"),
        "monotone": (-inner(H, D) - m * square(D), r"$-\langle h, d \rangle \geq m\|d\|^2$"),
        "cocoercive": (-ell * inner(H, D) - square(H), r"$-\ell\langle h, d \rangle \geq \|h\|^2$"),
    }
    given = {name: Hypothesis(expr, why) for name, (expr, why) in lines.items() if name in hypotheses}
    factors = {"nonexpansive": 1, "monotone": 3 * g / 2, "cocoercive": g / (2 * ell)}
    target = (1 - g * m) * square(D) - g * (1 / (2 * ell) - 2 * g) * square(H) + g * (2 / m + 2 * g) * square(E)
    first = verify(target - square(AFTER), given, factors, [(g * m / 2, D - 2 / m * E), (g**2, H - E)])
    kept = {"moved": Hypothesis(g**2 * square(H + E) - square(MOVE), r"$\|\Pi(x)-\hat S_t\| \leq \|x-\hat S_t\|$")}
    kept = kept if "nonexpansive" in hypotheses else {}
    move = 2 * g**2 * (square(H) + square(E)) - square(MOVE)
    return (*first, *verify(move, kept, {"moved": 1}, [(g**2, H - E)]))


def rate(hypotheses: Sequence[str] = RULES, speed: str = SPEED, level: str = LEVEL) -> Verdict:
    """Ψ_{t+1} ≤ speed·Ψ_t + level·ν for Ψ_t = E‖Ŝ_t − s_⋆‖² + wγE[G_t]."""
    k, floor = parse(speed), parse(level)

    def prove() -> Sequence[Step]:
        X, X1, hh, N, M, G0, G1 = sp.symbols(
            r"{E\|d\|^2} {E\|d'\|^2} {E\|h\|^2} {E\|e\|^2} {E\|\Delta_s\|^2} G_t G_{t+1}", nonnegative=True
        )
        rise = Lam * beta / b  # L̃²/(1 − q)
        lines = {
            "descent": ((1 - g * m) * X - g * (1 / (2 * ell) - 2 * g) * hh + g * (2 / m + 2 * g) * N - X1, "above"),
            "moved": (2 * g**2 * (hh + N) - M, "above"),
            "error": (at_beta(q**2) * G0 + nu - N, "own-biased-error, or own-biased-error-noise"),
            "variates": (beta * N + rise * M - G1, r"Young and A6 as in own-biased-variates, $\beta = 1/q$"),
            "weight": (at_beta(parse(WEIGHT)), "the condition on w"),
            "step": (at_beta(parse(STEP)), "the condition on the step"),
        }
        given = {
            name: Hypothesis(e, why)
            for name, (e, why) in lines.items()
            if name in hypotheses or name in ("descent", "moved")
        }
        factors = {"descent": 1, "moved": w * g * rise, "variates": w * g, "weight": g * G0, "step": g * hh}
        factors["error"] = g * (2 / m + 2 * g) + w * g * (beta + 2 * g**2 * rise)
        target = at_beta(k) * (X + w * g * G0) + at_beta(floor) * nu - X1 - w * g * G1
        last = verify(target, given, {name: sp.factor(x) for name, x in factors.items()})
        return (*step_lines(hypotheses), *last)

    def fails() -> Witness | None:
        return next((x.witness(y) for x in admitted(numbers(), hypotheses) if (y := x.excess(k, floor)) > 0), None)

    return decide("certificate", prove, [fails])


def rate_instance() -> Witness:
    """A point with an error and noise at which every hypothesis holds."""
    x = next(x for x in admitted(numbers(), RULES) if x.x and x.root)
    return instance(x.witness(F(0)).point, "numbers on the line", {name: name in x.facts() for name in RULES})
