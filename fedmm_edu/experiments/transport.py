"""`fedmm run transport`: a transport map learned by clients that differ, with FedMM-OT (Algorithm 3) and FedAdam.

Samples of P are cut into clients of equal size by constrained k-means; samples of Q are public. Three methods share
data, networks, start and draws of batches: FedMM-OT, FedMM-OT with an adaptive server (Adam on H), and FedAdam on both
networks together. The score is L2-UVP against the known map. In the plane the map is drawn as it is learned; then
the scores in 16 dimensions. λ and rates were chosen for each method by one rule: the least score at the end of 15 CPU
seconds, on the log-sum-exp pair with samples of its own (seeds 100 to 102 of its data).
"""

from __future__ import annotations

import json
import platform
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from fedmm_edu.algorithms import Adam, FedMM, Plain, State
from fedmm_edu.commands.terminal import Progress
from fedmm_edu.errors import Array, InvalidInput, as_count
from fedmm_edu.federation import Clients
from fedmm_edu.federation.partition import balanced_clusters
from fedmm_edu.figures import panels, save_png
from fedmm_edu.figures.transport import draw_clients, draw_image, draw_scores, grid_lines, save_gif
from fedmm_edu.files import write_text
from fedmm_edu.transport import (
    ICNN,
    Pair,
    Score,
    TransportProblem,
    as_map,
    baselines,
    fedadam,
    fedmm_ot,
    health,
    joint,
    load_benchmark,
    log_sum_exp,
    pretrain,
    score,
)


@dataclass(frozen=True)
class Settings:
    """What the numbers depend on."""

    d: int = 16
    clients: int = 10
    samples: int = 10_000
    target: int = 20_000
    batch: int = 128
    rounds: int = 600
    every: int = 25
    plane_rounds: int = 200
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Federation:
    """A pair, its clients, the problem, the common start of both networks, and points that only the score sees."""

    pair: Pair
    clients: Clients
    problem: TransportProblem
    start: Array
    test: Array

    @property
    def network(self) -> ICNN:
        return self.problem.potentials  # type: ignore


@dataclass(frozen=True, eq=False)
class Row:
    """A round, the CPU seconds of the rounds until then, the scores of both networks, and ω."""

    round: int
    seconds: float
    score: Score
    omega: Array


@dataclass(frozen=True, eq=False)
class Trace:
    """The records of a run, and what became of the networks."""

    rows: tuple[Row, ...]
    status: str

    @property
    def last(self) -> Row:
        """Where it ended."""
        return self.rows[-1]

    @property
    def best(self) -> Row:
        """The record with the least UVP."""
        return min(self.rows, key=lambda row: row.score.uvp)


def federation(pair: Pair, settings: Settings) -> Federation:
    """Samples, clients and pretrained networks; each kind of sample has a seed of its own."""
    data, target, test = (3 * settings.seed + k for k in range(3))
    x = pair.sample(settings.samples, data)
    labels = balanced_clusters(x, settings.clients, settings.seed, rounds=30)
    n = settings.clients
    clients = Clients.of([x[labels == i] for i in range(n)], np.full(n, 1.0 / n))
    network = ICNN.of_benchmark(pair.d)
    problem = TransportProblem(network, pair.sample_target(settings.target, target))
    return Federation(pair, clients, problem, pretrain(network, seed=settings.seed, steps=500), pair.sample(8192, test))


@dataclass(frozen=True)
class Method:
    """A method with its tuned settings: λ, the clients' rate, the server's γ, and the rate of the server's θ."""

    lam: float
    rate: float = 1.0
    gamma: float = 1.0
    server_rate: float = 1e-3
    adaptive: bool = False
    joint: bool = False

    def start(self, given: Federation, settings: Settings) -> tuple[FedMM, State]:
        """The settings of its run, and the state at t = 0."""
        problem = replace(given.problem, lam=self.lam)
        server = Adam(beta2=0.999, tau=1e-8, bias_correction=True) if self.adaptive else Plain()
        parts: dict[str, Any] = {"b": settings.batch, "server": server, "seed": settings.seed}
        parts |= {"rate": self.rate, "gamma": self.gamma}
        if self.joint:
            fed = fedadam(problem, given.clients, **parts)
            return fed, fed.init(joint(given.start, given.start))
        fed = fedmm_ot(problem, given.clients, theta0=given.start, server_rate=self.server_rate, **parts)
        return fed, fed.init(given.start)


METHODS: Mapping[str, Method] = {
    "FedMM-OT": Method(0.0, rate=0.05, server_rate=3e-3),
    "FedMM-OT, adaptive server": Method(0.0, gamma=3e-3, server_rate=1e-3, adaptive=True),
    "FedAdam": Method(1.0, gamma=3e-3, adaptive=True, joint=True),
}


def follow(method: Method, given: Federation, settings: Settings) -> Trace:
    """Run a method, scoring every `every` rounds; a network that died or diverged ends the run and is reported."""
    fed, state = method.start(given, settings)
    before, used, status = None, 0.0, "alive"
    rows = [_row(given, fed, state, used)]
    while state.t < settings.rounds and status == "alive":
        clock = time.process_time()
        before, state = state, fed.step(state, onto=before)
        used += time.process_time() - clock
        if state.t % settings.every == 0 or state.t == settings.rounds:
            status = health(fed, state)
            if status != "diverged":
                rows.append(_row(given, fed, state, used))
    return Trace(tuple(rows), status)


def _row(given: Federation, fed: FedMM, state: State, used: float) -> Row:
    omega, theta = given.problem.split(fed.theta(state))
    maps = as_map(given.network, omega), as_map(given.network, theta)
    return Row(state.t, used, score(given.pair, *maps, given.test), omega)


def compare(given: Federation, settings: Settings, progress: Progress) -> dict[str, Trace]:
    """All methods on one federation."""
    found = {}
    for name, method in METHODS.items():
        found[name] = follow(method, given, settings)
        status = found[name].status
        progress.step(f"{name}, d = {given.pair.d}", "" if status == "alive" else status)
    return found


def references(given: Federation) -> dict[str, float]:
    """UVP of the maps that need the moments alone."""
    return {
        name: score(given.pair, *maps, given.test).uvp
        for name, maps in baselines(given.pair).items()
        if name != "constant"
    }


def draw_map(given: Federation, row: Row):
    """Clients, truth, and the map as it was at a record."""
    figure, axes = panels(3, width=3.6, height=3.8)
    draw_clients(axes[0], given.clients.data)
    grid = grid_lines(given.test)
    truth = "known map of a grid, over $Q$"
    draw_image(axes[1], given.pair.T, grid, given.problem.target, truth)
    title = f"learned, round {row.round}: UVP {row.score.uvp:.1f} %"
    draw_image(axes[2], as_map(given.network, row.omega), grid, given.problem.target, title)
    low, high = given.problem.target.min(axis=0), given.problem.target.max(axis=0)
    for ax in axes[1:]:
        for limit, k in ((ax.set_xlim, 0), (ax.set_ylim, 1)):
            limit(low[k] - 0.1 * (high[k] - low[k]), high[k] + 0.1 * (high[k] - low[k]))
    return figure


def summary(given: Federation, traces: Mapping[str, Trace]) -> dict:
    """Last and best scores of each method, and the baselines'."""
    rows = {
        name: {
            "status": trace.status,
            "rounds": trace.last.round,
            "last": asdict(trace.last.score),
            "best": {"round": trace.best.round, "uvp": trace.best.score.uvp},
        }
        for name, trace in traces.items()
    }
    return {"pair": given.pair.name, "d": given.pair.d, "references": references(given), "methods": rows}


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `fedmm run transport`."""
    default = Settings()
    helps = {
        "d": "dimension of the scored pair",
        "clients": "number of clients",
        "samples": "samples of P, over all clients",
        "target": "public samples of Q",
        "batch": "samples of P and of Q that a client uses in a round",
        "rounds": "number of rounds in d dimensions",
        "plane_rounds": "number of rounds in the plane",
        "every": "rounds between two scores",
        "seed": "seed of samples, networks and draws",
    }
    for name, text in helps.items():
        value = getattr(default, name)
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=type(value), default=value, help=f"{text} (default {value})"
        )
    parser.add_argument("--benchmark", action="store_true", help="use the pairs of the W2 benchmark")
    parser.add_argument("--data-dir", type=Path, help="folder of the benchmark's files (else FEDMM_DATA/w2-benchmark)")
    parser.add_argument("--out", type=Path, default=Path("results/transport"), help="folder for pictures and numbers")


def main(options: Namespace) -> int:
    """Learn in the plane and in d dimensions; write pictures and `summary.json`; print. Status 1: no method lived."""
    settings = Settings(**{name: getattr(options, name) for name in vars(Settings())})
    for name in ("d", "clients", "samples", "target", "batch", "rounds", "every", "plane_rounds"):
        as_count(name, getattr(settings, name))
    if options.data_dir is not None and not options.benchmark:
        raise InvalidInput("--data-dir names the files of the benchmark: add --benchmark to use them.")
    import torch  # here: if it is missing, fedmm_edu.transport above has said so in our words

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # small matrices: more threads cost more than they give
    try:
        return _report(settings, options)
    finally:
        torch.set_num_threads(threads)


def _report(settings: Settings, options: Namespace) -> int:
    def pair(d: int) -> Pair:
        return load_benchmark(d, options.data_dir) if options.benchmark else log_sum_exp(d)

    progress = Progress((1 + (settings.d != 2)) * len(METHODS))
    short = replace(settings, rounds=settings.plane_rounds, every=max(1, settings.plane_rounds // 20))
    parts = {}
    for d, own in ((2, short), (settings.d, settings)):
        if d not in parts:
            given = federation(pair(d), own)
            parts[d] = given, compare(given, own, progress)
    for part in parts.values():
        _print(*part)
    name = _animate(*parts[2], options.out)
    given, traces = parts[settings.d]
    figure, axes = panels(2, width=5.0)
    for ax, xlabel, of in ((axes[0], "round", "round"), (axes[1], "CPU seconds", "seconds")):
        curves = {
            key: (np.array([getattr(row, of) for row in trace.rows]), np.array([row.score.uvp for row in trace.rows]))
            for key, trace in traces.items()
        }
        draw_scores(ax, curves, references(given), xlabel=xlabel)
    save_png(figure, options.out / "scores.png")
    packages = {key: version(key) for key in ("fedmm-edu", "numpy", "torch")}
    numbers = {
        "settings": asdict(settings),
        "methods": {key: asdict(method) for key, method in METHODS.items()},
        "parts": [summary(*part) for part in parts.values()],
        "versions": {"python": platform.python_version(), **packages},
    }
    write_text(options.out / "summary.json", json.dumps(numbers, indent=1, ensure_ascii=False) + "\n")
    print(f"wrote map.png, map.gif ({name}), scores.png and summary.json to {options.out}")
    return int(all(trace.status != "alive" for _, traces in parts.values() for trace in traces.values()))


def _animate(given: Federation, traces: Mapping[str, Trace], out: Path) -> str:
    """Draw the map of the best method, whose name is returned, at its end and, more often early, over the rounds."""
    name = min(traces, key=lambda key: traces[key].last.score.uvp)
    rows = traces[name].rows
    save_png(draw_map(given, rows[-1]), out / "map.png")
    frames = np.unique(np.round((len(rows) - 1) * np.linspace(0.0, 1.0, 12) ** 2).astype(int))
    save_gif(lambda k: draw_map(given, rows[frames[k]]), len(frames), out / "map.gif")
    return name


def _print(given: Federation, traces: Mapping[str, Trace]) -> None:
    print(f"{given.pair.name}, d = {given.pair.d}: L2-UVP in %, and the cosine")
    print(f"{'':28}{'last':>8}{'best':>8}{'inverse':>9}{'cosine':>8}{'rounds':>8}{'CPU s':>8}{'ms/round':>10}")
    for name, trace in traces.items():
        last, rounds, seconds = trace.last.score, trace.last.round, trace.last.seconds
        print(
            f"{name:28}{last.uvp:8.2f}{trace.best.score.uvp:8.2f}{last.inverse_uvp:9.2f}{last.cosine:8.3f}{rounds:8d}"
            f"{seconds:8.1f}{1e3 * seconds / max(rounds, 1):10.1f}"
            + ("" if trace.status == "alive" else f"  {trace.status}")
        )
    for name, value in references(given).items():
        print(f"{name:28}{value:8.2f}")
