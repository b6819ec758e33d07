"""A round of FedMM taken apart, line by line of Algorithm 2, and pictures of rounds in the plane of surrogates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from fedmm_edu.algorithms import Constant, FedMM, State, run
from fedmm_edu.arrays import Array, Indices
from fedmm_edu.convex_sets import Box
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.federation import Clients
from fedmm_edu.figures.style import OUTSIDE, PALETTE
from fedmm_edu.surrogate import Surrogate


@dataclass(frozen=True, eq=False)
class Transition:
    """What happens between two states, by the names of Algorithm 2; rows belong to the active clients `who`.

    theta: T(Ŝ_t), broadcast. S: the S_{t+1,i} that clients aim at. delta: Δ_{t+1,i}. message: Quant(Δ_{t+1,i}).
    H: H_{t+1}. half: Ŝ_{t+1/2}, before the projection that gives `after.x`.
    """

    before: State
    after: State
    who: Indices
    theta: Array
    S: Array
    delta: Array
    message: Array
    H: Array
    half: Array

    @property
    def projected(self) -> bool:
        """Whether the projection moved the point."""
        return not np.array_equal(self.half, self.after.x)


def take_apart(fed: FedMM, state: State) -> Transition:
    """The round that `fed.step(state)` makes, with everything that it computes on the way."""
    after = fed.step(state)
    who = np.flatnonzero(after.active)
    draws, at = fed.draws(after.t), fed.sight(state)
    local = draws.only(who)
    view = fed.view(fed.clients, local, at.theta, at.r, state.V_server, state.memory[who], state.V_clients, who)
    S = fed.work(view)[0] if who.size else np.empty((0, fed.dim))
    delta = S - at.r - state.V_clients[who]
    message = fed.compressor.of_round(draws).compress(delta, local) if who.size else delta
    share = fed.clients.mu[who] / fed.participation.divisors(fed.clients.mu, after.active)[who]
    H = fed.direction(at, state.V_server + share @ message, state.V_server, after.V_server)
    half, _ = fed.server.move(at.y, H, fed.step_size(after.t), after.t, at.moments)
    return Transition(state, after, who, at.theta, S, delta, message, H, half)


def play(fed: FedMM, state: State, rounds: int, *, project: bool = True) -> tuple[Transition, ...]:
    """The next `rounds` rounds; without `project` they end with the first that leaves 𝒮, as MM-2 is about 𝒮 only."""
    as_count("rounds", rounds)
    found: list[Transition] = []
    for _ in range(rounds):
        found.append(take_apart(fed, state))
        state = found[-1].after
        if not project and found[-1].projected:
            break
    return tuple(found)


def root(problem: Surrogate, clients: Clients, start: Array, *, rounds: int = 500) -> Array:
    """A root of h (`def:meanfield`): the limit of MM, which is FedMM with all clients, exact oracles and γ = 1."""
    exact = FedMM(problem, clients, Constant(1.0))
    return run(exact, exact.init(start), rounds, every=rounds)[0].x


def draw_round(ax: Axes, fed: FedMM, rounds: Sequence[Transition], at: int, goal: Array) -> Axes:
    """Round `at` of `rounds` in the plane of surrogates: what clients aim at, the direction, and the projection.

    `InvalidInput` unless 𝒮 is a box in the plane.
    """
    if not isinstance(fed.problem.S, Box) or fed.problem.q != 2:
        raise InvalidInput(f"{type(fed.problem).__name__} has no box in the plane as its 𝒮: the picture needs one.")
    here = rounds[at]
    aims = fed.problem.mean_S_bars(fed.clients.z, fed.clients.offsets, here.theta, slice(0, fed.clients.z.shape[0]))
    path = np.array([r.before.x for r in rounds[: at + 1]])
    seen = np.vstack([aims, path, here.half[None], goal[None]])
    low, high = seen.min(axis=0), seen.max(axis=0)
    margin = 0.12 * (high - low + 1e-9)
    low, high = np.minimum(low - margin, fed.problem.S.low), high + margin
    high[1] = max(high[1], fed.problem.S.high[1] + margin[1])
    _draw_set(ax, fed.problem.S, low, high)
    ax.plot(*path.T, "-", color=PALETTE["light"], linewidth=1, label=r"$\hat S_0, \dots, \hat S_t$")
    idle = np.setdiff1d(np.arange(len(aims)), here.who)
    ax.plot(*aims[idle].T, "o", color=PALETTE["light"], fillstyle="none", markersize=8, label="idle client")
    ax.plot(*aims[here.who].T, "o", color=PALETTE["S"], markersize=8, label="active client's mean oracle")
    for i, (x, y) in enumerate(aims):
        ax.annotate(f"{i + 1}", (x, y), xytext=(6, 5), textcoords="offset points", fontsize=9)
    ax.annotate(
        "", _xy(here.half), _xy(here.before.x), arrowprops={"arrowstyle": "->", "color": PALETTE["Theta"], "lw": 2}
    )
    if here.projected:
        ax.plot(*np.array([here.half, here.after.x]).T, ":", color=PALETTE["Theta"])
        ax.plot(*here.half, "x", color=PALETTE["Theta"], markersize=9, label=r"$\hat S_{t+1/2}$, outside $\mathcal{S}$")
    ax.plot(*here.before.x, "s", color=PALETTE["reference"], markersize=7, label=r"$\hat S_t$")
    ax.plot(*here.after.x, "D", color=PALETTE["Theta"], markersize=7, label=r"$\hat S_{t+1}$")
    ax.plot(*goal, "*", color=PALETTE["other"], markersize=14, label=r"root $s_\star$ of $h$")
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_xlabel("$s_1$")
    ax.set_ylabel("$s_2$")
    ax.set_title(f"round {here.after.t}", loc="left")
    ax.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=2)
    return ax


def draw_distances(ax: Axes, rounds: Sequence[Transition], at: int, goal: Array) -> Axes:
    """‖Ŝ_t − s⋆‖ over all rounds; a diamond at the round that is shown, crosses where the projection moved a point."""
    t = np.array([0, *(r.after.t for r in rounds)])
    distance = np.array([np.linalg.norm(x - goal) for x in (rounds[0].before.x, *(r.after.x for r in rounds))])
    distance = np.maximum(distance, 1e-12)
    ax.plot(t, distance, color=PALETTE["reference"], linewidth=1.5)
    moved = np.array([False, *(r.projected for r in rounds)])
    if moved.any():
        ax.plot(t[moved], distance[moved], "x", color=PALETTE["Theta"], label="projection active")
        ax.legend(frameon=False, fontsize=9)
    ax.plot(t[at + 1], distance[at + 1], "D", color=PALETTE["Theta"], markersize=7)
    ax.set_yscale("log")
    ax.set_xlabel("round")
    ax.set_title(r"distance $\|\hat S_t - s_\star\|$", loc="left")
    return ax


def _draw_set(ax: Axes, S: Box, low: Array, high: Array) -> None:
    """𝒮 white, what lies outside it hatched."""
    ax.add_patch(Rectangle(_xy(low), *_xy(high - low), **OUTSIDE))
    corner, other = np.maximum(S.low, low), np.minimum(S.high, high)
    ax.add_patch(Rectangle(_xy(corner), *_xy(other - corner), facecolor="white", edgecolor=PALETTE["reference"]))


def _xy(point: Array) -> tuple[float, float]:
    return float(point[0]), float(point[1])
