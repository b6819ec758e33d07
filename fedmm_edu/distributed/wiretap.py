"""What the messages of a run say to whoever reads them all: a copy of each, and V_i rebuilt from them alone.

Requests name the history of each node that the server has accepted, and a history is named by the replies in it. So a
reader knows which replies a node has committed, and what Algorithm 2 makes of them: V_i ← V_i + (α/p_i) Quant(Δ_i).
Of a secure sum the terms are read as they travel, as if they had no masks: who has none is rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.distributed.engine import Engine
from fedmm_edu.distributed.messages import Ask, Reply, Request, from_bytes, history
from fedmm_edu.distributed.plan import NEW, Plan
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Identity
from fedmm_edu.federation.packing import unpack_bits, with_sign


@dataclass(frozen=True, eq=False)
class Wiretap(Engine):
    """An engine that carries what another one does, and keeps a copy of every message in `tape`, in their order."""

    inner: Engine
    tape: list[bytes] = field(default_factory=list)

    def exchange(self, requests: Mapping[int, bytes]) -> Iterator[tuple[int | None, bytes]]:
        self.tape.extend(requests.values())
        for k, raw in self.inner.exchange(requests):
            self.tape.append(raw)
            yield k, raw


class Sighting(NamedTuple):
    """What an accepted message of a client says in round t, at θ_t = `theta`.

    aim: r_t + V_i + Quant(Δ_i), shape (dim,): where the client aims, S̄_i(θ_t), up to what compression changes. size:
    ‖Quant(Δ_i)‖, to which that is in proportion; on a grid half of its step.
    """

    t: int
    theta: Array
    aim: Array
    size: float


@dataclass(eq=False)
class Overheard:
    """What a reader of all messages of a plan knows after them.

    V: V_i of each client, shape (n, dim), as of the last history of its node that was named; seen: the sightings of
    each client. Where V_{0,i} are not zero, the opening says Σ μ_i V_{0,i} of a node, which tells V_{0,i} of a client
    that is alone there; of others V_i is what was added since.
    """

    plan: Plan
    V: Array = field(init=False)
    seen: list[list[Sighting]] = field(init=False)
    _base: list[bytes] = field(init=False)
    _asked: dict[int, Request] = field(default_factory=dict, init=False)
    _open: dict[int, dict[bytes, tuple[Request, Array]]] = field(default_factory=dict, init=False)
    """Of each node: the replies that the server may have accepted, by the histories that they would make."""

    def __post_init__(self) -> None:
        n = len(self.plan.clients)
        self.V, self.seen = np.zeros((n, self.plan.dim)), [[] for _ in range(n)]
        self._base = [NEW] * len(self.plan.nodes)

    @staticmethod
    def of(plan: Plan, tape: Iterable[bytes], secret: bytes = b"") -> Overheard:
        """From the messages, in their order; those that are damaged, or of another run, say nothing.

        The secret signs messages and hides none: it serves to tell the genuine from the damaged.
        """
        found = Overheard(plan)
        for raw in tape:
            try:
                message = from_bytes(raw, Request, Reply, Ask, secret=secret)
                if isinstance(message, Ask):
                    message = found._inside(message, secret)
                if message.key == plan.key:
                    found._hear(message, raw)
            except InvalidInput:
                continue
        return found

    def base(self, k: int) -> bytes:
        """The name of the history of node k in which V is that of its clients."""
        return self._base[k]

    def _inside(self, ask: Ask, secret: bytes) -> Request:
        """The request in a step of a secure sum; what other steps say is the history alone."""
        if ask.inner:
            return from_bytes(ask.inner, Request, secret=secret)
        if ask.key == self.plan.key:
            self._settle(ask.node, ask.base)
        raise InvalidInput("no request is inside.")

    def _hear(self, message: Request | Reply, raw: bytes) -> None:
        k = message.node
        if isinstance(message, Request):
            self._settle(k, message.base)
            self._asked[k] = message
        elif k in self._asked and (message.t, message.base) == (self._asked[k].t, self._base[k]):
            replies = self._open.setdefault(k, {})
            replies[history(message.base, raw)] = self._asked[k], self._rows(message)

    def _rows(self, reply: Reply) -> Array:
        plan = self.plan
        if reply.t == 0:
            return Identity().decode(reply.rows, 1, plan.dim)
        channel, asked = plan.compressor.of_round(plan.draws(reply.t)), self._asked[reply.node]
        if not plan.secure_sum or channel.grid is None:
            return channel.decode(reply.rows, len(asked.clients), plan.dim)
        term = with_sign(unpack_bits(reply.rows, plan.dim, plan.width), plan.width) * channel.grid
        return term[None] / (plan.mu[asked.clients] / asked.p).sum()

    def _settle(self, k: int, base: bytes) -> None:
        """The history that a request names: one of the replies was accepted, none was, or the node starts again."""
        if base == self._base[k]:
            return
        who, replies = self.plan.nodes[k], self._open.pop(k, {})
        if base == NEW:
            self.V[who] = 0.0
        elif base in replies:
            self._commit(who, *replies[base])
        self._base[k] = base

    def _commit(self, who: Indices, asked: Request, rows: Array) -> None:
        if asked.t == 0:
            self.V[who] = rows / self.plan.mu[who] if len(who) == 1 else self.V[who]
            return
        told, before = self.plan.heard(asked.x, asked.theta, asked.V), self.V[asked.clients]
        grid = self.plan.compressor.of_round(self.plan.draws(asked.t)).grid
        for i, V, row in zip(asked.clients, before, np.broadcast_to(rows, before.shape), strict=True):
            weight = float(self.plan.mu[i]) if self.plan.secure_sum else 1.0
            size = float(np.linalg.norm(row)) if grid is None else 0.5 * grid / weight
            self.seen[i].append(Sighting(asked.t, told.theta, told.r + V + row, size))
        self.V[asked.clients] = before + (self.plan.alpha / asked.p)[:, None] * rows
