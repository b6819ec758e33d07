"""`make bench`: what a round costs, and what it costs beside its floor. Medians of interleaved repetitions.

Absolute times belong to the machine; the ratios are what to compare between versions.
"""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.federation import Bernoulli, Clients, FullBatch, Purpose, UniformQuantization, uniforms

REPETITIONS = 9


def interleaved(*calls: Callable[[], object]) -> list[float]:
    """Median seconds of each call, run in turn so that a drift of the machine meets all of them."""
    times: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(REPETITIONS):
        for row, call in zip(times, calls, strict=True):
            start = time.perf_counter()
            call()
            row.append(time.perf_counter() - start)
    return [statistics.median(row) for row in times]


def draws(n: int, size: int) -> tuple[str, float, float]:
    """Named uniforms for n clients, against one NumPy generator per client and round."""
    who = np.arange(n)
    ours, peer = interleaved(
        lambda: uniforms(1, Purpose.COMPRESSION, who, 5, size),
        lambda: np.stack([np.random.default_rng((1, 2, int(i), 5)).random(size) for i in who]),
    )
    return f"draws, n = {n}, {size} each / a NumPy generator per client", ours, peer


def one_round(n: int, d: int, samples: int) -> tuple[str, float, float]:
    """A FedMM round (p = ½, 8 bits, control variates), against its floor: the gradients of the active clients."""
    rng = np.random.default_rng(0)
    clients = Clients.of([rng.normal(size=(samples, d + 1)) for _ in range(n)])
    fed = FedMM(
        Quadratic(d, 1e-3, penalty=L1(0.1)),
        clients,
        Constant(0.1),
        FullBatch(),
        Bernoulli(0.5),
        UniformQuantization(8),
        0.1,
    )
    state = fed.init(np.zeros(d))
    active = np.flatnonzero(fed.step(state).active)
    theta = np.ones(d)

    def floor() -> None:
        for i in active:
            x, y = clients.data[i][:, :-1], clients.data[i][:, -1]
            (x @ theta - y) @ x

    ours, least = interleaved(lambda: fed.step(state), floor)
    return f"round, n = {n}, d = {d}, N_i = {samples} / gradients of active clients", ours, least


def main() -> None:
    """Print the table."""
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}, one thread")
    print(f"{'what / beside what':72}{'ms':>10}{'ms':>10}{'ratio':>8}")
    with threadpool_limits(1):
        rows = [
            draws(1000, 10),
            draws(10, 10_000),
            one_round(10, 10, 50),
            one_round(100, 10, 50),
            one_round(1000, 10, 50),
            one_round(20, 500, 250),
        ]
    for what, ours, beside in rows:
        print(f"{what:72}{1e3 * ours:10.3f}{1e3 * beside:10.3f}{ours / beside:8.2f}")


if __name__ == "__main__":
    main()
