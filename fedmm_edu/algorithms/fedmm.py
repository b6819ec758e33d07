"""FedMM (Algorithm 2) as one update rule whose parts are parameters.

With one client it is SA-SSMM (Algorithm 1); with γ = 1 besides, MM (eqs. `MM:Tspace`, `MM:Sspace`); with
`space=ParameterSpace()` the naive algorithm that averages parameters; with a compressor `WithParticipation` its
full-participation form (`algo:FedSS-MM:fullP`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedmm_edu.algorithms.settings import Settings
from fedmm_edu.algorithms.spaces import AggregationSpace, SurrogateSpace
from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.arrays import Array, Mask, Samples, as_array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Clients, Oracle
from fedmm_edu.federation.compression import add_to_rows
from fedmm_edu.surrogate import Surrogate


@dataclass(frozen=True, eq=False)
class State:
    """Everything that the next round depends on, besides the settings.

    x: Ŝ_t in 𝒮 (or θ_t); V_clients: V_{t,i}, shape (n, dim); V_server: V_t; active: the clients of the last round;
    moments, carry, shared: what the server step, the space and the downlink keep beside x; memory: what the local work
    of each client remembers, shape (n, k); bits_up, bits_down: sent so far from and to the clients.
    """

    t: int
    x: Array
    V_clients: Array
    V_server: Array
    active: Mask
    moments: Array
    carry: Array
    shared: Array
    memory: Array
    bits_up: int = 0
    bits_down: int = 0

    def __post_init__(self) -> None:
        kept = (self.V_clients, self.V_server, self.moments, self.carry, self.shared, self.memory)
        for array in (self.x, self.active, *kept):
            array.setflags(write=False)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Every field as an array, to be saved."""
        return {f.name: np.asarray(getattr(self, f.name)) for f in fields(self)}

    @staticmethod
    def of(arrays: Mapping[str, NDArray[Any]]) -> State:
        """The state whose `arrays` these are."""
        found: dict[str, Any] = {f.name: arrays[f.name] for f in fields(State)}
        found |= {name: int(arrays[name]) for name in ("t", "bits_up", "bits_down")}
        return State(**found)


@dataclass(frozen=True, eq=False)
class FedMM(Settings[Clients]):
    """Algorithm 2 with these settings, over clients whose data is here."""

    @property
    def samples_a_round(self) -> float:
        """How many samples the active clients of a round look at together, in expectation."""
        p = self.participation.probability(len(self.clients))
        return self.work.asks * float(p @ self.oracle.samples(self.clients))

    def point(self, theta: ArrayLike) -> Array:
        """The x at which a run from the parameter θ starts: Σ μ_i E_{π_i}[S̄(Z, θ)] in 𝒮, θ in Θ."""
        theta = as_array("theta", theta, shape=(self.problem.d,))
        return self.space.point(self.problem, self.clients, theta)

    def init(self, x: ArrayLike, V: ArrayLike | Literal["zero", "mean_field"] = "zero") -> State:
        """The state at t = 0 from x = Ŝ_0 (or θ_0) and V_{0,i}: zero, h_i(Ŝ_0), or an array of shape (n, dim)."""
        n = len(self.clients)
        x = self.space.check(self.problem, as_array("x", x, shape=(self.dim,))).copy()
        moments, carry = self.server.start(self.dim), self.space.start(self.problem, x)
        shared, memory = self.downlink.start(x), self.memories(n)
        if not isinstance(V, str):
            V_clients = as_array("V", V, shape=(n, self.dim)).copy()
        elif V == "zero":
            V_clients = np.zeros((n, self.dim))
        elif V == "mean_field":
            theta = self.space.theta(self.problem, x, carry)
            V_clients = self.mean_fields(self.clients, self.reference.at(x, theta), theta)
        else:
            raise InvalidInput(f"V = {V!r}: choose 'zero', 'mean_field' or an array of shape ({n}, {self.dim}).")
        V_server, nobody = self.clients.mu @ V_clients, np.zeros(n, dtype=bool)
        return State(0, x, V_clients, V_server, nobody, moments, carry, shared, memory)

    def step(self, state: State, *, onto: State | None = None) -> State:
        """One round of Algorithm 2.

        With α > 0 the new state needs V_clients of its own, a copy of n q numbers. `onto`, the state before `state`,
        gives up its own instead (and must not be used again): then no inactive client is touched, and a round needs
        some 8 blocks of `BLOCK` numbers and 6 numbers a client beside its two states.
        """
        draws = self.draws(state.t + 1)
        active = self.participation.active(draws)
        who = active.nonzero()[0]
        p = self.participation.divisors(self.clients.mu, active).take(who)

        at, channel = self.sight(state), self.compressor.of_round(draws)
        V_clients = _writable(state, onto, "V_clients") if self.alpha > 0.0 and who.size else state.V_clients
        memory = _writable(state, onto, "memory") if state.memory.size and who.size else state.memory
        received = np.zeros(self.dim)
        for cut in self.clients.blocks(who, self.problem.q):
            block, local = who[cut], draws.only(who[cut])
            known = state.memory[block] if memory.size else state.memory
            view = self.view(self.clients, local, at.theta, at.r, state.V_server, known, state.V_clients, block)
            aim, kept = self.work(view)
            weights = self.clients.mu.take(block) / p[cut]
            message, total = self.sent(channel, aim, at.r, state.V_clients, block, local, weights)
            received += total
            if self.alpha > 0.0:
                add_to_rows(V_clients, block, self.alpha / p[cut], message)
            if memory.size:
                memory[block] = self.work.sent(view, kept, aim, message)

        H = state.V_server + received
        V_server = state.V_server + self.alpha * received
        return State(
            **self.moved(state, at, self.direction(at, H, state.V_server, V_server), draws),
            V_clients=V_clients,
            V_server=V_server,
            active=active,
            memory=memory,
            bits_up=state.bits_up + who.size * self.bits_up(channel),
            bits_down=state.bits_down + self.bits_down(who.size),
        )

    def surrogate(self, state: State) -> Array:
        """Ŝ_t, or 𝒯(θ_t) = Σ μ_i E_{π_i}[S̄(Z, θ_t)]: shape (q,)."""
        return self.space.surrogate(self.problem, self.clients, state.x)


FEW = 2**13
"""Numbers of all clients together that are copied sooner than those of the active ones are found."""


def _writable(state: State, onto: State | None, name: Literal["V_clients", "memory"]) -> Array:
    """A copy of what clients hold: a new one, or made of that of the round before, which differs in who was active."""
    held: Array = getattr(state, name)
    if onto is None:
        return held.copy()
    if onto.t != state.t - 1:
        raise InvalidInput(f"onto is the state of t = {onto.t}: only that of t = {state.t - 1} can be given up.")
    spare: Array = getattr(onto, name)
    if spare is held or held.size <= FEW:  # nobody was active in round t, or a copy of all is sooner made
        return held.copy()
    spare.setflags(write=True)
    changed = state.active.nonzero()[0]
    spare[changed] = held.take(changed, axis=0)
    return spare


def sa_ssmm(problem: Surrogate, z: Samples, *, gamma: StepSize, oracle: Oracle, seed: int = 0) -> FedMM:
    """SA-SSMM (Algorithm 1): Ŝ_{t+1} = Ŝ_t + γ_{t+1}(S_{t+1} − Ŝ_t), which is FedMM with one client."""
    return FedMM(problem, Clients.of([z]), gamma, oracle=oracle, seed=seed)


def mm(problem: Surrogate, z: Samples, *, space: AggregationSpace | None = None) -> FedMM:
    """MM in 𝒮 (eq. `MM:Sspace`), or in Θ with `space=ParameterSpace()` (eq. `MM:Tspace`): one client, γ = 1."""
    return FedMM(problem, Clients.of([z]), 1.0, space=space or SurrogateSpace())
