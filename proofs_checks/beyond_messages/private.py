"""How far the mean of bounded statistics moves when one row is exchanged: the sensitivity that noise is measured by."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, verify
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import instance

BOUNDED = ROWS, SLOPES = "‖x‖ ≤ R for every row", "|∂c/∂u| ≤ δ for all u and y"
MIXTURE = LONG, LAWS = "‖(Z, 1)‖ ≤ R for every row", "r_ℓ ≥ 0, Σ_ℓ r_ℓ = 1"
N, rho, R, delta = sp.symbols("N rho R delta", positive=True)
SLOPE, OTHER = sp.symbols("c' c''", real=True)
X, EXCHANGED = atoms("x", "x^*")
EXTENDED, NEW = atoms(r"\tilde Z", r"\tilde Z^*")
r, r_new, total, total_new = sp.symbols(r"r_\ell r^*_\ell \sum_\ell{r_\ell} \sum_\ell{r^*_\ell}", real=True)
moved_squared = sp.Symbol(r"{\|\bar{S}-\bar{S}^*\|^2}", real=True)


def sensitivity(hypotheses: Sequence[str] = BOUNDED, factor: str = "2") -> Verdict:
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


def _wrong(hypotheses: Sequence[str], factor: F) -> Witness | None:
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


def mixture_sensitivity(hypotheses: Sequence[str] = MIXTURE, factor: str = "1") -> Verdict:
    """‖(r_ℓ Z̃Z̃ᵀ)_ℓ − (r*_ℓ Z̃*Z̃*ᵀ)_ℓ‖ ≤ factor·√2 R², component by component: ⟨Z̃Z̃ᵀ, Z̃*Z̃*ᵀ⟩ = ⟨Z̃, Z̃*⟩² ≥ 0."""
    k = sp.Rational(factor)

    def one() -> tuple[Step, ...]:
        """‖r_ℓ Z̃Z̃ᵀ − r*_ℓ Z̃*Z̃*ᵀ‖² ≤ (r_ℓ + r*_ℓ)R⁴."""
        lines, multipliers = {}, {}
        for name, law, row in (("the row", r, EXTENDED), ("the other row", r_new, NEW)):
            if LONG in hypotheses:
                lines[name] = Hypothesis(R**2 - square(row), r"$\|(Z, 1)\| \leq R$")
            if LAWS in hypotheses:
                lines[f"the law of {name}"] = Hypothesis(law * (1 - law), r"$0 \leq r_\ell \leq \sum_j r_j = 1$")
            multipliers |= {name: law**2 * (R**2 + square(row)), f"the law of {name}": R**4}
        if LAWS in hypotheses:
            lines["both laws"] = Hypothesis(r * r_new, r"$r_\ell, r^*_\ell \geq 0$")
        both = inner(EXTENDED, NEW) ** 2
        moved = r**2 * square(EXTENDED) ** 2 - 2 * r * r_new * both + r_new**2 * square(NEW) ** 2
        says = r"$\|r_\ell\tilde Z\tilde Z^\top - r^*_\ell\tilde Z^*\tilde Z^{*\top}\|^2 \leq (r_\ell+r^*_\ell)R^4$"
        return verify((r + r_new) * R**4 - moved, lines, multipliers | {"both laws": 2 * both}, says=says)

    def prove() -> tuple[Step, ...]:
        if k < 0:
            raise CertificateFails("a norm is at most no negative number.")
        lines = {
            "all components": Hypothesis(
                (total + total_new) * R**4 - moved_squared, "the sum over ℓ of the line above"
            ),
            "the law": Hypothesis(1 - total, r"$\sum_\ell r_\ell = 1$", equality=True),
            "the other law": Hypothesis(1 - total_new, r"$\sum_\ell r^*_\ell = 1$", equality=True),
        }
        of = {"all components": 1 / N**2, "the law": R**4 / N**2, "the other law": R**4 / N**2}
        most, spare = 2 * (k * R**2 / N) ** 2, [(2 * (k**2 - 1) / N**2, R**2)] if k != 1 else []
        says = r"$\|\bar S_i - \bar S_i^*\|^2 \leq " + sp.latex(most) + "$"
        return one() + verify(most - moved_squared / N**2, lines, of, spare, says=says)

    return decide("a square", prove, [lambda: _wrong_mixture(hypotheses, F(factor))])


def _wrong_mixture(hypotheses: Sequence[str], factor: F) -> Witness | None:
    """Two rows of two components, with R² = 2, N = 1; longer ones, or other weights, where no hypothesis forbids it."""
    for z, laws in ((F(1), ONE_EACH), (F(3), ONE_EACH), (F(1), ((F(3), F(0)), (F(0), F(1))))):
        allowed = (z**2 <= 1 or LONG not in hypotheses) and (laws == ONE_EACH or LAWS not in hypotheses)
        moved = _moved(z, laws)
        if allowed and (factor < 0 or moved > 2 * (factor * 2) ** 2):
            return _mixture_instance(z, laws, rf"the mean moves by $\sqrt{{{moved}}}$, more than is said", {})
    return None


Laws = tuple[tuple[F, F], tuple[F, F]]
ONE_EACH: Laws = ((F(1), F(0)), (F(0), F(1)))


def _moved(z: F, laws: Laws) -> F:
    """The squared distance of the statistics of z with the first law and of −z with the second."""
    total = F(0)
    for ours, theirs in zip(*laws, strict=True):
        entries = ((ours - theirs) * z**2, (ours + theirs) * z, (ours + theirs) * z, ours - theirs)
        total += sum((entry**2 for entry in entries), F(0))
    return total


def _mixture_instance(z: F, laws: Laws, says: str, holds: dict[str, bool]) -> Witness:
    point = {"N": 1, "R^2": 2, "Z": z, "Z^*": -z, "r": laws[0], "r^*": laws[1]}
    return instance(point, says, holds)


def mixture_attained() -> Witness:
    """A row of the first component alone exchanged for one of the second."""
    far = _moved(F(1), ONE_EACH) == 2 * 2**2
    holds = dict.fromkeys(MIXTURE, True) | {"it moves as far as is said": far}
    return _mixture_instance(F(1), ONE_EACH, r"the mean moves by $\sqrt{8} = \sqrt{2} R^2$, as far as is said", holds)
