"""An event of a class: a value that checks itself and moves the room, and may leave something to be worked out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from fedmm_edu.classroom.room import Phone, Room
from fedmm_edu.errors import InvalidInput
from fedmm_edu.faces import Faces


class Event(Faces):
    """One change of the room."""

    @abstractmethod
    def apply(self, room: Room) -> Room:
        """The room afterwards; `InvalidInput` where the rules forbid it."""

    def errand(self, room: Room) -> Errand | None:
        """What it leaves to be worked out, if anything."""
        return None


class Errand(NamedTuple):
    """`bench.WORK[work](*arguments)`, and the event that brings its answer, or {"failed": why} where it has none."""

    work: str
    arguments: tuple[Any, ...]
    brings: Callable[[Mapping[str, Any]], Event]


class FromPhone(Event):
    """An event that a phone may send: `number` is the server's word for who sent it, never the phone's."""

    number: int
    task: ClassVar[str] = ""

    def apply(self, room: Room) -> Room:
        phone = room.phone(self.number)
        if self.task and room.scene.task != self.task:
            raise InvalidInput("the class has moved on: look at the new scene.")
        return room.with_phone(self.moved(phone, room))

    @abstractmethod
    def moved(self, phone: Phone, room: Room) -> Phone:
        """The phone afterwards."""
