"""Second-order surrogates for one feature: S̄ = (hτ − ℓ', h), φ(θ) = (θ, −½θ²), ψ = 0, T(s) = s₁/(s₂ + η).

h = x²A with the bound A = M on the curvature of the loss (Böhning and Lindsay). With the curvature itself, Newton's
method, tangency and MM-2 hold as well; that it majorises is refuted. For least squares both are the loss itself.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.examples.curvature.matrices import Curvature, FixedBound, Newton
from fedmm_edu.examples.quadratic import EACH_LOSS, Logistic, Loss
from fedmm_edu.symbolic.model import Model

theta, x, y, s1, s2, eta, u = sp.symbols("theta x y s1 s2 eta u", real=True)


def second_order(loss: Loss, form: Curvature) -> Model | None:
    """None for a loss without a formula in one number u."""
    found = loss.twin([u], y) if loss.twin_outputs == 1 else None
    if found is None:
        return None
    c, targets = found
    slope, h = x * c.diff(u).subs(u, x * theta), x**2 * form.twin(c, loss, u).subs(u, x * theta)
    return Model(
        theta=theta, z=(x, y), s=(s1, s2), loss=c.subs(u, x * theta), g=eta * theta**2 / 2,
        phi=(theta, -(theta**2) / 2), S_bar=(h * theta - slope, h), T=s1 / (s2 + eta),
        S=s2 >= 0, Z=targets, given=eta > 0, name=f"{loss.name}, {form.name}",
    )  # fmt: skip


def models() -> dict[str, Model]:
    """The bound, for each loss that has a formula."""
    found = [second_order(loss, FixedBound()) for loss in EACH_LOSS]
    return {model.name: model for model in found if model is not None}


def tempting_models() -> dict[str, tuple[str, Model]]:
    """Newton's method for the logistic loss."""
    newton = second_order(Logistic(), Newton())
    assert newton is not None
    return {newton.name: ("MM-1: majorizes", newton)}


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks."""
    bound = models()["logistic, bound"]
    slope, h = bound.loss.diff(theta), bound.S_bar[1]
    return {
        "half the bound": ("MM-1: majorizes", replace(bound, S_bar=(h * theta / 2 - slope, h / 2))),
        "gradient without the model's centre": ("MM-1: tangent", replace(bound, S_bar=(-slope, h))),
        "ascent": ("MM-1: tangent", replace(bound, S_bar=(h * theta + slope, h))),
        "phi without the half": ("MM-1: tangent", replace(bound, phi=(theta, -(theta**2)))),
        "T ignores the ridge": ("MM-2: T minimizes", replace(bound, T=(s1 / (s2 + 2 * eta),))),
        "no ridge": ("defined", replace(bound, given=(eta >= 0,))),
    }
