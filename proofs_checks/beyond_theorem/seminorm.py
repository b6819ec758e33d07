"""FedMM in the seminorm of B(s), where q > d and no v_min > 0 exists: compressed messages, noise of second order in γ.

Control variates follow s in the kernel of B(s), too, where the seminorm sees nothing. There h forgets by itself, so
that γ‖h‖² in the plain norm joins the Lyapunov function, and pays for them. b and x are B^(1/2)h and B^(1/2)ξ, H = h+ξ.
Refutations are numbers that satisfy the lines kept: h, b and ξ on the line, two equally likely outcomes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cache
from typing import TypeVar

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.expectation import Expectation, Mean, moment
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.exact import as_text, first_failing, value_at
from proofs_checks.shared.tools import instance

SEMINORM = ("descent", "v_max", "oracle", "unbiased", "noise", "variates", "weight", "step")
C, v, lam, kappa, c, M, omega = sp.symbols(r"C v_{\max} \lambda \kappa c M omega", positive=True)
u, keep, tau, S = sp.symbols(r"u \varrho \tau {\sigma^2/n}", nonnegative=True)
STEP = sp.Symbol("gamma", positive=True)
NAMES = {"C": C, "v": v, "lam": lam, "kappa": kappa, "c": c, "M": M, "w": omega, "g": STEP, "tau": tau, "keep": keep}
LOAD = "C*v + 2*kappa*(1 + lam**2*v) + 3*kappa/4"
GAIN, HELD, LEVEL = "1 - (C + 2*kappa*lam**2)*g", "kappa/4", f"({LOAD})*(1 + w) + c*tau"
H, B, XI, X, DELTA = atoms("h", "b", r"\xi", "x", r"\delta")


@cache
def parse(text: str) -> sp.Expr:
    """A formula in C, v (v_max), lam (λ), kappa, c, M, w (ω_p), g (γ), keep (ϱ) and tau."""
    return sp.sympify(text, NAMES)


@dataclass(frozen=True)
class Numbers:
    """One round: values of what the lines are about, ± for the two outcomes; W_t = 0."""

    h: F = F(1)
    b: F = F(1)
    xi: tuple[F, F] = (F(0), F(0))
    x: tuple[F, F] = (F(0), F(0))
    delta: tuple[F, F] = (F(0), F(0))
    rise: F = F(0)  # of W_{t+1} above its line
    G: F = F(0)
    more: F = F(0)  # of G_{t+1} above its line
    S: F = F(0)
    gamma: F = F(1, 8)
    C: F = F(1, 2)
    v: F = F(1)
    lam: F = F(1)
    kappa: F = F(1, 4)
    c: F = F(4)
    M: F = F(1)
    omega: F = F(1)
    keep: F = F(1, 4)
    tau: F = F(1)

    def mean(self, values: Sequence[F]) -> F:
        return sum(values, F(0)) / 2

    @property
    def N(self) -> F:
        return self.mean([e * e for e in self.xi])

    @property
    def left(self) -> tuple[tuple[F, F], tuple[F, F]]:
        """What moves s beside h, and the same times B^(1/2): ξ and x, as no projection is active."""
        return self.xi, self.x

    @property
    def load(self) -> F:
        """What E‖ξ‖² costs."""
        return self.at(parse(LOAD))

    @property
    def moved(self) -> F:
        """What M multiplies in the recursion of G_t."""
        return self.h**2 + self.N

    @property
    def short(self) -> bool:
        """Whether the step is short enough."""
        return self.c * self.M * self.gamma**2 <= self.kappa / 2

    def line(self, e: F, y: F) -> F:
        """W_{t+1} at most, in one outcome."""
        g = self.gamma
        return -g * self.b * (self.b + y) + self.C * (g * (self.b + y)) ** 2 + self.kappa / 4 * (g * (self.h + e)) ** 2

    def at(self, formula: sp.Expr) -> F:
        names = {C: self.C, v: self.v, lam: self.lam, kappa: self.kappa, c: self.c, M: self.M, omega: self.omega}
        names |= {STEP: self.gamma, keep: self.keep, tau: self.tau}
        return value_at(formula, names)

    def facts(self) -> set[str]:
        moved = [self.b + y for y in self.left[1]]
        tests = {
            "descent": self.rise <= 0,
            "v_max": all(x * x <= self.v * e * e for x, e in zip(self.x, self.xi, strict=True)),
            "oracle": all(d * d <= (self.lam * self.gamma * y) ** 2 for d, y in zip(self.delta, moved, strict=True)),
            "unbiased": self.mean(self.xi) == self.mean(self.x) == 0,
            "noise": self.omega * self.G + (1 + self.omega) * self.S >= self.N,
            "variates": self.more <= 0,
            "weight": self.c * (1 - self.keep) >= self.load * self.omega,
            "step": self.short,
        }
        return {name for name, holds in tests.items() if holds}

    def change(self) -> F:
        """E[Ψ_{t+1}] − Ψ_t."""
        g, (e, y) = self.gamma, self.left
        W = self.rise + self.mean([self.line(*pair) for pair in zip(e, y, strict=True)])
        after = self.mean([((1 - g) * self.h - g * a + d) ** 2 for a, d in zip(e, self.delta, strict=True)])
        G = self.keep * self.G + self.M * g * g * self.moved + self.tau * self.S + self.more
        return W + self.kappa * g * (after - self.h**2) + self.c * g * g * (G - self.G)

    def witness(self, says: str) -> Witness:
        return Witness(as_text(vars(self)), says)


N = TypeVar("N", bound=Numbers)


def broken(rounds: Iterable[Numbers], hypotheses: Sequence[str], parts: Sequence[sp.Expr]) -> Witness | None:
    """A round that satisfies the hypotheses, in which Ψ rises above its bound with gain, held and level."""

    def wrong(x: Numbers) -> str | None:
        gain, held, level = (x.at(part) for part in parts)
        bound = -gain * x.gamma * x.b**2 - held * x.gamma**2 * x.h**2 + level * x.gamma**2 * x.S
        return rf"$E[\Psi_{{t+1}}] - \Psi_t = {left} > {bound}$" if (left := x.change()) > bound else None

    return first_failing(rounds, hypotheses, wrong)


def numbers(base: N, far: F, short: F, M: F) -> Iterator[N]:
    """Those that satisfy all, then those of which one line fails: by noise `far`, a step `short`, a factor `M`."""
    one, kernel = F(1), replace(base, b=F(0))
    loud = replace(base, xi=(one, -one), x=(one, -one), S=F(1, 2))
    yield from (base, kernel, loud, replace(kernel, xi=(one, -one), G=one))
    yield replace(base, rise=one)  # descent
    yield replace(loud, x=(far, -far))  # v_max
    yield replace(base, delta=(one, one))  # oracle
    yield replace(loud, xi=(-one, -one), x=(-one, -one), S=F(1, 2), C=F(1, 8), gamma=short)  # unbiased
    yield replace(loud, xi=(far, -far), x=(far, -far), S=F(0))  # noise
    yield replace(base, more=one)  # variates
    yield replace(kernel, xi=(F(3), F(-3)), x=(F(3), F(-3)), G=F(9), c=F(1, 100))  # weight
    yield replace(kernel, M=M)  # step


def one_round(hypotheses: Sequence[str] = SEMINORM, gain: str = GAIN, held: str = HELD, level: str = LEVEL) -> Verdict:
    """E[Ψ_{t+1}] ≤ Ψ_t − gain·γ‖h‖²_B − held·γ²‖h‖² + level·γ²σ²/n, Ψ_t = W_t + κγ‖h(Ŝ_t)‖² + cγ²G_t, γ ≤ 1."""
    parts, rounds = [parse(text) for text in (gain, held, level)], numbers(Numbers(), F(9), F(1, 64), F(400))
    return decide("certificate", lambda: _proof(hypotheses, parts), [lambda: broken(rounds, hypotheses, parts)])


def _proof(hypotheses: Sequence[str], parts: Sequence[sp.Expr]) -> tuple[Step, ...]:
    g = 1 / (1 + u)
    W, new, G, G1 = sp.symbols(r"W_t W_{t+1} G_t E[G_{t+1}]", real=True)
    zero = Mean(Vector({}))
    means = {r"\xi": zero, "x": zero} if "unbiased" in hypotheses else {}
    E = Expectation({"h", "b"}, means, free={r"\xi", "x", r"\delta"} - set(means), scalars={new})
    e, hh, N = square(B), square(H), E.of(square(XI))
    load = parse(LOAD)
    after = (1 - g) * H - g * XI + DELTA
    rest = r"C\|\Delta s\|_B^2+\frac{\kappa}{4}\|\Delta s\|^2$, $\Delta s = \gamma H$"
    line = W - g * inner(B, B + X) + C * g**2 * square(B + X) + kappa / 4 * g**2 * square(H + XI) - new
    pathwise = {
        "descent": (line, r"$W_{t+1} \leq W_t-\langle h,\Delta s\rangle_B+" + rest),
        "v_max": (v * square(XI) - square(X), r"$B(s) \preceq v_{\max}I$"),
        "oracle": (lam**2 * g**2 * square(B + X) - square(DELTA), r"$\|\delta\| \leq \lambda\|\Delta s\|_B$"),
        "Young": (square((1 - g) * H - g * XI - DELTA / g), "a square"),
    }
    lines = {name: E.line(Hypothesis(expr, says)) for name, (expr, says) in pathwise.items()}
    lines |= {
        "noise": Hypothesis(omega * G + (1 + omega) * S - N, r"$E\|\xi\|^2 \leq \omega_pG_t + (1+\omega_p)\sigma^2/n$"),
        "variates": Hypothesis(keep * G + M * g**2 * (hh + N) + tau * S - G1, "the recursion of $G_t$"),
        "weight": Hypothesis((c * (1 - keep) - load * omega) * G, "the choice of c, times $G_t \\geq 0$"),
        "step": Hypothesis(kappa / 2 - c * M * g**2, r"$cM\gamma^2 \leq \kappa/2$"),
        "N": Hypothesis(N, "a mean of squares"),
    }
    given = {name: line for name, line in lines.items() if name in (*hypotheses, "Young", "N")}
    first, second, third = (part.subs(STEP, g) for part in parts)
    target = W - moment(new) + kappa * g * (hh - E.of(square(after))) + c * g**2 * (G - G1)
    target += -first * g * e - second * g**2 * hh + third * g**2 * S
    spare = kappa * g**2 * ((1 - g) * (2 + g) + lam**2 * v * (1 - g))
    factors = {
        "descent": 1,
        "v_max": C * g**2 + kappa * g**2 * (1 + g) * lam**2,
        "oracle": kappa * (1 + g),
        "Young": kappa * g**2,
        "noise": g**2 * load,
        "variates": c * g**2,
        "weight": g**2,
        "step": g**2 * (hh + N),
        "N": spare,
    }
    squares = [(kappa * g**3 * (1 - g), H), (kappa * lam**2 * g**2 * (1 - g), B)]
    short = {name: sp.factor(sp.sympify(m)) for name, m in factors.items()}
    return verify(target, given, short, [(sp.factor(w), x) for w, x in squares])


def field(x: Sequence[F]) -> tuple[F, F]:
    """h of the instance: T(s) = s_1, f = θ²/4, S̄ = (θ/2, θ)."""
    return -x[0] / 2, x[0] - x[1]


def apart(x: Sequence[F], y: Sequence[F]) -> F:
    """‖x − y‖²."""
    return sum(((p - q) ** 2 for p, q in zip(x, y, strict=True)), F(0))


def seminorm_instance() -> Witness:
    """T(s) = s_1 on the plane, f = θ²/4, S̄ = (θ/2, θ), B = diag(1, 0); one client, messages doubled or lost."""
    g, s, V, alpha = F(1, 64), (F(1), F(1)), (F(0), F(1)), F(1, 4)
    ours = Numbers(gamma=g, C=F(1, 4), lam=F(5, 4), kappa=F(1, 4), c=F(9), M=F(50), keep=F(3, 4))

    h, after, moves = field(s), F(0), []
    for factor in (0, 2):
        sent = [factor * (x - y) for x, y in zip(h, V, strict=True)]
        end = [x + g * (y + m) for x, y, m in zip(s, V, sent, strict=True)]
        held = [y + alpha * m for y, m in zip(V, sent, strict=True)]
        after += apart(field(end), held) / 2
        moves.append(end[0] - s[0])
    G = apart(h, V)
    holds = {
        "q > d": len(s) > 1,
        "descent": all(((s[0] + m) ** 2 - s[0] ** 2) / 4 <= -h[0] * m + ours.C * m**2 for m in moves),
        "oracle": all((m / 2) ** 2 + m**2 <= (ours.lam * m) ** 2 for m in moves),
        "variates": after <= ours.keep * G + ours.M * g**2 * (apart(h, (F(0), F(0))) + G),
        **{name: name in ours.facts() for name in ("weight", "step")},
    }
    return instance({"s": s, "V": V, "gamma": g, "T": "s_1", "B": "diag(1, 0)"}, "T forgets a coordinate", holds)
