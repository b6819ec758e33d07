"""The commands of the page "Many machines" for several hosts, run as they stand on this one: `make federate-hosts`.

TLS with a certificate authority of its own, three nodes whose keys are registered and one whose key is not. Paths, the
server's name and the ports are replaced by those of a temporary folder on the loopback; nothing else is.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from fedmm_edu.distributed.jobs import job_of
from fedmm_edu.distributed.loopback import free_port
from fedmm_edu.distributed.state import load_checkpoint
from fedmm_edu.studies.faults.survival import reference

PAGE = Path(__file__).parents[2] / "book" / "many_machines.md"
NODES, STRANGER, ROUNDS = 3, 3, 6


def blocks(page: str) -> dict[str, str]:
    """The page's blocks that are commands or files, by the comment (or header) in their first line."""
    found = re.findall(r"^```(?:bash|toml|python)\n(?:# )?(.*?)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return {name: (f"{name}\n" if name.startswith("[") else "") + text for name, text in found}


class Hosts:
    """The commands, with the names of this machine, and the processes that they started."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.running, self.port = folder, {}, str(free_port())
        self.blocks = blocks(PAGE.read_text("utf-8"))

    def text(self, name: str, K: int = 0) -> str:
        """A block for node K on this machine."""
        local = {"server.example": "localhost", "0.0.0.0": "127.0.0.1", ":8000": f":{self.port}",
                 "--port 8000": f"--port {self.port}", "--port 9094": f"--port {free_port()}",
                 "/var/lib/fedmm": str(self.folder), "/path/to": str(self.folder), "K=0": f"K={K}"}  # fmt: skip
        found = self.blocks[name]
        for theirs, ours in local.items():
            found = found.replace(theirs, ours)
        return found

    def start(self, name: str, K: int = 0) -> subprocess.Popen:
        """Run a block in a shell, after that for every host; its output goes to a file."""
        environment = os.environ | {
            "FLWR_HOME": str(self.folder / "flwr"), "PYTHONPATH": str(self.folder), "PYTHONUNBUFFERED": "1",
            "PATH": str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"],
        }  # fmt: skip
        with open(self.folder / f"{name.split(':')[-1].strip()}-{K}.log", "ab") as log:
            process = subprocess.Popen(
                ["bash", "-e", "-c", self.text("every host", K) + self.text(name, K)], cwd=self.folder,
                env=environment, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        self.running[name, K] = process
        return process

    def finish(self, name: str, K: int = 0, seconds: float = 60.0) -> None:
        """Run a block to its end, which must be a success."""
        if self.start(name, K).wait(seconds) != 0:
            raise SystemExit(f"“{name}” failed: see {self.folder}")

    def end(self) -> None:
        """End what still runs."""
        for process in reversed(self.running.values()):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(30)


def main() -> int:
    """0 when the federated run is that of one process, bit for bit, and the stranger was turned away."""
    folder = Path(tempfile.mkdtemp(prefix="fedmm-hosts-"))
    hosts, rng = Hosts(folder), np.random.default_rng(0)
    print(f"files and logs: {folder}", flush=True)
    (folder / "my_job.py").write_text(hosts.text("my_job.py, installed on all hosts"), "utf-8")
    (folder / "flwr").mkdir()
    (folder / "flwr" / "config.toml").write_text(hosts.text("[superlink]"), "utf-8")
    for k, size in enumerate((300, 200, 500)):
        np.save(folder / f"client-{k}.npy", rng.normal(size=(size, 11)))
    try:
        hosts.finish("server, once: certificates")
        for k in (*range(NODES), STRANGER):
            hosts.finish("node, once: its key", k)
        superlink = hosts.start("server: the superlink")
        log = folder / "the superlink-0.log"
        _wait(lambda: "Uvicorn running" in log.read_text("utf-8") and superlink.poll() is None)
        for k in range(NODES):
            hosts.finish("server, once for each node: its public key", k)
        supernodes = [hosts.start("node: the supernode", k) for k in (*range(NODES), STRANGER)]
        _wait(lambda: supernodes[STRANGER].poll() is not None)
        print("turned away: the node whose key is not registered", flush=True)
        hosts.finish("server: the run", seconds=400)
        sys.path.insert(0, str(folder))
        job = job_of("my_job:job", NODES)
        found = load_checkpoint(folder / "server" / "server", job.plan, job.start)
        same = found.t == ROUNDS and np.array_equal(found.x, reference(job, ROUNDS).x)
        print(f"after {found.t} rounds over TLS: {'bit for bit' if same else 'NOT'} the run in one process")
    finally:
        hosts.end()
    if same:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if same else 1


def _wait(there, seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not there():
        if time.monotonic() > end:
            raise SystemExit("nothing happened in time: see the logs.")
        time.sleep(0.2)


if __name__ == "__main__":
    sys.exit(main())
