"""A federation of real processes on this machine: a superlink, a supernode per node, and the run. One may be killed.

The same programs run on several hosts; the page "Many machines" has their command lines, with TLS and node keys. What
runs here listens and connects on 127.0.0.1 alone, without encryption; its messages are signed with a secret that no
other user of this machine can read, and on Linux its servers answer no other user, see `same_user`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from fedmm_edu.distributed import same_user
from fedmm_edu.distributed.flower import RunConfig
from fedmm_edu.distributed.relay import free_port
from fedmm_edu.distributed.secret import SECRET_AT, write_secret
from fedmm_edu.distributed.simulation import QUIET
from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.files import write_text

APP = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "fedmm-federation"
version = "1.0.0"
description = "FedMM over Flower"
license = "MIT"
dependencies = []

[tool.flwr.app]
publisher = "local"

[tool.flwr.app.components]
serverapp = "fedmm_app:server_app"
clientapp = "fedmm_app:client_app"

[tool.flwr.app.config]
{config}"""
CODE = """\
from fedmm_edu.distributed.flower import client_app, server_app

__all__ = ["client_app", "server_app"]
"""
CONNECTION = """\
[superlink]
default = "fedmm"

[superlink.fedmm]
address = "127.0.0.1:{port}"
insecure = true
"""


JOB = "job.npz"
"""The job of a node, in its folder, where it has one of its own."""


class RunFailed(FedMMError):
    """A process of the federation ended, or the run did not; the message names the file with its output."""


def write_app(folder: Path, settings: RunConfig) -> Path:
    """Write the Flower app of a run: two imports, and the settings as its configuration.

    A folder with another project in it is refused, and stays as it is.
    """
    own = {"pyproject.toml": APP[: APP.index("version")], "fedmm_app.py": CODE}
    for name, beginning in own.items():
        if (folder / name).exists() and not (folder / name).read_bytes().startswith(beginning.encode()):
            raise InvalidInput(f"{folder / name} is not of an app of ours: choose a new folder for the app.")
    write_text(folder / "pyproject.toml", APP.format(config=_table(asdict(settings))))
    write_text(folder / "fedmm_app.py", CODE)
    return folder


def _table(values: Mapping[str, str | float]) -> str:
    """Names and values as TOML writes them; its strings are those of JSON, but for the character 127."""
    texts = {name: json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") for name, value in values.items()}
    return "".join(f"{name} = {text}\n" for name, text in texts.items())


@dataclass(frozen=True)
class Kill:
    """Kill node `who`, the "server" or "all" processes with signal 9 in round `round`, as soon as that node (for the
    others node 0) has written its state. Start them again after `pause` seconds, from their files; with `wipe`, a node
    without its file."""

    who: int | Literal["server", "all"]
    round: int
    pause: float = 5.0
    wipe: bool = False


@dataclass(eq=False)
class Processes:
    """The processes of a federation, their folder, and the port of the superlink."""

    folder: Path
    port: int
    running: dict[str, subprocess.Popen]

    def start(self, name: str, program: str, *arguments: str) -> subprocess.Popen:
        """Start a program of Flower, its output in `NAME.log`; what it writes is for its owner alone."""
        scripts, secret = sysconfig.get_path("scripts"), write_secret(self.folder / "secret")
        environment = os.environ | QUIET | {
            "FLWR_HOME": str(self.folder / "flwr"), "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1", SECRET_AT: str(secret), "PYTHONSAFEPATH": "1",
            "PATH": scripts + os.pathsep + os.environ["PATH"],
        }  # fmt: skip
        line = [sys.executable, "-m", same_user.__name__, program, *arguments]
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                line, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                env=environment, cwd=self.folder, start_new_session=True, umask=0o077,
            )  # fmt: skip
        self.running[name] = process
        return process

    def start_superlink(self) -> None:
        """Start the superlink, and wait until it listens. Its file lets the nodes that it knew go on after its end."""
        self.start(
            "superlink", "flower-superlink", "--insecure", "--host", "127.0.0.1", "--port", str(self.port),
            "--disable-runtime-dependency-installation", "--database", str(self.folder / "superlink.db"),
        )  # fmt: skip
        _wait_for_port(self, self.port)

    def start_node(self, k: int) -> None:
        """Start supernode k, with a folder of its own for its state."""
        home = self.folder / f"node-{k}"
        own = {"partition-id": k, "state": str(home)}
        if (home / JOB).exists():
            own["job"] = str(home / JOB)
        config = write_text(home / "config.toml", _table(own))
        self.start(
            f"supernode-{k}", "flower-supernode", "--insecure", "--superlink", f"127.0.0.1:{self.port}",
            "--port", str(free_port()), "--node-config", str(config),
        )  # fmt: skip

    def kill(self, name: str, *, gently: bool = False) -> None:
        """End a process and its children at once (signal 9), or ask them to (`gently`), and wait for its end."""
        process = self.running.pop(name)
        _end(process, gently)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            _end(process)
            process.wait()


def _end(process: subprocess.Popen, gently: bool = False) -> None:
    """Signal a process and its children, which share its group; Windows has neither groups nor signal 9."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM if gently else signal.SIGKILL)


@contextmanager
def deployment(folder: Path, settings: RunConfig) -> Iterator[Processes]:
    """A superlink and its supernodes, which end with the block."""
    port = free_port()
    write_text(folder / "flwr" / "config.toml", CONNECTION.format(port=port))
    processes = Processes(folder, port, {})
    try:
        processes.start_superlink()
        for k in range(settings.nodes):
            processes.start_node(k)
        yield processes
    finally:
        for name in reversed(list(processes.running)):  # the run before the superlink that it listens to
            processes.kill(name, gently=True)


def run_processes(folder: Path, settings: RunConfig, kill: Kill | None = None, show: Callable = print) -> None:
    """Run the job over real processes; the result is the server's checkpoint. `show` gets the lines of the server."""
    folder = folder.resolve()
    write_app(folder / "app", settings)
    with deployment(folder, settings) as processes:
        show(f"superlink on 127.0.0.1:{processes.port}, {settings.nodes} supernodes; their output: {folder}/*.log")
        if not _one_run(processes, settings, kill, show):
            _one_run(processes, settings, None, show)


def _one_run(processes: Processes, settings: RunConfig, kill: Kill | None, show: Callable) -> bool:
    """Whether the run came to its end; False when its server was killed on purpose, and stands again."""
    log = processes.folder / "run.log"
    log.unlink(missing_ok=True)
    run = processes.start("run", "flwr", "run", str(processes.folder / "app"), "fedmm", "--stream")
    for line in _lines(processes, run, log):
        show(f"  server: {line}")
        if line.startswith(f"round {settings.rounds}/"):
            return True
        if kill is not None and line.startswith(f"round {kill.round - 1}/"):
            _kill_in_round(processes, kill, show)
            if kill.who in ("server", "all"):
                return False
    raise RunFailed(f"the run ended before round {settings.rounds}: see {log}.")


def _kill_in_round(processes: Processes, kill: Kill, show: Callable) -> None:
    """Kill as soon as the node's file changes: its V_i may move, and nobody knows whether the server heard of it."""
    k = kill.who if isinstance(kill.who, int) else 0
    file = processes.folder / f"node-{k}" / f"node-{k}"
    before, end = file.stat().st_mtime_ns, time.monotonic() + 60.0
    while file.stat().st_mtime_ns == before and time.monotonic() < end:
        time.sleep(0.002)
    nodes = [name for name in processes.running if name.startswith("supernode-")]
    server = ["run", "superlink"]
    dying = [*server, *nodes] if kill.who == "all" else server if kill.who == "server" else [f"supernode-{k}"]
    for name in dying:
        processes.kill(name)
    show(f"killed {', '.join(dying)} (kill -9) in round {kill.round}, after node {k} wrote its state")
    if kill.wipe:
        file.unlink()
        show(f"removed the state of node {k}")
    time.sleep(kill.pause)
    for name in dying:
        if name == "superlink":
            processes.start_superlink()
        elif name in nodes:
            processes.start_node(int(name.removeprefix("supernode-")))
    show(f"started {', '.join(dying)} again")


def _lines(processes: Processes, run: subprocess.Popen, path: Path) -> Iterator[str]:
    """The lines that our server prints, as they come, until the run ends or a process of it dies."""
    with open(path, encoding="utf-8", errors="replace") as file:
        part = ""
        while True:
            ended = run.poll() is not None
            part += file.read()
            *whole, part = part.split("\n")
            for line in whole:
                for word in ("round ", "nodes are there", "Error"):
                    if word in line:
                        yield line[line.index("round ") :].strip() if word == "round " else line.strip()
                        break
            if ended:
                return
            dead = [name for name, p in processes.running.items() if name != "run" and p.poll() is not None]
            if dead:
                raise RunFailed(f"{dead[0]} ended: see {processes.folder / dead[0]}.log.")
            time.sleep(0.02)


def _wait_for_port(processes: Processes, port: int, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if processes.running["superlink"].poll() is not None:
            break
        time.sleep(0.1)
    raise RunFailed(f"the superlink does not listen: see {processes.folder / 'superlink.log'}.")
