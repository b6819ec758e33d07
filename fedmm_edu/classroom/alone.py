"""Simulated classmates for a reader without a class: events like those of phones, from named draws."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fedmm_edu.classroom.events import Event, Guess, Join, Present, Propose, Theta, Threw, Write
from fedmm_edu.classroom.problem import GAMES, MOST_THROWS, Reading
from fedmm_edu.classroom.room import MOST_PHONES, WRONG, Room
from fedmm_edu.errors import as_count
from fedmm_edu.federation.draws import Purpose, uniforms

IDEAS = (("log(z)", "exp(-a)"), ("sqrt(z)", "1/a^2"), ("z^2", "1/sqrt(a)"))
"""Right for one client, wrong for a class: the idea that lands is left to the reader."""


def arrive(count: int) -> Iterator[Event]:
    """`count` classmates take the first places of the room."""
    for number in range(as_count("classmates", count, high=MOST_PHONES - 1)):
        yield Join()
        yield Present(number, True)


def act(room: Room, count: int) -> Iterator[Event]:
    """What the classmates do in the scene that the room is in, and have not done yet."""
    scene = room.scene
    reader = any(phone.counts for phone in room.phones[count:])  # else all had guessed before the reader came
    for number in range(count):
        phone = room.phones[number]
        if phone.gone:
            continue
        if phone.data is None:
            yield Threw(number, *waits(room.seed, number))
        if reader and scene.question is not None and scene.key not in {*phone.guesses, *room.opened}:
            (u,) = uniforms(room.seed, Purpose.LATENT, [number], room.at, 1)[0]
            yield Guess(number, int(u * len(scene.question.choices)))
        if scene.task == "theta" and phone.theta is None and phone.data is not None:
            yield Theta(number, *(f"1/{wait}" for wait in phone.data))
        if scene.task == "idea" and not phone.ideas and number < len(IDEAS):
            yield Propose(number, *IDEAS[number])
        if scene.task == "lines" and phone.attempt is None and number < len(WRONG):
            yield Write(number, **WRONG[number].as_dict())


def waits(seed: int, number: int) -> Reading:
    """What a classmate waits for in each game, by inversion of the geometric laws: P(z > k) = (1 − chance)^k."""
    draws = uniforms(seed, Purpose.DATA, [number], 0, len(GAMES))[0]
    six, heads = (1 + math.floor(math.log1p(-u) / math.log1p(-g.chance)) for u, g in zip(draws, GAMES, strict=True))
    return min(six, MOST_THROWS), min(heads, MOST_THROWS)
