"""own-seminorm with active projections, in the norm of D = B(s) + 2κγ(1−γ)I: noise of second order in γ.

In a seminorm there is no projection. But where h forgets by itself, −2κγ²(1−γ)⟨h, e⟩ is what e, the error of the
projected direction, does to κγ‖h‖², and −γ⟨h, e⟩_B what it does to W: together −γ⟨h, e⟩_D, which the projection in the
norm of D makes small. b, x and y are B^(1/2)h, B^(1/2)ξ and B^(1/2)e; Ŝ_{t+1} = Ŝ_t + γ(h + e), and e = ξ where none is
active. Refutations are numbers as in `seminorm`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cache

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.expectation import Expectation, Mean, moment
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_theorem.seminorm import (
    DELTA,
    STEP,
    XI,
    B,
    C,
    H,
    M,
    Numbers,
    S,
    X,
    apart,
    broken,
    c,
    field,
    kappa,
    keep,
    lam,
    numbers,
    omega,
    tau,
    v,
)
from proofs_checks.shared.tools import instance

HYPOTHESES = ("descent", "v_max", "oracle", "projection", "unbiased", "noise", "variates", "weight", "step")
K, Q = sp.symbols("K Q", positive=True)
GAIN, HELD, LEVEL = "1 - 2*K*g", "kappa/4", "Q*(1 + w) + c*tau"
NAMES = {"K": K, "Q": Q, "kappa": kappa, "c": c, "w": omega, "g": STEP, "tau": tau}
E_, Y = atoms("e", "y")
g = STEP
ZERO = Mean(Vector({}))


@cache
def parse(text: str) -> sp.Expr:
    """A formula in K, Q, kappa, c, w (ω_p), g (γ) and tau."""
    return sp.sympify(text, NAMES)


@dataclass(frozen=True)
class Outcomes(Numbers):
    """With e and y, what the projection leaves of ξ and x; None where it leaves all."""

    gamma: F = F(1, 64)
    kappa: F = F(1)
    c: F = F(24)
    M: F = F(1, 2)
    e: tuple[F, F] | None = None
    y: tuple[F, F] | None = None

    @property
    def left(self) -> tuple[tuple[F, F], tuple[F, F]]:
        return self.xi if self.e is None else self.e, self.x if self.y is None else self.y

    @property
    def K(self) -> F:
        return self.C + F(5, 4) * self.kappa * self.lam**2

    @property
    def load(self) -> F:
        """Q."""
        return (F(5, 2) + 2 * self.K) * (self.v + self.kappa / 2)

    @property
    def moved(self) -> F:
        return self.mean([(self.h + a) ** 2 for a in self.left[0]])

    @property
    def short(self) -> bool:
        return self.c * self.M * self.gamma <= self.kappa / 4

    def line(self, e: F, y: F) -> F:
        return -self.gamma * self.b * (self.b + y) + self.C * (self.gamma * (self.b + y)) ** 2

    def at(self, formula: sp.Expr) -> F:
        own = {K: self.K, Q: self.load}
        return super().at(formula.subs({a: sp.Rational(q.numerator, q.denominator) for a, q in own.items()}))

    def nearer(self, k: int) -> bool:
        """What the projection in the norm of D gives, at the points s + h and s + γh of 𝒮."""
        g, (e, y), eps = self.gamma, self.left, 2 * self.kappa * self.gamma * (1 - self.gamma)
        xi, x = self.xi[k], self.x[k]
        inside = g * ((x - y[k]) * y[k] + eps * (xi - e[k]) * e[k])
        inside -= (1 - g) * ((x - y[k]) * self.b + eps * (xi - e[k]) * self.h)
        return inside >= 0 and x * x + eps * xi * xi >= y[k] ** 2 + eps * e[k] ** 2

    def facts(self) -> set[str]:
        return super().facts() | ({"projection"} if self.nearer(0) and self.nearer(1) else set())


def outcomes() -> Iterator[Outcomes]:
    """Those that satisfy all, then those of which one line fails, the projection's at last."""
    base, one, astray = Outcomes(), F(1), (F(-9), F(-9))
    yield from numbers(base, F(40), F(1, 999), F(4000))
    yield replace(base, xi=(one, -one), x=(one, -one), S=F(1, 2), e=astray, y=astray)


def one_round(
    hypotheses: Sequence[str] = HYPOTHESES, gain: str = GAIN, held: str = HELD, level: str = LEVEL
) -> Verdict:
    """E[Ψ_{t+1}] ≤ Ψ_t − gain·γ‖h‖²_B − held·γ²‖h‖² + level·γ²σ²/n, Ψ_t as in `seminorm`, γ ≤ ½."""
    parts = [parse(text) for text in (gain, held, level)]
    return decide("certificate", lambda: _proof(hypotheses, parts), [lambda: broken(outcomes(), hypotheses, parts)])


def clipped_instance() -> Witness:
    """T(s) = s_1 on s_1 ≥ 0, f = θ²/4, S̄ = (θ/2, θ), B = diag(1, 0); messages doubled or lost, one of them clipped."""
    step, s, V = F(1, 2**14), (F(1, 2**16), F(1)), (F(1), F(1))
    ours = Outcomes(gamma=step, C=F(1, 4), lam=F(5, 4), kappa=F(1, 4), c=F(18), M=F(50), keep=F(3, 4))

    h, after, moves = field(s), F(0), []
    for factor in (0, 2):
        sent = [factor * (x - y) for x, y in zip(h, V, strict=True)]
        free = [x + step * (y + m) for x, y, m in zip(s, V, sent, strict=True)]
        end = (max(free[0], F(0)), free[1])
        after += apart(field(end), [y + m / 4 for y, m in zip(V, sent, strict=True)]) / 2
        moves.append((end[0] - s[0], end[1] - s[1], end != tuple(free)))
    moved = sum((a * a + b * b for a, b, _ in moves), F(0)) / 2
    holds = {
        "a projection is active": any(clipped for *_, clipped in moves),
        "the mean oracle is in 𝒮": s[0] + h[0] >= 0,
        "descent": all(((s[0] + a) ** 2 - s[0] ** 2) / 4 <= -h[0] * a + ours.C * a**2 for a, *_ in moves),
        "oracle": all((a / 2) ** 2 + a**2 <= (ours.lam * a) ** 2 for a, *_ in moves),
        "variates": after <= ours.keep * apart(h, V) + ours.M * moved,
        **{name: name in ours.facts() for name in ("weight", "step")},
    }
    return instance({"s": s, "V": V, "gamma": step, "T": "s_1", "B": "diag(1, 0)"}, "T forgets a coordinate", holds)


def _proof(hypotheses: Sequence[str], parts: Sequence[sp.Expr]) -> tuple[Step, ...]:
    """The bias of the projection, and the lines of one round with it; γ ≤ ½ is a line, so that all is polynomial."""
    W, new, G, G1 = sp.symbols(r"W_t W_{t+1} G_t E[G_{t+1}]", real=True)
    means = {r"\xi": ZERO, "x": ZERO} if "unbiased" in hypotheses else {}
    E = Expectation({"h", "b"}, means, free={r"\xi", "x", "e", "y", r"\delta"} - set(means), scalars={new})
    hh, N, moved, loud = square(H), E.of(square(XI)), E.of(square(B + Y)), sp.Rational(5, 2) + 2 * K
    pathwise = {
        "descent": (W - g * inner(B, B + Y) + C * g**2 * square(B + Y) - new, r"$W_{t+1}$, $\Delta s = \gamma(h+e)$"),
        "oracle": (lam**2 * g**2 * square(B + Y) - square(DELTA), r"$\|\delta\| \leq \lambda\|\Delta s\|_B$"),
        "v_max": (v * square(XI) - square(X), r"$B(s) \preceq v_{\max}I$"),
    }
    lines = {name: E.line(Hypothesis(expr, says)) for name, (expr, says) in pathwise.items()}
    lines |= {
        "noise": Hypothesis(omega * G + (1 + omega) * S - N, r"$E\|\xi\|^2 \leq \omega_pG_t + (1+\omega_p)\sigma^2/n$"),
        "variates": Hypothesis(keep * G + M * g**2 * E.of(square(H + E_)) + tau * S - G1, "the recursion of $G_t$"),
        "weight": Hypothesis((c * (1 - keep) - Q * omega) * G, "the choice of c, times $G_t \\geq 0$"),
        "step": Hypothesis(kappa / 4 - c * M * g, r"$cM\gamma \leq \kappa/4$"),
    }
    steps, nearer = _projection(hypotheses, E)
    given = {name: line for name, line in lines.items() if name in hypotheses} | nearer
    bend = r"$K = C+\frac{5}{4}\kappa\lambda^2$, times $E\|b+y\|^2$"
    given |= {
        "K": Hypothesis((K - C - kappa * lam**2 * (1 + g**2)) * moved, bend),
        "Q": Hypothesis((Q - loud * (v + kappa / 2)) * N, r"$Q = (\frac{5}{2}+2K)(v_{\max}+\frac{\kappa}{2})$"),
        "γ": Hypothesis(1 - 2 * g, r"$\gamma \leq \frac{1}{2}$"),
    }
    bases = {"h, δ": g * H - (1 - g) * DELTA, "e, δ": DELTA + g * E_, "b, y": B - Y, "h, e": H - E_, "e": E_, "y": Y}
    given |= {name: E.line(Hypothesis(square(base), "a square")) for name, base in {**bases, "ξ": XI}.items()}
    after, ee = (1 - g) * H - g * E_ + DELTA, E.of(square(E_))
    first, second, third = (part.subs(STEP, g) for part in parts)
    target = W - moment(new) + kappa * g * (hh - E.of(square(after))) + c * g**2 * (G - G1)
    target += -first * g * square(B) - second * g**2 * hh + third * g**2 * S
    factors = {
        "descent": 1, "bias": 1, "left": g**2 * (sp.Rational(3, 2) + 2 * K), "v_max": g**2 * loud, "K": g**2, "Q": g**2,
        "oracle": kappa * (1 + g**2), "h, δ": kappa, "e, δ": kappa * g, "b, y": K * g**2, "h, e": c * M * g**4,
        "noise": g**2 * Q, "variates": c * g**2, "weight": g**2, "step": 2 * g**3 * (hh + ee),
        "γ": kappa * g**2 * (sp.Rational(3, 4) * hh + g * loud * ee),
        "ξ": 2 * kappa * g**2 * loud * (sp.Rational(1, 2) - g) ** 2, "e": 2 * K * kappa * g**3,
        "y": sp.Rational(5, 2) * g**2,
    }  # fmt: skip
    return (*steps, *verify(target, given, factors))


def _projection(hypotheses: Sequence[str], E: Expectation) -> tuple[tuple[Step, ...], dict[str, Hypothesis]]:
    """γE⟨h, e⟩_D + γ²E(‖ξ‖²_D − ‖e‖²_D) ≥ 0 and E‖e‖²_D ≤ E‖ξ‖²_D, where ξ is unbiased; r stands for 1/(1 − γ)."""
    if "projection" not in hypotheses:
        return (), {}
    r, eps = sp.Symbol("r", positive=True), 2 * kappa * g * (1 - g)
    near = g * (inner(X - Y, Y) + eps * inner(XI - E_, E_)) - (1 - g) * (inner(X - Y, B) + eps * inner(XI - E_, H))
    apart, less = square(X - Y) + eps * square(XI - E_), square(X) + eps * square(XI) - square(Y) - eps * square(E_)
    pulled = inner(B, Y) + eps * inner(H, E_)
    given = {
        "at s + h": (
            near,
            r"$\langle\xi-e, (1-\gamma)h-\gamma e\rangle_D \leq 0$: the projection, at $s+h \in \mathcal{S}$",
        ),
        "apart": (apart, r"$\|\xi-e\|_D^2 \geq 0$"),
    }
    lines = {name: E.line(Hypothesis(expr, why)) for name, (expr, why) in given.items()}
    lines |= {
        "r": Hypothesis(r * (1 - g) - 1, r"$r = 1/(1-\gamma)$", equality=True),
        "r ≤ 2": Hypothesis(
            (2 - r) * E.of(less), r"$r \leq 2$, and $\|e\|_D \leq \|\xi\|_D$ at $s+\gamma h \in \mathcal{S}$"
        ),
    }
    factors = {"at s + h": g * r, "apart": g**2 * r / 2, "r": -g * E.of(pulled), "r ≤ 2": g**2 / 2}
    target = g * E.of(pulled) + g**2 * E.of(less)
    says = r"$-\gamma E\langle h, e\rangle_D \leq \gamma^2 E(\|\xi\|_D^2-\|e\|_D^2)$"
    return verify(target, lines, factors, says=says), {
        "bias": Hypothesis(target, "the line above"),
        "left": E.line(Hypothesis(less, r"$\|e\|_D \leq \|\xi\|_D$: the projection, at $s+\gamma h \in \mathcal{S}$")),
    }
