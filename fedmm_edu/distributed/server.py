"""The server's side: its state, one round as a value that replies are offered to, and the checkpoint.

Beside Ŝ_t and V_t the server keeps, for each node, W_k = Σ_{i on node k} μ_i V_i and the name of the history in which
this is so. Both change together, and are written down before anybody is told. Nothing per client is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.algorithms.step_sizes import checked
from fedmm_edu.distributed.codec import pack, unpack
from fedmm_edu.distributed.messages import ANSWERS, Lost, Refusal, Reply, Request, from_bytes, history, to_bytes
from fedmm_edu.distributed.plan import NEW, Plan
from fedmm_edu.distributed.wire import wire_of
from fedmm_edu.errors import Array, FedMMError, InvalidInput, StateMismatch, as_array
from fedmm_edu.federation.clients import BLOCK
from fedmm_edu.files import write_bytes


class NobodyAnswered(FedMMError):
    """No node that was asked answered: the round cannot be closed, and the run waits for them."""


@dataclass(frozen=True, eq=False)
class ServerState:
    """Everything that the next round depends on, besides the plan and the nodes.

    W: W_k, shape (nodes, dim); base: the accepted history of each node, 32 bytes each, shape (nodes, 32); moments,
    carry: as in `algorithms.State`; bytes_up, bytes_down: of all messages that came in and went out; rows_up: the bytes
    of the compressed rows among them that were used.
    """

    t: int
    x: Array
    V: Array
    W: Array
    base: np.ndarray
    moments: Array
    carry: Array
    bytes_up: int = 0
    bytes_down: int = 0
    rows_up: int = 0

    _types: ClassVar[dict[str, str]] = {
        "t": "int", "x": "f8:1", "V": "f8:1", "W": "f8:2", "base": "u1:2", "moments": "f8:1", "carry": "f8:1",
        "bytes_up": "int", "bytes_down": "int", "rows_up": "int", "name": "str",
    }  # fmt: skip

    @staticmethod
    def start(plan: Plan, x: ArrayLike) -> ServerState:
        """t = 0, from x = Ŝ_0 and V_{0,i} = 0 (other V_{0,i} would have to be sent uncompressed)."""
        x = plan.space.check(plan.problem, as_array("x", x, shape=(plan.dim,))).copy()
        K = len(plan.nodes)
        moments, carry = plan.server.start(plan.dim), plan.space.start(plan.problem, x)
        base = np.tile(np.frombuffer(NEW, np.uint8), (K, 1))
        return ServerState(0, x, np.zeros(plan.dim), np.zeros((K, plan.dim)), base, moments, carry)


@dataclass(frozen=True)
class Report:
    """What happened in a round: which nodes were asked, which answers were used, which nodes had lost their V_i and
    were re-based, and what was turned away, with the reason."""

    t: int
    asked: tuple[int, ...]
    arrived: tuple[int, ...]
    rebased: tuple[int, ...]
    refused: tuple[tuple[int, str], ...]


@dataclass(eq=False)
class Round:
    """Round `before.t` + 1 while it is open. `offer` takes whatever arrives; `close` makes the next state."""

    plan: Plan
    before: ServerState
    _W: Array = field(init=False)
    _base: np.ndarray = field(init=False)
    _V: Array = field(init=False)
    _rows: dict[int, tuple[bytes, Array]] = field(default_factory=dict, init=False)
    _rebased: set[int] = field(default_factory=set, init=False)
    _refused: list[tuple[int, str]] = field(default_factory=list, init=False)
    _bytes: list[int] = field(default_factory=lambda: [0, 0], init=False)

    def __post_init__(self) -> None:
        plan, state = self.plan, self.before
        self._W, self._base, self._V = state.W.copy(), state.base.copy(), state.V
        active = plan.participation.active(plan.draws(state.t + 1))
        self._p = plan.participation.probability(plan.n)
        self._who = {k: who[active[who]] for k, who in enumerate(plan.nodes) if active[who].any()}
        self._theta = plan.space.theta(plan.problem, state.x, state.carry)

    @property
    def answered(self) -> bool:
        """Whether an answer was used."""
        return bool(self._rows)

    def requests(self) -> dict[int, bytes]:
        """What to send to each node that was asked and has not answered yet."""
        plan, state, out = self.plan, self.before, {}
        for k in self._who.keys() - self._rows.keys():
            who, base = self._who[k], self._base[k].tobytes()
            asked = Request(plan.key, k, state.t + 1, base, state.x, self._theta, who, self._p[who])
            out[k] = to_bytes(asked)
        self._bytes[1] += sum(map(len, out.values()))
        return dict(sorted(out.items()))

    def offer(self, sender: int | None, raw: bytes) -> str:
        """Take what came from node `sender` (None: the engine does not know): "used", "re-based", or why it was not."""
        self._bytes[0] += len(raw)
        try:
            message = from_bytes(raw, *ANSWERS)
            if sender is not None and message.node != sender:
                raise InvalidInput(f"node {sender} signs as node {message.node}: check who runs as whom.")
            return self._take(message, raw)
        except InvalidInput as error:
            return self._refuse(-1 if sender is None else sender, str(error))

    def close(self, *, share: bool = True) -> tuple[ServerState, Report]:
        """The next state, from what has arrived: the server's half of `FedMM.step`.

        H = V + c Σ μ_i/p_i Quant(Δ_i) over what arrived. With `share`, c is the number of nodes asked over the number
        arrived: H is then unbiased if each of the asked is equally likely to be among the arrived. Without it, c = 1.
        V and W_k move without c, as the nodes' V_i do.
        """
        plan, state = self.plan, self.before
        report = Report(
            state.t + 1, tuple(sorted(self._who)), tuple(sorted(self._rows)), tuple(sorted(self._rebased)),
            tuple(self._refused),
        )  # fmt: skip
        if self._who and not self._rows:
            reasons = "; ".join(f"node {k}: {why}" for k, why in self._refused) or "all were silent"
            raise NobodyAnswered(f"round {report.t}: none of the nodes {list(report.asked)} answered ({reasons}).")
        received, wire = self._received(), wire_of(plan.compressor)
        c = len(self._who) / len(self._rows) if share and self._rows else 1.0
        H = self._V + (received if c == 1.0 else c * received)
        gamma = checked(plan.gamma, report.t)
        B = plan.problem.B(state.x) if plan.metric == "B" else None
        x, moments = plan.server.move(state.x, H, gamma, report.t, state.moments)
        x = plan.space.project(plan.problem, x, B)
        after = ServerState(
            t=report.t,
            x=x,
            V=self._V + plan.alpha * received,
            W=self._W,
            base=self._base,
            moments=moments,
            carry=plan.space.advance(plan.problem, x, state.carry, plan.draws(report.t)),
            bytes_up=state.bytes_up + self._bytes[0],
            bytes_down=state.bytes_down + self._bytes[1],
            rows_up=state.rows_up + sum(wire.size(len(rows), plan.dim) for _, rows in self._rows.values()),
        )
        return after, report

    def _take(self, message: Reply | Lost | Refusal, raw: bytes) -> str:
        k, plan = message.node, self.plan
        if message.key != plan.key:
            raise InvalidInput(f"it runs the plan {message.key[:8]}, not {plan.key[:8]}: give all the same plan.")
        if isinstance(message, Refusal):
            raise InvalidInput(f"it refused the request: {message.reason}")
        if k not in self._who:
            raise InvalidInput(f"node {k} was not asked in round {self.before.t + 1}.")
        if message.t != self.before.t + 1:
            raise InvalidInput(f"it answers round {message.t}, and this is round {self.before.t + 1}: it is late.")
        if k in self._rows:
            raise InvalidInput("it has answered in this round already: one answer counts.")
        if message.base != self._base[k].tobytes():
            raise InvalidInput("it was computed from another history than the accepted one.")
        if isinstance(message, Lost):
            return self._rebase(k)
        rows = wire_of(plan.compressor).decode(message.rows, len(self._who[k]), plan.dim)
        if not np.isfinite(rows).all():
            raise InvalidInput("its rows overflow: entries must be finite.")
        self._rows[k] = raw, rows
        return "used"

    def _rebase(self, k: int) -> str:
        """Node k starts again from V_i = 0: what its V_i contributed leaves V."""
        if self._base[k].tobytes() == NEW:
            raise InvalidInput("it claims to have lost a history in which there was nothing to lose.")
        self._W[k], self._base[k] = 0.0, np.frombuffer(NEW, np.uint8)
        self._V = self._W.sum(axis=0)
        self._rebased.add(k)
        return "re-based"

    def _refuse(self, k: int, why: str) -> str:
        self._refused.append((k, why))
        return why

    def _received(self) -> Array:
        """Σ μ_i/p_i Quant(Δ_i) over what arrived, summed in the order of the clients, and W_k moved by it."""
        plan, total = self.plan, np.zeros(self.plan.dim)
        if not self._rows:
            return total
        arrived = sorted(self._rows)
        who = np.concatenate([self._who[k] for k in arrived])
        rows = np.concatenate([self._rows[k][1] for k in arrived])
        weights, order = plan.mu[who] / self._p[who], np.argsort(who)
        for start in range(0, len(order), size := max(1, BLOCK // plan.problem.q)):
            cut = order[start : start + size]
            total += weights[cut] @ rows[cut]
        for k in arrived:
            raw, mine = self._rows[k]
            self._W[k] += plan.alpha * ((plan.mu[self._who[k]] / self._p[self._who[k]]) @ mine)
            self._base[k] = np.frombuffer(history(self._base[k].tobytes(), raw), np.uint8)
        return total


def save(path: str | Path, plan: Plan, start: ServerState, state: ServerState) -> None:
    """Write the checkpoint, all of it or nothing; it belongs to this plan and this start."""
    values = {f.name: getattr(state, f.name) for f in fields(state)}
    write_bytes(path, pack("ServerState", values | {"name": _name(plan, start)}))


def load(path: str | Path, plan: Plan, start: ServerState) -> ServerState:
    """The state that was saved, or `start` where there is none; `StateMismatch` for a file of another run."""
    try:
        raw = Path(path).read_bytes()
    except FileNotFoundError:
        return start
    except OSError as error:
        raise StateMismatch(f"cannot read {path}: {error.strerror}.") from error
    try:
        found = unpack(raw, "ServerState", ServerState._types)
    except InvalidInput as error:
        raise StateMismatch(f"{path} is no checkpoint of a server ({error}): delete it to start anew.") from error
    if found.pop("name") != _name(plan, start):
        raise StateMismatch(f"{path} was saved by a run with another plan or start: use another file name.")
    return ServerState(**found)


def _name(plan: Plan, start: ServerState) -> str:
    return fingerprint((plan.key, start.x))


def invariant_gap(state: ServerState, V_nodes: Sequence[Array], plan: Plan) -> float:
    """‖V − Σ μ_i V_i‖, given V_i of each node's clients: what Algorithm 2 conserves and faults must not move."""
    total = sum((plan.mu[who] @ V for who, V in zip(plan.nodes, V_nodes, strict=True)), np.zeros(plan.dim))
    return float(np.linalg.norm(state.V - total))
