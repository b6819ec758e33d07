"""Poisson regression with one feature x = p − n, p, n ≥ 0 and p + n ≤ R: ℓ = exp(xθ) − yxθ.

φ(θ) = (−e^{Rθ}, −e^{−Rθ}, θ), S̄ = (e^{xτ − Rτ}p/R, e^{xτ + Rτ}n/R, yx), g = κ(e^{Rθ} + e^{−Rθ}); T is the logarithm of
the positive root v of (s₁ + κ)v² − (s₃/R)v − (s₂ + κ) = 0, over R. Majorisation is Jensen's inequality for exp, with
the weights p/R, n/R and 1 − (p + n)/R. The kernel takes for p and n the parts of each entry of x.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.symbolic.model import Model

theta, p, n, y, s1, s2, s3 = sp.symbols("theta p n y s1 s2 s3", real=True)
R, kappa = sp.symbols("R kappa", real=True)


def positive_root(a: sp.Expr, b: sp.Expr, m: sp.Expr) -> sp.Expr:
    """The v > 0 with av² − mv − b = 0."""
    return (m + sp.sqrt(m**2 + 4 * a * b)) / (2 * a)


def models() -> dict[str, Model]:
    """One feature."""
    u = (p - n) * theta
    counts = Model(
        theta=theta, z=(p, n, y), s=(s1, s2, s3), loss=sp.exp(u) - y * u,
        g=kappa * (sp.exp(R * theta) + sp.exp(-R * theta)), phi=(-sp.exp(R * theta), -sp.exp(-R * theta), theta),
        S_bar=(p * sp.exp(u - R * theta) / R, n * sp.exp(u + R * theta) / R, y * (p - n)),
        T=sp.log(positive_root(s1 + kappa, s2 + kappa, s3 / R)) / R,
        S=(s1 >= 0, s2 >= 0), Z=(p >= 0, n >= 0, y >= 0), given=(R > 0, kappa > 0, p + n <= R), name="one feature",
    )  # fmt: skip
    return {counts.name: counts}


def tempting_models() -> dict[str, tuple[str, Model]]:
    """A quadratic surrogate, as for losses of bounded curvature."""
    s, x, rho = sp.symbols("s x rho", real=True)
    quadratic = Model(
        theta=theta, z=(x, y), s=s, loss=sp.exp(x * theta) - y * x * theta, psi=theta**2 / (2 * rho), phi=theta / rho,
        S_bar=theta - rho * x * (sp.exp(x * theta) - y), T=s, Z=y >= 0, given=(rho > 0, rho * x**2 <= 1),
        name="a gradient step",
    )  # fmt: skip
    return {quadratic.name: ("MM-1: majorizes", quadratic)}


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks."""
    right = models()["one feature"]
    rise, fall, third = right.S_bar
    a, b, m = s1 + kappa, s2 + kappa, s3 / R
    return {
        "weights not divided by R": ("MM-1: tangent", replace(right, S_bar=(R * rise, R * fall, third))),
        "features longer than R": ("MM-1: majorizes", replace(right, given=(R > 0, kappa > 0, p + n <= 2 * R))),
        "the falling part forgotten": ("MM-1: tangent", replace(right, S_bar=(rise, sp.S.Zero, third))),
        "T without kappa for the falling part": (
            "MM-2: T minimizes", replace(right, T=(sp.log(positive_root(a, s2, m)) / R,), S=(s1 >= 0, s2 > 0)),
        ),
        "T with s3 for s3/R": ("MM-2: T minimizes", replace(right, T=(sp.log(positive_root(a, b, s3)) / R,))),
        "no penalty": ("defined", replace(right, given=(R > 0, kappa >= 0, p + n <= R))),
    }  # fmt: skip
