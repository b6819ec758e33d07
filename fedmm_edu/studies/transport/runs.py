"""A run as a task: everything that it depends on, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fedmm_edu.algorithms import FedMM, State
from fedmm_edu.arrays import Array
from fedmm_edu.errors import as_count
from fedmm_edu.studies.tasks import Task, Unfinished
from fedmm_edu.studies.transport.curves import ScoredRound, walk
from fedmm_edu.studies.transport.setting import Federation, OTMethod, Setting, federation_of

ROW = ("t", "seconds", "bits", "uvp", "inverse_uvp", "cosine")
"""The columns of what is kept of a run while it is made."""


@dataclass(frozen=True, eq=False)
class TransportRun:
    """What a task gave, over the recorded rounds. Scores that a run did not live to see are infinite."""

    t: NDArray[np.int64]
    seconds: Array
    bits: NDArray[np.int64]
    uvp: Array
    inverse_uvp: Array
    cosine: Array
    status: str

    @property
    def best(self) -> float:
        """The least UVP."""
        return float(self.uvp.min())


@dataclass(frozen=True)
class TransportTask(Task[TransportRun]):
    """Everything that a run depends on: `rounds` rounds, and a score after every `every` of them."""

    kind = TransportRun

    method: OTMethod
    setting: Setting
    rounds: int
    every: int

    def __post_init__(self) -> None:
        as_count("rounds", self.rounds)
        as_count("every", self.every)

    @property
    def name(self) -> str:
        at = self.setting
        return f"{at.pair}-d{at.d}-s{at.seed}-l{self.method.lam:g}"

    @property
    def cost(self) -> float:
        """Measured milliseconds of a round, roughly."""
        width = max(self.setting.d, 32) / 32
        client = 15.0 if self.method.joint else 8.0 * self.method.K
        server = 0.0 if self.method.joint else 2.0 * self.method.M
        grows = width**1.5 * self.setting.clients * self.setting.batch / 1280
        return self.rounds * (1.0 + 0.35 * self.method.lam) * (client * grows + server * width)

    def remark(self, run: TransportRun) -> str:
        return "" if run.status == "alive" else run.status

    def begin(self, given: Federation) -> tuple[FedMM, State]:
        """The settings of the run, and the state at t = 0."""
        return self.method.start(given, self.setting)

    def make(self, folder: Path | None = None, unfinished: Unfinished | None = None) -> TransportRun:
        """The run. What an interrupted one left, its rows and state, it goes on from, bit for bit."""
        given = federation_of(self.setting, folder)
        fed, state = self.begin(given)
        kept, status = np.empty((0, len(ROW))), "alive"
        found = unfinished and unfinished.read(["rows", *(f.name for f in fields(State))])
        if found:
            kept, state = found["rows"], State.of(found)
        for row, now in walk(fed, given, state, kept[-1, 1] if len(kept) else 0.0, self.rounds, self.every):
            kept, status = np.vstack([kept, _numbers(row)]), row.status
            if unfinished is not None:
                unfinished.keep(lambda kept=kept, now=now: {"rows": kept, **now.arrays()})
        return _run(self, kept, status)


def _numbers(row: ScoredRound) -> tuple[float, ...]:
    """The row as `ROW`."""
    return row.t, row.seconds, row.bits, row.score.uvp, row.score.inverse_uvp, row.score.cosine


def _run(task: TransportTask, kept: Array, status: str) -> TransportRun:
    """The run whose recorded rows these are, as many of them as it lived to see."""
    end, t = kept[-1], sorted({*range(0, task.rounds, task.every), task.rounds})
    missed = len(t) - len(kept)
    if status != "alive":
        kept, missed = kept[:-1], missed + 1
    return TransportRun(
        np.array(t),
        np.array([*kept[:, 1]] + [end[1] * s / end[0] for s in t[len(kept) :]]),
        np.array([*kept[:, 2]] + missed * [kept[-1, 2]]).astype(np.int64),
        np.array([*kept[:, 3]] + missed * [np.inf]),
        np.array([*kept[:, 4]] + missed * [np.inf]),
        np.array([*kept[:, 5]] + missed * [0.0]),
        status,
    )
