"""Algorithm 3 (FedMM-OT) and FedAdam as parts of the one loop of FedMM: what x is, and what clients compute.

FedMM-OT   x = ω. Clients answer with ω_i(θ_t), some steps on W_i(·, θ_t); beside x the server keeps θ and the moments
           of its optimiser, and after each round makes M steps on W(ω_{t+1}, ·), for which Q, public, is enough.
joint      x = (ω, θ). Clients make steps on both: FedAvg, or FedAdam with `server=Adam(...)` (Reddi et al., 2021).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from fedmm_edu.algorithms import Adam, AggregationSpace
from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.arrays import Array, as_array
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.federation import Clients, Draws, Oracle, Purpose, Stream, uniforms
from fedmm_edu.transport.objective import TransportProblem, array


class _NetworkSpace(AggregationSpace):
    """What the two spaces share: vectors of network parameters, clients that answer in the space itself."""

    passes = 0

    def check(self, problem: TransportProblem, x: Array) -> Array:
        if np.abs(self.project(problem, x, None) - x).max(initial=0.0) > 1e-12:
            raise InvalidInput("x holds negative hidden weights, so that f is not convex: project the network first.")
        return x

    def point(self, problem: TransportProblem, clients: Clients, theta: Array) -> Array:
        return theta[: self.dim(problem)]

    def from_surrogates(self, problem: TransportProblem, S: Array) -> Array:
        return S

    def surrogate(self, problem: TransportProblem, clients: Clients, x: Array) -> Array:
        return x

    def project(self, problem: TransportProblem, x: Array, B: Array | None) -> Array:
        stack = torch.tensor(x).reshape(-1, problem.q)
        return problem.potentials.project(stack).reshape(-1).numpy()


@dataclass(frozen=True, eq=False)
class PotentialSpace(_NetworkSpace):
    """x = ω; θ_0, and the M = `steps` server steps of each round on batches of b target samples.

    Their size is `rate`, a number or a rule t ↦ rate of round t.
    """

    theta0: Array
    steps: int = 10
    b: int = 128
    rate: StepSize = 1e-3
    optimiser: Adam = field(default_factory=lambda: Adam(beta2=0.999, tau=1e-8, bias_correction=True))

    def __post_init__(self) -> None:
        as_array("theta0", self.theta0, shape=(None,))
        as_count("steps", self.steps)
        as_count("b", self.b)
        self.rate_of(1)

    def rate_of(self, t: int) -> float:
        """The size of the steps of round t."""
        rate = float(self.rate(t) if callable(self.rate) else self.rate)
        in_interval("rate", rate, low=0.0, high=np.inf, open_low=True)
        return rate

    def dim(self, problem: TransportProblem) -> int:
        return problem.q

    def broadcast(self, problem: TransportProblem) -> int:
        return problem.d

    def theta(self, problem: TransportProblem, x: Array, carry: Array) -> Array:
        """(ω_t, θ_t), which the server broadcasts."""
        return np.concatenate([x, carry[: problem.q]])

    def start(self, problem: TransportProblem, x: Array) -> Array:
        """θ_0, the optimiser's moments, and the number of its steps."""
        theta = self.check(problem, as_array("theta0", self.theta0, shape=(problem.q,)))
        return np.concatenate([theta, self.optimiser.start(problem.q), [0.0]])

    def advance(self, problem: TransportProblem, x: Array, carry: Array, draws: Draws) -> Array:
        """θ_{t+1}: M steps from θ_t on W(ω_{t+1}, ·)."""
        theta, moments, count = carry[: problem.q], carry[problem.q : -1], int(carry[-1])
        u = uniforms(draws.seed, Purpose.SERVER, [0], draws.round, self.steps * self.b)
        batches = problem.target[(u.reshape(self.steps, self.b) * len(problem.target)).astype(np.int64)]
        omega, rate = problem.tensor(x), self.rate_of(draws.round)
        for y in problem.tensor(batches):
            count += 1
            slope = array(problem.theta_gradient(omega, problem.tensor(theta), y))
            theta, moments = self.optimiser.move(theta, -slope, rate, count, moments)
            theta = self.project(problem, theta, None)
        return np.concatenate([theta, moments, [count]])


@dataclass(frozen=True)
class JointSpace(_NetworkSpace):
    """x = (ω, θ)."""

    def dim(self, problem: TransportProblem) -> int:
        return problem.d

    def broadcast(self, problem: TransportProblem) -> int:
        return problem.d

    def theta(self, problem: TransportProblem, x: Array, carry: Array) -> Array:
        return x


@dataclass(frozen=True)
class _LocalSteps(Oracle):
    """K gradient steps of size `rate` from what the server sent, each on b fresh samples of P_i and of Q.

    All clients of a call are one batch of networks. Networks are projected between steps, and not after the last:
    there the server projects the mean.
    """

    rate: float
    K: int = 1
    b: int = 128

    def __post_init__(self) -> None:
        as_count("K", self.K)
        as_count("b", self.b)
        in_interval("rate", self.rate, low=0.0, high=np.inf, open_low=True)

    def rows(self, clients: Clients, draws: Draws):
        return Stream(self.K * self.b).rows(clients, draws)

    def batches(self, problem: TransportProblem, clients: Clients, draws: Draws) -> tuple[Tensor, Tensor]:
        """Samples of P_i and of Q for each step and client: two tensors of shape (K, m, b, d)."""
        names, _ = self.rows(clients, draws)
        picks = (draws(Purpose.TARGET, self.K * self.b) * len(problem.target)).astype(np.int64)
        stacks = (np.asarray(clients.z[names]), problem.target[picks.ravel()])
        shape = (len(draws.clients), self.K, self.b, problem.potentials.d)
        x, y = (problem.tensor(stack.reshape(shape)).transpose(0, 1) for stack in stacks)
        return x, y

    @abstractmethod
    def slopes(self, problem: TransportProblem, point: Tensor, fixed: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """The clients' gradients, (m, parts, P), at their points, (m, parts, P) or one for all, (parts, P)."""

    def steps(self, problem: TransportProblem, start: Array, fixed: Array, clients: Clients, draws: Draws) -> Array:
        """Where each client ends: shape (m, length of start). The start itself is kept in double precision."""
        x, y = self.batches(problem, clients, draws)
        first, held = problem.tensor(start.reshape(-1, problem.q)), problem.tensor(fixed)
        point = problem.for_clients(first, len(draws.clients))
        for k in range(self.K):
            if k:
                point = problem.potentials.project(point)
            point = point - self.rate * self.slopes(problem, point, held, x[k], y[k])
        return start + array(point - first).reshape(len(draws.clients), -1)


@dataclass(frozen=True)
class PotentialSteps(_LocalSteps):
    """ω_i(θ_t), line `line:ot:min_client`, by K steps on W_i(·, θ_t) from ω_t (K = 1 in the paper's experiments)."""

    def __call__(self, problem: TransportProblem, clients: Clients, theta: Array, draws: Draws) -> Array:
        return self.steps(problem, *problem.split(theta), clients, draws)

    def slopes(self, problem: TransportProblem, point: Tensor, fixed: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return problem.omega_gradient(point[..., 0, :], fixed, x, y)[:, None]


@dataclass(frozen=True)
class JointSteps(_LocalSteps):
    """K simultaneous steps of (ω, θ), as first-order federated methods make them: ω on W_i, θ as the reading says."""

    def __call__(self, problem: TransportProblem, clients: Clients, theta: Array, draws: Draws) -> Array:
        return self.steps(problem, theta, np.zeros(0), clients, draws)

    def slopes(self, problem: TransportProblem, point: Tensor, fixed: Tensor, x: Tensor, y: Tensor) -> Tensor:
        omega, theta = point.unbind(-2)
        pair = problem.omega_gradient(omega, theta, x, y), problem.theta_gradient(omega, theta, y)
        return torch.stack(pair, dim=1)
