"""Pictures of Sections 2.1 and 2.2: MM in Θ and in 𝒮, the mean field, and oracles seen through T."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.algorithms import ITERATES, mm, run
from fedmm_edu.arrays import Array, as_array
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.figures.majorizers import Scene
from fedmm_edu.figures.style import PALETTE, labelled
from fedmm_edu.surrogate import Surrogate, mean_field


def path_in_S(scene: Scene, s: Array, steps: int) -> Array:
    """s_0 = s, s_1, …, s_steps of MM in 𝒮 (eq. `MM:Sspace`): shape (steps + 1, q)."""
    fed = mm(scene.problem, scene.z)
    return run(fed, fed.init(s), steps, columns=ITERATES, every=1)[1].x


def draw_plane(ax: Axes, scene: Scene, s: Array, steps: int, *, low: tuple, high: tuple) -> Axes:
    """The plane 𝒮 (q = 2) in the window [low, high]: the mean field h, the surrogates E_π[S̄(Z, τ)], and MM from s."""
    if scene.problem.q != 2:
        raise InvalidInput(f"q = {scene.problem.q}: the plane shows problems with q = 2.")
    curve, grid, field = _background(scene, low, high)
    points = path_in_S(scene, s, steps)
    ax.quiver(*grid.T, *field.T, color=PALETTE["light"], angles="xy", scale_units="xy", scale=5.0, width=0.004)
    ax.plot(*curve.T, color=PALETTE["S"], label=r"surrogates $E[\bar S(Z,\tau)]$, all $\tau$")
    ax.plot(*points.T, ":", color=PALETTE["Theta"], linewidth=1.5)
    ax.plot(*points[1:].T, "D", color=PALETTE["Theta"], markersize=6, label="$s_1, s_2, …$")
    ax.plot(*points[0], "o", color=PALETTE["S"], markersize=10, label="start $s_0$")
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_ylabel("$s_2$")
    frame = {"frameon": True, "framealpha": 0.85, "edgecolor": "none"}
    return labelled(ax, r"$\mathcal{S}$: arrows show $h(s)/5$", "$s_1$", **frame, fontsize=9)


@lru_cache(maxsize=4)
def _background(scene: Scene, low: tuple, high: tuple) -> tuple[Array, Array, Array]:
    """What no start changes: E_π[S̄(Z, τ)] for all τ, a grid of points, and h there; shape (…, 2) each."""
    grid = np.array([[a, b] for a in np.linspace(low[0], high[0], 11)[1:-1] for b in np.linspace(low[1], high[1], 9)])
    field = np.array([mean_field(scene.problem, scene.z, point) for point in grid])
    return np.array([scene.s(tau) for tau in scene.grid()]), grid, field


@dataclass(frozen=True, eq=False)
class Batches:
    """Every batch of b of the samples, without replacement: `S`, its oracles, and `theta`, their minimisers.

    The means are exact up to rounding, since all batches are there. `target` is E_π[S̄(Z, τ)].
    """

    S: Array
    theta: Array
    target: Array
    T_target: Array

    @property
    def bias_in_S(self) -> Array:
        """E[S] − E_π[S̄(Z, τ)]: shape (q,)."""
        return self.S.mean(axis=0) - self.target

    @property
    def bias_in_Theta(self) -> Array:
        """E[T(S)] − T(E_π[S̄(Z, τ)]): shape (d,)."""
        return self.theta.mean(axis=0) - self.T_target


def every_batch(problem: Surrogate, z: Array, tau: Array, b: int) -> Batches:
    """All C(N, b) oracles of size b at τ, and what T makes of them."""
    z = as_array("z", z, shape=(None, None))
    as_count("b", b, high=len(z))
    each = problem.S_bar(z, tau)
    S = np.array([each[list(batch)].mean(axis=0) for batch in combinations(range(len(z)), b)])
    target = problem.mean_S_bar(z, tau)
    return Batches(S, problem.Ts(S), target, problem.T(target))


def draw_oracles(ax: Axes, problem: Surrogate, batches: Batches) -> Axes:
    """The graph of T (q = d = 1), every oracle on it, and the two ways to average: before T, and after."""
    low, high = float(batches.S.min()), float(batches.S.max())
    room = 0.08 * (high - low) or 1.0
    s = np.linspace(max(low - room, 0.6 * low) if low > 0 else low - room, high + room, 300)
    ax.plot(s, problem.Ts(s[:, None])[:, 0], color=PALETTE["reference"], label="$T$")
    ax.plot(batches.S[:, 0], batches.theta[:, 0], "o", color=PALETTE["light"], alpha=0.5, markersize=5, label="batches")
    mean, at = float(batches.S[:, 0].mean()), float(batches.theta[:, 0].mean())
    ax.plot([mean, mean], [float(batches.T_target[0]), at], color=PALETTE["Theta"], linewidth=3)
    ax.plot(mean, batches.T_target[0], "o", color=PALETTE["S"], markersize=10, label="average, then $T$")
    ax.plot(mean, at, "X", color=PALETTE["Theta"], markersize=10, label="$T$, then average")
    ax.set_ylabel("$T(S)$")
    return labelled(ax, "the bias is the gap between the marks", "oracle $S$", fontsize=9)
