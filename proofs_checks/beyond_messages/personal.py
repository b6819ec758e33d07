"""Mixtures with weights of each client's own (Marfoq et al. 2021): averaged in Θ the objective may rise, in 𝒮 it falls.

The instances are coins: two sides, two components with the chances p_1, p_2 of heads, so that likelihoods are rational.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from math import lcm, prod
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, proved, refuted
from proofs_checks.shared.tools import instance

Pair = tuple[F, F]
Space = Literal["Theta", "S"]
EM = ("E-step at the current point", "M-step in 𝒮", "own weights")


@dataclass(frozen=True)
class Coins:
    """Client i has tossed once, tosses_i (1 is heads), and has the weights weights_i; p are the chances of heads."""

    tosses: tuple[int, ...] = (1, 0)
    weights: tuple[Pair, ...] = ((F(1, 4), F(3, 4)), (F(3, 4), F(1, 4)))
    p: Pair = (F(1, 4), F(3, 4))

    def chance(self, l: int, toss: int) -> F:
        return self.p[l] if toss else 1 - self.p[l]

    def likelihood(self) -> F:
        rows = zip(self.tosses, self.weights, strict=True)
        return prod((sum((w[l] * self.chance(l, z) for l in (0, 1)), F(0)) for z, w in rows), start=F(1))

    def responsibilities(self) -> list[Pair]:
        found = []
        for z, w in zip(self.tosses, self.weights, strict=True):
            parts = [w[l] * self.chance(l, z) for l in (0, 1)]
            found.append((parts[0] / sum(parts), parts[1] / sum(parts)))
        return found

    def after(self, space: Space = "S", missing: Sequence[str] = ()) -> Coins:
        """One round with everyone and an exact M-step, γ = 1; `missing` are rules of EM that it does not keep."""
        r = self.responsibilities()
        if "E-step at the current point" in missing:
            r = [(F(1, 2), F(1, 2))] * len(r)
        if space == "Theta" or "M-step in 𝒮" in missing:  # each client's own p_l is its toss
            p = [F(sum(self.tosses), len(self.tosses))] * 2
        else:
            p = [self._mean(l, [row[l] for row in r]) for l in (0, 1)]
        weights = [(sum(row[0] for row in r) / len(r), sum(row[1] for row in r) / len(r))] * len(r)
        return replace(self, weights=tuple(weights if "own weights" in missing else r), p=(p[0], p[1]))

    def _mean(self, l: int, shares: Sequence[F]) -> F:
        """The chance of heads of component l; as it was where nobody has seen it."""
        heads = sum((share * z for share, z in zip(shares, self.tosses, strict=True)), F(0))
        return heads / sum(shares) if sum(shares) else self.p[l]

    def point(self) -> dict[str, str]:
        shown = ["; ".join(", ".join(map(str, row)) for row in self.weights), ", ".join(map(str, self.p))]
        return {"tosses": str(self.tosses), "pi_i": shown[0], "p": shown[1], "mu": "1/2, 1/2"}


def rises(
    space: Space = "Theta",
    clients: Literal["different", "equal"] = "different",
    before: str = "25/64",
    after: str = "1/4",
) -> Verdict:
    """A round takes the likelihood of the two coins from `before` down to `after`, so that the objective rises."""
    of = Coins() if clients == "different" else Coins(tosses=(1, 1), weights=((F(1, 4), F(3, 4)),) * 2)
    start, end = of.likelihood(), of.after(space).likelihood()
    says = f"the likelihood goes from ${start}$ to ${end}$"
    if end >= start or (start, end) != (F(before), F(after)):
        return refuted("exact instance", Witness(of.point(), says))
    own = of.after(space).p
    return proved("exact instance", Step(says, f"{of.point()}; the averaged parameters are ${own[0]}$ and ${own[1]}$"))


def falls(hypotheses: Sequence[str] = EM, gain: str = "1", sign: int = 1) -> Verdict:
    """W_{t+1} ≤ W_t − gain·Σ μ_i KL(π_{t+1,i} ‖ π_{t,i}), or the reverse for sign = −1.

    For one sample with two components, as sums over samples and clients go termwise: F = Σ π_l f_l, r_l = π_l f_l/F.
    """
    k = sp.Rational(gain)
    r1, r2, *new = sp.symbols("r_1 r_2 {\\pi'_1} {\\pi'_2}", positive=True)
    c, after = sp.symbols(r"\log{F} \log{F'}", real=True)
    p, new_p, f, new_f, b = (sp.symbols(f"{name}_1 {name}_2", real=True) for name in
                             (r"\log{\pi}", r"\log{\pi'}", r"\log{f}", r"\log{f'}", r"\log{r}"))  # fmt: skip
    x = sp.Symbol(r"{\pi'_1 f'_1/(r_1F')}", positive=True)
    others = (x, (r1 + r2 - r1 * x) / r2)  # Σ r_l x_l = Σ π'_l f'_l/F' = 1 = Σ r_l

    def prove() -> Sequence[Step]:
        r, given, factors = (r1, r2), {}, {}
        for l in (0, 1):
            why = r"$\log x \leq x - 1$ at $x = \pi'_l f'_l/(r_l F')$"
            given[f"Jensen {l}"] = Hypothesis(others[l] - 1 - (new_p[l] + new_f[l] - b[l] - after), why)
            factors[f"Jensen {l}"] = r[l]
            if "E-step at the current point" in hypotheses:
                old = Hypothesis(p[l] + f[l] - b[l] - c, r"$r_l = \pi_l f_l/F$", equality=True)
                given[f"E-step {l}"] = old
            factors[f"E-step {l}"] = r[l]
            if "own weights" in hypotheses:
                given[f"weights {l}"] = Hypothesis(new[l] - r[l], r"$\pi'_l = r_l$ (its mean)", equality=True)
            factors[f"weights {l}"] = p[l] - new_p[l]
        if "M-step in 𝒮" in hypotheses:
            better = r1 * (new_f[0] - f[0]) + r2 * (new_f[1] - f[1])
            given["M-step"] = Hypothesis(better, r"$\theta_{t+1} = T(\sum_i\mu_i S_i)$ and $U$ is linear in $s$")
        factors["M-step"] = 1
        divergence = sum(new[l] * (new_p[l] - p[l]) for l in (0, 1))  # KL(π' ‖ π)
        target = sign * ((r1 + r2) * (after - c) - k * divergence)
        says = r"$\log F' - \log F \geq \sum_l \pi'_l \log(\pi'_l/\pi_l)$"
        return verify(target, given, factors, says=says)

    return decide("certificate", prove, [lambda: _wrong(hypotheses, F(gain), sign)])


def _wrong(hypotheses: Sequence[str], gain: F, sign: int) -> Witness | None:
    """The two coins without the rules that are not assumed; and one client whose components stay (equality for 1)."""
    missing = [rule for rule in EM if rule not in hypotheses]
    still = Coins(tosses=(1,), weights=((F(1, 2), F(1, 2)),), p=(F(1), F(0)))
    for of in (Coins(), still):
        new, n = of.after("S", missing), len(of.tosses)
        logs = [(new.likelihood() / of.likelihood(), F(1, n))]  # of W_t − W_{t+1} − gain Σ μ_i KL: ratios, weights
        for old, now in zip(of.weights, new.weights, strict=True):
            logs += [(now[l] / old[l], -gain * now[l] / n) for l in (0, 1) if now[l] > 0]
        scale = lcm(*(weight.denominator for _, weight in logs))
        found = prod((ratio ** int(weight * scale) for ratio, weight in logs), start=F(1))
        if (found < 1 and sign > 0) or (found > 1 and sign < 0):
            says = f"the likelihood goes from ${of.likelihood()}$ to ${new.likelihood()}$"
            return Witness(of.point(), says)
    return None


def coins_instance() -> Witness:
    of = Coins()
    return instance(
        of.point(),
        "two clients with other weights, a toss each",
        {"weights sum to 1": all(sum(row) == 1 for row in of.weights), "they differ": of.weights[0] != of.weights[1],
         "a chance for both sides": all(0 < p < 1 for p in of.p)},
    )  # fmt: skip
