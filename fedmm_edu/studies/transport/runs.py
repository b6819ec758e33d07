"""A run as a task: everything that it depends on, what it gave, and how it is kept on disk."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from fedmm_edu.algorithms import State
from fedmm_edu.arrays import Array
from fedmm_edu.errors import as_count
from fedmm_edu.studies import runs
from fedmm_edu.studies.runs import TimeLeft
from fedmm_edu.studies.transport.curves import Row, walk
from fedmm_edu.studies.transport.setting import Method, Setting, federation
from fedmm_edu.text.tables import Progress

ROW = ("t", "seconds", "bits", "uvp", "inverse_uvp", "cosine")
"""The columns of what is kept of a run while it is made."""
PAUSE = 60.0
"""Seconds between two writings of the part of a run that is done."""


@dataclass(frozen=True)
class Task:
    """Everything that a stored run depends on."""

    method: Method
    setting: Setting
    rounds: int
    every: int

    def __post_init__(self) -> None:
        as_count("rounds", self.rounds)
        as_count("every", self.every)

    @property
    def file(self) -> str:
        """A name that tells what it is, and differs for every other task."""
        at = self.setting
        return f"{at.pair}-d{at.d}-s{at.seed}-l{self.method.lam:g}-{runs.name_of(asdict(self))}.npz"

    @property
    def cost(self) -> float:
        """How long it takes, in some unit: measured milliseconds of a round, roughly."""
        width = max(self.setting.d, 32) / 32
        client = 15.0 if self.method.joint else 8.0 * self.method.K
        server = 0.0 if self.method.joint else 2.0 * self.method.M
        grows = width**1.5 * self.setting.clients * self.setting.batch / 1280
        return self.rounds * (1.0 + 0.35 * self.method.lam) * (client * grows + server * width)


@dataclass(frozen=True, eq=False)
class Run:
    """What a task gave, over the recorded rounds. Scores that a run did not live to see are infinite."""

    t: Array
    seconds: Array
    bits: Array
    uvp: Array
    inverse_uvp: Array
    cosine: Array
    status: str

    @property
    def best(self) -> float:
        """The least UVP."""
        return float(self.uvp.min())


def execute(task: Task, folder: Path | None = None, part: Path | None = None) -> Run:
    """Run a task. With `part`, where an interrupted run left its rows and state, go on from there, bit for bit."""
    given = federation(task.setting, folder)
    fed, state = task.method.start(given, task.setting)
    kept, status = np.empty((0, len(ROW))), "alive"
    if part is not None and part.exists():
        found = runs.read(part, asdict(task), ["rows", *(f.name for f in fields(State))])
        kept = found["rows"]
        state = State.of(found)
    saved = time.monotonic()
    for row, now in walk(fed, given, state, kept[-1, 1] if len(kept) else 0.0, task.rounds, task.every):
        kept, status = np.vstack([kept, _numbers(row)]), row.status
        if part is not None and time.monotonic() - saved > PAUSE:
            runs.keep(part, asdict(task), {"rows": kept, **now.arrays()})
            saved = time.monotonic()
    return _run(task, kept, status)


def _numbers(row: Row) -> tuple[float, ...]:
    """The row as `ROW`."""
    return row.t, row.seconds, row.bits, row.score.uvp, row.score.inverse_uvp, row.score.cosine


def _run(task: Task, kept: Array, status: str) -> Run:
    """The run whose recorded rows these are, as many of them as it lived to see."""
    end, t = kept[-1], sorted({*range(0, task.rounds, task.every), task.rounds})
    missed = len(t) - len(kept)
    if status != "alive":
        kept, missed = kept[:-1], missed + 1
    return Run(
        np.array(t),
        np.array([*kept[:, 1]] + [end[1] * s / end[0] for s in t[len(kept) :]]),
        np.array([*kept[:, 2]] + missed * [kept[-1, 2]]).astype(np.int64),
        np.array([*kept[:, 3]] + missed * [np.inf]),
        np.array([*kept[:, 4]] + missed * [np.inf]),
        np.array([*kept[:, 5]] + missed * [0.0]),
        status,
    )


def stored(task: Task, cache: Path, folder: Path | None = None) -> Run:
    """The run of a task, from `cache` where it was made before; else made, and written there at once and whole.

    What takes long is written once a minute while it is made, so that an interrupted run goes on where it was.
    """
    part = cache / f"{task.file}.part"
    columns = runs.stored(
        cache / task.file, asdict(task), [f.name for f in fields(Run)], lambda: _columns(task, folder, part)
    )
    part.unlink(missing_ok=True)
    return Run(**{**columns, "status": str(columns["status"])})


def _columns(task: Task, folder: Path | None, part: Path) -> dict[str, Array]:
    made = vars(execute(task, folder, part))
    return {**made, "status": np.array(made["status"])}


class Worker:
    """Makes runs, or reads them from `cache`, one after the other in this process, and tells the time left.

    `tasks`: what is expected, about. CPU seconds are a result here: no second process disturbs them.
    """

    def __init__(self, cache: Path, folder: Path | None, tasks: Sequence[Task]) -> None:
        self.cache, self.folder = cache, folder
        self.left, self.progress = TimeLeft(sum(task.cost for task in tasks)), Progress(len(tasks))

    def __call__(self, task: Task, what: str) -> Run:
        """The run of a task."""
        made = not (self.cache / task.file).exists()
        run = stored(task, self.cache, self.folder)
        if made:
            left = self.left.after(task.cost)
            at = f"λ = {task.method.lam:g}, d = {task.setting.d}, seed {task.setting.seed}"
            self.progress.step(f"{what}, {at}; about {left} left", "" if run.status == "alive" else run.status)
        else:
            self.expected(task, -1)
        return run

    def expected(self, task: Task, more: int) -> None:
        """So many more runs like this one than was thought."""
        self.left.total += more * task.cost
        self.progress.total += more
