"""Lesson 0: two averages of two clients by hand, and the two lines that put the wrong one right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fedmm_edu.symbolic import kernel
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.exercises.lesson_07 import WAITING, s
from fedmm_edu.widgets.written import written

__all__ = ["WAITS"]

WAITS = (2.0, 8.0)
"""Throws that Ann and Ben needed."""

_PROBLEM = kernel(replace(WAITING, T=(1 / s,)))


def _alone(wait: float) -> float:
    return float(_PROBLEM.T(np.array([wait]))[0])


def _together(waits: Sequence[float]) -> float:
    return _alone(float(np.mean(waits)))


chances = Exercise(
    asks="the average of Ann's chance and Ben's chance, a number",
    solution=lambda: float(np.mean([_alone(wait) for wait in WAITS])),
    slips=(
        Slip(lambda: _together(WAITS), "That is 1 over the average wait. Here each client first turns its wait over."),
        Slip(lambda: float(np.mean(WAITS)), "That is the average wait. Ann's chance is one in two, ½."),
        Slip(lambda: sum(_alone(wait) for wait in WAITS), "That is the sum. Divide by the number of clients."),
    ),
    why="(½ + ⅛)/2.",
    nudge="Who waited for 2 throws says: one in 2. And who waited for 8?",
    hints=("A client alone says: one success in so many throws.", "Ann says ½, Ben says ⅛.", "Add the two, and halve."),
)

pooled = Exercise(
    asks="successes over throws for both clients together, a number",
    solution=lambda: _together(WAITS),
    slips=(
        Slip(lambda: float(np.mean([_alone(wait) for wait in WAITS])), "That is the average of the chances again."),
        Slip(lambda: 1.0 / sum(WAITS), "There were two successes: one each."),
        Slip(lambda: float(np.mean(WAITS)), "That is throws over successes. Turn it over."),
    ),
    why="2 successes in 10 throws; and that is 1 over the average wait, 1/5.",
    nudge="How many throws were there, and how many of them succeeded?",
    hints=(
        "Put both notebooks into one.",
        "2 + 8 throws, one success each.",
        "2 successes in 10 throws.",
    ),
)

fix = written(
    "a function `together(waits)` that gives the chance of all clients together",
    right=_together,
    inputs=lambda: [([2.0, 8.0],), ([4.0, 4.0],), ([1.0, 9.0],), ([1.0, 2.0, 12.0],), ([3.0],)],
    slips=(
        (lambda waits: np.mean([1 / z for z in waits]), "This is the average of the chances: the one that fails."),
        (lambda waits: np.mean(waits), "You average the right thing. Now the server turns it over, once."),
        (lambda waits: 1 / np.sum(waits), "With n clients there are n successes: average the waits, do not add them."),
        (lambda waits: 1 / np.mean([1 / z for z in waits]), "Turned over twice: at the clients, too. Send the wait."),
    ),
    hints=(
        "Which number of a client may be added up? Count throws, count successes.",
        "Let each client send its wait itself, and turn over only once, at the end.",
        "return 1 / (sum(waits) / len(waits))",
    ),
    why="Average first, turn over once. What is sent is called s, and turning over is called T.",
    nudge="For [2, 8] you want successes over throws.",
)
