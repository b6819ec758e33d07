"""The noise of the oracles (A3), and what is left of it after averaging over clients and samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import combinations, product
from typing import Literal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction
from proofs_checks.appendix_d_lemmas.variance import NOISE, NOISE_J, moments, mu, mu_j, rules, sigma
from proofs_checks.shared.tools import APART, agreed, settle, tried

HALF = F(1, 2)
N = sp.Symbol("N", positive=True)
LAWS = "laws of the errors of two clients"
Joint = dict[tuple[F, F], F]
SIGNS = (F(1), F(-1))
# Joint laws of the errors n_i = S_{t+1,i} − E[S_{t+1,i} | F_t] of two clients given the past, with σ_i = 1.
NOISE_LAWS: dict[str, Joint] = {
    "independent": {(x, y): F(1, 4) for x in SIGNS for y in SIGNS},
    "the same for both": {(F(1), F(1)): HALF, (F(-1), F(-1)): HALF},
    "opposite": {(F(1), F(-1)): HALF, (F(-1), F(1)): HALF},
    "always 1": {(F(1), F(1)): F(1)},
}


def facts(joint: Joint) -> set[str]:
    """Which of A3 (mean 0, variance at most 1 for each client) and independence or no correlation a law satisfies."""
    sides = [{x: sum(w for k, w in joint.items() if k[i] == x) for x in SIGNS} for i in (0, 1)]
    tests = {
        "A3": all(sum(x * w for x, w in side.items()) == 0 for side in sides),
        "independent oracles": all(
            joint.get((x, y), F(0)) == sides[0][x] * sides[1][y] for x, y in product(SIGNS, repeat=2)
        ),
        "uncorrelated oracles": sum(x * y * w for (x, y), w in joint.items()) == 0,
    }
    return {name for name, holds in tests.items() if holds}


def averaged_noise(hypotheses: Sequence[str] = ("A3", "independent oracles"), exponent: int = 2) -> Verdict:
    """E‖Σ μ_i n_i‖² ≤ Σ μ_i^exponent σ_i² (= σ²/n for 2), for the errors n_i of the oracles given the past."""

    def prove() -> Sequence[Step]:
        E, own = rules(hypotheses), rules(("A3",))
        lines = {"uncorrelated oracles": Hypothesis(own.inner(NOISE, NOISE_J), "no correlation", equality=True)}
        given = {name: line for name, line in lines.items() if name in hypotheses}
        both = E.of(square(mu * NOISE + mu_j * NOISE_J))
        cross = both - mu**2 * E.of(square(NOISE)) - mu_j**2 * E.of(square(NOISE_J))
        says = r"$E\|\mu_i n_i + \mu_j n_j\|^2 = \mu_i^2 E\|n_i\|^2 + \mu_j^2 E\|n_j\|^2$; bilinear, so for every n"
        twice: sp.Expr = 2 * mu * mu_j
        zero = verify(cross, given, dict.fromkeys(given, twice), equality=True, says=says)
        says = r"$\mu_i^2 E\|n_i\|^2 \leq \mu_i^2 \sigma_i^2$; sum over i"
        target = mu**exponent * sigma**2 - mu**2 * E.of(square(NOISE))
        return (*zero, *verify(target, moments(E, hypotheses), {"A3": mu**2}, says=says), *tried(LAWS, pairs()))

    def instances() -> Iterator[tuple[dict[str, str], F, F]]:
        for (name, joint), weights in product(NOISE_LAWS.items(), ((HALF, HALF), (F(1, 3), F(2, 3)))):
            if set(hypotheses) <= facts(joint):
                mean = sum((w * (weights[0] * x + weights[1] * y) ** 2 for (x, y), w in joint.items()), F(0))
                point = {"mu": f"{weights[0]}, {weights[1]}", "errors": f"1 or -1, {name}", "sigma_i": "1"}
                yield point, mean, sum((m**exponent for m in weights), F(0))

    def pairs() -> list[tuple[F, F]]:
        return [(mean, limit) for _, mean, limit in instances()]

    def fails() -> Witness | None:
        for point, mean, limit in instances():
            if mean > limit:
                return Witness(point, f"$E\\|\\sum_i \\mu_i n_i\\|^2 = {mean} > {limit}$")
        return None

    return decide("certificate", prove, [fails])


def past(known: Sequence[Literal["Shat_t", "Z_t"]]) -> Verdict:
    """Given F_t, the law of an unbiased oracle is a function of the `known` quantities: of "Shat_t", "Z_t" or none.

    Example 1 with f = E(θ − Z)²/2, g = 0, ρ = 1/2: T(s) = s, S̄(z, τ) = (τ + z)/2; Z ∈ {0, 2}, each with probability
    1/2, and Ŝ_1 = (Ŝ_0 + Z_1)/2 from Ŝ_0 ∈ {0, 2}; the next oracle is (Ŝ_1 + Z_2)/2 with a fresh Z_2.
    """
    oracles = {}
    for start, first in product((F(0), F(2)), repeat=2):
        here = (start + first) / 2
        oracles[(start, first)] = (here, tuple((here + z) / 2 for z in (F(0), F(2))))
    found = None
    for one, two in combinations(oracles, 2):
        (at, values), (other, others) = oracles[one], oracles[two]
        same = {"Shat_t": at == other, "Z_t": one[1] == two[1]}
        if found is None and all(same[name] for name in known) and values != others:
            point = {"past 1 (Shat_0, Z_1)": f"{one[0]}, {one[1]}", "past 2": f"{two[0]}, {two[1]}"}
            means = [sum(v) / 2 for v in (values, others)]
            says = f"the oracle's mean is ${means[0]}$ after the one and ${means[1]}$ after the other past"
            found = Witness(point, says, {"Shat_1": f"{at}; {other}"})
    # E[u(S_{t+1}) | F_t] for any function u: Z_{t+1} is independent of F_t, and Ŝ_t a function of Ŝ_{t−1} and Z_t
    u, oracle, update = sp.Function("u"), sp.Function("S_bar"), sp.Function("step")
    here, before, last, other, new = sp.symbols("s s_- z s'_- z'")
    law, samples = sp.symbols("p1:4"), sp.symbols("z1:4")
    mean = sp.Add(*(w * u(oracle(z, here)) for w, z in zip(law, samples, strict=True)))
    if "Shat_t" not in known:
        mean = mean.subs(here, update(before, last))
    twin = mean.subs({before: other, last: last if "Z_t" in known else new}, simultaneous=True)
    says = f"two pasts with the same {', '.join(known) or 'number of rounds'} give the same law of $S_{{t+1}}$"
    why = (
        "$E[u(S_{t+1}) \\mid F_t] = \\sum_k p_k u(\\bar S(z_k, T(\\hat S_t)))$ for every u, as $Z_{t+1}$ is fresh; "
        "$u(x) = x$ gives the mean that A3 asks for"
    )
    fresh = "of the 4 pasts $(\\hat S_0, Z_1)$ of the instance, all two that agree on it give the same law of $S_2$"
    return agreed(settle("derivation", {says: mean - twin}, why, found), Step(fresh, APART))


def homogeneous(factor: str) -> Verdict:
    """σ² = factor · Σ μ_i² σ_i² equals σ_i² when μ_i = 1/n and all σ_i are equal; likewise L²."""
    n, size = sp.symbols("n sigma_i", positive=True)
    total = sp.sympify(factor, {"n": n}) * n * (1 / n) ** 2 * size**2
    value = F(str(total.subs({n: 2, size: 1})))
    found = None if value == 1 else Witness({"n": "2", "mu_i": "1/2", "sigma_i": "1"}, f"$\\sigma^2 = {value} \\neq 1$")
    step = "$n \\cdot \\sum_{i=1}^n n^{-2} \\sigma_i^2 = \\sigma_i^2$"
    verdict = settle("identity", {step: total - size**2}, "n equal terms; the same with $L_i$ in place of σ_i", found)
    if verdict.status != "proved":
        return verdict
    scale = sp.sympify(factor, {"n": n})
    sums = [(F(str(scale.subs(n, k))) * k * F(2, k) ** 2, F(4)) for k in range(1, 6)]
    return agreed(verdict, *tried(r"numbers of clients n, for $\sigma_i = 2$", sums))


def per_client(weights: str) -> Verdict:
    """The noise σ²/n = Σ μ_i² σ_i² of Theorem 1 equals v/n when σ_i² = v for each i and μ_i = `weights`, for all n.

    `weights` is a formula in i and n; "mu(i)" stands for any weights.
    """
    n, v = sp.symbols("n v", positive=True)
    i, mu_of = sp.Symbol("i", integer=True, positive=True), sp.Function("mu")
    formula = sp.sympify(weights, {"i": i, "n": n, "mu": mu_of})
    at = {1: F(3, 4), 2: F(1, 4)}  # in place of μ(1), μ(2) where any weights are meant
    two = [formula.subs({n: 2, i: k}).replace(mu_of, lambda k: sp.Rational(str(at[int(k)]))) for k in (1, 2)]
    value = sum(m * m for m in two)
    if sum(two) != 1:
        raise InvalidInput(f"the weights {two} do not sum to 1: correct the formula {weights!r}.")
    point = {"n": "2", "mu": f"{two[0]}, {two[1]}", "sigma_i^2": "1"}
    found = None if value == sp.S.Half else Witness(point, f"$\\sigma^2/n = {value}$, but $1/n = 1/2$")
    total = sp.summation(formula**2 * v, (i, 1, n))
    says = "$\\sum_i \\mu_i^2 \\sigma_i^2 = v/n$"
    verdict = settle("identity", {says: total - v / n}, "summed over i = 1, …, n", found)
    return agreed(verdict, Step(f"for n = 2: ${two[0]}^2 + {two[1]}^2 = {value}$", APART))


def pair_law(draw: str) -> tuple[sp.Expr, sp.Expr]:
    """P(two places of a batch hold samples j and k) for j = k, and for j ≠ k; the batch is drawn from N samples."""
    return {
        "independent": (1 / N**2, 1 / N**2),
        "without replacement": (sp.S.Zero, 1 / (N * (N - 1))),
        "one sample b times": (1 / N, sp.S.Zero),
    }[draw]


def minibatch(draw: str, factor: str = "1/b") -> Verdict:
    """The mean of a batch of b of N samples has variance `factor` · v, v the variance of one sample."""
    b, v = sp.symbols("b v", positive=True)
    squares, total = N * v, sp.S.Zero  # Σ_j d_j² and Σ_j d_j for the deviations d_j from the mean of all samples
    same, apart = pair_law(draw)
    cov = same * squares + apart * (total**2 - squares)  # Σ_{j≠k} d_j d_k = (Σ_j d_j)² − Σ_j d_j²
    variance = (b * v + b * (b - 1) * cov) / b**2
    claimed = sp.sympify(factor, {"b": b, "N": N}) * v
    x, size = (F(1), F(4), F(16)), 2
    mean = sum(x) / 3
    batches: Sequence = {
        "independent": list(product(x, repeat=size)),
        "without replacement": list(combinations(x, size)),
        "one sample b times": [(y, y) for y in x],
    }[draw]
    true = sum((sum(B) / size - mean) ** 2 for B in batches) / len(batches)
    one = sum((y - mean) ** 2 for y in x) / 3
    limit = F(str(claimed.subs({b: 2, N: 3, v: 1}))) * one
    found = None
    if true != limit:
        says = f"over all batches the variance is ${true}$, the formula gives ${limit}$"
        found = Witness({"samples": "1, 4, 16", "b": "2", "draw": draw}, says)
    verdict = settle(
        "expansion of the square",
        {
            f"$P(j, j) = {sp.latex(same)}$ and $P(j, k) = {sp.latex(apart)}$ sum to 1": N * same
            + N * (N - 1) * apart
            - 1,
            f"variance of the mean: ${sp.latex(sp.factor(variance))}$": sp.cancel(variance - claimed),
        },
        "b variances and b(b − 1) covariances, divided by b²; coordinatewise, so in every dimension",
        found,
    )
    listed = f"the {len(batches)} batches of two of the samples 1, 4, 16 have variance ${true}$, one sample ${one}$"
    return agreed(verdict, Step(listed, APART))


def divided(
    weights: str,
    draw: Literal["independent", "one sample b times", "without replacement"] = "independent",
    factor: str = "1/b",
) -> Verdict:
    """The noise term σ²/n of Theorem 1 is v/(nb): one sample's variance v, divided by n and by b."""
    return conjunction({"by n": per_client(weights), "by b": minibatch(draw, factor)})
