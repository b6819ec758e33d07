"""What a round costs against its floor, against the number of clients, against q and against the samples of each.

The floor of a round is what no implementation can leave out: the sums over the samples of the active clients.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.timing import interleaved, peak_memory, threads
from fedmm_edu.algorithms import Constant, FedMM, State
from fedmm_edu.examples.mixture import GaussianMeans
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.examples.robust import RobustRegression
from fedmm_edu.federation import (
    Bernoulli,
    BlockQuantization,
    Clients,
    Draws,
    Purpose,
    RandK,
    ScaledSign,
    TopK,
    UniformQuantization,
    uniforms,
)

P, BITS = 0.5, 8
PARTS = {"participation": Bernoulli(P), "compressor": UniformQuantization(BITS), "alpha": 0.1}


def sparse_regression(n: int, q: int, samples: int, rho: float = 1e-3) -> FedMM:
    """n clients with as many samples each, half of them active, 8 bits, control variates."""
    rows = np.random.default_rng(0).normal(size=(n * samples, q + 1))
    return FedMM(Quadratic(q, rho, penalty=L1(0.1)), Clients.of_rows(rows, [samples] * n), Constant(0.1), **PARTS)


def quadratic_rounds() -> list[dict]:
    """A round of sparse regression (p = ½, 8 bits, control variates) against the gradients of the active clients."""
    rows = []
    for n, d, samples in ((10, 10, 50), (100, 10, 50), (1000, 10, 50), (10**4, 10, 50), (20, 500, 250), (20, 5000, 50)):
        fed = sparse_regression(n, d, samples)
        before = fed.init(np.zeros(d))
        active, theta = np.flatnonzero(fed.step(before).active), np.ones(d)
        stack = fed.clients.z.reshape(n, samples, d + 1)

        def together(stack=stack, active=active, theta=theta) -> None:
            x, y = stack[active, :, :-1], stack[active, :, -1]
            np.matmul((x @ theta - y)[:, None], x)

        def apart(stack=stack, active=active, theta=theta) -> None:
            for x, y in ((stack[i, :, :-1], stack[i, :, -1]) for i in active):
                (x @ theta - y) @ x

        calls = {"round": in_turn(fed, before), "together": together, "apart": apart}
        with threads(1):
            times = {name: t.cpu for name, t in interleaved(calls, 15).items()}
        row = {"n": n, "q": d, "samples": samples, "round": times["round"]}
        rows.append(row | {"floor": min(times["together"], times["apart"])})
    return rows


def slopes() -> list[dict]:
    """CPU seconds of a round of sparse regression as q or the samples N_i grow, and the slope on logarithmic scales."""
    rows = []
    for name, sizes in (("q", (500, 2000, 8000)), ("samples", (100, 400, 1600))):
        seconds = []
        for size in sizes:
            q, samples = (size, 50) if name == "q" else (500, size)
            fed = sparse_regression(20, q, samples, rho=1e-4)
            state = fed.step(fed.init(np.zeros(q)))
            with threads(1):
                seconds.append(interleaved({"round": lambda fed=fed, state=state: fed.step(state)})["round"].cpu)
        rows += [{"grows": name, "n": 20, name: size, "round": t} for size, t in zip(sizes, seconds, strict=True)]
        rows[-1]["slope"] = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    return rows


def unequal_clients(n: int = 10**6) -> list[dict]:
    """A round over n clients of 5 to 15 samples each, and over n of 10: CPU seconds, and their ratio."""
    rng = np.random.default_rng(0)
    sizes = rng.permutation(np.arange(n) % 11 + 5)
    z, rows = rng.normal(size=(int(sizes.sum()) + 10 * n, 5)), []
    problems = {
        "sparse regression": Quadratic(4, 1e-3, penalty=L1(0.1)),
        "robust regression": RobustRegression(4, 0.1),
        "mixture": GaussianMeans(weights=np.full(2, 0.5), covariances=np.tile(np.eye(5), (2, 1, 1)), lam=0.1),
    }
    for name, problem in problems.items():
        calls = {}
        for kind, held in (("equal", np.full(n, 10)), ("unequal", sizes)):
            fed = FedMM(problem, Clients.of_rows(z[: int(held.sum())], held), Constant(0.1), **PARTS)
            before = fed.init(fed.point(np.linspace(-1.0, 1.0, problem.d)))
            calls[kind] = in_turn(fed, before)
        with threads(1):
            times = {kind: t.cpu for kind, t in interleaved(calls, 3).items()}
        rows.append({"problem": name, "n": n} | times | {"unequal/equal": times["unequal"] / times["equal"]})
    return rows


def in_turn(fed: FedMM, start: State) -> Callable[[], State]:
    """One round after the other, as `run` makes them: in the memory of two states."""
    states = [start, fed.step(start)]

    def one() -> State:
        states[:] = states[1], fed.step(states[1], onto=states[0])
        return states[1]

    return one


MIXTURE = {
    "weights": [0.5, 0.2, 0.3],
    "covariances": [[[1.0, 0.3], [0.3, 0.6]], [[0.4, 0.0], [0.0, 2.0]], [[0.8, -0.2], [-0.2, 0.5]]],
    "lam": 0.1,
}
MEANS = np.array([0.0, 0.0, 3.0, 0.0, 0.0, 3.0])


def mixture(n: int, samples: int = 10) -> FedMM:
    """Means of three components in the plane, n clients with `samples` points each, half of them active, 8 bits."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n * samples, 2)) + 3.0 * np.eye(3)[rng.integers(0, 3, n * samples), 1:]
    return FedMM(GaussianMeans(**MIXTURE), Clients.of_rows(z, np.full(n, samples)), Constant(0.1), **PARTS)


def many_clients(largest: int = 10**6) -> list[dict]:
    """A round of the mixture for n = 10, …, `largest` clients: seconds, and bytes at the peak for the largest."""
    rows = []
    for n in (10 ** np.arange(1, int(np.log10(largest)) + 1)).tolist():
        fed = mixture(n)
        state = fed.step(fed.init(fed.point(MEANS)))
        with threads(1):
            time = interleaved({"round": lambda fed=fed, state=state: fed.step(state)}, 3 if n >= 10**5 else 9)["round"]
        rows.append({"n": n, "round": time.wall, "a client": time.wall / n})
    last = rows[-3:]
    rows[-1]["slope"] = float(np.polyfit(np.log([r["n"] for r in last]), np.log([r["round"] for r in last]), 1)[0])
    rows[-1]["peak bytes"] = peak_memory(
        "from benchmarks.clients import MEANS, mixture\nimport fedmm_edu.federation.compiled\n# ---\n"
        f"fed = mixture({largest})\nbefore = fed.init(fed.point(MEANS))\nstate = fed.step(before)\n"
        "for _ in range(3):\n    before, state = state, fed.step(state, onto=before)\n"
    )
    return rows


def named_draws() -> list[dict]:
    """Uniforms named by (seed, purpose, client, round), against one NumPy generator per client, and one for all."""
    rows = []
    for n, size in ((10, 10), (1000, 10), (10**5, 10), (10, 30_000)):
        who = np.arange(n)

        def generators(who=who, size=size):
            return np.stack([np.random.default_rng((1, 2, int(i), 5)).random(size) for i in who])

        calls = {
            "named": lambda who=who, size=size: uniforms(1, Purpose.COMPRESSION, who, 5, size),
            "one generator a client": generators,
            "one generator for all": lambda n=n, size=size: np.random.default_rng(1).random((n, size)),
        }
        with threads(1):
            times = interleaved(calls, 3 if n >= 10**5 else 9)
        rows.append({"n": n, "size": size} | {name: t.wall for name, t in times.items()})
    return rows


def compressors(q: int = 10**6) -> list[dict]:
    """CPU nanoseconds a coordinate of one message of q numbers: difference, draws and compression."""
    rng = np.random.default_rng(0)
    target, origin, variates = rng.normal(size=(1, q)), rng.normal(size=q), rng.normal(size=(1, q))
    one = np.zeros(1, dtype=np.int64)
    kinds = (UniformQuantization(8), RandK(q // 100), RandK(q // 2), BlockQuantization(4), BlockQuantization(64),
             BlockQuantization(64, np.inf), TopK(q // 100), ScaledSign())  # fmt: skip
    calls = {repr(kind): partial(kind.messages, target, origin, variates, one, Draws(0, 1, one)) for kind in kinds}
    with threads(1):
        times = interleaved({"difference": lambda: target - origin - variates[one]} | calls)
    return [{"q": q, "compressor": name, "ns a coordinate": 1e9 * t.cpu / q} for name, t in times.items()]
