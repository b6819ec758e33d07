"""What `monotone` asks, for the quadratic surrogate: h(s) = T(s) − ρ∇f(T(s)) − s with T the prox of ρg, any convex g.

u = −(h(s) − h(s_⋆)) = d − t + y with d = s − s_⋆, t = T(s) − T(s_⋆) and y = ρ(∇f(T(s)) − ∇f(T(s_⋆))): T is firmly
nonexpansive, and c = ρL < 4 makes y cocoercive in t. Refutations are linear maps of the plane, T and ∇f symmetric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.exact import admitted, first_failing, satisfying, value_at

SMOOTH = ("firm", "smooth")
STRONG = ("firm", "smooth", "strongly convex", "ρL ≤ 1")
D, T, Y = atoms("d", "t", "y")
U = D - T + Y
c, m, x = sp.symbols("c m x", positive=True)
fall = sp.Symbol("{(1-m)}", positive=True)


@dataclass(frozen=True)
class Plane:
    """d, the diagonal T = diag(P) and ρ∇²f = H, symmetric; c and m are claims."""

    name: str
    d: tuple[F, F]
    P: tuple[F, F]
    H: tuple[tuple[F, F], tuple[F, F]]
    c: F
    m: F

    def facts(self) -> set[str]:
        low, high = _below(self.H, self.m), _below(((self.c, F(0)), (F(0), self.c)), F(0), self.H)
        tests = {
            "firm": all(0 <= x <= 1 for x in self.P),
            "smooth": high and _below(self.H, F(0)),
            "strongly convex": low,
            "ρL ≤ 1": self.c <= 1,
        }
        return {name for name, holds in tests.items() if holds}

    def sizes(self) -> tuple[F, F, F]:
        """⟨d, u⟩, ‖u‖² and ‖d‖²."""
        t = [p * x for p, x in zip(self.P, self.d, strict=True)]
        u = [
            x - z + sum(r * w for r, w in zip(row, t, strict=True)) for x, z, row in zip(self.d, t, self.H, strict=True)
        ]
        return (
            sum((x * w for x, w in zip(self.d, u, strict=True)), F(0)),
            sum((w * w for w in u), F(0)),
            sum((x * x for x in self.d), F(0)),
        )

    def witness(self, says: str) -> Witness:
        point = {"d": self.d, "T": self.P, "rho Hessian of f": self.H, "rho L": self.c, "rho mu": self.m}
        return Witness({name: str(value) for name, value in point.items()}, says)


def _below(H: Sequence[Sequence[F]], shift: F, other: Sequence[Sequence[F]] | None = None) -> bool:
    """Whether H − shift·I (− other) is positive semidefinite."""
    minus = other or ((F(0), F(0)), (F(0), F(0)))
    (p, q), (_, r) = [[H[i][j] - minus[i][j] - (shift if i == j else 0) for j in range(2)] for i in range(2)]
    return p >= 0 and r >= 0 and p * r >= q * q


def _planes() -> tuple[Plane, ...]:
    one, zero, half = F(1), F(0), F(1, 2)
    cos, sin = F(20, 101), F(99, 101)
    turned = ((cos * cos, cos * sin), (cos * sin, sin * sin))
    flat = ((half, zero), (zero, half))
    no_drop = ((zero, zero), (zero, zero))
    return (
        Plane("T projects, f rises across", (one, F(1, 5)), (one, zero), turned, one, F(1, 100)),
        Plane("no penalty", (one, zero), (one, one), flat, one, half),
        Plane("a constant T", (one, one), (zero, zero), flat, one, half),
        Plane("T is no prox", (one, zero), (F(9), F(9)), flat, one, half),
        Plane("T turns around", (one, zero), (F(-3), F(-3)), flat, one, half),
        Plane("f is steeper", (one, zero), (one, one), ((F(8), zero), (zero, F(8))), one, half),
        Plane("f falls", (one, zero), (one, one), ((F(-1), zero), (zero, F(-1))), one, F(-1)),
        Plane("f is flat", (one, zero), (one, one), no_drop, one, half),
        Plane(
            "T projects, a step too long",
            (one, -one),
            (zero, one),
            _turned(F(19, 5), F(12, 13), F(5, 13)),
            F(19, 5),
            half,
        ),
        Plane("T projects, f is steeper", (F(7), F(5)), (zero, one), _turned(F(8), F(-15, 17), F(8, 17)), one, half),
    )


def _turned(high: F, x: F, z: F) -> tuple[tuple[F, F], tuple[F, F]]:
    """Eigenvalues `high` along the unit vector (x, z) and 1/2 across."""
    low = F(1, 2)
    return (low + (high - low) * x * x, (high - low) * x * z), ((high - low) * x * z, low + (high - low) * z * z)


PLANES = _planes()


def cocoercive(hypotheses: Sequence[str] = SMOOTH, ell: str = "4/(4-c)", sign: int = 1) -> Verdict:
    """‖u‖² ≤ sign·ell·⟨u, d⟩ for c = ρL < 4."""
    size = sign * sp.sympify(ell, {"c": c})

    def prove() -> Sequence[Step]:
        at = 4 * x / (1 + x)  # every c in (0, 4), and 4 − c = 4/(1 + x)
        lines = {
            "firm": (inner(D, T) - square(T), r"$\langle d, t \rangle \geq \|t\|^2$: T is the prox of ρg"),
            "smooth": (at * inner(T, Y) - square(Y), r"$c\langle t, y \rangle \geq \|y\|^2$: f is convex, L-smooth"),
        }
        given = {name: Hypothesis(expr, why) for name, (expr, why) in lines.items() if name in hypotheses}
        target = size.subs(c, at) * inner(U, D) - square(U)
        says = r"$\|u\|^2 \leq \frac{4}{4-c}\langle u, d \rangle$, $c = 4x/(1+x)$"
        factors = {"firm": 1 + x, "smooth": (1 + x) ** 2 / (4 * x)}
        return verify(target, given, factors, [(x, D - T - (2 - at) / at * Y)], says=says)

    def wrong(plane: Plane) -> str | None:
        du, uu, _ = plane.sizes()
        bound = value_at(size, {c: plane.c}) * du
        return f"$\\|u\\|^2 = {uu} > {bound}$" if uu > bound else None

    return decide("certificate", prove, [lambda: first_failing(PLANES, hypotheses, wrong)])


def monotone(hypotheses: Sequence[str] = STRONG, rate: str = "m", sign: int = 1) -> Verdict:
    """sign·⟨u, d⟩ ≥ rate·‖d‖² for m = ρμ < 1."""
    size = sp.sympify(rate, {"m": m})

    def prove() -> Sequence[Step]:
        gradient = Y - m * T  # of f less its strongly convex part
        steep = r"$(1-m)\langle t, z \rangle \geq \|z\|^2$, $z = y - mt$: f − (m/2ρ)‖θ‖² is convex, with 1 − m ≥ c − m"
        lines = {
            "firm": (inner(D, T) - square(T), r"$\langle d, t \rangle \geq \|t\|^2$: T is the prox of ρg"),
            "smooth": (fall * inner(T, gradient) - square(gradient), steep),
        }
        present = set(hypotheses) & {"firm"} | ({"smooth"} if set(STRONG[1:]) <= set(hypotheses) else set())
        given = {name: Hypothesis(e.subs(m, 1 - fall), why) for name, (e, why) in lines.items() if name in present}
        target = (sign * inner(U, D) - size * square(D)).subs(m, 1 - fall)
        z = Y - (1 - fall) * T
        squares = [(fall, D - T + z / (2 * fall)), (3 / (4 * fall), z)]
        says = r"$\langle u, d \rangle \geq m\|d\|^2$"
        return verify(target, given, {"firm": fall, "smooth": 1 / fall}, squares, says=says)

    def wrong(plane: Plane) -> str | None:
        du, _, dd = plane.sizes()
        bound = value_at(size, {m: plane.m}) * dd
        return f"${sign} \\cdot {du} < {bound}$" if sign * du < bound else None

    return decide("certificate", prove, [lambda: first_failing(PLANES, hypotheses, wrong)])


def plane_instance(hypotheses: Sequence[str]) -> Witness:
    """A projection for T and a Hessian that turns, which satisfy every hypothesis."""
    plane = next(admitted(PLANES, hypotheses))
    return satisfying(plane, hypotheses, plane.name)
