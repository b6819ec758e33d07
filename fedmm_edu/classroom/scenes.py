"""The script of the hour: what the teacher says, what the phones ask, and the rules of the rounds, scene by scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fedmm_edu.errors import InvalidInput

Activity = Literal["data", "guess", "theta", "idea", "lines", "rounds"]
"""What the phones do in a scene."""


@dataclass(frozen=True)
class Question:
    """A prediction that everybody locks before the answer is shown."""

    text: str
    choices: tuple[str, ...]


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
"""The scenes in the order of the hour."""
PLACES = {scene.key: k for k, scene in enumerate(SCENES)}


def place(key: object) -> int:
    """Where the scene stands in the script; `InvalidInput` for a key that is none."""
    if not isinstance(key, str) or key not in PLACES:
        raise InvalidInput(f"there is no scene {str(key)[:20]!r}: choose one of {', '.join(PLACES)}.")
    return PLACES[key]
