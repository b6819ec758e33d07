"""Everything that can happen to a class, each as a value that checks itself: from phones, the teacher, the checker.

`from_phone` and `from_teacher` read a message that came over a wire: whatever it is, the answer is an event or
`InvalidInput`, whose text goes back to the sender. A refused event changes nothing, since a room is a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

from fedmm_edu.classroom.challenges import Asserts, Strike
from fedmm_edu.classroom.event import Errand, Event, FromPhone, with_answer
from fedmm_edu.classroom.problem import MOST_THROWS, Lines, formula
from fedmm_edu.classroom.room import MOST_IDEAS, MOST_PHONES, Attempt, Idea, Phone, Room
from fedmm_edu.classroom.rounds import MOST_ROUNDS, Run
from fedmm_edu.errors import InvalidInput, as_count

_FRACTION = re.compile(r"(\d{1,4}(?:\.\d{1,8})?|\.\d{1,8})(?:/(\d{1,4}))?")


@dataclass(frozen=True)
class Join(Event):
    """A new phone; it gets the next number."""

    def apply(self, room: Room) -> Room:
        if not room.door:
            raise InvalidInput("the door is closed: ask the teacher to open it.")
        if len(room.phones) >= MOST_PHONES:
            raise InvalidInput(f"the room is full: it has {MOST_PHONES} places.")
        return replace(room, phones=(*room.phones, Phone(len(room.phones))))


@dataclass(frozen=True)
class Present(FromPhone):
    """A phone connected, or lost its connection; what it has sent stays."""

    here: bool

    def moved(self, phone: Phone, room: Room) -> Phone:
        return replace(phone, here=self.here)


@dataclass(frozen=True)
class Threw(FromPhone):
    """How many throws the six and the heads took. It may be corrected until the first scene is over."""

    six: int
    heads: int

    def moved(self, phone: Phone, room: Room) -> Phone:
        if phone.data is not None and room.scene.task != "data":
            raise InvalidInput("your numbers are locked: the class has begun to use them.")
        reading = tuple(
            as_count(f"throws until {game}", wait, high=MOST_THROWS)
            for game, wait in (("a six", self.six), ("heads", self.heads))
        )
        return replace(phone, data=reading)


@dataclass(frozen=True)
class Guess(FromPhone):
    """A prediction, locked: it cannot be changed, and it comes before the answer."""

    choice: int

    def moved(self, phone: Phone, room: Room) -> Phone:
        scene = room.scene
        if scene.question is None:
            raise InvalidInput("nothing is asked in this scene.")
        if scene.key in room.opened:
            raise InvalidInput("the guesses are open: it is too late for one.")
        if scene.key in phone.guesses:
            raise InvalidInput("your guess is locked.")
        choice = as_count("choice", self.choice, low=0, high=len(scene.question.choices) - 1)
        return replace(phone, guesses={**phone.guesses, scene.key: choice})


@dataclass(frozen=True)
class Theta(FromPhone):
    """θ = 1/z for both games, computed by hand; it may be corrected."""

    six: str
    heads: str
    task = "theta"

    def moved(self, phone: Phone, room: Room) -> Phone:
        if phone.data is None:
            raise InvalidInput("throw first: θ is 1 over your number of throws.")
        return replace(phone, theta=(_fraction("θ of the six", self.six), _fraction("θ of heads", self.heads)))


@dataclass(frozen=True)
class Propose(FromPhone):
    """Send u(z), and let the server turn the average a into v(a): to be weighed by `problem.by_idea`."""

    send: str
    back: str
    task = "idea"

    def moved(self, phone: Phone, room: Room) -> Phone:
        if phone.data is None:
            raise InvalidInput("throw first: you need numbers of your own.")
        if phone.ideas and phone.ideas[-1].waiting:
            raise InvalidInput("your last idea is being weighed: wait for it.")
        if len(phone.ideas) >= MOST_IDEAS:
            raise InvalidInput(f"{MOST_IDEAS} ideas are enough: look at those of the others.")
        idea = Idea(formula("what you send", self.send), formula("the way back", self.back))
        return replace(phone, ideas=(*phone.ideas, idea))

    def errand(self, room: Room) -> Errand:
        readings = [reading for _, reading in room.members]
        return Errand("by_idea", (self.send, self.back, readings), partial(Weighed.by_answer, self.number))


@dataclass(frozen=True)
class Weighed(FromPhone):
    """Where the phone's last idea lands, or why nowhere."""

    theta: tuple[float, float] | None
    says: str = ""

    @staticmethod
    def by_answer(number: int, answer: Mapping[str, Any]) -> Weighed:
        """From what `problem.by_idea` found."""
        theta = tuple(answer["theta"]) if "theta" in answer else None
        return Weighed(number, theta, str(answer.get("says") or answer.get("failed") or ""))

    def moved(self, phone: Phone, room: Room) -> Phone:
        found = with_answer(phone.ideas, self.number, theta=self.theta, says=self.says[:300], waiting=False)
        return replace(phone, ideas=found)


@dataclass(frozen=True)
class Write(FromPhone):
    """The four lines, to be judged by `judging.judge`; a new attempt replaces the last."""

    phi: str
    psi: str
    S_bar: str
    T: str
    task = "lines"

    def moved(self, phone: Phone, room: Room) -> Phone:
        if phone.attempt is not None and phone.attempt.status == "waiting":
            raise InvalidInput("your last lines are being checked: wait for the verdict.")
        attempt = Attempt(Lines(self.phi, self.psi, self.S_bar, self.T))
        return replace(phone, attempt=attempt, attempts=phone.attempts + 1)

    def errand(self, room: Room) -> Errand:
        return Errand("judge", (self.phi, self.psi, self.S_bar, self.T), partial(LinesJudged.by_answer, self.number))


@dataclass(frozen=True)
class LinesJudged(FromPhone):
    """The verdict on the lines of a phone; the first proved ones run next, until the teacher chooses others."""

    status: str
    report: Mapping[str, object]

    @staticmethod
    def by_answer(number: int, answer: Mapping[str, Any]) -> LinesJudged:
        """From what `judging.judge` found; where it failed, the lines are undecided."""
        failed = {"status": "open", "says": answer.get("failed"), "rows": [], "picture": None}
        report = failed if "failed" in answer else answer
        return LinesJudged(number, report["status"], report)

    def apply(self, room: Room) -> Room:
        after = super().apply(room)
        attempt = after.phones[self.number].attempt
        if self.status == "proved" and attempt is not None and room.chosen is None:
            return replace(after, chosen=attempt.lines)
        return after

    def moved(self, phone: Phone, room: Room) -> Phone:
        if phone.attempt is None:
            raise InvalidInput(f"phone {self.number} has written nothing that could be judged.")
        return replace(phone, attempt=replace(phone.attempt, status=self.status, report=self.report))


@dataclass(frozen=True)
class Switch(FromPhone):
    """The owner switches the phone off, or on, for the rounds."""

    on: bool

    def moved(self, phone: Phone, room: Room) -> Phone:
        return replace(phone, on=self.on)


@dataclass(frozen=True)
class Go(Event):
    """The teacher goes to a scene, forward or back."""

    scene: str

    def apply(self, room: Room) -> Room:
        return replace(room, at=room.hour.place(self.scene))


@dataclass(frozen=True)
class Open(Event):
    """The teacher shows what this scene hides: the guesses, or θ⋆."""

    def apply(self, room: Room) -> Room:
        if not room.scene.opens:
            raise InvalidInput("this scene hides nothing.")
        return replace(room, opened=room.opened | {room.scene.key})


@dataclass(frozen=True)
class Door(Event):
    """The teacher lets newcomers in, or not."""

    open: bool

    def apply(self, room: Room) -> Room:
        return replace(room, door=self.open)


@dataclass(frozen=True)
class Remove(Event):
    """The teacher sends a phone away: its data take no part in what starts from now on."""

    phone: int

    def apply(self, room: Room) -> Room:
        return room.with_phone(replace(room.phone(self.phone), gone=True, here=False))


@dataclass(frozen=True)
class Choose(Event):
    """The teacher chooses whose proved lines run next."""

    phone: int

    def apply(self, room: Room) -> Room:
        attempt = room.phone(self.phone).attempt
        if attempt is None or attempt.status != "proved":
            raise InvalidInput("only lines that are proved may run: choose such a phone.")
        return replace(room, chosen=attempt.lines)


@dataclass(frozen=True)
class Start(Event):
    """The rounds of this scene begin, or begin anew, with everybody whose data are in the room."""

    V: bool = False

    def apply(self, room: Room) -> Room:
        scene = room.scene
        if scene.rule is None:
            raise InvalidInput("this scene has no rounds.")
        if not room.is_open(scene):
            raise InvalidInput("guesses come first: wait until all are locked, or open them.")
        if not room.members:
            raise InvalidInput("nobody has sent data: wait for the first phone.")
        run = Run.start(scene.key, scene.rule, room.members, room.lines, V=self.V, seed=room.seed + room.at)
        return replace(room, runs={**room.runs, scene.key: run})


@dataclass(frozen=True)
class Rounds(Event):
    """Some rounds; with `lose`, the server forgets V in the first of them."""

    rounds: int
    lose: bool = False

    def apply(self, room: Room) -> Room:
        run, rule = room.run, room.scene.rule
        if run is None or rule is None:
            raise InvalidInput("the rounds have not begun: start them.")
        if self.lose and not (rule.may_lose and run.has_V):
            raise InvalidInput("there is no V to lose in this scene.")
        if len(run.trace) + as_count("rounds", self.rounds, high=100) > MOST_ROUNDS:
            raise InvalidInput(f"a run has at most {MOST_ROUNDS} rounds: start it anew.")
        on = np.array([room.phones[number].on and not room.phones[number].gone for number in run.members])
        for k in range(self.rounds):
            run = run.round(on, lose=self.lose and k == 0)
        return replace(room, runs={**room.runs, run.scene: run})


_PHONE: Mapping[str, type[FromPhone]] = {
    "data": Threw, "guess": Guess, "theta": Theta, "idea": Propose, "lines": Write, "switch": Switch,
    "point": Strike, "claim": Asserts,
}  # fmt: skip
_TEACHER: Mapping[str, type[Event]] = {
    "go": Go, "open": Open, "door": Door, "remove": Remove, "choose": Choose, "start": Start, "rounds": Rounds,
}  # fmt: skip
_TYPES: Mapping[str, type] = {"int": int, "str": str, "bool": bool}


def from_phone(number: int, message: object) -> Event:
    """The event that phone `number` asks for with a message of unknown content; `InvalidInput` where it is none."""
    return _read(_PHONE, message, number=number)


def from_teacher(message: object) -> Event:
    """The event that the teacher's page asks for."""
    return _read(_TEACHER, message)


def _read(kinds: Mapping[str, type], message: object, **given: int) -> Event:
    """The event named by `do`, with exactly the fields of its kind, each of its type; a bool is no number."""
    if not isinstance(message, dict) or not isinstance(message.get("do"), str) or message["do"] not in kinds:
        raise InvalidInput(f"a message is an object whose `do` is one of {', '.join(kinds)}.")
    kind = kinds[message["do"]]
    wanted = {field.name: _TYPES[str(field.type)] for field in fields(kind) if field.name not in given}
    if message.keys() - {"do"} != wanted.keys():
        raise InvalidInput(f"{message['do']} has the fields {', '.join(wanted) or 'none'}: send these and no others.")
    for name, type_ in wanted.items():
        if type(message[name]) is not type_:
            raise InvalidInput(f"{name} of {message['do']} is not of the type {type_.__name__}.")
    return kind(**given, **{name: message[name] for name in wanted})


def _fraction(name: str, text: str) -> float:
    """A number such as 0.25 or 1/7 in (0, 1]."""
    found = _FRACTION.fullmatch(text.strip().replace(",", "."))
    if found is None:
        raise InvalidInput(f"{name} is no number: write a fraction such as 1/7, or a decimal such as 0.143.")
    above, below = float(found[1]), float(found[2] or 1)
    if below == 0.0 or not 0.0 < above / below <= 1.0:
        raise InvalidInput(f"{name} is how often it happens in one throw: write a number above 0 and at most 1.")
    return above / below
