"""The checks behind Example 1 (quadratic surrogate) and Appendix A.1, for vectors of every dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import decide, derive, verify
from fedmm_edu.proofs.gram import Vector, atoms, evaluate, inner, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness

HALF = sp.Rational(1, 2)
rho, lipschitz = sp.symbols("rho L", positive=True)
t = sp.Symbol("t", real=True)


@dataclass(frozen=True)
class Smooth:
    """f on a union of intervals, one polynomial per interval, with a claimed Lipschitz constant L of f'."""

    pieces: tuple[tuple[sp.Interval, sp.Expr], ...]
    L: sp.Rational

    def facts(self) -> set[str]:
        """Θ convex: one interval. f' L-Lipschitz: decided where all f' are one affine function, else by two points."""
        slopes = {sp.expand(sp.diff(f, t)) for _, f in self.pieces}
        affine = len(slopes) == 1 and sp.degree(next(iter(slopes)), t) <= 1
        bounded = affine and abs(sp.diff(next(iter(slopes)), t)) <= self.L
        return ({"convex"} if len(self.pieces) == 1 else set()) | ({"Lipschitz"} if bounded else set())

    def below(self, hypotheses: Sequence[str], curvature: sp.Expr) -> Witness | None:
        """Points of Θ with f(θ) > f(τ) + f'(τ)(θ − τ) + curvature·(θ − τ)²/2, if `hypotheses` hold."""
        if not set(hypotheses) <= self.facts():
            return None
        points = [(point, f) for domain, f in self.pieces for point in (domain.start, domain.end)]
        for (theta, f), (tau, k) in product(points, points):
            bound = (k + sp.diff(k, t) * (theta - tau) + curvature * (theta - tau) ** 2 / 2).subs(t, tau)
            if f.subs(t, theta) > bound:
                values = {"f(theta)": str(f.subs(t, theta)), "bound": str(bound)}
                where = "; ".join(f"{piece} on {domain}" for domain, piece in self.pieces)
                point = {"f": where, "L_f": str(self.L), "theta": str(theta), "tau": str(tau)}
                return Witness(point, f"$f(\\theta) = {f.subs(t, theta)} > {bound}$", values)
        return None


SMOOTH = (
    Smooth(((sp.Interval(0, 1), t**2 / 2),), sp.S.One),
    Smooth(((sp.Interval(-2, -1), sp.S.Zero), (sp.Interval(1, 2), sp.S.One)), sp.Rational(1, 100)),
    Smooth(((sp.Interval(0, 2), t**4),), sp.S.One),
)
DIRECTION = r"\theta-\tau"
REMAINDER = r"f(\theta) - f(\tau) - \langle \nabla f(\tau), \theta-\tau \rangle"


def _remainder_bound() -> Hypothesis:
    """L·∫₀¹ t dt·‖θ − τ‖² bounds the Taylor remainder R of f at τ; t is the place on the segment."""
    (R,) = scalars("R")
    (d,) = atoms(DIRECTION)
    bound = sp.integrate(lipschitz * t, (t, 0, 1)) * square(d)
    slope = r"\langle \nabla f(\tau + t(\theta-\tau)) - \nabla f(\tau), \theta-\tau \rangle"
    bounded = r"\leq \int_0^1 L t \, dt \, \|\theta-\tau\|^2$ (fundamental theorem, Cauchy-Schwarz, Lipschitz gradient)"
    return Hypothesis(bound - R, rf"$R = {REMAINDER} = \int_0^1 {slope} dt {bounded}")


def check_descent_lemma(constant: sp.Rational = HALF, hypotheses: Sequence[str] = ("convex", "Lipschitz")) -> Verdict:
    """f(θ) ≤ f(τ) + ⟨∇f(τ), θ − τ⟩ + constant·L_f ‖θ − τ‖²."""

    def exact() -> Sequence[Step]:
        (R,), (d,) = scalars("R"), atoms(DIRECTION)
        share = sp.latex(constant * lipschitz)
        says = rf"${REMAINDER} \leq {share} \|\theta-\tau\|^2$"
        return verify(constant * lipschitz * square(d) - R, {"bound": _remainder_bound()}, {"bound": 1}, says=says)

    segment = Step(r"$\tau + t(\theta-\tau) \in \Theta$ for $t \in [0,1]$", r"$\Theta$ is the domain of the convex $g$")
    return decide(
        "certificate",
        lambda: derive(hypotheses, ("convex", segment), ("Lipschitz", exact)),
        [partial(f.below, hypotheses, 2 * constant * f.L) for f in SMOOTH],
    )


def check_quadratic_bound(largest: sp.Rational = sp.S.One) -> Verdict:
    """f(θ) ≤ f(τ) + ⟨∇f(τ), θ − τ⟩ + ‖θ − τ‖²/(2ρ) for every ρ with ρ L_f ≤ `largest`."""
    (R,), (d,) = scalars("R"), atoms(DIRECTION)
    given = {
        "lemma": _remainder_bound(),
        "step": Hypothesis(1 / rho - lipschitz / largest, rf"$\rho \leq {sp.latex(largest)}/L_f$"),
    }
    return decide(
        "certificate",
        lambda: verify(square(d) / (2 * rho) - R, given, {"lemma": 1, "step": square(d) / 2}),
        [partial(SMOOTH[0].below, ("convex", "Lipschitz"), SMOOTH[0].L / largest)],
    )


def smooth_instance() -> Witness:
    if SMOOTH[0].facts() != {"convex", "Lipschitz"}:
        raise InvalidInput("f = t^2/2 on [0, 1] must have a 1-Lipschitz gradient: correct the instance.")
    return Witness(
        {"f": "t^2/2", "Theta": "[0, 1]", "L_f": "1", "rho": "1"}, r"$\rho = 1/L_f$, the largest step allowed"
    )


ONE_DIMENSION = (
    {r"\theta": (2,), r"\tau": (1,), "G": (3,), "s": (5,)},
    {r"\theta": (0,), r"\tau": (1,), "G": (0,), "s": (1,)},
)


def identity(target: sp.Expr, says: str) -> Verdict:
    """`target = 0` for vectors of every dimension; refuted by numbers (d = 1, ρ = 1/2)."""

    def fails(values: dict) -> Witness | None:
        value = evaluate(target, values).subs(rho, HALF)
        point = {**{name: str(entries[0]) for name, entries in values.items()}, "rho": "1/2"}
        return None if value == 0 else Witness(point, f"left minus right is ${value}$", {"difference": str(value)})

    prove = partial(verify, target, {}, {}, equality=True, says=says)
    return decide("identity", prove, [partial(fails, values) for values in ONE_DIMENSION])


def check_identity(sign: int = -1, factor: sp.Expr = 1 / rho) -> Verdict:
    """⟨G, θ−τ⟩ + ‖θ−τ‖²/(2ρ) = (‖θ‖² − ‖τ‖²)/(2ρ) − factor·⟨τ + sign·ρG, θ−τ⟩ for any vector G = ∇f(τ)."""
    theta, tau, G = atoms(r"\theta", r"\tau", "G")
    left = inner(G, theta - tau) + square(theta - tau) / (2 * rho)
    right = (square(theta) - square(tau)) / (2 * rho) - factor * inner(tau + sign * rho * G, theta - tau)
    return identity(left - right, "both sides expand to the same combination of inner products")


def check_complete_square(constant: sp.Rational = -HALF) -> Verdict:
    """‖θ‖²/2 − ⟨s, θ⟩ = ‖θ − s‖²/2 + constant·‖s‖²."""
    theta, s = atoms(r"\theta", "s")
    target = square(theta) / 2 - inner(s, theta) - square(theta - s) / 2 - constant * square(s)
    return identity(target, "both sides expand to the same combination of inner products")


def check_example1(sign: int = -1, scale: sp.Expr = 1 / rho) -> Verdict:
    """MM-1 with ψ = ‖θ‖²/(2ρ), φ = scale·θ, S̄ = τ + sign·ρG, once the quadratic bound holds and E_π[G] = ∇f(τ)."""
    theta, tau, gradient = atoms(r"\theta", r"\tau", "G")
    s_bar = tau + sign * rho * gradient  # its mean: linear in G
    f_theta, f_tau = scalars(r"f(\theta)", r"f(\tau)")
    gap = f_tau - f_theta + (square(theta) - square(tau)) / (2 * rho) - inner(s_bar, scale * (theta - tau))
    bound = f_tau - f_theta + inner(gradient, theta - tau) + square(theta - tau) / (2 * rho)
    given = {"bound": Hypothesis(bound, r"the quadratic upper bound of $f$ at $\tau$, $G = \nabla f(\tau)$")}

    def fails(at: sp.Rational, of: sp.Rational) -> Witness | None:
        values = {r"\theta": (at,), r"\tau": (of,), "G": (of,)}  # f = θ²/2, ∇f(τ) = τ, ρ = 1/2 ≤ 1/L_f
        value = evaluate(gap, values).subs({f_theta: at**2 / 2, f_tau: of**2 / 2, rho: HALF})
        point = {"f": "theta^2/2", "rho": "1/2", "theta": str(at), "tau": str(of)}
        return None if value >= 0 else Witness(point, f"the gap of MM-1 is ${value}$", {"gap": str(value)})

    grid = [sp.Rational(k) for k in (-2, 0, 1, 2)]
    return decide(
        "certificate",
        lambda: verify(gap, given, {"bound": 1}, says="the gap of MM-1 is the gap of the quadratic bound"),
        [partial(fails, at, of) for at, of in product(grid, grid)],
    )


PROX_HYPOTHESES = ("convex", "lower semicontinuous")


def check_prox(weight: Literal["1", "rho"] = "rho", hypotheses: Sequence[str] = PROX_HYPOTHESES) -> Verdict:
    """argmin g + ‖θ‖²/(2ρ) − ⟨s, θ⟩/ρ = argmin weight·g + ‖θ − s‖²/2, one point for every s ∈ ℝ^d."""
    w = {"rho": rho, "1": sp.S.One}[weight]

    def same_minimisers() -> Sequence[Step]:
        (g,), (theta, s) = scalars(r"g(\theta)"), atoms(r"\theta", "s")
        surrogate = g + square(theta) / (2 * rho) - inner(s, theta) / rho
        target = rho * surrogate - w * g - square(theta - s) / 2 + square(s) / 2
        says = r"$\rho$ times the surrogate is the objective of the prox minus $\|s\|^2/2$, free of $\theta$"
        return verify(target, {}, {}, equality=True, says=says)

    def unique() -> Sequence[Step]:
        a, b, s = atoms("a", "b", "s")
        g_a, g_b, g_mid = scalars("g(a)", "g(b)", "g((a+b)/2)")

        def objective(g: sp.Expr, point: Vector) -> sp.Expr:
            return w * g + square(point - s) / 2

        average = (objective(g_a, a) + objective(g_b, b)) / 2
        target = average - objective(g_mid, (a + b) / 2) - square(a - b) / 8
        convex = {"convex": Hypothesis((g_a + g_b) / 2 - g_mid, "$g$ is convex")}
        says = r"the midpoint of $a$ and $b$ is lower than their average by $\|a-b\|^2/8$: two minimisers coincide"
        return verify(target, convex, {"convex": w}, says=says)

    affine = "a proper lower semicontinuous convex $g$ has an affine minorant: the objective is coercive"
    existence = Step("a minimiser exists", affine + ", lower semicontinuous, and attains its infimum (Weierstrass)")
    lines = (("", same_minimisers), ("convex", unique), ("convex; lower semicontinuous", existence))
    searches = [_soft_threshold(weight), *(partial(case, hypotheses) for case in (_two_minimisers, _no_minimiser))]
    return decide("derivation", lambda: derive(hypotheses, *lines), searches)


def _soft_threshold(weight: str) -> Callable[[], Witness | None]:
    """g = |θ|, ρ = 1/2, s = 2: the prox is θ = s − weight; compare the surrogate's values there and at s − ρ."""

    def search() -> Witness | None:
        s, step = sp.Integer(2), HALF
        candidate = s - {"rho": step, "1": sp.S.One}[weight]
        value, best = (abs(x) + x**2 / (2 * step) - s * x / step for x in (candidate, s - step))
        point = {"g": "|theta|", "rho": "1/2", "s": "2", "prox": str(candidate), "better": str(s - step)}
        return None if value <= best else Witness(point, f"the surrogate is ${value}$ there, but ${best}$ at $3/2$")

    return search


def _two_minimisers(hypotheses: Sequence[str]) -> Witness | None:
    """g = indicator of {−1, 1}: closed, not convex; at s = 0 both points give the same value."""
    left, right = ((point - sp.S.Zero) ** 2 / 2 for point in (-sp.S.One, sp.S.One))
    if "convex" in hypotheses or left != right:
        return None
    return Witness({"g": "indicator of {-1, 1}", "s": "0"}, r"both $-1$ and $1$ minimise", {"value": str(left)})


def _no_minimiser(hypotheses: Sequence[str]) -> Witness | None:
    """g = indicator of (0, 1]: convex, not closed; at s = 0 the infimum 0 of θ²/2 is not attained."""
    domain = sp.Interval.Lopen(0, 1)
    if "lower semicontinuous" in hypotheses or domain.contains(0) == sp.true or domain.inf != 0:
        return None
    return Witness(
        {"g": "indicator of (0, 1]", "s": "0"}, r"$\theta^2/2$ has infimum $0$ on $(0, 1]$, attained nowhere"
    )


def prox_instance() -> Witness:
    """g = |θ|, ρ = 1/2, s = 2, T(s) = 3/2: the surrogate minus its value there is (θ − 3/2)² + (|θ| − θ)."""
    theta = sp.Symbol("theta", real=True)
    surrogate = sp.Abs(theta) + theta**2 - 4 * theta
    best = sp.Rational(3, 2)
    sign = {"abs": Hypothesis(sp.Abs(theta) - theta, r"$|\theta| \geq \theta$")}
    verify(surrogate - surrogate.subs(theta, best), sign, {"abs": 1}, squares=[(1, theta - best)])
    return Witness({"g": "|theta|", "rho": "1/2", "s": "2"}, "convex and continuous", {"T(s)": "3/2"})
