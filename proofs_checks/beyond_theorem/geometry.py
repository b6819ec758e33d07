"""Which projection: the Euclidean one and the one in the norm of B_t, where they agree and where they part.

Two-dimensional instances: T(s) = Bs, ψ = θᵀB⁻¹θ/2, f = ψ − ⟨c, θ⟩, S̄ ≡ c. Then h(s) = c − s, and
(f+g)(T(s)) = (s − c)ᵀB(s − c)/2 + const. 𝒮 is a half-plane s_1 ≤ 0 (cut off far away, where no step leads).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, verify
from fedmm_edu.proofs.gram import inner
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.monotony import FIELD, MOVE, f, f_, g, g_
from proofs_checks.appendix_d_lemmas.projection import b_inner, b_square
from proofs_checks.beyond_theorem.gap import own_gap
from proofs_checks.beyond_theorem.step import DESCENT, descent, projected_step
from proofs_checks.shared.tools import instance

t = sp.Symbol("gamma", positive=True)
SKEW = sp.Matrix([[2, 1], [1, 1]])


def onto_half_plane(x: sp.Matrix, B: sp.Matrix) -> sp.Matrix:
    """The point of {s_1 ≤ 0} nearest to x in the norm of B, for x_1 of a known sign."""
    if x[0].is_nonpositive:
        return x
    return sp.Matrix([0, x[1] + B[0, 1] / B[1, 1] * x[0]])  # sᵀBs is least in s_2 where (B(s − x))_2 = 0


def value(s: sp.Matrix, c: sp.Matrix) -> sp.Expr:
    return ((s - c).T * SKEW * (s - c))[0] / 2


METRIC = {"Euclidean": sp.eye(2), "B_t": SKEW}


def noise_order(projection: Literal["B_t", "Euclidean"] = "Euclidean", power: int = 2, sign: int = 1) -> Verdict:
    """For some K: E[W_{t+1} | F_t] ≤ W_t − γ(1 − Kγ)‖h‖²_B + sign·Kγ^power E‖H − h‖², with this projection, γ ≤ 1/2."""

    def prove() -> Sequence[Step]:
        found = projected_step(power=power, metric=projection, noise="1/2 + c" if sign == 1 else "-1/2 - c")
        if found.status != "proved":
            raise CertificateFails(f"no certificate: {found.evidence[-1].why}")
        return (*found.evidence, Step(r"$K = (1/2 + \bar C/v_{\min}) \max(v_{\max}, 1)$", "A7(ii) for the noise"))

    def corner() -> Witness | None:
        """Ŝ_t = 0 on the edge, c = (0, 1) ∈ 𝒮, noise ±(σ, 0): one outcome of two is projected."""
        c, size = sp.Matrix([0, 1]), sp.Symbol("sigma", positive=True)
        place = {"B": "[[2, 1], [1, 1]]", "S": "s_1 <= 0", "Shat": "0, 0", "S_bar": "0, 1"}
        place |= {"H - h": "(sigma, 0) or (-sigma, 0)"}
        start, noise = sp.zeros(2, 1), sp.Matrix([size, 0])
        after = [onto_half_plane(start + t * (c + sign * noise), METRIC[projection]) for sign in (1, -1)]
        change = sp.expand((value(after[0], c) + value(after[1], c)) / 2 - value(start, c) + t * (c.T * SKEW * c)[0])
        ((least,), lead) = sp.Poly(change, t).terms()[-1]  # change/γ^power tends to this, to ±∞, or to 0
        ratio = lead if least == power else lead * sp.oo if least < power else sp.S.Zero
        if sign == -1 and ratio.subs(size, 2).is_positive:
            says = (
                r"$E[W_{t+1}] > W_t - \gamma\|h\|_B^2$ for small $\gamma$, and $\|h\|_B^2 = 1 < 4 = E\|H-h\|^2$: no K"
            )
            return Witness({**place, "sigma": "2"}, says)
        if ratio.subs(size, 2) != sp.oo:
            return None
        says = (
            rf"$E[W_{{t+1}}] - W_t + \gamma\|h\|_B^2 = {sp.latex(change)}$, divided by $\gamma^{power}$, has no "
            rf"bound as $\gamma \to 0$"
        )
        return Witness(place, says)

    return decide("certificate", prove, [corner])


EXACT = (*DESCENT, "retraction")


def outside(
    projection: Literal["B_t", "Euclidean"] = "Euclidean",
    hypotheses: Sequence[str] = EXACT,
    slack: str = "1",
    drift: str = "1",
) -> Verdict:
    """Without noise, and wherever E S̄ lies: W_{t+1} ≤ W_t − (slack/γ − drift·C̄/v_min)‖ΔŜ‖²_B: small steps help."""
    k, d = sp.Rational(slack), sp.Rational(drift)

    def prove() -> Sequence[Step]:
        given, factors = descent(hypotheses)
        if {"retraction", "𝒮 convex"} <= set(hypotheses):
            metric = b_inner if projection == "B_t" else inner
            given["at s"] = Hypothesis(
                metric(MOVE - t * FIELD, -MOVE), r"the projection inequality with $s' = \hat S_t$"
            )
        rate = factors["v_min"]
        target = f + g - f_ - g_ - (k / t - d * rate) * b_square(MOVE)
        return (*own_gap(hypotheses), *verify(target, given, {**factors, "at s": 1 / t}))

    def uphill() -> Witness | None:
        """Ŝ_t = 0 on the edge, c = (2, −1) outside 𝒮, whose other edges a small step does not reach."""
        c, start = sp.Matrix([2, -1]), sp.zeros(2, 1)
        after = onto_half_plane(start + t * c, METRIC[projection])
        low, constant = sp.Rational(3, 8), sp.Rational(3, 2)  # v_min = (3 − √5)/2 > 3/8, C̄ < 3/2 = C_⋆⋆/2 + C_⋆ sup‖h‖
        move2 = (after.T * SKEW * after)[0]
        over = sp.expand(value(after, c) - value(start, c) + (k / t - d * constant / low) * move2)
        if not set(EXACT) >= set(hypotheses) or sp.limit(over / t**2, t, 0, "+") <= 0:
            return None
        says = rf"$W_{{t+1}} - W_t = {sp.latex(sp.expand(value(after, c) - value(start, c)))}$"
        place = {"B": "[[2, 1], [1, 1]]", "S": "-3 <= s_1 <= 0, |s_2| <= 3", "Shat": "0, 0", "S_bar": "2, -1"}
        return Witness({**place, "gamma": "any small"}, says)

    return decide("certificate", prove, [uphill])


SETS = ("box", "line")


def same_projection(
    S: Literal["box", "line"] = "box",
    B: Literal["any", "diagonal"] = "diagonal",
    wanted: Literal[">= 0", "> 0", "<= 0"] = ">= 0",
) -> Verdict:
    """The Euclidean projection p has ⟨p − x, y − p⟩_B `wanted` for y ∈ 𝒮: ≥ 0 says that it is the one in the norm of B.

    𝒮 is a product of intervals, B diagonal.
    """
    b, p, x, y = sp.symbols("b_j p_j x_j y_j", real=True)
    weight, margin = sp.symbols("b_j kappa", positive=True)
    sign, least = {">= 0": (1, 0), "> 0": (1, margin), "<= 0": (-1, 0)}[wanted]  # > 0: above some κ > 0

    def prove() -> Sequence[Step]:
        clip = Hypothesis(
            (p - x) * (y - p),
            r"$p_j$ is the point of $[l_j, u_j]$ nearest to $x_j$ (both cases: Lemma 3 in one dimension)",
        )
        given = {"clip": clip} if S == "box" else {}
        target = sign * (weight if B == "diagonal" else b) * (p - x) * (y - p) - least
        says = (
            r"$b_j (p_j - x_j)(y_j - p_j) \geq 0$; summed: $\langle p - x, y - p \rangle_B \geq 0$ for all $y \in "
            r"\mathcal{S}$"
        )
        each = verify(target, given, {"clip": weight if B == "diagonal" else b}, says=says)
        return (
            *each,
            Step("so $p$ is the projection in the norm of B, whatever the $b_j > 0$", "Lemma 3 characterises it"),
        )

    def on_the_line() -> Witness | None:
        for at, to in product((0, 2), (-5, 0)):  # onto [−5, 0], b = 1
            value = (min(at, 0) - at) * (to - min(at, 0))
            if (wanted == "> 0" and value <= 0) or (wanted == "<= 0" and value > 0):
                return Witness({"S": "[-5, 0]", "x": str(at), "y": str(to)}, f"$(p-x)(y-p) = {value}$, not ${wanted}$")
        return None

    def parted() -> Witness | None:
        metric = {"diagonal": sp.diag(1, 4), "any": SKEW}[B]
        for x1, x2 in product((-1, 0, 2), repeat=2):
            at = sp.Matrix([x1, x2])
            if S == "box":  # [−5, 0] × [−5, 5]
                both = [onto_half_plane(at, matrix) for matrix in (sp.eye(2), metric)]
            else:  # the line s_1 = s_2, direction d: the multiple of d nearest to x
                d = sp.Matrix([1, 1])
                both = [d * (d.T * M * at)[0] / (d.T * M * d)[0] for M in (sp.eye(2), metric)]
            if both[0] != both[1]:
                says = f"the projections are ${list(both[0])}$ and ${list(both[1])}$"
                return Witness(
                    {"S": "s_1 <= 0" if S == "box" else "s_1 = s_2", "B": str(metric.tolist()), "x": f"{x1}, {x2}"},
                    says,
                )
        return None

    return decide("certificate", prove, [on_the_line, parted])


def plane_instance() -> Witness:
    """B = [[2, 1], [1, 1]] satisfies A7 with every C_⋆ > 0, and the point (0, 1) of {s_1 ≤ 0} has h ≠ 0 at 0."""
    low, high = F(3, 8), F(3)
    holds = {
        "v_min": all(minor > 0 for minor in (2 - low, (2 - low) * (1 - low) - 1)),
        "v_max": all(minor > 0 for minor in (high - 2, (high - 2) * (high - 1) - 1)),
        "mean oracle in S": sp.Matrix([0, 1])[0] <= 0,
        "symmetric": SKEW == SKEW.T,
    }
    return instance(
        {"B": "[[2, 1], [1, 1]]", "S": "s_1 <= 0", "S_bar": "0, 1", "v_min, v_max": "3/8, 3"}, "a plane", holds
    )
