"""The weights of a mixture of known densities p_1, …, p_L, in log-odds θ_ℓ = log(ν_ℓ/ν_L): ℓ = −log Σ_ℓ ν_ℓ p_ℓ(Z).

A sample enters through its densities only, hence Z = (p_1, …, p_L) > 0. The last weight is eliminated, so that Θ is all
of ℝ^{L−1} and 𝒮 the simplex {s ≥ 0, Σ s ≤ 1}, which has an interior: φ(θ) = θ, ψ(θ) = log(1 + Σ e^θ_ℓ),
S̄_ℓ = ν_ℓ p_ℓ/Σ_j ν_j p_j, g = −λ Σ_ℓ log ν_ℓ, T(s)_ℓ = log((s_ℓ + λ)/(s_L + λ)) with s_L = 1 − Σ s. The kernel has
the same surrogate in the weights ν themselves.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.symbolic.model import Model

lam = sp.Symbol("lambda", real=True)


def weights(L: int, called: str) -> Model:
    """L components."""
    odds, s, p = (
        sp.symbols(f"{letter}1:{n + 1}", real=True) for letter, n in (("theta", L - 1), ("s", L - 1), ("p", L))
    )
    shares = [*(sp.exp(t) for t in odds), sp.S.One]
    joint = [share * density for share, density in zip(shares, p, strict=True)]
    normal, last = sp.log(sp.Add(*shares)), 1 - sp.Add(*s)
    return Model(
        theta=odds, z=p, s=s, loss=normal - sp.log(sp.Add(*joint)), g=-lam * (sp.Add(*odds) - L * normal),
        psi=normal, phi=odds, S_bar=tuple(term / sp.Add(*joint) for term in joint[:-1]),
        T=tuple(sp.log((a + lam) / (last + lam)) for a in s),
        S=(*(a >= 0 for a in s), sp.Add(*s) <= 1), Z=tuple(density > 0 for density in p), given=(lam > 0,), name=called,
    )  # fmt: skip


def models() -> dict[str, Model]:
    """Two components, where 𝒮 is an interval, and three, where it is a triangle."""
    return {model.name: model for model in (weights(2, "two components"), weights(3, "three components"))}


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks."""
    two = models()["two components"]
    (theta,), (p1, p2), (s,) = two.theta, two.z, two.s
    one_sided = replace(two, T=(sp.log((s + lam) / (1 - s)),), S=(s >= 0, s < 1))
    return {
        "posterior without the weights": ("MM-1: tangent", replace(two, S_bar=(p1 / (p1 + p2),))),
        "prior instead of posterior": ("MM-1: tangent", replace(two, S_bar=(sp.exp(theta) / (1 + sp.exp(theta)),))),
        "psi forgotten": ("MM-1: tangent", replace(two, psi=sp.S.Zero)),
        "weights up to one half": ("MM-1: S_bar in S", replace(two, S=(s >= 0, s <= sp.Rational(1, 2)))),
        "prior of one component only": ("MM-2: T minimizes", one_sided),
        "T without the prior": ("defined", replace(two, T=(sp.log(s / (1 - s)),))),
    }
