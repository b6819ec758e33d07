"""The one place that changes while a class runs: the room, who speaks for which phone, what is being worked out."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from fedmm_edu.classroom.alone import act, arrive
from fedmm_edu.classroom.bench import Bench
from fedmm_edu.classroom.events import Event, Join, Present
from fedmm_edu.classroom.room import Room
from fedmm_edu.errors import InvalidInput

Answer = Mapping[str, Any]
Later = Callable[[Callable[[], None]], None]
"""Runs a function in the thread that owns the hall."""
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""No letter that could be taken for another."""


def new_token() -> str:
    """Six letters that a person can copy from a screen: 31⁶ rooms, for one hour in one building."""
    return "".join(secrets.choice(_LETTERS) for _ in range(6))


@dataclass(eq=False)
class Hall:
    """The room and its keys: `token` lets phones in, `teacher` is the teacher's, `secrets` those of the phones.

    `changed` is called after each event. With `classmates`, that many simulated phones act in every scene.
    """

    bench: Bench
    later: Later
    room: Room = field(default_factory=Room)
    classmates: int = 0
    changed: Callable[[], None] = lambda: None
    token: str = field(default_factory=new_token)
    teacher: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    keys: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for event in arrive(self.classmates) if self.classmates else ():
            self.room = event.apply(self.room)
        self._classmates_act()

    def handle(self, event: Event) -> None:
        """Let the event happen, and what classmates do then; `FedMMError`, and no change, if the rules forbid it."""
        self._happen(event)
        self._classmates_act()
        self.changed()

    def _happen(self, event: Event) -> None:
        after = event.apply(self.room)
        errand = event.errand(after)
        if errand is not None:
            future = self.bench.submit(errand.work, *errand.arguments)  # refused when too much waits: nothing changed
            self._await(future, errand.brings)
        self.room = after

    def join(self, token: object) -> str:
        """A new phone's secret; `InvalidInput` for a wrong token."""
        if not isinstance(token, str) or not hmac.compare_digest(token.encode(), self.token.encode()):
            raise InvalidInput("this is not the room: scan the code on the screen again.")
        self.handle(Join())
        secret = secrets.token_urlsafe(24)
        self.keys[secret] = len(self.room.phones) - 1
        return secret

    def number(self, secret: object) -> int:
        """The phone that the secret belongs to; `InvalidInput` if there is none, or it was sent away."""
        if not isinstance(secret, str) or secret not in self.keys:
            raise InvalidInput("this phone is not in the room: join again.")
        return self.room.phone(self.keys[secret]).number

    def is_teacher(self, secret: object) -> bool:
        """Whether the secret is the teacher's."""
        return isinstance(secret, str) and hmac.compare_digest(secret.encode(), self.teacher.encode())

    def present(self, number: int, here: bool) -> None:
        """A phone has connected, or its last connection has closed."""
        self._settle(Present(number, here))

    def _await(self, future: Future[Answer], brings: Callable[[Answer], Event]) -> None:
        def arrived(future: Future[Answer]) -> None:
            try:
                answer: Answer = future.result()
            except Exception as error:
                answer = {"failed": str(error)}
            self.later(lambda: self._settle(brings(answer)))

        future.add_done_callback(arrived)

    def _settle(self, event: Event) -> None:
        try:
            self.handle(event)
        except InvalidInput:  # the phone was sent away in the meantime
            self.changed()

    def _classmates_act(self) -> None:
        for event in list(act(self.room, self.classmates)):
            try:
                self._happen(event)
            except InvalidInput:
                continue  # a guess that came after the last one that was waited for
