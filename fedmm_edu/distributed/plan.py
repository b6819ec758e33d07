"""What the server and the nodes agree on before the first round. It holds no data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fedmm_edu.algorithms import FedMM, Settings
from fedmm_edu.algorithms.downlink import Parts
from fedmm_edu.algorithms.fingerprint import code_digest, fingerprint
from fedmm_edu.algorithms.settings import Sight
from fedmm_edu.arrays import Array, Indices, as_array, as_weights
from fedmm_edu.distributed.messages import SumStep
from fedmm_edu.errors import InvalidInput

NEW = bytes(32)
"""The name of the history in which V_i = 0 and nothing was accepted yet."""


class Told(NamedTuple):
    """θ_t, r_t, and V_t where the local work hears it (else empty): what a node knows of the server."""

    theta: Array
    r: Array
    V: Array


@dataclass(frozen=True, eq=False)
class Places:
    """Who takes part, without their data: the weights mu, shape (n,), and which node holds which clients.

    `nodes[k]` lists the clients of node k in ascending order; every client lives on one node. identities: the public
    key of each node, by which the others know what it has signed in a secure sum, see `known_by`.
    """

    mu: Array
    nodes: tuple[Indices, ...]
    identities: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.mu)
        as_weights("mu", self.mu, size=n)
        held = np.concatenate([np.asarray(who, dtype=np.int64) for who in self.nodes])
        if any(len(who) == 0 or (np.diff(who) <= 0).any() for who in self.nodes):
            raise InvalidInput("a node holds no client, or its clients are not in ascending order: sort them.")
        if not np.array_equal(np.sort(held), np.arange(n)):
            raise InvalidInput(f"the nodes hold {len(held)} clients of {n}: put each client on one node.")
        if self.identities and not len(set(self.identities)) == len(self.identities) == len(self.nodes):
            raise InvalidInput(
                f"{len(set(self.identities))} identities for {len(self.nodes)} nodes: each has its own key."
            )

    def __len__(self) -> int:
        return len(self.mu)

    def known_by(self, path: str | Path) -> Places:
        """The same nodes with their public keys: a file with that of node 0, 1, …, one a line, as `ssh-keygen` writes
        them beside private keys. `InvalidInput` for any other. Needs the extra `distributed`."""
        from fedmm_edu.distributed.identities import read_identities

        return replace(self, identities=read_identities(path))


@dataclass(frozen=True, eq=False)
class Plan(Settings[Places]):
    """The settings of `FedMM`, with `Places` instead of the clients' data.

    `key` is a digest of all settings, of the version of this package and of its code, and of the code of classes and
    functions of your own among the settings: messages and files of another run, or of a node that would compute
    something else, are refused by it. A compressor whose rows do not travel as it says is refused here.
    """

    key: str = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.compressor.try_wire(self.dim)
        if self.secure_sum and len(self.nodes) < 2:
            raise InvalidInput("secure_sum=True with one node: the sum is its term; use two nodes or more.")
        if self.clients.identities and not self.secure_sum:
            raise InvalidInput("identities without secure_sum=True: nothing would be signed; leave them out.")
        if not self.downlink.travels:
            raise InvalidInput(f"{self.downlink!r} has no form on the wire to nodes: use Printed() or Shorter().")
        settings = {f.name: getattr(self, f.name) for f in fields(self) if f.init and f.compare}
        object.__setattr__(self, "key", fingerprint((settings, code_digest())))

    @staticmethod
    def of(fed: FedMM, nodes: Sequence[Indices] | int) -> Plan:
        """The plan of an in-process run; a number of nodes cuts its clients into as many parts, one after the other."""
        n = len(fed.clients)
        if isinstance(nodes, int):
            if not 1 <= nodes <= n:
                raise InvalidInput(f"nodes = {nodes} for n = {n} clients: choose 1 <= nodes <= n.")
            nodes = np.array_split(np.arange(n), nodes)
        said = {"clients": Places(fed.clients.mu, tuple(nodes)), "beyond_theorem": True}  # `fed` has warned
        return Plan(**{f.name: getattr(fed, f.name) for f in fields(fed)} | said)

    def told(self, at: Sight, V: Array) -> tuple[Array, Array, Array]:
        """What of (x_t, θ_t, V_t) the server sends to a node: the others are empty."""
        x, theta, heard = (
            value if due else np.zeros(0)
            for value, due in zip((at.seen, at.theta, V), (*self._parts, self.work.hears_V), strict=True)
        )
        return x, theta, heard

    def heard(self, x: Array, theta: Array, V: Array) -> Told:
        """What a node makes of what it was sent; `InvalidInput` for other parts than `told` sends."""
        parts, hears = self._parts, self.work.hears_V
        as_array("x", x, shape=(self.dim if parts.x else 0,))
        as_array("theta", theta, shape=(self.problem.d if parts.theta else 0,))
        as_array("V", V, shape=(self.dim if hears else 0,))
        if not parts.theta:
            theta = self.space.theta(self.problem, x, np.zeros(0))
        return Told(theta, self.reference.at(x if parts.x else np.zeros(self.dim), theta), V)

    @property
    def threshold(self) -> int:
        """How many nodes a secure sum needs: more than half, so that no two disjoint sets of nodes open anything."""
        return len(self.nodes) // 2 + 1

    @property
    def steps(self) -> tuple[SumStep, ...]:
        """The exchanges of a secure sum: without identities nobody can sign that the nodes agree."""
        return tuple(step for step in SumStep if step is not SumStep.AGREE or self.clients.identities)

    @property
    def _parts(self) -> Parts:
        return self.downlink.parts(self.space, self.problem, self.reference)

    @property
    def nodes(self) -> tuple[Indices, ...]:
        """The clients of each node."""
        return self.clients.nodes
