"""`python -m benchmarks.compare REF [PROBE …]`: this checkout beside another commit of it, in turns; what got slower.

Each probe of `benchmarks.probes` is made in two processes, one with the package of each checkout, which are asked by
turns: a drift of the machine meets both. The figure is the median of the ratios of neighbouring calls, in CPU time. A
probe that looks slower by a fifth is measured again, twice as long, and named only if it does again. The exit status is
1 then.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.probes import PROBES
from fedmm_edu.text.tables import table, terminal_width

ROOT = Path(__file__).parents[1]
WORSE = 1.2
TURNS = 11
LEAST = 0.02
"""CPU seconds that are measured at once: shorter calls are repeated."""
LONG, FEWEST = 0.5, 5
"""A call beyond so many CPU seconds gets fewer turns, but these."""


@dataclass(frozen=True)
class Compared:
    """CPU seconds of a call in each checkout, and the quartiles of the ratios now/before of neighbouring calls."""

    before: float
    now: float
    low: float
    ratio: float
    high: float

    @staticmethod
    def of(before: Sequence[float], now: Sequence[float]) -> Compared:
        ratios = [b / a for a, b in zip(before, now, strict=True)]
        low, ratio, high = statistics.quantiles(ratios, n=4, method="inclusive")
        return Compared(statistics.median(before), statistics.median(now), low, ratio, high)

    @property
    def worse(self) -> bool:
        return self.ratio >= WORSE


class Worker:
    """A process that calls probes with the package of one checkout."""

    def __init__(self, checkout: Path, folder: Path) -> None:
        single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "benchmarks" / "probes.py")], cwd=folder, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env={**os.environ, **single, "PYTHONPATH": str(checkout), "PYTHONSAFEPATH": "1"},
        )  # fmt: skip

    def ask(self, **command: object) -> dict:
        """The answer to one command; an error of the probe is part of it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline() or '{"error": "its process ended"}')

    def close(self) -> None:
        self.process.communicate(timeout=60)


@contextmanager
def workers(before: Path, now: Path) -> Iterator[tuple[Worker, Worker]]:
    """One for each checkout, each in an empty folder."""
    with ExitStack() as stack:
        pair = []
        for checkout in (before, now):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            pair.append(Worker(checkout, Path(folder)))
            stack.callback(pair[-1].close)
        yield pair[0], pair[1]


def compared(pair: tuple[Worker, Worker], probe: str, turns: int = TURNS) -> Compared | str:
    """The probe in both, by turns; why not, where one of them cannot make it."""
    made = [worker.ask(make=probe) for worker in pair]
    for name, answer in zip(("before", "now"), made, strict=True):
        if "error" in answer:
            return f"{name}: {answer['error']}"
    once = max(min(answer["cpu"] for answer in made), 1e-6)
    times, turns = max(1, round(LEAST / once)), max(FEWEST, min(turns, round(turns * LONG / once)))
    found: tuple[list[float], list[float]] = [], []
    for turn in range(turns):
        for k in (0, 1) if turn % 2 else (1, 0):
            found[k].append(pair[k].ask(call=times)["cpu"] / times)
    return Compared.of(*found)


def judged(pair: tuple[Worker, Worker], probe: str, turns: int = TURNS) -> Compared | str:
    """The probe, and once more where it looks slower: what stands is the second, longer measurement."""
    found = compared(pair, probe, turns)
    return compared(pair, probe, 2 * turns) if isinstance(found, Compared) and found.worse else found


@contextmanager
def checkout(ref: str) -> Iterator[Path]:
    """The packages of a commit, in a folder that is removed afterwards."""
    parts = ("fedmm_edu", "proofs_checks", "pyproject.toml")
    done = subprocess.run(["git", "archive", ref, *parts], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"no commit {ref!r}: {done.stderr.decode(errors='replace').strip()}")
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
        yield Path(folder)


def main(words: Sequence[str] | None = None) -> int:
    """1 where a probe got slower by a fifth, or cannot be made any more."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("ref", help="a commit, a branch or a tag: what this checkout is compared with")
    parser.add_argument("probes", nargs="*", help=f"beginnings of names (default: all): {', '.join(PROBES)}")
    parser.add_argument("--turns", type=int, default=TURNS, help=f"calls in each checkout (default: {TURNS})")
    args = parser.parse_intermixed_args(words)
    if args.turns < FEWEST:
        parser.error(f"--turns {args.turns}: give {FEWEST} or more.")
    names = [name for name in PROBES if not args.probes or name.startswith(tuple(args.probes))]
    if not names:
        parser.error(f"no probe begins with {' or '.join(args.probes)}: choose from {', '.join(PROBES)}.")
    rows, worse = [], []
    with checkout(args.ref) as before, workers(before, ROOT) as pair:
        for name in names:
            print(f"{name} …", file=sys.stderr, flush=True)
            found = judged(pair, name, args.turns)
            if isinstance(found, str):
                rows.append([name, "", "", "", found])
                worse += [name] if found.startswith("now") else []
                continue
            worse += [name] if found.worse else []
            says = "slower" if found.worse else "faster" if found.ratio <= 1 / WORSE else ""
            spread = f"{found.ratio:.2f} ({found.low:.2f} to {found.high:.2f})"
            rows.append([name, f"{1e3 * found.before:.3g}", f"{1e3 * found.now:.3g}", spread, says])
    header = ["probe", f"{args.ref}, ms", "here, ms", "ratio (quartiles)", ""]
    print(table(header, rows, columns=terminal_width(), shares=[9, 4, 4, 7, 6]))
    print(f"slower by a fifth or more, or broken: {', '.join(worse)}" if worse else "nothing is slower by a fifth")
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
