"""The quadratic surrogate of Example 1 (`ex:gdt`): ψ = ‖θ‖²/(2ρ), φ = θ/ρ, S̄(z, τ) = τ − ρ ∇ℓ(z, τ), T = prox_{ρg}.

Per sample, (19) needs ρ L(z) ≤ 1, where L(z) is the Lipschitz constant of ∇ℓ(z, ·): L = ‖x‖² for least squares
½(y − ⟨x, θ⟩)², L = x²/4 for the logistic loss log(1 + exp(−yxθ)) with y ∈ {−1, 1}. What is particular to a loss or a
penalty is its `twin`.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.examples.quadratic.losses import EACH_LOSS, LeastSquares, Loss
from fedmm_edu.examples.quadratic.penalties import EACH_PENALTY, Penalty, Zero
from fedmm_edu.symbolic.model import Model

rho, theta, x, y = sp.symbols("rho theta x y", real=True)

__all__ = ["models", "wrong_models"]


def quadratic(loss: Loss, penalty: Penalty, d: int, name: str = "") -> Model:
    """Example 1 for a loss and a penalty in d coordinates, called after both, or after the loss where g = 0."""
    thetas, ss, xs = _vectors(d)
    value, targets = loss.twin(sp.Add(*(a * t for a, t in zip(xs, thetas, strict=True))), y)
    part = penalty.twin(thetas, ss, rho)
    made = f"{loss.name}, {penalty.name}" if part.g != 0 or part.Theta else loss.name
    return Model(
        theta=thetas, z=(*xs, y), s=ss, loss=value, g=part.g,
        psi=sum(t**2 for t in thetas) / (2 * rho), phi=tuple(t / rho for t in thetas),
        S_bar=tuple(t - rho * sp.diff(value, t) for t in thetas), T=part.T, Theta=part.Theta, Z=targets,
        given=(rho > 0, rho * sp.Rational(loss.curvature) * sp.Add(*(a**2 for a in xs)) <= 1, *part.given),
        name=name or made,
    )  # fmt: skip


def _vectors(d: int) -> list[tuple[sp.Symbol, ...]]:
    """θ, s and x: θ1, θ2, … in several coordinates."""
    return [
        tuple(sp.symbols(name if d == 1 else f"{name}1:{d + 1}", real=True, seq=True)) for name in ("theta", "s", "x")
    ]


def models() -> dict[str, Model]:
    """Least squares with each penalty and in two dimensions, and every other loss."""
    found = [quadratic(LeastSquares(), penalty, penalty.coordinates) for penalty in EACH_PENALTY]
    found.append(quadratic(LeastSquares(), Zero(), 2, "least squares, two dimensions"))
    found += [quadratic(loss, Zero(), 1) for loss in EACH_LOSS if loss != LeastSquares()]
    return {model.name: model for model in found}


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks: of the surrogate, and of each T."""
    right = models()
    plain, logistic = right["least squares"], right["logistic"]
    found = {
        "step too long": ("MM-1: majorizes", replace(plain, given=(rho > 0, rho * x**2 <= 2))),
        "no bound on the step": ("MM-1: majorizes", replace(plain, given=(rho > 0,))),
        "logistic step too long": ("MM-1: majorizes", replace(logistic, given=(rho > 0, rho * x**2 <= 8))),
        "gradient ascent": ("MM-1: tangent", replace(plain, S_bar=(theta - rho * x * (y - x * theta),))),
        "phi without 1/rho": ("MM-1: tangent", replace(plain, phi=(theta,))),
        "rho may vanish": ("defined", replace(plain, given=(rho >= 0, rho * x**2 <= 1))),
    }
    for penalty in EACH_PENALTY:
        model = quadratic(LeastSquares(), penalty, penalty.coordinates)
        for name, (row, T) in penalty.twin(model.theta, model.s, rho).wrong.items():
            found[name] = (row, replace(model, T=T))
    return found
