"""A run: the scores of both networks as the rounds go, the CPU seconds and the bits until then."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fedmm_edu.algorithms import FedMM, State
from fedmm_edu.arrays import Array
from fedmm_edu.studies.transport.setting import Federation, OTMethod, Setting
from fedmm_edu.transport import Score, as_map, health, score

__all__ = ["follow"]


@dataclass(frozen=True, eq=False)
class ScoredRound:
    """After round t: CPU seconds of the rounds until then, bits sent by all clients, scores, ω, and `health`."""

    t: int
    seconds: float
    bits: int
    score: Score
    status: str
    omega: Array


def follow(method: OTMethod, given: Federation, setting: Setting, rounds: int, every: int) -> Iterator[ScoredRound]:
    """The start, every `every`-th round, and the last; a network that died or diverged ends the run and is named."""
    fed, state = method.start(given, setting)
    for row, _ in walk(fed, given, state, 0.0, rounds, every):
        yield row


def walk(
    fed: FedMM, given: Federation, state: State, used: float, rounds: int, every: int
) -> Iterator[tuple[ScoredRound, State]]:
    """The same from a state on, after `used` seconds; each state is good until the next one is asked for.

    Not `run`: the clock is to see the rounds and not the scores, and a dead network, whose numbers are finite, ends it.
    """
    before = None
    if state.t == 0:
        yield _row(given, fed, state, used), state
    while state.t < rounds:
        clock = time.process_time()
        before, state = state, fed.step(state, onto=before)
        used += time.process_time() - clock
        if state.t % every == 0 or state.t == rounds:
            row = _row(given, fed, state, used)
            yield row, state
            if row.status != "alive":
                return


def _row(given: Federation, fed: FedMM, state: State, used: float) -> ScoredRound:
    status, (omega, theta) = health(fed, state), given.problem.split(fed.theta(state))
    if status == "diverged":
        return ScoredRound(state.t, used, state.bits_up, Score(np.inf, 0.0, np.inf, 0.0), status, omega)
    maps = as_map(given.network, omega), as_map(given.network, theta)
    return ScoredRound(state.t, used, state.bits_up, score(given.pair, *maps, given.test), status, omega)
