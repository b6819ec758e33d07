"""The quadratic surrogate of Example 1 (`ex:gdt`): ψ = ‖θ‖²/(2ρ), φ = θ/ρ, S̄(z, τ) = τ − ρ ∇ℓ(z, τ), T = prox_{ρg}.

Per sample, (19) needs ρ L(z) ≤ 1, where L(z) is the Lipschitz constant of ∇ℓ(z, ·): L = ‖x‖² for least squares
½(y − ⟨x, θ⟩)², L = x²/4 for the logistic loss log(1 + exp(−yxθ)) with y ∈ {−1, 1}.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from fedmm_edu.symbolic.model import Model

rho, lam, mu, low, high = sp.symbols("rho lambda mu low high", real=True)
theta, theta1, theta2 = sp.symbols("theta theta1 theta2", real=True)
s, s1, s2 = sp.symbols("s s1 s2", real=True)
x, x1, x2, y = sp.symbols("x x1 x2 y", real=True)


def quadratic(
    loss: sp.Expr, theta: Sequence[sp.Symbol], z: Sequence[sp.Symbol], s: Sequence[sp.Symbol], **parts
) -> Model:
    """Example 1 for a smooth loss: ψ, φ and S̄ from the step size ρ; `parts` adds g, T, Θ, given, name."""
    return Model(
        theta=tuple(theta), z=tuple(z), s=tuple(s), loss=loss,
        psi=sum(t**2 for t in theta) / (2 * rho), phi=tuple(t / rho for t in theta),
        S_bar=tuple(t - rho * sp.diff(loss, t) for t in theta),
        **parts,
    )  # fmt: skip


def soft(value: sp.Expr, threshold: sp.Expr) -> sp.Expr:
    """The soft threshold sign(v) max(|v| − t, 0), the proximity operator of t|·|."""
    return sp.sign(value) * sp.Max(sp.Abs(value) - threshold, 0)


def models() -> dict[str, Model]:
    """Least squares with each penalty, least squares in two dimensions, and the logistic loss."""
    least_squares = (y - x * theta) ** 2 / 2
    line = {"theta": (theta,), "z": (x, y), "s": (s,)}
    smooth = (rho > 0, rho * x**2 <= 1)
    plane = {"theta": (theta1, theta2), "z": (x1, x2, y), "s": (s1, s2)}
    loss_2d = (y - x1 * theta1 - x2 * theta2) ** 2 / 2
    smooth_2d = (rho > 0, rho * (x1**2 + x2**2) <= 1)
    norm, norm_s = sp.sqrt(theta1**2 + theta2**2), sp.sqrt(s1**2 + s2**2)
    shrunk = [sp.Piecewise((0, norm_s <= rho * lam), ((1 - rho * lam / norm_s) * v, True)) for v in (s1, s2)]
    logistic = sp.log(1 + sp.exp(-y * x * theta))
    found = [
        quadratic(least_squares, **line, T=(s,), given=smooth, name="least squares"),
        quadratic(
            least_squares, **line, g=lam * theta**2 / 2, T=(s / (1 + rho * lam),),
            given=(*smooth, lam > 0), name="least squares, ridge",
        ),
        quadratic(
            least_squares, **line, g=lam * sp.Abs(theta), T=(soft(s, rho * lam),),
            given=(*smooth, lam > 0), name="least squares, l1",
        ),
        quadratic(
            least_squares, **line, g=lam * sp.Abs(theta) + mu * theta**2 / 2,
            T=(soft(s, rho * lam) / (1 + rho * mu),),
            given=(*smooth, lam > 0, mu > 0), name="least squares, elastic net",
        ),
        quadratic(
            least_squares, **line, T=(sp.Min(sp.Max(s, low), high),), Theta=(theta >= low, theta <= high),
            given=(*smooth, low < high), name="least squares, box",
        ),
        quadratic(loss_2d, **plane, T=(s1, s2), given=smooth_2d, name="least squares, two dimensions"),
        quadratic(
            loss_2d, **plane, g=lam * norm, T=shrunk, given=(*smooth_2d, lam > 0), name="least squares, group l1",
        ),
        quadratic(
            logistic, **line, T=(s,), given=(rho > 0, rho * x**2 / 4 <= 1), Z=(sp.Eq(y**2, 1),), name="logistic",
        ),
    ]  # fmt: skip
    return {model.name: model for model in found}


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks."""
    right = models()
    plain, ridge, l1 = right["least squares"], right["least squares, ridge"], right["least squares, l1"]
    net, box, group = (right[f"least squares, {name}"] for name in ("elastic net", "box", "group l1"))
    logistic = right["logistic"]
    too_long = (rho > 0, rho * x**2 <= 2)
    return {
        "step too long": ("MM-1: majorizes", replace(plain, given=too_long)),
        "no bound on the step": ("MM-1: majorizes", replace(plain, given=(rho > 0,))),
        "logistic step too long": ("MM-1: majorizes", replace(logistic, given=(rho > 0, rho * x**2 <= 8))),
        "gradient ascent": ("MM-1: tangent", replace(plain, S_bar=(theta - rho * x * (y - x * theta),))),
        "phi without 1/rho": ("MM-1: tangent", replace(plain, phi=(theta,))),
        "rho may vanish": ("defined", replace(plain, given=(rho >= 0, rho * x**2 <= 1))),
        "T ignores the ridge": ("MM-2: T minimizes", replace(ridge, T=(s,))),
        "threshold without rho": ("MM-2: T minimizes", replace(l1, T=(soft(s, lam),))),
        "elastic net shrinks first": ("MM-2: T minimizes", replace(net, T=(soft(s / (1 + rho * mu), rho * lam),))),
        "box not applied": ("MM-2: T in Theta", replace(box, T=(s,))),
        "group norm per coordinate": (
            "MM-2: T minimizes", replace(group, T=(soft(s1, rho * lam), soft(s2, rho * lam))),
        ),
    }  # fmt: skip
