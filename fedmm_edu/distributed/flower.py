"""FedMM on Flower: a ServerApp and a ClientApp that carry the protocol's bytes. Needs the extra `distributed`.

Flower's part is to know the nodes, to bring messages to them and back, and to keep strangers out (TLS, node keys).
The rounds are ours: Flower's strategies average parameters with normalised weights, which is another algorithm.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from fedmm_edu.distributed.engine import Engine, federate
from fedmm_edu.distributed.jobs import Job, job_of
from fedmm_edu.distributed.node import Node
from fedmm_edu.distributed.relay import relay
from fedmm_edu.distributed.secret import deployment_secret, read_private
from fedmm_edu.distributed.server import Report
from fedmm_edu.distributed.state import ServerState
from fedmm_edu.distributed.store import File
from fedmm_edu.errors import InvalidInput, needs

with needs("distributed", "federating over Flower"), warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # two packages under Flower deprecate each other
    from flwr.app import ConfigRecord, Context, Message, MessageType, RecordDict
    from flwr.clientapp import ClientApp
    from flwr.serverapp import Grid, ServerApp

RECORD, BYTES, PLACE = "fedmm", "bytes", "node"
POLL = 0.1
"""Seconds between two looks for replies."""


@dataclass(frozen=True)
class RunConfig:
    """What a run is started with, the same words as in `--run-config`.

    job: "module:function", see `jobs`; nodes, rounds, attempts: as in `federate`; timeout: seconds to wait for answers
    in one exchange; wait: seconds to wait for all nodes at the start; state: the folder of a node's file, unless the
    node's own configuration names another; checkpoint: the server's file. relay: the address at which another
    process plays the rounds, see `relay`; empty where they are played here.
    """

    job: str = ""
    nodes: int = 4
    rounds: int = 30
    attempts: int = 2
    timeout: float = 60.0
    wait: float = 60.0
    state: str = "state"
    checkpoint: str = "state/server"
    relay: str = ""

    @staticmethod
    def of(run_config: Mapping[str, Any]) -> RunConfig:
        """The settings of a Flower run configuration."""
        known: dict[str, Any] = {f.name: type(f.default) for f in fields(RunConfig)}
        wrong = {k: v for k, v in run_config.items() if k not in known or not isinstance(v, (known[k], int))}
        if wrong:
            raise InvalidInput(f"the run configuration has {wrong}: use {', '.join(known)}, each with its type.")
        return RunConfig(**{name: known[name](value) for name, value in run_config.items()})


@dataclass(eq=False)
class GridEngine(Engine):
    """Flower's grid. Its node ids are random, and new after a restart: each new id is asked which node it is.

    Where several say that they are the same node, the one that came first is asked until it does not answer, then the
    next: a node that turns up twice is never pushed out for good. `warn` is told of it.
    """

    grid: Grid
    nodes: int
    timeout: float
    warn: Callable[[str], object] = print
    _where: dict[int, list[int]] = field(default_factory=dict, init=False)
    _known: set[int] = field(default_factory=set, init=False)

    def exchange(self, requests: Mapping[int, bytes]) -> Iterator[tuple[int | None, bytes]]:
        self.look_around()
        here = {k: self._where[k][0] for k in requests if k in self._where}
        records = {k: RecordDict({RECORD: ConfigRecord({BYTES: requests[k]})}) for k in here}
        sent = [self._message(records[k], here[k], MessageType.TRAIN) for k in here]
        names, silent = {node_id: k for k, node_id in here.items()}, set(here)
        for reply in self._ask(sent):
            raw, k = None if reply.has_error() else _content(reply).get(BYTES), names.get(reply.metadata.src_node_id)
            if isinstance(raw, bytes):
                silent.discard(k)
                yield k, raw
        for k in silent:
            self._where[k].append(self._where[k].pop(0))

    def look_around(self) -> int:
        """Ask the ids that are new which node they are; how many nodes there are."""
        ids = set(self.grid.get_node_ids())
        there = {k: [node_id for node_id in claims if node_id in ids] for k, claims in self._where.items()}
        self._where, self._known = {k: claims for k, claims in there.items() if claims}, self._known & ids
        new = ids - self._known
        if new:
            asked = [self._message(RecordDict(), node_id, MessageType.QUERY) for node_id in sorted(new)]
            for reply in self._ask(asked):
                place = None if reply.has_error() else _content(reply).get(PLACE)
                if isinstance(place, int):
                    self._known.add(reply.metadata.src_node_id)
                    if 0 <= place < self.nodes:
                        self._claim(place, reply.metadata.src_node_id)
        return len(self._where)

    def _claim(self, place: int, node_id: int) -> None:
        claims = self._where.setdefault(place, [])
        claims.append(node_id)
        if len(claims) > 1:
            self.warn(f"{len(claims)} nodes say that they are node {place}: the first is asked as long as it answers")

    def _message(self, content: RecordDict, node_id: int, kind: str) -> Message:
        """A message that Flower drops when nobody waits for its answer any more, so that no node works through a heap
        of old requests when it comes back. (Flower's own limit is 12 hours.)"""
        return Message(content=content, dst_node_id=node_id, message_type=kind, ttl=self.timeout)

    def _ask(self, messages: list[Message]) -> Iterator[Message]:
        """Replies as they come. (`Grid.send_and_receive` looks for them every 3 seconds only.)"""
        open_, end = set(self.grid.push_messages(messages)), time.monotonic() + self.timeout
        while open_:
            for reply in self.grid.pull_messages(open_):
                open_.discard(reply.metadata.reply_to_message_id)
                yield reply
            if time.monotonic() > end:
                return
            if open_:
                time.sleep(POLL)

    def wait_for_all(self, seconds: float) -> int:
        """Wait until all nodes are there, or time is up; how many there are."""
        end = time.monotonic() + seconds
        while (found := self.look_around()) < self.nodes and time.monotonic() < end:
            time.sleep(0.2)
        return found


def make_server_app(settings: RunConfig | None = None, show=print) -> ServerApp:
    """The ServerApp: the loop of rounds over the grid. Without `settings` they come from the run configuration."""
    app = ServerApp()

    @app.main()
    def main(grid: Grid, context: Context) -> None:
        given = settings or RunConfig.of(context.run_config)
        if given.relay:
            relay(_engine(grid, given, show), given.relay, deployment_secret())
        else:
            serve(grid, given, show)

    return app


def serve(grid: Grid, settings: RunConfig, show=print) -> ServerState:
    """Run the job over the grid, from the checkpoint where there is one; `show` gets a line a round."""
    job = job_of(settings.job, settings.nodes)
    engine = _engine(grid, settings, show)

    def line(state: ServerState, report: Report) -> None:
        show(described(report, settings.rounds))

    return federate(
        job.plan, engine, job.start, settings.rounds, attempts=settings.attempts, checkpoint=settings.checkpoint,
        after_round=line, secret=deployment_secret(),
    )  # fmt: skip


def _engine(grid: Grid, settings: RunConfig, show) -> GridEngine:
    """The engine of a run, when its nodes are there or time is up."""
    engine = GridEngine(grid, settings.nodes, settings.timeout, show)
    show(f"{engine.wait_for_all(settings.wait)} of {settings.nodes} nodes are there")
    return engine


def described(report: Report, rounds: int) -> str:
    """A round in one line."""
    silent = sorted(set(report.asked) - set(report.arrived))
    text = f"round {report.t}/{rounds}: {len(report.arrived)} of {len(report.asked)} nodes answered"
    text += f", without {silent}" if silent else ""
    text += f", re-based {list(report.rebased)}" if report.rebased else ""
    return text + "".join(f"; node {k} refused: {why}" for k, why in report.refused)


def make_client_app(settings: RunConfig | None = None) -> ClientApp:
    """The ClientApp: node `partition-id` of the job.

    The node's own configuration goes before the run's, which somebody else sends: `state`, the folder of its file;
    `job`, the only one that it makes; `plan`, the key of the only plan that it follows; `identity`, the file of its
    private key, where the plan names the identities of nodes.
    """
    app = ClientApp()

    @app.query()
    def query(message: Message, context: Context) -> Message:
        place = int(context.node_config["partition-id"])
        return Message(RecordDict({RECORD: ConfigRecord({PLACE: place})}), reply_to=message)

    @app.train()
    def train(message: Message, context: Context) -> Message:
        given, own = settings or RunConfig.of(context.run_config), context.node_config
        k, folder = int(own["partition-id"]), Path(str(own.get("state", given.state)))
        job: Job = job_of(str(own.get("job", given.job)), given.nodes)
        if own.get("plan", job.plan.key) != job.plan.key:
            raise InvalidInput(f"node {k} was given the plan {own['plan']}, and this is {job.plan.key}: refused.")
        identity = read_private(str(own["identity"]), "identity") if "identity" in own else b""
        node = Node(job.plan, k, job.data(k), File(folder / f"node-{k}"), deployment_secret(), identity)
        answer = node.answer(_content(message)[BYTES])
        return Message(RecordDict({RECORD: ConfigRecord({BYTES: answer})}), reply_to=message)

    return app


def _content(message: Message) -> Mapping[str, Any]:
    """The record of ours in a message; empty where there is none."""
    record = message.content.get(RECORD)
    return record if isinstance(record, ConfigRecord) else {}


server_app = make_server_app()
client_app = make_client_app()
