"""Who is active in a round of FedMM, and what is unbiased then (Section 3.2, A5).

Laws on the subsets of two clients are written out; which property each of them has is decided, never declared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations, product
from math import prod
from typing import Literal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.expectation import mix
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction, proved, refuted
from proofs_checks.shared.fedmm_rounds import (
    BOTH,
    CLIENTS,
    FIRST,
    HALF,
    MU,
    NONE,
    SECOND,
    Setting,
    State,
    V,
    direction,
    m,
    p,
    s,
    sent,
)
from proofs_checks.shared.tools import APART, agreed, settle, tried

Law = Mapping[frozenset[int], F]

LAWS: dict[str, tuple[F, Law]] = {
    "each client independently": (HALF, dict.fromkeys((BOTH, FIRST, SECOND, NONE), F(1, 4))),
    "one client, at random": (HALF, {FIRST: HALF, SECOND: HALF}),
    "client 1 always, client 2 every other time": (F(3, 4), {FIRST: HALF, BOTH: HALF}),
    "both or none": (HALF, {BOTH: HALF, NONE: HALF}),
}


def inclusion(law: Law) -> list[F]:
    """P(i active) of each client."""
    return [sum((w for active, w in law.items() if i in active), F(0)) for i in CLIENTS]


def properties(share: F, law: Law) -> set[str]:
    """Which of A5 (independent, probability p each), "same p" and "mean np" a law has."""
    chances, subsets = inclusion(law), (BOTH, FIRST, SECOND, NONE)
    independent = all(
        law.get(active, 0) == prod(c if i in active else 1 - c for i, c in enumerate(chances)) for active in subsets
    )
    same = all(c == share for c in chances)
    found = {"mean np"} if sum(chances) == len(chances) * share else set()
    return found | ({"same p"} if same else set()) | ({"A5"} if same and independent else set())


def unbiased_direction(
    law: Literal["A5", "mean np", "same p"],
    scale: str = "1/p",
    server: Literal["free", "sum", "zero"] = "sum",
    compressor: Literal["shrinking", "unbiased"] = "unbiased",
    oracle: Literal["blind", "sees the selection"] = "blind",
) -> Verdict:
    """E[H_{t+1} | F_t] = h(Ŝ_t) for every participation law with the property `law`.

    scale: the factor of the sum over active clients. server: V_t is "sum" = Σ μ_i V_{t,i}, "zero" or anything
    ("free"). compressor: E Q(x) = x, or "shrinking" to E Q(x) = x/2. oracle: "blind", or it "sees the selection".
    """
    P = sp.Symbol("P_i", positive=True) if law == "mean np" else p
    c = {"unbiased": sp.S.One, "shrinking": sp.Rational(1, 2)}[compressor]
    factor = {"1/p": 1 / p, "1/P_i": 1 / P, "1": sp.S.One}[scale]
    kept = {"sum": V, "zero": sp.S.Zero, "free": V + sp.Symbol("v")}[server]
    shift = {"blind": sp.S.Zero, "sees the selection": sp.Symbol("e_i")}[oracle]  # E[S_i | i is active] − m_i
    mean = kept + mix([(P, factor * c * (m + shift - s - V)), (1 - P, sp.S.Zero)])
    verdict = settle(
        "linearity of the expectation",
        {"client $i$'s part of $E[H_{t+1} \\mid F_t] - h(\\hat S_t)$ is $\\mu_i \\cdot 0$": mean - (m - s)},
        "average over the selection first: with probability $P(i \\in A)$ the message, whose mean is that of "
        "$\\Delta_i$, else 0; $V_t = \\sum_i \\mu_i V_{t,i}$; termwise, so for every n",
        _biased_direction(law, scale, server, compressor, oracle),
    )
    means = [(mean, goal) for *_, mean, goal in _means(law, scale, server, compressor, oracle)]
    if verdict.status != "proved":
        return verdict
    return agreed(verdict, *tried("participation laws of this class, two clients, all outcomes summed", means))


def _biased_direction(law: str, scale: str, server: str, compressor: str, oracle: str) -> Witness | None:
    """A law of the class and a state whose E[H], summed over all outcomes, is not h(Ŝ)."""
    for point, mean, goal in _means(law, scale, server, compressor, oracle):
        if mean != goal:
            says = f"$E[H_{{t+1}}] = {mean}$, but $h(\\hat S_t) = {goal}$"
            return Witness({key: str(value) for key, value in point.items()}, says)
    return None


def _means(law: str, scale: str, server: str, compressor: str, oracle: str) -> Iterator[tuple[dict[str, object], F, F]]:
    """For each participation law of the class, a state with E[H], summed over all outcomes, and h(Ŝ)."""
    means, state = (F(1), F(5)), State.start(F(1, 2), (F(1), F(-1)))
    kept = {"sum": state.server, "zero": F(0), "free": state.server + 1}[server]
    state = replace(state, server=kept)
    goal = sum(w * x for w, x in zip(MU, means, strict=True)) - state.s
    factors = (F(0), F(2)) if compressor == "unbiased" else (F(0), F(1))
    for name, (share, weights) in LAWS.items():
        if law not in properties(share, weights):
            continue
        chances, mean = inclusion(weights), F(0)
        scales = {"1/p": (1 / share,) * 2, "1/P_i": tuple(1 / c for c in chances), "1": (F(1),) * 2}[scale]
        setting = Setting(weights=tuple(w * k for w, k in zip(MU, scales, strict=True)))
        for active, chance in weights.items():
            shift = [(i in active) - chances[i] if oracle != "blind" else F(0) for i in CLIENTS]
            oracles = [x + e for x, e in zip(means, shift, strict=True)]
            for outcome in product(factors, repeat=2):
                mean += chance / 4 * direction(state, active, sent(state, oracles, outcome), setting)
        point = {"mu": "1/3, 2/3", "active": name, "p": share}
        point |= {"P(1 active), P(2 active)": f"{chances[0]}, {chances[1]}", "E S_i": "1, 5", "Shat": state.s}
        yield point | {"V_i": "1, -1", "V": state.server}, mean, goal


def mean_active() -> Verdict:
    """If every client is active with probability p, the mean number of active clients is np, for every n."""
    n = sp.Symbol("n", integer=True, positive=True)
    i = sp.Symbol("i", integer=True)
    residual = sp.Sum(p, (i, 1, n)).doit() - n * p
    why = "the number of active clients is a sum of indicators"
    return settle("linearity of the expectation", {"$\\sum_i P(i \\in A) = np$": residual}, why, None)


def participation(
    law: Literal["mean np", "same p"],
    scale: str = "1/p",
    server: Literal["free", "sum", "zero"] = "sum",
    compressor: Literal["shrinking", "unbiased"] = "unbiased",
    oracle: Literal["blind", "sees the selection"] = "blind",
) -> Verdict:
    """A law with the property `law` has mean number np of active clients and makes H unbiased."""
    return conjunction(
        {"unbiasedness of H": unbiased_direction(law, scale, server, compressor, oracle), "mean number": mean_active()}
    )


def fixed_size(probability: str, covariance: str, n: int = 20, k: int = 10) -> Verdict:
    """k of n clients drawn without replacement: P(i active) and Cov(1_i, 1_j) for i ≠ j, by counting subsets."""
    count = sp.binomial(n, k)
    one, pair = (sp.Rational(sp.binomial(n - j, k - j), count) for j in (1, 2))
    true = {"P(i active)": one, "Cov": pair - one**2}
    claimed = {"P(i active)": sp.Rational(probability), "Cov": sp.Rational(covariance)}
    wrong = next((name for name, value in true.items() if value != claimed[name]), None)
    subsets = list(combinations(range(n), k))
    listed = [F(sum(set(wanted) <= set(B) for B in subsets), len(subsets)) for wanted in ((0,), (0, 1))]
    if (F(one.p, one.q), F(pair.p, pair.q)) != tuple(listed):
        raise InvalidInput(f"the formulas give {one}, {pair}, listing all subsets {listed}: correct the formulas.")
    steps = (
        Step(f"$P(i \\in A) = \\binom{{{n - 1}}}{{{k - 1}}} / \\binom{{{n}}}{{{k}}} = {one}$", "counting subsets"),
        Step(f"$P(i, j \\in A) = \\binom{{{n - 2}}}{{{k - 2}}} / \\binom{{{n}}}{{{k}}} = {pair}$", "counting subsets"),
    )
    if wrong is None:
        second = Step(
            f"$P(i \\in A) = {listed[0]}$ and $P(i, j \\in A) = {listed[1]}$", f"all {len(subsets)} subsets listed"
        )
        return proved("counting", *steps, Step(f"$\\mathrm{{Cov}} = {pair - one**2}$", "exact"), second)
    says = f"{wrong} is ${true[wrong]}$, not ${claimed[wrong]}$: two given clients are both active with chance ${pair}$"
    return refuted("counting", Witness({"n": str(n), "active": str(k)}, says), *steps)


def local_estimate(biased: Literal["always", "h_i != h", "the laws differ"]) -> Verdict:
    """S_{t+1,i} − Ŝ_t is a biased estimator of h(Ŝ_t): "always", when "the laws differ", or when "h_i != h"."""
    found = None
    atoms = {"2": ((F(2), F(1)),), "1 or 3": ((F(1), HALF), (F(3), HALF)), "5": ((F(5), F(1)),)}
    for one, two in (("2", "2"), ("2", "1 or 3"), ("2", "5")):
        means = [sum(x * w for x, w in atoms[name]) for name in (one, two)]
        field = sum(means) / 2  # S̄(z, τ) = z as in Remark 1, μ = (1/2, 1/2); −Ŝ is common to both sides
        is_biased = means[0] != field
        claimed = {"always": True, "the laws differ": one != two, "h_i != h": means[0] - field != 0}[biased]
        if found is None and is_biased != claimed:
            state = "biased" if is_biased else "unbiased"
            says = f"the mean of $S_1 - \\hat S$ is ${means[0]} - \\hat S$, $h(\\hat S) = {field} - \\hat S$: {state}"
            found = Witness({"Z on client 1": one, "Z on client 2": two, "mu": "1/2, 1/2"}, says)
    pooled, apart = sp.symbols("m d", real=True)  # E_π S̄, and a distance between the laws π_i
    # what is nonzero exactly when the statement calls the estimator biased
    claimed = {"always": sp.S.One, "the laws differ": apart, "h_i != h": (m - s) - (pooled - s)}[biased]
    bias = (m - s) - (pooled - s)  # E[S_{t+1,i} − Ŝ_t | F_t] = m_i − Ŝ by A3, h(Ŝ_t) = m − Ŝ
    says = "the bias $E[S_{t+1,i} - \\hat S_t \\mid F_t] - h(\\hat S_t)$ is what is claimed to be nonzero"
    verdict = settle(
        "linearity of the expectation", {says: bias - claimed}, "A3: $E[S_{t+1,i} \\mid F_t] = m_i$", found
    )
    return agreed(
        verdict, Step("three pairs of laws, enumerated: biased exactly for the pair with $h_1 \\neq h$", APART)
    )
