"""The commands of the page "Many machines" for several hosts, run as they stand on this one: `make federate-hosts`.

TLS with a certificate authority of its own, three nodes whose keys are registered; and who is to be turned away: a node
whose key is not, an operator who has nothing but `ca.crt`, and a node whose job was changed. Then secure sums, whose
keys the nodes sign with theirs. Paths, the server's name and the ports are replaced by those of a temporary folder on
the loopback; nothing else is.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.distributed import federate
from fedmm_edu.distributed.jobs import Job, job_of
from fedmm_edu.distributed.relay import free_port
from fedmm_edu.distributed.state import load_checkpoint
from fedmm_edu.studies.faults.survival import reference

PAGE = Path(__file__).parents[2] / "book" / "many_machines.md"
NODES, STRANGER, ROUNDS, SECURE = 3, 3, 6, 3
CHANGED = """
class Other(Quadratic):
    def T(self, s):
        return 0.5 * super().T(s)


Quadratic = Other


def job("""


def blocks(page: str) -> dict[str, str]:
    """The page's blocks that are commands or files, by the comment (or header) in their first line."""
    found = re.findall(r"^```(?:bash|toml|python)\n(?:# )?(.*?)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return {name: (f"{name}\n" if name.startswith("[") else "") + text for name, text in found}


class Hosts:
    """The commands, with the names of this machine, and the processes that they started."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.running = folder, {}
        self.port, self.inner = str(free_port()), str(free_port())
        self.blocks = blocks(PAGE.read_text("utf-8"))

    def text(self, name: str, K: int = 0) -> str:
        """A block for node K on this machine."""
        local = {"server.example": "localhost", "0.0.0.0": "127.0.0.1", ":8000": f":{self.port}",
                 ":8001": f":{self.inner}", "--port 8001": f"--port {self.inner}",
                 "--port 9094": f"--port {free_port()}",
                 "/var/lib/fedmm": str(self.folder), "/path/to": str(self.folder), "K=0": f"K={K}"}  # fmt: skip
        found = self.blocks[name]
        for theirs, ours in local.items():
            found = found.replace(theirs, ours)
        return found

    def start(self, name: str, K: int = 0, **other: str) -> subprocess.Popen:
        """Run a block in a shell, after that for every host; its output goes to a file. other: in its environment."""
        ours = os.pathsep.join([str(self.folder), str(PAGE.parents[1])])
        environment = os.environ | {
            "FLWR_HOME": str(self.folder / "flwr"), "PYTHONPATH": ours, "PYTHONUNBUFFERED": "1",
            "PATH": str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"], **other,
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

    def stop(self, name: str, K: int = 0) -> None:
        """End a block that runs, and wait for its end."""
        process = self.running.pop((name, K))
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(60)

    def end(self) -> None:
        """End what still runs."""
        for process in reversed(self.running.values()):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(30)


def main() -> int:
    """0 when the federated runs are those of one process, bit for bit, and all strangers were turned away."""
    folder = Path(tempfile.mkdtemp(prefix="fedmm-hosts-"))
    hosts, rng = Hosts(folder), np.random.default_rng(0)
    print(f"files and logs: {folder}", flush=True)
    for name in ("my_job.py", "my_secure_job.py"):
        (folder / name).write_text(hosts.text(f"{name}, installed on all hosts"), "utf-8")
    (folder / "flwr").mkdir()
    (folder / "flwr" / "config.toml").write_text(hosts.text("[superlink]"), "utf-8")
    for k, size in enumerate((300, 200, 500)):
        np.save(folder / f"client-{k}.npy", rng.normal(size=(size, 11)))
    try:
        good = _begin(hosts) and _a_strange_operator(hosts) and _the_run(hosts) and _a_changed_node(hosts)
        good = good and _secure_sums(hosts)
    finally:
        hosts.end()
    if good:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if good else 1


def _begin(hosts: Hosts) -> bool:
    """Keys, superlink, door and nodes; whether the node whose key is not registered ends."""
    hosts.finish("server, once: certificates")
    hosts.finish("server, once: the secret")
    for k in (*range(NODES), STRANGER):
        hosts.finish("node, once: its key", k)
        hosts.finish("node, once: its configuration", k)
    superlink, log = hosts.start("server: the superlink"), hosts.folder / "the superlink-0.log"
    _wait(lambda: "Uvicorn running" in log.read_text("utf-8") and superlink.poll() is None)
    hosts.start("server: the door")
    _wait(lambda: _listens(int(hosts.port)))
    for k in range(NODES):
        hosts.finish("server, once for each node: its public key", k)
    supernodes = [hosts.start("node: the supernode", k) for k in (*range(NODES), STRANGER)]
    _wait(lambda: supernodes[STRANGER].poll() is not None)
    print("turned away: the node whose key is not registered", flush=True)
    return True


def _a_strange_operator(hosts: Hosts) -> bool:
    """Somebody with `ca.crt` and the address that the nodes use submits an app; whether no run comes of it.

    An operator of the server then submits the very same: his is run.
    """
    folder = hosts.folder / "stranger"
    folder.mkdir()
    address = re.sub(r'address = ".*"', f'address = "localhost:{hosts.port}"', hosts.text("[superlink]"))
    (folder / "config.toml").write_text(address, "utf-8")
    hosts.blocks |= {
        "server: a stranger": f"fedmm federate my_job:job --nodes 3 --rounds 1 --out {folder} --app {folder}/app\n"
        f"flwr run {folder}/app fedmm --stream\n",
        "server: the runs": "flwr list fedmm --format json\n",
    }
    tried = hosts.start("server: a stranger", FLWR_HOME=str(folder)).wait(120)
    said = (hosts.folder / "a stranger-0.log").read_text("utf-8")
    hosts.finish("server: the runs")
    runs = json.loads((hosts.folder / "the runs-0.log").read_text("utf-8"))
    turned = tried != 0 and "wrote" in said and runs["success"] and runs["runs"] == []
    print("turned away: the operator who has nothing but ca.crt" if turned else f"NOT turned away: {said} {runs}")
    return turned


def _the_run(hosts: Hosts) -> bool:
    hosts.finish("server: the run", seconds=400)
    sys.path.insert(0, str(hosts.folder))
    job = job_of("my_job:job", NODES)
    same = _is_that_of_one_process(hosts, "server", job, reference(job, ROUNDS).x, ROUNDS)
    mine = [*hosts.folder.glob("state/node-?"), *hosts.folder.glob("server/server"), hosts.folder / "superlink.db"]
    private = all(path.stat().st_mode & 0o077 == 0 for path in mine if path.is_file())
    print("states and databases are their owner's alone" if private else "NOT private")
    return same and private


def _is_that_of_one_process(hosts: Hosts, name: str, job: Job, x: Array, rounds: int) -> bool:
    found = load_checkpoint(hosts.folder / name / "server", job.plan, job.start)
    same = found.t == rounds and np.array_equal(found.x, x)
    print(f"after {found.t} rounds over TLS: {'bit for bit' if same else 'NOT'} the run in one process", flush=True)
    return same


def _secure_sums(hosts: Hosts) -> bool:
    """The nodes come back with their keys as identities, and sign what they send for each sum."""
    for k in range(NODES):
        hosts.stop("node: the supernode", k)
    hosts.finish("every host, once: who the nodes are")
    for k in range(NODES):
        hosts.finish("node, once: its configuration for secure sums", k)
        (hosts.folder / f"the supernode-{k}.log").unlink()
        hosts.start("node: the supernode", k)
        _wait(lambda k=k: "Starting Flower SuperNode" in _log(hosts, k))
    hosts.finish("server: the run with secure sums", seconds=400)
    job = job_of("my_secure_job:job", NODES)
    plan = replace(job.plan, clients=replace(job.plan.clients, identities=()))
    alone = federate(plan, replace(job, plan=plan).in_process(), job.start, SECURE)
    said = (hosts.folder / "the run with secure sums-0.log").read_text("utf-8")
    whole = f"round {SECURE}/{SECURE}: {NODES} of {NODES} nodes answered" in said
    print("secure sums, signed by all" if whole else f"NOT signed by all: {said}")
    return _is_that_of_one_process(hosts, "secure", job, alone.x, SECURE) and whole


def _a_changed_node(hosts: Hosts) -> bool:
    """Node 2 comes back with another T in its job: one more round goes on without it."""
    changed = hosts.folder / "changed"
    changed.mkdir()
    text = (hosts.folder / "my_job.py").read_text("utf-8")
    (changed / "my_job.py").write_text(text.replace("def job(", CHANGED.lstrip("\n"), 1), "utf-8")
    hosts.stop("node: the supernode", 2)
    (hosts.folder / "the supernode-2.log").unlink()
    hosts.start("node: the supernode", 2, PYTHONPATH=os.pathsep.join([str(changed), str(PAGE.parents[1])]))
    _wait(lambda: "Starting Flower SuperNode" in _log(hosts))
    more = hosts.blocks["server: the run"].replace(f"--rounds {ROUNDS}", f"--rounds {ROUNDS + 1}")
    hosts.blocks["server: one more round"] = more.replace("--timeout 120", "--timeout 30")
    hosts.finish("server: one more round", seconds=200)
    said, node = (hosts.folder / "one more round-0.log").read_text("utf-8"), _log(hosts)
    turned = f"round {ROUNDS + 1}/{ROUNDS + 1}: 2 of 3 nodes answered, without [2]" in said
    turned = turned and "was given the plan" in node
    print("turned away: the node whose job was changed" if turned else f"NOT turned away: {said}")
    return turned


def _log(hosts: Hosts, k: int = 2) -> str:
    return (hosts.folder / f"the supernode-{k}.log").read_text("utf-8")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _wait(there, seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not there():
        if time.monotonic() > end:
            raise SystemExit("nothing happened in time: see the logs.")
        time.sleep(0.2)


if __name__ == "__main__":
    sys.exit(main())
