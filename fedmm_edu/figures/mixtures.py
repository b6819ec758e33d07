"""A mixture of two groups over two clients: EM with its statistics averaged, and with its M-steps averaged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.algorithms import Constant, FedMM, ParameterSpace, run
from fedmm_edu.arrays import Array
from fedmm_edu.errors import as_count, in_interval
from fedmm_edu.examples.mixture import GaussianMeans
from fedmm_edu.federation import Clients
from fedmm_edu.figures.stochastic import START
from fedmm_edu.figures.style import PALETTE, labelled


def two_clients(share: float, samples: int = 200, seed: int = 1) -> tuple[GaussianMeans, Clients]:
    """Samples of N(−1.5, 1) and of N(2, 1), as many of each; client 1 holds a `share` of the first group.

    Client 2 holds the rest of it; of the second group, the shares are the other way round. All samples together are
    the same for every share, and so is the limit of EM.
    """
    in_interval("share", share, low=0.0, high=1.0)
    rng = np.random.default_rng(seed)
    groups = [mean + rng.normal(size=(as_count("samples", samples), 1)) for mean in (-1.5, 2.0)]
    cut = round(share * samples)
    first = np.concatenate([groups[0][:cut], groups[1][cut:]])
    second = np.concatenate([groups[0][cut:], groups[1][:cut]])
    return GaussianMeans([0.5, 0.5], [[[1.0]], [[1.0]]], lam=0.01), Clients.of([first, second])


def em_paths(problem: GaussianMeans, clients: Clients, rounds: int = 25) -> tuple[Array, Array]:
    """The means (m_1, m_2) over the rounds of EM, aggregated in 𝒮 and in Θ: shape (rounds + 1, 2) each."""
    in_S = FedMM(problem, clients, Constant(1.0))
    in_Theta = replace(in_S, space=ParameterSpace())
    first = in_S.init(in_S.point(START))
    start = in_Theta.init(in_S.theta(first))
    return run(in_S, first, rounds, every=1)[1].theta, run(in_Theta, start, rounds, every=1)[1].theta


def draw_samples(ax: Axes, clients: Clients) -> Axes:
    """Histograms of what each client holds."""
    edges = np.linspace(-5.0, 5.5, 36)
    for k, (z, colour, dash) in enumerate(zip(clients.data, ("other", "reference"), ("-", "--"), strict=True)):
        heights = np.histogram(z[:, 0], edges)[0]
        ax.stairs(heights, edges, color=PALETTE[colour], linestyle=dash, linewidth=1.8, label=f"client {k + 1}")
    return labelled(ax, "number of samples", "$z$", fontsize=9)


def draw_em_paths(ax: Axes, in_S: Array, in_Theta: Array) -> Axes:
    """Both means over the rounds, for both aggregations."""
    for path, colour, dash, label in ((in_S, "S", "-", r"in $\mathcal{S}$"), (in_Theta, "Theta", "--", r"in $\Theta$")):
        ax.plot(path, dash, color=PALETTE[colour])
        ax.plot([], [], dash, color=PALETTE[colour], label=f"aggregated {label}")
    ax.set_ylim(-3.0, 4.5)
    return labelled(ax, "the two means", "round", fontsize=9, loc="upper right", ncols=2)
