"""Exact one-dimensional rounds on which the claims beyond Theorem 1 are tried.

φ(θ) = θ, T(s) = F(s) for an increasing curve F with potential V, V' = F; ψ = V*, g = 0. With S̄ ≡ c and
f = k(ψ − cφ): h(s) = c − s, and (f+g)(T(s)) = k(V*(F(s)) − cF(s)), where V*(F(s)) = sF(s) − V(s). MM-1 holds for
k = 1, with equality. Which hypotheses a round satisfies is computed from its data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from itertools import product

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.appendix_d_lemmas.projection import Pieces, contains, nearest, shown
from proofs_checks.shared.exact import admitted
from proofs_checks.shared.tools import instance

Law = tuple[tuple[F, F], ...]
"""Pairs (probability, value) of H_{t+1} − h(Ŝ_t)."""
TINY = F(1, 1000)


@dataclass(frozen=True)
class Curve:
    """F with V* ∘ F, the slope F', and its `bend`: |F(s') − F(s) − F'(s)(s' − s)| ≤ bend(high)|s' − s|² up to high."""

    value: Callable[[F], F]
    conjugate: Callable[[F], F]
    slope: Callable[[F], F]
    bend: Callable[[F], F]


CURVES = {
    "s": Curve(lambda s: s, lambda s: s * s / 2, lambda s: F(1), lambda high: TINY),
    "s^3": Curve(lambda s: s**3, lambda s: 3 * s**4 / 4, lambda s: 3 * s * s, lambda high: 3 * high),  # on s > 0
    "s + 10 max(s, 0)^2": Curve(
        lambda s: s + 10 * max(s, F(0)) ** 2,
        lambda s: s * s / 2 + F(20, 3) * max(s, F(0)) ** 3,
        lambda s: 1 + 20 * max(s, F(0)),
        lambda high: F(10),
    ),
}


@dataclass(frozen=True)
class Line:
    """One round from s with noise `law`; `b` is the matrix B_t, `sign` = −1 makes T a maximiser.

    `C2` is claimed for C_⋆⋆, and `M` for a bound of |h| on 𝒮.
    """

    s: F
    c: F
    law: Law
    gamma: F
    curve: str = "s"
    pieces: Pieces = ((F(-4), F(4)),)
    k: F = F(1)
    sign: int = 1
    b: F | None = None
    C2: F | None = None
    M: F | None = None
    retraction: str = "nearest"

    @property
    def ends(self) -> tuple[F, F]:
        return self.pieces[0][0], self.pieces[-1][1]

    @property
    def h(self) -> F:
        return self.c - self.s

    @property
    def B(self) -> F:
        """The matrix in which errors are measured: F'(s) unless another one is given."""
        return self.slope(self.s) if self.b is None else self.b

    def value(self, s: F) -> F:
        return CURVES[self.curve].value(s)

    def slope(self, s: F) -> F:
        return CURVES[self.curve].slope(s)

    @property
    def constants(self) -> tuple[F, F, F, F]:
        """v_min, v_max, C_⋆, C_⋆⋆ as A7 has them on 𝒮 (F' is monotone there); C_⋆⋆ can be claimed."""
        slopes = [self.slope(end) for end in self.ends]
        C1 = CURVES[self.curve].bend(self.ends[1])
        return min(slopes), max(slopes), C1, self.steepest if self.C2 is None else self.C2

    @property
    def steepest(self) -> F:
        """The largest (F(s') − F(s))/(s' − s) over pairs in 𝒮: at two points, or the largest slope of a convex F."""
        low, high = self.ends
        if all(start == end for start, end in self.pieces):
            return (self.value(high) - self.value(low)) / (high - low)
        return max(self.slope(low), self.slope(high))

    @property
    def largest(self) -> F:
        """sup|h|."""
        return max(abs(self.c - end) for end in self.ends)

    @property
    def c_bar(self) -> F:
        """C̄ = C_⋆⋆/2 + C_⋆ M, where M is sup|h| unless another number is claimed."""
        _, _, C1, C2 = self.constants
        return C2 / 2 + C1 * (self.largest if self.M is None else self.M)

    def W(self, s: F) -> F:
        u = self.sign * s
        return self.k * (CURVES[self.curve].conjugate(u) - self.c * self.value(u))

    def move(self, e: F) -> F:
        """Ŝ_{t+1} for the outcome H_{t+1} = h + e."""
        to = self.s + self.gamma * (self.h + e)
        if contains(self.pieces, to) or self.retraction == "nearest":
            return nearest(self.pieces, to)
        return min(self.ends, key=lambda end: -abs(end - to))  # some point of 𝒮, not the nearest one

    def mean(self, of: Callable[[F], F]) -> F:
        return sum((weight * of(e) for weight, e in self.law), F(0))

    def facts(self) -> set[str]:
        inside = [contains(self.pieces, self.s + self.gamma * (self.h + e)) for _, e in self.law]
        low, high = self.constants[:2]
        tests = {
            "MM-1": self.k == 1,
            "MM-2": self.sign == 1,
            "A7": self.slope(self.s) == self.B and 0 < low <= self.B <= high and self.constants[3] >= self.steepest,
            "A6(ii)": self.M is None or self.largest <= self.M,
            "𝒮 convex": len(self.pieces) == 1,
            "mean in 𝒮": contains(self.pieces, self.c),
            "retraction": self.retraction == "nearest" or all(inside),
            "γ ≤ v_min/(2C̄)": self.gamma <= low / (2 * self.c_bar),
            "γ ≤ 1": self.gamma <= 1,
            "γ ≤ 1/2": self.gamma <= F(1, 2),
            "unbiased": self.mean(lambda e: e) == 0,
            "no projection": all(inside),
        }
        return {name for name, holds in tests.items() if holds and contains(self.pieces, self.s) and self.gamma > 0}

    def witness(self, says: str) -> Witness:
        law = ", ".join(f"{e} with probability {weight}" for weight, e in self.law)
        point = {"F": self.curve, "T": f"F({'' if self.sign == 1 else '-'}s)", "S_bar": self.c, "k": self.k}
        point |= {"S": shown(self.pieces), "Shat": self.s, "H - h": law, "gamma": self.gamma, "B_t": self.B}
        point |= {} if self.M is None else {"M": self.M, "sup |h|": self.largest}
        return Witness({name: str(value) for name, value in point.items()}, says)


def sure(e: F) -> Law:
    return ((F(1), e),)


def fair(low: F, high: F) -> Law:
    return ((F(1, 2), low), (F(1, 2), high))


def _lines() -> tuple[Line, ...]:
    """Rounds with and without noise, projected or not, and each hypothesis dropped."""
    half, wide, unit = F(1, 2), ((F(-4), F(4)),), ((F(0), F(1)),)
    laws = [*(sure(F(e)) for e in (0, 1, -1, 3, -3)), fair(F(-1), F(1)), fair(F(-3), F(3)), fair(F(-8), F(8))]
    steps = (F(9, 10), half, F(1, 16), F(1, 1000))
    found = [Line(s, c, law, k, pieces=wide) for s, c, law, k in product((F(0), F(1)), (F(0), F(1), F(4)), laws, steps)]
    found += [Line(s, c, law, k, pieces=unit) for s, c, law, k in product((F(0), F(1)), (F(0), F(1)), laws, steps)]
    bent = ((half, F(2)),)
    found += [
        Line(s, c, law, k, curve="s^3", pieces=bent)
        for s, c, law, k in product((F(1), F(2)), (half, F(2)), laws, (F(1), F(9, 10), half, F(1, 100)))
    ]
    exact = sure(F(0))
    for k in steps:
        found.append(Line(F(1), F(0), exact, k, k=F(1, 10)))  # MM-1
        found += [Line(F(1), F(4), exact, k, sign=-1), Line(F(0), F(1), exact, k, sign=-1)]  # MM-2
        found.append(Line(F(1), F(0), exact, k, C2=F(1, 10)))  # A7: C_⋆⋆ is too small
        found += [Line(F(1), F(0), law, k, b=F(8)) for law in laws]  # A7: B_t is another matrix
        found.append(Line(F(1), F(3), exact, k, pieces=unit))  # E S̄ outside 𝒮
        found.append(Line(F(0), F(1), exact, k, pieces=((F(0), F(0)), (F(1), F(1)))))  # 𝒮 not convex
        found += [Line(F(0), F(0), law, k, pieces=unit, retraction="farthest") for law in laws]
    found.append(Line(F(0), F(1), exact, F(2), pieces=unit))  # γ > 1
    ends = ((half, half), (F(2), F(2)))
    found.append(Line(half, F(2), exact, F(1), curve="s^3", pieces=ends))  # 𝒮 not convex: its ends alone
    steep = Line(F(1, 10), F(-1), exact, F(3, 10), curve="s + 10 max(s, 0)^2", pieces=((F(-1), F(1, 10)),))
    found += [replace(steep, M=F(1, 100)), replace(steep, gamma=F(1, 25))]  # A6(ii): the step is too long for sup|h|
    return tuple(found)


LINES = _lines()


def line_instance(hypotheses: Sequence[str], *, projected: bool = False) -> Witness:
    """A round with noise that satisfies every hypothesis; with `projected`, an outcome of it leaves 𝒮."""
    noisy = (x for x in admitted(LINES, hypotheses) if len(x.law) == 2 and x.h != 0)
    line = next(x for x in noisy if projected != ("no projection" in x.facts()))
    holds = {name: name in line.facts() for name in hypotheses} | {"H is random": line.law[0][1] != line.law[1][1]}
    shown_at = line.witness("").point
    return instance(shown_at, "a round with noise" + (", projected back onto 𝒮" if projected else ""), holds)
