"""Scripts: what the teacher says, what the phones ask, and the rules of the rounds, scene by scene.

`SCENES` is the class of one hour. The hour of a lesson is a file in `hours/`: predictions of the lesson, its parts, and
scenes in which the class is the federation.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from fedmm_edu.errors import InvalidInput

Activity = Literal["data", "guess", "theta", "idea", "lines", "rounds", "refute", "row", "talk"]
"""What the phones do in a scene."""


@dataclass(frozen=True)
class Question:
    """A prediction that everybody locks before the answer, a place among the choices, is shown, where it is known."""

    text: str
    choices: tuple[str, ...]
    answer: int | None = None
    why: str = ""


@dataclass(frozen=True)
class Rule:
    """The settings of a scene's rounds: γ, α, the chance p that a phone is asked, bits per number (0: exact)."""

    gamma: float
    alpha: float = 0.0
    p: float = 1.0
    bits: int = 0
    may_lose: bool = False
    rounds: int = 10


@dataclass(frozen=True)
class Stage:
    """One step of the hour. `opens` labels the teacher's button that shows what was hidden."""

    key: str
    minute: int
    title: str
    task: Activity
    phone: str
    teacher: str
    opens: str = ""
    question: Question | None = None
    rule: Rule | None = None


SCENES = (
    Stage(
        "data", 0, "Wait for a six", "data",
        "Throw a die until a six comes, and count the throws, the six included. Then toss a coin until heads comes, "
        "and count again. The two numbers are your private data.",
        "How likely is a six? Heads? Pretend that nobody knows. Everybody has two numbers, nobody has enough of them, "
        "and nobody shows theirs. A client with z throws alone would answer θ = 1/z.",
    ),
    Stage(
        "guess", 2, "Before we average", "guess",
        "Soon everybody sends θ = 1/z for both games, and the server averages. θ⋆ is the answer that all our throws "
        "together would give.",
        "Lock a guess. Nobody sees a guess before all are locked, or before I open them.",
        "Open the guesses",
        Question("The average of our θ's will be, compared with θ⋆,",
                 ("too small", "equal, up to rounding", "too large", "now one, now the other")),
    ),
    Stage(
        "theta", 5, "Average the answers", "theta",
        "Send θ = 1/z for each game. A fraction such as 1/7 is fine.",
        "Each small dot is an answer, the large one their average. Where is θ⋆? Show it once most have sent. Why is "
        "the average on this side? Who pulls it there: those who waited long, or those who were lucky?",
        "Show θ⋆",
    ),
    Stage(
        "idea", 8, "Send something else", "idea",
        "You may send any number that you compute from z. The server averages what it gets and turns the average a "
        "into θ by a formula of yours.",
        "The dots are your ideas. Some idea lands on θ⋆ whatever we threw. For one client alone, many ideas give 1/z: "
        "what distinguishes the one that lands?",
    ),
    Stage(
        "lines", 15, "Write the surrogate", "lines",
        "One game. The loss is z·theta − log(theta). Write phi, psi, S_bar and T so that ψ(θ) − S̄(z, τ)·φ(θ) lies "
        "above the loss, touches it at τ, and has its lowest point, for any s > 0 in the place of S̄, at T(s).",
        "Four lines. The machine proves them, finds a counterexample, or says that it cannot decide. What is proved "
        "runs in our next rounds.",
    ),
    Stage(
        "run", 25, "Your surrogate runs", "rounds",
        "The class runs its proved surrogate, half a step in each round.",
        "The server starts from one lucky client, z = 1 in both games. γ = 1/2: each round goes half of the way.",
        "Open the guesses",
        Question("After ten rounds of half a step, θ will be",
                 ("on θ⋆, nearly", "half way", "at the average of the θ's")),
        Rule(gamma=0.5),
    ),
    Stage(
        "off", 35, "Phones are switched off", "rounds",
        "In each round a coin decides whether the server asks your phone. You may also switch it off for good.",
        "Half of us are heard in a round, and the server doubles what it hears. Then let all who waited long for the "
        "six switch off: what does the class learn now, and does anything on the screen tell?",
        "Open the guesses",
        Question("With half of us in each round, chosen by coins, θ will", ("go to θ⋆ and stay", "wander around θ⋆",
                                                                          "wander around a wrong point")),
        Rule(gamma=0.25, p=0.5, rounds=20),
    ),
    Stage(
        "bits", 42, "Two bits a number", "rounds",
        "You send how far your s is from the server's: two numbers. Each is rounded, at random, to 0 or to plus or "
        "minus the larger of the two, which goes along in full.",
        "Two bits a number instead of 64. The rounding is right on average. Then start again with V, and compare: what "
        "is rounded now is the difference to what the server expects of you.",
        "Open the guesses",
        Question("With two bits a number, θ will", ("be useless", "wander around θ⋆", "end at a wrong point")),
        Rule(gamma=0.25, bits=2, rounds=20),
    ),
    Stage(
        "lost", 50, "One update is lost", "rounds",
        "Everybody keeps a Vᵢ, the server keeps V, their average. Once, the server forgets to write V down.",
        "Run one round, lose one update of V, run on. The gap V − Σ μᵢVᵢ does not move any more. Where will θ be "
        "after a thousand rounds? Compute it from the gap.",
        "Open the guesses",
        Question("One update of V is lost, then all goes well. The error", ("vanishes in some rounds",
                                                                          "vanishes like 1/t", "stays for ever")),
        Rule(gamma=0.5, alpha=0.25, p=0.75, may_lose=True, rounds=20),
    ),
)  # fmt: skip
"""The scenes of the class of one hour, in their order."""
FURTHER = (
    Stage(
        "refute", 0, "A classmate's surrogate", "refute",
        "These four lines were written by somebody here, and the machine has refuted them. Where do they fail? Give a "
        "point: z, τ and θ at which the surrogate lies below the loss, or s and θ at which T(s) is not the lowest.",
        "Everybody has four lines of somebody else's that are wrong. Find a point, as a fraction, at which they fail. "
        "The machine computes at your point exactly: it does not search for you.",
    ),
    Stage(
        "row", 0, "One row each", "row",
        "A sentence of the paper, or of ours, and changes of it. Say of each whether it holds; then the machine says "
        "so, with a proof or a counterexample. Find the strongest one that is proved.",
        "Each has a row of the ledger. Attack: which wording fails? Amend: which one holds? The verdicts are computed "
        "now, by the checks of the ledger. Read a refuted one aloud, with its counterexample. Is it false, or a slip "
        "of the pen that a reader mends unasked?",
    ),
)  # fmt: skip
"""Scenes that the hours of lessons have, beside those above."""
HOURS = Path(__file__).with_name("hours")


@dataclass(frozen=True)
class Hour:
    """A script: its name, its title, how many minutes it takes, its scenes, and the rows that phones get to judge."""

    name: str
    title: str
    minutes: int
    scenes: tuple[Stage, ...]
    rows: tuple[str, ...] = ()

    def place(self, key: object) -> int:
        """Where the scene stands in the script; `InvalidInput` for a key that is none."""
        keys = [scene.key for scene in self.scenes]
        if not isinstance(key, str) or key not in keys:
            raise InvalidInput(f"there is no scene {str(key)[:20]!r}: choose one of {', '.join(keys)}.")
        return keys.index(key)

    def of_task(self, task: Activity) -> int | None:
        """The place of the first scene with this task, if there is one."""
        return next((k for k, scene in enumerate(self.scenes) if scene.task == task), None)


CLASS = Hour("class", "The class is the federation", 60, SCENES)
"""What `fedmm class` plays without further words."""


def lessons() -> list[str]:
    """The names of lessons that have an hour, "00" to "12"."""
    return sorted(file.stem for file in HOURS.glob("*.toml"))


def hour_of(lesson: str) -> Hour:
    """The hour of a lesson; `InvalidInput` for one that has none."""
    name = lesson.zfill(2)
    if name not in lessons():
        raise InvalidInput(f"there is no lesson {lesson!r}: choose one of {', '.join(lessons())}.")
    return _hour(name)


@cache
def _hour(name: str) -> Hour:
    said = tomllib.loads((HOURS / f"{name}.toml").read_text(encoding="utf-8"))
    scenes, minute = [], 0
    for scene, minutes in _scenes(said["scene"]):
        scenes.append(replace(scene, minute=minute))
        minute += minutes
    return Hour(name, said["title"], minute, tuple(scenes), tuple(said.get("rows", ())))


def _scenes(parts: list[dict[str, Any]]) -> Iterator[tuple[Stage, int]]:
    """Each part of a script as a scene, with its minutes: one of the federation's, a prediction, or a talk."""
    known: Mapping[str, Stage] = {scene.key: scene for scene in (*SCENES, *FURTHER)}
    for number, part in enumerate(parts, start=1):
        if "use" in part:
            yield known[part["use"]], part["minutes"]
        elif "asks" in part:
            choices = tuple(part["choices"])
            question = Question(part["asks"], choices, choices.index(part["answer"]), part.get("why", ""))
            yield Stage(f"ask{number}", 0, part["title"], "guess", part.get("phone", ""), part["teacher"],
                        "Open the guesses", question), part["minutes"]  # fmt: skip
        else:
            phone = part.get("phone", "Look at the screen.")
            yield Stage(f"part{number}", 0, part["title"], "talk", phone, part["teacher"]), part["minutes"]
