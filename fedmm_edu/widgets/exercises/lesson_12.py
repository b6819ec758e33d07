"""Lesson 12: where relatives end, which part they exchange, two of them made of FedMM, a bug, 10 kbit, and rates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from string import ascii_lowercase
from typing import Any

import numpy as np

from fedmm_edu.algorithms import ControlledSteps, Fixed, LocalSteps, ParameterSpace
from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.federation import RandK, TopK, UniformQuantization
from fedmm_edu.relatives import Relative, Tuning, relatives
from fedmm_edu.relatives.knobs import KNOBS, six_parts
from fedmm_edu.theory import LocalRounds, restarted
from fedmm_edu.theory import scaffold as scaffold_rate
from fedmm_edu.widgets.answers import holding, lacking
from fedmm_edu.widgets.bowls import BUDGET, DIM, bought, plane, travelled, wide
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.museum import body, shipped_round, wrong_line
from fedmm_edu.widgets.turned import turned

__all__ = ["six"]


def six() -> dict[str, Tuning]:
    """Six relatives in the plane, and what each of them is given."""
    local = Tuning(eta=0.25, steps=5)
    return {
        "fedavg": local, "fedprox": replace(local, pull=1.0), "qsgd": Tuning(eta=0.25, compressor=RandK(1)),
        "fedmm": Tuning(compressor=RandK(1)), "scaffold": local, "ef21": Tuning(eta=0.25, compressor=TopK(1)),
    }  # fmt: skip


# ---------------------------------------------------------------------------------------------------- where they end

_H, _M, _K, _ETA = (1.0, 3.0), (0.0, 4.0), 2, 0.25


def ends_at(Q: Sequence[float]) -> float:
    """The θ with Σ ½ Q_i H_i(θ − m_i) = 0 for the two clients of exercise 1."""
    weights = [q * h for q, h in zip(Q, _H, strict=True)]
    return sum(w * m for w, m in zip(weights, _M, strict=True)) / sum(weights)


def _fedavg() -> list[float]:
    Q = relatives()["fedavg"].ends.Q
    assert Q is not None
    return [float(Q(np.array([[h]]), Tuning(eta=_ETA, steps=_K))[0, 0]) for h in _H]


limit = Exercise(
    asks="the θ at which FedAvg ends, a number",
    solution=lambda: ends_at(_fedavg()),
    slips=(
        Slip(lambda: ends_at([1.0, 1.0]), "That is the optimum, where FedMM ends: here Qᵢ is not the same for both."),
        Slip(lambda: ends_at([1.0 / h for h in _H]), "That is the mean of the minima: K → ∞, or one-shot averaging."),
        Slip(
            lambda: ends_at([q / h for q, h in zip(_fedavg(), _H, strict=True)]),
            "∇fᵢ(θ) = Hᵢ(θ − mᵢ): the curvature counts in the gradient, besides in Qᵢ.",
        ),
    ),
    why="Q₁ = ¼(1 + ¾) and Q₂ = ¼(1 + ¼): who bends more makes less of its gradient, so θ lies left of the optimum 3.",
    nudge="Qᵢ = η Σ_{k<K} (1 − ηHᵢ)^k; then Q₁·1·(θ − 0) + Q₂·3·(θ − 4) = 0.",
    hints=(
        "Write Q₁ and Q₂ down first: each is a sum of K = 2 terms.",
        "Q₁ = ¼(1 + ¾) and Q₂ = ¼(1 + ¼).",
        "Solve 1.75·1·θ + 1.25·3·(θ − 4) = 0; the common factor ¼ cancels.",
    ),
)

ONE_STEP = ("fedavg", "fedprox", "qsgd", "gdci", "scaffold")


@cache
def settling() -> frozenset[str]:
    """Those of `ONE_STEP` that come to the optimum of the plane with K = 1, everyone, and Rand-1 if they compress."""
    at, best = Tuning(eta=0.25, pull=1.0, compressor=RandK(1)), plane()[2]
    exact = {"fedavg": replace(at, compressor=Tuning().compressor)}
    ends = {key: travelled(relatives()[key], exact.get(key, at), 120)[-20:] for key in ONE_STEP}
    return frozenset(key for key, last in ends.items() if np.abs(last - best).max() < 1e-6)


which = Exercise(
    asks="a set of words out of " + ", ".join(map(repr, ONE_STEP)),
    solution=settling,
    among=ONE_STEP,
    slips=(
        Slip(lambda: set(ONE_STEP), "A compressed gradient has a variance wherever it is not 0, at the optimum, too.",
             holding("qsgd", "gdci")),
        Slip(lambda: {"scaffold"}, "One local step is no drift: what are Qᵢ of FedAvg and FedProx for K = 1?",
             lacking("fedavg", "fedprox")),
        Slip(lambda: {"fedavg", "scaffold"}, "At y = θ_t the pull λ(y − θ_t) of FedProx is 0.", lacking("fedprox")),
        Slip(lambda: {"fedprox", "scaffold"}, "FedAvg with K = 1 is gradient descent.", lacking("fedavg")),
        Slip(lambda: {"fedavg", "fedprox"}, "SCAFFOLD ends at the optimum for every K.", lacking("scaffold")),
    ),
    why="With K = 1, Qᵢ = η for all. Q(∇fᵢ) and Q(θ) keep a variance at the optimum, where neither is 0.",
    nudge="Ask of each: is Qᵢ the same for all clients, and is what is compressed 0 at the optimum?",
    hints=(
        "Put K = 1 into Qᵢ = η Σ_{k<K} (I − η(Hᵢ + λI))^k.",
        "What does the channel carry at the optimum? ∇fᵢ(θ⋆) for QSGD, an iterate for GDCI: neither is 0.",
        "Three of the five.",
    ),
)  # fmt: skip

# -------------------------------------------------------------------------------------------------------- six knobs

PAIRS = (("diana", "qsgd"), ("qsgd", "gdci"), ("fedmm", "naive"))
_WORDS = {"work": "local work", "memory": "client memory", "reference": "reference", "channel": "channel",
          "server": "server step", "space": "space"}  # fmt: skip


@cache
def differing() -> str:
    """For each pair the one knob in which the two differ."""
    problem, clients, _ = plane()
    at, words = Tuning(compressor=RandK(1), alpha=0.5), []
    for pair in PAIRS:
        one, two = (six_parts(relatives()[key].on(problem, clients, at)) for key in pair)
        (knob,) = [name for name in KNOBS if one[name] != two[name]]
        words.append(next(word for word, name in _WORDS.items() if name == knob))
    return " ".join(words)


knobs = Exercise(
    asks="three words, one for each arrow, out of " + ", ".join(_WORDS),
    solution=differing,
    among=tuple(_WORDS),
    slots=tuple(" → ".join(relatives()[key].name for key in pair) for pair in PAIRS),
    slips=(
        Slip(lambda: "channel channel space", "Both of the first pair send through the same channel. What is kept?"),
        Slip(
            lambda: "memory channel space", "QSGD and GDCI have one channel: what goes into it, a change or θ itself?"
        ),
        Slip(lambda: "memory reference work", "Parameter aggregation computes the same S̄. Where is it averaged?"),
    ),
    why="DIANA is QSGD whose clients remember; GDCI takes the difference from 0; the naive algorithm averages in Θ.",
    nudge="Set the board to one of the two, and look for the other among those one knob away.",
    hints=(
        "Set the board above to the first of a pair, and read which knob leads to the second.",
        "Without V_i DIANA sends plain gradients; GDCI sends its iterate, not its change.",
        "The first is about what a client keeps, the second about r_t, the third about where averages are taken.",
    ),
)


# ------------------------------------------------------------------------------------------------ turn FedMM into X

_LOCAL = {"space": ParameterSpace(), "work": ControlledSteps(0.2, Fixed(3)), "alpha": 2 / 3}
_CONTRACTED = {"compressor": TopK(1), "alpha": 1.0}

into_scaffold = turned(
    relatives()["scaffold"], Tuning(eta=0.2, steps=3, active=2),
    solution=_LOCAL,
    given="{'space': …, 'work': …, 'alpha': …}",
    slips=(
        ({**_LOCAL, "work": LocalSteps(0.2, Fixed(3))}, "Your clients keep V_i, but take their steps without it: "
         "LocalSteps does not look at V_i."),
        ({**_LOCAL, "work": LocalSteps(0.2, Fixed(3)), "alpha": 0.0}, "That is FedAvg: nobody remembers anything."),
        ({**_LOCAL, "alpha": 1.0}, "Two of three clients answer, p = 2/3. By which share must V_i follow a message?"),
    ),
    why="In Θ, controlled steps and α = p: then V_i = −ηK c_i (row own-scaffold).",
    hints=(
        "Three knobs: where is averaged, what a client does, and how far V_i follows.",
        "ParameterSpace(), and ControlledSteps(η, Fixed(K)); with α = p who is heard sets V_i to what it saw.",
        "{'space': ParameterSpace(), 'work': ControlledSteps(0.2, Fixed(3)), 'alpha': 2 / 3}",
    ),
)  # fmt: skip

into_ef21 = turned(
    relatives()["ef21"], Tuning(eta=0.25, compressor=TopK(1)),
    solution=_CONTRACTED,
    given="{'compressor': …, 'alpha': …}",
    slips=(
        ({"compressor": TopK(1), "alpha": 0.0}, "Without memory this is plain Top-k, which ends elsewhere."),
        ({"compressor": TopK(1), "alpha": 0.5}, "V_i follows by half. C is a contraction: nothing has to be damped."),
        ({"compressor": RandK(1), "alpha": 0.5}, "That is DIANA: unbiased messages. EF21 sends the largest."),
        ({"alpha": 1.0}, "Nothing is compressed: that is gradient descent."),
    ),
    why="The surrogate is quadratic with ρ = η, so S̄ = θ − η∇f_i; α = 1 makes H = V_{t+1} (row own-ef21).",
    hints=(
        "Two knobs: the channel, and how far V_i follows what came through.",
        "Everyone answers and V_i takes all of it: then Σ μ_i V_{t+1,i} is the direction of the server.",
        "{'compressor': TopK(1), 'alpha': 1.0}",
    ),
)  # fmt: skip


# ------------------------------------------------------------------------------------------------------ find the bug

bug = Exercise(
    asks="the letter of the wrong line",
    solution=wrong_line,
    among=tuple(ascii_lowercase[: len(body(shipped_round))]),
    slips=(
        Slip(lambda: "e", "The step is right: the client's own c_i is taken off, the common c is added."),
        Slip(lambda: "f", "x − y is right: K steps of size η along the mean gradient lead from x to y."),
        Slip(lambda: "j", "The model moves by the mean over those who were heard: that is right."),
        Slip(lambda: "a", "Nothing is computed there yet."),
        Slip(lambda: "h", "What a client keeps is right: its newest c_i. Is the server told the same?"),
    ),
    why="c must stay the mean of all n c_i. Divided by m it moves n/m times too far; with everyone nothing shows.",
    nudge="With everyone the run is right, with one of three it is not: which lines divide by the number of clients?",
    hints=(
        "The run is right with everyone, and wrong with one of three clients. So look at what is divided by what.",
        "c ought to be Σ c_i/n over all n clients, heard or not. By how much does one client's change move that?",
        "Two lines divide by len(who). One averages the models of those who were heard; that one is right.",
    ),
)


# ------------------------------------------------------------------------------------------------------- spend 10 kbit

FEDMM = relatives()["fedmm"]

whole_rounds = Exercise(
    asks="how many rounds 10 kbit pay for, a number",
    solution=lambda: float(bought(FEDMM, Tuning())[1].t),
    slips=(
        Slip(lambda: float(BUDGET // (64 * DIM)), "All three clients send in a round, not one."),
        Slip(lambda: float(BUDGET // (32 * DIM * 3)), "A float has 64 bits here."),
        Slip(lambda: BUDGET / (64 * DIM * 3), "Whole rounds only."),
        Slip(
            lambda: float(BUDGET * 8 // (64 * DIM * 3)),
            "A kbit is a thousand bits; kilobytes have eight times as many.",
        ),
    ),
    why="A round costs 3 · 8 · 64 = 1536 bits. What comes down is not counted here; `fedmm compare` counts both.",
    nudge="Three clients, eight numbers each, 64 bits a number.",
    tolerance=1e-6,
    hints=(
        "What does one client send in a round, in bits?",
        "Eight numbers of 64 bits, from each of three clients: 1536 bits.",
        "10 000/1536, rounded down.",
    ),
)

kept = Exercise(
    asks="the factor before G_t, a number",
    solution=lambda: 1.0 - 0.5 * TopK(1).contraction(DIM),
    slips=(
        Slip(lambda: 1.0 - TopK(1).contraction(DIM), "That is with everyone. Half of the clients stay as they are."),
        Slip(lambda: 0.5 * TopK(1).contraction(DIM), "That is what is taken off: 1 − pa remains."),
        Slip(lambda: TopK(1).contraction(DIM), "That is a itself; the error is what is left."),
        Slip(lambda: 1.0 - 0.5, "Who is heard sends one of eight numbers, not all of them."),
    ),
    why="1 − pa with a = k/q (row own-biased-error): to stay away is one more contraction.",
    nudge="Top-1 of eight numbers is a contraction with a = 1/8. Whoever is away contracts by nothing.",
    hints=(
        "What is a for the largest of eight numbers, if all are equally large?",
        "With probability ½ a client contracts by 1 − a, otherwise by 1.",
        "½(1 − 1/8) + ½ · 1.",
    ),
)

FARTHER = 100.0
"""By this factor an answer to `spend` must come nearer than whole messages."""
MOST_STEPS = 200


def _gap(answer: Any) -> float:
    return bought(*_read(answer))[0]


def _read(answer: Any) -> tuple[Relative, Tuning]:
    """A relative by its key, and its tuning; or `InvalidInput`."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2 or not isinstance(answer[1], Mapping):
        raise InvalidInput(f"{answer!r} is no pair: write ('scaffold', {{'eta': 0.3, 'steps': 5}}).")
    key, chosen = answer
    if not isinstance(key, str) or key not in relatives():
        raise InvalidInput(f"{key!r} is no relative: choose from {', '.join(relatives())}.")
    try:
        at = Tuning(**chosen)
        if at.steps > MOST_STEPS or at.p < 1.0 / MOST_STEPS:
            raise InvalidInput(f"steps = {at.steps}, p = {at.p}: at most {MOST_STEPS} local steps a round.")
        wide_problem, clients, _ = wide()
        fed = relatives()[key].on(wide_problem, clients, at)
        if fed.compressor.of_round(fed.draws(1)).bits(fed.dim) < DIM:
            raise InvalidInput(f"{at.compressor!r} sends nothing: choose a channel that costs bits.")
    except FedMMError:
        raise
    except Exception as error:  # whatever a value may raise that is no part of a Tuning
        raise InvalidInput(f"{chosen!r} is no tuning: {error}") from error
    return relatives()[key], at


@cache
def _plain() -> float:
    return bought(FEDMM, Tuning())[0]


def _near(answer: Any) -> bool:
    return _gap(answer) * FARTHER <= _plain()


def _reached(answer: Any) -> str:
    gap, end = bought(*_read(answer))
    return f"Yours: {end.t} rounds, {end.bits_up} bits, W − min W = {gap:.1e}; whole messages of FedMM: {_plain():.1e}."


def _is(key: str, whole: bool) -> Callable[[Any], bool]:
    """Whether the answer is this relative, with whole messages or with a channel that loses something."""

    def matches(answer: Any) -> bool:
        relative, at = _read(answer)
        return relative.key == key and (at.compressor == Tuning().compressor) == whole

    return matches


spend = Exercise(
    asks="a pair (key of a relative, dictionary of a Tuning)",
    solution=lambda: ("fedmm", {"compressor": UniformQuantization(4)}),
    accepts=_near,
    against=_reached,
    slips=(
        Slip(lambda: ("fedmm", {}), "Six rounds are what whole messages cost. Which knob is about bits?",
             _is("fedmm", whole=True)),
        Slip(lambda: ("fedavg", {"eta": 1.0, "steps": 20}), "Local steps are free of bits, but FedAvg ends elsewhere.",
             _is("fedavg", whole=True)),
        Slip(lambda: ("qsgd", {"eta": 1.0, "compressor": UniformQuantization(4)}), "Without V_i the noise of the "
             "channel stays where ∇f_i is not 0.", _is("qsgd", whole=False)),
        Slip(lambda: ("scaffold", {"eta": 0.3, "steps": 10}), "Nearer than FedMM, but six rounds remain six rounds: "
             "SCAFFOLD sends whole numbers.", _is("scaffold", whole=True)),
    ),
    why="Small messages buy rounds, and V_i takes the noise of the channel away: that is what FedMM adds to QSGD.",
    nudge="More rounds, or better ones? Try a channel together with clients that remember.",
    hints=(
        "Six rounds are few. Whoever sends a tenth of the bits has sixty.",
        "UniformQuantization(b) has b bits a number, TopK(1) one number a message; who bears such a channel?",
        "('ef21', {'eta': 1.0, 'compressor': TopK(1)}), or FedMM with a few bits a number.",
    ),
)  # fmt: skip

# ------------------------------------------------------------------------------------------------- what rounds promise


def _local(K: int) -> float:
    """The largest ηL of own-scaffold-rate with everyone and η_g = 1."""
    return scaffold_rate(LocalRounds(10.0, K, 4, 4)).most


local_steps = Exercise(
    asks="the supremum of ηL for K = 2, a number",
    solution=lambda: _local(2),
    slips=(
        Slip(lambda: 2.0 * _local(2), "That is u = ηKL: divide by K = 2."),
        Slip(lambda: 0.25, "1/(2K) is enough for every K. Which u solves 2A + u = 1 here?"),
        Slip(lambda: 0.5, "Local steps cost A = (1 − 1/K)u² besides."),
        Slip(lambda: _local(1), "That is for K = 1, where A = 0."),
    ),
    why="2A + u = u² + u < 1 for u < 0.618, and η = u/(KL). With one step a round it was 1/L: K steps share a step.",
    nudge="Everyone: ν = 0 and A = (1 − 1/K)u². The condition is 2A + u < 1 with u = ηKL.",
    hints=(
        "Put K = 2 into A = (1 − 1/K)u².",
        "2A + u = u² + u < 1.",
        "u = (√5 − 1)/2, and ηL = u/2.",
    ),
)

_KAPPA = 100.0


def _halved() -> float:
    """The least T after which own-accelerated-restart halves the gap."""
    blocks = (T for T in range(1, 1000) if restarted(_KAPPA, rounds=T, initial_gap=1.0).bound <= 0.5)
    return float(next(blocks))


restart = Exercise(
    asks="the least number of rounds after which the gap is certified to be halved, a number",
    solution=_halved,
    slips=(
        Slip(lambda: float(np.ceil(np.log(2.0) / -np.log1p(-1.0 / _KAPPA))), "That is what MM needs, (1 − 1/κ)^T ≤ ½."),
        Slip(lambda: 20.0, "There the bound only passes below what it began with: it has to be half of that."),
        Slip(lambda: 29.0, "T + 1 = 29: the bound has (T + 1)² in it."),
        Slip(lambda: np.sqrt(8.0 * _KAPPA) - 1.0, "Whole rounds only."),
    ),
    tolerance=1e-9,
    why="4κ/(T + 1)² ≤ ½ for T + 1 ≥ √(8κ) = 28.3: some √κ rounds where MM needs some κ. Then begin anew.",
    nudge="4κ/(T + 1)² ≤ ½ (row own-accelerated-restart).",
    hints=(
        "After T rounds from z = x the gap is at most 4κ/(T + 1)² times what it was.",
        "(T + 1)² ≥ 8κ = 800.",
        "28² = 784 and 29² = 841.",
    ),
)
