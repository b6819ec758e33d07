"""Penalties g, each with all that is said of it: prox, kinks, constants for A1 to A8, formula in SymPy.

prox_{ρg}(s) = argmin_θ ρ g(θ) + ½‖θ − s‖². A new penalty is a class here and an entry of `EACH_PENALTY`: its numeric
cases, its property tests, its cells of A1 to A8, its row of the ledger with its mutants and its part of the example's
page are made from the class.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedmm_edu.arrays import Array, as_array
from fedmm_edu.convex_sets import Box, ConvexSet, WholeSpace
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.faces import Faces

if TYPE_CHECKING:
    import sympy as sp


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What A1 to A8 ask of g on ℝ^d: the best constants, `inf` where there is none.

    least, most: m and M such that g − (m/2)‖·‖² and (M/2)‖·‖² − g are convex. bend: a Lipschitz constant of ∇²g.
    pull: the supremum of ‖v‖ over all subgradients v of g, hence of ‖s − prox_{ρg}(s)‖/ρ. reach: that of |θ_j| over Θ.
    M, and with it the bend, is `inf` where g has a kink or its domain a boundary.
    """

    least: float
    most: float
    bend: float
    pull: float
    reach: float


@dataclass(frozen=True)
class Twin:
    """A penalty in SymPy: g, T = prox_{ρg}(s), Θ and what its parameters satisfy.

    wrong: formulas for T that look likely, each with the row of `check_model` that refutes it.
    """

    g: sp.Expr
    T: tuple[sp.Expr, ...]
    Theta: tuple[sp.Basic, ...] = ()
    given: tuple[sp.Basic, ...] = ()
    wrong: Mapping[str, tuple[str, tuple[sp.Expr, ...]]] = field(default_factory=dict)


class Penalty(Faces, ABC):
    """A proper closed convex function on ℝ^d."""

    name: ClassVar[str]
    """In the names of cases, models and rows."""
    coordinates: ClassVar[int] = 1
    """How many coordinates θ and s have in the twin: 1 for a sum of equal functions of one."""

    @abstractmethod
    def value(self, theta: Array) -> float:
        """g(θ), +inf outside its domain."""

    @abstractmethod
    def prox(self, s: Array, rho: float) -> Array:
        """prox_{ρg}(s), shape (d,)."""

    @abstractmethod
    def facts(self, d: int) -> Facts:
        """Its constants on ℝ^d."""

    @abstractmethod
    def kinks(self, d: int, rho: float, gap: float) -> Iterator[tuple[Array, Array]]:
        """Pairs of s, about `gap` apart: both sides of a kink of prox_{ρg}, and where it is constant; none for C¹."""

    @classmethod
    @abstractmethod
    def twin(cls, theta: Sequence[sp.Symbol], s: Sequence[sp.Symbol], rho: sp.Symbol) -> Twin:
        """The same in SymPy, for as many symbols as `coordinates` says."""

    def slope(self, theta: Array) -> Array:
        """∇g(θ), shape (d,); `InvalidInput` where g has kinks or its domain a boundary."""
        raise InvalidInput(f"{self.name}: g is not smooth, so it has no slope: use a method that takes its prox.")

    def domain(self, d: int) -> ConvexSet:
        """Θ, the domain of g: all of ℝ^d, or where the `reach` ends."""
        reach = self.facts(d).reach
        if reach < math.inf:
            raise InvalidInput(f"{self.name}: |θ_j| is at most {reach}, but no domain is given: override `domain`.")
        return WholeSpace(d)


def soft_threshold(s: Array, threshold: float | Array) -> Array:
    """sign(s) max(|s| − threshold, 0), coordinatewise."""
    return np.sign(s) * np.maximum(np.abs(s) - threshold, 0.0)


def soft(value: sp.Expr, threshold: sp.Expr) -> sp.Expr:
    """The soft threshold in SymPy, the proximity operator of t|·|."""
    import sympy as sp

    return sp.sign(value) * sp.Max(sp.Abs(value) - threshold, 0)


def along(j: int, d: int, *pairs: tuple[float, float]) -> Iterator[tuple[Array, Array]]:
    """Pairs of s on axis j."""
    axis = np.eye(d)[j]
    return ((a * axis, b * axis) for a, b in pairs)


def threshold(at: float, j: int, d: int, gap: float) -> Iterator[tuple[Array, Array]]:
    """The `kinks` of a prox that is 0 up to `at` on axis j, and not beyond; none where `at` is 0."""
    return along(j, d, (at - gap, at + gap), (0.0, min(gap, at))) if at > 0 else iter(())


@dataclass(frozen=True)
class Zero(Penalty):
    """g = 0."""

    name = "zero"

    def value(self, theta: Array) -> float:
        return 0.0

    def slope(self, theta: Array) -> Array:
        return np.zeros(len(theta))

    def prox(self, s: Array, rho: float) -> Array:
        return s.copy()

    def facts(self, d: int) -> Facts:
        return Facts(least=0.0, most=0.0, bend=0.0, pull=0.0, reach=math.inf)

    def kinks(self, d: int, rho: float, gap: float) -> Iterator[tuple[Array, Array]]:
        return iter(())

    @classmethod
    def twin(cls, theta: Sequence[sp.Symbol], s: Sequence[sp.Symbol], rho: sp.Symbol) -> Twin:
        import sympy as sp

        return Twin(sp.S.Zero, tuple(s))


@dataclass(frozen=True)
class Ridge(Penalty):
    """g(θ) = (λ/2)‖θ‖²."""

    lam: float
    name = "ridge"

    def __post_init__(self) -> None:
        in_interval("lam", self.lam, low=0.0, high=np.inf)

    def value(self, theta: Array) -> float:
        return 0.5 * self.lam * float(theta @ theta)

    def slope(self, theta: Array) -> Array:
        return self.lam * theta

    def prox(self, s: Array, rho: float) -> Array:
        return s / (1.0 + rho * self.lam)

    def facts(self, d: int) -> Facts:
        return Facts(least=self.lam, most=self.lam, bend=0.0, pull=math.inf if self.lam > 0 else 0.0, reach=math.inf)

    def kinks(self, d: int, rho: float, gap: float) -> Iterator[tuple[Array, Array]]:
        return iter(())

    @classmethod
    def twin(cls, theta: Sequence[sp.Symbol], s: Sequence[sp.Symbol], rho: sp.Symbol) -> Twin:
        import sympy as sp

        lam = sp.Symbol("lambda", real=True)
        wrong = {"T ignores the ridge": ("MM-2: T minimizes", tuple(s))}
        return Twin(lam * theta[0] ** 2 / 2, (s[0] / (1 + rho * lam),), given=(lam > 0,), wrong=wrong)


@dataclass(frozen=True)
class WeightedRidge(Penalty):
    """g(θ) = ½ Σ_j λ_j θ_j²: a weight λ_j ≥ 0 for each coordinate, as in generalised ridge regression.

    prox_{ρg}(s)_j = s_j/(1 + ρλ_j) is linear, so that A7 holds with C_⋆ = 0, v_min = 1/(ρ(1 + ρ max λ_j)) and
    v_max = C_⋆⋆ = 1/(ρ(1 + ρ min λ_j)), both attained along an axis.
    """

    weights: tuple[float, ...]
    name = "weighted ridge"
    coordinates = 2

    def __post_init__(self) -> None:
        for j, weight in enumerate(self.weights):
            in_interval(f"weights[{j}]", weight, low=0.0, high=np.inf)

    def value(self, theta: Array) -> float:
        return 0.5 * float(np.asarray(self.weights) @ theta**2)

    def slope(self, theta: Array) -> Array:
        return np.array(self.weights) * theta

    def prox(self, s: Array, rho: float) -> Array:
        return s / (1.0 + rho * np.asarray(self.weights))

    def facts(self, d: int) -> Facts:
        lam = as_array("weights", self.weights, shape=(d,))
        pull = math.inf if lam.any() else 0.0
        return Facts(least=float(lam.min()), most=float(lam.max()), bend=0.0, pull=pull, reach=math.inf)

    def kinks(self, d: int, rho: float, gap: float) -> Iterator[tuple[Array, Array]]:
        return iter(())

    @classmethod
    def twin(cls, theta: Sequence[sp.Symbol], s: Sequence[sp.Symbol], rho: sp.Symbol) -> Twin:
        import sympy as sp

        lam = sp.symbols("lambda1 lambda2", real=True)
        T, exchanged = (tuple(v / (1 + rho * a) for v, a in zip(s, of, strict=True)) for of in (lam, lam[::-1]))
        return Twin(
            sp.Add(*(a * t**2 / 2 for a, t in zip(lam, theta, strict=True))), T, given=tuple(a >= 0 for a in lam),
            wrong={"weights exchanged": ("MM-2: T minimizes", exchanged)},
        )  # fmt: skip


@dataclass(frozen=True)
class L1(Penalty):
    """g(θ) = λ‖θ‖₁."""

    lam: float
    name = "l1"

    def __post_init__(self) -> None:
        in_interval("lam", self.lam, low=0.0, high=np.inf)

    def value(self, theta: Array) -> float:
        return self.lam * float(np.abs(theta).sum())

    def prox(self, s: Array, rho: float) -> Array:
        return soft_threshold(s, rho * self.lam)

    def facts(self, d: int) -> Facts:
        sharp = math.inf if self.lam > 0 else 0.0
        return Facts(least=0.0, most=sharp, bend=sharp, pull=self.lam * math.sqrt(d), reach=math.inf)

    def kinks(self, d: int, rho: float, gap: float) -> Iterator[tuple[Array, Array]]:
        return threshold(rho * self.lam, 0, d, gap)

    @classmethod
    def twin(cls, theta: Sequence[sp.Symbol], s: Sequence[sp.Symbol], rho: sp.Symbol) -> Twin:
        import sympy as sp

        lam = sp.Symbol("lambda", real=True)
        wrong = {"threshold without rho": ("MM-2: T minimizes", (soft(s[0], lam),))}
        return Twin(lam * sp.Abs(theta[0]), (soft(s[0], rho * lam),), given=(lam > 0,), wrong=wrong)


@dataclass(frozen=True)
class ElasticNet(Penalty):
    """g(θ) = λ₁‖θ‖₁ + (λ₂/2)‖θ‖²."""

    lam1: float
    lam2: float
    name = "elastic net"

    def __post_init__(self) -> None:
        in_interval("lam1", self.lam1, low=0.0, high=np.inf)
        in_interval("lam2", self.lam2, low=0.0, high=np.inf)

    def value(self, theta: Array) -> float:
        return self.lam1 * float(np.abs(theta).sum()) + 0.5 * self.lam2 * float(theta @ theta)

    def prox(self, s: Array, rho: float) -> Array:
        return soft_threshold(s, rho * self.lam1) / (1.0 + rho * self.lam2)

    def facts(self, d: int) -> Facts:
        sharp = self.lam1 > 0
        return Facts(
            least=self.lam2, most=math.inf if sharp else self.lam2, bend=math.inf if sharp else 0.0,
            pull=math.inf if self.lam2 > 0 else self.lam1 * math.sqrt(d), reach=math.inf,
        )  # fmt: skip

    def kinks(self, d: int, rho: float, gap: float) -> Iterator[tuple[Array, Array]]:
        return threshold(rho * self.lam1, 0, d, gap)

    @classmethod
    def twin(cls, theta: Sequence[sp.Symbol], s: Sequence[sp.Symbol], rho: sp.Symbol) -> Twin:
        import sympy as sp

        lam, mu = sp.symbols("lambda mu", real=True)
        return Twin(
            lam * sp.Abs(theta[0]) + mu * theta[0] ** 2 / 2, (soft(s[0], rho * lam) / (1 + rho * mu),),
            given=(lam > 0, mu > 0),
            wrong={"elastic net shrinks first": ("MM-2: T minimizes", (soft(s[0] / (1 + rho * mu), rho * lam),))},
        )  # fmt: skip


@dataclass(frozen=True)
class BoxConstraint(Penalty):
    """g = indicator of {low ≤ θ_j ≤ high for all j}."""

    low: float
    high: float
    name = "box"

    def __post_init__(self) -> None:
        if not (self.low < self.high and min(-self.low, self.high) < math.inf):
            raise InvalidInput(
                f"box [{self.low}, {self.high}]: choose low < high, one of them finite; else use Zero()."
            )

    def value(self, theta: Array) -> float:
        return 0.0 if ((theta >= self.low) & (theta <= self.high)).all() else np.inf

    def prox(self, s: Array, rho: float) -> Array:
        return np.clip(s, self.low, self.high)

    def domain(self, d: int) -> ConvexSet:
        return Box(np.full(d, self.low), np.full(d, self.high))

    def facts(self, d: int) -> Facts:
        reach = max(abs(self.low), abs(self.high))
        return Facts(least=0.0, most=math.inf, bend=math.inf, pull=math.inf, reach=reach)

    def kinks(self, d: int, rho: float, gap: float) -> Iterator[tuple[Array, Array]]:
        high = self.high
        if high < math.inf:
            return along(0, d, (high - gap, high + gap), (high + gap, high + 2 * gap))
        return along(0, d, (self.low + gap, self.low - gap), (self.low - gap, self.low - 2 * gap))

    @classmethod
    def twin(cls, theta: Sequence[sp.Symbol], s: Sequence[sp.Symbol], rho: sp.Symbol) -> Twin:
        import sympy as sp

        low, high = sp.symbols("low high", real=True)
        return Twin(
            sp.S.Zero, (sp.Min(sp.Max(s[0], low), high),), (theta[0] >= low, theta[0] <= high), given=(low < high,),
            wrong={"box not applied": ("MM-2: T in Theta", tuple(s))},
        )  # fmt: skip


@dataclass(frozen=True)
class GroupL1(Penalty):
    """g(θ) = λ Σ_G ‖θ_G‖ over disjoint groups of coordinates; coordinates in no group are not penalised."""

    lam: float
    groups: tuple[tuple[int, ...], ...]
    name = "group l1"
    coordinates = 2

    def __post_init__(self) -> None:
        in_interval("lam", self.lam, low=0.0, high=np.inf)
        flat = [j for group in self.groups for j in group]
        if len(flat) != len(set(flat)) or any(j < 0 for j in flat):
            raise InvalidInput(f"groups = {self.groups}: list each coordinate (0, 1, …) at most once.")

    def value(self, theta: Array) -> float:
        return self.lam * float(sum(np.linalg.norm(theta[list(group)]) for group in self.groups))

    def prox(self, s: Array, rho: float) -> Array:
        theta = s.copy()
        for group in self.groups:
            norm = np.linalg.norm(s[list(group)])
            theta[list(group)] *= max(0.0, 1.0 - rho * self.lam / norm) if norm > 0 else 0.0
        return theta

    def facts(self, d: int) -> Facts:
        last = max((j for group in self.groups for j in group), default=-1)
        if last >= d:
            raise InvalidInput(f"groups name coordinate {last}, but θ has d = {d} coordinates.")
        sharp = math.inf if self.lam > 0 and self.groups else 0.0
        return Facts(least=0.0, most=sharp, bend=sharp, pull=self.lam * math.sqrt(len(self.groups)), reach=math.inf)

    def kinks(self, d: int, rho: float, gap: float) -> Iterator[tuple[Array, Array]]:
        return threshold(rho * self.lam, self.groups[0][0], d, gap) if self.groups else iter(())

    @classmethod
    def twin(cls, theta: Sequence[sp.Symbol], s: Sequence[sp.Symbol], rho: sp.Symbol) -> Twin:
        import sympy as sp

        lam = sp.Symbol("lambda", real=True)
        norm, norm_s = (sp.sqrt(sum(v**2 for v in of)) for of in (theta, s))
        shrunk = (sp.Piecewise((0, norm_s <= rho * lam), ((1 - rho * lam / norm_s) * v, True)) for v in s)
        wrong = {"group norm per coordinate": ("MM-2: T minimizes", tuple(soft(v, rho * lam) for v in s))}
        return Twin(lam * norm, tuple(shrunk), given=(lam > 0,), wrong=wrong)


@dataclass(frozen=True)
class WeightedElasticNet(Penalty):
    """g(θ) = Σ_j λ_j|θ_j| + ½ Σ_j κ_j θ_j²: what a penalty on coefficients is in columns that were scaled.

    prox_{ρg}(s)_j = soft(s_j, ρλ_j)/(1 + ρκ_j). A coordinate with λ_j = κ_j = 0 is free: an intercept, one number for
    each output, of samples whose last feature is always 1.
    """

    lam: tuple[float, ...]
    kappa: tuple[float, ...]
    name = "weighted elastic net"
    coordinates = 2

    def __post_init__(self) -> None:
        for name in ("lam", "kappa"):
            for j, weight in enumerate(getattr(self, name)):
                in_interval(f"{name}[{j}]", weight, low=0.0, high=np.inf)

    def value(self, theta: Array) -> float:
        return float(np.asarray(self.lam) @ np.abs(theta)) + 0.5 * float(np.asarray(self.kappa) @ theta**2)

    def prox(self, s: Array, rho: float) -> Array:
        return soft_threshold(s, rho * np.asarray(self.lam)) / (1.0 + rho * np.asarray(self.kappa))

    def slope(self, theta: Array) -> Array:
        return super().slope(theta) if any(self.lam) else np.asarray(self.kappa) * theta

    def facts(self, d: int) -> Facts:
        lam, kappa = as_array("lam", self.lam, shape=(d,)), as_array("kappa", self.kappa, shape=(d,))
        sharp = bool(lam.any())
        pull = math.inf if kappa.any() else float(np.linalg.norm(lam))
        return Facts(
            least=float(kappa.min()), most=math.inf if sharp else float(kappa.max()), bend=math.inf if sharp else 0.0,
            pull=pull, reach=math.inf,
        )  # fmt: skip

    def kinks(self, d: int, rho: float, gap: float) -> Iterator[tuple[Array, Array]]:
        j = int(np.argmax(self.lam))
        return threshold(rho * self.lam[j], j, d, gap)

    @classmethod
    def twin(cls, theta: Sequence[sp.Symbol], s: Sequence[sp.Symbol], rho: sp.Symbol) -> Twin:
        part = ElasticNet.twin(theta[:1], s[:1], rho)
        both = part.T + ElasticNet.twin(theta[1:], s[1:], rho).T
        wrong = {"the intercept is shrunk, too": ("MM-2: T minimizes", both)}
        return replace(part, T=(*part.T, s[1]), wrong=wrong)


EACH_PENALTY: tuple[Penalty, ...] = (
    Zero(),
    Ridge(0.7),
    WeightedRidge((0.7, 0.0, 2.0, 0.3)),
    L1(0.15),
    ElasticNet(0.1, 0.4),
    BoxConstraint(-0.5, 0.8),
    GroupL1(0.2, ((0, 2), (1,))),
    WeightedElasticNet((0.15, 0.0, 0.4, 0.15), (0.2, 0.0, 0.0, 1.0)),
)
"""One of each kind, for d = 4: what the example's cases, models and rows are made of."""
