"""An event of a class: a value that checks itself and moves the room, and may leave something to be worked out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeVar

from fedmm_edu.classroom.room import Blow, Idea, Phone, Room
from fedmm_edu.errors import InvalidInput
from fedmm_edu.faces import Faces

Asked = TypeVar("Asked", Blow, Idea)


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


def with_answer(asked: tuple[Asked, ...], number: int, **found: object) -> tuple[Asked, ...]:
    """What a phone has asked for, the last of it with what was found; `InvalidInput` where it has asked for nothing."""
    if not asked:
        raise InvalidInput(f"phone {number} has asked for nothing that this could answer.")
    return (*asked[:-1], replace(asked[-1], **found))


@dataclass(frozen=True)
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
