"""FedEM of Marfoq et al. as FedMM: its rounds with aggregation in Θ, and where no settings in 𝒮 make them."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.verdict import Verdict, Witness
from proofs_checks.beyond_messages.personal import Coins
from proofs_checks.shared.tools import settle


def marfoq(space: Literal["Theta", "S"] = "S", step: str = "1") -> Verdict:
    """A round of FedMM with V = 0, everyone and exact oracles ends at Σ μ_i T(S_i), where Marfoq's clients meet.

    In Θ with γ = `step`; in 𝒮 for some γ in (0, 1] and some Ŝ_t with T(Ŝ_t) = θ_t.
    """
    gamma = sp.Rational(step)
    x, mu, first, second = sp.symbols("theta mu_1 T(S_1) T(S_2)")
    meet = mu * first + (1 - mu) * second
    move = x + gamma * (mu * (first - x) + (1 - mu) * (second - x))
    residuals: dict[str, sp.Expr | None] = {"the server's step in Θ": move - meet if space == "Theta" else None}
    why = "any T, any two clients; more of them termwise"
    return settle("identity", residuals, why, _other_step(F(step)) if space == "Theta" else _no_settings())


def _other_step(gamma: F) -> Witness | None:
    """θ = 1/4 with T(S_i) = 1 and 0, the first component of the two coins."""
    x, meet = F(1, 4), F(1, 2)
    found = x + gamma * (meet - x)
    return None if found == meet else Witness({"gamma": str(gamma), "theta": "1/4"}, f"${found}$, not ${meet}$")


def _no_settings() -> Witness | None:
    """The two coins: for every γ > 0 and Ŝ_t = (a p, a), a > 0, p_1 of FedMM falls, where Marfoq's rises."""
    of = Coins()
    r, p = of.responsibilities(), of.p[0]
    heads = sum((row[0] * z for row, z in zip(r, of.tosses, strict=True)), F(0)) / len(r)
    count = sum((row[0] for row in r), F(0)) / len(r)
    theirs = of.after("Theta").p[0]
    change = heads - p * count  # (1 − γ)a p + γ·heads over (1 − γ)a + γ·count, minus p, has its sign
    if not change < 0 < theirs - p:
        return None
    says = f"$p_1$ goes from ${p}$ to ${theirs}$; in $\\mathcal{{S}}$ it falls for every $\\gamma$ and $\\hat S_t$"
    return Witness(of.point(), says)
