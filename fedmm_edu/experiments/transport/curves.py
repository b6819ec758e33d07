"""A run: the scores of both networks as the rounds go, the CPU seconds and the bits until then."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from fedmm_edu.algorithms import FedMM, State
from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.commands.terminal import Progress
from fedmm_edu.errors import Array, as_count
from fedmm_edu.experiments import runs
from fedmm_edu.experiments.runs import TimeLeft
from fedmm_edu.experiments.transport.setting import Federation, Method, Setting, federation
from fedmm_edu.transport import Score, as_map, health, score


@dataclass(frozen=True, eq=False)
class Row:
    """After round t: CPU seconds of the rounds until then, bits sent by all clients, scores, ω, and `health`."""

    t: int
    seconds: float
    bits: int
    score: Score
    status: str
    omega: Array


def follow(method: Method, given: Federation, setting: Setting, rounds: int, every: int) -> Iterator[Row]:
    """The start, every `every`-th round, and the last; a network that died or diverged ends the run and is named."""
    fed, state = method.start(given, setting)
    before, used = None, 0.0
    yield _row(given, fed, state, used)
    while state.t < rounds:
        clock = time.process_time()
        before, state = state, fed.step(state, onto=before)
        used += time.process_time() - clock
        if state.t % every == 0 or state.t == rounds:
            row = _row(given, fed, state, used)
            yield row
            if row.status != "alive":
                return


def _row(given: Federation, fed: FedMM, state: State, used: float) -> Row:
    status, (omega, theta) = health(fed, state), given.problem.split(fed.theta(state))
    if status == "diverged":
        return Row(state.t, used, state.bits_up, Score(np.inf, 0.0, np.inf, 0.0), status, omega)
    maps = as_map(given.network, omega), as_map(given.network, theta)
    return Row(state.t, used, state.bits_up, score(given.pair, *maps, given.test), status, omega)


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch on one thread inside: the matrices are small, so that more threads cost more than they give."""
    import torch  # here: where it is missing, fedmm_edu.transport has said so in our words

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


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
        return f"{at.pair}-d{at.d}-s{at.seed}-l{self.method.lam:g}-{fingerprint(self)[:12]}.npz"

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


def execute(task: Task, folder: Path | None = None) -> Run:
    """Run a task."""
    given = federation(task.setting, folder)
    rows = list(follow(task.method, given, task.setting, task.rounds, task.every))
    end, status, t = rows[-1], rows[-1].status, sorted({*range(0, task.rounds, task.every), task.rounds})
    missed = len(t) - len(rows)
    if status != "alive":
        rows, missed = rows[:-1], missed + 1
    return Run(
        np.array(t),
        np.array([row.seconds for row in rows] + [end.seconds * s / end.t for s in t[len(rows) :]]),
        np.array([row.bits for row in rows] + missed * [rows[-1].bits]),
        np.array([row.score.uvp for row in rows] + missed * [np.inf]),
        np.array([row.score.inverse_uvp for row in rows] + missed * [np.inf]),
        np.array([row.score.cosine for row in rows] + missed * [0.0]),
        status,
    )


def stored(task: Task, cache: Path, folder: Path | None = None) -> Run:
    """The run of a task, from `cache` where it was made before; else made, and written there at once and whole."""
    columns = runs.stored(
        cache / task.file, asdict(task), [f.name for f in fields(Run)], lambda: _columns(task, folder)
    )
    return Run(**{**columns, "status": str(columns["status"])})


def _columns(task: Task, folder: Path | None) -> dict[str, Array]:
    made = vars(execute(task, folder))
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
