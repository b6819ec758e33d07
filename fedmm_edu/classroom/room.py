"""The class as a value: what the server knows, and nothing of how it is carried. `events` moves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fedmm_edu.classroom.problem import OWN, Lines, Reading, theta_star
from fedmm_edu.classroom.rounds import Run
from fedmm_edu.classroom.scenes import CLASS, Hour, Stage
from fedmm_edu.errors import InvalidInput

MOST_PHONES = 300
"""Places in a room; a phone that was sent away keeps its number, so that nobody gets it twice."""
MOST_IDEAS = 6
"""Ideas that one phone may try."""
MOST_TRIES = 12
"""Points that one phone may try against a classmate's lines."""
WRONG = (Lines("theta", "-log(theta)", "z", "1/s"), Lines("-theta", "-log(theta)", "z", "1/s^2"))
"""A sign and a minimiser: what simulated classmates write, and what there is to refute where nobody was wrong."""


@dataclass(frozen=True)
class Idea:
    """What a phone proposes to send, u(z), and how the server turns the average a into θ; where it lands."""

    send: str
    back: str
    theta: tuple[float, float] | None = None
    says: str = ""
    waiting: bool = True


@dataclass(frozen=True)
class Attempt:
    """Four lines and what the checker said: "waiting", "proved", "refuted", "open" or "unreadable", with its report."""

    lines: Lines
    status: str = "waiting"
    report: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Blow:
    """A point put against a classmate's lines, as typed, and what the machine said: "refuted" if they fail there."""

    of: Lines
    kind: str
    point: Mapping[str, str]
    status: str = "waiting"
    says: str = ""


@dataclass(frozen=True)
class Card:
    """A row of the ledger as a phone gets it: its name, its place in the paper, and its wordings."""

    row: str
    where: str
    wordings: tuple[str, ...]


@dataclass(frozen=True)
class Said:
    """What a phone said of a wording of its row, "holds" or "fails", and what the row's check found."""

    wording: int
    claim: str
    status: str = "waiting"
    says: str = ""

    @property
    def right(self) -> bool | None:
        """Whether phone and check agree; None where the check decides nothing."""
        return {"proved": self.claim == "holds", "refuted": self.claim == "fails"}.get(self.status)


@dataclass(frozen=True)
class Phone:
    """A client: its number, whether it is connected, and what its owner has sent. It has no name."""

    number: int
    here: bool = False
    gone: bool = False
    on: bool = True
    data: Reading | None = None
    guesses: Mapping[str, int] = field(default_factory=dict)
    theta: tuple[float, float] | None = None
    ideas: tuple[Idea, ...] = ()
    attempt: Attempt | None = None
    attempts: int = 0
    blows: tuple[Blow, ...] = ()
    judged: tuple[Said, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether the class waits for it."""
        return self.here and not self.gone


@dataclass(frozen=True)
class Room:
    """The whole class. Every change is an event's; see `Event.apply`."""

    seed: int = 0
    hour: Hour = CLASS
    cards: tuple[Card, ...] = ()
    at: int = 0
    opened: frozenset[str] = frozenset()
    door: bool = True
    phones: tuple[Phone, ...] = ()
    runs: Mapping[str, Run] = field(default_factory=dict)
    chosen: Lines | None = None

    @property
    def scene(self) -> Stage:
        """Where the class is in the script."""
        return self.hour.scenes[self.at]

    @property
    def run(self) -> Run | None:
        """The rounds of this scene, if they have begun."""
        return self.runs.get(self.scene.key)

    @property
    def lines(self) -> Lines:
        """The surrogate that runs next: one that the class proved, or the package's own."""
        return self.chosen or OWN

    @property
    def members(self) -> list[tuple[int, Reading]]:
        """Phones whose data take part, with the data."""
        return [(phone.number, phone.data) for phone in self.phones if phone.data is not None and not phone.gone]

    @property
    def best(self) -> tuple[float, ...] | None:
        """θ_⋆ of all data in the room."""
        found = self.members
        return tuple(theta_star([reading for _, reading in found]).tolist()) if found else None

    @property
    def shows_best(self) -> bool:
        """Whether θ_⋆ was revealed, or is nothing that this hour asks for."""
        asked = self.hour.of_task("theta")
        return asked is None or "theta" in self.opened or self.at > asked

    @property
    def wants_data(self) -> bool:
        """Whether a phone without data has to throw before it can go on."""
        begun = self.hour.of_task("data")
        return self.scene.task != "data" and begun is not None and self.at > begun

    def target(self, number: int) -> Lines:
        """A classmate's refuted lines, which fail at a point, or wrong ones of ours where there are none."""
        others = [
            phone.attempt.lines
            for phone in self.phones
            if phone.number != number
            and phone.attempt is not None
            and phone.attempt.status == "refuted"
            and phone.attempt.report.get("picture") is not None
        ] or list(WRONG)
        return others[number % len(others)]

    def card(self, number: int) -> Card | None:
        """The row that this phone has."""
        return self.cards[number % len(self.cards)] if self.cards else None

    def is_open(self, scene: Stage) -> bool:
        """Whether the guesses of the scene are shown, or it asks for none."""
        return scene.question is None or scene.key in self.opened

    def phone(self, number: int) -> Phone:
        """The phone of this number; `InvalidInput` if there is none in the room."""
        if not 0 <= number < len(self.phones) or self.phones[number].gone:
            raise InvalidInput(f"phone {number} is not in the room: join again.")
        return self.phones[number]

    def with_phone(self, phone: Phone) -> Room:
        """The room with this phone in the place of the one of its number; guesses open when all who are here locked."""
        phones = (*self.phones[: phone.number], phone, *self.phones[phone.number + 1 :])
        key, waited = self.scene.key, [each for each in phones if each.counts]
        locked = self.scene.question is not None and waited and all(key in each.guesses for each in waited)
        return replace(self, phones=phones, opened=self.opened | {key} if locked else self.opened)
