"""Noise and control variates without the matrix B_t: Propositions 3 and 4 as any projection has them.

The notation is that of `variance`; the norms are Euclidean, so that neither A7 nor A8 enters.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from functools import partial

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.expectation import Expectation, Mean, linear_image
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.agents import Round
from proofs_checks.appendix_d_lemmas.control_variates import control_variate_lines, young
from proofs_checks.appendix_d_lemmas.variance import (
    NOISE,
    NOISE_J,
    ROOT,
    SENT,
    SENT_J,
    Compared,
    L,
    X,
    alpha,
    eta,
    exact,
    moments,
    mu,
    omega_p,
    parse,
    rules,
    search,
    sigma,
)
from proofs_checks.beyond_theorem.line import LINES, Line
from proofs_checks.shared.exact import first_failing, value_at

DIRECTION = ("A3", "A4", "A5", "independent oracles", "independent compressors")
RECURSION = ("A3", "A4", "A5", "A6", "α ≥ 0", "α ≤ 1/(1+ω_p)")
MOVED = ("𝒮 convex", "retraction", "unbiased")
ETAS = (F(1), F(1, 8), F(4))


def direction(hypotheses: Sequence[str] = DIRECTION, noise: str = "1 + w", bias: str = "w") -> Verdict:
    """E[‖H_{t+1} − h(Ŝ_t)‖² | F_t] ≤ noise·σ²/n + bias·G_t."""
    c, b = parse(noise), parse(bias)

    def prove() -> Sequence[Step]:
        E = rules(hypotheses)
        says = r"$E[\langle n_i + q_i, n_j + q_j \rangle \mid F_t] = 0$ for $i \neq j$"
        cross = verify(E.of(inner(NOISE + SENT, NOISE_J + SENT_J)), {}, {}, equality=True, says=says)
        target = mu**2 * (c * sigma**2 + b * square(X) - E.of(square(NOISE + SENT)))
        factors = {"Lemma 1": mu**2, "A3": mu**2 * (1 + omega_p)}
        says = r"$\mu_i^2 E\|n_i+q_i\|^2 \leq \mu_i^2((1+\omega_p)\sigma_i^2 + \omega_p\|x_i\|^2)$"
        each = verify(target, moments(E, hypotheses), factors, says=says)
        return (
            *cross,
            *each,
            Step(r"sum over $i$: $E\|H-h\|^2 = \sum_i \mu_i^2 E\|n_i+q_i\|^2$", "the cross terms are 0"),
        )

    def compare(r: Round) -> Compared:
        spread, G = r.sums
        left = r.mean(lambda _, sent: (r.H(sent) - r.field) ** 2)
        return left, exact(c, r) * spread + exact(b, r) * G

    return decide("certificate", prove, [lambda: search(hypotheses, compare, r"$E\|H_{t+1} - h\|^2$")])


def moved(hypotheses: Sequence[str] = MOVED, factor: str = "1") -> Verdict:
    """E[‖ΔŜ‖² | F_t] ≤ factor·γ²(‖h(Ŝ_t)‖² + E[‖H_{t+1} − h(Ŝ_t)‖² | F_t]), for any Π as in `any_projection`."""
    k, gamma = sp.sympify(factor), sp.Symbol("gamma", positive=True)
    h, xi, move = atoms("h", r"\xi", r"\Delta s")

    def prove() -> Sequence[Step]:
        line = Hypothesis(
            gamma**2 * square(h + xi) - square(move), r"$\|\Pi(\hat S_t + \gamma H) - \hat S_t\| \leq \gamma\|H\|$"
        )
        means = {r"\xi": Mean(Vector({}))} if "unbiased" in hypotheses else {}
        E = Expectation({"h"}, means, free={r"\Delta s", r"\xi"} - set(means))
        given = {"retraction": E.line(line)} if {"𝒮 convex", "retraction"} <= set(hypotheses) else {}
        target = k * gamma**2 * (square(h) + E.of(square(xi))) - E.of(square(move))
        says = r"$E\|\Delta s\|^2 \leq \gamma^2 E\|h + \xi\|^2 = \gamma^2(\|h\|^2 + E\|\xi\|^2)$"
        return verify(target, given, {"retraction": 1}, says=says)

    def wrong(line: Line) -> str | None:
        left = line.mean(lambda e: (line.move(e) - line.s) ** 2)
        right = F(factor) * line.gamma**2 * (line.h**2 + line.mean(lambda e: e * e))
        return rf"$E\|\Delta \hat S\|^2 = {left} > {right}$" if left > right else None

    return decide("certificate", prove, [lambda: first_failing(LINES, hypotheses, wrong)])


def moved_in_norm(hypotheses: Sequence[str] = (*MOVED, "A7"), factor: str = "1") -> Verdict:
    """E[‖ΔŜ‖² | F_t] ≤ factor·(γ²/v_min)(‖h‖²_B + v_max E‖H − h‖²) for the projection in the norm of B_t."""
    k, gamma, v_min, v_max = sp.sympify(factor), *sp.symbols(r"gamma v_{\min} v_{\max}", positive=True)
    h, xi, move = atoms("h", r"\xi", r"\Delta s")

    def prove() -> Sequence[Step]:
        why = r"Lemma 3: $\|\Pi(\hat S_t + \gamma H, B_t) - \hat S_t\|_{B_t} \leq \gamma\|H\|_{B_t}$"
        lines = {
            "retraction": ({"𝒮 convex", "retraction"}, gamma**2 * square(ROOT(h + xi)) - square(ROOT(move)), why),
            "v_min": ({"A7"}, square(ROOT(move)) - v_min * square(move), "A7(ii)"),
            "v_max": ({"A7"}, v_max * square(xi) - square(ROOT(xi)), "A7(ii)"),
        }
        means = {r"\xi": Mean(Vector({}))} if "unbiased" in hypotheses else {}
        E = Expectation({"h"}, means, free={r"\Delta s", r"\xi"} - set(means)).through(ROOT)
        given = {
            n: E.line(Hypothesis(e, reason)) for n, (needs, e, reason) in lines.items() if needs <= set(hypotheses)
        }
        target = k * gamma**2 / v_min * (square(ROOT(h)) + v_max * E.of(square(xi))) - E.of(square(move))
        return verify(target, given, {"v_min": 1 / v_min, "retraction": 1 / v_min, "v_max": gamma**2 / v_min})

    def wrong(line: Line) -> str | None:
        low, high = line.constants[:2]
        left = line.mean(lambda e: (line.move(e) - line.s) ** 2)
        right = F(factor) * line.gamma**2 / low * (line.B * line.h**2 + high * line.mean(lambda e: e * e))
        return rf"$E\|\Delta \hat S\|^2 = {left} > {right}$" if left > right else None

    return decide("certificate", prove, [lambda: first_failing(LINES, hypotheses, wrong)])


def recursion(
    hypotheses: Sequence[str] = RECURSION, rate: str = "1 - a", noise: str = "a", split: str = "1 + 1/eta"
) -> Verdict:
    """E[G_{t+1} | F_t] ≤ β·rate·G_t + β·noise·σ²/n + split·(L²/n)·E[‖Ŝ_{t+1} − Ŝ_t‖² | F_t], every β = 1 + η > 1."""
    r_, c, k = parse(rate), parse(noise), parse(split)

    def compare(r: Round, at: F) -> Compared:
        n, scale = r.draws.n, value_at(k, {eta: at})

        def after(_: list[F], sent: list[F]) -> F:
            shift = r.slope * r.gamma * r.H(sent)
            return sum((((V + r.alpha * m - h - shift) / n) ** 2 for V, m, h in zip(r.V, sent, r.h, strict=True)), F(0))

        spread, G = r.sums
        moved_by = r.mean(lambda _, sent: (r.gamma * r.H(sent)) ** 2)
        bound = (1 + at) * (exact(r_, r) * G + exact(c, r) * spread) + scale * r.L**2 / n * moved_by
        return r.mean(after), bound

    def fails(at: F) -> Witness | None:
        return search(hypotheses, lambda r: compare(r, at), rf"$E[G_{{t+1}}]$ for $\beta = {1 + at}$")

    def prove() -> Sequence[Step]:
        beta = 1 + eta
        U, D, P, move2, x, after = sp.symbols("U D P Delta x W", nonnegative=True)
        lemma = control_variate_lines(hypotheses, 1 - alpha, alpha, alpha * (alpha * (1 + omega_p) - 1))
        client = {
            "Young": (
                set(),
                beta * U + (1 + 1 / eta) * D - after,
                r"Young, $W = E\|V_{t+1,i} - h_i(\hat S_{t+1})\|^2$",
            ),
            "lemma": (
                {"A3", "A4", "A5"},
                (1 - alpha) * x + alpha * sigma**2 + alpha * (alpha * (1 + omega_p) - 1) * P - U,
                r"Lemma `lem:controlvariate`: $U = E\|V_{t+1,i} - h_i(\hat S_t)\|^2$, $x = \|x_i\|^2$, $P = "
                r"E\|\Delta_{t+1,i}\|^2$",
            ),
            "rate": ({"α ≤ 1/(1+ω_p)"}, 1 - alpha * (1 + omega_p), r"$\alpha \leq 1/(1+\omega_p)$"),
            "A6": (
                {"A6"},
                L**2 * move2 - D,
                r"A6(i): $D = E\|h_i(\hat S_{t+1})-h_i(\hat S_t)\|^2$, $\Delta = E\|\Delta \hat S\|^2$",
            ),
        }
        given = {name: Hypothesis(e, why) for name, (needs, e, why) in client.items() if needs <= set(hypotheses)}
        bound = beta * (r_ * x + c * sigma**2) + k * L**2 * move2 - after
        factors = {"Young": mu**2, "lemma": beta * mu**2, "rate": beta * mu**2 * alpha * P, "A6": (1 + 1 / eta) * mu**2}
        each = verify(mu**2 * bound, given, factors)
        names = [rf"\mu_i^2 {s}" for s in ("x", r"\sigma_i^2", "L_i^2", "W")]
        sums = dict(
            zip((x, sigma**2, L**2, after), sp.symbols([f"sum_{j}" for j in range(4)], nonnegative=True), strict=True)
        )
        linear_image(sp.expand(mu**2 * bound), {mu**2 * key: s for key, s in sums.items()}, fixes_constants=False)
        total = Step(
            r"sum over $i$: the claim, with $G_t$, $\sigma^2/n$, $L^2/n$ and $E[G_{t+1} \mid F_t]$ for the sums",
            "the last line is linear in " + ", ".join(f"${name}$" for name in names),
        )
        return (*young().evidence, *lemma, *each, total)

    return decide("certificate", prove, [partial(fails, at) for at in ETAS])
