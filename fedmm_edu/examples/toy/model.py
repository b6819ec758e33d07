"""The toy of Remark 1 (`rem:aggr_in_S`, L 544): ℓ(z, θ) = zθ + 1/θ on θ > 0.

    φ(θ) = −θ,  ψ(θ) = 1/θ,  S̄(z, τ) = z,  T(s) = 1/√s,  Θ = 𝒮 = Z = (0, ∞).

The surrogate equals the loss, so (19) holds with equality; T is strictly convex, so aggregation in Θ is biased upward.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.symbolic.model import Model

__all__ = ["models", "wrong_models"]

theta, z, s = sp.symbols("theta z s", real=True)


def models() -> dict[str, Model]:
    """The toy."""
    toy = Model(
        theta=(theta,), z=(z,), s=(s,),
        loss=z * theta + 1 / theta, psi=1 / theta, phi=(-theta,),
        S_bar=(z,), T=(1 / sp.sqrt(s),),
        Theta=(theta > 0,), S=(s > 0,), Z=(z > 0,),
        name="toy",
    )  # fmt: skip
    return {"toy": toy}


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks."""
    toy = models()["toy"]
    return {
        "sign of phi": ("MM-1: tangent", replace(toy, phi=(theta,))),
        "T without the root": ("MM-2: T minimizes", replace(toy, T=(1 / s,))),
        "T negative": ("MM-2: T in Theta", replace(toy, T=(-1 / sp.sqrt(s),))),
        "samples may vanish": ("MM-1: S_bar in S", replace(toy, Z=(z >= 0,))),
        "S closed at 0": ("defined", replace(toy, S=(s >= 0,))),
        "theta unrestricted": ("defined", replace(toy, Theta=())),
        "psi forgotten": ("MM-1: majorizes", replace(toy, psi=sp.S.Zero)),
    }
