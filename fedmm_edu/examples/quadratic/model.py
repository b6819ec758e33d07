"""The quadratic surrogate of Example 1 (`ex:gdt`): ψ = ‖θ‖²/(2ρ), φ = θ/ρ, S̄(z, τ) = τ − ρ ∇ℓ(z, τ), T = prox_{ρg}.

Per sample, (19) needs ρ L(z) ≤ 1, where L(z) is the Lipschitz constant of ∇ℓ(z, ·): L = ‖x‖² for least squares
½(y − ⟨x, θ⟩)², L = x²/4 for the logistic loss log(1 + exp(−yxθ)) with y ∈ {−1, 1}, L = x²/2 for two classes with a
vector θ_k each. What is particular to a loss or a
penalty is its `twin`.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.examples.quadratic.losses import EACH_LOSS, LeastSquares, Logistic, Loss
from fedmm_edu.examples.quadratic.penalties import EACH_PENALTY, L1, ElasticNet, Penalty, Ridge, Zero
from fedmm_edu.symbolic.model import Model

rho, theta, x, y = sp.symbols("rho theta x y", real=True)

__all__ = ["models", "wrong_models"]


def quadratic(loss: Loss, penalty: Penalty, features: int = 1, name: str = "") -> Model | None:
    """Example 1 for a loss and a penalty, called after both, or after the loss where g = 0; None without a formula."""
    K = loss.twin_outputs
    thetas, ss, xs = _vector("theta", features * K), _vector("s", features * K), _vector("x", features)
    found = loss.twin([sp.Add(*(a * t for a, t in zip(xs, thetas[k::K], strict=True))) for k in range(K)], y)
    if found is None:
        return None
    (value, targets), part = found, penalty.twin(thetas, ss, rho)
    made = f"{loss.name}, {penalty.name}" if part.g != 0 or part.Theta else loss.name
    return Model(
        theta=thetas, z=(*xs, y), s=ss, loss=value, g=part.g,
        psi=sum(t**2 for t in thetas) / (2 * rho), phi=tuple(t / rho for t in thetas),
        S_bar=tuple(t - rho * sp.diff(value, t) for t in thetas), T=part.T, Theta=part.Theta, Z=targets,
        given=(rho > 0, rho * sp.Rational(loss.curvature) * sp.Add(*(a**2 for a in xs)) <= 1, *part.given),
        name=name or made,
    )  # fmt: skip


def _vector(name: str, size: int) -> tuple[sp.Symbol, ...]:
    """θ, or θ1, θ2, … in several coordinates."""
    return tuple(sp.symbols(name if size == 1 else f"{name}1:{size + 1}", real=True, seq=True))


def models() -> dict[str, Model]:
    """Least squares with each penalty and in two dimensions, every other loss, and the usual penalties of one."""
    found = [quadratic(LeastSquares(), penalty, penalty.coordinates) for penalty in EACH_PENALTY]
    found.append(quadratic(LeastSquares(), Zero(), 2, "least squares, two dimensions"))
    found += [quadratic(loss, Zero()) for loss in EACH_LOSS if loss != LeastSquares()]
    found += [quadratic(Logistic(), penalty) for penalty in (Ridge(1.0), L1(1.0), ElasticNet(1.0, 1.0))]
    return {model.name: model for model in found if model is not None}


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks: of the surrogate, and of each T."""
    right = models()
    plain, logistic, multinomial = (right[name] for name in ("least squares", "logistic", "multinomial"))
    found = {
        "step too long": ("MM-1: majorizes", replace(plain, given=(rho > 0, rho * x**2 <= 2))),
        "no bound on the step": ("MM-1: majorizes", replace(plain, given=(rho > 0,))),
        "logistic step too long": ("MM-1: majorizes", replace(logistic, given=(rho > 0, rho * x**2 <= 8))),
        "multinomial step too long": ("MM-1: majorizes", replace(multinomial, given=(rho > 0, rho * x**2 <= 4))),
        "gradient ascent": ("MM-1: tangent", replace(plain, S_bar=(theta - rho * x * (y - x * theta),))),
        "phi without 1/rho": ("MM-1: tangent", replace(plain, phi=(theta,))),
        "rho may vanish": ("defined", replace(plain, given=(rho >= 0, rho * x**2 <= 1))),
    }
    for penalty in EACH_PENALTY:
        model = right.get(f"least squares, {penalty.name}", plain)
        for name, (row, T) in penalty.twin(model.theta, model.s, rho).wrong.items():
            found[name] = (row, replace(model, T=T))
    return found
