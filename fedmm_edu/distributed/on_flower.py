"""Rounds in this process, messages over real ones: what `engine="flower"` of the estimators is. Needs `distributed`.

Flower starts its server part in a process of its own, from where a relay passes on what this process asks of the nodes;
the rounds, and what watches them, stay here. Each node is a supernode with a file of its own: the plan and its rows.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from fedmm_edu.algorithms import FedMM
from fedmm_edu.distributed.engine import Engine, part
from fedmm_edu.distributed.flower import RunConfig
from fedmm_edu.distributed.jobs import Job
from fedmm_edu.distributed.loopback import JOB, Processes, RunFailed, deployment, write_app
from fedmm_edu.distributed.plan import Plan
from fedmm_edu.distributed.relay import called, frames, line_in, send
from fedmm_edu.distributed.secret import write_secret
from fedmm_edu.errors import in_interval

LOOK = 0.2
"""Seconds between two looks whether the processes are still there."""
FAILED = "failed"
"""A file in the folder of a run that failed, whose logs are to stay."""


@dataclass(frozen=True)
class OnFlower:
    """Makes an engine of Flower's processes on this machine, one node a client, which end with the run.

    timeout: seconds to wait for answers in one exchange. Rows and logs lie in a folder that nobody else can read; it
    goes with the processes, its logs stay where a run failed.
    """

    timeout: float = 60.0

    def __call__(self, fed: FedMM, plan: Plan) -> Relayed:
        in_interval("timeout", self.timeout, low=0.0, high=3600.0, open_low=True)
        folder = Path(tempfile.mkdtemp(prefix="fedmm-flower-")).resolve()
        address = line_in(folder)
        settings = RunConfig(nodes=len(plan.nodes), timeout=self.timeout, state=str(folder), relay=address)
        nowhere = np.zeros(plan.dim)  # nodes are told the point in each round
        job = Job(plan, nowhere, lambda k: part(fed.clients, plan.nodes[k]))
        with ExitStack() as stack:
            stack.callback(_swept, folder)
            for k in range(settings.nodes):
                job.write(folder / f"node-{k}" / JOB, k)
            write_app(folder / "app", settings)
            secret = write_secret(folder / "secret").read_bytes()
            processes = stack.enter_context(deployment(folder, settings))
            processes.start("run", "flwr", "run", str(folder / "app"), "fedmm", "--stream")
            line = stack.enter_context(_called(processes, address, secret, settings.wait + self.timeout))
            return Relayed(processes, line, secret, stack.pop_all())


@dataclass(eq=False)
class Relayed(Engine):
    """The engine on this side of the relay."""

    processes: Processes
    line: Connection
    secret: bytes = field(repr=False)
    stack: ExitStack
    silent: bool = field(default=False, init=False)

    def exchange(self, requests: Mapping[int, bytes]) -> Iterator[tuple[int | None, bytes]]:
        """`RunFailed` where a process has ended, or where nobody answers twice."""
        came = 0
        try:
            send(self.line, requests.items())
            while not self.line.poll(LOOK):
                _alive(self.processes)
            for found in frames(self.line):
                came += 1
                yield found
        except (EOFError, OSError) as error:
            raise _failed(self.processes, "the relay ended") from error
        if not came and self.silent:
            raise _failed(self.processes, "no node answered, twice")
        self.silent = not came

    def close(self) -> None:
        """End the processes, and remove their folder."""
        self.stack.close()


def _called(processes: Processes, address: str, secret: bytes, seconds: float) -> Connection:
    """The line to the relay, once it listens."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            return called(address, secret)
        except (ConnectionRefusedError, FileNotFoundError):
            _alive(processes)
            time.sleep(LOOK)
    raise _failed(processes, f"the relay does not listen after {seconds:g} seconds")


def _alive(processes: Processes) -> None:
    ended = [name for name, process in processes.running.items() if process.poll() is not None]
    if ended:
        raise _failed(processes, f"{ended[0]} ended")


def _failed(processes: Processes, why: str) -> RunFailed:
    (processes.folder / FAILED).touch()
    return RunFailed(f"{why}: see {processes.folder}/*.log.")


def _swept(folder: Path) -> None:
    """Remove the folder of a run; of one that failed the rows, the states and the secret."""
    if not (folder / FAILED).exists():
        return shutil.rmtree(folder, ignore_errors=True)
    for path in [*folder.glob("node-*"), folder / "app", folder / "flwr"]:
        shutil.rmtree(path, ignore_errors=True)
    (folder / "secret").unlink(missing_ok=True)
    return None
