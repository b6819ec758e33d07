"""Surrogates of each loss ℓ(z, ·), eq. (19): their mean is MM-1, and SA-SSMM averages them."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Literal, TypeVar

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import settle

Shat, g = sp.symbols("Shat gamma_t")
Exact = TypeVar("Exact", F, sp.Expr)


def pointwise(
    direction: Literal["from the mean", "to the mean"],
    law: Literal["probability", "signed"] = "probability",
    points: Literal["every", "some"] = "every",
) -> Verdict:
    """(19) for every z, or for some, implies MM-1 ("to the mean"); or MM-1 implies (19) ("from the mean")."""
    size = range(3)
    sign = {"nonnegative": True} if law == "probability" else {"real": True}
    p = sp.symbols("p1:4", **sign)
    psi, psi0, phi, phi0 = sp.symbols("psi psi_0 phi phi_0", real=True)
    loss, loss0, S = (sp.symbols(f"{name}1:4", real=True) for name in ("l", "l_0", "S"))
    gap = [loss0[k] + psi - psi0 - S[k] * (phi - phi0) - loss[k] for k in size]
    E = lambda values: sum(p[k] * values[k] for k in size)  # noqa: E731
    mean_gap = E(loss0) + psi - psi0 - E(S) * (phi - phi0) - E(loss)
    unit = Hypothesis(1 - sum(p, sp.S.Zero), "the weights add up to 1", equality=True)
    each = {f"z_{k}": Hypothesis(gap[k], f"(19) at $z_{k + 1}$") for k in (size if points == "every" else (0,))}
    mean = {"MM-1": Hypothesis(mean_gap, "MM-1, for the mean")}
    to_mean = direction == "to the mean"

    def prove() -> tuple[Step, ...]:
        """The target as a combination of the premises, with the weights of the law as multipliers."""
        target, premises = (mean_gap, each) if to_mean else (gap[0], mean)
        used = dict(zip(premises, p if to_mean else (1,), strict=False)) | {
            "unit": psi - psi0 if to_mean else sp.S.Zero
        }
        lines = verify(target, {**premises, "unit": unit}, used, says="the gap is a mean of gaps, with weights >= 0")
        return (*lines, Step("for every law π", "termwise; monotonicity of the integral"))

    return decide("certificate", prove, [lambda: _pointwise_counterexample(direction, law, points)])


def quadratic_gap(z: Exact, theta: Exact, tau: Exact) -> Exact:
    """The gap of (19) for ℓ(z, θ) = zθ²/2, ψ = θ²/2, φ = θ, S̄(z, τ) = τ − ∇ℓ(z, τ)."""
    S_bar = tau - z * tau
    return z * tau**2 / 2 + theta**2 / 2 - tau**2 / 2 - S_bar * (theta - tau) - z * theta**2 / 2


def _pointwise_counterexample(direction: str, law: str, points: str) -> Witness | None:
    """The quadratic losses of `quadratic_gap` at θ = 1, τ = 0, under laws on two values of z."""
    premise_on_mean, of = direction == "from the mean", min if points == "every" else max
    half = (F(1, 2), F(1, 2))
    for atoms, weights in (((0, 2), half), ((0, 4), half), ((0, 1), (F(-1), F(2))), ((1, 0), (F(2), F(-1)))):
        if law == "probability" and min(weights) < 0:
            continue
        gaps = [quadratic_gap(F(z), F(1), F(0)) for z in atoms]
        mean = sum(w * gap for w, gap in zip(weights, gaps, strict=True))
        premise, conclusion = (mean >= 0, of(gaps) >= 0) if premise_on_mean else (of(gaps) >= 0, mean >= 0)
        if premise and not conclusion:
            point = {
                "l(z, theta)": "z*theta**2/2",
                "z": str(atoms),
                "weights": ", ".join(map(str, weights)),
                "theta": "1",
                "tau": "0",
            }
            return Witness(point, f"the gaps of (19) are ${', '.join(map(str, gaps))}$, that of MM-1 is ${mean}$")
    return None


def recursion(old: str, new: str) -> Verdict:
    """Ū_{t+1} = old·Ū_t + new·U_{t+1}, where Ū_t = g + ψ − ⟨Ŝ_t, φ⟩ and U_t = g + ψ − ⟨S_t, φ⟩."""
    g_psi, phi, S = sp.symbols("g_psi phi S")
    U = lambda s: g_psi - s * phi  # noqa: E731
    left = U(Shat + g * (S - Shat))
    right = sp.sympify(old, {"gamma": g}) * U(Shat) + sp.sympify(new, {"gamma": g}) * U(S)
    at = {g_psi: 2, phi: 3, Shat: 1, S: 5, g: sp.Rational(1, 4)}
    found = None
    if left.subs(at) != right.subs(at):
        found = Witness(
            {"g + psi": "2", "phi": "3", "Shat_t": "1", "S_{t+1}": "5", "gamma_{t+1}": "1/4"},
            f"$\\bar U_{{t+1}} = {left.subs(at)}$, the recursion gives ${right.subs(at)}$",
        )
    return settle(
        "identity", {"the recursion": left - right}, "exact for each coordinate of S and φ, so for every q", found
    )


def tangent(constant: str) -> Verdict:
    """U_{t+1} + constant majorises ℓ(z, ·) + g and touches it at τ, if (19) holds and S_{t+1} = S̄(z, τ).

    The constant is an expression in l_0 = ℓ(z, τ), psi_0 = ψ(τ), inner_0 = ⟨S̄(z, τ), φ(τ)⟩.
    """
    l0, psi0, inner0, loss, psi, inner, penalty = sp.symbols("l_0 psi_0 inner_0 l psi inner g")
    shift = sp.sympify(constant, {"l_0": l0, "psi_0": psi0, "inner_0": inner0})
    above = penalty + psi - inner + shift - (loss + penalty)
    gap = l0 + psi - psi0 - (inner - inner0) - loss  # ≥ 0 by (19), and 0 at θ = τ
    at = {l0: 5, psi0: 1, inner0: 2, loss: 5, psi: 1, inner: 2}  # θ = τ
    found = None
    if above.subs(at) != 0:
        found = Witness(
            {"theta": "tau", "l(z, tau)": "5", "psi(tau)": "1", "<S_bar, phi(tau)>": "2"},
            f"at $\\tau$ the function differs from $\\ell(z, \\cdot) + g$ by ${above.subs(at)}$",
        )
    return settle(
        "identity",
        {"$U_{t+1} + c - \\ell(z, \\cdot) - g$ is the gap of (19)": above - gap},
        "the gap of (19) is ≥ 0 and vanishes at τ",
        found,
    )
