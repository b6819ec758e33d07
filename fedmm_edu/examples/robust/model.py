"""Robust regression for one feature: ℓ = ρ(y − xθ), φ(θ) = (−θ²/2, θ), T(s) = s₂/(s₁ + η), 𝒮 = {s₁ ≥ 0}.

With r = y − xτ and w = ρ'(r)/r, S̄ = (w x², w x y) (*weights*) or (x², x(xτ + w r)) (*residuals*). The losses are those
without cases: pseudo-Huber, c²(√(1 + (r/c)²) − 1), and Geman–McClure, ½r²/(1 + (r/c)²), which is not convex. Huber's
loss has a row of its own in the ledger (`huber`), in every dimension: it is a formula with cases.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.examples.robust.forms import FORMS
from fedmm_edu.examples.robust.losses import EACH_ROBUST_LOSS
from fedmm_edu.symbolic.model import Model

theta, x, y, s1, s2 = sp.symbols("theta x y s1 s2", real=True)
eta, c = sp.symbols("eta c", real=True)
r = y - x * theta


def models() -> dict[str, Model]:
    """Each loss that has a formula without cases, in both forms."""
    found = {}
    for loss in EACH_ROBUST_LOSS:
        twin = loss.twin(r, c)
        if twin is None:
            continue
        rho, w = twin
        for form in FORMS.values():
            a, b = form.twin(w, x * theta, y)
            found[f"{loss.name}, {form.name}"] = Model(
                theta=(theta,), z=(x, y), s=(s1, s2), loss=rho, g=eta * theta**2 / 2,
                phi=(-(theta**2) / 2, theta), S_bar=(a * x**2, b * x), T=(s2 / (s1 + eta),),
                S=(s1 >= 0,), given=(c > 0, eta > 0), name=f"{loss.name}, {form.name}",
            )  # fmt: skip
    return found


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks."""
    right = models()
    weights, residuals = right["Geman-McClure, weights"], right["Geman-McClure, residuals"]
    u = 1 + (r / c) ** 2
    return {
        "weight without the square": ("MM-1: tangent", replace(weights, S_bar=(x**2 / u, x * y / u))),
        "residual not added to the fit": ("MM-1: tangent", replace(residuals, S_bar=(x**2, x * r / u**2))),
        "phi without the half": ("MM-1: tangent", replace(weights, phi=(-(theta**2), theta))),
        "half the curvature": (
            "MM-1: majorizes", replace(residuals, S_bar=(x**2 / 2, x * (x * theta / 2 + r / u**2))),
        ),
        "T ignores the ridge": ("MM-2: T minimizes", replace(weights, T=(s2 / (s1 + 2 * eta),))),
        "no ridge": ("defined", replace(weights, given=(c > 0, eta >= 0))),
    }  # fmt: skip
