"""Composite optimisation: what a subgradient bounds, and what ProxSkip without skipping is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.identity import is_identity
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, proved, refuted, undecided
from proofs_checks.shared.tools import instance

Bound = Literal["plane above", "plane below", "parabola above"]


def subgradient_bound(bound: Bound = "plane above", slope: str = "1") -> Verdict:
    """For a ≠ 0 and u = slope·sign(a): the plane |a| + u(θ − a), or it + (θ − a)²/(2|a|), lies above or below |θ|."""
    factor = sp.Rational(slope)
    a, y = sp.Symbol("a", positive=True), sp.Symbol("y", nonnegative=True)  # a < 0 is the mirror image; y = |θ|
    parabola = bound == "parabola above"

    def gap(theta: sp.Expr) -> sp.Expr:
        value = a + factor * (theta - a) + ((theta - a) ** 2 / (2 * a) if parabola else 0)
        return y - value if bound == "plane below" else value - y

    def prove() -> Sequence[Step]:
        steps: tuple[Step, ...] = ()
        for theta in (y, -y):
            says = rf"the gap at $\theta = {sp.latex(theta)}$ is not negative"
            if parabola:
                steps += verify(gap(theta), {}, {}, [(1 / (2 * a), y - a)], says=says)
            else:
                given = {"y": Hypothesis(y, r"$y = |\theta|$")}
                steps += verify(gap(theta), given, {"y": 0 if theta == y else 2}, says=says)
        return steps

    def search() -> Witness | None:
        for theta in (F(-2), F(-1), F(0), F(2)):
            plane = 1 + F(str(factor)) * (theta - 1) + ((theta - 1) ** 2 / 2 if parabola else 0)
            if (plane - abs(theta)) * (-1 if bound == "plane below" else 1) < 0:
                says = f"the bound is ${plane}$ where $|\\theta| = {abs(theta)}$"
                return Witness({"g": "|theta|", "a": "1", "u": slope, "theta": str(theta)}, says)
        return None

    return decide("certificate", prove, [search])


def kinked() -> Witness:
    return instance(
        {"g": "|theta|", "a": 1, "u": 1, "theta": -1},
        "a point beside the kink and one across it",
        {"subgradient": all(abs(x) >= 1 + (x - 1) for x in (-2, -1, 0, 2))},
    )


def distinct(
    chance: Literal["0 < p <= 1", "0 < p < 1"] = "0 < p <= 1", bends: Literal["any", "equal"] = "any"
) -> Verdict:
    """For every p in the range, some round of Scaffnew aims where no quadratic surrogate, common to the clients, does.

    In the first round, from h_i = 0, L local steps on f_i = b_iθ²/2 lead from θ to θ − ρ_i b_iθ with ρ_i = (1 − (1 −
    γb_i)^L)/b_i. L = 1 with certainty for p = 1, else L = 2 has a chance.
    """
    gamma = sp.Symbol("gamma", positive=True)
    slopes = (sp.Integer(1), sp.Integer(1 if bends == "equal" else 2))

    def step(b: sp.Integer, L: int) -> sp.Expr:
        """ρ with which θ − ρ f_i'(θ) is where L steps lead."""
        return sp.cancel((1 - (1 - gamma * b) ** L) / b)

    ranges = [("p = 1, L = 1", 1)] if chance == "0 < p <= 1" else []
    found: list[Step] = []
    for says, L in [*ranges, ("p < 1, L = 2", 2)]:
        one, two = (step(b, L) for b in slopes)
        if is_identity(one - two):
            point = {"p": says, "f_i": f"bends {slopes[0]}, {slopes[1]}", "rho": str(one)}
            aims = f"every client aims at $\\theta - ({sp.latex(one)})\\nabla f_i(\\theta)$: its surrogate"
            return refuted("exact instance", Witness(point, aims))
        if not sp.cancel((one - two) / gamma**2).is_positive:  # apart for every γ
            return undecided("exact instance")
        apart = f"$\\rho = {sp.latex(one)}$ for one client and ${sp.latex(two)}$ for the other: none fits both"
        found.append(Step(apart, "two local steps, which have the chance $p(1-p)$"))
    return proved("exact instance", *found)


def skipping() -> Witness:
    p, gamma = F(1, 2), F(1, 4)
    return instance(
        {"p": p, "gamma": gamma, "bends": "1, 2"},
        "two clients that bend differently, and a coin",
        {"a chance of two steps": p * (1 - p) > 0, "a step": 0 < gamma * 2 <= 1},
    )
