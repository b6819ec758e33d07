"""Lesson 11: a certificate by hand, its best constant, a point that kills a mutant, and what the amendment changes."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from fedmm_edu.announced import ledger
from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.figures.judgements import Young
from fedmm_edu.proofs.certificate import CertificateFails, verify
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.symbolic import Step
from fedmm_edu.text.plain import plain
from fedmm_edu.widgets.answers import Between, as_fraction
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.written import written

U, V = atoms("u", "v")
L = sp.Integer(3)
COCOERCIVE = Hypothesis(inner(U, V) - square(V) / L, "the field is 1/3-cocoercive")
"""⟨u, v⟩ ≥ ‖v‖²/3, for a step u = s' − s and the change v = F(s') − F(s)."""


def lipschitz(m: object, c: object) -> tuple[Step, ...]:
    """The steps that prove 9‖u‖² − ‖v‖² ≥ 0 as m times cocoercivity plus c times ‖3u − v‖²; `CertificateFails` else."""
    target = L**2 * square(U) - square(V)
    return verify(target, {"cocoercive": COCOERCIVE}, {"cocoercive": sp.sympify(m)}, [(sp.sympify(c), 3 * U - V)])


def _pair(answer: object) -> tuple[sp.Rational, sp.Rational]:
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise InvalidInput(f"{answer!r} is no pair: write (m, c).")
    m, c = (sp.Rational(as_fraction(x)) for x in answer)
    return m, c


def _accepted(answer: object) -> bool:
    m, c = _pair(answer)
    try:
        lipschitz(m, c)
    except CertificateFails:
        return False
    return True


def _left(answer: object) -> str:
    """What a wrong pair leaves over when the identity is expanded."""
    try:
        lipschitz(*_pair(answer))
    except CertificateFails as error:
        return plain(f"With your numbers {error}")
    return ""


multipliers = Exercise(
    asks="(m, c), two numbers",
    solution=lambda: (6, 1),
    accepts=_accepted,
    slips=(
        Slip(lambda: (3, 1), "Expand c‖3u − v‖²: the mixed term is −6⟨u, v⟩. Which m removes it?",
             lambda a: _pair(a)[1] == 1),
        Slip(lambda: (6, 9), "Compare the factors of ‖u‖²: on the left 9, on the right 9c.",
             lambda a: _pair(a)[1] != 1),
    ),
    against=_left,
    hints=("Expand ‖3u − v‖² = 9‖u‖² − 6⟨u, v⟩ + ‖v‖².", "From ‖u‖²: c = 1.", "Then m = 6 removes ⟨u, v⟩."),
    why="9‖u‖² − ‖v‖² = 6(⟨u, v⟩ − ‖v‖²/3) + ‖3u − v‖²: cocoercive fields are Lipschitz. The kernel expanded it.",
)  # fmt: skip


@cache
def _least() -> float:
    """The k at which the claim is proved and any less refuted: there the square is all that is left."""
    k = sp.Symbol("k")
    eta = Fraction(1, 2)
    (least,) = sp.solve(k - 1 - 1 / sp.Rational(eta), k)  # Young.rest vanishes
    found = Fraction(int(least.p), int(least.q))
    below = found - Fraction(1, 10**9)
    if (Young(eta, found).verdict().status, Young(eta, below).verdict().status) != ("proved", "refuted"):
        raise FedMMError(f"{found} is not the least k.")
    return float(found)


def _witness(answer: object) -> str:
    """Two numbers a and b at which the claim fails, where k is too small."""
    found = Young(Fraction(1, 2), as_fraction(answer)).verdict().witness
    return f"Put in a = {found.point['a']}, b = 1: {found.says}." if found else ""


best = Exercise(
    asks="the least k for η = 1/2, a number",
    solution=_least,
    tolerance=1e-9,
    slips=(
        Slip(lambda: 2.0, "That is 1/η. What is left of k after the square must be ≥ 0: k − 1 − 1/η."),
        Slip(lambda: 1.5, "That is 1 + η, the factor of ‖a‖²."),
        Slip(lambda: 4.0, "Proved, but a smaller k will do.", Between(_least, lambda: 1e12)),
    ),
    against=_witness,
    why="k = 1 + 1/η. Below it, a = b/η is a witness; at it, one square proves the claim.",
    nudge="Set the slider to η = ½, and move k until the picture stays above 0.",
)  # fmt: skip


def _kills(answer: object) -> bool:
    """Whether u lies in [0, 1] and Ξ = u²/2 (for F(s) = s, C_⋆⋆ = 1) passes what the mutant 2/5 allows."""
    u = as_fraction(answer)
    return 0 <= u <= 1 and u * u / 2 > Fraction(2, 5) * u * u


mutant = Exercise(
    asks="a step u in [0, 1], a number",
    solution=lambda: 1.0,
    accepts=_kills,
    slips=(
        Slip(lambda: 0.0, "Both sides are 0 there.", lambda u: as_fraction(u) == 0),
        Slip(lambda: 2.0, "Take a step in [0, 1].", lambda u: as_fraction(u) != 0),
    ),
    why="Ξ = u²/2 is more than (2/5)u² at every u ≠ 0: so ½ is the best constant there is.",
)  # fmt: skip


def _kind() -> str:
    amended = ledger().claims()["alg2-mean-active"].amended
    assert amended is not None
    return amended.kind


kind = Exercise(
    asks="one of 'result', 'hypothesis', 'formula', 'wording'",
    solution=_kind,
    slips=(
        Slip(lambda: "wording", "A reader who follows the printed words gets a biased algorithm: more than wording."),
        Slip(lambda: "formula", "The formulas are right. What is asked of the law of the active set is not."),
        Slip(lambda: "hypothesis", "Nearly: a condition is too weak. But what a reader would run comes out wrong."),
    ),
    among=("result", "hypothesis", "formula", "wording"),
    why="The ledger files it as a result: an algorithm, as a reader would use it, does not do what is claimed.",
)


def _square(eta: float) -> tuple[float, float]:
    """(c, d) for Young's inequality, accepted by the kernel for this η."""
    exactly = sp.Rational(Fraction(eta))
    a, b = atoms("a", "b")
    target = (1 + exactly) * square(a) + (1 + 1 / exactly) * square(b) - square(a + b)
    verify(target, {}, {}, [(exactly, a - b / exactly)])
    return eta, -1 / eta


certificate = written(
    "a function `young(eta)` that returns (c, d)",
    right=_square,
    inputs=lambda: [(1.0,), (0.5,), (2.0,), (4.0,)],
    slips=(
        (lambda eta: (eta, 1 / eta), "The mixed term comes out as +2⟨a, b⟩: it must be −2⟨a, b⟩."),
        (lambda eta: (1 / eta, -eta), "Compare the factors of ‖a‖²: on the left η is left over."),
        (lambda eta: (1.0, -1.0), "That is right for η = 1 alone."),
    ),
    hints=("Subtract: what is left of ‖a‖², of ⟨a, b⟩, of ‖b‖²?", "η‖a‖² − 2⟨a, b⟩ + ‖b‖²/η. Which square is that?",
           "c = η from ‖a‖², and 2cd = −2."),
    why="One square proves it for all vectors. The kernel has expanded yours.",
)  # fmt: skip
