"""An engine that misbehaves on purpose: what the protocol has to survive, in one process and without waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from fedmm_edu.distributed.engine import Engine
from fedmm_edu.distributed.messages import ANSWERS, Reply, from_bytes, to_bytes
from fedmm_edu.distributed.node import Node


class Fault(Enum):
    """What can happen to one request, its answer, or the node that answers.

    A node killed before it has written its state is a lost request, one killed after it a lost reply: the state is a
    file, so a node that comes back is the same node. The last three send well-formed messages with wrong content.
    """

    LOSE_REQUEST = "request lost, or node killed before it wrote its state"
    LOSE_REPLY = "reply lost, or node killed after it wrote its state"
    REPEAT_REQUEST = "request delivered twice"
    REPEAT_REPLY = "reply delivered twice"
    DELAY_REQUEST = "request delivered rounds later only"
    ECHO_REQUEST = "request delivered rounds later as well"
    DELAY_REPLY = "reply delivered rounds later only"
    DAMAGE_REQUEST = "a bit of the request flipped"
    DAMAGE_REPLY = "a bit of the reply flipped"
    CUT_REPLY = "reply cut short"
    WIPE = "the node's state is gone"
    TEAR = "the node's state is damaged"
    RESTORE = "the node's state is that of an earlier round"
    NOT_A_NUMBER = "reply with NaN"
    WRONG_SHAPE = "reply with rows of another length"
    FOREIGN_KEY = "reply of another run"

    @property
    def keeps_state(self) -> bool:
        """Whether the node still has its V_i afterwards."""
        return self not in (Fault.WIPE, Fault.TEAR, Fault.RESTORE)


Schedule = Callable[[int, int], Fault | None]
"""The fault that meets node k in the c-th exchange, `schedule(c, k)`, if any."""


@dataclass(eq=False)
class Misbehaving(Engine):
    """Nodes in this process behind an engine with faults. `delay`: how many exchanges later a delayed message comes.

    `injected` counts the faults that happened.
    """

    nodes: Mapping[int, Node]
    schedule: Schedule
    delay: int = 3
    injected: dict[Fault, int] = field(default_factory=dict, init=False)
    _exchanges: int = field(default=0, init=False)
    _held: list[tuple[int, int, bytes, bool]] = field(default_factory=list, init=False)
    _backup: dict[int, bytes] = field(default_factory=dict, init=False)

    def exchange(self, requests: Mapping[int, bytes]) -> Iterator[tuple[int | None, bytes]]:
        self._exchanges += 1
        for k, raw in requests.items():
            fault = self.schedule(self._exchanges, k)
            if fault is not None:
                self.injected[fault] = self.injected.get(fault, 0) + 1
            self._spoil_state(k, fault)
            yield from ((k, answer) for answer in self._meet(k, raw, fault))
        due = [held for held in self._held if held[0] <= self._exchanges]
        self._held = [held for held in self._held if held[0] > self._exchanges]
        for _, k, raw, is_request in due:
            yield k, self.nodes[k].answer(raw) if is_request else raw

    def _spoil_state(self, k: int, fault: Fault | None) -> None:
        store = self.nodes[k].store
        content = store.read()
        if fault is Fault.WIPE:
            store.write(b"")
        elif fault is Fault.TEAR and content:
            store.write(content[: len(content) // 2])
        elif fault is Fault.RESTORE:
            store.write(self._backup.get(k, b""))
        if content and (k not in self._backup or self._exchanges % 7 == 0):
            self._backup[k] = content

    def _meet(self, k: int, raw: bytes, fault: Fault | None) -> list[bytes]:
        """What the server gets at once."""
        node = self.nodes[k]
        if fault is Fault.LOSE_REQUEST:
            return []
        if fault is Fault.DAMAGE_REQUEST:
            return [node.answer(_flipped(raw, self._exchanges))]
        if fault in (Fault.DELAY_REQUEST, Fault.ECHO_REQUEST):
            self._held.append((self._exchanges + self.delay, k, raw, True))
        if fault is Fault.DELAY_REQUEST:
            return []
        if fault is Fault.REPEAT_REQUEST:
            return [node.answer(raw), node.answer(raw)]
        answer = node.answer(raw)
        if fault is Fault.DELAY_REPLY:
            self._held.append((self._exchanges + self.delay, k, answer, False))
            return []
        heard: dict[Fault | None, list[bytes]] = {
            Fault.LOSE_REPLY: [],
            Fault.REPEAT_REPLY: [answer, answer],
            Fault.DAMAGE_REPLY: [_flipped(answer, self._exchanges)],
            Fault.CUT_REPLY: [answer[: len(answer) // 2]],
            Fault.NOT_A_NUMBER: [_with(answer, lambda r: replace(r, rows=np.array([np.nan]).tobytes() + r.rows[8:]))],
            Fault.WRONG_SHAPE: [_with(answer, lambda r: replace(r, rows=r.rows + bytes(8)))],
            Fault.FOREIGN_KEY: [_with(answer, lambda r: replace(r, key="0" * 64))],
        }
        return heard.get(fault, [answer])


def _with(answer: bytes, change: Callable[[Reply], Reply]) -> bytes:
    """A reply changed, with a checksum that is right again; other answers stay as they are."""
    message = from_bytes(answer, *ANSWERS)
    return to_bytes(change(message)) if isinstance(message, Reply) else answer


def _flipped(raw: bytes, seed: int) -> bytes:
    """`raw` with one bit turned."""
    place = (seed * 7919) % len(raw)
    return raw[:place] + bytes([raw[place] ^ 1 << seed % 8]) + raw[place + 1 :]
