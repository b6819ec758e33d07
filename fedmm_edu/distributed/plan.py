"""What the server and the nodes agree on before the first round. It holds no data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

import numpy as np

from fedmm_edu.algorithms import AggregationSpace, FedMM, Plain, ServerStep, SurrogateSpace
from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.algorithms.rules import Rules
from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.arrays import Array, as_weights
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Compressor, Draws, Everyone, FullBatch, Identity, Oracle, Participation
from fedmm_edu.surrogate import Surrogate

NEW = bytes(32)
"""The name of the history in which V_i = 0 and nothing was accepted yet."""


@dataclass(frozen=True, eq=False)
class Plan(Rules):
    """The settings of `FedMM`, without the data: the weights mu, shape (n,), and which node holds which clients.

    `nodes[k]` lists the clients of node k in ascending order; every client lives on one node. `key` is a digest of
    all settings: messages and files of another run, or of a node with other settings, are refused by it.
    """

    problem: Surrogate
    mu: Array
    nodes: tuple[np.ndarray, ...]
    gamma: StepSize
    oracle: Oracle = field(default_factory=FullBatch)
    participation: Participation = field(default_factory=Everyone)
    compressor: Compressor = field(default_factory=Identity)
    alpha: float = 0.0
    space: AggregationSpace = field(default_factory=SurrogateSpace)
    metric: Literal["euclidean", "B"] = "euclidean"
    server: ServerStep = field(default_factory=Plain)
    seed: int = 0
    key: str = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.mu)
        as_weights("mu", self.mu, size=n)
        self.check_settings(n)
        held = np.concatenate([np.asarray(who, dtype=np.int64) for who in self.nodes])
        if any(len(who) == 0 or (np.diff(who) <= 0).any() for who in self.nodes):
            raise InvalidInput("a node holds no client, or its clients are not in ascending order: sort them.")
        if not np.array_equal(np.sort(held), np.arange(n)):
            raise InvalidInput(f"the nodes hold {len(held)} clients of {n}: put each client on one node.")
        settings = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        object.__setattr__(self, "key", fingerprint(settings))

    @staticmethod
    def of(fed: FedMM, nodes: Sequence[np.ndarray] | int) -> Plan:
        """The plan of an in-process run; a number of nodes cuts its clients into as many parts, one after the other."""
        n = len(fed.clients)
        if isinstance(nodes, int):
            if not 1 <= nodes <= n:
                raise InvalidInput(f"nodes = {nodes} for n = {n} clients: choose 1 <= nodes <= n.")
            nodes = np.array_split(np.arange(n), nodes)
        shared = {f.name: getattr(fed, f.name) for f in fields(fed) if f.name != "clients"}
        return Plan(mu=fed.clients.mu, nodes=tuple(nodes), **shared)

    @property
    def n(self) -> int:
        """The number of clients."""
        return len(self.mu)

    def draws(self, t: int, who: np.ndarray | None = None) -> Draws:
        """The randomness of round t, for all clients or for some."""
        return Draws(self.seed, t, np.arange(self.n) if who is None else who)
