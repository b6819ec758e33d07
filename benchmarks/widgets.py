"""How long a figure of the lessons takes after a move of a slider."""

from __future__ import annotations

from itertools import cycle

import numpy as np

from benchmarks.timing import interleaved, threads
from fedmm_edu.figures.families import readings
from fedmm_edu.widgets import (
    Descent,
    DragMajoriser,
    MixtureAggregation,
    OnlineEM,
    RoundPlayer,
    TwoSpaces,
    WitnessExplorer,
)
from fedmm_edu.widgets.exercises.lesson_06 import counts
from fedmm_edu.widgets.exercises.lesson_07 import models


def redraws() -> list[dict]:
    """One step of a slider, back and forth in turn: the numbers, the drawing and its PNG, without the browser."""
    two = TwoSpaces(readings(), (0.9, 3.5), low=(0.0, -1.0), high=(1.0, 5.0))
    rounds = RoundPlayer(*counts(), np.array([2.0, -1.0]))
    rounds.t.value = 2
    judged = WitnessExplorer(models(), {"z": (-1, 3), "tau": (-1, 4), "s": (0.25, 3), "theta": (-2, 5)})
    sliders = {
        "DragMajoriser, τ": DragMajoriser(readings(), 2.0).tau,
        "Descent, steps": Descent(readings(), 2.5).steps,
        "TwoSpaces, start": two.first,
        "OnlineEM, γ": OnlineEM().gamma,
        "MixtureAggregation, share": MixtureAggregation().share,
        "RoundPlayer, round": rounds.t,
        "RoundPlayer, γ": rounds.gamma,
        "WitnessExplorer, τ": judged.sliders["tau"],
    }
    places = {name: cycle((slider.value - slider.step, slider.value)) for name, slider in sliders.items()}
    moves = {name: lambda name=name: setattr(sliders[name], "value", next(places[name])) for name in sliders}
    with threads(1):
        times = interleaved(moves)
    return [{"figure": name, "CPU": time.cpu, "elapsed": time.wall} for name, time in times.items()]
