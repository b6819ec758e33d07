"""A node: the data, the control variates V_i and the memories of some clients, and what it answers to a request.

The node keeps two things, in one file: V_i and the memories as of a history that it knows the server has accepted, and
its last reply, which the server may have accepted or not, with the memories that go with it. The next request names the
accepted history, and so decides: the reply is committed, V_i ← V_i + (α/p_i) Quant(Δ_i), or dropped. The file is
written before the reply leaves. A node that knows neither of the two histories says so; the server then drops the share
Σ μ_i V_i of this node from V and asks again from V_i = 0 and memories as at the start, so that V = Σ μ_i V_i holds in
every case. A request that comes after one of a later round is refused.

In a secure sum the reply is masked, and the node keeps beside it what it has masked; all else is as above.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from fedmm_edu.arrays import Array, Indices, as_array
from fedmm_edu.distributed.codec import printable
from fedmm_edu.distributed.messages import (
    LONGEST_TEXT,
    Ask,
    Lost,
    Refusal,
    Reply,
    Request,
    SumPart,
    SumStep,
    from_bytes,
    history,
    to_bytes,
)
from fedmm_edu.distributed.plan import NEW, Plan, Told
from fedmm_edu.distributed.store import NodeState, Store
from fedmm_edu.errors import Diverged, FedMMError, InvalidInput, OutOfScale
from fedmm_edu.federation import Clients, Compressor, Draws, Identity
from fedmm_edu.federation.packing import pack_bits

if TYPE_CHECKING:
    from fedmm_edu.distributed.identities import Identities
    from fedmm_edu.distributed.veil import Veil


@dataclass(frozen=True, eq=False)
class Node:
    """Node `k` of the plan: `data` holds its own clients alone, in the order of `plan.nodes[k]`.

    It obeys, and signs with, the deployment's secret; a state that was kept under another one is not read. identity:
    its private key, as `ssh-keygen` writes it, where the plan names the identities of nodes.
    """

    plan: Plan
    k: int
    data: Clients
    store: Store
    secret: bytes = field(default=b"", repr=False)
    identity: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.k < len(self.plan.nodes):
            raise InvalidInput(f"node {self.k} is none of the {len(self.plan.nodes)} of the plan.")
        if len(self.data) != len(self.plan.nodes[self.k]):
            raise InvalidInput(
                f"node {self.k} has data of {len(self.data)} clients, the plan gives it "
                f"{len(self.plan.nodes[self.k])}: give it one array a client."
            )
        if self.identity or self.plan.clients.identities:
            self._identities.require_private(self.k, self.identity)

    @property
    def _identities(self) -> Identities:
        from fedmm_edu.distributed.identities import Identities  # needs an extra

        return Identities(self.plan.key, self.plan.clients.identities)

    def answer(self, raw: bytes) -> bytes:
        """The bytes that answer the request `raw`. One that breaks a rule gets a `Refusal`, and changes nothing.

        Where the plan asks for a secure sum, only steps of one are answered.
        """
        if self.plan.secure_sum:
            return self._stepped(raw)
        try:
            request = self._request(raw)
            places, told, kept = self._places(request), self._told(request), self.state()
            self._in_time(request, self._request(kept.request) if kept is not None and kept.request else None)
        except InvalidInput as error:
            return self._refused(error)
        state = self._settled(request, kept)
        if state is None:
            return to_bytes(Lost(self.plan.key, self.k, request.t, request.base), self.secret)
        if state.request == raw:
            return state.reply  # the server asks again: it has not heard the answer
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is not finite, and named
                rows, pending = self._rows(request, told, state, places) if request.t else self._opening(told, state)
        except (Diverged, OutOfScale) as error:
            return self._refused(error)
        reply = to_bytes(Reply(self.plan.key, self.k, request.t, request.base, rows), self.secret)
        kept = replace(state, request=raw, reply=reply, places=places, p=request.p, pending=pending)
        self.store.write(kept.to_bytes(self.plan.key, self.secret))
        return reply

    def _stepped(self, raw: bytes) -> bytes:
        """The answer to one step of a secure sum."""
        from fedmm_edu.distributed.veil import Veil  # needs an extra

        try:
            ask = from_bytes(raw, Ask, secret=self.secret)
            self._for_me(ask)
            if not np.isin(ask.nodes, np.arange(len(self.plan.nodes))).all():
                raise InvalidInput("nodes are named for a secure sum that the plan does not have.")
            kept = self.state()
            veil = None if kept is None else Veil.read(kept.veil)
            self._in_time(ask, veil)
            if (veil is None or veil.tag != ask.tag) and ask.step == SumStep.KEYS:
                state = self._settled(ask, kept)
                if state is None:
                    return to_bytes(Lost(self.plan.key, self.k, ask.t, ask.base), self.secret)
                veil = Veil.begun(ask)
                state = replace(state, request=b"", reply=b"", terms=b"")
                said = self._part(ask, np.frombuffer(veil.public, np.uint8)[None], veil.public)
            elif veil is None or kept is None:
                raise InvalidInput("this node keeps no keys of the secure sum: it goes on without it.")
            elif (again := veil.repeated(ask, raw, self.plan.steps)) is not None:
                return again
            else:
                veil, state, said = self._step(ask, veil, kept)
        except (InvalidInput, Diverged) as error:
            return self._refused(error)
        except OutOfScale:  # whose text has a number of the clients
            return self._refused(InvalidInput("its term is beyond the scale: choose a larger one, or halve it later."))
        self.store.write(replace(state, veil=veil.after(raw, said).to_bytes()).to_bytes(self.plan.key, self.secret))
        return said

    def _step(self, ask: Ask, veil: Veil, kept: NodeState) -> tuple[Veil, NodeState, bytes]:
        """What the node keeps and says after a step that follows the last one."""
        plan, k = self.plan, self.k
        if ask.step == SumStep.TERMS:
            request = self._request(ask.inner)
            places, told = self._places(request), self._told(request)
            if (request.t, request.base) != (ask.t, ask.base) or kept.base != ask.base or ask.t < 1:
                raise InvalidInput("the request belongs to another round than the secure sum around it.")
            with np.errstate(over="ignore", invalid="ignore"):
                terms, pending = self._rows(request, told, kept, places)
            total = self._channel(ask.t).decode(terms, len(places), plan.dim).sum(axis=0)
            term = np.rint(total / self._channel(ask.t).grid).astype(np.int64).astype(np.uint64)
            veil, masked = veil.masked(k, ask, plan.threshold, term, plan.width)
            said = to_bytes(Reply(plan.key, k, ask.t, ask.base, pack_bits(masked, plan.width)), self.secret)
            asked = {"request": ask.inner, "reply": said, "places": places, "p": request.p}
            return veil, replace(kept, **asked, pending=pending, terms=terms), said
        step = {SumStep.SHARES: veil.shared, SumStep.AGREE: veil.agreed, SumStep.OPEN: veil.opened}[SumStep(ask.step)]
        veil, blobs = step(k, ask, plan.threshold, self._identities)
        return veil, kept, self._part(ask, blobs, ask.nodes.tobytes() if ask.step == SumStep.AGREE else b"")

    def _part(self, ask: Ask, blobs: np.ndarray, signed: bytes = b"") -> bytes:
        """What the node gives, with its signature under what it signs."""
        if signed:
            signature = self._identities.signed(self.identity, self.k, ask, signed)
            blobs = np.hstack([blobs, np.frombuffer(signature, np.uint8)[None]])
        return to_bytes(SumPart(self.plan.key, self.k, ask.t, ask.tag, ask.step, blobs), self.secret)

    def _channel(self, t: int) -> Compressor:
        return self.plan.compressor.of_round(self.plan.draws(t))

    def _request(self, raw: bytes) -> Request:
        return from_bytes(raw, Request, secret=self.secret)

    def _refused(self, error: FedMMError) -> bytes:
        return to_bytes(Refusal(self.plan.key, self.k, printable(str(error), LONGEST_TEXT)), self.secret)

    def state(self) -> NodeState | None:
        """What the node has kept."""
        return NodeState.read(self.store.read(), self.plan.key, self._first(), self.secret)

    def _first(self) -> NodeState:
        """The state before any history."""
        m = len(self.data)
        return NodeState(NEW, np.zeros((m, self.plan.dim)), self.plan.memories(m))

    def at(self, base: bytes) -> NodeState | None:
        """The state in the history `base`; None where this node does not have it."""
        return self._at(base, self.state())

    def _at(self, base: bytes, state: NodeState | None) -> NodeState | None:
        if state is None or state.base == base:
            return state
        return self._committed(state) if state.reply and history(state.base, state.reply) == base else None

    def _committed(self, state: NodeState) -> NodeState:
        """The state after the server has accepted the last reply: V_i ← V_i + (α/p_i) Quant(Δ_i), or h_i(Ŝ_0)."""
        asked = self._request(state.request)
        if asked.t == 0:
            return NodeState(history(state.base, state.reply), self._mean_fields(self._told(asked)), state.memory)
        rows, channel = state.terms, self._channel(asked.t)
        if not self.plan.secure_sum:
            rows = from_bytes(state.reply, Reply, secret=self.secret).rows
        sent = channel.decode(rows, len(state.places), self.plan.dim)
        if self.plan.secure_sum:
            sent = sent / self._weights(state.places, state.p)[:, None]
        V, memory = state.V.copy(), state.memory.copy()
        V[state.places] += (self.plan.alpha / state.p)[:, None] * sent
        memory[state.places] = state.pending
        return NodeState(history(state.base, state.reply), V, memory)

    def _settled(self, request: Request | Ask, kept: NodeState | None) -> NodeState | None:
        """The state from which to answer; None where this node does not have it. Anybody can start from V_i = 0."""
        state = self._at(request.base, kept)
        if state is None and request.base == NEW:
            return self._first()
        return state

    def _told(self, request: Request) -> Told:
        return self.plan.heard(request.x, request.theta, request.V)

    def _mean_fields(self, told: Told) -> Array:
        return self.plan.mean_fields(self.data, told.r, told.theta)

    def _opening(self, told: Told, state: NodeState) -> tuple[bytes, Array]:
        """Σ μ_i h_i(Ŝ_0) over the node's clients, its share of V_0. A commit computes them again."""
        total = (self.plan.mu[self.plan.nodes[self.k]] @ self._mean_fields(told))[None]
        return Identity().encode(total, total), state.memory

    def _rows(self, request: Request, told: Told, state: NodeState, places: Indices) -> tuple[bytes, Array]:
        """Quant(S_{t+1,i} − Ŝ_t − V_{t,i}) of the asked clients, as bytes: the client's half of `FedMM.step`.

        And what they will remember, shape (m, k).
        """
        plan, who, channel = self.plan, request.clients, self._channel(request.t)
        weights = self._weights(places, request.p)[:, None]
        delta, sent = np.empty((2, len(who), plan.dim))
        pending = np.empty((len(who), state.memory.shape[1]))
        for cut in self.data.blocks(who, plan.problem.q):
            mine, draws = places[cut], Draws(plan.seed, request.t, places[cut], who[cut])
            view = plan.view(self.data, draws, *told, state.memory[mine], state.V, mine)
            aim, kept = plan.work(view)
            delta[cut] = aim - told.r
            delta[cut] -= state.V[mine]
            if plan.secure_sum:
                delta[cut] *= weights[cut]
            sent[cut] = channel.compress(delta[cut], draws)
            pending[cut] = plan.work.sent(view, kept, aim, sent[cut] / weights[cut] if plan.secure_sum else sent[cut])
        if not np.isfinite(sent).all():
            raise plan.diverged(request.t, "a message")
        return channel.encode(delta, sent), pending

    def _weights(self, places: Indices, p: Array) -> Array:
        """μ_i/p_i of the node's clients at these places."""
        return self.plan.mu[self.plan.nodes[self.k]][places] / p

    def _for_me(self, request: Request | Ask) -> None:
        """`InvalidInput` for what is asked of another node, or in another run."""
        if request.key != self.plan.key:
            raise InvalidInput(f"node {self.k} runs the plan {self.plan.key[:8]}, not {request.key[:8]}: use one plan.")
        if request.node != self.k or request.t < 0 or len(request.base) != len(NEW):
            raise InvalidInput(f"the request is for node {request.node} in round {request.t}, this is node {self.k}.")

    def _places(self, request: Request) -> Indices:
        """Where the asked clients stand among the node's; `InvalidInput` for a request that is not for this node."""
        mine = self.plan.nodes[self.k]
        self._for_me(request)
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

    def _in_time(self, request: Request | Ask, last: Request | Veil | None) -> None:
        """`InvalidInput` for a request that is older than the last one answered, of the same session of the server."""
        if last is not None and last.session == request.session and last.t > request.t:
            raise InvalidInput(
                f"the request of round {request.t} comes after that of round {last.t}: it is late, or a server went "
                "back without `federate`, which begins a session."
            )
