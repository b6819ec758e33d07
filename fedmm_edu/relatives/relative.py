"""What an entry says of a relative of FedMM: which parts of the loop it takes, what it needs, where it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.algorithms import FedMM, State
from fedmm_edu.algorithms.downlink import Downlink, Printed
from fedmm_edu.algorithms.server import ServerStep
from fedmm_edu.algorithms.step_sizes import Constant, StepSize
from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.federation import (
    Clients,
    Compressor,
    Everyone,
    FixedSize,
    FullBatch,
    Identity,
    Oracle,
    Participation,
    largest_alpha,
    omega_p,
)
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.theory import Constants


class Demand(Enum):
    """What a relative asks of the problem or of the federation; each value says it in words."""

    GRADIENT = "f_i smooth: ∇ψ and Jφ of the surrogate"
    PROX = "prox of g"
    NO_PENALTY = "g = 0"
    STRONG_CONVEXITY = "f strongly convex, for its rate"
    EVERYONE = "all clients in every round"
    EQUAL_WEIGHTS = "equal weights μ_i = 1/n"
    MEMORY = "clients that remember from round to round"
    SURROGATE = "the surrogate itself: S̄, T and 𝒮"
    UNBIASED = "messages that are right on average (A4)"
    CONTRACTION = "a channel that is a contraction, which may be biased"
    MIXTURE = "a mixture whose weights clients can make their own: `with_weights`, `weights_of`"


@dataclass(frozen=True)
class Tuning:
    """What a user chooses; each relative takes from it what it has.

    eta: the local step η, or the step of a gradient; steps: local steps K; gamma: γ_t of the server, which may be above
    1; active: m clients a round, drawn without replacement, or another law such as `Bernoulli(p)`, None for all n;
    compressor: the channel up; alpha: the step of V_i, None for the relative's own (where it leaves it free, the
    largest that Theorem 1 admits); pull: λ of FedProx, a of FedDyn; p: chance of a coin; rho: the step ρ of the
    surrogate, in units of the problem's own; downlink: of those that send surrogates; server: the server's step with
    constants of one's own, such as `Adam(tau=1e-2)` for FedAdam, None for those of its source.
    """

    eta: float = 0.1
    steps: int = 1
    gamma: StepSize = 1.0
    active: int | Participation | None = None
    compressor: Compressor = field(default_factory=Identity)
    alpha: float | None = None
    pull: float = 1.0
    p: float = 0.5
    oracle: Oracle = field(default_factory=FullBatch)
    seed: int = 0
    rho: float = 1.0
    downlink: Downlink = field(default_factory=Printed)
    server: ServerStep | None = None

    def __post_init__(self) -> None:
        in_interval("eta", self.eta, low=0.0, high=np.inf, open_low=True)
        as_count("steps", self.steps)
        in_interval("rho", self.rho, low=0.0, high=np.inf, open_low=True)
        in_interval("p", self.p, low=0.0, high=1.0, open_low=True)

    @property
    def participation(self) -> Participation:
        """Everyone, m clients drawn without replacement, or the law that is given."""
        if isinstance(self.active, Participation):
            return self.active
        return Everyone() if self.active is None else FixedSize(self.active)

    def share(self, n: int) -> float:
        """The chance p of a client to be active, the same for all: m/n where m are drawn."""
        p = self.participation.probability(n)
        if not (p == p[0]).all():
            raise InvalidInput(f"active = {self.active!r}: a chance p that is the same for all clients is asked for.")
        return float(p[0])

    def server_of(self, kind: type[ServerStep]) -> ServerStep:
        """The server's step: of this kind, with the constants that are given or with its own."""
        if self.server is None:
            return kind()
        if type(self.server) is not kind:
            raise InvalidInput(f"server = {self.server!r}: give {kind.__name__}(…), or leave it out.")
        return self.server

    @property
    def constant_gamma(self) -> float:
        """γ as one number, for those of which more than the server's step depends on it; else `InvalidInput`."""
        found = self.gamma.gamma if isinstance(self.gamma, Constant) else self.gamma
        if callable(found):
            raise InvalidInput(f"gamma = {self.gamma!r}: here more depends on γ than the step; it must be one number.")
        return found

    def alpha_for(self, dim: int, n: int) -> float:
        """α, or the largest that Theorem 1 admits."""
        return largest_alpha(omega_p(self.compressor.omega(dim), self.share(n))) if self.alpha is None else self.alpha


class _Asked(Tuning):
    """The default, which notes the fields that are read."""

    def __init__(self, asked: set[str]) -> None:
        super().__init__()
        object.__setattr__(self, "asked", asked)

    def __getattribute__(self, name: str) -> Any:
        held = object.__getattribute__(self, "__dict__")
        if name in held and "asked" in held:
            held["asked"].add(name)
        return object.__getattribute__(self, name)


@dataclass(frozen=True)
class EndPoint:
    """Where a relative ends, all clients active and g = 0: at Σ_i μ_i Q_i ∇f_i(θ) = 0.

    Q: Q_i of a quadratic f_i, from its Hessian (d, d) and the tuning; None where no such equation holds, as `says`.
    """

    says: str
    Q: Callable[[Array, Tuning], Array] | None = None


OPTIMUM = EndPoint("Σ μ_i ∇f_i = 0: the optimum", lambda H, at: np.eye(len(H)))
"""Q_i = I."""


@dataclass(frozen=True)
class ProvedCurvature:
    """What is proved of W = f + (λ/2)‖·‖²: each f_i is convex and L-smooth, so that W is λ-strongly convex.

    L_mean: (Σ μ_i (L_i + λ)²)^½, with the smoothness L_i of each f_i.
    """

    L: float
    lam: float
    L_mean: float

    @property
    def folded(self) -> float:
        """L + λ: the smoothness of f_i + g."""
        return self.L + self.lam


@dataclass(frozen=True)
class Scales:
    """What theory knows of smooth f_i: L = max L_i, L̃ = (Σ μ_i L_i²)^½, strong convexity m of f; n clients, d.

    constants: of A7 and A6(i), and curvature, where they are proved for the problem.
    """

    L: float
    L_mean: float
    m: float
    n: int
    d: int
    constants: Constants | None = None
    curvature: ProvedCurvature | None = None


@dataclass(frozen=True)
class Beginning:
    """From where a rate starts: W_0 − min W, ‖θ_0 − θ_⋆‖², and Σ μ_i‖∇(f_i + g)(θ_⋆)‖²."""

    gap: float
    distance: float
    slopes: float


@dataclass(frozen=True)
class LinearRate:
    """E[W] − min W ≤ first·factor^k after k rounds, or after k gradient steps of every client where `by_gradients`."""

    first: float
    factor: float
    by_gradients: bool = False

    def steps(self, gap: float) -> float:
        """The least k with which the bound is at most `gap`; ∞ where the factor is 1."""
        if self.first <= gap:
            return 0.0
        if self.factor == 0.0:
            return 1.0
        return np.inf if self.factor >= 1.0 else float(np.ceil(np.log(gap / self.first) / np.log(self.factor)))


@dataclass(frozen=True)
class Bug:
    """A slip of public implementations, and where it was seen: a mutant that the test of the definition must catch."""

    key: str
    says: str
    seen: str


PUBLIC = "public implementations"
LIKELY = "not seen, but likely"


@dataclass(frozen=True)
class Relative:
    """A system of the literature as settings of the loop.

    parts(problem, n, tuning) are the fields of `FedMM` in which it differs from Algorithm 2; `V` is how V_{0,i} starts.
    lines: of the paper, where it is named or cited; none where it is not.
    """

    key: str
    name: str
    source: str
    lines: tuple[int, ...]
    parts: Callable[[Surrogate, int, Tuning], Mapping[str, Any]]
    ends: EndPoint
    needs: frozenset[Demand] = frozenset()
    equals: str = ""
    rate: str = ""
    bugs: tuple[Bug, ...] = ()
    V: Literal["zero", "mean_field"] = "zero"
    theory: Callable[[Scales, Tuning], Mapping[str, float]] | None = None
    """The fields of `Tuning` for which `rate` is proved in the source, given the others."""
    certified: Callable[[Scales, Tuning, Beginning], LinearRate | None] | None = None
    """A linear rate by a row of the ledger that is proved with a certificate; None where its hypotheses do not hold."""
    row: str = ""
    """The row of the ledger that shows what it equals, or where it ends."""

    def on(self, problem: Surrogate, clients: Clients, tuning: Tuning | None = None) -> FedMM:
        """The relative on a problem; `InvalidInput` where it needs what is not there."""
        at = tuning or Tuning()
        if Demand.EVERYONE in self.needs and (at.participation.probability(len(clients)) < 1.0).any():
            raise InvalidInput(f"{self.name} needs {Demand.EVERYONE.value}: leave active = {at.active!r} out.")
        if Demand.EQUAL_WEIGHTS in self.needs and not np.allclose(clients.mu, 1.0 / len(clients), rtol=1e-12, atol=0.0):
            raise InvalidInput(f"{self.name} needs {Demand.EQUAL_WEIGHTS.value}: give mu, or use fedmm.")
        own = self.parts(problem, len(clients), at)
        common = {
            "problem": problem,
            "gamma": at.gamma,
            "oracle": at.oracle,
            "participation": at.participation,
            "seed": at.seed,
        }
        return FedMM(clients=clients, beyond_theorem=True, **{**common, **own})

    def admits(self, compressor: Compressor, dim: int) -> bool:
        """Whether its messages, of `dim` numbers, may go through this channel."""
        if Demand.CONTRACTION in self.needs and compressor.contraction(dim) <= 0.0:
            return False
        return compressor.unbiased or Demand.UNBIASED not in self.needs

    def takes(self, problem: Surrogate, n: int) -> frozenset[str]:
        """The names of what it takes from a `Tuning`, besides γ, the oracle and the seed, which all take."""
        asked: set[str] = set()
        self.parts(problem, n, _Asked(asked))
        return frozenset(asked) - {"gamma", "oracle", "seed"}

    def start(self, fed: FedMM, theta: ArrayLike) -> State:
        """The state before the first round from the parameter θ."""
        return fed.init(fed.point(theta), self.V)


@dataclass(frozen=True)
class Elsewhere:
    """A system that is no choice of the six parts, and what is missing."""

    key: str
    name: str
    source: str
    lines: tuple[int, ...]
    missing: str
