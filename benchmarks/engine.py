"""What a round costs when the clients live on nodes: rows for `make bench`, and the tables of the page "Many machines".

`python -m benchmarks.engine` measures nothing: it writes `book/figures/machines/scale.md` from `results.json` (times)
and from messages that it makes and counts (bytes). A model of four numbers says what 10⁸ clients would cost, and is
held against every measured point.
"""

from __future__ import annotations

import json
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.clients import BITS, P, sparse_regression
from benchmarks.report import HERE, Row, table
from benchmarks.timing import interleaved, threads
from fedmm_edu.distributed import InMemory, InProcess, Node, Round, ServerState, one_round
from fedmm_edu.distributed.jobs import Job
from fedmm_edu.files import write_text

Q, SAMPLES, NODES = 100, 5, 10
MEASURED = ((10**4, 10), (10**4, 10**3), (10**4, 10**4), (10**5, 10))
"""Clients and nodes of rounds that this machine can make."""
BEYOND = ((10**6, 10**2), (10**6, 10**6), (10**8, 10**2), (10**8, 10**8))
PAGE = HERE.parent / "book" / "figures" / "machines" / "scale.md"
FLOAT = 8


def job(n: int, nodes: int) -> Job:
    """n clients with q = 100 as a job, for engines that find it by its name: `benchmarks.engine:n1000`."""
    return Job.of(sparse_regression(n, Q, SAMPLES), np.zeros(Q), nodes)


n10, n100, n1000, n10000 = (partial(job, n) for n in (10, 100, 1000, 10_000))


def rounds_in_process(nodes: int = NODES) -> list[Row]:
    """n = 10, …, 10 000 clients on 10 nodes in this process."""
    rows = []
    for n in (10, 100, 1000, 10_000):
        fed, made = sparse_regression(n, Q, SAMPLES), job(n, nodes)
        state = fed.step(fed.init(np.zeros(Q)))
        engine = made.in_process()
        served, _ = one_round(made.plan, engine, made.start)
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
            "kB up": (after.bytes_up - served.bytes_up) / 1e3,
            "kB down": (after.bytes_down - served.bytes_down) / 1e3,
        })  # fmt: skip
    return rows


def rounds_over_nodes() -> list[Row]:
    """The server's part of a round for other numbers of nodes: CPU seconds, the answers given."""
    rows = []
    for n, nodes in MEASURED:
        made = job(n, nodes)
        with threads(1):
            found = interleaved({"server": partial(_close, made.plan, made.start, _answers(made))}, 3)
        rows.append({"n": n, "nodes": nodes, "server, s": found["server"].cpu})
    return rows


def heads() -> tuple[int, int]:
    """Bytes of a request and of a reply besides their numbers: names, checksum, key, history."""
    made = job(10, 1)
    request = Round(made.plan, made.start).requests()[0]
    reply = Node(made.plan, 0, made.data(0), InMemory()).answer(request)
    m, _ = asked(made, 1)
    return len(request) - 2 * FLOAT * (Q + m), len(reply) - m * (FLOAT + BITS * Q // 8)


def asked(made: Job, t: int) -> tuple[int, int]:
    """How many clients are active in round t, and on how many nodes."""
    active = made.plan.participation.active(made.plan.draws(t))
    return int(active.sum()), sum(bool(active[who].any()) for who in made.plan.nodes)


def bytes_up(m: float, nodes: float, head: int) -> float:
    """The model: m active clients with rows of 64 + bq bits, and a head for each of the nodes that are asked."""
    return m * (FLOAT + BITS * Q / 8) + nodes * head


def bytes_down(m: float, nodes: float, head: int) -> float:
    """The model: Ŝ_t and T(Ŝ_t) once a node (d = q), name and p of each active client."""
    return nodes * (2 * FLOAT * Q + head) + 2 * FLOAT * m


def counted(n: int, nodes: int) -> Row:
    """The bytes of a round that is made here, over those of the model."""
    (down, up), made = heads(), job(n, nodes)
    m, who = asked(made, 1)
    after = _close(made.plan, made.start, _answers(made))
    return {"up": after.bytes_up / bytes_up(m, who, up), "down": after.bytes_down / bytes_down(m, who, down)}


def server_seconds(sections: dict) -> tuple[tuple[float, float], dict[tuple[int, int], float]]:
    """(c_1, c_2) with seconds = c_1 m q + c_2 nodes, by least squares of relative errors over all measured points, and
    measured over model for each (clients, nodes)."""
    points = {
        (row["n"], NODES): (asked(job(row["n"], NODES), 2), row["of it server, ms"] / 1e3)
        for row in sections["Rounds over nodes"]["rows"]
    } | {
        (row["n"], row["nodes"]): (asked(job(row["n"], row["nodes"]), 1), row["server, s"])
        for row in sections.get("The server over nodes", {}).get("rows", ())
    }
    parts = np.array([[m * Q / seconds, nodes / seconds] for (m, nodes), seconds in points.values()])
    (c1, c2), *_ = np.linalg.lstsq(parts, np.ones(len(parts)), rcond=None)
    return (c1, c2), {point: 1.0 / (parts[i] @ (c1, c2)) for i, point in enumerate(points)}


def scale(sections: dict) -> tuple[list[Row], str]:
    """The table of rounds up to 10⁸ clients, and what follows from it in words."""
    down, up = heads()
    (c1, c2), times = server_seconds(sections)
    rows, cost = [], {}
    for n, nodes in (*((n, NODES) for n in (10, 100, 1000)), *MEASURED, *BEYOND):
        who = nodes * (1.0 - (1.0 - P) ** (n / nodes))
        cost[n, nodes] = {
            "MB up": bytes_up(n * P, who, up) / 1e6, "MB down": bytes_down(n * P, who, down) / 1e6,
            "server, s": c1 * n * P * Q + c2 * who, "disk, MB": (FLOAT * Q * (nodes + 4) + 32 * nodes) / 1e6,
            "memory, MB": FLOAT * n * P * Q / 1e6,
        }  # fmt: skip
        found = counted(n, nodes) if (n, nodes) not in BEYOND else {}
        found |= {"s": times[n, nodes]} if (n, nodes) in times else {}
        rows.append({"n": f"{n:.0e}", "nodes": f"{nodes:.0e}"} | cost[n, nodes] | {
            f"{'measured over model: ' * (k == 'up')}{k}": v for k, v in found.items()})  # fmt: skip
    few, each = cost[10**8, 10**2], cost[10**8, 10**8]
    return rows, (
        f"A request has $r_2 = {down}$ bytes besides its numbers, a reply $r_1 = {up}$; $c_1 = {c1 * 1e9:.0f}$ ns and "
        f"$c_2 = {c2 * 1e6:.0f}$ µs fit the measured times.\n\n"
        "The bottleneck is the number of *nodes*, not of clients. With $10^8$ clients on 100 nodes a round is "
        f"{few['MB up'] / 1e3:.1f} GB up and {few['server, s']:.0f} s of one core, and can be split over cores. With a "
        f"node for each client, the root sends {each['MB down'] / 1e3:.0f} GB (the same $\\hat S_t$ and "
        f"$\\mathsf{{T}}(\\hat S_t)$ {10**8 * P / 1e6:.0f} million times), keeps {each['disk, MB'] / 1e3:.0f} GB of "
        f"shares $W_k$, and needs {each['server, s'] / 60:.0f} minutes: then put something in between."
    )


def write_page() -> None:
    """Write the part of the page that is computed."""
    found = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
    rows, words = scale(found["sections"])
    about = ", ".join(f"{key} {found['machine'][key]}" for key in ("processor", "Python", "numpy"))
    write_text(PAGE, (
        f"{table(rows)}\n\nTimes were recorded by `make bench` ({about}); bytes are counted when this table is made. "
        f"{words}\n"
    ))  # fmt: skip
    print(f"wrote {PAGE}")


def _answers(made: Job) -> dict[int, bytes]:
    """What the nodes answer to the first requests."""
    requests = Round(made.plan, made.start).requests()
    nodes = made.in_process().nodes
    return {k: nodes[k].answer(raw) for k, raw in requests.items()}


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
    """One round on Flower's simulation engine: elapsed milliseconds, and what the protocol alone takes."""
    from fedmm_edu.distributed.flower import RunConfig
    from fedmm_edu.distributed.simulation import simulate

    rows, protocol = [], {row["n"]: row["protocol, ms"] for row in rounds_in_process(nodes)}
    for n in (10, 100, 1000, 10_000):
        times: list[float] = []
        with tempfile.TemporaryDirectory() as folder:
            settings = RunConfig(
                f"benchmarks.engine:n{n}", nodes, rounds, state=folder, checkpoint=str(Path(folder) / "server")
            )
            simulate(settings, lambda line, times=times: times.append(time.perf_counter()))
        took = 1e3 * float(np.median(np.diff(times[1:])))
        rows.append({
            "n": n, "nodes": nodes, "simulation, ms": took, "protocol in one process, ms": protocol[n],
            "the engine's own, ms": took - protocol[n],
        })  # fmt: skip
    return rows


if __name__ == "__main__":
    write_page()
