"""A7 (`hyp:DL2`) for the quadratic surrogate: what a proximal map satisfies, and where its φ∘T has a matrix B(s)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, nonnegative, same_vector, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import vanishes

Q = sp.Rational
rho = sp.Symbol("rho", positive=True)
K, N = sp.symbols("C_star N", positive=True)


@dataclass(frozen=True)
class Penalty:
    """g on ℝ with prox(s, ρ) = argmin g + (θ − s)²/(2ρ); `facts`: the classes of `PROXES` that it belongs to."""

    name: str
    prox: Callable[[sp.Expr, sp.Expr], sp.Expr]
    facts: frozenset[str]


def _soft(s: sp.Expr, step: sp.Expr) -> sp.Expr:
    return sp.sign(s) * max(abs(s) - step, sp.S.Zero)


PENALTIES = (
    Penalty("0", lambda s, _: s, frozenset({"convex", "affine", "quadratic", "zero"})),
    Penalty("theta", lambda s, step: s - step, frozenset({"convex", "affine", "quadratic"})),
    Penalty("theta**2/2", lambda s, step: s / (1 + step), frozenset({"convex", "quadratic"})),
    Penalty("|theta|", _soft, frozenset({"convex"})),
    Penalty("indicator of {0}", lambda s, _: s * 0, frozenset({"convex"})),
    Penalty("-theta**2/3 (not convex)", lambda s, step: s / (1 - 2 * step / 3), frozenset()),
)
POINTS = tuple(map(Q, ("-2", "-1/2", "0", "1/100", "1", "101/100", "3")))
PAIRS = [(a, b) for a, b in product(POINTS, POINTS) if a != b]


def _search(facts: Sequence[str], fails: Callable[[Penalty, sp.Rational, sp.Rational, sp.Rational], str | None]):
    """The counterexample searches: each penalty with these facts, each step ρ and pair of points."""

    def search(penalty: Penalty) -> Witness | None:
        for step, (s, t) in product((Q(1), Q(1, 2)), PAIRS):
            if says := fails(penalty, step, s, t):
                return Witness({"g": penalty.name, "rho": str(step), "s": str(s), "s'": str(t)}, says)
        return None

    return [partial(search, penalty) for penalty in PENALTIES if set(facts) <= penalty.facts]


# --------------------------------------------------------------------------------------------- eq. A8:gdtprox and :2

MONOTONE = "convex"
e, d = atoms("s'-s", r"\mathrm{prox}(s')-\mathrm{prox}(s)")


def _monotone(hypotheses: Sequence[str]) -> dict[str, Hypothesis]:
    why = r"$\rho^{-1}(s-\mathrm{prox}(s)) \in \partial g(\mathrm{prox}(s))$, and $\partial g$ is monotone: g is convex"
    return {"monotone": Hypothesis(inner(e - d, d), why)} if MONOTONE in hypotheses else {}


def residual_is_lipschitz(factor: str = "1", keep: str = "0", hypotheses: Sequence[str] = (MONOTONE,)) -> Verdict:
    """‖e − d‖² + keep·‖d‖² ≤ factor·‖e‖² with e = s' − s and d = prox(s') − prox(s), in every dimension."""
    f, k = Q(factor), Q(keep)

    def fails(g: Penalty, step: sp.Rational, s: sp.Rational, t: sp.Rational) -> str | None:
        move, proxes = t - s, g.prox(t, step) - g.prox(s, step)
        left, right = (move - proxes) ** 2 + k * proxes**2, f * move**2
        return f"the left-hand side is ${left}$, the right-hand side ${right}$" if left > right else None

    target = f * square(e) - square(e - d) - k * square(d)
    parts = [(1 - k, d), (f - 1, e)]
    says = rf"$\|(s'-p') - (s-p)\|^2 + {k}\|p'-p\|^2 \leq {f} \|s'-s\|^2$ with $p = \mathrm{{prox}}(s)$"
    prove = partial(_certify, target, hypotheses, {"monotone": 2}, parts, says)
    return decide("Gram certificate", prove, _search(hypotheses, fails))


def _certify(target, hypotheses, multipliers, squares, says) -> tuple[Step, ...]:
    return verify(target, _monotone(hypotheses), multipliers, squares, says=says)


def inner_product_is_bounded(factor: str = "1", hypotheses: Sequence[str] = (MONOTONE,)) -> Verdict:
    """|⟨d, e⟩| ≤ ‖e‖·‖d‖ ≤ factor·‖e‖² (Cauchy-Schwarz, then ‖d‖ ≤ factor·‖e‖)."""
    f = Q(factor)

    def fails(g: Penalty, step: sp.Rational, s: sp.Rational, t: sp.Rational) -> str | None:
        left = abs((t - s) * (g.prox(t, step) - g.prox(s, step)))
        return f"${left} > {f * (t - s) ** 2}$" if left > f * (t - s) ** 2 else None

    def prove() -> Sequence[Step]:
        first = Step(r"$|\langle d, e\rangle| \leq \|e\| \, \|d\|$", "Cauchy-Schwarz")
        target = f**2 * square(e) - square(d)
        shorter = _certify(target, hypotheses, {"monotone": 2}, [(1, e - d), (f**2 - 1, e)], rf"$\|d\| \leq {f} \|e\|$")
        return (first, *shorter, Step(rf"$\|e\| \, \|d\| \leq {f} \|e\|^2$", "the line above times ‖e‖"))

    return decide("Gram certificate", prove, _search(hypotheses, fails))


# -------------------------------------------------------------------------------------------- the printed constants


def quadratic_constants(
    g: Literal["affine", "convex", "quadratic"], B: str, v_min: str, v_max: str, C_star: str, C_starstar: str
) -> Verdict:
    """A7 on ℝ^d for φ∘T = prox_{ρg}/ρ with these constants (expressions in ρ), for every g of the class `g`."""
    b, low, high, c1, c2 = (sp.sympify(text, {"rho": rho}) for text in (B, v_min, v_max, C_star, C_starstar))

    def fails(penalty: Penalty, step: sp.Rational, s: sp.Rational, t: sp.Rational) -> str | None:
        slope, least, most, first, second = (value.subs(rho, step) for value in (b, low, high, c1, c2))
        move, change = t - s, (penalty.prox(t, step) - penalty.prox(s, step)) / step
        if abs(change - slope * move) > first * move**2:
            return f"$|F(s')-F(s)-B(s'-s)| = {abs(change - slope * move)} > C_\\star|s'-s|^2 = {first * move**2}$"
        if abs(move * change) > second * move**2:
            return f"$|(s'-s)(F(s')-F(s))| = {abs(move * change)} > C_{{\\star\\star}}|s'-s|^2 = {second * move**2}$"
        return None if least <= slope <= most else f"$B = {slope}$ is not between ${least}$ and ${most}$"

    def exact() -> Sequence[Step]:
        """F(s') − F(s) − B(s' − s) for this class as a formal vector: of second order only if it is 0."""
        for name, gap in (("C_star", c1), ("B - v_min", b - low), ("v_max - B", high - b)):
            if not nonnegative(sp.cancel(gap)):
                raise CertificateFails(f"{name} = ${sp.latex(gap)}$ is not visibly >= 0.")
        s, new, old_prox, new_prox = PROXES[g]()
        change, move = (new_prox - old_prox) / rho, new - s
        (u,) = atoms("u")
        return (
            Step(rf"$\mathrm{{prox}}_{{\rho g}}(s) = {old_prox.latex()}$", f"g of the class: {g}"),
            same_vector(
                change, b * move, "the remainder is of first order in $s'-s$, so that no $C_\\star$ serves",
                says="the remainder is 0 for every pair",
            ),
            *verify(c2 * square(u) - b * square(u), {}, {}, [(sp.cancel(c2 - b), u)], says=(
                rf"$\langle s'-s, F(s')-F(s)\rangle = {sp.latex(b)}\|s'-s\|^2 \leq {sp.latex(c2)}\|s'-s\|^2$")),
        )  # fmt: skip

    verdict = decide("identity", exact, _search([g], fails))
    return verdict if g not in PENALTIES[2].facts else replace(verdict, evidence=(*verdict.evidence, *_order(b)))


def _known(shrink: sp.Expr, slope: Vector) -> tuple[Vector, ...]:
    """s, s' and their proximal points for g(θ) = ½h‖θ‖² + ⟨c, θ⟩, where prox(s) = shrink·(s − ρc)."""
    s, new = atoms("s", "s'")
    return s, new, shrink * (s - rho * slope), shrink * (new - rho * slope)


curvature = sp.Symbol("h", positive=True)
PROXES: dict[str, Callable[[], tuple[Vector, ...]]] = {
    "zero": lambda: _known(sp.S.One, Vector({})),
    "affine": lambda: _known(sp.S.One, atoms("c")[0]),
    "quadratic": lambda: _known(1 / (1 + rho * curvature), atoms("c")[0]),
    "convex": lambda: atoms("s", "s'", r"\mathrm{prox}(s)", r"\mathrm{prox}(s')"),  # nothing more is known of it
}
"""s, s', prox(s), prox(s') for every g of a class, as formal vectors (ρ the step, h and c of g)."""


def _order(b: sp.Expr) -> list[Step]:
    """For g = θ²/2, in the class: the remainder is of first order unless b = 1/(ρ(1 + ρ)), and no C_⋆ serves."""
    u = sp.Symbol("u", real=True)
    slope = 1 / (rho * (1 + rho))
    ratio = sp.cancel((slope * u - b * u) / u**2)
    if vanishes(ratio) or not vanishes(sp.diff(ratio * u, u)):
        return []
    return [
        Step(
            rf"$g = \theta^2/2$: $(F(s+u) - F(s) - Bu)/u^2 = {sp.latex(sp.factor(ratio))}$, unbounded as $u \to 0$",
            "exact; the remainder is of first order, so that no $C_\\star$ at all serves",
        ),
        Step(
            rf"second method: A7 makes $B(s)$ the derivative of $\phi \circ T$, here ${sp.latex(slope)}$",
            rf"it differs from the stated ${sp.latex(b)}$ by ${sp.latex(sp.factor(b - slope))} \neq 0$",
        ),
    ]


def identity_matrix_only_if(g: Literal["affine", "quadratic", "zero"], sign: int = 1) -> Verdict:
    """A7(i) holds on ℝ^d with B(s) = sign·I/ρ (and some C_⋆) exactly for the convex g of the class `g`."""

    def search(penalty: Penalty) -> Witness | None:
        holds = all(_second_order(penalty, step, s, sign) for step, s in product((Q(1), Q(1, 2)), POINTS))
        if holds == (g in penalty.facts):
            return None
        word, matrix = "holds" if holds else "fails", "I/\\rho" if sign == 1 else "-I/\\rho"
        return Witness(
            {"g": penalty.name}, f"A7 with $B = {matrix}$ {word} for this g, which does {'not ' * holds}belong"
        )

    def prove() -> Sequence[Step]:
        return (*_if_part(g, sign), *_only_affine(), *_belongs(g))

    return decide("derivation", prove, [partial(search, penalty) for penalty in PENALTIES if "convex" in penalty.facts])


def _if_part(g: str, sign: int) -> tuple[Step, ...]:
    """Every g of the class has the remainder 0 with B = sign·I/ρ."""
    s, new, old_prox, new_prox = PROXES[g]()
    why = "the remainder with B = I/ρ is of first order in $s'-s$"
    return (same_vector(new_prox - old_prox, sign * (new - s), why, says=f"if: for {g} g the remainder is 0"),)


def _only_affine() -> tuple[Step, ...]:
    """Only if: prox(s) = s + c for all s, so that g(y) = g(x) − ⟨c, y − x⟩/ρ."""
    x, y = scalars("g(x)", "g(y)")
    c, move = atoms("c", "y-x")
    slope = inner(c, move) / rho
    given = {
        "at x": Hypothesis(y - x + slope, r"$-c/\rho \in \partial g(x)$"),
        "at y": Hypothesis(x - y - slope, r"$-c/\rho \in \partial g(y)$"),
    }
    (u,) = atoms("u")
    bound = N * rho * K * square(u / N)  # N pieces of length ‖u‖/N
    if sp.limit(bound, N, sp.oo) != 0:
        raise CertificateFails("the sum over the pieces does not vanish.")
    return (
        Step(r"$R = \mathrm{prox} - \mathrm{id}$ has $\|R(s')-R(s)\| \leq \rho C_\star \|s'-s\|^2$", "A7 with B = I/ρ"),
        Step(rf"N pieces of length $\|u\|/N$: $\|R(s+u)-R(s)\| \leq {sp.latex(bound)} \to 0$", "the limit, exact"),
        Step(
            r"so $\mathrm{prox}(s) = s + c$, and $-c/\rho \in \partial g(x)$ for every $x = s + c$",
            "definition of prox",
        ),
        *verify(y - x + slope, given, {"at x": 1}, says=r"$g(y) \geq g(x) - \langle c, y-x\rangle/\rho$"),
        *verify(x - y - slope, given, {"at y": 1}, says="and the reverse: $g$ is affine, c any vector"),
    )


def _belongs(g: str) -> tuple[Step, ...]:
    """Every affine g, prox(s) = s + c, is of the class: its proximal map is the class's for some slope."""
    s, _, old_prox, _ = PROXES[g]()
    c = atoms("c")[0]
    free = old_prox.coefficients.get("c", sp.S.Zero)
    scale = 0 if vanishes(free) else -1 / free  # the class's own slope, where it has one, is scale times c
    fitted = Vector({name: value * (scale if name == "c" else 1) for name, value in old_prox.coefficients.items()})
    return (same_vector(fitted, s - c, f"a slope c that no {g} g has", says=f"every affine g is {g}: any c occurs"),)


def _second_order(penalty: Penalty, step: sp.Rational, s: sp.Rational, sign: int) -> bool:
    """Whether prox(s + u) − prox(s) − sign·u is not of first order at s: its quotient by u is 0 on both sides."""
    moves = (Q(1, 10**6), -Q(1, 10**6))
    return all(penalty.prox(s + u, step) - penalty.prox(s, step) == sign * u for u in moves)


# --------------------------------------------------------------------------------------------- kinks: ℓ1, indicators

low, high, t = sp.Symbol("l", real=True), sp.Symbol("h", real=True), sp.Symbol("t", positive=True)
Piece = tuple[sp.Expr, sp.Expr, int]
PIECES: dict[
    str, tuple[Piece, Piece, Piece]
] = {  # prox as (from, to, slope): θ ↦ λ|θ| with t = ρλ, and the indicator of [l, h]
    "l1": ((-sp.oo, -t, 1), (-t, t, 0), (t, sp.oo, 1)),
    "indicator": ((-sp.oo, low, 0), (low, high, 1), (high, sp.oo, 0)),
}
AT = {t: Q(1), low: Q(-1), high: Q(1)}


def one_piece(penalty: Literal["indicator", "l1"], holds: Sequence[Literal["left", "middle", "right"]]) -> Verdict:
    """A7 holds on an interval with interior points exactly if it lies in one of the pieces `holds` ("left" …)."""
    left, middle, right = PIECES[penalty]
    pieces: dict[str, Piece] = {"left": left, "middle": middle, "right": right}

    def search() -> Witness | None:
        numbers = [value.subs(AT) for value in (pieces["middle"][0], pieces["middle"][1])]
        ends = sorted({*numbers, Q(-3), Q(-2), Q(0), Q(2), Q(3)})
        for a, b in ((a, b) for a, b in product(ends, ends) if a < b):
            slopes = {slope for lo, hi, slope in pieces.values() if max(a, lo.subs(AT)) < min(b, hi.subs(AT))}
            claimed = any(pieces[name][0].subs(AT) <= a and b <= pieces[name][1].subs(AT) for name in holds)
            if (slopes == {1}) != claimed:
                true = "holds" if slopes == {1} else "fails"
                point = {"rho": "1", **{str(k): str(v) for k, v in AT.items() if pieces["middle"][0].has(k)}}
                return Witness({**point, "S": f"[{a}, {b}]"}, f"A7 {true} here: the slopes of prox on it are {slopes}")
        return None

    def prove() -> Sequence[Step]:
        steps = []
        for name, (_, _, slope) in pieces.items():
            if (slope == 1) != (name in holds):
                raise CertificateFails(f"on the {name} piece the slope of prox is {slope}: the claim does not fit.")
            why = "B = 1/ρ, remainder 0" if slope else "B = 0 is forced: no v_min > 0"
            steps.append(Step(f"{name} piece: prox has slope {slope}", why))
        values = [piece[2] for piece in pieces.values()]
        if any(a == b for a, b in pairwise(values)):
            raise CertificateFails("two neighbouring pieces have the same slope: no kink between them.")
        return (
            *steps,
            Step(
                "at both break points the one-sided slopes of $\\phi \\circ T$ are 0 and $1/\\rho$",
                "no derivative, so no B(s)",
            ),
            Step("an interval lies in one closed piece, or has a break point inside", "the pieces cover the line"),
        )

    return decide("one-sided derivatives", prove, [search])
