"""Poisson observations with a latent factor (Appendix C.1, L 1120): intensity exp(θ + h), h with a discrete law.

h takes the values h1, h2 with weights m1, m2 > 0 (which need not sum to one: a common factor only shifts the loss). A
count is ≥ 0, and it may be 0: then S̄₁ = z = 0 lies outside 𝒮 = ℝ_{>0} × ℝ_{<0}, and for s₁ = 0 the function J_s has no
minimiser. Strategy 1 is therefore stated for samples z > 0.

Two objectives are written down. *printed* is eq. (43) (`eq:EMexample:Poisson`, L 1128), whose integrand
exp(zθ − e^{θ+h}) drops the factor exp(zh) of the Poisson likelihood; *likelihood* keeps it. The surrogates differ only
in the posterior weights of h, w_k ∝ m_k exp(−e^{τ+h_k}) against w_k ∝ m_k exp(z h_k − e^{τ+h_k}).

Strategy 2 puts m = E_π[Z] into ψ(θ) = −mθ. Then ψ depends on the law π and (19) does not hold sample by sample for the
loss above; it does for the loss with the term −zθ replaced by −mθ, which has the same mean under π. That loss is the
model here, and m > 0 is a constant: single samples may then be 0.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.symbolic.model import Model

theta, z, s, s1, s2 = sp.symbols("theta z s s1 s2", real=True)
h1, h2, m1, m2, lam, m = sp.symbols("h1 h2 m1 m2 lambda m", real=True)
ATOMS = ((h1, m1), (h2, m2))


def mixture(count: sp.Expr, tilt: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """ℓ = −log Σ_k m_k exp(count·θ + tilt·h_k − e^{θ+h_k}) and S̄ = −E[e^h] under the posterior of h."""
    terms = [weight * sp.exp(count * theta + tilt * h - sp.exp(theta + h)) for h, weight in ATOMS]
    intensity, total = sp.Add(*(sp.exp(h) * p for (h, _), p in zip(ATOMS, terms, strict=True))), sp.Add(*terms)
    return -sp.log(total), -intensity / total


def models() -> dict[str, Model]:
    """Both objectives, each with both strategies."""
    positive = (m1 > 0, m2 > 0, lam > 0)
    found = {}
    for name, tilt in (("printed", sp.S.Zero), ("likelihood", z)):
        loss, S_bar = mixture(z, tilt)
        found[f"{name}, strategy 1"] = Model(
            theta=(theta,), z=(z,), s=(s1, s2), loss=loss, g=lam * sp.exp(theta),
            phi=(theta, sp.exp(theta)), S_bar=(z, S_bar), T=(sp.log(s1 / (lam - s2)),),
            S=(s1 > 0, s2 < 0), Z=(z > 0,), given=positive, name=f"{name}, strategy 1",
        )  # fmt: skip
        loss, S_bar = mixture(m, tilt)
        found[f"{name}, strategy 2"] = Model(
            theta=(theta,), z=(z,), s=(s,), loss=loss, g=lam * sp.exp(theta), psi=-m * theta,
            phi=(sp.exp(theta),), S_bar=(S_bar,), T=(sp.log(m / (lam - s)),),
            S=(s < 0,), Z=(z >= 0,), given=(*positive, m > 0), name=f"{name}, strategy 2",
        )  # fmt: skip
    return found


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks."""
    right = models()
    printed, likelihood = right["printed, strategy 1"], right["likelihood, strategy 1"]
    second = right["printed, strategy 2"]
    prior_mean = -(m1 * sp.exp(h1) + m2 * sp.exp(h2)) / (m1 + m2)
    return {
        "prior instead of posterior": ("MM-1: majorizes", replace(printed, S_bar=(z, prior_mean))),
        "posterior of the printed objective": ("MM-1: majorizes", replace(likelihood, S_bar=printed.S_bar)),
        "sign of the second statistic": ("MM-1: S_bar in S", replace(printed, S_bar=(z, -printed.S_bar[1]))),
        "a count of zero": ("MM-1: S_bar in S", replace(printed, Z=(z >= 0,))),
        "S closed at s1 = 0": ("MM-2: T minimizes", replace(printed, S=(s1 >= 0, s2 < 0), Z=(z >= 0,))),
        "T without lambda": ("MM-2: T minimizes", replace(printed, T=(sp.log(-s1 / s2),))),
        "the loss keeps z": ("MM-1: majorizes", replace(second, loss=printed.loss)),
    }
