"""A node: the data and the control variates V_i of some clients, and what it answers to a request.

The node keeps two things, in one file: V_i as of a history that it knows the server has accepted, and its last reply,
which the server may have accepted or not. The next request names the accepted history, and so decides: the reply is
committed, V_i ← V_i + (α/p_i) Quant(Δ_i), or dropped. The file is written before the reply leaves. A node that knows
neither of the two histories says so; the server then drops the share Σ μ_i V_i of this node from V and asks again from
V_i = 0, so that V = Σ μ_i V_i holds in every case. A request that comes after one of a later round is refused.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedmm_edu.arrays import Array, Indices, as_array
from fedmm_edu.distributed.codec import pack, unpack
from fedmm_edu.distributed.messages import Lost, Refusal, Reply, Request, from_bytes, history, to_bytes
from fedmm_edu.distributed.plan import NEW, Plan
from fedmm_edu.errors import Diverged, InvalidInput
from fedmm_edu.faces import Faces
from fedmm_edu.federation import Clients, Draws, Identity
from fedmm_edu.files import write_bytes


class Store(Faces):
    """Where a node keeps its state between messages."""

    @abstractmethod
    def read(self) -> bytes | None:
        """What was written last, or None."""

    @abstractmethod
    def write(self, content: bytes) -> None:
        """Keep `content`, all of it or (when interrupted) none."""


class InMemory(Store):
    """A store that lives as long as its process."""

    def __init__(self) -> None:
        self.content: bytes | None = None

    def read(self) -> bytes | None:
        return self.content

    def write(self, content: bytes) -> None:
        self.content = content


@dataclass(frozen=True)
class File(Store):
    """A file that is replaced as a whole. What a power failure tears, the checksum finds."""

    path: Path

    def read(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    def write(self, content: bytes) -> None:
        write_bytes(self.path, content)


@dataclass(frozen=True, eq=False)
class NodeState:
    """V: V_i of the node's clients as of the history `base`, shape (m, dim). The last reply, sent in answer to
    `request`, with its clients' places among the node's and their p; `reply` is empty where there is none."""

    base: bytes
    V: Array
    request: bytes = b""
    reply: bytes = b""
    places: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    p: Array = field(default_factory=lambda: np.zeros(0))

    _types: ClassVar[dict[str, str]] = {
        "key": "str", "base": "u1:1", "V": "f8:2", "request": "u1:1", "reply": "u1:1", "places": "i8:1", "p": "f8:1",
    }  # fmt: skip

    def to_bytes(self, key: str) -> bytes:
        """The state as a node of the run `key` keeps it."""
        raw = {name: np.frombuffer(getattr(self, name), np.uint8) for name in ("base", "request", "reply")}
        return pack("NodeState", {"key": key, "V": self.V, "places": self.places, "p": self.p, **raw})

    @staticmethod
    def read(raw: bytes | None, key: str, shape: tuple[int, int]) -> NodeState | None:
        """The state that was kept; None where there is none, or a damaged one, or one of another run."""
        try:
            found = unpack(raw or b"", "NodeState", NodeState._types)
        except InvalidInput:
            return None
        if found.pop("key") != key or found["V"].shape != shape:
            return None
        return NodeState(**found | {name: found[name].tobytes() for name in ("base", "request", "reply")})


@dataclass(frozen=True, eq=False)
class Node:
    """Node `k` of the plan: `data` holds its own clients alone, in the order of `plan.nodes[k]`."""

    plan: Plan
    k: int
    data: Clients
    store: Store

    def __post_init__(self) -> None:
        if not 0 <= self.k < len(self.plan.nodes):
            raise InvalidInput(f"node {self.k} is none of the {len(self.plan.nodes)} of the plan.")
        if len(self.data) != len(self.plan.nodes[self.k]):
            raise InvalidInput(
                f"node {self.k} has data of {len(self.data)} clients, the plan gives it "
                f"{len(self.plan.nodes[self.k])}: give it one array a client."
            )

    def answer(self, raw: bytes) -> bytes:
        """The bytes that answer the request `raw`. One that breaks a rule gets a `Refusal`, and changes nothing."""
        try:
            request = from_bytes(raw, Request)
            places, kept = self._places(request), self.state()
            _in_time(request, kept)
        except InvalidInput as error:
            return to_bytes(Refusal(self.plan.key, self.k, str(error)))
        state = self._settled(request, kept)
        if state is None:
            return to_bytes(Lost(self.plan.key, self.k, request.t, request.base))
        if state.request == raw:
            return state.reply  # the server asks again: it has not heard the answer
        try:
            rows = self._rows(request, state.V, places) if request.t else self._opening(request)
        except Diverged as error:
            return to_bytes(Refusal(self.plan.key, self.k, str(error)))
        reply = to_bytes(Reply(self.plan.key, self.k, request.t, request.base, rows))
        kept = replace(state, request=raw, reply=reply, places=places, p=request.p)
        self.store.write(kept.to_bytes(self.plan.key))
        return reply

    def state(self) -> NodeState | None:
        """What the node has kept."""
        shape = (len(self.data), self.plan.dim)
        return NodeState.read(self.store.read(), self.plan.key, shape)

    def at(self, base: bytes) -> NodeState | None:
        """The state in the history `base`; None where this node does not have it."""
        return self._at(base, self.state())

    def _at(self, base: bytes, state: NodeState | None) -> NodeState | None:
        if state is None or state.base == base:
            return state
        return self._committed(state) if state.reply and history(state.base, state.reply) == base else None

    def _committed(self, state: NodeState) -> NodeState:
        """The state after the server has accepted the last reply: V_i ← V_i + (α/p_i) Quant(Δ_i), or h_i(Ŝ_0)."""
        asked = from_bytes(state.request, Request)
        if asked.t == 0:
            V = self.plan.mean_fields(self.data, asked.x, asked.theta)
            return NodeState(history(state.base, state.reply), V)
        rows = from_bytes(state.reply, Reply).rows
        sent = self.plan.compressor.decode(rows, len(state.places), self.plan.dim)
        V = state.V.copy()
        V[state.places] += (self.plan.alpha / state.p)[:, None] * sent
        return NodeState(history(state.base, state.reply), V)

    def _settled(self, request: Request, kept: NodeState | None) -> NodeState | None:
        """The state from which to answer; None where this node does not have it. Anybody can start from V_i = 0."""
        state = self._at(request.base, kept)
        if state is None and request.base == NEW:
            return NodeState(NEW, np.zeros((len(self.data), self.plan.dim)))
        return state

    def _opening(self, request: Request) -> bytes:
        """Σ μ_i h_i(Ŝ_0) over the node's clients, its share of V_0. A commit computes them again."""
        V = self.plan.mean_fields(self.data, request.x, request.theta)
        total = (self.plan.mu[self.plan.nodes[self.k]] @ V)[None]
        return Identity().encode(total, total)

    def _rows(self, request: Request, V: Array, places: Indices) -> bytes:
        """Quant(S_{t+1,i} − Ŝ_t − V_{t,i}) of the asked clients, as bytes: the client's half of `FedMM.step`."""
        plan, who = self.plan, request.clients
        delta, sent = np.empty((2, len(who), plan.dim))
        for cut in self.data.blocks(who, plan.problem.q):
            draws = Draws(plan.seed, request.t, places[cut], who[cut])
            S = plan.oracle(plan.problem, self.data, request.theta, draws)
            delta[cut] = plan.space.from_surrogates(plan.problem, S) - request.x
            delta[cut] -= V[places[cut]]
            sent[cut] = plan.compressor.compress(delta[cut], draws)
        if not np.isfinite(sent).all():
            raise plan.diverged(request.t, "a message")
        return plan.compressor.encode(delta, sent)

    def _places(self, request: Request) -> Indices:
        """Where the asked clients stand among the node's; `InvalidInput` for a request that is not for this node."""
        plan, mine = self.plan, self.plan.nodes[self.k]
        if request.key != plan.key:
            raise InvalidInput(f"node {self.k} runs the plan {plan.key[:8]}, not {request.key[:8]}: use one plan.")
        if request.node != self.k or request.t < 0 or len(request.base) != len(NEW):
            raise InvalidInput(f"the request is for node {request.node} in round {request.t}, this is node {self.k}.")
        as_array("x", request.x, shape=(plan.dim,))
        as_array("theta", request.theta, shape=(plan.problem.d,))
        as_array("p", request.p, shape=(len(request.clients),))
        places = np.searchsorted(mine, request.clients)
        known = places < len(mine)
        if not known.all() or not np.array_equal(mine[places], request.clients) or len(places) == 0:
            raise InvalidInput(f"node {self.k} is asked for clients that it does not hold: check the plan.")
        if request.t == 0 and (request.base != NEW or len(places) != len(mine)):
            raise InvalidInput("the opening asks for all clients of a node, before any history: it is another's.")
        if (np.diff(places) <= 0).any() or ((request.p <= 0) | (request.p > 1)).any():
            raise InvalidInput("the asked clients are not in ascending order, or a p is not in (0, 1].")
        return places


def _in_time(request: Request, kept: NodeState | None) -> None:
    """`InvalidInput` for a request that is older than the last one answered, of the same session of the server."""
    last = from_bytes(kept.request, Request) if kept is not None else request
    if last.session == request.session and last.t > request.t:
        raise InvalidInput(
            f"the request of round {request.t} comes after that of round {last.t}: it is late, or a server went back "
            "without `federate`, which begins a session."
        )
