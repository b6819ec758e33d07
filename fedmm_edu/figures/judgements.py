"""Pictures of verdicts: a model with one parameter beside its surrogate, and a sum of squares beside its witness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures.style import PALETTE, labelled

if TYPE_CHECKING:
    import sympy as sp

    from fedmm_edu.symbolic import Model, Verdict


def mm1_curves(model: Model, at: Mapping[str, float], theta: ArrayLike) -> tuple[Array, Array]:
    """ℓ(z, θ) and the right-hand side of MM-1 for one sample, over `theta`; `at` has z, τ and the constants.

    One parameter only. Values that are not real numbers are NaN.
    """
    from fedmm_edu.symbolic import gap

    loss = _values(model, model.loss, at, theta)
    return loss, loss + _values(model, gap(model), at, theta)


def mm2_curve(model: Model, at: Mapping[str, float], theta: ArrayLike) -> tuple[Array, float, float]:
    """J_s(θ) over `theta`, T(s) and J_s(T(s)), both NaN where no T is found; `at` has s and the constants."""
    J, T = _values(model, model.surrogate, at, theta), _minimiser(model)
    if T is None:
        return J, np.nan, np.nan
    best = float(_values(model, T, at, [0.0])[0])
    return J, best, float(_values(model, model.surrogate, at, [best])[0])


@lru_cache(maxsize=64)
def _minimiser(model: Model) -> sp.Expr | None:
    """T of the model, derived where it is missing; None where that fails."""
    from fedmm_edu.symbolic.hypotheses.mm2 import with_T

    try:
        T = with_T(model).T
    except InvalidInput:
        return None
    return None if T is None else T[0]


def _values(model: Model, expr: sp.Expr, at: Mapping[str, float], theta: ArrayLike) -> Array:
    import sympy as sp

    from fedmm_edu.symbolic.functions.table import NUMPY

    if len(model.theta) != 1:
        raise InvalidInput(f"{model.name} has {len(model.theta)} parameters: the picture shows one.")
    numbers = {x: at.get(x.name) for x in expr.free_symbols - set(model.theta)}
    missing = sorted(x.name for x, value in numbers.items() if value is None)
    if missing:
        raise InvalidInput(f"no value for {', '.join(missing)}: give each a number.")
    points = np.asarray(theta, dtype=float)
    function = sp.lambdify([model.theta, list(numbers)], expr, NUMPY)
    with np.errstate(all="ignore"):
        found = function([points], [np.full(points.shape, value) for value in numbers.values()])
        found = np.broadcast_to(np.asarray(found, dtype=float), points.shape)
    return np.where(np.isfinite(found), found, np.nan)


def draw_mm1(ax: Axes, model: Model, at: Mapping[str, float], theta: ArrayLike, tau: float) -> Axes:
    """The loss and its surrogate at τ; shaded where the surrogate lies below, so that MM-1 fails."""
    loss, upper = mm1_curves(model, at, theta)
    touch, _ = mm1_curves(model, at, [tau])
    ax.plot(theta, loss, color=PALETTE["reference"], label=r"loss $\ell(z, \theta)$")
    ax.plot(theta, upper, "--", color=PALETTE["S"], label=r"right-hand side of MM-1")
    below = upper < loss - 1e-9 * (1.0 + np.abs(loss))
    if below.any():
        ax.fill_between(theta, upper, loss, where=below, color=PALETTE["Theta"], alpha=0.3, hatch="//",
                        label="below the loss: MM-1 fails")  # fmt: skip
    ax.plot(tau, touch[0], "o", color=PALETTE["S"], markersize=8, label=r"$\tau$")
    return labelled(ax, "MM-1: majorizes and touches?", r"$\theta$", fontsize=9)


def draw_mm2(ax: Axes, model: Model, at: Mapping[str, float], theta: ArrayLike) -> Axes:
    """J_s and the point T(s); shaded where J_s is smaller, so that T(s) is no minimiser."""
    J, best, least = mm2_curve(model, at, theta)
    ax.plot(theta, J, color=PALETTE["reference"], label=r"$J_s(\theta) = g + \psi - \langle s, \phi \rangle$")
    lower = least - 1e-9 * (1.0 + abs(least)) > J
    if lower.any():
        ax.fill_between(theta, least, J, where=lower, color=PALETTE["Theta"], alpha=0.3, hatch="//",
                        label="lower than at $T(s)$: MM-2 fails")  # fmt: skip
    found = np.isfinite(least)
    ax.plot(best, least, "D", color=PALETTE["S"], markersize=8, label=f"$T(s)$ = {best:.3f}" if found else "no $T(s)$")
    return labelled(ax, "MM-2: is $T(s)$ the minimiser?", r"$\theta$", fontsize=9)


@dataclass(frozen=True)
class Young:
    """The claim ‖a + b‖² ≤ (1 + η)‖a‖² + k‖b‖² for all vectors a, b, with η > 0."""

    eta: Fraction
    k: Fraction

    @property
    def rest(self) -> Fraction:
        """k − 1 − 1/η, the weight of ‖b‖² beside the square η‖a − b/η‖²."""
        return self.k - 1 - 1 / self.eta

    def verdict(self) -> Verdict:
        """Proved by the two squares where their weights are ≥ 0; else refuted at a = b/η, where the first one is 0."""
        import sympy as sp

        from fedmm_edu.proofs.certificate import verify
        from fedmm_edu.proofs.gram import atoms, square
        from fedmm_edu.symbolic import Witness, proved, refuted

        eta, k, rest = (sp.Rational(f.numerator, f.denominator) for f in (self.eta, self.k, self.rest))
        a, b = atoms("a", "b")
        if self.rest < 0:
            left, right = (1 + 1 / self.eta) ** 2, (1 + self.eta) / self.eta**2 + self.k
            point = {"a": str(1 / self.eta), "b": "1"}
            return refuted("evaluation", Witness(point, f"‖a + b‖² = {left} > {right}, the right-hand side"))
        target = (1 + eta) * square(a) + k * square(b) - square(a + b)
        return proved("certificate", *verify(target, {}, {}, [(eta, a - b * (1 / eta)), (rest, b)]))


def draw_young(ax: Axes, claim: Young) -> Axes:
    """Right-hand side minus left over a = x b, ‖b‖ = 1: a parabola above zero, or a witness at its lowest point."""
    x = np.linspace(-1.0, 4.0, 301)
    eta, lowest = float(claim.eta), 1.0 / float(claim.eta)
    y = (1.0 + eta) * x**2 + float(claim.k) - (x + 1.0) ** 2
    ax.plot(x, y, color=PALETTE["reference"], label="right-hand side − left, at $a = xb$")
    ax.axhline(0.0, color=PALETTE["light"], linewidth=1)
    ax.fill_between(x, y, 0.0, where=y < 0.0, color=PALETTE["Theta"], alpha=0.3, hatch="//")
    fails = claim.rest < 0
    ax.plot(lowest, float(claim.rest), "X" if fails else "o", color=PALETTE["Theta" if fails else "S"], markersize=10,
            label="witness" if fails else r"the square $\eta\|a - b/\eta\|^2$ vanishes here")  # fmt: skip
    ax.set_xlim(-1.0, 4.0)
    ax.set_ylim(-2.0, 5.0)
    return labelled(ax, xlabel="$x$", fontsize=9)


def draw_counts(ax: Axes, counts: Mapping[str, tuple[int, int]], labels: tuple[str, str]) -> Axes:
    """Two numbers for each key as a bar in two parts, each part with its number."""
    names, both = list(counts), np.array(list(counts.values()), dtype=int).reshape(-1, 2)
    left = np.zeros(len(names))
    for k, colour in enumerate(("S", "Theta")):
        ax.barh(names, both[:, k], left=left, color=PALETTE[colour], label=labels[k])
        for y, (x, n) in enumerate(zip(left, both[:, k], strict=True)):
            if n:
                ax.text(x + n / 2, y, str(n), ha="center", va="center", color="white", fontsize=8, fontweight="bold")
        left = left + both[:, k]
    ax.invert_yaxis()
    return labelled(ax, xlabel="statements", fontsize=9)
