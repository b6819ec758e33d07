"""Many runs side by side, with the time left; and the choice of β."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from fedmm_edu.errors import as_count
from fedmm_edu.studies.dictionary.runs import Run, Task, stored
from fedmm_edu.studies.runs import TimeLeft
from fedmm_edu.text.tables import Progress


class Pool:
    """Executes tasks in `jobs` processes; what lies in `cache` is read, and what is finished is kept there.

    An interruption loses at most the runs that are under way. Results do not depend on `jobs` or on interruptions.
    Use it in a `with` block, which ends the processes. made, read: the number of runs made, and of those in the cache.
    """

    def __init__(self, cache: Path, *, jobs: int = 1, folder: str | None = None) -> None:
        self.cache, self.jobs, self.folder = cache, as_count("jobs", jobs), folder
        self.made = self.read = 0
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind, error, trace) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=kind is None, cancel_futures=True)
            self._executor = None

    def run(self, tasks: Iterable[Task], what: str) -> dict[Task, Run]:
        """The run of each task, in the order of the tasks."""
        tasks = list(dict.fromkeys(tasks))
        missing = [task for task in tasks if not (self.cache / task.file).exists()]
        missing.sort(key=cost, reverse=True)  # long ones first: no process waits for a last long one
        self.read += len(tasks) - len(missing)
        if missing:
            self._make(missing, what)
            self.made += len(missing)
        return {task: stored(task, self.cache, self.folder) for task in tasks}

    def _make(self, missing: Sequence[Task], what: str) -> None:
        progress, left = Progress(len(missing)), TimeLeft(sum(map(cost, missing)))
        for task in self._finished(missing):
            progress.step(f"{what}: {task.source.name}, seed {task.seed}; about {left.after(cost(task))} left")

    def _finished(self, missing: Sequence[Task]) -> Iterator[Task]:
        """The tasks as they are done."""
        if self.jobs == 1:
            for task in missing:
                _work(task, self.cache, self.folder)
                yield task
            return
        if self._executor is None:  # spawned: threads of the sparse coder do not survive a fork
            self._executor = ProcessPoolExecutor(self.jobs, mp_context=multiprocessing.get_context("spawn"))
        futures = {self._executor.submit(_work, task, self.cache, self.folder): task for task in missing}
        for future in as_completed(futures):
            future.result()
            yield futures[future]


def _work(task: Task, cache: Path, folder: str | None) -> None:
    with threadpool_limits(1):
        stored(task, cache, folder)


def cost(task: Task) -> float:
    """How long a task takes, in some unit: samples coded per round times the size of a code's system."""
    real = task.source.name not in ("homogeneous", "heterogeneous")
    return task.rounds * (10.0 if real else 1.0) * (1.0 if task.batch else 1.5)


def choose_beta(runs: Mapping[float, Sequence[Run]]) -> tuple[float, dict[float, float]]:
    """The β of the least final objective, on average over the tuning runs (the smallest of equal ones); and these."""
    ends = {beta: float(np.mean([run.objective[-1] for run in of])) for beta, of in sorted(runs.items())}
    return min(ends, key=lambda beta: ends[beta]), ends
