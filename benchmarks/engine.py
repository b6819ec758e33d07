"""What a round costs when the clients live on nodes: `python -m benchmarks.engine`, with `--simulation` on Flower too.

Each row: one round of `FedMM.step`; the same round through the protocol with nodes in this process; the server's share
of it; what travels, beside the model of the page "Many machines". The difference of the first two is the protocol's
own, and what a simulation adds is the engine's. In this process CPU time is measured, on Flower elapsed time.
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.report import Row, table
from benchmarks.timing import interleaved, threads
from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.distributed import InProcess, Memory, Node, Round, ServerState, one_round
from fedmm_edu.distributed.jobs import Job
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.federation import Bernoulli, Clients, UniformQuantization

Q, SAMPLES, P, BITS, NODES = 100, 5, 0.5, 8, 10
REQUEST, REPLY = 330, 260
"""Bytes of a message besides its numbers: names, checksum, key, history."""
COORDINATE, NODE = 16e-9, 50e-6
"""Seconds of the server for a received coordinate, and for a node: measured where `scale` says so."""


def federation(n: int) -> FedMM:
    """n clients with q = 100, half of them active, 8 bits, control variates."""
    rng = np.random.default_rng(0)
    clients = Clients.of_rows(rng.normal(size=(n * SAMPLES, Q + 1)), [SAMPLES] * n)
    return FedMM(
        Quadratic(Q, 1e-3, penalty=L1(0.1)), clients, Constant(0.1), participation=Bernoulli(P),
        compressor=UniformQuantization(BITS), alpha=0.1,
    )  # fmt: skip


def job(n: int, nodes: int) -> Job:
    """The same as a job, for engines that find it by its name: `benchmarks.engine:n1000`."""
    return Job.of(federation(n), np.zeros(Q), nodes)


n10, n100, n1000, n10000 = (partial(job, n) for n in (10, 100, 1000, 10_000))


def bytes_up(n: int, nodes: int, q: int = Q) -> float:
    """The model: np rows of 64 + bq bits, and a head for each of the nodes that are asked."""
    return n * P * (8 + BITS * q / 8) + nodes * REPLY


def bytes_down(n: int, nodes: int, q: int = Q) -> float:
    """The model: Ŝ_t and T(Ŝ_t) once a node, name and p of each active client."""
    return nodes * (8 * 2 * q + REQUEST) + 16 * n * P


def rounds_in_process(nodes: int = NODES) -> list[Row]:
    """n = 10, …, 10 000 clients on 10 nodes in this process."""
    rows = []
    for n in (10, 100, 1000, 10_000):
        fed, made = federation(n), job(n, nodes)
        state = fed.step(fed.init(np.zeros(Q)))
        engine = InProcess({k: Node(made.plan, k, made.data(k), Memory()) for k in range(nodes)})
        served, _ = one_round(made.plan, engine, ServerState.start(made.plan, made.x))
        answers = {k: engine.nodes[k].answer(raw) for k, raw in Round(made.plan, served).requests().items()}

        server = partial(_close, made.plan, served, answers)

        def protocol(plan=made.plan, engine=engine, served=served) -> None:
            one_round(plan, _Fresh(engine), served)

        with threads(1):
            found = interleaved({"step": lambda f=fed, s=state: f.step(s), "protocol": protocol, "server": server}, 5)
        after = server()
        rows.append({
            "n": n, "step, ms": 1e3 * found["step"].cpu, "protocol, ms": 1e3 * found["protocol"].cpu,
            "of it server, ms": 1e3 * found["server"].cpu,
            "kB up": (after.bytes_up - served.bytes_up) / 1e3, "model": bytes_up(n, len(answers)) / 1e3,
            "kB down": (after.bytes_down - served.bytes_down) / 1e3, "model down": bytes_down(n, len(answers)) / 1e3,
        })  # fmt: skip
    return rows


def scale() -> list[Row]:
    """What a round costs the server, by the model, and measured where this machine can."""
    rows = []
    for n, nodes in ((10**4, 10), (10**4, 10**3), (10**4, 10**4), (10**5, 10), (10**6, 100), (10**6, 10**6),
                     (10**8, 100), (10**8, 10**8)):  # fmt: skip
        asked = nodes if nodes < n else n * P
        row = {
            "n": f"{n:.0e}", "nodes": f"{nodes:.0e}", "MB up": bytes_up(n, asked) / 1e6,
            "MB down": bytes_down(n, asked) / 1e6, "server, s": COORDINATE * n * P * Q + NODE * asked,
            "disk, MB": (8 * Q * (nodes + 4) + 32 * nodes) / 1e6, "memory, MB": 8 * n * P * Q / 1e6,
        }  # fmt: skip
        if n <= 10**5:
            made = job(n, nodes)
            start = ServerState.start(made.plan, made.x)
            requests = Round(made.plan, start).requests()
            answers = {k: Node(made.plan, k, made.data(k), Memory()).answer(raw) for k, raw in requests.items()}
            with threads(1):
                found = interleaved({"server": partial(_close, made.plan, start, answers)}, 3)
            after = _close(made.plan, start, answers)
            row |= {
                "measured: up": after.bytes_up / 1e6, "down": after.bytes_down / 1e6, "s": found["server"].cpu,
            }  # fmt: skip
        rows.append(row)
    return rows


def _close(plan, start: ServerState, answers: dict[int, bytes]) -> ServerState:
    """The server's part of a round, the answers given."""
    current = Round(plan, start)
    current.requests()
    for k, raw in answers.items():
        current.offer(k, raw)
    return current.close()[0]


class _Fresh(InProcess):
    """Puts each node's state back after its answer, so that every repetition computes the same round."""

    def __init__(self, engine: InProcess) -> None:
        object.__setattr__(self, "nodes", engine.nodes)

    def exchange(self, requests):
        for k, raw in requests.items():
            node = self.nodes[k]
            before = node.store.read()
            yield k, node.answer(raw)
            node.store.write(before or b"")


def rounds_simulated(nodes: int = 4, rounds: int = 6) -> list[Row]:
    """The same on Flower's simulation engine: median seconds of a round."""
    from fedmm_edu.distributed.flower import Settings
    from fedmm_edu.distributed.simulation import simulate

    rows = []
    for n in (10, 100, 1000, 10_000):
        times: list[float] = []
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings(
                f"benchmarks.engine:n{n}", nodes, rounds, state=folder, checkpoint=str(Path(folder) / "server")
            )
            simulate(settings, lambda line, times=times: times.append(time.perf_counter()))
        rows.append({"n": n, "nodes": nodes, "simulation, ms": 1e3 * float(np.median(np.diff(times[1:])))})
    return rows


if __name__ == "__main__":
    print(table(rounds_in_process()))
    print(table(scale()))
    if "--simulation" in sys.argv:
        print(table(rounds_simulated()))
