"""Lesson 9: clients with pictures of one digit each, the atoms that they learn together, and a player for them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.arrays import Array
from fedmm_edu.datasets.movielens import find, load_movielens
from fedmm_edu.datasets.patches import SIDE, load_patches
from fedmm_edu.errors import FedMMError, needs
from fedmm_edu.federation import Clients
from fedmm_edu.federation.partition import balanced_clusters
from fedmm_edu.figures.atoms import draw_mosaic
from fedmm_edu.figures.style import PALETTE, labelled
from fedmm_edu.studies.dictionary import Curves, Data, DictionaryRun, DictionaryTask, Source, steps
from fedmm_edu.studies.dictionary.pictures import draw_metric
from fedmm_edu.widgets.live import MENU, WIDE, Live

with needs("studies", "the pictures of lesson 9"):
    from sklearn.datasets import load_digits

__all__ = ["TASK", "AtomPlayer", "learn", "one_digit_each", "ratings_or_patches"]

TASK = DictionaryTask(Source("digits", clients=10), naive=False, beta=0.5, seed=0, rounds=100, batch=25, active=5,
                      start="samples", rows=20)  # fmt: skip
"""The settings of Section 6, but fewer clients, smaller batches, longer steps for 100 rounds, and samples as atoms."""
K = 20
"""Atoms."""


@cache
def one_digit_each(samples: int = 120) -> Data:
    """Client i of ten holds `samples` pictures of the digit i, of 8 × 8 pixels from 0 to 1."""
    found = load_digits()
    z = np.vstack([found.data[found.target == digit][:samples] for digit in range(10)]) / 16.0
    return Data(Clients.of_rows(z, np.full(10, samples)), z, K)


def ratings_or_patches(users: int = 1000, movies: int = 200) -> tuple[Data, str]:
    """The most active users and most rated movies of MovieLens 1M, else image patches, in ten balanced clusters.

    The second value says which, and why.
    """
    try:
        path = find()
        says = "FEDMM_DATA names no folder of MovieLens 1M"
    except FedMMError as error:
        path, says = None, str(error)
    if path is None:
        z, says = load_patches(users), f"No ratings here ({says}): patches of two photographs take their place."
    else:
        z = load_movielens(path).matrix(users, movies)
        says = f"MovieLens 1M: {users} users, {movies} movies, {(z > 0).mean():.0%} of the pairs have a rating."
    z = z[np.argsort(balanced_clusters(z, 10, 0), kind="stable")]
    return Data(Clients.of_rows(z, np.full(10, users // 10)), z, K), says


@cache
def learn(task: DictionaryTask, data: Data) -> tuple[DictionaryRun, tuple[Array, ...]]:
    """One run: its curves, and the dictionary of each recorded round, shape (p, K). What was run is kept."""
    rows = list(steps(task, data))
    atoms = tuple(np.reshape(row.pop("theta"), (data.pool.shape[1], data.K)) for row in rows)
    columns = {name: np.array([row[name] for row in rows], float) for name in rows[0]}
    return DictionaryRun(**columns, theta=atoms[-1]), atoms


class AtomPlayer:
    """The atoms of both aggregations over the rounds of one federation, beside the objective.

    The menus choose the bits of a number and who is active, and lead to new runs, which are kept. `runs` maps "fedmm"
    and "naive" to what is played; `frames` counts the recorded rounds.
    """

    def __init__(self, data: Data | None = None, task: DictionaryTask = TASK) -> None:
        self.data, self.task = data or one_digit_each(), task
        self.bits = widgets.Dropdown(options={"64": 0, "8": 8, "4": 4, "2": 2}, value=task.bits,
                                     description="bits of a number", **MENU)  # fmt: skip
        self.active = widgets.Dropdown(options=[2, 5, 10], value=task.active, description="clients in a round", **MENU)
        self._play_anew()
        self.frame = widgets.IntSlider(0, 0, self.frames - 1, description="recorded round", **WIDE)
        self.run = widgets.Play(value=0, min=0, max=self.frames - 1, interval=500, description="play")
        widgets.link((self.run, "value"), (self.frame, "value"))
        for control in (self.bits, self.active):
            control.observe(self._play_anew, names="value")  # before `Live`, which draws what is played here
        self.live = Live(self._draw, self.bits, self.active, self.frame, columns=3, width=3.7, height=3.4)
        self.view = widgets.VBox([self.run, self.live.view])

    @property
    def frames(self) -> int:
        return min(len(atoms) for _, atoms in self.runs.values())  # a run that diverged is shorter

    def _play_anew(self, change: object = None) -> None:
        task = replace(self.task, bits=self.bits.value, active=self.active.value)
        self.runs = {"fedmm": learn(task, self.data), "naive": learn(replace(task, naive=True), self.data)}

    def _draw(self, *axes: Axes) -> str:
        at, says = min(self.frame.value, self.frames - 1), []
        *pictures, curves = axes
        names = ((r"$\mathcal{S}$", "𝒮"), (r"$\Theta$", "Θ"))
        for ax, (run, atoms), (tex, name) in zip(pictures, self.runs.values(), names, strict=True):
            draw_mosaic(ax, atoms[at], (SIDE, SIDE), title=f"averaged in {tex}")
            says.append(f"objective {run.objective[at]:.3f} in {name} ({run.bits[at] / 8e6:.2f} MB sent)")
        draw_metric(curves, {arm: Curves.of([run]) for arm, (run, _) in self.runs.items()}, "objective")
        t = self.runs["fedmm"][0].t[at]
        curves.axvline(t, color=PALETTE["light"], linewidth=1)
        labelled(curves, "objective", "round", fontsize=8)
        return f"Round {t:.0f}: {', '.join(says)}."
