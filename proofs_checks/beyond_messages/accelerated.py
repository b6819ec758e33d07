"""Nesterov's acceleration for the quadratic surrogate, T the prox of g: one round of his Lyapunov function.

The server queries at y = (1 − 1/t)x + z/t, x⁺ minimises the surrogate at y, z⁺ = z + t(x⁺ − y), and t² − t ≤ t_−² for
the t_− of the round before. Refutations are exact rounds on the line, f = slope·x²/2, g the indicator of an interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.exact import admitted, as_text, first_failing, satisfying, value_at

NESTEROV = ("MM-1", "f convex", "g convex", "t")
L = sp.Symbol("L", positive=True)
before = sp.Symbol("t_{-}", real=True)
more = sp.Symbol("{(t-1)}", nonnegative=True)
X, Z, STAR, NEW, GRAD = atoms("x", "z", r"x_\star", "x^+", r"\nabla f(y)")


@dataclass(frozen=True)
class Round:
    """x, z and t on the line; f = slope·x²/2, majorised with L; g the indicator of [low, high], x⁺ its best point."""

    x: F
    z: F
    t: F
    before: F
    slope: F
    L: F
    low: F
    high: F
    hole: bool = False  # g allows the two ends alone

    def W(self, x: F) -> F:
        return self.slope * x * x / 2

    @property
    def star(self) -> F:
        """A minimiser over the interval."""
        inside = [self.low, self.high, *([F(0)] if self.low <= 0 <= self.high and not self.hole else [])]
        return min(inside, key=self.W)

    def facts(self) -> set[str]:
        tests = {
            "MM-1": self.slope <= self.L,
            "f convex": self.slope >= 0,
            "g convex": not self.hole,
            "t": self.t**2 - self.t <= self.before**2,
        }
        return {name for name, holds in tests.items() if holds}

    def sides(self) -> tuple[F, F]:
        """t²(W⁺ − W_⋆) and t_−²(W − W_⋆), each with (L/2)‖z − x_⋆‖² of its time."""
        y = (1 - 1 / self.t) * self.x + self.z / self.t
        aim = y - self.slope * y / self.L
        ends = (self.low, self.high)
        new = min(ends, key=lambda e: abs(e - aim)) if self.hole else max(self.low, min(self.high, aim))
        z, least = self.z + self.t * (new - y), self.W(self.star)
        after = self.t**2 * (self.W(new) - least) + self.L / 2 * (z - self.star) ** 2
        return after, self.before**2 * (self.W(self.x) - least) + self.L / 2 * (self.z - self.star) ** 2

    def witness(self, says: str) -> Witness:
        return Witness(as_text(vars(self)), says)


def rounds() -> Iterator[Round]:
    """Rounds that satisfy all, then those of which one hypothesis fails."""
    one = F(1)
    for x, z, (size, prior) in product((F(0), one, F(-1)), (F(0), one, F(-1)), ((F(2), F(3, 2)), (one, one))):
        for slope in (F(1, 2), one, F(1, 1000)):
            yield Round(x, z, size, prior, slope, one, -one, one)
            yield Round(x, z, size, prior, 4 * one, one, F(-9), F(9))  # MM-1
            yield Round(x, z, size, prior, -slope, one, -one, one)  # f convex
            if x:  # g convex: x is one of the two points
                yield Round(x, 4 * z, size, prior, slope, one, *((x, F(3)) if x > 0 else (F(-3), x)), True)
            yield Round(x, z, F(9), prior, slope, one, -one, one)  # t


def lyapunov(hypotheses: Sequence[str] = NESTEROV, speed: str = "1", weight: str = "1/2", sign: int = 1) -> Verdict:
    """t²(W⁺ − W_⋆) + weight·L‖z⁺ − x_⋆‖² ≤ sign·speed·(t_−²(W − W_⋆) + weight·L‖z − x_⋆‖²), W = f + g."""
    k, w = sign * sp.Rational(speed), sp.Rational(weight)

    def prove() -> Sequence[Step]:
        size = 1 + more  # t ≥ 1
        W, W_, Ws = sp.symbols(r"W W^+ W_\star", real=True)
        y = (more / size) * X + Z / size
        lines, steps = {}, []
        for name, point, value in (("x", X, W), ("x_⋆", STAR, Ws)):
            given = _prox_gradient(hypotheses, y, point)
            fx, gx, fn, gn = (given[1][key] for key in ("f(x)", "g(x)", "f(x+)", "g(x+)"))
            target = fx + gx - fn - gn - L / 2 * square(NEW - y) - L * inner(NEW - y, y - point)
            steps += verify(target, given[0], {"MM-1": 1, "f convex": 1, "g convex": 1})
            bound = value - W_ - L / 2 * square(NEW - y) - L * inner(NEW - y, y - point)
            lines[name] = Hypothesis(bound, f"the line above, for ${'x' if name == 'x' else 'x_star'}$")
        lines["W ≥ W_⋆"] = Hypothesis(
            (before**2 - size**2 + size) * (W - Ws), r"$t^2 - t \leq t_-^2$, $W \geq W_\star$"
        )
        if "t" not in hypotheses:
            del lines["W ≥ W_⋆"]
        new = Z + size * (NEW - y)
        after = size**2 * (W_ - Ws) + w * L * square(new - STAR)
        prior = before**2 * (W - Ws) + w * L * square(Z - STAR)
        used = {"x": size * more, "x_⋆": size, "W ≥ W_⋆": 1}
        return (*steps, *verify(k * prior - after, lines, used))

    def wrong(one: Round) -> str | None:
        after, prior = one.sides()
        half = one.L / 2 * (2 * F(weight) - 1)
        y = (1 - 1 / one.t) * one.x + one.z / one.t
        new = max(one.low, min(one.high, y - one.slope * y / one.L))
        z = one.z + one.t * (new - y)
        if not one.hole:
            after += half * (z - one.star) ** 2
            prior += half * (one.z - one.star) ** 2
        bound = sign * F(speed) * prior
        return f"${after} > {bound}$" if after > bound else None

    return decide("certificate", prove, [lambda: first_failing(rounds(), hypotheses, wrong)])


def _prox_gradient(
    hypotheses: Sequence[str], y: Vector, point: Vector
) -> tuple[dict[str, Hypothesis], dict[str, sp.Expr]]:
    """MM-1 at y, convexity of f at y, and of g at x⁺, whose subgradient there is −∇f(y) − L(x⁺ − y)."""
    fy, fx, fn, gx, gn = sp.symbols("f(y) f(x) f(x^+) g(x) g(x^+)", real=True)
    slope = -GRAD - L * (NEW - y)
    lines = {
        "MM-1": (fy + inner(GRAD, NEW - y) + L / 2 * square(NEW - y) - fn, r"MM-1: the surrogate at y, $\rho = 1/L$"),
        "f convex": (fx - fy - inner(GRAD, point - y), "f is convex"),
        "g convex": (gx - gn - inner(slope, point - NEW), r"MM-2: $-\nabla f(y) - L(x^+-y) \in \partial g(x^+)$"),
    }
    given = {name: Hypothesis(e, why) for name, (e, why) in lines.items() if name in hypotheses}
    return given, {"f(x)": fx, "g(x)": gx, "f(x+)": fn, "g(x+)": gn}


def lyapunov_instance() -> Witness:
    """A round that moves, with a momentum, which satisfies every hypothesis."""
    one = next(r for r in admitted(rounds(), NESTEROV) if r.x and r.z and r.t > 1)
    return satisfying(one, NESTEROV, "a round on the line")


# ------------------------------------------------------------------------------------------------------------- restarts

RESTART = ("rounds", "growth", "restart")
mu, T = sp.symbols(r"\mu T", positive=True)
FACTOR = "4*L/(mu*(T+1)**2)"


@dataclass(frozen=True)
class Block:
    """T rounds with t_k = (k + 1)/2 on the line from x and z; f = slope·x²/2, L = 1, claimed to grow with μ."""

    x: F
    z: F
    T: int
    slope: F
    mu: F
    momentum: bool = True  # else z is set to x in each round

    def facts(self) -> set[str]:
        tests = {"rounds": self.momentum, "growth": self.slope >= self.mu, "restart": self.z == self.x}
        return {name for name, holds in tests.items() if holds}

    def after(self) -> F:
        """W(x_T) − W_⋆."""
        x, z = self.x, self.z
        for k in range(1, self.T + 1):
            size = F(k + 1, 2)
            y = (1 - 1 / size) * x + z / size
            x = (1 - self.slope) * y
            z = z + size * (x - y) if self.momentum else x
        return self.slope * x * x / 2

    def witness(self, says: str) -> Witness:
        return Witness(as_text(vars(self)), says)


def blocks() -> Iterator[Block]:
    """Blocks that satisfy all, of few and of many rounds, then those of which one hypothesis fails."""
    for rounds_, slope in ((3, F(1, 4)), (24, F(1, 10**4)), (47, F(1, 10**4))):
        yield Block(F(1), F(1), rounds_, slope, slope)
        yield Block(F(1), F(1), rounds_, slope, F(1))  # growth
        yield Block(F(1, 10), F(9), rounds_, slope, slope)  # restart
    yield Block(F(1), F(1), 40, F(1, 100), F(1, 100), momentum=False)  # rounds


def restart(hypotheses: Sequence[str] = RESTART, factor: str = FACTOR, sign: int = 1) -> Verdict:
    """W(x_T) − W_⋆ ≤ sign·factor·(W(x_0) − W_⋆) after T rounds with t_k = (k + 1)/2 from z_0 = x_0."""
    size = sign * sp.sympify(factor, {"L": L, "mu": mu, "T": T})

    def prove() -> Sequence[Step]:
        k = 1 + more
        now, prior = (k + 1) / 2, k / 2
        room = verify(
            prior**2 - now**2 + now,
            {},
            {},
            [(1, sp.S.Half)],
            says="$t_k^2-t_k \\leq t_{k-1}^2$; $t_0^2-t_0 \\leq 0$ with $t_1 = 1$",
        )
        first, last = sp.symbols(r"{W(x_0)-W_\star} {W(x_T)-W_\star}", nonnegative=True)
        lines = {
            "rounds": ((L / 2) * square(Z - STAR) - ((T + 1) / 2) ** 2 * last - (L / 2) * square(NEW - STAR),
                       "own-accelerated, T times: the sums telescope; $x^+$ stands for $z_T$"),
            "restart": (square(X - STAR) - square(Z - STAR), "$z_0 = x_0$"),
            "growth": (first - mu / 2 * square(X - STAR), r"$W(x)-W_\star \geq \frac{\mu}{2}\|x-x_\star\|^2$"),
        }  # fmt: skip
        given = {name: Hypothesis(e, why) for name, (e, why) in lines.items() if name in hypotheses}
        weight = ((T + 1) / 2) ** -2
        factors = {"rounds": weight, "restart": weight * L / 2, "growth": weight * L / mu}
        return (*room, *verify(size * first - last, given, factors, [(weight * L / 2, NEW - STAR)]))

    def wrong(one: Block) -> str | None:
        left, bound = one.after(), value_at(size, {L: F(1), mu: one.mu, T: F(one.T)}) * one.slope * one.x**2 / 2
        return f"$W(x_T)-W_\\star = {float(left):.6g} > {float(bound):.6g}$" if left > bound else None

    return decide("certificate", prove, [lambda: first_failing(blocks(), hypotheses, wrong)])


def restart_instance() -> Witness:
    """A block of three rounds that satisfies every hypothesis."""
    return satisfying(next(admitted(blocks(), RESTART)), RESTART, "three rounds on the line")
