"""`fedmm run transport`: a transport map learned by clients that differ, with FedMM-OT (Algorithm 3) and FedAdam.

Samples of P are cut into clients of equal size by constrained k-means; samples of Q are public. Three methods share
data, networks, start and draws of batches: FedMM-OT, FedMM-OT with an adaptive server (Adam on H), and FedAdam on both
networks together. The score is L2-UVP against the known map. In the plane the map is drawn as it is learned; then
the scores in 16 dimensions. λ and rates were chosen for each method by one rule: the least score at the end of 15 CPU
seconds, on the log-sum-exp pair with samples of its own (seeds 100 to 102 of its data).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated

import numpy as np

from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.studies.study import Experiment, Part, Picture, versions
from fedmm_edu.studies.transport.curves import ScoredRound, follow
from fedmm_edu.studies.transport.pictures import draw_map, draw_traces
from fedmm_edu.studies.transport.setting import METHODS, Federation, Setting, federation_of
from fedmm_edu.text.tables import Progress
from fedmm_edu.transport import one_thread


@dataclass(frozen=True)
class DemoPlan:
    """The setting of the pair that is scored, and how long is learned."""

    d: Annotated[int, "dimension of the scored pair"] = Setting.d
    clients: Annotated[int, "number of clients"] = Setting.clients
    samples: Annotated[int, "samples of P, over all clients"] = Setting.samples
    target: Annotated[int, "public samples of Q"] = Setting.target
    batch: Annotated[int, "samples of P and of Q that a client uses in a round"] = Setting.batch
    seed: Annotated[int, "seed of samples, networks and draws"] = Setting.seed
    rounds: Annotated[int, "number of rounds in d dimensions"] = 600
    plane_rounds: Annotated[int, "number of rounds in the plane"] = 200
    every: Annotated[int, "rounds between two scores"] = 25
    benchmark: Annotated[bool, "use the pairs of the W2 benchmark"] = False
    data_dir: Annotated[Path | None, "folder of the benchmark's files (else FEDMM_DATA/w2-benchmark)"] = None

    def __post_init__(self) -> None:
        for name in ("rounds", "plane_rounds", "every"):
            as_count(name, getattr(self, name))
        if self.data_dir is not None and not self.benchmark:
            raise InvalidInput("--data-dir names the files of the benchmark: add --benchmark to use them.")

    @property
    def setting(self) -> Setting:
        own = {f.name: getattr(self, f.name) for f in fields(Setting) if f.name != "pair"}
        return Setting(**own, pair="benchmark" if self.benchmark else "log-sum-exp")


Traces = Mapping[str, Sequence[ScoredRound]]
"""The recorded rounds of each method."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned on one federation."""

    given: Federation
    traces: Traces

    def summary(self) -> dict:
        """Last and best scores of each method, and the baselines'."""
        rows = {
            name: {
                "status": rows[-1].status,
                "rounds": rows[-1].t,
                "last": asdict(rows[-1].score),
                "best": {"round": best(rows).t, "uvp": best(rows).score.uvp},
            }
            for name, rows in self.traces.items()
        }
        pair = self.given.pair
        return {"pair": pair.name, "d": pair.d, "references": self.given.references(), "methods": rows}

    def table(self) -> list[str]:
        """Lines for the terminal."""
        lines = [
            f"{self.given.pair.name}, d = {self.given.pair.d}: L2-UVP in %, and the cosine",
            f"{'':28}{'last':>8}{'best':>8}{'inverse':>9}{'cosine':>8}{'rounds':>8}{'CPU s':>8}{'ms/round':>10}",
        ]
        for name, rows in self.traces.items():
            end, last = rows[-1], rows[-1].score
            lines.append(
                f"{name:28}{last.uvp:8.2f}{best(rows).score.uvp:8.2f}{last.inverse_uvp:9.2f}{last.cosine:8.3f}"
                f"{end.t:8d}{end.seconds:8.1f}{1e3 * end.seconds / max(end.t, 1):10.1f}"
                + ("" if end.status == "alive" else f"  {end.status}")
            )
        return lines + [f"{name:28}{value:8.2f}" for name, value in self.given.references().items()]


def best(rows: Sequence[ScoredRound]) -> ScoredRound:
    """The record with the least UVP."""
    return min(rows, key=lambda row: row.score.uvp)


def learn_maps(demo: DemoPlan) -> dict[int, Learned]:
    """All methods in the plane, and in d dimensions."""
    plane = demo.plane_rounds, max(1, demo.plane_rounds // 20)
    wanted = {2: plane, demo.d: plane if demo.d == 2 else (demo.rounds, demo.every)}
    progress, parts = Progress(len(wanted) * len(METHODS)), {}
    for d, (rounds, every) in wanted.items():
        at, traces = replace(demo.setting, d=d), {}
        given = federation_of(at, demo.data_dir)
        for name, method in METHODS.items():
            traces[name] = list(follow(method, given, at, rounds, every))
            status = traces[name][-1].status
            progress.step(f"{name}, d = {d}", "" if status == "alive" else status)
        parts[d] = Learned(given, traces)
    return parts


def results(demo: DemoPlan) -> Part:
    """Pictures of the best map of the plane, and the scores in d dimensions. Status 1: no method lived."""
    with one_thread():
        parts = learn_maps(demo)
    plane, scored = parts[2], parts[demo.d]
    name = min(plane.traces, key=lambda key: plane.traces[key][-1].score.uvp)
    rows = plane.traces[name]
    frames = np.unique(np.round((len(rows) - 1) * np.linspace(0.0, 1.0, 12) ** 2).astype(int))  # more of them early
    page = (
        Picture("map.png", f"The map of {name}", lambda: draw_map(plane.given, rows[-1])),
        Picture(
            "map.gif", f"It is learned, by {name}", lambda k: draw_map(plane.given, rows[int(frames[k])]), len(frames)
        ),
        Picture("scores.png", "Scores", lambda: draw_traces(scored.given, scored.traces)),
    )
    times = {time: getattr(demo, time) for time in ("rounds", "plane_rounds", "every")}
    numbers = {
        "settings": asdict(demo.setting) | times,
        "methods": {name: asdict(method) for name, method in METHODS.items()},
        "parts": [part.summary() for part in parts.values()],
        "versions": versions("fedmm-edu", "numpy", "torch"),
    }
    lines = [line for part in parts.values() for line in part.table()]
    lived = any(of[-1].status == "alive" for part in parts.values() for of in part.traces.values())
    return Part("summary", page, numbers, text="\n".join([*lines, f"drawn: the map of {name}"]), status=int(not lived))


EXPERIMENT = Experiment(DemoPlan, results, Path("results/transport"))
