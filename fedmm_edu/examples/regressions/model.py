"""Mixtures of two regressions on a line, y ≈ xβ_ℓ (the statistics of L 637).

*slopes*: θ = (β₁, β₂), weights ν_ℓ and standard deviations σ_ℓ known, g = (λ/2)(β₁² + β₂²), and with responsibilities
r_ℓ, S̄ = (r₁x², r₁xy, r₂x², r₂xy).

*everything*: θ = (log ν₁/ν₂, b₁, b₂, w₁, w₂) with w_ℓ = 1/σ_ℓ² and b_ℓ = w_ℓβ_ℓ, and the statistics r_ℓ, r_ℓx², r_ℓxy,
r_ℓy². In these parameters ψ − ⟨s, φ⟩ is convex (A1). g is the conjugate prior around 0. 𝒮 is stated with E[r_ℓx²] > 0,
where the matrix of the last three is positive semidefinite exactly when E[r_ℓy²] ≥ E[r_ℓxy]²/E[r_ℓx²]; hence x ≠ 0.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.symbolic.model import Model

x, y = sp.symbols("x y", real=True)
beta1, beta2, nu1, nu2, sigma1, sigma2, lam = sp.symbols("theta1 theta2 nu1 nu2 sigma1 sigma2 lambda", real=True)
odds, b1, b2, w1, w2 = sp.symbols("odds b1 b2 w1 w2", real=True)
a, kappa, eta, Psi = sp.symbols("a kappa eta Psi", real=True)
COUNTS, XX, XY, YY = (sp.symbols(f"{name}1 {name}2", real=True) for name in ("s0", "xx", "xy", "yy"))


def slopes() -> Model:
    """Known weights and variances."""
    parts = ((nu1, beta1, sigma1), (nu2, beta2, sigma2))
    p1, p2 = (nu / sigma * sp.exp(-((y - x * beta) ** 2) / (2 * sigma**2)) for nu, beta, sigma in parts)
    r1, r2 = p1 / (p1 + p2), p2 / (p1 + p2)
    return Model(
        theta=(beta1, beta2), z=(x, y), s=(XX[0], XY[0], XX[1], XY[1]),
        loss=-sp.log(p1 + p2), g=lam * (beta1**2 + beta2**2) / 2,
        phi=(
            -(beta1**2) / (2 * sigma1**2), beta1 / sigma1**2, -(beta2**2) / (2 * sigma2**2), beta2 / sigma2**2
        ),
        S_bar=(r1 * x**2, r1 * x * y, r2 * x**2, r2 * x * y),
        T=(XY[0] / (XX[0] + lam * sigma1**2), XY[1] / (XX[1] + lam * sigma2**2)),
        S=(XX[0] >= 0, XX[1] >= 0), given=(nu1 > 0, nu2 > 0, sigma1 > 0, sigma2 > 0, lam > 0), name="slopes",
    )  # fmt: skip


def everything() -> Model:
    """Weights, slopes and variances, in natural parameters, with a conjugate prior."""
    normal = sp.log(1 + sp.exp(odds))  # −log ν₂
    first = sp.sqrt(w1) * sp.exp(odds - w1 * y**2 / 2 + b1 * x * y - b1**2 * x**2 / (2 * w1))
    second = sp.sqrt(w2) * sp.exp(-w2 * y**2 / 2 + b2 * x * y - b2**2 * x**2 / (2 * w2))
    r1, r2 = first / (first + second), second / (first + second)
    prior = [(kappa * b**2 / w + Psi * w - eta * sp.log(w)) / 2 for b, w in ((b1, w1), (b2, w2))]
    (slope1, v1), (slope2, v2) = estimates()
    return Model(
        theta=(odds, b1, b2, w1, w2), z=(x, y),
        s=tuple(part[k] for k in (0, 1) for part in (COUNTS, XX, XY, YY)),
        loss=-sp.log(first + second) + normal, g=sum(prior) - a * odds + 2 * a * normal,
        phi=(
            odds - normal + sp.log(w1) / 2, -(b1**2) / (2 * w1), b1, -w1 / 2,
            -normal + sp.log(w2) / 2, -(b2**2) / (2 * w2), b2, -w2 / 2,
        ),
        S_bar=tuple(r * f for r in (r1, r2) for f in (1, x**2, x * y, y**2)),
        T=(sp.log((COUNTS[0] + a) / (COUNTS[1] + a)), slope1 / v1, slope2 / v2, 1 / v1, 1 / v2),
        Theta=(w1 > 0, w2 > 0), Z=(x**2 > 0,),
        S=(
            *(relation for k in (0, 1) for relation in (COUNTS[k] > 0, XX[k] > 0, YY[k] >= XY[k] ** 2 / XX[k])),
            sp.Eq(COUNTS[0] + COUNTS[1], 1),
        ),
        given=(a > 0, kappa > 0, eta > 0, Psi > 0), name="everything",
    )  # fmt: skip


def estimates() -> list[tuple[sp.Expr, sp.Expr]]:
    """The slope and the variance of each component at s."""
    found = []
    for count, xx, xy, yy in zip(COUNTS, XX, XY, YY, strict=True):
        found.append((xy / (xx + kappa), (yy + Psi - xy**2 / (xx + kappa)) / (count + eta)))
    return found


def models() -> dict[str, Model]:
    """Unknown slopes, and everything unknown."""
    return {model.name: model for model in (slopes(), everything())}


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks."""
    plain, full = slopes(), everything()
    (slope1, v1), (slope2, v2) = estimates()
    parts = ((nu1, beta1, sigma1), (nu2, beta2, sigma2))
    e1, e2 = (nu * sp.exp(-((y - x * beta) ** 2) / (2 * sigma**2)) for nu, beta, sigma in parts)
    full_odds = sp.log((COUNTS[0] + a) / (COUNTS[1] + a))
    added = v1 - Psi / (COUNTS[0] + eta) + Psi
    return {
        "responsibilities without the standard deviations": (
            "MM-1: tangent",
            replace(plain, S_bar=tuple(e / (e1 + e2) * f for e in (e1, e2) for f in (x**2, x * y))),
        ),
        "labels of equal weight": (
            "MM-1: tangent", replace(plain, S_bar=(x**2 / 2, x * y / 2, x**2 / 2, x * y / 2)),
        ),
        "lambda without the variance": (
            "MM-2: T minimizes", replace(plain, T=(XY[0] / (XX[0] + lam), XY[1] / (XX[1] + lam))),
        ),
        "scatter added after the M-step": (
            "MM-2: T minimizes",
            replace(
                full,
                T=(full_odds, slope1 / added, slope2 / v2, 1 / added, 1 / v2),
            ),
        ),
        "weights without their prior": (
            "MM-2: T minimizes",
            replace(full, T=(sp.log(COUNTS[0] / COUNTS[1]), slope1 / v1, slope2 / v2, 1 / v1, 1 / v2)),
        ),
        "a feature may vanish": ("MM-1: S_bar in S", replace(full, Z=())),
    }  # fmt: skip
