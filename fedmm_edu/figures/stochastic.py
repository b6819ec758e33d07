"""Pictures of Algorithm 1: how it weights its past, how EM becomes online, and what a dictionary learns."""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.algorithms import ITERATES, mm, run, sa_ssmm
from fedmm_edu.algorithms.step_sizes import StepSize, checked
from fedmm_edu.arrays import Array
from fedmm_edu.errors import as_count
from fedmm_edu.examples.mixture import GaussianMeans
from fedmm_edu.federation import MiniBatch
from fedmm_edu.figures.style import PALETTE, labelled

START = np.array([-0.5, 0.5])
"""Where the runs on the mixture start: both means near the middle."""


def memory(rule: StepSize, t: int) -> Array:
    """The weights of Ŝ_0 and of the oracles S_1, …, S_t in Ŝ_t, which are γ_j Γ_{j+1:t} (L 417): shape (t + 1,)."""
    gamma = np.array([1.0] + [checked(rule, j) for j in range(1, as_count("t", t) + 1)])
    later = np.append(1.0, 1.0 - gamma[:0:-1]).cumprod()[::-1]  # Γ_{j+1:t} for j = 0, …, t
    return gamma * later


def draw_memory(ax: Axes, rule: StepSize, t: int, name: str) -> Axes:
    """The weights of Ŝ_0 and of the oracles in Ŝ_t as bars."""
    weights = memory(rule, t)
    ax.bar(np.arange(1, t + 1), weights[1:], color=PALETTE["S"], label="oracles $S_1, …, S_t$")
    ax.bar([0], weights[:1], color=PALETTE["Theta"], hatch="//", label=r"the start $\hat S_0$")
    ax.set_ylim(0, max(0.12, 1.15 * float(weights.max())))
    return labelled(ax, f"weight of $S_j$ in $\\hat S_{{{t}}}$: {name}", "$j$", fontsize=9)


def two_groups(n: int = 300, seed: int = 1) -> tuple[GaussianMeans, Array]:
    """A mixture of N(−1.5, 1) and N(2, 1) with weights 0.4 and 0.6, n samples of it, and the problem of their means."""
    rng = np.random.default_rng(seed)
    first = rng.uniform(size=n) < 0.4
    z = np.where(first, -1.5, 2.0) + rng.normal(size=n)
    return GaussianMeans([0.4, 0.6], [[[1.0]], [[1.0]]], lam=0.01), z[:, None]


def online_em(rule: StepSize, b: int, rounds: int, seed: int) -> tuple[Array, Array]:
    """T(Ŝ_0), T(Ŝ_1), … of SA-SSMM on the mixture, shape (rounds + 1, 2), and the limit of EM from the same start.

    Each round has a batch of b samples.
    """
    problem, z = two_groups()
    fed = sa_ssmm(problem, z, gamma=rule, oracle=MiniBatch(b), seed=seed)
    path = run(fed, fed.init(fed.point(START)), rounds, columns=ITERATES, every=1)[1].x
    return problem.Ts(path), _limit_of_em()


@cache
def _limit_of_em() -> Array:
    fed = mm(*two_groups())
    return run(fed, fed.init(fed.point(START)), 100, every=100)[1].theta[-1]


def draw_online_em(ax: Axes, theta: Array, limit: Array) -> Axes:
    """Both means over rounds, and where EM with all samples ends."""
    for k, (colour, dash) in enumerate((("S", "-"), ("Theta", "-."))):
        ax.plot(theta[:, k], dash, color=PALETTE[colour], linewidth=1.3, label=f"mean {k + 1}")
        ax.axhline(limit[k], color=PALETTE["reference"], linestyle=":", label="limit of EM" if k == 0 else None)
    ax.set_ylim(-3.0, 3.5)
    return labelled(ax, r"$T(\hat S_t)$: the two means", "round $t$", fontsize=9, ncols=3, loc="upper right")


def draw_atoms(axes: list[Axes], theta: Array, shape: tuple[int, int]) -> list[Axes]:
    """The first columns of a dictionary, shape (p, K), as pictures of `shape`, one on each of `axes`; 0 is grey."""
    size = float(np.abs(theta).max())
    for ax, atom in zip(axes, theta.T, strict=False):
        ax.imshow(atom.reshape(shape), cmap="gray", vmin=-size, vmax=size)
        ax.set_axis_off()
    return axes
