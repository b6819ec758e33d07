"""Nesterov's Lyapunov function when messages lose something: it holds for one client, and fails for two.

The server queries at y = (1 − 1/t)x + z/t and gets G with E[G] = ∇f(y), x⁺ = y − ηG, z⁺ = z − ζtG, t² − t ≤ t_−². One
client has E‖G‖² ≤ K‖∇f(y)‖², K = 1 + ω_p, and η = 1/(LK), ζ = η/K do. Two clients with exact control variates and one
common minimiser do not have it for any K: where ∇f(y) nearly vanishes, the ∇f_i(y) need not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from functools import cache
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, verify
from fedmm_edu.proofs.expectation import Expectation, Mean, moment
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_messages.accelerated import GRAD, STAR, L, X, Z, before, more
from proofs_checks.shared.exact import admitted, first_failing, satisfying, value_at
from proofs_checks.shared.tools import instance

LOSSY = ("smooth", "f convex", "unbiased", "E‖G‖² ≤ K‖∇f(y)‖²", "t")
K = sp.Symbol("K", positive=True)
STEP, PULL = "1/(L*K)", "1/(L*K**2)"
NAMES = {"L": L, "K": K}


@cache
def parse(text: str) -> sp.Expr:
    return sp.sympify(text, NAMES)


@dataclass(frozen=True)
class Lossy:
    """x, z, t on the line; f = slope·x²/2, claimed to be L-smooth; G = c∇f(y) for each c of `draws`, equally likely."""

    x: F
    z: F
    t: F
    before: F
    slope: F
    draws: tuple[F, ...]
    K: F
    L: F = F(1)

    @property
    def moments(self) -> tuple[F, F]:
        return sum(self.draws, F(0)) / len(self.draws), sum((c * c for c in self.draws), F(0)) / len(self.draws)

    def facts(self) -> set[str]:
        first, second = self.moments
        tests = {
            "smooth": self.slope <= self.L,
            "f convex": self.slope >= 0,
            "unbiased": first == 1,
            "E‖G‖² ≤ K‖∇f(y)‖²": second <= self.K,
            "t": self.t**2 - self.t <= self.before**2,
        }
        return {name for name, holds in tests.items() if holds}

    def sides(self, step: sp.Expr, pull: sp.Expr) -> tuple[F, F]:
        """E[t²(W⁺ − W_⋆) + ‖z⁺ − x_⋆‖²/(2ζ)], and the same before with t_−; x_⋆ = 0, W_⋆ = 0."""
        eta, zeta = (_number(e, self.L, self.K) for e in (step, pull))
        y = (1 - 1 / self.t) * self.x + self.z / self.t
        after = F(0)
        for c in self.draws:
            G = c * self.slope * y
            x, z = y - eta * G, self.z - zeta * self.t * G
            after += (self.t**2 * self.slope * x * x / 2 + z * z / (2 * zeta)) / len(self.draws)
        return after, self.before**2 * self.slope * self.x**2 / 2 + self.z**2 / (2 * zeta)

    def witness(self, says: str) -> Witness:
        shown = {name: str(value) for name, value in vars(self).items() if name != "draws"}
        return Witness(shown | {"G/∇f(y)": " or ".join(map(str, self.draws))}, says)


@cache
def _number(expr: sp.Expr, smooth: F, bound: F) -> F:
    return value_at(expr, {L: smooth, K: bound})


def rounds() -> Iterator[Lossy]:
    lost, exact = (F(0), F(2)), (F(1),)
    for x, z, (size, prior) in product((F(1), F(-1), F(0)), (F(1), F(-1), F(0)), ((F(2), F(3, 2)), (F(9), F(17, 2)))):
        for slope, (draws, bound) in product((F(1), F(1, 2), F(1, 1000)), ((lost, F(2)), (exact, F(1)))):
            yield Lossy(x, z, size, prior, slope, draws, bound)
            yield Lossy(x, z, size, prior, 4 * F(1), draws, bound)  # smooth
            yield Lossy(x, z, size, prior, -slope, draws, bound)  # f convex
            yield Lossy(x, z, size, prior, slope, (F(-1),), bound)  # unbiased
            yield Lossy(x, z, size, prior, slope, (F(-8), F(10)), bound)  # E‖G‖²
            yield Lossy(x, z, size, F(1, 2), slope, draws, bound)  # t


def lyapunov(hypotheses: Sequence[str] = LOSSY, speed: str = "1", step: str = STEP, pull: str = PULL) -> Verdict:
    """E[t²(W⁺ − W_⋆) + ‖z⁺ − x_⋆‖²/(2ζ)] ≤ speed·(t_−²(W − W_⋆) + ‖z − x_⋆‖²/(2ζ)), η = `step`, ζ = `pull`."""
    k, eta, zeta = sp.Rational(speed), parse(step), parse(pull)

    def prove() -> Sequence[Step]:
        return one_client(hypotheses, k, eta, zeta)

    def wrong(one: Lossy) -> str | None:
        after, prior = one.sides(eta, zeta)
        return f"${after} > {F(speed) * prior}$" if after > F(speed) * prior else None

    return decide("certificate", prove, [lambda: first_failing(rounds(), hypotheses, wrong)])


def one_client(hypotheses: Sequence[str], k: sp.Expr, eta: sp.Expr, zeta: sp.Expr) -> tuple[Step, ...]:
    size = 1 + more  # t ≥ 1
    fx, fy, fs, new = sp.symbols(r"f(x) f(y) f(x_\star) f(x^+)", real=True)
    (XI,) = atoms(r"\xi")
    y, G = (more / size) * X + Z / size, GRAD + XI
    means = {r"\xi": Mean(Vector({}))} if "unbiased" in hypotheses else {}
    known = {name for v in (X, Z, STAR, GRAD) for name in v.coefficients}
    E = Expectation(known, means, free={r"\xi"} - set(means), scalars={new})
    smooth = fy - eta * inner(GRAD, G) + L / 2 * eta**2 * square(G) - new
    lines = {
        "smooth": E.line(Hypothesis(smooth, "f is L-smooth, from y to $x^+$")),
        "E‖G‖² ≤ K‖∇f(y)‖²": Hypothesis(K * square(GRAD) - E.of(square(G)), r"$E\|G\|^2 \leq K\|\nabla f(y)\|^2$"),
        "f convex": Hypothesis(fx - fy - inner(GRAD, X - y), "f is convex, at x"),
        "f convex ⋆": Hypothesis(fs - fy - inner(GRAD, STAR - y), r"f is convex, at $x_\star$"),
        "t": Hypothesis((before**2 - size**2 + size) * (fx - fs), r"$t^2-t \leq t_-^2$, $W \geq W_\star$"),
    }
    given = {name: line for name, line in lines.items() if name.removesuffix(" ⋆") in hypotheses}
    after = size**2 * (moment(new) - fs) + E.of(square(Z - zeta * size * G - STAR)) / (2 * zeta)
    prior = before**2 * (fx - fs) + square(Z - STAR) / (2 * zeta)
    used = {
        "smooth": size**2,
        "E‖G‖² ≤ K‖∇f(y)‖²": size**2 * (L * eta**2 + zeta) / 2,
        "f convex": size * more,
        "f convex ⋆": size,
        "t": 1,
    }
    return verify(k * prior - after, given, {name: sp.factor(m) for name, m in used.items()})


def lossy_instance() -> Witness:
    """A round that moves, in which the message is doubled or lost, which satisfies every hypothesis."""
    one = next(r for r in admitted(rounds(), LOSSY) if r.x and r.z and len(r.draws) > 1)
    return satisfying(one, LOSSY, "a round on the line")


# ---------------------------------------------------------------------------------------------------------- two clients


def several(clients: Literal["one", "two"] = "two", speed: str = "1") -> Verdict:
    """For some η, ζ > 0: E[Ψ⁺] ≤ speed·Ψ for all convex, 2-smooth f_i with one common minimiser, V_i = h_i(s_⋆)."""

    def prove() -> Sequence[Step]:
        if clients == "two":
            raise CertificateFails("E‖G‖² ≤ K‖∇f(y)‖² holds for no K")
        return one_client(LOSSY, sp.Rational(speed), parse(STEP), parse(PULL))

    def fails() -> Witness | None:
        if clients == "one":
            return lyapunov(speed=speed).witness
        eta, zeta, rest = sp.symbols("eta zeta r", positive=True)
        both = eta**2 + zeta
        m, t = (both, 8 * eta + both), (8 + (1 + rest) * both, both)  # m < 1, 8ηm < η² + ζ, t > 8/(η² + ζ)
        rise = _cleared(rise_of_two(eta, zeta, sp.Rational(speed)), m, t)
        if not all(c > 0 for c in sp.Poly(rise, eta, zeta, rest).coeffs()):
            return None
        point = {"f_i": "(sqrt(m)*x_1 ± x_2)^2/2", "x = z": "(1, 0)", "x_star": "(0, 0)"}
        point |= {name: str(top / below) for name, (top, below) in {"m": m, "t": t}.items()}
        says = r"$E[\Psi^+]-\Psi$ is a polynomial in η, ζ and r > 0 with positive coefficients, over a positive one"
        return Witness(point, says)

    return decide("certificate", prove, [fails])


M, T = sp.symbols("m t", positive=True)


def rise_of_two(eta: sp.Expr, zeta: sp.Expr, speed: sp.Expr) -> sp.Expr:
    """E[Ψ⁺] − speed·Ψ over the four outcomes of two messages that are doubled or lost, from x = z = (1, 0).

    f_1, f_2 = (√m x_1 ± x_2)²/2, so that f = (m x_1² + x_2²)/2 and x_⋆ = 0; G = (along, √m·across).
    """
    after = sp.S.Zero
    for first, second in product((0, 2), repeat=2):
        along, across = sp.Rational(first + second, 2) * M, sp.Rational(first - second, 2)
        W = (M * (1 - eta * along) ** 2 + M * (eta * across) ** 2) / 2
        far = (1 - zeta * T * along) ** 2 + M * (zeta * T * across) ** 2
        after += (T**2 * W + far / (2 * zeta)) / 4
    return sp.expand(after - speed * ((T**2 - T) * M / 2 + 1 / (2 * zeta)))


def _cleared(expr: sp.Expr, m: tuple[sp.Expr, sp.Expr], t: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """A polynomial in m and t at two fractions, times the denominators' highest powers."""
    found = sp.Poly(expr, M, T)
    high, long = found.degree(M), found.degree(T)
    terms = [c * m[0] ** i * m[1] ** (high - i) * t[0] ** j * t[1] ** (long - j) for (i, j), c in found.terms()]
    return sp.expand(sp.Add(*terms))


def two_instance() -> Witness:
    """Two convex functions with one minimiser, and messages that are unbiased."""
    holds = {"convex": True, "2-smooth": F(1) + 1 <= 2, "one minimiser": sp.Matrix([[1, 1], [1, -1]]).det() != 0}
    return instance({"m": "1", "f_i": "(x_1 ± x_2)^2/2"}, "two clients in the plane", holds)
