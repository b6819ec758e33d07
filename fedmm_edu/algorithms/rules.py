"""What a run in one process and the plan of a run over nodes share: the settings, and the server's half of a round."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import numpy as np

from fedmm_edu.algorithms.server import ServerStep
from fedmm_edu.algorithms.spaces import AggregationSpace, SurrogateSpace
from fedmm_edu.algorithms.step_sizes import StepSize, checked
from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.federation import Clients, Compressor, Draws, FullBatch, Oracle, Participation
from fedmm_edu.surrogate import Surrogate


class Standing(Protocol):
    """Where the server stands after round t: x = Ŝ_t (or θ_t), and what its step and the space keep beside it."""

    t: int
    x: Array
    moments: Array
    carry: Array


class Rules:
    """The settings, as `FedMM` and `distributed.Plan` hold them in fields of their own."""

    problem: Surrogate
    gamma: StepSize
    oracle: Oracle
    participation: Participation
    compressor: Compressor
    alpha: float
    space: AggregationSpace
    metric: Literal["euclidean", "B"]
    server: ServerStep
    seed: int

    def check_settings(self, n: int) -> None:
        """`InvalidInput` for settings that n clients cannot run with."""
        in_interval("alpha", self.alpha, low=0.0, high=1.0)
        self.participation.probability(n)
        if self.metric not in ("euclidean", "B"):
            raise InvalidInput(f"metric = {self.metric!r}: choose 'euclidean' or 'B'.")
        if self.metric == "B" and not isinstance(self.space, SurrogateSpace):
            raise InvalidInput("metric = 'B' measures surrogates: use it with space=SurrogateSpace().")

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
        """t + 1, and x, moments and carry, after the server has moved along H_{t+1} and projected (Algorithm 2)."""
        gamma = checked(self.gamma, state.t + 1)
        B = self.problem.B(state.x) if self.metric == "B" else None
        x, moments = self.server.move(state.x, H, gamma, state.t + 1, state.moments)
        x = self.space.project(self.problem, x, B)
        carry = self.space.advance(self.problem, x, state.carry, draws)
        return {"t": state.t + 1, "x": x, "moments": moments, "carry": carry}
