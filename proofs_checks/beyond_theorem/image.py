"""ℓ of own-lip and L_i of A6(i) by way of θ: slopes of the mean oracle over slopes of φ.

Δθ_k = T_k(s') − T_k(s), scaled to t_k = κ_kΔθ_k; D = φ(T(s')) − φ(T(s)), δ the change of the mean oracle.
Refutations are pairs of points for θ on the line, φ(θ) = (θ, bend·θ²/2) and a mean oracle with one slope.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.monotony import MOVE, D
from proofs_checks.beyond_theorem.kinds import LT, ell
from proofs_checks.beyond_theorem.lipschitz import CHANGE
from proofs_checks.shared.exact import admitted, as_text, first_failing, satisfying, value_at

IMAGE = ("slopes of φ", "slopes of S̄", "Lipschitz")
(SCALED,) = atoms("t")


@dataclass(frozen=True)
class Pair:
    """θ and θ' on the line; s' − s = move, of one coordinate, with φ∘T as if L_T were claimed of it."""

    theta: F
    other: F
    bend: F
    slope: F
    move: F
    kappa: F
    ell: F
    LT: F

    @property
    def change(self) -> F:
        return self.other - self.theta

    @property
    def phi2(self) -> F:
        """‖D‖²."""
        return self.change**2 + (self.bend * (self.other**2 - self.theta**2) / 2) ** 2

    def facts(self) -> set[str]:
        tests = {
            "slopes of φ": self.kappa <= 1,
            "slopes of S̄": abs(self.slope) <= self.ell * self.kappa,
            "Lipschitz": self.phi2 <= (self.LT * self.move) ** 2,
        }
        return {name for name, holds in tests.items() if holds}

    def witness(self, says: str) -> Witness:
        return Witness(as_text(vars(self)), says)


def _pairs() -> tuple[Pair, ...]:
    sizes = (F(1), F(1, 4), F(4))
    return tuple(
        Pair(F(0), F(1), bend, slope, sign * move, kappa, ell_, LT_)
        for bend, slope, sign, move, kappa, ell_, LT_ in product(
            (F(0), F(1)), (F(1), F(-1)), (1, -1), (F(1), F(2)), sizes, sizes, sizes
        )
    )


PAIRS = _pairs()


def image(hypotheses: Sequence[str] = IMAGE, factor: str = "1", field: str = "1 + ell*LT", sign: int = 1) -> Verdict:
    """‖δ‖² ≤ factor·ℓ²‖D‖² and ‖δ − Δs‖² ≤ sign·field²‖Δs‖²."""
    k, size = sp.Rational(factor), sp.sympify(field, {"ell": ell, "LT": LT})

    def prove() -> Sequence[Step]:
        lines = {
            "slopes of φ": (
                square(D) - square(SCALED),
                r"$\|D\|^2 \geq \sum_k \kappa_k^2(\Delta\theta_k)^2 = \|t\|^2$",
            ),
            "slopes of S̄": (ell**2 * square(SCALED) - square(CHANGE), r"$\|\delta\| \leq \ell\|t\|$, mean value"),
            "Lipschitz": (LT**2 * square(MOVE) - square(D), r"$\|D\| \leq L_T\|\Delta s\|$"),
        }
        given = {name: Hypothesis(e, why) for name, (e, why) in lines.items() if name in hypotheses}
        used = {"slopes of φ": ell**2, "slopes of S̄": 1}
        first = verify(k * ell**2 * square(D) - square(CHANGE), given, used)
        both = ell * LT
        target = sign * size**2 * square(MOVE) - square(CHANGE - MOVE)
        factors = {name: (1 + 1 / both) * m for name, m in {**used, "Lipschitz": ell**2}.items()}
        return (*first, *verify(target, given, factors, [(1 / both, CHANGE + both * MOVE)]))

    def wrong(pair: Pair) -> str | None:
        delta = pair.slope * pair.change
        right = F(factor) * pair.ell**2 * pair.phi2
        if delta**2 > right:
            return f"$\\|\\delta\\|^2 = {delta**2} > {right}$"
        left, right = (delta - pair.move) ** 2, sign * (value_at(size, {ell: pair.ell, LT: pair.LT}) * pair.move) ** 2
        return f"$\\|\\Delta h\\|^2 = {left} > {right}$" if left > right else None

    return decide("certificate", prove, [lambda: first_failing(PAIRS, hypotheses, wrong)])


def image_instance() -> Witness:
    """A pair on a curve φ = (θ, θ²/2) that satisfies every hypothesis."""
    return satisfying(next(p for p in admitted(PAIRS, IMAGE) if p.bend), IMAGE, "a pair of points")
