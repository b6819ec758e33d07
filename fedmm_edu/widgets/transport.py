"""Lesson 10: the samples of clients on their way along a learned map. Needs the `transport` extra (PyTorch)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures.style import PALETTE
from fedmm_edu.figures.transport import draw_clients, draw_image, grid_lines
from fedmm_edu.studies.transport.curves import ScoredRound
from fedmm_edu.studies.transport.setting import Federation, Setting, federation_of
from fedmm_edu.transport import as_map
from fedmm_edu.widgets.live import MENU, WIDE, Live

__all__ = ["PLANE", "TransportPlayer", "benchmark_or_own", "draw_moved", "in_window"]

PLANE = Setting(d=2, clients=6, samples=1500, target=3000)
"""A small federation in the plane."""


def benchmark_or_own(setting: Setting) -> tuple[Federation, str]:
    """The W2 benchmark's pair where its files are, else our own; the second value says which, and why."""
    try:
        found = federation_of(replace(setting, pair="benchmark"))
        says = f"The pair of the W2 benchmark, d = {setting.d}."
    except InvalidInput as error:
        found = federation_of(setting)
        says = f"No benchmark here: {error} Our log-sum-exp pair takes its place."
    return found.closed(), says


def draw_moved(ax: Axes, given: Federation, images: list[Array], title: str) -> Axes:
    """The images of the clients' samples, in their colours and marks, over samples of Q."""
    ax.plot(*given.problem.target[:1500].T, ".", color=PALETTE["light"], markersize=2, alpha=0.4)
    draw_clients(ax, images)
    ax.set_title(title, loc="left")
    return in_window(ax, given)


def in_window(ax: Axes, given: Federation) -> Axes:
    """Limits that hold all samples of P and Q: the same ones for all panels and frames."""
    seen = np.concatenate([given.problem.target, given.clients.z])
    for limit, low, high in zip((ax.set_xlim, ax.set_ylim), seen.min(axis=0), seen.max(axis=0), strict=True):
        limit(low - 0.2, high + 0.2)
    return ax


class TransportPlayer:
    """Where each client's samples are, a share of the way along the map of a recorded round, and the image of a grid.

    `row` is what is shown: the record of a method at a round.
    """

    def __init__(self, given: Federation, traces: Mapping[str, Sequence[ScoredRound]]) -> None:
        self.given, self.traces = given, traces
        self.grid = grid_lines(given.test)
        least = min(map(len, traces.values()))
        self.method = widgets.Dropdown(options=list(traces), description="method", **MENU)
        self.frame = widgets.IntSlider(0, 0, least - 1, description="recorded round", **WIDE)
        self.way = widgets.FloatSlider(1.0, min=0.0, max=1.0, step=0.05, description="share of the way", **WIDE)
        self.run = widgets.Play(value=0, min=0, max=least - 1, interval=500, description="play")
        widgets.link((self.run, "value"), (self.frame, "value"))
        self.live = Live(self._draw, self.method, self.frame, self.way, columns=2, width=4.4, height=4.6)
        self.view = widgets.VBox([self.run, self.live.view])

    @property
    def row(self) -> ScoredRound:
        return self.traces[self.method.value][self.frame.value]

    def _draw(self, left: Axes, right: Axes) -> str:
        image, way = as_map(self.given.network, self.row.omega), self.way.value
        moved = [(1.0 - way) * x + way * image(x) for x in (z[:150] for z in self.given.clients.data)]
        draw_moved(left, self.given, moved, f"clients' samples, {way:.0%} of the way")
        in_window(draw_image(right, image, self.grid, self.given.problem.target, "image of a grid"), self.given)
        found = self.row.score
        text = f"{self.method.value}, round {self.row.t}, {way:.0%} of the way: L<sub>2</sub>-UVP of the map "
        return text + f"{found.uvp:.2f} %, cosine {found.cosine:.3f}; of the inverse {found.inverse_uvp:.2f} %."
