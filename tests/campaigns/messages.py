"""Messages that nobody sends: a node and a server that are offered them answer, or refuse by one error, and go on.

Half are signed with the deployment's secret, as by a node or a server that is wrong, not by a stranger. One in five is
of a secure sum, in any of its steps.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np

from fedmm_edu.distributed import NobodyAnswered, Node, Round, federate
from fedmm_edu.distributed.codec import MAGIC
from fedmm_edu.distributed.engine import InProcess
from fedmm_edu.distributed.messages import ANSWERS, Ask, Lost, Refusal, Reply, Request, SumStep, from_bytes, to_bytes
from fedmm_edu.federation import Everyone, FixedScaleQuantization
from tests.campaigns.campaign import Try
from tests.distributed.federations import nodes_of, regression, with_identities

SECRET = bytes(range(32))
NUMBERS = (0, -1, 1, 2, 3, 2**31, 2**53, 2**63 - 1, -(2**63) + 1, 10**30)
FLOATS = (0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1e10, 2.0)
TEXTS = ("", "\n", "round 8/8: 3 of 3 nodes answered", "\x1b[2J", "\ud800", "x" * 10_000, "Ŝ", "../..", "{}", "\0")


@cache
def _standing():
    """A federation in its third round, and a request and an answer of each node."""
    fed = regression(participation=Everyone())
    plan, nodes, state = nodes_of(fed)
    nodes = InProcess({k: replace(node, secret=SECRET) for k, node in nodes.nodes.items()})
    for _ in range(2):
        current = Round(plan, state, SECRET)
        for k, raw in nodes.exchange(current.requests()):
            current.offer(k, raw)
        state, _ = current.close()
    requests = Round(plan, state, SECRET).requests()
    answers = {k: nodes.nodes[k].answer(raw) for k, raw in requests.items()}
    return plan, nodes, state, requests, answers


@cache
def _in_step(step: SumStep):
    """A federation in a step of the secure sum of its second round, and an ask and an answer of each node."""
    grid = FixedScaleQuantization(16, 4.0)
    federation = nodes_of(regression(compressor=grid, participation=Everyone(), secure_sum=True))
    plan, nodes, state = with_identities(federation, SECRET)
    state = federate(plan, nodes, state, 1, secret=SECRET)
    current = Round(plan, state, SECRET)
    for _ in range(plan.steps.index(step)):
        for k, raw in nodes.exchange(current.requests()):
            current.offer(k, raw)
        current.go_on()
    asks = current.requests()
    answers = {k: nodes.nodes[k].answer(raw) for k, raw in asks.items()}
    return current, nodes, asks, answers


def tries(rng: Random) -> Iterator[Try]:
    """Spoilt requests for a node, and spoilt answers for a server, by turns."""
    while True:
        step = rng.choice(list(SumStep)) if rng.random() < 0.2 else None
        if step is None:
            _, nodes, _, requests, answers = _standing()
        else:
            _, nodes, requests, answers = _in_step(step)
        k = rng.choice(sorted(requests))
        for to_node, good in ((True, requests[k]), (False, answers[k])):
            how = rng.choice([_bytes, _header, _fields])
            raw = how(rng, good)
            side = "request" if to_node else "answer"
            what = f"{side} for node {k}, {how.__name__[1:]}, {raw[:60]!r}…{len(raw)}"
            if to_node:
                yield Try(what, lambda a=(nodes.nodes[k], requests[k], answers[k], raw): _node(*a))
            elif step is None:
                yield Try(what, lambda k=k, raw=raw: _server(k, raw))
            else:
                yield Try(what, lambda step=step, k=k, raw=raw: _sum(step, k, raw))


def _node(node: Node, request: bytes, before_it: bytes, raw: bytes) -> str | None:
    """A node answers by one of four messages, keeps its state when it refuses, and then serves the real server."""
    before = node.store.read()
    try:
        answer = from_bytes(node.answer(raw), *ANSWERS, secret=SECRET)
        if isinstance(answer, Refusal) and node.store.read() != before:
            return "a refusal that changed the state"
        if isinstance(answer, Refusal) and not (answer.reason.isprintable() and len(answer.reason) <= 300):
            return "a reason that is not one short line"
    finally:
        node.store.write(before)
    return None if node.answer(request) == before_it else "the node no longer answers as before"


def _sum(step: SumStep, k: int, raw: bytes) -> str | None:
    """A server says in a line what it thinks of it; the sum is made or not, and no term is out of its range."""
    current, nodes = deepcopy(_in_step(step)[:2])
    answers = _in_step(step)[3]
    for other, answer in answers.items():
        said = current.offer(other, raw if other == k else answer)
        if not (said.isprintable() and 0 < len(said) <= 300):
            return f"said {said!r}"
    try:
        while current.go_on():
            for other, answer in nodes.exchange(current.requests()):
                current.offer(other, answer)
        after, _ = current.close()
    except NobodyAnswered:
        return None
    most = len(current.plan.clients) * current.plan.compressor.scale * current.plan.alpha * 2.0  # in two rounds
    return None if np.abs(after.V).max() <= most else f"V = {after.V}"


def _server(k: int, raw: bytes) -> str | None:
    """A server says in a line what it thinks of it; the round closes, and V stays the sum of the shares."""
    plan, _, state, _, answers = _standing()
    current = Round(plan, state, SECRET)
    current.requests()
    for other, answer in answers.items():
        said = current.offer(other, raw if other == k else answer)
        if not (said.isprintable() and 0 < len(said) <= 300):
            return f"said {said!r}"
    after, report = current.close()
    if not np.allclose(after.V, after.W.sum(axis=0), rtol=0, atol=1e-9 * (1 + np.abs(after.W).max())):
        return f"V is not the sum of the shares after {report}"
    if not np.isfinite(after.x).all() or np.abs(after.x).max() > 1e8:
        return f"x = {after.x} after {report}"
    return None


def _signed(body: bytes, rng: Random) -> bytes:
    return MAGIC + hmac.digest(SECRET if rng.random() < 0.9 else b"", body, "sha256") + body


def _bytes(rng: Random, good: bytes) -> bytes:
    """Bits turned, bytes cut, added, repeated or put elsewhere; signed again or not."""
    raw = bytearray(good if rng.random() < 0.95 else rng.randbytes(rng.randrange(400)))
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(raw) + 1)
        match rng.randrange(5):
            case 0 if place < len(raw):
                raw[place] ^= 1 << rng.randrange(8)
            case 1:
                del raw[place:]
            case 2:
                raw[place:place] = rng.randbytes(rng.randrange(1, 40))
            case 3:
                raw += raw[: rng.randrange(200)]
            case _:
                del raw[place : place + rng.randrange(20)]
    return _signed(bytes(raw[36:]), rng) if rng.random() < 0.6 else bytes(raw)


def _any(rng: Random, depth: int = 0) -> Any:
    """Any JSON."""
    if depth < 3 and rng.random() < 0.3:
        return [_any(rng, depth + 1) for _ in range(rng.randrange(4))]
    if depth < 3 and rng.random() < 0.15:
        return {rng.choice(["kind", "plain", "t", "x", ""]): _any(rng, depth + 1) for _ in range(rng.randrange(3))}
    return rng.choice([None, True, False, 1.5, 1e400, *NUMBERS, *TEXTS, "f8", "i8", "u1", "Reply", "Request"])


def _header(rng: Random, good: bytes) -> bytes:
    """A header whose parts are others, over the arrays as they are."""
    length = int.from_bytes(good[36:40], "little")
    header, rest = json.loads(good[40 : 40 + length]), good[40 + length :]
    for _ in range(rng.randrange(1, 3)):
        where: Any = rng.choice([header, header, header.get("plain"), header.get("arrays")])
        if isinstance(where, dict) and where:
            where[rng.choice(sorted(where))] = _any(rng)
        elif isinstance(where, list) and where:
            row = rng.choice(where)
            if isinstance(row, list) and row:
                row[rng.randrange(len(row))] = _any(rng)
            else:
                where[rng.randrange(len(where))] = _any(rng)
    text = json.dumps(header).encode() if rng.random() < 0.97 else b"[" * 50_000
    size = len(text) if rng.random() < 0.9 else rng.choice([0, 1, 2**32 - 1, len(text) + 7])
    return _signed(size.to_bytes(4, "little") + text + rest, rng)


def _fields(rng: Random, good: bytes) -> bytes:
    """A message of the right form with wrong content, or of another kind."""
    message = from_bytes(good, Request, Ask, *ANSWERS, secret=SECRET)
    if rng.random() < 0.15:
        message = rng.choice([Refusal(message.key, message.node, rng.choice(TEXTS)),
                              Lost(message.key, message.node, rng.choice(NUMBERS), rng.randbytes(32)),
                              Reply(message.key, message.node, 3, bytes(32),
                              rng.randbytes(rng.randrange(80)))])  # fmt: skip
    for _ in range(rng.randrange(1, 3)):
        name = rng.choice(sorted(vars(message)))
        message = replace(message, **{name: _spoilt(rng, getattr(message, name))})
    return to_bytes(message, SECRET)


def _spoilt(rng: Random, value: Any) -> Any:
    if isinstance(value, int):
        return rng.choice(NUMBERS)
    if isinstance(value, str):
        return rng.choice(TEXTS)
    if isinstance(value, bytes):
        raw = bytearray(value)
        if len(raw) >= 8 and rng.random() < 0.5:
            raw[:8] = np.array([rng.choice(FLOATS)]).tobytes()
        elif raw:
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        return bytes(raw) if rng.random() < 0.7 else rng.randbytes(rng.choice([0, 1, 16, 32, 33, 300]))
    array = value.copy()
    if array.ndim == 2 and array.size and rng.random() < 0.7:
        array[rng.randrange(len(array)), rng.randrange(array.shape[1])] ^= 1 << rng.randrange(8)
        return array
    if array.ndim == 1 and array.size and rng.random() < 0.7:
        array[rng.randrange(array.size)] = rng.choice(FLOATS if array.dtype.kind == "f" else (-1, 0, 1, 99, 2**62))
        return array
    return array[: rng.randrange(array.size + 1)] if rng.random() < 0.5 else np.tile(array, rng.randrange(3))
