"""The server's side of a round, as a value that replies are offered to.

V_t, the shares W_k and the names of histories change together, and are written down before anybody is told. A reply
far larger than what others send (`screen`) is not among what changes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from fedmm_edu.algorithms.settings import Sight
from fedmm_edu.arrays import Array
from fedmm_edu.distributed.codec import printable
from fedmm_edu.distributed.messages import (
    ANSWERS,
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
from fedmm_edu.distributed.plan import NEW, Plan
from fedmm_edu.distributed.screen import sizes_of, too_large
from fedmm_edu.distributed.state import ServerState
from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.federation import Identity
from fedmm_edu.federation.clients import BLOCK

if TYPE_CHECKING:
    from fedmm_edu.distributed.gathering import Gathering


class NobodyAnswered(FedMMError):
    """No node that was asked answered: the round cannot be closed, and the run waits for them."""


def _gathering(plan: Plan) -> Gathering:
    """A new secure sum."""
    from fedmm_edu.distributed.gathering import Gathering  # needs an extra

    return Gathering(plan)


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
    """Round `before.t` + 1 while it is open. `offer` takes whatever arrives; `close` makes the next state.

    Round 0 is the opening: each node sends Σ_{i on node k} μ_i V_{0,i} as floats, and nothing else moves.
    """

    plan: Plan
    before: ServerState
    secret: bytes = field(default=b"", repr=False)
    _W: Array = field(init=False)
    _base: np.ndarray = field(init=False)
    _V: Array = field(init=False)
    _rows: dict[int, tuple[bytes, Array]] = field(default_factory=dict, init=False)
    _rebased: set[int] = field(default_factory=set, init=False)
    _absurd: set[int] = field(default_factory=set, init=False)
    _refused: list[tuple[int, str]] = field(default_factory=list, init=False)
    _bytes: list[int] = field(default_factory=lambda: [0, 0], init=False)
    _row_bytes: int = field(default=0, init=False)
    _gathering: Gathering | None = field(default=None, init=False)
    _sum: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        plan, state, n = self.plan, self.before, len(self.plan.clients)
        self._W, self._base, self._V = state.W.copy(), state.base.copy(), state.V
        if self._opening:
            active, self._p = np.ones(n, dtype=bool), np.ones(n)
        else:
            active = plan.participation.active(plan.draws(state.t + 1))
            self._p = plan.participation.divisors(plan.mu, active)
        self._who = {k: who[active[who]] for k, who in enumerate(plan.nodes) if active[who].any()}
        self._at, self._channel = self._looked(), plan.compressor.of_round(plan.draws(state.t + 1))
        self._gathering = _gathering(plan) if plan.secure_sum else None

    def _looked(self) -> Sight:
        """What the round is made of; `Diverged` where one has led to an Ŝ_t that has no T(Ŝ_t) in the floats."""
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                at = self.plan.sight(self.before)
        except (FedMMError, np.linalg.LinAlgError) as error:
            if self.before.t < 1:
                raise
            raise self.plan.diverged(self.before.t, "T(x)") from error
        if not np.isfinite(at.theta).all():
            raise self.plan.diverged(self.before.t, "T(x)")
        return at

    @property
    def _opening(self) -> bool:
        return self.before.t < 0

    @property
    def answered(self) -> bool:
        """Whether an answer was used; of a secure sum, whether enough have answered the open step."""
        return bool(self._rows) if self._gathering is None else self._gathering.enough

    def requests(self) -> dict[int, bytes]:
        """What to send to each node that was asked and has not answered yet."""
        if self._gathering is not None:
            out = {k: self._ask(k, self._gathering) for k in self._gathering.missing}
        else:
            out = {k: self._request(k) for k in sorted(self._who.keys() - self._rows.keys())}
        self._bytes[1] += sum(map(len, out.values()))
        return out

    def _request(self, k: int) -> bytes:
        plan, state, who = self.plan, self.before, self._who[k]
        told, base = plan.told(self._at, self._V if plan.secure_sum else state.V), self._base[k].tobytes()
        asked = Request(plan.key, state.session, k, state.t + 1, base, *told, who, self._p[who])
        return to_bytes(asked, self.secret)

    def _ask(self, k: int, gathering: Gathering) -> bytes:
        inner = self._request(k) if gathering.step == SumStep.TERMS else b""
        now = self.plan.key, self.before.session, k, self.before.t + 1, self._base[k].tobytes()
        return to_bytes(Ask(*now, gathering.tag, gathering.step, *gathering.content(k), inner), self.secret)

    def go_on(self) -> bool:
        """Whether the round has another exchange: of a secure sum, the next step, with those who answered this one.

        `NobodyAnswered` where they are too few to hide each other.
        """
        gathering = self._gathering
        if gathering is None:
            return False
        if not gathering.enough:
            raise NobodyAnswered(
                f"round {self.before.t + 1}: {len(gathering.members) - len(gathering.missing)} nodes take part in the "
                f"secure sum, and it needs {self.plan.threshold} of {len(self.plan.nodes)} ({self._reasons()})."
            )
        return gathering.go_on()

    def _reasons(self) -> str:
        return "; ".join(f"node {k}: {why}" for k, why in dict.fromkeys(self._refused)) or "all were silent"

    def offer(self, sender: int | None, raw: bytes) -> str:
        """Take what came from node `sender` (None: the engine does not know): "used", "re-based", or why it was not."""
        self._bytes[0] += len(raw)
        try:
            message = from_bytes(raw, *ANSWERS, secret=self.secret)
            if sender is not None and message.node != sender:
                raise InvalidInput(f"node {sender} signs as node {message.node}: check who runs as whom.")
            return self._take(message, raw)
        except InvalidInput as error:
            return self._refuse(-1 if sender is None else sender, str(error))

    def close(self, *, share: bool = True) -> tuple[ServerState, Report]:
        """The next state, from what has arrived: the server's half of `FedMM.step`.

        H = V + c Σ μ_i/p_i Quant(Δ_i) over what arrived. With `share`, c is the number of nodes asked over the number
        arrived: H is then unbiased if each of the asked is equally likely to be among the arrived. Without it, c = 1.
        V and W_k move without c, as the nodes' V_i do. What `screen` turns away counts as not arrived; where nothing
        else has, the round moves along V alone. `Diverged` where the next point has no finite T.
        """
        plan, state = self.plan, self.before
        sizes = self._screened()
        report = Report(
            state.t + 1, tuple(sorted(self._who)), tuple(sorted(self._rows)), tuple(sorted(self._rebased)),
            tuple(self._refused),
        )  # fmt: skip
        if self._who and not self._rows and not self._absurd:
            raise NobodyAnswered(
                f"round {report.t}: none of the nodes {list(report.asked)} answered ({self._reasons()})."
            )
        received = self._received()
        if self._opening:
            moved, V = {"t": 0}, self._W.sum(axis=0)
        else:
            c = len(self._who) / len(self._rows) if share and self._rows else 1.0
            H, V = self._V + (received if c == 1.0 else c * received), self._V + plan.alpha * received
            moved = plan.moved(state, self._at, plan.direction(self._at, H, self._V, V), plan.draws(report.t))
        after = replace(
            state,
            **moved,
            V=V,
            W=self._W,
            base=self._base,
            sizes=sizes,
            bytes_up=state.bytes_up + self._bytes[0],
            bytes_down=state.bytes_down + self._bytes[1],
            rows_up=state.rows_up + self._row_bytes,
        )
        return after, report

    def _screened(self) -> Array:
        """Turn away what is absurdly large; the largest reply of each node that was ever accepted."""
        sizes = self.before.sizes.copy()
        if self._gathering is not None:
            self._opened(self._gathering)
            return sizes
        now = {k: sizes_of(rows, self.plan.mu[self._who[k]], self._opening) for k, (_, rows) in self._rows.items()}
        for k, why in too_large(now, sizes):
            self._refuse(k, why)
            self._row_bytes -= len(from_bytes(self._rows.pop(k)[0], Reply, secret=self.secret).rows)
            self._absurd.add(k)
        for k in self._rows:
            sizes[k] = np.fmax(sizes[k], now[k])
        return sizes

    def _take(self, message: Reply | Lost | Refusal | SumPart, raw: bytes) -> str:
        k, plan = message.node, self.plan
        if message.key != plan.key:
            raise InvalidInput(f"it runs the plan {message.key[:8]}, not {plan.key[:8]}: give all the same plan.")
        if isinstance(message, Refusal):
            raise InvalidInput(f"it refused the request: {message.reason}")
        if isinstance(message, SumPart):
            return self._gave(message)
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
        if self._gathering is not None:
            self._gathering.take_term(k, message.rows)
            self._rows[k] = raw, np.empty((0, plan.dim))  # what is in it nobody sees
            self._row_bytes += len(message.rows)
            return "used"
        form, count = (Identity(), 1) if self._opening else (self._channel, len(self._who[k]))
        rows = form.decode(message.rows, count, plan.dim)
        if not np.isfinite(rows).all():
            raise InvalidInput("its rows overflow: entries must be finite.")
        self._rows[k] = raw, rows
        self._row_bytes += len(message.rows)
        return "used"

    def _rebase(self, k: int) -> str:
        """Node k starts again from V_i = 0: what its V_i contributed leaves V.

        After secure sums nobody knows what that is, but for the nodes: then all start again.
        """
        if self._base[k].tobytes() == NEW:
            raise InvalidInput("it claims to have lost a history in which there was nothing to lose.")
        if self._gathering is not None:
            if self._gathering.step is not SumStep.KEYS:
                raise InvalidInput("it says that it has lost its history in the middle of a secure sum: it is late.")
            self._base[:], self._gathering = np.frombuffer(NEW, np.uint8), _gathering(self.plan)
        else:
            self._W[k], self._base[k] = 0.0, np.frombuffer(NEW, np.uint8)
        self._V = self._W.sum(axis=0)
        self._rebased.add(k)
        return "re-based"

    def _gave(self, part: SumPart) -> str:
        """Take a node's part in a step of a secure sum."""
        if self._gathering is None or part.t != self.before.t + 1:
            raise InvalidInput(f"it takes part in a secure sum of round {part.t}, and none is open: it is late.")
        self._gathering.take(part)
        return "used"

    def _opened(self, gathering: Gathering) -> None:
        """Open the sum; where it cannot be, or is larger than the clients in it can make it, nobody's term counts."""
        most = sum(len(self._who[k]) for k in self._rows) * 2.0 ** (self._channel.layout(self.plan.dim).width - 1)
        try:
            self._sum = gathering.total()
            if np.abs(self._sum).max() > most:
                raise InvalidInput("the sum is larger than what its clients may send: a term, or a mask, is wrong.")
        except InvalidInput as error:
            self._absurd.update(self._rows)
            self._rows.clear()
            self._refuse(-1, str(error))

    def _refuse(self, k: int, why: str) -> str:
        self._refused.append((k, why := printable(why, LONGEST_TEXT)))
        return why

    def _received(self) -> Array:
        """Σ μ_i/p_i Quant(Δ_i) over what arrived, summed in the order of the clients; W_k and its history move on."""
        plan, total = self.plan, np.zeros(self.plan.dim)
        if self._gathering is not None:
            for k, (raw, _) in self._rows.items():
                self._base[k] = np.frombuffer(history(self._base[k].tobytes(), raw), np.uint8)
            return self._sum * self._channel.grid if self._rows else total
        for k, (raw, rows) in sorted(self._rows.items()):
            who = self._who[k]
            self._W[k] += rows[0] if self._opening else plan.alpha * ((plan.mu[who] / self._p[who]) @ rows)
            self._base[k] = np.frombuffer(history(self._base[k].tobytes(), raw), np.uint8)
        if self._opening or not self._rows:
            return total
        arrived = sorted(self._rows)
        who = np.concatenate([self._who[k] for k in arrived])
        rows = np.concatenate([self._rows[k][1] for k in arrived])
        weights, order = plan.mu[who] / self._p[who], np.argsort(who)
        for start in range(0, len(order), size := max(1, BLOCK // plan.problem.q)):
            cut = order[start : start + size]
            total += weights[cut] @ rows[cut]
        return total
