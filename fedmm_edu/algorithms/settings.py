"""What a run in one process and the plan of a run over nodes share: the settings, and the server's half of a round."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from fedmm_edu.algorithms.downlink import Downlink, Printed
from fedmm_edu.algorithms.reference import AtX, ReferencePoint
from fedmm_edu.algorithms.server import Plain, ServerStep
from fedmm_edu.algorithms.spaces import AggregationSpace, SurrogateSpace
from fedmm_edu.algorithms.step_sizes import Constant, StepSize, checked
from fedmm_edu.algorithms.work import LocalView, LocalWork, Surrogates
from fedmm_edu.arrays import Array, Indices
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
from fedmm_edu.federation.compressor import FLOAT_BITS
from fedmm_edu.surrogate import Surrogate


class Population(Protocol):
    """Those who take part: n clients with the weights μ_i, shape (n,)."""

    @property
    def mu(self) -> Array: ...

    def __len__(self) -> int: ...


class Standing(Protocol):
    """Where the server stands after round t: x = Ŝ_t (or θ_t), and what step, space and downlink keep beside it."""

    @property
    def t(self) -> int: ...
    @property
    def x(self) -> Array: ...
    @property
    def moments(self) -> Array: ...
    @property
    def carry(self) -> Array: ...
    @property
    def shared(self) -> Array: ...


class Sight(NamedTuple):
    """Of what a round is made.

    y: from where the server moves, x_t or its query point; moments: its own, as of now; seen: y as the clients see it;
    theta: θ_t, the parameter of `seen`; r: r_t, the reference of the differences.
    """

    y: Array
    moments: Array
    seen: Array
    theta: Array
    r: Array


NOTHING = np.zeros(0)
"""What clients hear of V_t where their work does not ask for it."""
NOTHING.setflags(write=False)

GUARD = 16
"""Bits of a masked number by which a sum under a wrong mask is known: it is too large, but for one in 2^16 of them."""

Held = TypeVar("Held", bound=Population)


@dataclass(frozen=True, eq=False)
class Settings(Generic[Held]):
    """The settings of Algorithm 2: of `FedMM`, which holds the clients' data, and of `distributed.Plan`, without them.

    `gamma` maps t = 1, 2, … to γ_t in (0, 1], or is a number, the constant step. `metric="B"` projects in the norm of
    B(Ŝ_t). Where control variates are random, Theorem 1 asks for α ≤ 1/(1 + ω_p): a larger α, or a biased compressor,
    is warned of (`BeyondTheorem`), unless `beyond_theorem=True` says that it is meant. With it γ_t may be above 1, too,
    as the server's step is in SCAFFOLD, FedAvg or extrapolation; what leaves 𝒮 is projected.

    With `secure_sum` the server learns Σ μ_i M_i over those who answer, and no M_i: clients round μ_i Δ_i on one grid
    (`FixedScaleQuantization`), and nodes mask what they send. In one process it is the same run, to the last bit. All
    clients take part in every round, as sums over changing sets of clients can be solved for the terms.

    Six parts make the relatives of FedMM: `work` and what clients remember for it, `reference`, `compressor` with
    `downlink`, `server`, `space`. Those that stand here are Algorithm 2.
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
    work: LocalWork = field(default_factory=Surrogates, kw_only=True)
    reference: ReferencePoint = field(default_factory=AtX, kw_only=True)
    downlink: Downlink = field(default_factory=Printed, kw_only=True)
    secure_sum: bool = field(default=False, kw_only=True)
    beyond_theorem: bool = field(default=False, kw_only=True, compare=False)

    def __post_init__(self) -> None:
        if not callable(self.gamma):
            object.__setattr__(self, "gamma", Constant(self.gamma))
        self.step_size(1)
        in_interval("alpha", self.alpha, low=0.0, high=1.0)
        as_count("seed", self.seed, low=0, high=2**64 - 1)
        if self.metric not in ("euclidean", "B"):
            raise InvalidInput(f"metric = {self.metric!r}: choose 'euclidean' or 'B'.")
        if self.metric == "B" and not self.space.has_B:
            raise InvalidInput("metric = 'B' measures surrogates: use it with space=SurrogateSpace().")
        if self.secure_sum:
            self._fits_secure_sum()
        self.oracle.check(self.problem, len(self.clients))
        self.downlink.check(self.space, self.reference)
        if not self.beyond_theorem and (why := self._beyond()):
            warnings.warn(f"{why}, or say beyond_theorem=True where this is meant.", BeyondTheorem, stacklevel=3)

    @property
    def mu(self) -> Array:
        """The weights of the clients: shape (n,)."""
        return self.clients.mu

    def step_size(self, t: int) -> float:
        """γ_t; above 1 only where `beyond_theorem` says that it is meant."""
        return checked(self.gamma, t, longer=self.beyond_theorem)

    def _fits_secure_sum(self) -> None:
        """`InvalidInput` where the sum could not be formed of masked integers, or would tell its terms."""
        n = len(self.clients)
        if n < 2:
            raise InvalidInput("secure_sum=True with one client: the sum is its message; leave secure_sum out.")
        if self.compressor.grid is None:
            raise InvalidInput(
                f"secure_sum=True adds integers on one grid, and rows of {self.compressor!r} have none in common: use "
                "compressor=FixedScaleQuantization(b, scale)."
            )
        if self.width > 63:
            raise InvalidInput(
                f"secure_sum=True with {n} clients and {self.compressor!r} asks for numbers of {self.width} bits, and "
                "63 is the most: use fewer bits."
            )
        if (self.participation.probability(n) < 1.0).any():
            raise InvalidInput(
                f"secure_sum=True with {self.participation!r}: sums over changing sets of clients can be solved for "
                "what each has sent; use participation=Everyone()."
            )

    def uncovered(self) -> tuple[str, ...]:
        """The parts that Theorem 1 is not about, each as a field and its value."""
        parts = ("work", "reference", "downlink", "server", "space", "participation")
        found = [name for name in parts if not getattr(self, name).covered]
        if not self.compressor.unbiased or self.compressor.grid is not None:
            found.append("compressor")
        if not isinstance(self.gamma, Constant) or self.gamma.gamma > 1.0:  # any other function of t has no faces
            found.append("gamma")
        return tuple(f"{name} = {getattr(self, name)!r}" for name in found)

    def _beyond(self) -> str:
        """What of α and the compressor Theorem 1 does not cover, and what to choose; empty where it covers them."""
        if not self.compressor.unbiased:
            return f"{self.compressor!r} is biased, Theorem 1 asks for A4: choose an unbiased compressor"
        p = float(self.participation.probability(len(self.clients)).min())
        omega = 0.0 if self.compressor.grid is not None else self.compressor.omega(self.dim)  # noise of the oracle
        most = largest_alpha(omega_p(omega, p))
        if self.alpha <= most * (1.0 + 1e-12):
            return ""
        return (
            f"alpha = {self.alpha:g}: Theorem 1 asks for alpha <= 1/(1 + ω_p) = {most:.6g} where ω = {omega:.4g} and "
            f"p = {p:.4g}; choose a smaller one"
        )

    @cached_property
    def dim(self) -> int:
        """The length of x, q or d."""
        return self.space.dim(self.problem)

    def theta(self, state: Standing) -> Array:
        """θ_t = T(Ŝ_t), or θ_t itself: shape (d,)."""
        return self.space.theta(self.problem, state.x, state.carry)

    def sight(self, state: Standing) -> Sight:
        """What server and clients look at in round t + 1: Ŝ_t and T(Ŝ_t), unless a part says otherwise."""
        y, moments = self.server.query(state.x, state.moments)
        if y is not state.x:
            y = self.space.project(self.problem, y, None)
        seen = self.downlink.seen(self.space, self.problem, y, state.shared)
        theta = self.theta(state) if seen is state.x else self.space.theta(self.problem, seen, state.carry)
        return Sight(y, moments, seen, theta, self.reference.at(seen, theta))

    def view(
        self, clients: Clients, draws: Draws, theta: Array, r: Array, V: Array, memory: Array, variates: Array,
        rows: Indices, oracle: Oracle | None = None,
    ) -> LocalView:  # fmt: skip
        """What the clients of `draws` know; `rows` says where they stand in `variates`."""
        heard = V if self.work.hears_V else NOTHING
        return LocalView(
            self.problem, clients, oracle or self.oracle, self.space, draws, theta, r, heard, memory, variates, rows
        )

    def memories(self, n: int) -> Array:
        """What n clients remember before their first round: shape (n, k)."""
        return np.tile(self.work.start(self.problem, self.dim), (n, 1))

    def mean_fields(self, clients: Clients, r: Array, theta: Array) -> Array:
        """h_i(x) = E_{π_i}[S̄(Z, θ)] − x of each of `clients`, θ and r being those of x: shape (n, dim).

        For other local work: what each would aim at with exact oracles and V = 0, less r.
        """
        who, out = np.arange(len(clients)), np.empty((len(clients), self.dim))
        nothing, zero = np.broadcast_to(0.0, out.shape), np.zeros(self.dim)
        for cut in clients.blocks(who, self.problem.q):
            local, memory = Draws(self.seed, 0, who[cut]), self.memories(len(who[cut]))
            aim, _ = self.work(self.view(clients, local, theta, r, zero, memory, nothing, who[cut], FullBatch()))
            out[cut] = aim - r
        return out

    def direction(self, at: Sight, H: Array, V: Array, V_next: Array) -> Array:
        """Where the server step goes, given V_t + Σ_A (μ_i/p) Quant(Δ_i): that is H_{t+1} where r_t = x_t."""
        if self.reference.offset and at.r is not at.y:
            H = (at.r - at.y) + H
        return self.server.along(H, V, V_next)

    def moved(self, state: Standing, at: Sight, H: Array, draws: Draws) -> dict[str, Any]:
        """t + 1, and x, moments and carry, after the server has moved along H_{t+1} and projected (Algorithm 2).

        `Diverged` where the point to project is not finite.
        """
        gamma = self.step_size(state.t + 1)
        B = self.problem.B(state.x) if self.metric == "B" else None
        x, moments = self.server.move(at.y, H, gamma, state.t + 1, at.moments)
        try:
            x = self.space.project(self.problem, x, B)
        except InvalidInput as error:
            if np.isfinite(x).all():
                raise
            raise self.diverged(state.t + 1, "x") from error
        carry = self.space.advance(self.problem, x, state.carry, draws)
        shared = self.downlink.advance(x, state.shared, draws)
        return {"t": state.t + 1, "x": x, "moments": moments, "carry": carry, "shared": shared}

    def sent(
        self, channel: Compressor, aim: Array, r: Array, variates: Array, rows: Indices, draws: Draws, weights: Array
    ) -> tuple[Array, Array]:
        """M_i = Quant(Δ_i) of the clients of `draws`, shape (m, dim), and Σ w_i M_i for the weights w_i = μ_i/p_i.

        With `secure_sum`, M_i = Quant(w_i Δ_i)/w_i: the terms of the sum lie on the grid, and it has no rounding error.
        """
        if not self.secure_sum:
            messages = channel.messages(aim, r, variates, rows, draws)
            return messages, weights @ messages
        terms = channel.compress(weights[:, None] * (aim - r - variates[rows]), draws)
        return terms / weights[:, None], terms.sum(axis=0)

    def bits_up(self, channel: Compressor) -> int:
        """What a client sends in a round: with `secure_sum` as wide as the sum."""
        return self.width * self.dim if self.secure_sum else channel.bits(self.dim)

    @property
    def width(self) -> int:
        """Bits of a masked number: enough for the sum of all clients, with its sign, and `GUARD` to spare."""
        return self.compressor.layout(self.dim).width + (len(self.clients) - 1).bit_length() + 1 + GUARD

    def bits_down(self, m: int) -> int:
        """What the server sends in a round with m active clients."""
        heard = m * FLOAT_BITS * self.dim if self.work.hears_V else 0
        return heard + self.downlink.bits(self.space, self.problem, self.reference, m, len(self.clients))

    def draws(self, t: int) -> Draws:
        """The randomness of round t, for all clients."""
        return Draws(self.seed, t, self._everyone, below=len(self.clients))

    @cached_property
    def _everyone(self) -> Indices:
        """0, …, n − 1."""
        everyone = np.arange(len(self.clients))
        everyone.setflags(write=False)
        return everyone

    def diverged(self, t: int, what: str) -> Diverged:
        """The error that says that `what` is not finite after round t."""
        return Diverged(
            f"the run diverged: {what} is not finite after round {t}, with γ_{t} = {self.step_size(t):g} and "
            f"alpha = {self.alpha:g}. Choose a smaller gamma or alpha, or a surrogate that majorises (a smaller rho, "
            "where it has one)."
        )
