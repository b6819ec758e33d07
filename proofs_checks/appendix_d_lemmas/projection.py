"""The projection in the B-norm (Lemma 3 of Appendix D) and what it makes of a step of FedMM (its corollary).

Proofs are certificates in the inner product ⟨u, v⟩_B = ⟨B^{1/2}u, B^{1/2}v⟩ of a symmetric positive definite B, for
every dimension. Refutations are exact: finite unions of intervals of ℝ (where every B-norm has the same projection),
and one half-plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner, operator, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction
from proofs_checks.shared.exact import admitted, first_failing
from proofs_checks.shared.tools import instance, tried

Pieces = tuple[tuple[F, F], ...]
ROOT = operator("B^{1/2}")
UNIT: Pieces = ((F(0), F(1)),)
WIDE: Pieces = ((F(-100), F(100)),)
TWO_POINTS: Pieces = ((F(0), F(0)), (F(3), F(3)))
gamma = sp.Symbol("gamma", positive=True)
lam, kappa = sp.symbols("lambda kappa", positive=True)


def nearest(pieces: Pieces, x: F) -> F:
    """A point of the union of closed intervals that is nearest to x."""
    return min((min(max(x, low), high) for low, high in pieces), key=lambda y: abs(y - x))


def contains(pieces: Pieces, x: F) -> bool:
    return any(low <= x <= high for low, high in pieces)


def shown(pieces: Pieces) -> str:
    return " ∪ ".join(f"[{low}, {high}]" if low < high else f"{{{low}}}" for low, high in pieces)


def b_inner(u: Vector, v: Vector) -> sp.Expr:
    """⟨u, v⟩_B."""
    return inner(ROOT(u), ROOT(v))


def b_square(u: Vector) -> sp.Expr:
    """‖u‖²_B."""
    return square(ROOT(u))


# ------------------------------------------------------------------------------------------------------ Lemma 3

STAYS = Step(
    r"$\Pi(\hat s, B) = \hat s$ for $\hat s \in \mathcal{B}$",
    r"$(s-\hat s)^\top B (s-\hat s)$ is 0 at $s = \hat s$ and positive elsewhere: $B$ is positive definite",
)


def variational(image: Vector, at: Vector, other: Vector) -> Hypothesis:
    """⟨Π(ŝ) − ŝ, s' − Π(ŝ)⟩_B ≥ 0 as a hypothesis of what follows from it."""
    return Hypothesis(b_inner(image - at, other - image), r"Lemma 3 at any $\hat s \in \mathbb{R}^q$; 𝒮 is convex")


def characterises(
    anywhere: bool = True, convex: bool = True, symmetric: bool = True, wanted: Literal["<= 0", "> 0", ">= 0"] = ">= 0"
) -> Verdict:
    """⟨Π(ŝ,B) − ŝ, s' − Π(ŝ,B)⟩_B `wanted` for s' in 𝓑, ŝ in 𝓑 (`anywhere`: in ℝ^q); one of ">= 0", "> 0", "<= 0"."""
    image, at, other = atoms(r"\Pi", r"\hat s", "s'")
    pairing = b_inner if symmetric else (lambda u, v: inner(operator("B")(u), v))  # without a root, ⟨Bu, v⟩ ≠ ⟨Bv, u⟩
    sign, margin = {">= 0": (1, 0), "> 0": (1, kappa), "<= 0": (-1, 0)}[wanted]  # > 0: above some κ > 0

    def prove() -> Sequence[Step]:
        if not anywhere:
            says = r"$\langle 0, s' - \hat s \rangle_B = 0$"
            return (STAYS, *verify(sign * pairing(at - at, other - at) - margin, {}, {}, says=says))
        direction, offset = other - image, image - at
        minimal = pairing(offset + lam * direction, offset + lam * direction) - pairing(offset, offset)
        why = r"$\Pi + \lambda(s' - \Pi) \in \mathcal{B}$ for $0 < \lambda \leq 1$ (convex), and $\Pi$ is nearest"
        given = {"nearest": Hypothesis(minimal, why)} if convex else {}
        target = sign * pairing(offset, direction) - margin + lam / 2 * pairing(direction, direction)
        says = r"$\langle \Pi - \hat s, s' - \Pi \rangle_B \geq -\frac{\lambda}{2} \|s' - \Pi\|^2_B$"
        steps = verify(target, given, {"nearest": 1 / (2 * lam)}, says=says)
        limit = r"let $\lambda \to 0$. $\Pi$ exists as 𝓑 is closed and not empty (cited: Weierstrass); it is unique:"
        last = Step(r"$\langle \Pi - \hat s, s' - \Pi \rangle_B \geq 0$", limit)
        pairs = ((0, _paired(onto_plane(x), x, y, onto_plane(x))) for x, y in product(GRID, repeat=2) if y[1] >= 0)
        return (*steps, last, *_unique(), *tried(f"pairs of points of {PLANE}", pairs))

    def on_the_line() -> Witness | None:
        sets = (UNIT,) if convex else (UNIT, TWO_POINTS)
        for pieces, x, y in product(sets, map(F, (-1, 0, 1, 2, 3)), map(F, (0, 1, 3))):
            if not contains(pieces, y) or not (anywhere or contains(pieces, x)):
                continue
            p = nearest(pieces, x)
            value = (p - x) * (y - p)
            if not {">= 0": value >= 0, "> 0": value > 0, "<= 0": value <= 0}[wanted]:
                point = {"set": shown(pieces), "B": "1", "shat": str(x), "s'": str(y), "projection": str(p)}
                return Witness(point, f"$\\langle \\Pi - \\hat s, s' - \\Pi \\rangle_B = {value}$")
        return None

    def half_plane() -> Witness | None:
        B, x, p, y = sp.Matrix([[1, 1], [-1, 1]]), sp.Matrix([0, -1]), sp.zeros(2, 1), sp.Matrix([-1, 0])
        value = (B * (p - x)).dot(y - p)
        euclidean = 2 * sp.eye(2) == B + B.T  # uᵀBu = ‖u‖²: Π is the Euclidean projection onto {second entry ≥ 0}
        if symmetric or not anywhere or not euclidean or value >= 0:
            return None
        point = {"set": "second coordinate >= 0", "B": "[[1, 1], [-1, 1]]", "shat": "0, -1", "s'": "-1, 0"}
        return Witness(
            point, f"$u^\\top B u = \\|u\\|^2$, $\\Pi = 0$ and $\\langle B(\\Pi-\\hat s), s'-\\Pi \\rangle = {value}$"
        )

    return decide("certificate", prove, [on_the_line, half_plane])


GRID = tuple(product(map(F, (-2, 0, 1)), map(F, (-1, 0, 3))))
PLANE = "a grid, projected onto the half-plane of points with second coordinate ≥ 0 for B = [[2, 1], [1, 2]]"


def onto_plane(x: tuple[F, F]) -> tuple[F, F]:
    """The point of {second coordinate ≥ 0} that is nearest to x for B = [[2, 1], [1, 2]]: B(Π(x) − x) points up."""
    return x if x[1] >= 0 else (x[0] + x[1] / 2, F(0))


def _paired(a: tuple[F, F], b: tuple[F, F], c: tuple[F, F], d: tuple[F, F]) -> F:
    """⟨a − b, c − d⟩_B for B = [[2, 1], [1, 2]]."""
    u, v = (a[0] - b[0], a[1] - b[1]), (c[0] - d[0], c[1] - d[1])
    return 2 * u[0] * v[0] + u[0] * v[1] + u[1] * v[0] + 2 * u[1] * v[1]


def _unique() -> Sequence[Step]:
    """Two nearest points of a convex set are one point: their middle lies in the set."""
    one, two, at = atoms(r"\Pi", r"\Pi'", r"\hat s")
    half = sp.Rational(1, 2)
    middle = b_square((one + two) * half - at)
    given = {
        "first": Hypothesis(middle - b_square(one - at), r"$\Pi$ is nearest, $(\Pi+\Pi')/2 \in \mathcal{B}$ (convex)"),
        "second": Hypothesis(middle - b_square(two - at), r"$\Pi'$ is nearest, too"),
    }
    says = r"$-\frac{1}{4}\|\Pi-\Pi'\|_B^2 \geq 0$: two nearest points coincide"
    return verify(-b_square(one - two) / 4, given, {"first": half, "second": half}, says=says)


def nonexpansive(
    anywhere: bool = True, convex: bool = True, factor: F = F(1), relation: Literal["<=", ">="] = "<="
) -> Verdict:
    """factor·‖Π(ŝ₁,B) − Π(ŝ₂,B)‖_B `relation` ‖ŝ₁ − ŝ₂‖_B for ŝ₁, ŝ₂ in 𝓑 (`anywhere`: in ℝ^q), compared squared."""
    sign = 1 if relation == "<=" else -1
    scale = sp.Rational(factor.numerator, factor.denominator) ** 2
    p1, p2, x1, x2 = atoms(r"\Pi_1", r"\Pi_2", r"\hat s_1", r"\hat s_2")

    def prove() -> Sequence[Step]:
        if not anywhere:
            same = r"$\|\Pi_1 - \Pi_2\|_B = \|\hat s_1 - \hat s_2\|_B$"
            return (STAYS, *verify(sign * (1 - scale) * b_square(x1 - x2), {}, {}, says=same))
        lines = {"first": variational(p2, x2, p1), "second": variational(p1, x1, p2)}
        given = lines if convex else {}
        target = sign * (b_square(x1 - x2) - scale * b_square(p1 - p2))
        says = r"$\|\Pi_1 - \Pi_2\|_B^2 \leq \|\hat s_1 - \hat s_2\|_B^2$"
        steps = verify(target, given, {"first": 2, "second": 2}, [(1, ROOT(x1 - x2 - p1 + p2))], says=says)
        images = ((onto_plane(x), onto_plane(y), x, y) for x, y in product(GRID, repeat=2))
        pairs = ((factor**2 * _paired(p, q, p, q), _paired(x, y, x, y)) for p, q, x, y in images)
        return (*steps, *tried(f"pairs of points of {PLANE}", pairs))

    def fails() -> Witness | None:
        for pieces, x, y in product((UNIT,) if convex else (UNIT, TWO_POINTS), map(F, (-1, 0, 1, 2)), map(F, (0, 1))):
            if not anywhere and not (contains(pieces, x) and contains(pieces, y)):
                continue
            apart = abs(nearest(pieces, x) - nearest(pieces, y))
            if sign * factor * apart > sign * abs(x - y):
                point = {"set": shown(pieces), "B": "1", "shat_1": str(x), "shat_2": str(y)}
                return Witness(point, f"${factor} \\cdot {apart}$ is not ${relation} {abs(x - y)}$")
        return None

    return decide("certificate", prove, [fails])


# ------------------------------------------------------------------------------------- the corollary of Lemma 3


@dataclass(frozen=True)
class Move:
    """One step on 𝒮 ⊂ ℝ with B_t = b: Ŝ_{t+1} = Π(Ŝ_t + γH, b), and Π(Ŝ_t + γh(Ŝ_t), b) beside it."""

    pieces: Pieces
    s: F
    H: F
    h: F
    gamma: F = F(1)
    b: F = F(1)

    @property
    def shift(self) -> F:
        return nearest(self.pieces, self.s + self.gamma * self.H) - self.s

    @property
    def E(self) -> F:
        return self.b * self.shift**2 / self.gamma**2

    @property
    def E_bar(self) -> F:
        return self.b * (nearest(self.pieces, self.s + self.gamma * self.h) - self.s) ** 2 / self.gamma**2

    def facts(self) -> set[str]:
        convex = {"𝒮 convex"} if len(self.pieces) == 1 else set()
        return convex | ({"Ŝ_t ∈ 𝒮"} if contains(self.pieces, self.s) else set())

    def witness(self, says: str) -> Witness:
        point = {
            "S": shown(self.pieces),
            "Shat_t": self.s,
            "H": self.H,
            "h": self.h,
            "gamma": self.gamma,
            "B_t": self.b,
        }
        return Witness({k: str(v) for k, v in point.items()}, says, {"E": str(self.E), "E_bar": str(self.E_bar)})


MOVES = (
    Move(WIDE, F(0), F(1), F(1)),
    Move(WIDE, F(0), F(2), F(1)),
    Move(WIDE, F(0), F(1), F(2)),
    Move(WIDE, F(0), F(0), F(3)),
    Move(WIDE, F(0), F(3), F(0)),
    Move(WIDE, F(0), F(3), F(-1), b=F(2)),
    Move(UNIT, F(1, 2), F(3), F(-1), gamma=F(1, 2)),
    Move(UNIT, F(2), F(1), F(0)),
    Move(TWO_POINTS, F(0), F(2), F(1)),
    Move(TWO_POINTS, F(0), F(1), F(2)),
)
USED = ("𝒮 convex", "Ŝ_t ∈ 𝒮")
DELTA, BAR, DIRECTION, ERROR = atoms(r"\Delta\hat S", r"\bar\Delta", "h", "e")
"""ΔŜ, Π(Ŝ_t + γh, B_t) − Ŝ_t, h(Ŝ_t) and e = H_{t+1} − h(Ŝ_t)."""


def check_descent(hypotheses: Sequence[str] = USED, factor: F = F(1), sign: int = 1) -> Verdict:
    """factor·γ E_{t+1} ≤ sign·⟨Ŝ_{t+1} − Ŝ_t, H_{t+1}⟩_{B_t}, where γ²E_{t+1} = ‖Ŝ_{t+1} − Ŝ_t‖²_{B_t}."""

    def prove() -> Sequence[Step]:
        H, own = DIRECTION + ERROR, {"𝒮 convex", "Ŝ_t ∈ 𝒮"} <= set(hypotheses)
        line = variational(DELTA, gamma * H, DELTA - DELTA)  # Lemma 3 at s' = Ŝ_t ∈ 𝒮; the origin moved to Ŝ_t
        target = sign * b_inner(DELTA, H) - sp.Rational(factor.numerator, factor.denominator) * b_square(DELTA) / gamma
        says = r"$\gamma E_{t+1} \leq \langle \hat S_{t+1} - \hat S_t, H_{t+1} \rangle_{B_t}$"
        steps = verify(target, {"Lemma 3": line} if own else {}, {"Lemma 3": 1 / gamma}, says=says)
        return (*steps, *tried("exact steps on ℝ", map(compare, admitted(MOVES, hypotheses))))

    def compare(move: Move) -> tuple[F, F]:
        return factor * move.gamma * move.E, sign * move.b * move.shift * move.H

    def wrong(move: Move) -> str | None:
        left, right = compare(move)
        return f"the left side is ${left}$, the right side ${right}$" if left > right else None

    return decide("certificate", prove, [lambda: first_failing(MOVES, hypotheses, wrong)])


def check_exchange(
    power: int = 2, own: F = F(2), error: F = F(2), sign: int = 1, hypotheses: Sequence[str] = USED
) -> Verdict:
    """Ē ≤ own·E + sign·error·‖H − h‖^power_B, and the same with E and Ē exchanged."""
    convex = [name for name in hypotheses if name == "𝒮 convex"]
    moves = [move for move in MOVES if move.b == 1 or power % 2 == 0]  # ‖·‖_B to an odd power: b = 1 only

    def one(swap: bool) -> Verdict:
        def prove() -> Sequence[Step]:
            left, right = (DELTA, BAR) if swap else (BAR, DELTA)
            size = sp.Symbol(r"{\|H-h\|_{B_t}}", nonnegative=True)
            lemma = (gamma * size) ** 2 - b_square(DELTA - BAR)
            why = r"Lemma 3 at $\hat S_t + \gamma H_{t+1}$ and $\hat S_t + \gamma h(\hat S_t)$"
            a, c = (sp.Rational(value.numerator, value.denominator) for value in (own, sign * error))
            target = a * b_square(right) / gamma**2 + c * size**power - b_square(left) / gamma**2
            given = {"nonexpansive": Hypothesis(lemma, why)} if convex else {}
            steps = verify(target, given, {"nonexpansive": 2 / gamma**2}, [(1 / gamma**2, ROOT(2 * right - left))])
            return (*steps, *tried("exact steps on ℝ", (compare(move)[1:] for move in admitted(moves, convex))))

        def compare(move: Move) -> tuple[F, F, F]:
            left, right = (move.E, move.E_bar) if swap else (move.E_bar, move.E)
            size = move.b ** (power // 2) * abs(move.H - move.h) ** power
            return size, left, own * right + sign * error * size

        def wrong(move: Move) -> str | None:
            size, left, bound = compare(move)
            return f"$\\|H - h\\|_B^{power} = {size}$: the left side is ${left} > {bound}$" if left > bound else None

        return decide("certificate", prove, [lambda: first_failing(moves, convex, wrong)])

    return conjunction({r"$\bar E \leq \ldots$": one(False), r"$E \leq \ldots$": one(True)})


def projection_instance() -> Witness:
    """A step that leaves 𝒮 and is projected back."""
    move = MOVES[6]
    outside = move.s + move.gamma * move.H
    return instance(
        {"S": shown(move.pieces), "Shat_t": move.s, "H": move.H, "gamma": move.gamma, "E": move.E, "E_bar": move.E_bar},
        "a step that leaves 𝒮 and is projected back onto its boundary",
        {
            "S convex, Shat_t in S": move.facts() == set(USED),
            "the step leaves S": not contains(move.pieces, outside),
            "so Shat_{t+1} is another point": nearest(move.pieces, outside) != outside,
        },
    )


def set_instance() -> Witness:
    """A closed convex set with two of its points and one outside."""
    return instance(
        {"set": shown(UNIT), "B": 1, "shat_1": 0, "shat_2": 1, "outside": 2},
        "two points of a closed convex set, which the projection leaves where they are, and one that it moves",
        {
            "in the set": contains(UNIT, F(0)) and contains(UNIT, F(1)),
            "they stay": nearest(UNIT, F(0)) == 0 and nearest(UNIT, F(1)) == 1,
            "the third moves": nearest(UNIT, F(2)) == 1,
        },
    )
