"""The relatives of FedMM in figures that move: six knobs whose settings have names, and where each of them ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from fedmm_edu.algorithms import FedMM
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.examples.mixture import GaussianMeans
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import Clients, Identity, RandK, TopK
from fedmm_edu.relatives import Demand, Relative, Tuning, relatives
from fedmm_edu.relatives.knobs import KNOBS, PartCode, six_parts
from fedmm_edu.widgets.explorables.figure import Explorable

CHANNELS = (Identity(), RandK(2), TopK(1))
"""On the board, for those that take a compressor."""


def specimen(relative: Relative) -> tuple[Quadratic | GaussianMeans, Clients]:
    """A small problem on which the relative can be set up, with four clients."""
    mixed = Demand.MIXTURE in relative.needs
    problem = GaussianMeans([0.5, 0.5], np.tile(np.eye(1), (2, 1, 1)), 0.1) if mixed else Quadratic(4, 0.1)
    width = 1 if mixed else problem.d + 1
    return problem, Clients.of(list(np.random.default_rng(0).normal(size=(4, 6, width))))


def variants(relative: Relative) -> Iterator[FedMM]:
    """What goes by its name: one local step or four, each channel that it admits, α of its own or ½."""
    problem, clients = specimen(relative)
    for steps, channel, alpha in product((1, 4), CHANNELS, (None, 0.5)):
        if relative.admits(channel, problem.q):
            at = Tuning(eta=0.1, steps=steps, p=0.25, compressor=channel, alpha=alpha)
            yield relative.on(problem, clients, at)


def board(start: str = "fedmm") -> Explorable:
    """Six knobs from the registry, set as for the relative `start`: the names that the setting has, and its code."""
    if start not in relatives():
        raise InvalidInput(f"start = {start!r}: choose one of {', '.join(relatives())}.")
    options: dict[str, dict[PartCode, int]] = {knob: {} for knob in KNOBS}
    systems = []
    for relative in [relatives()["fedmm"], *relatives().values()]:
        found = (six_parts(fed) for fed in variants(relative))
        rows = [tuple(options[knob].setdefault(one, len(options[knob])) for knob, one in row.items()) for row in found]
        told = {"name": relative.name, "ends": relative.ends.says, "rows": list(dict.fromkeys(rows))}
        systems.append((relative.key, told))
    named = dict(systems)
    shown = {knob: [[one.code, one.says.replace("`", "")] for one in those] for knob, those in options.items()}
    at = {slug(knob): str(k) for knob, k in zip(KNOBS, named[start]["rows"][0], strict=True)}
    return Explorable("board", {"knobs": shown, "systems": list(named.values()), **at})


def slug(knob: str) -> str:
    """The name of a knob in the state of the board: "local work" is `local_work`."""
    return knob.replace(" ", "_")


def ends(
    bends: Sequence[float] = (1.0, 4.0, 0.5), least: Sequence[float] = (0.0, 3.0, -2.0), *, steps: int = 5,
    eta: float = 0.1, pull: float = 1.0,
) -> Explorable:  # fmt: skip
    """Where each ends on the line, for three clients f_i = bend_i(θ − least_i)²/2 with equal weights."""
    if len(bends) != 3 or len(least) != 3:
        raise InvalidInput(f"bends = {bends}, least = {least}: give three numbers each, one for each client.")
    for bend in bends:
        in_interval("bends", bend, low=0.25, high=4.0)
    for place in least:
        in_interval("least", place, low=-3.0, high=3.0)
    as_count("steps", steps, high=100)
    in_interval("eta", eta, low=0.01, high=0.25)
    in_interval("pull", pull, low=0.0, high=10.0)
    at_optimum = [each.name for each in relatives().values() if each.ends.Q is relatives()["scaffold"].ends.Q]
    state = {"bend1": bends[0], "bend2": bends[1], "bend3": bends[2], "steps": steps, "eta": eta, "pull": pull}
    return Explorable("ends", {"least": list(map(float, least)), "optimum": at_optimum, **state})
