"""A player for the rounds of FedMM: each ingredient of Algorithm 2 has a switch."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.arrays import Array
from fedmm_edu.federation import Bernoulli, Clients, Everyone, Identity, RandK, omega_p
from fedmm_edu.figures.rounds import Transition, draw_distances, draw_round, play, root
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.theory import largest_alpha
from fedmm_edu.widgets.live import WIDE, Live

BOX = {"indent": False, "layout": {"width": "39em"}}


class RoundPlayer:
    """Rounds of FedMM for a problem with surrogates in a box of the plane, from `start`.

    Switches: half of the clients take part; messages keep one coordinate of two; control variates with the largest α
    that Theorem 1 admits; the projection. `fed` and `rounds` are what is played; `distance` is ‖Ŝ_t − s⋆‖ at its end.
    """

    def __init__(self, problem: Surrogate, clients: Clients, start: Array, *, rounds: int = 60, seed: int = 0) -> None:
        self.problem, self.clients, self.start, self.length, self.seed = problem, clients, start, rounds, seed
        self.goal = root(problem, clients, start)
        self.some = widgets.Checkbox(True, description="half of the clients take part, at random", **BOX)
        self.compress = widgets.Checkbox(True, description="messages keep one coordinate of two, at random", **BOX)
        self.variates = widgets.Checkbox(True, description="control variates", **BOX)
        self.project = widgets.Checkbox(True, description="project onto 𝒮", **BOX)
        self.gamma = widgets.FloatSlider(0.3, min=0.05, max=1.0, step=0.05, description="step size γ", **WIDE)
        self.t = widgets.IntSlider(1, 1, rounds, description="round", **WIDE)
        self.run = widgets.Play(value=1, min=1, max=rounds, interval=400, description="play")
        widgets.link((self.run, "value"), (self.t, "value"))
        self._replay()
        switches = self.some, self.compress, self.variates, self.project, self.gamma
        for control in switches:
            control.observe(self._replay, names="value")  # before `Live`, which draws what is played here
        self.live = Live(self._draw, *switches, self.t, columns=2, width=4.9, height=4.2)
        self.view = widgets.VBox([self.run, self.live.view])

    @property
    def distance(self) -> float:
        """‖Ŝ_t − s⋆‖ after the last round played."""
        return float(np.linalg.norm(self.rounds[-1].after.x - self.goal))

    def _replay(self, change: object = None) -> None:
        who = Bernoulli(0.5) if self.some.value else Everyone()
        compressor = RandK(1) if self.compress.value else Identity()
        together = omega_p(compressor.omega(self.problem.q), 0.5 if self.some.value else 1.0)
        alpha = largest_alpha(together) if self.variates.value else 0.0
        self.fed = FedMM(self.problem, self.clients, Constant(self.gamma.value), participation=who,
                         compressor=compressor, alpha=alpha, seed=self.seed)  # fmt: skip
        start = self.fed.init(self.start)
        self.rounds: tuple[Transition, ...] = play(self.fed, start, self.length, project=self.project.value)

    def _draw(self, plane: Axes, curve: Axes) -> str:
        at = min(self.t.value, len(self.rounds)) - 1
        draw_round(plane, self.fed, self.rounds, at, self.goal)
        draw_distances(curve, self.rounds, at, self.goal)
        return self._sentence(self.rounds[at])

    def _sentence(self, here: Transition) -> str:
        who = ", ".join(str(i + 1) for i in here.who) or "nobody"
        text = f"Round {here.after.t}: {who} answered; H = ({here.H[0]:.3f}, {here.H[1]:.3f})."
        if here.projected:
            text += " Ŝ<sub>t+1/2</sub> lies outside 𝒮."
        if not self.project.value and here.projected:
            return text + " MM-2 promises no T(Ŝ) there, the kernel refuses it, and the run ends."
        text += f" Distance to s<sub>⋆</sub> in the end: {self.distance:.2e}"
        return text + f" after {self.rounds[-1].after.bits_up / 8e3:.1f} kB from clients."
