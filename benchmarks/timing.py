"""How everything here is measured: interleaved repetitions, medians, wall and CPU time, one thread or two."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from threadpoolctl import threadpool_limits


@dataclass(frozen=True)
class Measured:
    """Median seconds of one call: elapsed, and of all cores together."""

    wall: float
    cpu: float


def interleaved(calls: Mapping[str, Callable[[], object]], repetitions: int = 9) -> dict[str, Measured]:
    """Each call measured `repetitions` times, in turn, so that a drift of the machine meets all of them alike.

    One round before the first is not counted: it compiles, allocates and fills caches.
    """
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(repetitions):
        for name, call in calls.items():
            wall, cpu = time.perf_counter(), time.process_time()
            call()
            times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return {name: Measured(*(statistics.median(column) for column in zip(*rows, strict=True)))
            for name, rows in times.items()}  # fmt: skip


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Everything inside uses `count` threads: Numba's loops share them, BLAS and OpenMP libraries too."""
    import numba

    before = numba.get_num_threads()
    numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))
    try:
        with threadpool_limits(count):
            yield
    finally:
        numba.set_num_threads(before)


def peak_memory(code: str) -> int:
    """Bytes of memory at the peak of a fresh process that runs `code`, less those of one that imports the same (Linux).

    `code` holds a line `# ---`: what stands above it belongs to both processes. (`getrusage` would not do: a child
    inherits the peak of its parent.)
    """
    report = "\nprint(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1] + '000')"
    base, whole = (
        int(subprocess.run([sys.executable, "-c", part + report], capture_output=True, text=True, check=True).stdout)
        for part in (code.split("# ---")[0], code)
    )
    return whole - base


def machine() -> dict[str, str]:
    """What the times belong to."""
    found = {"processor": _processor(), "cores": str(os.cpu_count()), "Python": platform.python_version()}
    for package in ("numpy", "scipy", "numba", "scikit-learn", "spams-bin"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
