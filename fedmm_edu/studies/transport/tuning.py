"""Learning rates, chosen for each method by one rule, on data that no reported score sees.

On the grid 10^(k/3): go to the best neighbour (one rate one step up or down) until none is better, so that each rate
has a worse neighbour on either side. The first walk of a method starts at `STARTS`, another one where the walk before
it ended (the other λ, the dimension before). A setting is as good as the UVP with which its run ends; all samples,
clusters, networks, draws and test points have a seed of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fedmm_edu.studies.transport.setting import OTMethod

TUNING_SEED = 1000
STARTS = {"rate": -4, "gamma": -8, "server_rate": -8}
"""k of the first rates tried: 0.046 for a plain step, 0.0022 for an adaptive one."""


@dataclass(frozen=True)
class Tuned:
    """The method with the rates chosen, their place on the grid, and the UVP of each setting that was tried."""

    method: OTMethod
    place: tuple[int, ...]
    tried: tuple[tuple[OTMethod, float], ...]

    @property
    def uvp(self) -> float:
        """The one that decided."""
        return dict(self.tried)[self.method]


def tune(method: OTMethod, end: Callable[[OTMethod], float], before: Tuned | None = None) -> Tuned:
    """The walk, from where the one `before` ended; `end` runs a method and gives the UVP at its end."""
    place = before.place if before else tuple(STARTS[name] for name in method.rates)
    tried: dict[tuple[int, ...], float] = {}

    def value(at: tuple[int, ...]) -> float:
        if at not in tried:
            tried[at] = end(_at(method, at))
        return tried[at]

    while True:
        best = min([place, *_neighbours(place)], key=value)
        if best == place:
            return Tuned(_at(method, place), place, tuple((_at(method, at), uvp) for at, uvp in tried.items()))
        place = best


def _neighbours(place: tuple[int, ...]) -> list[tuple[int, ...]]:
    steps = np.eye(len(place), dtype=int)
    return [tuple(int(k) for k in np.array(place) + sign * step) for step in steps for sign in (1, -1)]


def _at(method: OTMethod, place: tuple[int, ...]) -> OTMethod:
    rates = {name: float(f"{10 ** (k / 3):.3g}") for name, k in zip(method.rates, place, strict=True)}
    return replace(method, **rates)
