"""Mixtures of two Gaussians on the line (Appendix C.2, L 1160): known variances, and everything unknown.

*means*: θ = (m₁, m₂), weights ν_ℓ and standard deviations σ_ℓ known, g = (λ/2)(m₁² + m₂²). All components have
statistics, so that no mean of Z is needed: S̄ = (r₁z, r₂z, r₁, r₂). *means, known average* is the paper's form with
m = E_π[Z] in ψ and φ as amended (row gmm-phi). As ψ then depends on the law of the samples, (19) holds for the loss
with the term −(m − z)θ₂/σ₂², which has mean 0 under π.

*everything*: θ = (log ν₁/ν₂, b₁, b₂, w₁, w₂) with precisions w_ℓ and b_ℓ = w_ℓm_ℓ. In these parameters ψ − ⟨s, φ⟩ is
convex (A1); in mean and variance it is not (a wrong model shows it for one component). g is the conjugate prior around
0. 𝒮 is stated with s₀ > 0, where the matrix [[s₂, s₁], [s₁, s₀]] is positive semidefinite exactly when s₂ ≥ s₁²/s₀;
every S̄ has s₀ > 0.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.symbolic.model import Model

theta1, theta2, z = sp.symbols("theta1 theta2 z", real=True)
s11, s12, s01, s02, s21, s22 = sp.symbols("s11 s12 s01 s02 s21 s22", real=True)
nu1, nu2, sigma1, sigma2, lam, m = sp.symbols("nu1 nu2 sigma1 sigma2 lambda m", real=True)
odds, b1, b2, w1, w2 = sp.symbols("odds b1 b2 w1 w2", real=True)
a, kappa, eta, Psi = sp.symbols("a kappa eta Psi", real=True)
PARTS = ((nu1, theta1, sigma1), (nu2, theta2, sigma2))


def shares(*terms: sp.Expr) -> list[sp.Expr]:
    """The responsibilities p_ℓ / Σ p."""
    return [term / sum(terms) for term in terms]


def means() -> Model:
    """Known weights and variances, all components with statistics."""
    p1, p2 = (weight / sigma * sp.exp(-((z - mean) ** 2) / (2 * sigma**2)) for weight, mean, sigma in PARTS)
    r1, r2 = shares(p1, p2)
    return Model(
        theta=(theta1, theta2), z=(z,), s=(s11, s12, s01, s02),
        loss=-sp.log(p1 + p2), g=lam * (theta1**2 + theta2**2) / 2,
        phi=(theta1 / sigma1**2, theta2 / sigma2**2, -(theta1**2) / (2 * sigma1**2), -(theta2**2) / (2 * sigma2**2)),
        S_bar=(r1 * z, r2 * z, r1, r2),
        T=(s11 / (s01 + lam * sigma1**2), s12 / (s02 + lam * sigma2**2)),
        S=(s01 >= 0, s02 >= 0, sp.Eq(s01 + s02, 1)),
        given=(nu1 > 0, nu2 > 0, sigma1 > 0, sigma2 > 0, lam > 0), name="means",
    )  # fmt: skip


def means_known_average() -> Model:
    """The paper's form: the last component has no statistics, ψ holds m = E_π[Z]."""
    full = means()
    r1 = full.S_bar[2]
    return Model(
        theta=full.theta, z=full.z, s=(s11, s01),
        loss=full.loss - (m - z) * theta2 / sigma2**2, g=full.g,
        psi=-m * theta2 / sigma2**2 + theta2**2 / (2 * sigma2**2),
        phi=(
            theta1 / sigma1**2 - theta2 / sigma2**2,
            -(theta1**2) / (2 * sigma1**2) + theta2**2 / (2 * sigma2**2),
        ),
        S_bar=(r1 * z, r1),
        T=(s11 / (s01 + lam * sigma1**2), (m - s11) / (1 - s01 + lam * sigma2**2)),
        S=(s01 >= 0, s01 <= 1), given=full.given, name="means, known average",
    )  # fmt: skip


def everything() -> Model:
    """Weights, means and variances, in natural parameters, with a conjugate prior."""
    p1 = sp.sqrt(w1) * sp.exp(odds - w1 * z**2 / 2 + b1 * z - b1**2 / (2 * w1)) / (1 + sp.exp(odds))
    p2 = sp.sqrt(w2) * sp.exp(-w2 * z**2 / 2 + b2 * z - b2**2 / (2 * w2)) / (1 + sp.exp(odds))
    r1, r2 = shares(p1, p2)
    normal = sp.log(1 + sp.exp(odds))  # −log ν₂
    prior = [(kappa * b**2 / w + Psi * w - eta * sp.log(w)) / 2 for b, w in ((b1, w1), (b2, w2))]
    (m1, v1), (m2, v2) = estimates()
    return Model(
        theta=(odds, b1, b2, w1, w2), z=(z,), s=(s21, s11, s01, s22, s12, s02),
        loss=-sp.log(p1 + p2), g=sum(prior) - a * odds + 2 * a * normal,
        phi=(
            -w1 / 2, b1, odds - normal - (b1**2 / w1 - sp.log(w1)) / 2,
            -w2 / 2, b2, -normal - (b2**2 / w2 - sp.log(w2)) / 2,
        ),
        S_bar=(r1 * z**2, r1 * z, r1, r2 * z**2, r2 * z, r2),
        T=(sp.log((s01 + a) / (s02 + a)), m1 / v1, m2 / v2, 1 / v1, 1 / v2),
        Theta=(w1 > 0, w2 > 0),
        S=(s01 > 0, s02 > 0, sp.Eq(s01 + s02, 1), s21 >= s11**2 / s01, s22 >= s12**2 / s02),
        given=(a > 0, kappa > 0, eta > 0, Psi > 0), name="everything",
    )  # fmt: skip


def estimates() -> list[tuple[sp.Expr, sp.Expr]]:
    """The mean and the variance of each component at s: κ pseudo-samples at 0, η of scatter Ψ."""
    rows = ((s01, s11, s21), (s02, s12, s22))
    return [(s1 / (s0 + kappa), (s2 + Psi - s1**2 / (s0 + kappa)) / (s0 + eta)) for s0, s1, s2 in rows]


def gaussian_in_mean_and_variance() -> Model:
    """A mixture of one, in θ = (m, v): MM-1 and MM-2 hold as in natural parameters, A1 does not."""
    m1, v1 = sp.symbols("m1 v1", real=True)
    mean = s11 / (1 + kappa)
    return Model(
        theta=(m1, v1), z=(z,), s=(s21, s11),
        loss=sp.log(v1) / 2 + (z - m1) ** 2 / (2 * v1), g=(kappa * m1**2 / v1 + Psi / v1 + eta * sp.log(v1)) / 2,
        psi=sp.log(v1) / 2 + m1**2 / (2 * v1), phi=(-1 / (2 * v1), m1 / v1),
        S_bar=(z**2, z), T=(mean, (s21 + Psi - s11 * mean) / (1 + eta)),
        Theta=(v1 > 0,), S=(s21 >= s11**2,), given=(kappa > 0, eta > 0, Psi > 0), name="one Gaussian in (m, v)",
    )  # fmt: skip


def models() -> dict[str, Model]:
    """Unknown means in both forms, and everything unknown."""
    return {model.name: model for model in (means(), means_known_average(), everything())}


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks."""
    plain, known, full = means(), means_known_average(), everything()
    q1, q2 = shares(*(n * sp.exp(-((z - t) ** 2) / (2 * x**2)) for n, t, x in PARTS))
    e1, e2 = shares(*(n * sp.exp((z * t - t**2 / 2) / x**2) for n, t, x in PARTS))
    (m1, v1), (m2, v2) = estimates()
    added = v1 - Psi / (s01 + eta) + Psi  # as scikit-learn's reg_covar
    return {
        "posterior without the standard deviations": (
            "MM-1: tangent", replace(plain, S_bar=(q1 * z, q2 * z, q1, q2)),
        ),
        "posterior of Example 2 as printed": ("MM-1: tangent", replace(plain, S_bar=(e1 * z, e2 * z, e1, e2))),
        "counts up to one half": (
            "MM-1: S_bar in S", replace(plain, S=(s01 >= 0, s02 >= 0, sp.Eq(s01 + s02, sp.Rational(1, 2)))),
        ),
        "T without the penalty": ("MM-2: T minimizes", replace(plain, T=(s11 / s01, s12 / s02))),
        "lambda without the variance": (
            "MM-2: T minimizes", replace(plain, T=(s11 / (s01 + lam), s12 / (s02 + lam))),
        ),
        "phi as printed": ("MM-1: tangent", replace(known, phi=(sp.S.Zero, known.phi[1]))),
        "T without the known average": (
            "MM-2: T minimizes",
            replace(known, T=(s11 / (s01 + lam * sigma1**2), -s11 / (1 - s01 + lam * sigma2**2))),
        ),
        "weights without their prior": (
            "MM-2: T minimizes", replace(full, T=(sp.log(s01 / s02), m1 / v1, m2 / v2, 1 / v1, 1 / v2)),
        ),
        "scatter added after the M-step": (
            "MM-2: T minimizes",
            replace(full, T=(sp.log((s01 + a) / (s02 + a)), m1 / added, m2 / v2, 1 / added, 1 / v2)),
        ),
        "mean and variance as parameters": ("A1: convex", gaussian_in_mean_and_variance()),
    }  # fmt: skip
