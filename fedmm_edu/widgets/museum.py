"""A piece from the museum of bugs: SCAFFOLD as somebody has shipped it, beside the sound one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from string import ascii_lowercase
from typing import Any

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.widgets.bowls import BENDS, DEPARTURE, MINIMA

__all__ = ["listing", "played", "shipped_round", "sound_round"]

Slopes = Sequence[Callable[[Array], Array]]


def sound_round(x: Array, c: Array, cs: list[Array], slopes: Slopes, who: Sequence[int], eta: float, K: int):
    """One round of SCAFFOLD, option II, from x with the control variates c of the server and cs of the clients."""
    ends, change = [], 0.0
    for i in who:
        y = x
        for _ in range(K):
            y = y - eta * (slopes[i](y) - cs[i] + c)
        new = cs[i] - c + (x - y) / (eta * K)
        change = change + (new - cs[i]) / len(cs)
        cs[i] = new
        ends.append(y)
    x = x + sum(y - x for y in ends) / len(who)
    return x, c + change, cs


def shipped_round(x: Array, c: Array, cs: list[Array], slopes: Slopes, who: Sequence[int], eta: float, K: int):
    """One round of SCAFFOLD, option II, as somebody has shipped it: one line is wrong."""
    ends, change = [], 0.0
    for i in who:
        y = x
        for _ in range(K):
            y = y - eta * (slopes[i](y) - cs[i] + c)
        new = cs[i] - c + (x - y) / (eta * K)
        change = change + (new - cs[i]) / len(who)
        cs[i] = new
        ends.append(y)
    x = x + sum(y - x for y in ends) / len(who)
    return x, c + change, cs


def body(of: Callable[..., Any]) -> list[str]:
    """The lines of a function after its docstring."""
    return [line[4:] for line in inspect.getsource(of).splitlines()[2:]]


def listing() -> str:
    """The shipped round with a letter before each line."""
    return "\n".join(f"{letter}  {line}" for letter, line in zip(ascii_lowercase, body(shipped_round), strict=False))


def wrong_line() -> str:
    """The letter of the line in which the two differ."""
    (k,) = [k for k, (u, v) in enumerate(zip(body(sound_round), body(shipped_round), strict=True)) if u != v]
    return ascii_lowercase[k]


def played(of: Callable[..., Any], active: Sequence[Sequence[int]]) -> tuple[Array, float]:
    """Where rounds in the plane lead, these clients being active in each, and ‖c − Σ c_i/n‖ at the end; K = 3."""
    slopes = [lambda y, i=i: BENDS[i] * (y - MINIMA[i]) for i in range(len(BENDS))]
    x, c, cs = DEPARTURE, np.zeros(2), [np.zeros(2)] * len(BENDS)
    for who in active:
        x, c, cs = of(x, c, list(cs), slopes, who, 0.2, 3)
    return x, float(np.linalg.norm(c - np.mean(cs, axis=0)))
