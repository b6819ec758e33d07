"""The noise of the oracles (A3), and what is left of it after averaging over clients and samples."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import combinations, product

import sympy as sp

from fedmm_edu.symbolic.verdict import Step, Verdict, Witness, conjunction, proved, refuted, undecided
from proofs_checks.checks.tools import settle

HALF = F(1, 2)
Joint = dict[tuple[F, F], F]
SIGNS = (F(1), F(-1))
# Joint laws of the errors ξ_i = S_{t+1,i} − E[S_{t+1,i} | F_t] of two clients given the past, with σ_i = 1.
NOISE: dict[str, Joint] = {
    "independent": {(x, y): F(1, 4) for x in SIGNS for y in SIGNS},
    "the same for both": {(F(1), F(1)): HALF, (F(-1), F(-1)): HALF},
    "opposite": {(F(1), F(-1)): HALF, (F(-1), F(1)): HALF},
}


def _allowed(agents: str, joint: Joint) -> bool:
    """Whether a law has mean 0 and variance at most 1 per client and is as `agents` says."""
    sides = [{x: sum(w for k, w in joint.items() if k[i] == x) for x in SIGNS} for i in (0, 1)]
    fine = all(sum(x * w for x, w in side.items()) == 0 for side in sides)
    independent = all(joint.get((x, y), F(0)) == sides[0][x] * sides[1][y] for x, y in product(SIGNS, repeat=2))
    uncorrelated = sum(x * y * w for (x, y), w in joint.items()) == 0
    return fine and {"anything": True, "independent": independent, "uncorrelated": uncorrelated}[agents]


def averaged_noise(agents: str, exponent: int = 2) -> Verdict:
    """A3 implies E‖Σ μ_i ξ_i‖² ≤ Σ μ_i^exponent σ_i² (= σ²/n for 2), for ξ that are `agents` given the past."""
    mu_i, mu_j, cross, size = sp.symbols("mu_i mu_j c_ij sigma_i^2")
    expected = cross if agents == "anything" else sp.S.Zero  # E⟨ξ_i, ξ_j⟩ = ⟨E ξ_i, E ξ_j⟩ = 0
    found = None
    for (name, joint), mu in product(NOISE.items(), ((HALF, HALF), (F(1, 3), F(2, 3)))):
        mean = sum(w * (mu[0] * x + mu[1] * y) ** 2 for (x, y), w in joint.items())
        limit = sum(m**exponent for m in mu)
        if found is None and _allowed(agents, joint) and mean > limit:
            point = {"mu": f"{mu[0]}, {mu[1]}", "errors": f"1 or -1, {name}", "sigma_i": "1"}
            found = Witness(point, f"$E\\|\\sum_i \\mu_i \\xi_i\\|^2 = {mean} > {limit}$")
    return settle(
        "expansion of the square",
        {
            "cross terms: $2 \\mu_i \\mu_j E\\langle \\xi_i, \\xi_j \\rangle = 0$ for $i \\neq j$": 2
            * mu_i
            * mu_j
            * expected,
            "squares: $\\mu_i^2 E\\|\\xi_i\\|^2 \\leq \\mu_i^2 \\sigma_i^2$": (mu_i**2 - mu_i**exponent) * size,
        },
        "given $F_t$: mean zero, and a product of independent factors has the product of the means; for every n",
        found,
    )


def past(law: str) -> Verdict:
    """The law of an unbiased oracle does not depend on the past ("at all"), or only through Ŝ_t ("given Shat_t").

    Example 1 with f = E(θ − Z)²/2, g = 0, ρ = 1/2: T(s) = s, S̄(z, τ) = (τ + z)/2; Z ∈ {0, 2}, each with probability
    1/2, and Ŝ_1 = (Ŝ_0 + Z_1)/2 from Ŝ_0 ∈ {0, 2}; the next oracle is (Ŝ_1 + Z_2)/2 with a fresh Z_2.
    """
    oracles = {}
    for start, first in product((F(0), F(2)), repeat=2):
        here = (start + first) / 2
        oracles[(start, first)] = (here, tuple((here + z) / 2 for z in (F(0), F(2))))
    for one, two in combinations(oracles, 2):
        (at, values), (other, others) = oracles[one], oracles[two]
        condition = {"at all": True, "given Shat_t": at == other, "given nothing but Z_t": one[1] == two[1]}[law]
        if condition and values != others:
            point = {"past 1 (Shat_0, Z_1)": f"{one[0]}, {one[1]}", "past 2": f"{two[0]}, {two[1]}"}
            means = [sum(v) / 2 for v in (values, others)]
            says = (
                f"the oracle's mean is ${means[0]}$ after the one and ${means[1]}$ after the other past, as it must be"
            )
            return refuted("exact instance", Witness(point, says, {"Shat_1": f"{at}; {other}"}))
    if law != "given Shat_t":
        return undecided("exact instance")
    fresh = Step("$Z_{t+1}$ is independent of $F_t$, and $\\hat S_t$ is $F_t$-measurable", "the oracles of L 388-394")
    says = "the law of $\\bar S(Z_{t+1}, T(\\hat S_t))$ given $F_t$ is that of $\\bar S(Z, T(s))$ at $s = \\hat S_t$"
    return proved("derivation", fresh, Step(says, "freezing lemma: a function of an independent and a known variable"))


def homogeneous(factor: str) -> Verdict:
    """σ² = factor · Σ μ_i² σ_i² equals σ_i² when μ_i = 1/n and all σ_i are equal; likewise L²."""
    n, size = sp.symbols("n sigma_i", positive=True)
    total = sp.sympify(factor, {"n": n}) * n * (1 / n) ** 2 * size**2
    value = F(str(total.subs({n: 2, size: 1})))
    found = None if value == 1 else Witness({"n": "2", "mu_i": "1/2", "sigma_i": "1"}, f"$\\sigma^2 = {value} \\neq 1$")
    step = "$n \\cdot \\sum_{i=1}^n n^{-2} \\sigma_i^2 = \\sigma_i^2$"
    return settle("identity", {step: total - size**2}, "n equal terms; the same with $L_i$ in place of σ_i", found)


def per_client(weights: str) -> Verdict:
    """The noise σ²/n = Σ μ_i² σ_i² of Theorem 1 equals v/n when σ_i² = v for each i, for all n and `weights`."""
    n, v = sp.symbols("n v", positive=True)
    mu = {"1/n": (HALF, HALF), "any": (F(3, 4), F(1, 4)), "2/(n(n+1)) i": (F(1, 3), F(2, 3))}[weights]
    value = sum(m * m for m in mu)
    point = {"n": "2", "mu": f"{mu[0]}, {mu[1]}", "sigma_i^2": "1"}
    found = None if value == HALF else Witness(point, f"$\\sigma^2/n = {value}$, but $1/n = 1/2$")
    squares = n * (1 / n) ** 2 if weights == "1/n" else sp.Symbol("sum mu_i^2")
    return settle("identity", {"$\\sum_i \\mu_i^2 \\sigma_i^2 = v/n$": (squares - 1 / n) * v}, "n equal terms", found)


def minibatch(draw: str, factor: str = "1/b") -> Verdict:
    """A mini-batch mean of b samples has variance `factor` · v (drawn with replacement or from a stream), or less."""
    b, N, v = sp.symbols("b N v", positive=True)
    # pairs: Cov = 0 for independent draws; −v/(N − 1) without replacement, since all N deviations sum to zero
    cov = {"independent": sp.S.Zero, "without replacement": -v / (N - 1), "one sample b times": v}[draw]
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
    zero_sum = {"the N deviations of all samples sum to 0, hence the covariance": N * v + N * (N - 1) * cov}
    return settle(
        "expansion of the square",
        {
            **(zero_sum if draw == "without replacement" else {}),
            f"variance of the mean: ${sp.latex(sp.factor(variance))}$": sp.cancel(variance - claimed),
        },
        "b variances and b(b − 1) covariances, divided by b²; coordinatewise, so in every dimension",
        found,
    )


def divided(weights: str, draw: str = "independent", factor: str = "1/b") -> Verdict:
    """The noise term σ²/n of Theorem 1 is v/(nb): one sample's variance v, divided by n and by b."""
    return conjunction({"by n": per_client(weights), "by b": minibatch(draw, factor)})
