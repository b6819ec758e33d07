"""Seconds and memory of a round as clients, statistics or rows grow, each size in a process of its own.

clients: the Gaussian mixture of the section on clients, 10 samples of 2 numbers each; q: sparse regression, 4 clients
of 10 samples; rows: sparse regression of 10 numbers over 10 clients. Half of the clients, 8 bits, control variates, in
the memory of two states; CPU seconds of one thread, the mean of three rounds. Bytes: the samples, what two states hold,
and the peak of memory beyond that of the imports. The last column says how large a size 24 GB hold at that rate, which
is where it breaks: nothing else does, as time stays proportional.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.clients import MEANS, PARTS, in_turn, mixture
from benchmarks.timing import threads
from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.federation import Clients
from fedmm_edu.federation.draws import WORTH_COMPILING, compiled_for

SIZES = {
    "clients": (10, 100, 10**3, 10**4, 10**5, 10**6),
    "q": (10, 100, 10**3, 10**4, 10**5, 10**6),
    "rows": (100, 10**3, 10**4, 10**5, 10**6, 10**7),
}
MEMORY = 24e9


def growth() -> list[dict]:
    """A row for each size, and at the last of a kind the slopes on logarithmic scales, of the last three sizes."""
    rows = []
    for kind, sizes in SIZES.items():
        for size in sizes:
            code = f"from benchmarks.sizes import alone; alone({kind!r}, {size})"
            found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
            rows.append({"grows": kind, "size": size} | json.loads(found))
        last = rows[-3:]
        for key in ("round", "peak"):
            slope = np.polyfit(np.log([row["size"] for row in last]), np.log([row[key] for row in last]), 1)[0]
            rows[-1][f"slope of {key}"] = float(slope)
        rows[-1]["24 GB hold"] = rows[-1]["size"] * MEMORY / rows[-1]["peak"]
    return rows


def alone(kind: str, size: int) -> None:
    """What this process, which does nothing else, takes for rounds of one size: printed, as JSON."""
    compiled_for(WORTH_COMPILING)
    with threads(1):
        _start(kind, 10)[1]()  # what loads the compiled loops belongs to the imports
        base = _peak()
        fed, one = _start(kind, size)
        one()
        began = time.process_time()
        for _ in range(3):
            one()
        seconds = (time.process_time() - began) / 3
    samples, states, peak = fed.clients.z.nbytes, 16 * len(fed.clients) * fed.dim, _peak() - base
    held = {"samples": samples, "states": states, "peak": peak, "peak/held": peak / (samples + states)}
    print(json.dumps({"round": seconds} | held))


def _start(kind: str, size: int) -> tuple[FedMM, Callable[[], None]]:
    fed = mixture(size) if kind == "clients" else _regression(size, 40, 4) if kind == "q" else _regression(10, size, 10)
    return fed, in_turn(fed, fed.init(fed.point(MEANS if kind == "clients" else np.zeros(fed.dim))))


def _regression(q: int, rows: int, n: int) -> FedMM:
    z = np.random.default_rng(0).normal(size=(rows, q + 1))
    z.setflags(write=False)  # such an array is not copied
    clients = Clients.of_rows(z, [rows // n] * n)
    return FedMM(Quadratic(q, 1e-6, penalty=L1(0.1)), clients, Constant(0.1), **PARTS)


def _peak() -> int:
    """Bytes of memory at the peak of this process so far (Linux)."""
    with open("/proc/self/status") as file:
        return 1000 * int(next(line for line in file if line.startswith("VmHWM")).split()[1])
