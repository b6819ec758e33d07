"""Lesson 11: a certificate by hand, its best constant, a point that kills a mutant, and what the amendment changes."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fedmm_edu.announced import ledger
from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures.judgements import Young
from fedmm_edu.proofs.certificate import CertificateFails, verify
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.symbolic import Step
from fedmm_edu.text.plain import plain
from fedmm_edu.widgets.exercise import Exercise, Slip, number

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
    m, c = (sp.Rational(Fraction(number(x)).limit_denominator(10**6)) for x in answer)
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
    why="9‖u‖² − ‖v‖² = 6(⟨u, v⟩ − ‖v‖²/3) + ‖3u − v‖²: cocoercive fields are Lipschitz. The kernel expanded it.",
)  # fmt: skip


def _best(answer: object) -> bool:
    """Whether the claim is proved at the answer and refuted a thousandth below it."""
    k, eta = Fraction(number(answer)).limit_denominator(1000), Fraction(1, 2)
    return (
        Young(eta, k).verdict().status == "proved" and Young(eta, k - Fraction(1, 1000)).verdict().status == "refuted"
    )


def _witness(answer: object) -> str:
    """Two numbers a and b at which the claim fails, where k is too small."""
    found = Young(Fraction(1, 2), Fraction(number(answer)).limit_denominator(1000)).verdict().witness
    return f"Put in a = {found.point['a']}, b = 1: {found.says}." if found else ""


best = Exercise(
    asks="the least k for η = 1/2, a number",
    solution=lambda: 3.0,
    accepts=_best,
    slips=(
        Slip(lambda: 2.0, "That is 1/η. What is left of k after the square must be ≥ 0: k − 1 − 1/η.",
             lambda k: number(k) == 2.0),
        Slip(lambda: 1.5, "That is 1 + η, the factor of ‖a‖².", lambda k: number(k) == 1.5),
        Slip(lambda: 4.0, "Proved, but a smaller k will do.", lambda k: number(k) > 3.0),
    ),
    against=_witness,
    why="k = 1 + 1/η. Below it, a = b/η is a witness; at it, one square proves the claim.",
    nudge="Set the slider to η = ½, and move k until the picture stays above 0.",
)  # fmt: skip


def _step(answer: object) -> Fraction:
    """u as an exact number in [0, 1], else `InvalidInput`."""
    u = Fraction(number(answer)).limit_denominator(10**6)
    if not 0 <= u <= 1:
        raise InvalidInput(f"u = {u} lies outside [0, 1].")
    return u


def _kills(answer: object) -> bool:
    """Whether Ξ = u²/2 (for F(s) = s, C_⋆⋆ = 1) passes what the mutant 2/5 allows."""
    u = _step(answer)
    return u * u / 2 > Fraction(2, 5) * u * u


mutant = Exercise(
    asks="a step u in [0, 1], a number",
    solution=lambda: 1.0,
    accepts=_kills,
    slips=(
        Slip(
            lambda: 1e-9,
            "Answers are read to six decimals, so this is 0: give a larger one.",
            lambda u: _step(u) == 0 != number(u),
        ),
        Slip(lambda: 0.0, "Both sides are 0 there.", lambda u: _step(u) == 0),
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
