"""Dictionary learning with one atom, K = 1, eqs. `dict_learn_mm1` and `MF:tool2`.

    ℓ(Z, θ) = min_h c‖Z − θh‖² + χ(h),  φ = c(−θᵀθ, 2θ),  ψ = 0,  S̄ = (hhᵀ, Zhᵀ),  T(s) = s₂(s₁ + (η/c)I)⁻¹

with g = η‖θ‖², and c = ½ (Section 6) but for the model "as in Section 2.3", which has c = 1. The codes have a ridge
penalty, χ = (κ/2)h² or κh²: then h = θᵀZ/(‖θ‖² + κ) is a formula without cases. That formula also holds for
non-negative codes where θ ≥ 0 and Z ≥ 0. 𝒮 is s₁ ≥ 0.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.examples.dictionary.atoms import EACH_ATOMS, Atoms
from fedmm_edu.symbolic.model import Model

theta, theta1, theta2, z, z1, z2 = sp.symbols("theta theta1 theta2 z z1 z2", real=True)
s1, s2, t1, t2 = sp.symbols("s1 s2 t1 t2", real=True)
kappa, eta = sp.symbols("kappa eta", real=True)
FREE = s2 / (s1 + 2 * eta)
"""T of one atom without a constraint, for c = ½."""


def models() -> dict[str, Model]:
    """One atom with each kind of dictionary, and in two dimensions."""
    half = sp.Rational(1, 2)
    positive = (kappa > 0, eta > 0)
    code = theta * z / (theta**2 + kappa)
    one = Model(
        theta=(theta,), z=(z,), s=(s1, s2), loss=half * kappa * z**2 / (theta**2 + kappa), g=eta * theta**2,
        phi=(-half * theta**2, theta), S_bar=(code**2, z * code), T=(FREE,),
        S=(s1 >= 0,), given=positive, name="one atom",
    )  # fmt: skip
    norm = theta1**2 + theta2**2
    code_2d = (theta1 * z1 + theta2 * z2) / (norm + kappa)
    found = [
        one,
        replace(
            one, loss=kappa * z**2 / (theta**2 + kappa), phi=(-(theta**2), 2 * theta),
            T=(s2 / (s1 + eta),), name="one atom, as in Section 2.3",
        ),
        *(_constrained(one, atoms) for atoms in EACH_ATOMS if atoms.name),
        Model(
            theta=(theta1, theta2), z=(z1, z2), s=(s1, t1, t2),
            loss=half * (z1**2 + z2**2 - (theta1 * z1 + theta2 * z2) * code_2d), g=eta * norm,
            phi=(-half * norm, theta1, theta2), S_bar=(code_2d**2, z1 * code_2d, z2 * code_2d),
            T=(t1 / (s1 + 2 * eta), t2 / (s1 + 2 * eta)), S=(s1 >= 0,), given=positive,
            name="one atom, two dimensions",
        ),
    ]  # fmt: skip
    return {model.name: model for model in found}


def _constrained(one: Model, atoms: type[Atoms]) -> Model:
    """One atom under a constraint."""
    twin = atoms.twin(theta, z, FREE)
    return replace(one, T=(twin.T,), Theta=twin.Theta, Z=twin.Z, name=f"{one.name}, {atoms.name}")


def wrong_models() -> dict[str, tuple[str, Model]]:
    """Plausible mistakes, each with the row of `check_model` that it breaks."""
    right = models()
    one, plain, plane = right["one atom"], right["one atom, as in Section 2.3"], right["one atom, two dimensions"]
    code = theta * z / (theta**2 + kappa)
    halved = (t1 / (2 * s1 + 4 * eta), t2 / (s1 + 2 * eta))
    late = theta * z / (theta**2 + 2 * kappa)
    return {
        "codes with twice the penalty": ("MM-1: tangent", replace(one, S_bar=(late**2, z * late))),
        "sign of the first block": ("MM-1: S_bar in S", replace(one, S_bar=(-(code**2), z * code))),
        "phi without the 2": ("MM-1: tangent", replace(plain, phi=(-(theta**2), theta))),
        "eta for 2 eta": ("MM-2: T minimizes", replace(one, T=(s2 / (s1 + eta),))),
        "2 eta for eta": ("MM-2: T minimizes", replace(plain, T=(s2 / (s1 + 2 * eta),))),
        "no ridge": ("defined", replace(one, given=(kappa > 0, eta >= 0))),
        "one coordinate scaled twice": ("MM-2: T minimizes", replace(plane, T=halved)),
        **{
            name: (row, replace(_constrained(one, atoms), T=(T,)))
            for atoms in EACH_ATOMS
            for name, (row, T) in atoms.twin(theta, z, FREE).wrong.items()
        },
    }
