"""What phones do against wrong statements: a point at which a classmate's lines fail, a verdict on a row's wording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fedmm_edu.classroom.event import Errand, FromPhone, with_answer
from fedmm_edu.classroom.problem import WHERE_LINES_FAIL, formula
from fedmm_edu.classroom.room import MOST_TRIES, Blow, Phone, Room, Said
from fedmm_edu.errors import InvalidInput, as_count


@dataclass(frozen=True)
class Strike(FromPhone):
    """A point against the lines that the phone is to refute: z, tau and theta for MM-1, s and theta for MM-2."""

    kind: str
    z: str
    tau: str
    theta: str
    s: str
    task = "refute"

    def moved(self, phone: Phone, room: Room) -> Phone:
        if self.kind not in WHERE_LINES_FAIL:
            raise InvalidInput(f"{self.kind[:20]!r} is no condition: choose one of {', '.join(WHERE_LINES_FAIL)}.")
        if phone.blows and phone.blows[-1].status == "waiting":
            raise InvalidInput("your last point is being computed: wait for it.")
        if len(phone.blows) >= MOST_TRIES:
            raise InvalidInput(f"{MOST_TRIES} points are enough: look at those of the others.")
        point = {name: formula(name, getattr(self, name)) for name in WHERE_LINES_FAIL[self.kind]}
        return replace(phone, blows=(*phone.blows, Blow(room.target(self.number), self.kind, point)))

    def errand(self, room: Room) -> Errand:
        blow = room.phone(self.number).blows[-1]
        lines = tuple(blow.of.as_dict().values())
        work = lines, blow.kind, dict(blow.point)
        return Errand("by_point", work, lambda answer: Struck(self.number, *_found(answer)))


@dataclass(frozen=True)
class Struck(FromPhone):
    """What the machine computed at the phone's last point."""

    status: str
    says: str

    def moved(self, phone: Phone, room: Room) -> Phone:
        return replace(phone, blows=with_answer(phone.blows, self.number, status=self.status, says=self.says))


@dataclass(frozen=True)
class Asserts(FromPhone):
    """The phone says of a wording of its row that it "holds" or "fails"; then the row's check is asked."""

    wording: int
    claim: str
    task = "row"

    def moved(self, phone: Phone, room: Room) -> Phone:
        card = room.card(self.number)
        if card is None:
            raise InvalidInput("there are no rows in this class.")
        as_count("wording", self.wording, low=0, high=len(card.wordings) - 1)
        if self.claim not in ("holds", "fails"):
            raise InvalidInput("say of a wording that it holds, or that it fails.")
        if any(said.wording == self.wording for said in phone.judged):
            raise InvalidInput("you have said so already, and it is locked.")
        return replace(phone, judged=(*phone.judged, Said(self.wording, self.claim)))

    def errand(self, room: Room) -> Errand:
        card = room.card(self.number)
        assert card is not None  # `moved` has refused that
        work = card.row, self.wording
        return Errand("wording", work, lambda answer: Found(self.number, self.wording, *_found(answer)))


@dataclass(frozen=True)
class Found(FromPhone):
    """What the check of its row found of a wording that the phone has judged."""

    wording: int
    status: str
    says: str

    def moved(self, phone: Phone, room: Room) -> Phone:
        if not any(said.wording == self.wording for said in phone.judged):
            raise InvalidInput(f"phone {self.number} has said nothing of wording {self.wording}.")
        found = (
            replace(said, status=self.status, says=self.says) if said.wording == self.wording else said
            for said in phone.judged
        )
        return replace(phone, judged=tuple(found))


def _found(answer: Mapping[str, Any]) -> tuple[str, str]:
    """Status and words of what `judging.by_point` or `judging.wording` found; where it failed, nothing is decided."""
    if "failed" in answer:
        return "open", str(answer["failed"])[:300]
    return str(answer["status"]), str(answer["says"])[:600]
