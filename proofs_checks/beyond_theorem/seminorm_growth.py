"""λ of own-seminorm by way of θ: growth of J_s about T(s), its second derivative there, and slopes of the mean oracle.

With H = ∇²J_s(T(s)) and J the Jacobian of φ at T(s), B(s) = J H⁻¹ Jᵀ. y = H^(−1/2)JᵀΔs has the length ‖Δs‖_{B(s)}, and
w = H^(1/2)Δθ. Refutations are on the line, φ(θ) = θ and T(0) = 0: J_0'' is one number on [−r, r], another beyond.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_theorem.growth import DELTA, kappa, oracle
from proofs_checks.beyond_theorem.lipschitz import CHANGE
from proofs_checks.shared.exact import as_text, first_failing, satisfying

CURVED = ("growth", "curvature", "oracle")
Lam = sp.Symbol(r"\Lambda", positive=True)
Y, HALF = atoms("y", "w")


@dataclass(frozen=True)
class Curve:
    """From s = 0 to s' with T(s') = other: J_0'' is `near` on [−r, r] and `far` beyond; the others are claims."""

    near: F
    far: F
    r: F
    other: F
    slope: F
    kappa: F
    Lam: F
    ell: F

    @property
    def move(self) -> F:
        """s' = J_0'(other)."""
        return self.near * self.r + self.far * (self.other - self.r)

    @property
    def change(self) -> F:
        return self.slope * self.other

    def facts(self) -> set[str]:
        tests = {
            "growth": self.kappa <= min(self.near, self.far),
            "curvature": self.near <= self.Lam,
            "oracle": abs(self.slope) <= self.ell,
        }
        return {name for name, holds in tests.items() if holds}

    def witness(self, says: str) -> Witness:
        return Witness(as_text(vars(self)), says)

    @property
    def claimed(self) -> F:
        """ℓ_S²(Λ/κ²)‖Δs‖²_{B(0)}, B(0) = 1/near."""
        return self.ell**2 * self.Lam / self.kappa**2 * self.move**2 / self.near


def _curves() -> Iterator[Curve]:
    one = F(1)
    base = Curve(F(4), one, F(1, 1000), one, one, one, F(4), one)
    yield base
    yield replace(base, kappa=F(2))
    yield replace(base, Lam=F(2))
    yield replace(base, slope=F(-3))


def in_seminorm(hypotheses: Sequence[str] = CURVED, factor: str = "1") -> Verdict:
    """‖δ‖² ≤ factor·ℓ_S²(Λ/κ²)‖Δs‖²_{B(s)} for δ, the change of the mean oracle."""
    k = sp.Rational(factor)

    def prove() -> Sequence[Step]:
        lines = {
            "growth": (
                inner(Y, HALF) - kappa * square(DELTA),
                r"$\langle J_\phi^\top\Delta s, \Delta\theta\rangle \geq \kappa\|\Delta\theta\|^2$: $T(s')$ minimises "
                r"$J_{s'}$, and $T(s)$ minimises $J_{s'}+\langle\Delta s,\phi\rangle$",
            ),
            "curvature": (Lam * square(DELTA) - square(HALF), r"$\nabla^2J_s(T(s)) \preceq \Lambda I$"),
            "oracle": (oracle**2 * square(DELTA) - square(CHANGE), r"$\|\delta\| \leq \ell_S\|\Delta\theta\|$"),
        }
        given = {name: Hypothesis(e, why) for name, (e, why) in lines.items() if name in hypotheses}
        factors = {"growth": 2 * oracle**2 / kappa, "curvature": oracle**2 / Lam, "oracle": 1}
        squares = [(oracle**2 * Lam / kappa**2, Y - kappa / Lam * HALF)]
        return verify(k * oracle**2 * Lam / kappa**2 * square(Y) - square(CHANGE), given, factors, squares)

    def wrong(curve: Curve) -> str | None:
        left, right = curve.change**2, F(factor) * curve.claimed
        return f"$\\|\\delta\\|^2 = {left} > {right}$" if left > right else None

    return decide("certificate", prove, [lambda: first_failing(_curves(), hypotheses, wrong)])


def curve_instance() -> Witness:
    """A curve that satisfies every hypothesis."""
    return satisfying(next(_curves()), CURVED, "a pair of points on the line")
