"""How far the mean of bounded statistics moves when one row is exchanged: the sensitivity that noise is measured by."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, verify
from fedmm_edu.proofs.gram import atoms, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import instance

Rule = Literal["‖x‖ ≤ R for every row", "|∂c/∂u| ≤ δ for all u and y"]
ROWS: Rule = "‖x‖ ≤ R for every row"
SLOPES: Rule = "|∂c/∂u| ≤ δ for all u and y"
BOUNDED: tuple[Rule, ...] = (ROWS, SLOPES)
N, rho, R, delta = sp.symbols("N rho R delta", positive=True)
SLOPE, OTHER = sp.symbols("c' c''", real=True)
X, EXCHANGED = atoms("x", "x^*")


def sensitivity(hypotheses: Sequence[Rule] = BOUNDED, factor: str = "2") -> Verdict:
    """‖(ρ/N)(c'x − c''x*)‖ ≤ factor·ρδR/N for all rows with ‖x‖ ≤ R and |c'| ≤ δ."""
    k = sp.Rational(factor)

    def prove() -> tuple[Step, ...]:
        if k < 0:
            raise CertificateFails("a norm is at most no negative number.")
        lines, multipliers, of = {}, {}, (rho / N) ** 2
        for name, slope, row in (("the row", SLOPE, X), ("the other row", OTHER, EXCHANGED)):
            if ROWS in hypotheses:
                lines[name] = Hypothesis(R**2 - square(row), r"$\|x\| \leq R$")
            if SLOPES in hypotheses:
                lines[f"the slope of {name}"] = Hypothesis(
                    delta**2 - slope**2, r"$|\partial c/\partial u| \leq \delta$"
                )
            multipliers |= {name: 2 * of * slope**2, f"the slope of {name}": 2 * of * R**2}
        moved = square(rho / N * (SLOPE * X - OTHER * EXCHANGED))
        most = (k * rho * delta * R / N) ** 2
        says = r"$\|\bar S_i - \bar S_i^*\|^2 \leq " + sp.latex(most) + "$"
        return verify(most - moved, lines, multipliers, [(of, SLOPE * X + OTHER * EXCHANGED)], says=says)

    return decide("a square", prove, [lambda: _wrong(hypotheses, F(factor))])


def _wrong(hypotheses: Sequence[Rule], factor: F) -> Witness | None:
    """Opposite rows of one slope, with R = δ = ρ = N = 1; longer or steeper ones where no hypothesis forbids it."""
    for x, slope in ((F(1), F(1)), (F(9), F(1)), (F(1), F(9))):
        allowed = (x <= 1 or ROWS not in hypotheses) and (slope <= 1 or SLOPES not in hypotheses)
        if allowed and 2 * x * slope > factor:
            return _instance(x, slope, rf"the mean moves by ${2 * x * slope} > {factor}$", {})
    return None


def _instance(x: F, slope: F, says: str, holds: dict[str, bool]) -> Witness:
    point = {"N": 1, "rho": 1, "R": 1, "delta": 1, "x": x, "x^*": -x, "c'": slope, "c''": slope}
    return instance(point, says, holds)


def attained() -> Witness:
    """A row exchanged for its opposite."""
    return _instance(F(1), F(1), "the mean moves by 2, as far as is said", dict.fromkeys(BOUNDED, True))
