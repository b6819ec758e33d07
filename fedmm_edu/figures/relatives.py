"""Relatives side by side: how far each is after so many rounds, kilobytes, gradients, seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.arrays import Array
from fedmm_edu.figures.style import PALETTE


@dataclass(frozen=True, eq=False)
class Track:
    """One run, row by row from the start: its relative gap, and what it has cost."""

    label: str
    gap: Array
    rounds: Array
    kilobytes: Array
    gradients: Array
    seconds: Array


def draw_tracks(
    axes: Sequence[Axes],
    tracks: Sequence[Track],
    levels: Sequence[float],
    bounds: Sequence[Track | None] = (),
    others: Sequence[Track] = (),
) -> Sequence[Axes]:
    """Four panels, with the accuracies as thin lines; colour and dashes tell the tracks apart.

    bounds: what is proved of each track, or None; dotted in its colour. others: thin, without a name.
    """
    colours = [PALETTE[name] for name in ("S", "Theta", "other", "extra", "reference")]
    dashes = ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)))
    styles = [(colour, dash) for dash in dashes for colour in colours]
    floor = min(levels) / 10.0
    sides = (
        ("round", lambda track: track.rounds),
        ("kilobytes, both ways", lambda track: track.kilobytes),
        ("gradients (passes of a client over its data)", lambda track: track.gradients),
        ("processor seconds of the server", lambda track: track.seconds),
    )
    for ax, (xlabel, of) in zip(axes, sides, strict=True):
        for level in levels:
            ax.axhline(level, color=PALETTE["light"], linewidth=0.6)
        for track, (colour, dash) in zip(tracks, cycle(styles), strict=False):
            ax.plot(
                of(track), np.maximum(track.gap, floor), linestyle=dash, color=colour, label=track.label, linewidth=1.4
            )
        for bound, (colour, _) in zip(bounds, cycle(styles), strict=False):
            if bound is not None:
                ax.plot(of(bound), bound.gap, ":", color=colour, label=f"{bound.label}, proved", linewidth=1.8)
        for k, track in enumerate(others):
            label = f"{len(others)} others" if k == 0 else None
            ax.plot(
                of(track), np.maximum(track.gap, floor), color=PALETTE["light"], linewidth=0.5, label=label, zorder=1
            )
        ax.set_yscale("log")
        ax.set_xscale("log")
        ax.set_xlabel(xlabel)
        ax.set_ylim(floor, 3.0)
        ax.set_xlim(left=min(float(costs[costs > 0.0].min()) for costs in map(of, (*tracks, *others))) / 1.3)
    axes[0].set_ylabel("(W − min W)/(W₀ − min W)")
    axes[1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return axes


@dataclass(frozen=True, eq=False)
class PriceRatios:
    """What one method pays over what another does, by cost: a number for each place; ∞: it never gets there, 0: only it
    does, NaN: neither."""

    title: str
    places: Sequence[str]
    of: Mapping[str, Sequence[float]]


def draw_shares(ax: Axes, shares: PriceRatios) -> Axes:
    """A line for each place, a sign for each cost, on a logarithmic axis; what is 0 or ∞ is hollow, on its edges."""
    every = np.array([value for values in shares.of.values() for value in values])
    inner = every[np.isfinite(every) & (every > 0.0)]
    edge = max(4.0, 2.0 * float(np.exp(np.abs(np.log(inner)).max()))) if inner.size else 4.0
    colours = [PALETTE[name] for name in ("S", "Theta", "other", "extra")]
    rows = np.arange(len(shares.places), dtype=float)
    ax.axvline(1.0, color=PALETTE["reference"], linewidth=1.2)
    for k, ((cost, values), colour, sign) in enumerate(zip(shares.of.items(), colours, "o^sD", strict=True)):
        x, y = np.asarray(values, dtype=float), rows + 0.18 * (k - 1.5)
        met = np.isfinite(x) & (x > 0.0)
        ax.plot(x[met], y[met], sign, color=colour, label=cost, markersize=6)
        ax.plot(np.clip(x[~met], 1.0 / edge, edge), y[~met], sign, color=colour, fillstyle="none", markersize=6)
    ax.set_xscale("log")
    ax.set_xlim(0.8 / edge, 1.25 * edge)
    ax.set_yticks(rows, shares.places)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_title(shares.title)
    return ax
