"""Tasks and their runs: each is made once, written whole, and found again by everything that it depends on."""

from __future__ import annotations

import io
import json
import multiprocessing
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.errors import StateMismatch, as_count
from fedmm_edu.files import read_arrays, write_bytes
from fedmm_edu.text.tables import Progress

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Columns = Mapping[str, np.ndarray]
K = TypeVar("K", bound=Hashable)
R = TypeVar("R", bound="DataclassInstance")
PAUSE = 60.0
"""Seconds between two writings of what is done of a run."""


@dataclass(frozen=True)
class Task(ABC, Generic[R]):
    """Everything that a run depends on, as a frozen dataclass of plain values.

    R, what it gives, is a dataclass of arrays and words, its `kind`. The settings name its file; no code does.
    """

    kind: ClassVar[type]

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is, in the name of its file and beside a bar."""

    @property
    @abstractmethod
    def cost(self) -> float:
        """How long it takes, in any unit that its study has."""

    @abstractmethod
    def make(self, folder: Path | None = None, unfinished: Unfinished | None = None) -> R:
        """The run. folder: of data that are not shipped. unfinished: where an interrupted run may go on from."""

    def remark(self, run: R) -> str:
        """What is unexpected about its run."""
        return ""

    @property
    def file(self) -> str:
        """A name that tells what it is, and differs for every other task."""
        return f"{self.name}-{fingerprint(asdict(self))[:12]}.npz"


class Unfinished:
    """What is done of a long run, on disk: written once in `PAUSE` seconds, so that an interrupted run goes on."""

    def __init__(self, path: Path, task: Task) -> None:
        self.path, self.task, self._saved = path, task, time.monotonic()

    def read(self, names: Iterable[str]) -> Columns | None:
        """What was kept last; None if nothing was."""
        return read(self.path, self.task, names) if self.path.exists() else None

    def keep(self, columns: Callable[[], Columns]) -> None:
        """Keep these, if it is time."""
        if time.monotonic() - self._saved > PAUSE:
            keep(self.path, self.task, columns())
            self._saved = time.monotonic()


def stored(task: Task[R], cache: Path, folder: Path | None = None) -> R:
    """The run of a task, from `cache` where it was made before; else made, and written there at once and whole.

    `StateMismatch` for a file that holds something else.
    """
    path, names = cache / task.file, [f.name for f in fields(task.kind)]
    unfinished = Unfinished(path.with_name(f"{path.name}.part"), task)
    if path.exists():
        columns = read(path, task, names)
    else:
        made = task.make(folder, unfinished)
        columns = {name: np.asarray(getattr(made, name)) for name in names}
        keep(path, task, columns)
    unfinished.path.unlink(missing_ok=True)
    values: dict[str, Any] = {name: value if value.ndim else value.item() for name, value in columns.items()}
    return task.kind(**values)


def keep(path: Path, task: Task, columns: Columns) -> None:
    """Write what a task gave, at once and whole."""
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {"task": np.array(json.dumps(asdict(task))), **columns}
    np.savez_compressed(buffer, **arrays)
    write_bytes(path, buffer.getvalue())


def read(path: Path, task: Task, names: Iterable[str]) -> Columns:
    """The columns `names` of what `keep` wrote; `StateMismatch` for a file that holds something else."""
    arrays = read_arrays(path, "a kept run", "have it made anew")
    try:
        found = json.loads(str(arrays["task"]))
        columns = {name: arrays[name] for name in names}
    except (LookupError, ValueError, RecursionError) as error:
        raise StateMismatch(f"{path} is not a kept run ({error}): delete it, and it is made anew.") from error
    if found != json.loads(json.dumps(asdict(task))):
        raise StateMismatch(f"{path} holds a run with other settings: delete it, and it is made anew.")
    return columns


class Pool:
    """Executes tasks in `jobs` processes; what lies in `cache` is read, and what is finished is kept there.

    An interruption loses at most the runs that are under way. Results do not depend on `jobs` or on interruptions.
    Use it in a `with` block, which ends the processes. made, found: the number of runs made, and of those in the cache.
    """

    def __init__(self, cache: Path, *, jobs: int = 1, folder: Path | None = None) -> None:
        self.cache, self.jobs, self.folder = cache, as_count("jobs", jobs), folder
        self.made = self.found = 0
        self._executor: ProcessPoolExecutor | None = None
        self._bar, self._cost, self._done, self._began = Progress(0), 0.0, 0.0, time.monotonic()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind, error, trace) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=kind is None, cancel_futures=True)
            self._executor = None

    def run(self, tasks: Mapping[K, Sequence[Task[R]]], what: str) -> dict[K, list[R]]:
        """The runs of some tasks, by what they are for."""
        wanted = list(dict.fromkeys(task for of in tasks.values() for task in of))
        missing = [task for task in wanted if not (self.cache / task.file).exists()]
        missing.sort(key=lambda task: task.cost, reverse=True)  # long ones first: no process waits for a last long one
        if self._bar.done < self._bar.total:  # what is wanted was expected
            for task in set(wanted) - set(missing):
                self.expect(task, -1)
        else:
            for task in missing:
                self.expect(task)
        for task, remark in self._finished(missing):
            self._done += task.cost
            left = (time.monotonic() - self._began) * max(self._cost - self._done, 0.0) / self._done
            self._bar.step(f"{what}: {task.name}; about {span(left)} left", remark)
        self.made += len(missing)
        self.found += len(wanted) - len(missing)
        return {key: [stored(task, self.cache, self.folder) for task in of] for key, of in tasks.items()}

    def one(self, task: Task[R], what: str) -> R:
        """The run of a task."""
        return self.run({what: [task]}, what)[what][0]

    def expect(self, task: Task, times: int = 1) -> None:
        """So many more runs like this one will be asked for than was thought: the time left counts them."""
        self._cost += times * task.cost
        self._bar.total += times

    def _finished(self, missing: Sequence[Task[R]]) -> Iterator[tuple[Task[R], str]]:
        """The tasks as they are done, each with its remark."""
        if self.jobs == 1:
            for task in missing:
                yield task, _work(task, self.cache, self.folder)
            return
        if missing and self._executor is None:  # spawned: threads of the sparse coder do not survive a fork
            self._executor = ProcessPoolExecutor(self.jobs, mp_context=multiprocessing.get_context("spawn"))
        if self._executor is not None:
            futures = {self._executor.submit(_work, task, self.cache, self.folder): task for task in missing}
            for future in as_completed(futures):
                yield futures[future], future.result()


def _work(task: Task, cache: Path, folder: Path | None) -> str:
    """Make and keep a run; the remark."""
    with threadpool_limits(1):  # the last digit of a sum would depend on the number of threads
        return task.remark(stored(task, cache, folder))


def span(seconds: float) -> str:
    """A duration in words."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
