"""SA-SSMM without noise: steps shorter than MM's, that is γ ≤ 1 in Ŝ_{t+1} = Ŝ_t + γ(E_π[S̄(Z, T(Ŝ_t))] − Ŝ_t)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import verify
from fedmm_edu.proofs.gram import atoms, inner, scalars
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.mm_instances import Instance, Point, try_and_derive

MM = ("MM-1", "MM-2")
STEPS = (sp.Rational(1, 4), sp.S.One, sp.Integer(3))


def check_descent(
    largest: str = "1", oracle: Literal["any", "exact"] = "exact", hypotheses: Sequence[str] = MM
) -> Verdict:
    """(f+g)(T(Ŝ')) ≤ (f+g)(T(Ŝ)) for Ŝ' = Ŝ + γ(S − Ŝ), 0 < γ ≤ `largest` ("1" or "3").

    S is E_π[S̄(Z, T(Ŝ))] (`oracle` "exact"), or any point of 𝒮 ("any").
    """

    def fails(i: Instance) -> Witness | None:
        return next(filter(None, (_grows(i, *move) for move in _moves(i, largest, oracle))), None)

    def certificate() -> Sequence[Step]:
        # r = 1/γ − 1, so that γ = 1/(1 + r): non-negative if γ ≤ 1
        r = sp.Symbol("r", nonnegative=True) if largest == "1" else sp.Symbol("r", real=True)
        f, f_, g, g_, psi, psi_ = scalars("f", "f'", "g", "g'", r"\psi", r"\psi'")  # at T(Ŝ) and, with ', at T(Ŝ')
        old, mean, phi, phi_ = atoms(r"\hat S", r"\bar s", r"\phi", r"\phi'")
        moved = mean if oracle == "exact" else atoms("S")[0]
        rise = phi_ - phi
        after = (r * old + moved) / (1 + r)
        given = {
            "MM-1": Hypothesis(f + psi_ - psi - inner(mean, rise) - f_, r"MM-1 at $T(\hat S)$, $\bar s$ its mirror"),
            "MM-2": Hypothesis(
                g_ + psi_ - g - psi - inner(old, rise),
                r"MM-2: $T(\hat S)$ minimises $g + \psi - \langle \hat S, \phi \rangle$",
            ),
            "MM-2'": Hypothesis(
                (g + psi - g_ - psi_ + inner(after, rise)) * (1 + r), r"MM-2 at $\hat S'$, times $1/\gamma = 1 + r$"
            ),
        }
        return verify(f + g - f_ - g_, given, {"MM-1": 1, "MM-2": r, "MM-2'": 1})

    return try_and_derive(hypotheses, fails, ("MM-1; MM-2", certificate))


def _moves(i: Instance, largest: str, oracle: str) -> Iterator[tuple[Point, Point, sp.Expr]]:
    """Ŝ, S and γ: the mirrors of an instance, the oracles and the steps that the form allows."""
    mirrors = [i.to_s(s) for s in i.mirrors]
    for s in mirrors:
        for target in [i.mean_S_bar(i.T_of(s))] if oracle == "exact" else mirrors:
            yield from ((s, target, gamma) for gamma in STEPS if gamma <= sp.Integer(largest))


def _grows(i: Instance, s: Point, target: Point, gamma: sp.Expr) -> Witness | None:
    after = tuple(a + gamma * (b - a) for a, b in zip(s, target, strict=True))
    if not i.in_S(after):
        return None
    old, new = i.objective(i.T_of(s)), i.objective(i.T_of(after))
    if new <= old:
        return None
    return i.witness(f"$f+g$ grows from ${old}$ to ${new}$", {"Shat": s, "S": target, "gamma": gamma, "next": after})
