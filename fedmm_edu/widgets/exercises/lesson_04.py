"""Lesson 4: how fast the past is forgotten, SGD's learning rate, and which step sizes settle."""

from __future__ import annotations

from functools import cache

import numpy as np

from fedmm_edu.algorithms import Constant, Harmonic, sa_ssmm
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import FullBatch
from fedmm_edu.figures.stochastic import memory, online_em
from fedmm_edu.widgets.answers import holding, lacking
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.written import written

_GAMMA, _T = 0.1, 20


def _weights() -> np.ndarray:
    return memory(Constant(_GAMMA), _T)


forget = Exercise(
    asks="the weight of the first oracle S₁ in Ŝ₂₀ for γ = 0.1, a number",
    solution=lambda: float(_weights()[1]),
    slips=(
        Slip(lambda: float(_weights()[0]), "That is the weight of the start Ŝ₀. S₁ entered with the factor γ."),
        Slip(lambda: float(_weights()[1] / _GAMMA), "The factor γ is missing, with which S₁ entered in round 1."),
        Slip(lambda: float(_weights()[1] * (1 - _GAMMA)), "One factor 1 − γ too many: rounds 2 to 20 are 19 rounds."),
        Slip(lambda: 1.0 / _T, "That is the weight for γ_t = 1/t. With a constant γ the past fades."),
    ),
    why="γ(1 − γ)¹⁹: it enters with γ and is shrunk in each of the 19 rounds after.",
    nudge="In round 1 it enters with the weight γ. Each later round multiplies what is there by 1 − γ.",
)

_RHO, _STEP = 0.5, 0.2
_Z = np.array([[1.0, 3.0]])


def _learning_rate() -> float:
    """The learning rate of the gradient step that one round of SA-SSMM makes at θ = 0, where ∇f = −3."""
    problem = Quadratic(1, _RHO)
    fed = sa_ssmm(problem, _Z, gamma=Constant(_STEP), oracle=FullBatch())
    start = fed.init([0.0])
    slope = float(problem.smooth_loss.slope(np.zeros(1), np.array([3.0]))[0])
    return float(-(fed.theta(fed.step(start)) - fed.theta(start))[0] / slope)


rate = Exercise(
    asks="the learning rate of SGD that SA-SSMM is, for g = 0, ρ = 0.5 and γ = 0.2, a number",
    solution=_learning_rate,
    slips=(
        Slip(lambda: _RHO, "With γ = 1 it would be ρ. Here only a part γ of that step is made."),
        Slip(lambda: _STEP, "γ is the part of the way that is made. The full way is ρ times the gradient."),
        Slip(lambda: _STEP / _RHO, "Multiply: Ŝ + γ(Ŝ − ρG − Ŝ)."),
    ),
    why="Ŝ + γ((Ŝ − ρG) − Ŝ) = Ŝ − γρG.",
    nudge="With g = 0 the oracle is Ŝ − ρG, for a gradient G at Ŝ. Insert it into Ŝ + γ(S − Ŝ).",
)


@cache
def settles() -> frozenset[str]:
    """The rules whose iterates come less than half as far from EM's limit late in a run as early, over four seeds."""
    found = set()
    for name, rule in (("constant", Constant(0.2)), ("1/t", Harmonic())):
        runs = [online_em(rule, 2, 300, seed) for seed in range(4)]
        early, late = (
            np.mean([np.linalg.norm(theta[cut] - limit, axis=1).mean() for theta, limit in runs])
            for cut in (slice(10, 50), slice(260, 300))
        )
        if late < 0.5 * early:
            found.add(name)
    return frozenset(found)


settle = Exercise(
    asks="{'constant'}, {'1/t'}, both or neither (an empty set)",
    solution=settles,
    slips=(
        Slip(
            lambda: {"constant", "1/t"},
            "With a constant γ the newest oracle keeps the weight γ for ever, and so does its noise.",
            holding("constant"),
        ),
        Slip(
            set,
            "Look at 1/t in the figure again: Ŝ_t is the mean of t oracles, and the noise of a mean shrinks.",
            lacking("constant", "1/t"),
        ),
    ),
    among=("constant", "1/t"),
    why="A constant γ moves quickly and keeps on shaking; 1/t settles, and pays with slow steps after a bad start.",
)


def _online(oracles: object, gamma: float) -> float:
    """SA-SSMM from 0: with x = 1, ρ = 1 and no penalty S̄(y, τ) = y, so the oracle is the reading itself."""
    state = None
    for reading in np.asarray(oracles, dtype=float):
        fed = sa_ssmm(Quadratic(1, 1.0), np.array([[1.0, reading]]), gamma=Constant(gamma), oracle=FullBatch())
        state = fed.step(fed.init(np.zeros(1)) if state is None else state)
    assert state is not None
    return float(state.x[0])


online = written(
    "a function `online(oracles, gamma)` that gives Ŝ after all oracles, from Ŝ₀ = 0",
    right=_online,
    inputs=lambda: [([1.0], 0.5), ([1.0, 1.0], 0.5), ([4.0, 0.0], 0.25), ([2.0, -1.0, 5.0, 3.0], 0.1)],
    slips=(
        (lambda oracles, gamma: float(np.mean(oracles)), "That is the rule γ = 1/t. Here γ is constant."),
        (
            lambda oracles, gamma: gamma * float(np.sum(oracles)),
            "The past must fade: first subtract Ŝ.",
        ),
        (lambda oracles, gamma: _online(oracles[::-1], gamma), "In the order of the rounds: the newest weighs most."),
    ),
    hints=(
        "A loop over the oracles, with one line in it.",
        "Ŝ moves by the part γ of the way from Ŝ to the oracle.",
        "s = 0.0; for each in oracles: s = s + gamma * (each - s); return s",
    ),
    why="With the S̄ and T of a problem, these lines are SGD, online EM and online dictionary learning.",
)
