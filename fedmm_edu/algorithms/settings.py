"""What a run in one process and the plan of a run over nodes share: the settings, and the server's half of a round."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np

from fedmm_edu.algorithms.server import Plain, ServerStep
from fedmm_edu.algorithms.spaces import AggregationSpace, SurrogateSpace
from fedmm_edu.algorithms.step_sizes import Constant, StepSize, checked
from fedmm_edu.arrays import Array
from fedmm_edu.errors import BeyondTheorem, Diverged, InvalidInput, as_count, in_interval
from fedmm_edu.federation import (
    Clients,
    Compressor,
    Draws,
    Everyone,
    FullBatch,
    Identity,
    Oracle,
    Participation,
    largest_alpha,
    omega_p,
)
from fedmm_edu.surrogate import Surrogate


class Population(Protocol):
    """Those who take part: n clients with the weights μ_i, shape (n,)."""

    @property
    def mu(self) -> Array: ...

    def __len__(self) -> int: ...


class Standing(Protocol):
    """Where the server stands after round t: x = Ŝ_t (or θ_t), and what its step and the space keep beside it."""

    @property
    def t(self) -> int: ...
    @property
    def x(self) -> Array: ...
    @property
    def moments(self) -> Array: ...
    @property
    def carry(self) -> Array: ...


Held = TypeVar("Held", bound=Population)


@dataclass(frozen=True, eq=False)
class Settings(Generic[Held]):
    """The settings of Algorithm 2: of `FedMM`, which holds the clients' data, and of `distributed.Plan`, without them.

    `gamma` maps t = 1, 2, … to γ_t in (0, 1], or is a number, the constant step. `metric="B"` projects in the norm of
    B(Ŝ_t). Where control variates are random, Theorem 1 asks for α ≤ 1/(1 + ω_p): a larger α is warned of
    (`BeyondTheorem`), unless `beyond_theorem=True` says that it is meant.
    """

    problem: Surrogate
    clients: Held
    gamma: StepSize
    oracle: Oracle = field(default_factory=FullBatch)
    participation: Participation = field(default_factory=Everyone)
    compressor: Compressor = field(default_factory=Identity)
    alpha: float = 0.0
    space: AggregationSpace = field(default_factory=SurrogateSpace)
    metric: Literal["euclidean", "B"] = "euclidean"
    server: ServerStep = field(default_factory=Plain)
    seed: int = 0
    beyond_theorem: bool = field(default=False, kw_only=True, compare=False)

    def __post_init__(self) -> None:
        if not callable(self.gamma):
            object.__setattr__(self, "gamma", Constant(self.gamma))
        checked(self.gamma, 1)
        in_interval("alpha", self.alpha, low=0.0, high=1.0)
        as_count("seed", self.seed, low=0, high=2**64 - 1)
        if self.metric not in ("euclidean", "B"):
            raise InvalidInput(f"metric = {self.metric!r}: choose 'euclidean' or 'B'.")
        if self.metric == "B" and not self.space.has_B:
            raise InvalidInput("metric = 'B' measures surrogates: use it with space=SurrogateSpace().")
        self.oracle.check(self.problem, len(self.clients))
        p, omega = float(self.participation.probability(len(self.clients)).min()), self.compressor.omega(self.dim)
        most = largest_alpha(omega_p(omega, p))
        if self.alpha > most * (1.0 + 1e-12) and not self.beyond_theorem:
            warnings.warn(
                f"alpha = {self.alpha:g}: Theorem 1 asks for alpha <= 1/(1 + ω_p) = {most:.6g} where ω = {omega:.4g} "
                f"and p = {p:.4g}; choose a smaller one, or say beyond_theorem=True where this is meant.",
                BeyondTheorem,
                stacklevel=3,
            )

    @property
    def dim(self) -> int:
        """The length of x, q or d."""
        return self.space.dim(self.problem)

    def theta(self, state: Standing) -> Array:
        """θ_t = T(Ŝ_t), or θ_t itself: shape (d,)."""
        return self.space.theta(self.problem, state.x, state.carry)

    def mean_fields(self, clients: Clients, x: Array, theta: Array) -> Array:
        """h_i(x) = E_{π_i}[S̄(Z, θ)] − x of each of `clients`, θ being that of x: shape (n, dim)."""
        who, out = np.arange(len(clients)), np.empty((len(clients), self.dim))
        for cut in clients.blocks(who, self.problem.q):
            exact = FullBatch()(self.problem, clients, theta, Draws(self.seed, 0, who[cut]))
            out[cut] = self.space.from_surrogates(self.problem, exact) - x
        return out

    def moved(self, state: Standing, H: Array, draws: Draws) -> dict[str, Any]:
        """t + 1, and x, moments and carry, after the server has moved along H_{t+1} and projected (Algorithm 2).

        `Diverged` where the point to project is not finite.
        """
        gamma = checked(self.gamma, state.t + 1)
        B = self.problem.B(state.x) if self.metric == "B" else None
        x, moments = self.server.move(state.x, H, gamma, state.t + 1, state.moments)
        try:
            x = self.space.project(self.problem, x, B)
        except InvalidInput as error:
            if np.isfinite(x).all():
                raise
            raise self.diverged(state.t + 1, "x") from error
        carry = self.space.advance(self.problem, x, state.carry, draws)
        return {"t": state.t + 1, "x": x, "moments": moments, "carry": carry}

    def draws(self, t: int) -> Draws:
        """The randomness of round t, for all clients."""
        return Draws(self.seed, t, np.arange(len(self.clients)))

    def diverged(self, t: int, what: str) -> Diverged:
        """The error that says that `what` is not finite after round t."""
        return Diverged(
            f"the run diverged: {what} is not finite after round {t}, with γ_{t} = {checked(self.gamma, t):g} and "
            f"alpha = {self.alpha:g}. Choose a smaller gamma or alpha, or a surrogate that majorises (a smaller rho, "
            "where it has one)."
        )
