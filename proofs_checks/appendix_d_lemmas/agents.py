"""Finite laws of everything random in one round of FedMM, and a round summed over all their outcomes.

One coordinate, n agents. An outcome fixes each agent's oracle noise, whether it is selected (U = 1) and its compressor
on ℝ, a tuple of factors: Q(x) = c_k x where x lies in the k-th piece of ℝ (two pieces, x > 0 and x ≤ 0, unless said
otherwise). Which hypotheses a law satisfies is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from functools import cached_property
from itertools import pairwise, product
from math import prod

from fedmm_edu.errors import InvalidInput

HALF = F(1, 2)
Law = tuple[tuple[F, tuple], ...]
"""Pairs (probability, one entry per agent)."""


def independent(values: Sequence[tuple[F, Hashable]], count: int) -> Law:
    """`count` independent draws from the finite law `values`."""
    choices = product(values, repeat=count)
    return tuple((prod((w for w, _ in choice), start=F(1)), tuple(x for _, x in choice)) for choice in choices)


def shared(values: Sequence[tuple[F, Hashable]], count: int) -> Law:
    """One draw for all."""
    return tuple((w, (x,) * count) for w, x in values)


def factorises(law: Law) -> bool:
    """Whether the entries of the tuples are mutually independent."""
    marginals: list[dict] = [{} for _ in law[0][1]]
    joint: dict = {}
    for w, entries in law:
        joint[entries] = joint.get(entries, F(0)) + w
        for marginal, x in zip(marginals, entries, strict=True):
            marginal[x] = marginal.get(x, F(0)) + w
    grid = product(*(marginal.items() for marginal in marginals))
    return all(joint.get(tuple(x for x, _ in point), 0) == prod(w for _, w in point) for point in grid)


@dataclass(frozen=True)
class Draws:
    """Independent laws of noise, selection and compressors, with the constants they are claimed to have."""

    name: str
    noise: Law
    selection: Law
    factors: Law
    sigma2: tuple[F, ...]
    p: F = F(1)
    omega: F = F(0)
    cuts: tuple[F, ...] = (F(0),)

    def piece(self, x: F) -> int:
        """The number of cuts that x does not exceed: which entry of a compressor's factors applies at x."""
        return sum(x <= cut for cut in self.cuts)

    @property
    def points(self) -> tuple[F, ...]:
        """One point of each piece, in the order of a compressor's factors; the cuts decrease."""
        middles = [(a + b) / 2 for a, b in pairwise(self.cuts)]
        return (self.cuts[0] + 1, *middles, self.cuts[-1] - 1)

    @property
    def n(self) -> int:
        return len(self.sigma2)

    @property
    def omega_p(self) -> F:
        return self.omega + (1 - self.p) / self.p * (1 + self.omega)

    def outcomes(self) -> list[tuple[F, tuple, tuple, tuple]]:
        """All (probability, noises, selected, factors)."""
        parts = product(self.noise, self.selection, self.factors)
        return [(a * b * c, noise, selected, factors) for (a, noise), (b, selected), (c, factors) in parts]

    @cached_property
    def facts(self) -> frozenset[str]:
        """Which of A3, A4(ω), A5(p) hold, and whether oracles and compressors are independent between agents."""
        pieces = range(len(self.cuts) + 1)
        at_points = [tuple((w, tuple(c[k] for c in entries)) for w, entries in self.factors) for k in pieces]
        tests = {
            "A3": all(
                _mean(self.noise, i) == 0 and _mean(self.noise, i, lambda x: x * x) <= self.sigma2[i]
                for i in range(self.n)
            ),
            "independent oracles": factorises(self.noise),
            "A4": all(factorises(law) and self._compresses(law) for law in at_points),
            "independent compressors": factorises(self.factors),
            "A5": factorises(self.selection) and all(_mean(self.selection, i) == self.p for i in range(self.n)),
        }
        return frozenset(name for name, holds in tests.items() if holds)

    def _compresses(self, law: Law) -> bool:
        """At one point: the same law for every agent, mean one, variance at most ω."""
        same = len({tuple(sorted(_marginal(law, i).items())) for i in range(self.n)}) == 1
        return same and _mean(law, 0) == 1 and _mean(law, 0, lambda c: (c - 1) ** 2) <= self.omega


def _marginal(law: Law, i: int) -> dict:
    marginal: dict = {}
    for w, entries in law:
        marginal[entries[i]] = marginal.get(entries[i], F(0)) + w
    return marginal


def _mean(law: Law, i: int, of: Callable[[F], F] = lambda x: x) -> F:
    return sum((w * of(entries[i]) for w, entries in law), F(0))


FAIR = ((HALF, F(-1)), (HALF, F(1)))
COIN = ((HALF, F(0)), (HALF, F(1)))
ALWAYS = ((F(1), F(1)),)
EXACT = ((F(1), (F(1), F(1))),)
DOUBLE_OR_NOTHING = ((HALF, (F(0), F(0))), (HALF, (F(2), F(2))))
AT_EACH_POINT_ONLY = tuple((F(1, 4), ((a, b), (2 - b, 2 - a))) for a, b in product((F(0), F(2)), repeat=2))
"""Q₁(x) = ax, Q₂(x) = (2−b)x for x > 0; bx, (2−a)x for x < 0: at one point they are independent, at 1 and −1 not."""
FOUR_COINS = independent(tuple((w, c[0]) for w, c in DOUBLE_OR_NOTHING), 4)
TURNING = tuple((w, tuple(tuple(c[(i + k) % 4] for k in range(4)) for i in range(4))) for w, c in FOUR_COINS)
"""Q_i(x) = c_{i+k}x (index modulo 4) on the k-th of four pieces: independent at one point, one coin at four points."""

TWO = (F(1), F(1))
SOUND = Draws(
    "independent draws, every other agent selected", independent(FAIR, 2), independent(COIN, 2), independent(EXACT, 2),
    TWO, p=HALF,
)  # fmt: skip
COMPRESSED = Draws(
    "independent draws, messages doubled or lost", independent(FAIR, 2), independent(ALWAYS, 2),
    independent(DOUBLE_OR_NOTHING, 2), TWO, omega=F(1),
)  # fmt: skip
ONE_NOISE = Draws("one noise for all", shared(FAIR, 4), independent(ALWAYS, 4), independent(EXACT, 4), (F(1),) * 4)
POINTWISE = Draws(
    "compressors independent at each point only", independent(FAIR, 2), independent(ALWAYS, 2), AT_EACH_POINT_ONLY, TWO,
    omega=F(1),
)  # fmt: skip
ONE_COIN = Draws(
    "compressors independent at each point, one coin for all at 7, 4, 5, 6", independent(((F(1), F(0)),), 4),
    independent(ALWAYS, 4), TURNING, (F(1),) * 4, omega=F(1), cuts=(F(6), F(5), F(4)),
)  # fmt: skip
ALL_OR_NONE = Draws("all or none selected", independent(FAIR, 2), shared(COIN, 2), independent(EXACT, 2), TWO, p=HALF)
ONE_LEFT_OUT = Draws(
    "agent 2 always selected, agent 1 never", independent(FAIR, 2), ((F(1), (F(0), F(1))),), independent(EXACT, 2), TWO,
    p=HALF,
)  # fmt: skip
BIASED_ORACLE = Draws(
    "oracles off by 1", independent(ALWAYS, 2), independent(ALWAYS, 2), independent(EXACT, 2), TWO,
)  # fmt: skip
BIASED_COMPRESSOR = Draws(
    "nothing is ever sent", independent(FAIR, 2), independent(ALWAYS, 2), independent(((F(1), (F(0), F(0))),), 2), TWO,
    omega=F(1),
)  # fmt: skip
LOUD = Draws(
    "noise of variance 9, not 1", independent(((HALF, F(-3)), (HALF, F(3))), 2), independent(ALWAYS, 2),
    independent(EXACT, 2), TWO,
)  # fmt: skip
QUIET = Draws(
    "no noise at all", independent(((F(1), F(0)),), 2), independent(ALWAYS, 2), independent(DOUBLE_OR_NOTHING, 2), TWO,
    omega=F(1),
)  # fmt: skip
ALL_DRAWS = (
    SOUND, COMPRESSED, ONE_NOISE, POINTWISE, ONE_COIN, ALL_OR_NONE, ONE_LEFT_OUT, BIASED_ORACLE, BIASED_COMPRESSOR,
    LOUD, QUIET,
)  # fmt: skip


@dataclass(frozen=True)
class Round:
    """One round from Ŝ_t = 0, μ_i = 1/n: V_{t,i}, h_i(s) = h_i + slope·s, B(Ŝ_t) = B and B_t = b.

    𝒮 = [−1000, 1000]: bounded, so that sup ‖h‖ < ∞, and so wide that no projection is active.
    """

    draws: Draws
    V: tuple[F, ...]
    h: tuple[F, ...]
    slope: F = F(0)
    L: F = F(1)
    B: F = F(1)
    b: F = F(1)
    v_min: F = F(1)
    v_max: F = F(1)
    alpha: F = HALF
    gamma: F = HALF

    def facts(self) -> set[str]:
        tests = {
            "A6": abs(self.slope) <= self.L,
            "A7": self.v_min <= self.B <= self.v_max,
            "A8": self.b == self.B,
            "α ≥ 0": self.alpha >= 0,
            "α ≤ 1/(1+ω_p)": self.alpha * (1 + self.draws.omega_p) <= 1,
        }
        return {*self.draws.facts, *(name for name, holds in tests.items() if holds)}

    def mean(self, of: Callable[[list[F], list[F]], F]) -> F:
        """The expectation over all outcomes of a function of the Δ_{t+1,i} and the messages Q̃_{t+1,i}(Δ_{t+1,i})."""
        return sum((w * of(deltas, sent) for w, deltas, sent in self._outcomes), F(0))

    @cached_property
    def _outcomes(self) -> list[tuple[F, list[F], list[F]]]:
        found = []
        for w, noise, selected, factors in self.draws.outcomes():
            deltas = [h + e - V for h, e, V in zip(self.h, noise, self.V, strict=True)]
            sent = [
                u / self.draws.p * c[self.draws.piece(d)] * d for u, c, d in zip(selected, factors, deltas, strict=True)
            ]
            if abs(self.gamma * self.H(sent)) > 1000:
                raise InvalidInput(f"the step {self.gamma * self.H(sent)} leaves 𝒮: choose a smaller one.")
            found.append((w, deltas, sent))
        return found

    @property
    def sums(self) -> tuple[F, F]:
        """Σ μ_i² σ_i² = σ²/n and G_t = Σ μ_i² (V_{t,i} − h_i)²."""
        weight = F(1, self.draws.n) ** 2
        errors = (V - h for V, h in zip(self.V, self.h, strict=True))
        return weight * sum(self.draws.sigma2), weight * sum(e * e for e in errors)

    def H(self, sent: list[F]) -> F:
        return (sum(self.V, F(0)) + sum(sent, F(0))) / self.draws.n

    @property
    def field(self) -> F:
        """h(Ŝ_t) = Σ μ_i h_i."""
        return sum(self.h, F(0)) / self.draws.n

    def point(self) -> dict[str, str]:
        values = {"V_i": self.V, "h_i": self.h, "slope of h_i": self.slope, "B(Shat)": self.B, "B_t": self.b}
        values |= {"alpha": self.alpha, "gamma": self.gamma, "p": self.draws.p, "omega": self.draws.omega}
        values |= {"sigma_i^2": self.draws.sigma2, "v_min, v_max": (self.v_min, self.v_max), "L_i": self.L}
        shown = {k: ", ".join(map(str, v)) if isinstance(v, tuple) else str(v) for k, v in values.items()}
        return {"draws": self.draws.name, "S": "[-1000, 1000]", "Shat": "0", "mu_i": f"1/{self.draws.n}", **shown}
