"""The loop of rounds over any engine: an engine carries bytes to nodes and brings bytes back, nothing else."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from fedmm_edu.algorithms import FedMM
from fedmm_edu.arrays import Indices
from fedmm_edu.distributed.node import Node
from fedmm_edu.distributed.plan import Plan
from fedmm_edu.distributed.server import Report, Round
from fedmm_edu.distributed.state import ServerState, load_checkpoint, new_session, save_checkpoint
from fedmm_edu.distributed.store import InMemory
from fedmm_edu.errors import StateMismatch, as_count
from fedmm_edu.faces import Faces
from fedmm_edu.federation import Clients


class Engine(Faces):
    """Carries requests to nodes. It may lose, repeat, delay or damage what it carries: the protocol copes.

    secret: with which its nodes know the server, see `secret`.
    """

    secret: bytes = b""

    @abstractmethod
    def exchange(self, requests: Mapping[int, bytes]) -> Iterator[tuple[int | None, bytes]]:
        """Send requests[k] to node k; yield (k, bytes) for what comes back, in any order, until it has come or time
        is up. k is None where the engine does not know the sender."""

    def close(self) -> None:
        """End what the engine started; a fit that made it calls this at its end."""


@dataclass(frozen=True, eq=False)
class InProcess(Engine):
    """Nodes in this process."""

    nodes: Mapping[int, Node]

    def exchange(self, requests: Mapping[int, bytes]) -> Iterator[tuple[int | None, bytes]]:
        for k, raw in requests.items():
            yield k, self.nodes[k].answer(raw)


def in_process(fed: FedMM, plan: Plan) -> InProcess:
    """The nodes of `plan` in this process, with the data of `fed`, and their states in memory."""
    return InProcess({k: Node(plan, k, part(fed.clients, who), InMemory()) for k, who in enumerate(plan.nodes)})


def part(clients: Clients, who: Indices) -> Clients:
    """The data of some clients alone, as their node holds it."""
    z = clients.z[clients.indices(who)]
    return Clients.of_rows(z, clients.offsets[who + 1] - clients.offsets[who])


def federate(
    plan: Plan,
    engine: Engine,
    start: ServerState,
    rounds: int,
    *,
    attempts: int = 2,
    patience: int = 10,
    share: bool = True,
    secret: bytes = b"",
    checkpoint: str | Path | None = None,
    after_round: Callable[[ServerState, Report], None] | None = None,
) -> ServerState:
    """Run until round `rounds`. A node that has not answered, or has lost its V_i, is asked again, `attempts` times
    in all; the round then goes on without it. While nobody at all has answered, the round waits: all are asked
    `patience` times as often before `NobodyAnswered` is raised.

    Requests are signed with `secret`, and what is not is no answer; see `secret.deployment_secret`.

    With `checkpoint`, the state is written after each round, before anybody learns of it, and a run that was killed
    goes on from there (`StateMismatch` where it is ahead). Without, a killed server has to start anew. A state from
    which no round can begin is not written: `Diverged` is raised, and the checkpoint keeps the last good one.
    """
    as_count("rounds", rounds)
    as_count("attempts", attempts)
    as_count("patience", patience)
    state = replace(start if checkpoint is None else load_checkpoint(checkpoint, plan, start), session=new_session())
    if state.t > rounds:
        raise StateMismatch(f"the checkpoint holds round {state.t}, and rounds = {rounds}: ask for as many at least.")
    current = Round(plan, state, secret)
    while state.t < rounds:
        state, report = _played(current, engine, attempts, patience, share)
        current = Round(plan, state, secret)
        if checkpoint is not None:
            save_checkpoint(checkpoint, plan, start, state)
        if after_round is not None:
            after_round(state, report)
    return state


def one_round(
    plan: Plan, engine: Engine, state: ServerState, *, attempts: int = 2, patience: int = 1, share: bool = True
) -> tuple[ServerState, Report]:
    """One round of Algorithm 2 over the engine; see `federate`."""
    return _played(Round(plan, state, engine.secret), engine, attempts, patience, share)


def _played(current: Round, engine: Engine, attempts: int, patience: int, share: bool) -> tuple[ServerState, Report]:
    _exchanged(current, engine, attempts, patience)
    while current.go_on():
        _exchanged(current, engine, attempts, patience)
    return current.close(share=share)


def _exchanged(current: Round, engine: Engine, attempts: int, patience: int) -> None:
    left = attempts * patience
    while left > 0 and (requests := current.requests()):
        if current.answered and left <= attempts * (patience - 1):
            break
        left -= 1
        verdicts = [current.offer(sender, raw) for sender, raw in engine.exchange(requests)]
        left += "re-based" in verdicts  # what a node lost is not an attempt of its; it happens once a node and round
