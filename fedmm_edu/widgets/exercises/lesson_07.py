"""Lesson 7: derive a T, find a witness by hand, the least curvature, and which row a slip breaks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.symbolic import Model, check_model, gap
from fedmm_edu.symbolic.hypotheses.check import NOT_OF_MM, ROWS
from fedmm_edu.widgets.answers import Between, as_formula, as_fraction
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.judgements import all_proved, counterexample, draw_failure, judged

__all__ = ["models"]

theta, z, s = sp.symbols("theta z s", real=True)

WAITING = Model(
    theta=[theta], z=[z], s=[s], loss=z * theta - sp.log(theta), psi=-sp.log(theta), phi=[-theta], S_bar=[z],
    Theta=[theta > 0], S=[s > 0], Z=[z > 0], name="waiting times",
)  # fmt: skip
"""Waiting times z of exponential law with the rate θ: minus the log-likelihood."""


def soft_step(curvature: Any = "1/4", *, speed: int = 1, weight: Any = None) -> Model:
    """ℓ = log(1 + e^{k(θ−z)}) under the parabola of the given curvature c: ψ = cθ²/2, φ = cθ, S̄ = θ − ℓ'/c, T(s) = s.

    `speed` is k, `weight` the factor in φ, for slips (default: c).
    """
    c, e = sp.Rational(curvature), sp.exp(speed * (theta - z))
    slope = speed * e / (1 + e)
    return Model(
        theta=[theta], z=[z], s=[s], loss=sp.log(1 + e), psi=c * theta**2 / 2,
        phi=[theta * (c if weight is None else weight)], S_bar=[theta - slope / c], name="soft step",
    )  # fmt: skip


def models() -> dict[str, Model]:
    """The soft step and the waiting times, right and with the slips that the lesson explores."""
    return {
        "waiting times": WAITING,
        "waiting times, T is the mean": replace(WAITING, T=(s,)),
        "waiting times, ψ forgotten": replace(WAITING, psi=sp.S.Zero),
        "soft step": soft_step(),
        "soft step, half the curvature": soft_step("1/8"),
        "soft step, φ without the curvature": soft_step(weight=1),
    }


_MM2 = ("MM-2: T in Theta", "MM-2: T minimizes")


def _with(T: object) -> Model:
    """The waiting times with a T of the reader's."""
    found = as_formula(T, s)
    if found.is_nonpositive:
        raise InvalidInput(f"T = {found} is not in Θ: a rate is positive.")
    return replace(WAITING, T=(found,))


def _is(other: sp.Expr):
    return lambda T: sp.simplify(as_formula(T, s) - other) == 0


minimiser = Exercise(
    asks="T(s) as a SymPy expression in s",
    solution=lambda: 1 / s,
    accepts=lambda T: all_proved(_with(T), _MM2),
    against=lambda T: counterexample(_with(T), _MM2),
    slips=(
        Slip(lambda: s, "That is the mean waiting time. θ is the rate.", _is(s)),
        Slip(lambda: 1 / sp.sqrt(s), "That belongs to 1/θ + sθ. Here ψ is −log θ, whose slope is −1/θ.",
             _is(1 / sp.sqrt(s))),
        Slip(lambda: -1 / s, "Not in Θ: a rate is positive. Check the sign of φ.",
             _is(-1 / s)),
    ),
    hints=("Write J_s(θ) = ψ(θ) − s φ(θ).", "It is −log θ + sθ: where is its slope 0?", "−1/θ + s = 0, so θ = 1/s."),
    drawn=lambda T: draw_failure(_with(T), _MM2),
    why="J_s(θ) = −log θ + sθ has the slope −1/θ + s. The checker proved it for every s > 0.",
    nudge="Write J_s(θ) = ψ − s φ, take the derivative in θ, and solve for θ.",
)  # fmt: skip


def _point(answer: object) -> tuple[Fraction, Fraction, Fraction]:
    """(z, τ, θ) as exact positive numbers."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        raise InvalidInput(f"{answer!r} is no triple: write (z, tau, theta).")
    found = tuple(as_fraction(x) for x in answer)
    if min(found) <= 0:
        raise InvalidInput("z, τ and θ are positive here.")
    return found  # type: ignore[return-value]


def _gap(answer: object) -> sp.Expr:
    model = replace(WAITING, psi=sp.S.Zero)
    at = dict(zip((*model.z, *model.tau, *model.theta), _point(answer), strict=True))
    return gap(model).xreplace({x: sp.Rational(v.numerator, v.denominator) for x, v in at.items()})


witness = Exercise(
    asks="(z, tau, theta) at which the surrogate without ψ lies below the loss",
    solution=lambda: (1, 2, 1),
    accepts=lambda point: bool(_gap(point) < 0),
    slips=(
        Slip(lambda: (1, 2, 2), "θ = τ: there every surrogate touches.", lambda p: _point(p)[1] == _point(p)[2]),
        Slip(lambda: (1, 1, 2), "The gap is positive: the surrogate is above the loss. Look on the other side of τ.",
             lambda p: bool(_gap(p) > 0)),
    ),
    why="Without ψ the gap is log θ − log τ: negative for every θ < τ, whatever z is.",
    nudge="gap(model) is the formula: which θ make it negative?",
)  # fmt: skip


_MAJORIZES = "MM-1: majorizes"


@cache
def least_curvature() -> float:
    """The second derivative of the loss at θ = z: no touching parabola that bends less lies above near τ = z.

    That it is enough is what the checker proves: MM-1 holds with it, for all z, τ and θ.
    """
    loss = soft_step(speed=2).loss
    least = sp.simplify(sp.diff(loss, theta, 2).subs(theta, z))
    if check_model(soft_step(least, speed=2), rows=(_MAJORIZES,))[_MAJORIZES].status != "proved":
        raise FedMMError(f"MM-1 is not proved with the curvature {least}.")
    return float(least)


def _parabola(answer: object) -> Model:
    return soft_step(sp.Rational(as_fraction(answer)), speed=2)


def _against(answer: object) -> str:
    """A point where the parabola lies below the loss, where it is too flat."""
    too_flat = 0 < as_fraction(answer) < least_curvature()
    return counterexample(_parabola(answer), (_MAJORIZES,)) if too_flat else ""


curvature = Exercise(
    asks="the least curvature c with which MM-1 holds, a number",
    solution=least_curvature,
    tolerance=1e-6,
    accepts=Between(lambda: least_curvature() - 1e-6, lambda: least_curvature() + 1e-6),
    against=_against,
    drawn=lambda c: draw_failure(_parabola(c), (_MAJORIZES,)) if _against(c) else None,
    slips=(
        Slip(lambda: 2.0, "That majorises, but it is not the least: the slope of the loss grows more slowly.",
             Between(least_curvature, lambda: 1e12)),
        Slip(lambda: -1.0, "A curvature is positive here.", Between(lambda: -1e12, lambda: 1e-12)),
        Slip(lambda: 0.25, "That is for the soft step of the lesson. This one rises faster, and to twice the slope."),
        Slip(lambda: 0.5, "The chain rule brings the factor 2 once for each derivative, and there are two."),
    ),
    why="The second derivative is 4p(1 − p) with p = e^{2(θ−z)}/(1 + e^{2(θ−z)}): at most 1, at θ = z.",
    nudge="MM-1 fails here: at θ = z the loss bends more than that.",
)  # fmt: skip


@cache
def _broken() -> frozenset[str]:
    rows = check_model(replace(WAITING, Z=(z >= 0,)))
    return frozenset(row for row, verdict in rows.items() if verdict.status == "refuted")


zero_wait = Exercise(
    asks="the rows that are refuted, a set of names from the first column of the table",
    among=ROWS,
    solution=_broken,
    slips=(
        Slip(lambda: {"MM-2: T minimizes"}, "T is asked about points of 𝒮 only, and 𝒮 has not changed."),
        Slip(lambda: {"defined"}, "The loss zθ − log θ is defined at z = 0: it is θ that must be positive."),
        Slip(lambda: {"MM-1: majorizes"}, "The surrogate is the loss itself here: equality, for every z."),
    ),
    why="S̄ = z = 0 lies outside 𝒮 = (0, ∞). The mean of many waiting times is positive, but MM-1 asks it of S̄ itself.",
    nudge="Which object of the model has the sample in it, and where must it lie?",
)


def counting(lines: object) -> Model:
    """Counts z > 0 with ℓ = e^θ − zθ, and the surrogate (φ, ψ, S̄, T) that a reader writes."""
    if not isinstance(lines, (tuple, list)) or len(lines) != 4:
        raise InvalidInput(f"{lines!r} is not four formulas: write (phi, psi, S_bar, T).")
    phi, psi = (as_formula(each, theta) for each in lines[:2])
    return Model(
        theta=[theta], z=[z], s=[s], loss=sp.exp(theta) - z * theta, phi=[phi], psi=psi,
        S_bar=[as_formula(lines[2], z, theta)], T=[as_formula(lines[3], s)], S=[s > 0], Z=[z > 0], name="counts",
    )  # fmt: skip


_ALL = tuple(row for row in ROWS if row not in NOT_OF_MM)


def _failing(row: str):
    """Whether this is the first row of MM-1 and MM-2 that is refuted."""

    def first(lines: object) -> bool:
        found = judged(counting(lines), _ALL)
        return next((name for name in _ALL if name in found and found[name].status == "refuted"), "") == row

    return first


four_lines = Exercise(
    asks="(phi, psi, S_bar, T), four formulas: phi and psi in theta, S_bar in z and theta, T in s",
    solution=lambda: ("theta", "exp(theta)", "z", "log(s)"),
    accepts=lambda lines: all_proved(counting(lines), _ALL),
    against=lambda lines: counterexample(counting(lines), _ALL),
    drawn=lambda lines: draw_failure(counting(lines), _ALL),
    slips=(
        Slip(lambda: ("-theta", "exp(theta)", "z", "log(s)"), "Touching fails: the sign of φ belongs to ψ − s φ.",
             _failing("MM-1: tangent")),
        Slip(lambda: ("theta", "exp(theta)", "z", "exp(s)"), "The surrogate is right; T(s) is not its lowest point.",
             _failing("MM-2: T minimizes")),
    ),
    hints=(
        "The loss is already linear in something that depends on z alone.",
        "e^θ − zθ = ψ(θ) − s φ(θ) with s = z. What are ψ and φ?",
        'phi = "theta", psi = "exp(theta)", S_bar = "z"; and e^θ = s at the lowest point.',
    ),
    why="Every row of MM-1 and MM-2 is proved for your four lines: they would run in a federation.",
    nudge="Which row of the table is refuted?",
)  # fmt: skip
