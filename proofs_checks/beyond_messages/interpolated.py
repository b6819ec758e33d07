"""DIANA's rate at its best where every client's field is that of a smooth and strongly convex function.

For such fields ‖δh‖² ≤ (ℓ+m)D − mℓ‖d‖², D = −⟨δh, d⟩, which is more than `monotone` uses: the factor then has m in
place of ℓ. With b = 1 + Kλ/ℓ, λ/ℓ the largest μ_i. Refutations are the rounds of `monotone`, m < ℓ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.agents import COMPRESSED, QUIET, SOUND
from proofs_checks.appendix_d_lemmas.variance import gamma
from proofs_checks.beyond_messages.monotone import (
    CLIENT,
    NOISY,
    ROUNDS,
    Affine,
    K,
    a,
    ell,
    lam,
    m,
    one_round,
    parse,
    room,
)
from proofs_checks.shared.tools import instance

SHARP = (*CLIENT, "independent oracles", "independent compressors", "interpolated", "clients", "nonexpansive", "step")
B = "(1 + K*lam/l)"
DRIFT = f"1 - g*m*(2 - g*{B}*m)"
GAP = sp.Symbol(r"{(\ell-m)}", positive=True)


def facts(x: Affine) -> set[str]:
    """Those of the round that do not speak of ℓ and λ, and the three that this row adds."""
    k, n = sum(x.k) / x.n, x.n
    tests = {
        "interpolated": (k - x.m) * (x.ell - k) >= 0,
        "clients": sum(c * c for c in x.k) / n**2 <= x.lam / x.ell * ((x.ell + x.m) * k - x.m * x.ell),
        "step": x.gamma * (1 + x.K * x.lam / x.ell) * (x.ell + x.m) <= 2,
    }
    kept = x.facts() - {"step", "monotone", "cocoercive", "clients cocoercive"}
    return kept | {name for name, holds in tests.items() if holds}


def rounds() -> Iterator[Affine]:
    """k = m < ℓ, where the line is an equality; and each new hypothesis violated."""
    for base in ROUNDS:
        k, n = base.k[0], base.n
        if len(set(base.k)) > 1 or base.m != k:
            continue
        flat = replace(base, ell=2 * k, lam=2 * k / n)
        flat = replace(flat, gamma=2 / ((1 + flat.K / n) * 3 * k) / 2)
        yield flat
        if base.draws in (SOUND, COMPRESSED, QUIET):
            yield replace(flat, factor=base.factor * 3)
            yield replace(flat, K=flat.K / 2)
            steep = replace(flat, k=(8 * k,) * n, lam=6 * k / n)  # interpolated
            yield replace(steep, gamma=2 / ((1 + 3 * flat.K / n) * 3 * k))
            yield replace(flat, k=(-3 * k, 5 * k), lam=2 * k / n)  # clients
            yield replace(base, m=k / 8, gamma=8 * base.gamma)  # step


FOUND = tuple(rounds())


def sharp(hypotheses: Sequence[str] = SHARP, drift: str = DRIFT, keep: str = "1 - a", noise: str = NOISY) -> Verdict:
    """The claim of `diana` with the factor 1 − γm(2 − γbm) for γb(ℓ+m) ≤ 2."""
    parts = {"drift": parse(drift), "keep": parse(keep), "noise": parse(noise)}

    def prove() -> Sequence[Step]:
        return (*one_round(hypotheses), *_together(hypotheses, parts))

    def fails() -> Witness | None:
        fitting = (x for x in FOUND if set(hypotheses) <= facts(x))
        return next((x.witness(says) for x in fitting if (says := x.above(parts))), None)

    return decide("certificate", prove, [fails])


def _together(hypotheses: Sequence[str], parts: dict[str, sp.Expr]) -> tuple[Step, ...]:
    d, h = atoms("d", "h")
    line = -(2 * m + GAP) * inner(h, d) - m * (m + GAP) * square(d) - square(h)
    given = {"interpolated": Hypothesis(line, r"$\|h\|^2 \leq (\ell+m)D - m\ell\|d\|^2$")}
    given = given if "interpolated" in hypotheses else {}
    first = verify(-inner(h, d) - m * square(d), given, {"interpolated": 1 / GAP}, [(1 / GAP, h + m * d)])
    D, dd, hh, A, N, S = sp.symbols(r"D {\|d\|^2} {\|h\|^2} A N {\sigma^2/n}", nonnegative=True)
    G, G1, after = sp.symbols("G_t G_{t+1} {E\\|d'\\|^2}", nonnegative=True)
    b, size = parse(B), (ell + m) * D - m * ell * dd
    lines = {
        "server": Hypothesis(dd - 2 * gamma * D + gamma**2 * (hh + N) - after, "the line above"),
        "sum": Hypothesis(K * (1 - a) * G + K * a * A + a * parse(NOISY) * S - K * G1 - a * N, "the sum over clients"),
        "monotone": Hypothesis(D - m * dd, "the last line"),
        "interpolated": Hypothesis(size - hh, "of h"),
        "clients": Hypothesis(lam / ell * size - A, r"of each $h_i$, times $\mu_i^2 \leq \mu_i\lambda/\ell$"),
        "step": Hypothesis(2 - gamma * b * (ell + m) - room, r"$\gamma b(\ell+m) \leq 2$", equality=True),
    }
    given = {name: line for name, line in lines.items() if name in hypotheses or name in ("server", "sum", "monotone")}
    weight = K / a * gamma**2
    target = parts["drift"] * dd + parts["keep"] * weight * G + parts["noise"] * gamma**2 * S - after - weight * G1
    factors = {"server": 1, "sum": gamma**2 / a, "interpolated": gamma**2, "clients": gamma**2 * K}
    factors |= {"monotone": gamma * room, "step": gamma * (D - m * dd)}
    return (*first, *verify(target, given, factors))


def sharp_instance() -> Witness:
    """A round with noise and absent clients, m < ℓ, which satisfies every hypothesis."""
    x = next(x for x in FOUND if set(SHARP) <= facts(x) and x.draws is SOUND and x.s and x.G)
    return instance(x.witness("").point, "a round of two clients", {name: name in facts(x) for name in SHARP})
