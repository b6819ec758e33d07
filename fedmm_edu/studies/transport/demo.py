"""`fedmm run transport`: a transport map learned by clients that differ, with FedMM-OT (Algorithm 3) and FedAdam.

Samples of P are cut into clients of equal size by constrained k-means; samples of Q are public. Three methods share
data, networks, start and draws of batches: FedMM-OT, FedMM-OT with an adaptive server (Adam on H), and FedAdam on both
networks together. The score is L2-UVP against the known map. In the plane the map is drawn as it is learned; then
the scores in 16 dimensions. λ and rates were chosen for each method by one rule: the least score at the end of 15 CPU
seconds, on the log-sum-exp pair with samples of its own (seeds 100 to 102 of its data).
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.files import write_json
from fedmm_edu.studies.runs import versions
from fedmm_edu.studies.transport.curves import Row, follow, one_thread
from fedmm_edu.studies.transport.pictures import save_map, save_scores
from fedmm_edu.studies.transport.setting import METHODS, Federation, Setting, federation
from fedmm_edu.text.tables import Progress

HELPS = {
    "d": "dimension of the scored pair",
    "clients": "number of clients",
    "samples": "samples of P, over all clients",
    "target": "public samples of Q",
    "batch": "samples of P and of Q that a client uses in a round",
    "seed": "seed of samples, networks and draws",
    "rounds": "number of rounds in d dimensions",
    "plane_rounds": "number of rounds in the plane",
    "every": "rounds between two scores",
}
DEFAULTS = {**asdict(Setting()), "rounds": 600, "plane_rounds": 200, "every": 25}
Traces = Mapping[str, Sequence[Row]]
"""The recorded rounds of each method."""


@dataclass(frozen=True, eq=False)
class Part:
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

    def print(self) -> None:
        """The table."""
        print(f"{self.given.pair.name}, d = {self.given.pair.d}: L2-UVP in %, and the cosine")
        print(f"{'':28}{'last':>8}{'best':>8}{'inverse':>9}{'cosine':>8}{'rounds':>8}{'CPU s':>8}{'ms/round':>10}")
        for name, rows in self.traces.items():
            end, last = rows[-1], rows[-1].score
            print(
                f"{name:28}{last.uvp:8.2f}{best(rows).score.uvp:8.2f}{last.inverse_uvp:9.2f}{last.cosine:8.3f}"
                f"{end.t:8d}{end.seconds:8.1f}{1e3 * end.seconds / max(end.t, 1):10.1f}"
                + ("" if end.status == "alive" else f"  {end.status}")
            )
        for name, value in self.given.references().items():
            print(f"{name:28}{value:8.2f}")


def best(rows: Sequence[Row]) -> Row:
    """The record with the least UVP."""
    return min(rows, key=lambda row: row.score.uvp)


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `fedmm run transport`."""
    for name, text in HELPS.items():
        help = f"{text} (default {DEFAULTS[name]})"
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=DEFAULTS[name], help=help)
    parser.add_argument("--benchmark", action="store_true", help="use the pairs of the W2 benchmark")
    parser.add_argument("--data-dir", type=Path, help="folder of the benchmark's files (else FEDMM_DATA/w2-benchmark)")
    parser.add_argument("--out", type=Path, default=Path("results/transport"), help="folder for pictures and numbers")


def main(options: Namespace) -> int:
    """Learn in the plane and in d dimensions; write pictures and `summary.json`; print. Status 1: no method lived."""
    for name in ("rounds", "plane_rounds", "every"):
        as_count(name, getattr(options, name))
    if options.data_dir is not None and not options.benchmark:
        raise InvalidInput("--data-dir names the files of the benchmark: add --benchmark to use them.")
    own = {name: getattr(options, name) for name in asdict(Setting()) if hasattr(options, name)}
    setting = Setting(**own, pair="benchmark" if options.benchmark else "log-sum-exp")
    with one_thread():
        parts = learn(setting, options)
    for part in parts.values():
        part.print()
    drawn = save_map(parts[2].given, parts[2].traces, options.out)
    save_scores(parts[setting.d].given, parts[setting.d].traces, options.out)
    numbers = {
        "settings": asdict(setting) | {name: getattr(options, name) for name in ("rounds", "plane_rounds", "every")},
        "methods": {name: asdict(method) for name, method in METHODS.items()},
        "parts": [part.summary() for part in parts.values()],
        "versions": versions("fedmm-edu", "numpy", "torch"),
    }
    write_json(options.out / "summary.json", numbers)
    print(f"wrote map.png, map.gif ({drawn}), scores.png and summary.json to {options.out}")
    return int(all(rows[-1].status != "alive" for part in parts.values() for rows in part.traces.values()))


def learn(setting: Setting, options: Namespace) -> dict[int, Part]:
    """All methods in the plane, and in d dimensions."""
    wanted = {2: (options.plane_rounds, max(1, options.plane_rounds // 20))}
    if setting.d != 2:
        wanted[setting.d] = options.rounds, options.every
    progress, parts = Progress(len(wanted) * len(METHODS)), {}
    for d, (rounds, every) in wanted.items():
        at, traces = replace(setting, d=d), {}
        given = federation(at, options.data_dir)
        for name, method in METHODS.items():
            traces[name] = list(follow(method, given, at, rounds, every))
            status = traces[name][-1].status
            progress.step(f"{name}, d = {d}", "" if status == "alive" else status)
        parts[d] = Part(given, traces)
    return parts
