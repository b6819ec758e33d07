"""Pictures of MM-1 and MM-2 with one parameter: an objective, its majoriser at τ, and where the descent goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from fedmm_edu.algorithms import ITERATES, ParameterSpace, mm, run
from fedmm_edu.arrays import Array
from fedmm_edu.figures.style import PALETTE, labelled
from fedmm_edu.surrogate import Surrogate, objective, surrogate_value


@dataclass(frozen=True, eq=False)
class Scene:
    """A problem with d = 1, its samples z, and the window [low, high] of θ in which it is drawn."""

    problem: Surrogate
    z: Array
    low: float
    high: float
    name: str = ""

    def grid(self, size: int = 241) -> Array:
        """Values of θ across the window."""
        return np.linspace(self.low, self.high, size)

    def s(self, tau: float) -> Array:
        """E_π[S̄(Z, τ)], the surrogate at τ: shape (q,)."""
        return self.problem.mean_S_bar(self.z, np.array([tau]))

    def next(self, tau: float) -> float:
        """T(E_π[S̄(Z, τ)]), one step of MM (eq. `MM:Tspace`)."""
        return float(self.problem.T(self.s(tau))[0])

    def objective(self, thetas: ArrayLike) -> Array:
        """(f + g)(θ) at each of `thetas`."""
        return np.array([objective(self.problem, self.z, np.array([theta])) for theta in np.atleast_1d(thetas)])

    def surrogate(self, s: Array, thetas: ArrayLike) -> Array:
        """g + ψ − ⟨s, φ⟩ at each of `thetas`."""
        return np.array([surrogate_value(self.problem, np.array([theta]), s) for theta in np.atleast_1d(thetas)])

    def majoriser(self, tau: float, thetas: ArrayLike) -> Array:
        """The right-hand side of MM-1 plus g: the surrogate at τ, moved up until it touches f + g there."""
        s = self.s(tau)
        lift = self.objective(np.array([tau])) - self.surrogate(s, np.array([tau]))
        return self.surrogate(s, thetas) + lift

    def path(self, start: float, steps: int) -> Array:
        """θ_0 = start, θ_1, …, θ_steps of MM: shape (steps + 1,)."""
        fed = mm(self.problem, self.z, space=ParameterSpace())
        return run(fed, fed.init([start]), steps, columns=ITERATES, every=1)[1].x[:, 0]


def draw_majoriser(ax: Axes, scene: Scene, tau: float, *, below: bool = False) -> Axes:
    """The objective, the majoriser at τ and its minimiser; `below` shades where the surrogate fails to majorise."""
    thetas, goal = scene.grid(), scene.next(tau)
    curve, upper = scene.objective(thetas), scene.majoriser(tau, thetas)
    ax.plot(thetas, curve, color=PALETTE["reference"], label="objective $f + g$")
    ax.plot(thetas, upper, "--", color=PALETTE["S"], label=r"surrogate at $\tau$")
    if below:
        ax.fill_between(thetas, upper, curve, where=upper < curve - 1e-12, color=PALETTE["Theta"], alpha=0.3)
    at_tau, at_goal = scene.objective(np.array([tau, goal]))
    ax.plot(tau, at_tau, "o", color=PALETTE["S"], markersize=9, label=rf"touches at $\tau$ = {tau:.2f}")
    ax.plot(goal, scene.majoriser(tau, np.array([goal])), "_", color=PALETTE["S"], markersize=16)
    ax.plot(goal, at_goal, "D", color=PALETTE["Theta"], markersize=8, label=f"next point $T(s)$ = {goal:.2f}")
    return _finish(ax, scene, curve)


def draw_path(ax: Axes, scene: Scene, start: float, steps: int) -> Axes:
    """MM on the objective: each iterate with the surrogate that led on from it."""
    thetas, points = scene.grid(), scene.path(start, steps)
    curve = scene.objective(thetas)
    for k, tau in enumerate(points[:-1]):
        label = "surrogates" if k == 0 else None
        ax.plot(thetas, scene.majoriser(tau, thetas), "--", color=PALETTE["S"], linewidth=1, alpha=0.6, label=label)
    ax.plot(thetas, curve, color=PALETTE["reference"], label="objective $f + g$")
    ax.plot(points, scene.objective(points), "D", color=PALETTE["Theta"], markersize=7, label="iterates of MM")
    ax.plot(points[0], scene.objective(points[:1]), "o", color=PALETTE["S"], markersize=10, label="start")
    return _finish(ax, scene, curve)


def _finish(ax: Axes, scene: Scene, curve: Array) -> Axes:
    ax.set_xlim(scene.low, scene.high)
    room = np.ptp(curve)
    ax.set_ylim(curve.min() - 0.15 * room, curve.max() + 0.35 * room)
    frame = {"frameon": True, "framealpha": 0.85, "edgecolor": "none"}
    return labelled(ax, scene.name, r"parameter $\theta$", **frame, fontsize=9)
