"""Lesson 6: a round by hand, the server's variate, unequal chances, a lost update, and what a round costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fedmm_edu.algorithms import Constant, FedMM, run
from fedmm_edu.arrays import Array
from fedmm_edu.examples.poisson import Law, PoissonJoint
from fedmm_edu.examples.toy import Toy
from fedmm_edu.federation import Clients, CustomLaw, Identity, UniformQuantization
from fedmm_edu.figures.rounds import take_apart
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.written import written

__all__ = ["counts"]

PAIR = Clients.of([[[1.0]], [[9.0]]])
"""Two clients of Remark 1, with the means 1 and 9 and equal weights."""

ONLY_SECOND = FedMM(Toy(0.5, 16.0), PAIR, Constant(0.25), alpha=0.2,
                    participation=CustomLaw(lambda u: np.array([False, True]), 0.5))  # fmt: skip
"""Client 2 answers; p = 1/2, γ = 1/4, α = 1/5."""

_START = 3.0
"""Ŝ_0 of exercises 1 and 2."""


def counts(samples: int = 40, seed: int = 1) -> tuple[PoissonJoint, Clients]:
    """Four clients count events (Appendix C.1): Z is Poisson of intensity exp(θ + h), with a hidden h = ±0.7.

    Their own θ differ, so that each of them alone would end elsewhere. The prior weight is λ = 1/2.
    """
    rng = np.random.default_rng(seed)
    hidden = rng.choice([-0.7, 0.7], (4, samples, 1))
    data = rng.poisson(np.exp(np.array([0.3, 0.8, 1.6, 2.4])[:, None, None] + hidden)).astype(float)
    return PoissonJoint(0.5, Law.discrete([-0.7, 0.7], [0.5, 0.5]), low=0.25), Clients.of(list(data))


def _direction() -> float:
    return float(take_apart(ONLY_SECOND, ONLY_SECOND.init([_START])).H[0])


direction = Exercise(
    asks="H of round 1, a number",
    solution=_direction,
    slips=(
        Slip(lambda: _direction() / 2, "That is μ₂ times the message. The server also divides by p."),
        Slip(lambda: 2 * _direction(), "You divided by p, but the message also has the weight μ₂."),
        Slip(
            lambda: float(PAIR.mean_S_bar(ONLY_SECOND.problem, np.ones(1))[0] - _START),
            "That is h(Ŝ₀), the mean over who may answer. In this round it was client 2 alone.",
        ),
        Slip(lambda: 9.0, "Subtract Ŝ₀ (and V₂ = 0) first: the message is a difference."),
    ),
    why="H = V + (μ₂/p)(S₂ − Ŝ₀ − V₂). Had client 1 answered, it would have been −2; the mean of the two is h(Ŝ₀) = 2.",
    nudge="Go through the lines of Algorithm 2: Δ first, then the sum that the server forms.",
)


def _server() -> float:
    return float(take_apart(ONLY_SECOND, ONLY_SECOND.init([_START])).after.V_server[0])


server = Exercise(
    asks="the server's V after that round, a number",
    solution=_server,
    slips=(
        Slip(lambda: 2 * _server(), "That is client 2's own V. The server keeps the mean Σ μᵢ Vᵢ."),
        Slip(lambda: _server() / 2, "Divide by p here as well: the step is α/p."),
        Slip(_direction, "That is H. V moves by the share α of what was received."),
    ),
    why="V = α · H here, since V started at 0. And Σ μᵢ Vᵢ has moved by the same.",
    nudge="V_{t+1} = V_t + (α/p) Σ μᵢ Quant(Δᵢ) over the active clients.",
)


def settled(chances: Array, assumed: float) -> float:
    """Where the mean of Ŝ_t settles without control variates: the root of E[H] = Σ μ_i (P_i/p)(m_i − s)."""
    means = np.array([z.mean() for z in PAIR.data])
    weights = PAIR.mu * chances / assumed
    return float(weights @ means / weights.sum())


unequal = Exercise(
    asks="the s at which the mean of H is 0, a number",
    solution=lambda: settled(np.array([1.0, 0.5]), 0.75),
    slips=(
        Slip(lambda: settled(np.ones(2), 1.0), "That is the root of h. But client 1 is heard more often."),
        Slip(lambda: settled(np.array([0.5, 1.0]), 0.75), "You have let client 2 answer more often than client 1."),
        Slip(lambda: settled(np.array([1.0, 0.0]), 0.5), "Client 2 answers every other time: it counts half."),
    ),
    why="Client 1 counts 1, client 2 counts ½, whatever p the server divides by: (1·1 + ½·9)/(1 + ½).",
    nudge="Write E[H] = Σ μᵢ (Pᵢ/p)(mᵢ − s) and set it to 0. The p cancels.",
)  # fmt: skip


def lost(missing: float) -> float:
    """Where FedMM with everyone ends when the server's V is `missing` smaller than Σ μ_i V_i at the start."""
    fed = FedMM(Toy(0.5, 16.0), PAIR, Constant(0.25), alpha=0.5)
    start = fed.init([4.0], "mean_field")
    broken = replace(start, V_server=start.V_server - missing)
    return float(run(fed, broken, 200)[0].x[0])


update = Exercise(
    asks="the limit of Ŝ_t, a number",
    solution=lambda: lost(0.5),
    slips=(
        Slip(lambda: lost(0.0), "That is the right limit. The lost update is never made up for."),
        Slip(lambda: lost(-0.5), "The sign: the server's V is too small, so H is too small, always."),
    ),
    why="The difference D = V − Σ μᵢVᵢ is conserved (row alg2-conserves), and E[H] = h(Ŝ) + D. Here h(s) = 5 − s.",
    nudge="What is E[H] when V = Σ μᵢVᵢ − ½? Where is it 0?",
)


def _bits() -> float:
    return 100 * 0.5 * UniformQuantization(8).bits(1000)


cost = Exercise(
    asks="bits from all clients in a mean round, a number",
    solution=_bits,
    slips=(
        Slip(lambda: 2 * _bits(), "Half of the clients are silent."),
        Slip(lambda: 100 * 0.5 * 8 * 1000, "Each message also carries its scale, one float of 64 bits."),
        Slip(lambda: 100 * 0.5 * Identity().bits(1000), "That is without compression: 64 bits for each number."),
        Slip(lambda: _bits() / 50, "That is one message."),
    ),
    why="UniformQuantization(8).bits(1000) says what one message costs.",
    nudge="A message has 8 bits for each of 1000 numbers, and one float of 64 bits. How many clients answer?",
    tolerance=1e-6,
)


def _round(x: float, V: float, Vs: object, S: object, active: object, p: float, gamma: float, alpha: float):
    """The round of the package, for clients with equal weights and one coordinate."""
    variates, aims, who = (np.asarray(each) for each in (Vs, S, active))
    law = CustomLaw(lambda u: who.astype(bool), p)
    fed = FedMM(Toy(1e-6, 1e6), Clients.of([[[aim]] for aim in aims]), Constant(gamma), alpha=alpha, participation=law)
    start = replace(fed.init([x]), V_server=np.array([V]), V_clients=variates.astype(float)[:, None])
    after = fed.step(start)
    return after.x[0], after.V_server[0], after.V_clients[:, 0]


def _without_p(x: float, V: float, Vs: object, S: object, active: object, p: float, gamma: float, alpha: float):
    return _round(x, V, Vs, S, active, 1.0, gamma, alpha)


def _everybody(x: float, V: float, Vs: object, S: object, active: object, p: float, gamma: float, alpha: float):
    return _round(x, V, Vs, S, np.ones(len(np.asarray(S))), p, gamma, alpha)


def _forgetful(x: float, V: float, Vs: object, S: object, active: object, p: float, gamma: float, alpha: float):
    after = _round(x, V, Vs, S, active, p, gamma, alpha)
    return after[0], V, after[2]


whole_round = written(
    "a function `one_round(x, V, Vs, S, active, p, gamma, alpha)` that returns Ŝ, V and the list of the V_i after it",
    right=_round,
    inputs=lambda: [
        (3.0, 0.0, [0.0, 0.0], [1.0, 9.0], [0, 1], 0.5, 0.25, 0.2),
        (5.0, 0.0, [-4.0, 4.0], [1.0, 9.0], [1, 0], 0.5, 0.25, 0.5),
        (4.0, 1.0, [0.0, 2.0], [2.0, 6.0], [1, 1], 1.0, 0.5, 0.5),
        (2.0, 0.5, [0.5, 0.5, 0.5], [3.0, 4.0, 5.0], [1, 0, 1], 0.75, 0.1, 0.1),
    ],
    slips=(
        (_without_p, "A message of a client that is heard with the chance p counts 1/p times: in H, and in V."),
        (_everybody, "Only active clients send, and only they move their V_i."),
        (_forgetful, "The server's V has not moved: V = Σ μ_i V_i must stay true."),
    ),
    hints=(
        "Four lines: the messages Δ_i of the active, H, Ŝ, and both kinds of variates.",
        "Δ_i = S_i − x − V_i; received = the sum over the active of Δ_i/(n p); H = V + received.",
        "x + gamma * H, V + alpha * received, and V_i + (alpha / p) * Δ_i for the active only.",
    ),
    why="That is Algorithm 2 without compression and projection.",
)


def _keep(x: object, kept: object) -> np.ndarray:
    values, names = np.asarray(x, dtype=float), np.asarray(kept, dtype=int)
    found = np.zeros_like(values)
    found[names] = values[names] * len(values) / len(names)
    return found


compressor = written(
    "a function `compress(x, kept)` that keeps the coordinates `kept`, and is right on average over all such choices",
    right=_keep,
    inputs=lambda: [([4.0, 6.0], [0]), ([4.0, 6.0], [1]), ([1.0, 2.0, 3.0], [0, 2]), ([1.0, -2.0, 3.0, 5.0], [1])],
    slips=(
        (
            lambda x, kept: _keep(x, kept) * len(kept) / len(x),
            "On average this is too small: each coordinate is kept with the chance k/q only.",
        ),
        (lambda x, kept: _keep(x, kept) * (len(kept) / len(x)) ** 2, "Divide by the chance of being kept."),
        (lambda x, kept: x, "Nothing is saved: only `kept` may be sent."),
    ),
    hints=(
        "Start with zeros, and fill in what is kept.",
        "Each of q coordinates is kept with the chance k/q. What factor makes it right on average?",
        "out = np.zeros(len(x)); out[kept] = np.array(x)[kept] * len(x) / len(kept)",
    ),
    why="RandK of the package: unbiased, with ω = q/k − 1.",
)
