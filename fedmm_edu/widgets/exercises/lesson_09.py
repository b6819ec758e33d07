"""Lesson 9: what a client sends, an atom by hand, two clients with one atom, where MM-2 holds, what variates change."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.dictionary import Atoms, DictionaryLearning, NonNegative, SparseCodes, Unconstrained, UnitBall
from fedmm_edu.studies.dictionary import DictionaryRun
from fedmm_edu.widgets.answers import holding, lacking
from fedmm_edu.widgets.atoms import TASK, learn, one_digit_each
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.written import written


def problem(p: int, K: int, atoms: Atoms) -> DictionaryLearning:
    """Section 6: c = ½, codes with an ℓ1 penalty."""
    return DictionaryLearning(p, K, SparseCodes(0.1), atoms)


_LARGE = problem(64, 50, Unconstrained(0.2))

size = Exercise(
    asks="how many numbers a client sends, a number",
    solution=lambda: float(_LARGE.q),
    slips=(
        Slip(lambda: float(_LARGE.d), "That is the dictionary, which aggregation in Θ sends. s₁ is missing."),
        Slip(lambda: float(_LARGE.K**2), "That is s₁ alone. s₂ has a column of p numbers for each atom."),
        Slip(
            lambda: float(_LARGE.K * (_LARGE.K + 1) // 2 + _LARGE.d),
            "True, s₁ is symmetric, and a triangle would do. But paper and package count and send all K² entries.",
        ),
    ),
    why="q = K² + pK: a Gram matrix of codes, and a column of pixels for each atom.",
    nudge="s₁ is the mean of h hᵀ with K codes in h; s₂ is the mean of Z hᵀ with p pixels in Z.",
    tolerance=1e-6,
)

_S = np.array([2.0, 3.0, 4.0])


def _atom(eta: float) -> np.ndarray:
    return problem(2, 1, Unconstrained(eta)).T(_S)


scaled_atom = Exercise(
    asks="T(s), a list of two numbers",
    solution=lambda: _atom(0.25),
    slips=(
        Slip(lambda: _atom(0.125), "With c = ½ the ridge adds 2η to s₁, not η (row dl-experiment-model)."),
        Slip(lambda: _atom(0.0), "That is without the ridge: η must appear."),
        Slip(lambda: _S[1:], "That is s₂. Divide it by s₁ + 2η."),
    ),
    why="T(s) = s₂ (s₁ + 2ηI)⁻¹, here (3, 4)/(2 + ½).",
    nudge="Minimise ½(s₁ + 2η)‖θ‖² − ⟨θ, s₂⟩ over θ in the plane: set the gradient to 0.",
)

CLIENTS = np.array([[1.0, 1.0], [3.0, 9.0]])
"""(s₁, s₂) of two clients with one atom of one pixel."""


def _fitted(s: np.ndarray) -> float:
    return float(problem(1, 1, Unconstrained(0.0)).T(s)[0])


both = Exercise(
    asks="the atom that aggregation in 𝒮 gives, a number",
    solution=lambda: _fitted(CLIENTS.mean(axis=0)),
    slips=(
        Slip(
            lambda: float(np.mean([_fitted(s) for s in CLIENTS])),
            "That is the mean of the two atoms, aggregation in Θ. The second client uses its atom three times as much.",
        ),
        Slip(lambda: _fitted(CLIENTS[1]), "That is what the second client wants alone."),
        Slip(lambda: float(CLIENTS.mean(axis=0)[1]), "That is the mean of s₂. Apply T to the averaged s."),
    ),
    why="(1 + 9)/(1 + 3): each client counts as much as it uses the atom, s₁.",
    nudge="Average s₁ and s₂ first. Then divide.",
)

CHOICES = {
    "free": Unconstrained(0.0),
    "unit ball": UnitBall(0.0),
    "non-negative": NonNegative(0.0),
    "ridge": Unconstrained(0.01),
}
"""Penalties g on the atoms; only the last one is more than a constraint."""


@cache
def minimised() -> set[str]:
    """The choices for which T exists where no sample uses an atom, s = 0; row dl-mm2 has the general statement."""
    found = set()
    for name, atoms in CHOICES.items():
        try:
            problem(2, 2, atoms).T(np.zeros(2 * 2 + 2 * 2))
        except InvalidInput:
            continue
        found.add(name)
    return found


exists = Exercise(
    asks="a set of words out of " + ", ".join(repr(name) for name in CHOICES),
    solution=minimised,
    slips=(
        Slip(
            lambda: set(CHOICES),
            "Take s = 0: no sample uses any atom. Without a ridge the function to minimise is 0 everywhere.",
            holding("free", "non-negative"),
        ),
        Slip(
            lambda: {"unit ball", "ridge"},
            "In the ball a minimiser exists. But for s = 0 every atom of the ball is one: it is not unique.",
            holding("unit ball"),
        ),
    ),
    among=tuple(CHOICES),
    why="η‖θ‖² with η > 0 is strongly convex: one minimiser for every s, and 0 for an atom that nobody uses.",
    nudge="Put s = 0 into g(θ) + ½Tr(θᵀθ s₁) − Tr(θᵀ s₂). How many minimisers are left?",
)


@cache
def with_and_without() -> tuple[DictionaryRun, DictionaryRun]:
    """α = 0 and α = 0.01 as in the second figure of Section 6: all local samples, no compression."""
    data, task = one_digit_each(), replace(TASK, bits=0, batch=0)
    return learn(replace(task, alpha=0.0), data)[0], learn(task, data)[0]


@cache
def lowered() -> set[str]:
    """The curves whose mean over the last quarter of the rows is more than a tenth lower with α = 0.01."""
    plain, variates = with_and_without()
    late = plain.t > 0.75 * plain.t[-1]
    return {
        name
        for name in ("objective", "parameter", "surrogate")
        if getattr(variates, name)[late].mean() < 0.9 * getattr(plain, name)[late].mean()
    }


variates = Exercise(
    asks="a set of words out of 'objective', 'parameter', 'surrogate'",
    solution=lowered,
    slips=(
        Slip(
            lambda: {"objective", "parameter", "surrogate"},
            "Look at the first panel again: the two objectives lie on each other.",
            holding("objective"),
        ),
        Slip(set, "Two of them do: the objective alone does not see who is active.", lacking("surrogate", "parameter")),
        Slip(
            lambda: {"surrogate"},
            "One more: T turns a calmer surrogate into a calmer dictionary.",
            lacking("parameter"),
        ),
        Slip(
            lambda: {"parameter"},
            "One more: the dictionary is calmer because what T is applied to is.",
            lacking("surrogate"),
        ),
    ),
    among=("objective", "parameter", "surrogate"),
    why="Variates take away the unrest that comes from who happens to be active; the objective is flat there.",
    nudge="In each panel, compare the ends of the two curves.",
)


def _fit(s1: object, s2: object, eta: float) -> np.ndarray:
    gram, cross = np.asarray(s1, dtype=float), np.asarray(s2, dtype=float)
    found = problem(cross.shape[0], cross.shape[1], Unconstrained(eta)).T(np.concatenate([gram.ravel(), cross.ravel()]))
    return found.reshape(cross.shape)


ridge_fit = written(
    "a function `fit(s1, s2, eta)` that gives T(s), a matrix of p rows and K columns",
    right=_fit,
    inputs=lambda: [([[2.0]], [[3.0], [4.0]], 0.25), ([[1.0, 0.0], [0.0, 3.0]], [[1.0, 6.0], [2.0, 3.0]], 0.5),
                    ([[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]], 0.1)],
    slips=(
        (lambda s1, s2, eta: _fit(s1, s2, eta / 2), "With the ½ of the fit the ridge adds 2η to s₁."),
        (lambda s1, s2, eta: _fit(s1, s2, 0.0), "The ridge is missing."),
        (lambda s1, s2, eta: s2, "That is s₂. Divide it by s₁ + 2ηI, from the right."),
    ),
    hints=("A ridge regression: which linear system?", "T(s) (s₁ + 2ηI) = s₂.",
           "return s2 @ np.linalg.inv(s1 + 2 * eta * np.eye(len(s1))), with both as arrays."),
    why="One matrix and one solve: however many clients, T is applied once.",
)  # fmt: skip
