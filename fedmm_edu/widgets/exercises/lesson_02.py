"""Lesson 2: the longest step, which hypothesis fails, a surrogate of one's own, and a hidden sign."""

from __future__ import annotations

from functools import cache

import numpy as np
import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.quadratic import LeastSquares, Logistic, admissible_rho
from fedmm_edu.examples.quadratic.model import wrong_models as wrong_quadratics
from fedmm_edu.examples.toy.model import wrong_models as wrong_toys
from fedmm_edu.federation import Clients
from fedmm_edu.symbolic import Model, check_model, kernel
from fedmm_edu.widgets.answers import as_formula, spelling
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.judgements import all_proved, counterexample, draw_failure

_Z = np.array([[1.0, 1.0], [2.0, -1.0], [3.0, 1.0]])


def _rho() -> float:
    return admissible_rho(Logistic(), Clients.of([_Z]))


rho = Exercise(
    asks="the largest ρ that Example 1 allows for the logistic loss with x = (1, 2, 3), a number",
    solution=_rho,
    slips=(
        Slip(lambda: 1.0 / _rho(), "That is L, the Lipschitz constant of the gradient. The step is its inverse."),
        Slip(
            lambda: 2.0 * _rho(),
            "With 2/L gradient descent may still converge, but the surrogate does not lie above f: MM-1 needs ρ ≤ 1/L.",
        ),
        Slip(
            lambda: admissible_rho(LeastSquares(), Clients.of([_Z])),
            "That is the step of least squares. The logistic function bends less: its second derivative is ≤ 1/4.",
        ),
        Slip(
            lambda: _rho() / len(_Z),
            "You summed over the samples. f is their mean.",
        ),
    ),
    why="L = ¼ E[x²], and ρ = 1/L.",
    nudge="L is the largest second derivative of f(θ) = E[log(1 + exp(−yxθ))]; each sample adds at most x²/4.",
)

CASES = {
    "A": wrong_quadratics()["step too long"][1],
    "B": wrong_quadratics()["gradient ascent"][1],
    "C": wrong_toys()["T without the root"][1],
}
"""Three broken models: ρx² ≤ 2; S̄ = τ + ρ∇ℓ; T(s) = 1/s for 1/θ + sθ."""

HYPOTHESES = ("MM-1: tangent", "MM-1: majorizes", "MM-2: T minimizes")


@cache
def first_refuted(case: str) -> str:
    """The first of `HYPOTHESES` that `check_model` refutes."""
    found = check_model(CASES[case], rows=HYPOTHESES)
    return next(name for name in HYPOTHESES if found[name].status == "refuted")


which = Exercise(
    asks="three words in the order A, B, C, each 'tangent', 'majorizes' or 'minimizes', in one string with spaces",
    solution=lambda: " ".join(_failing()),
    accepts=lambda answer: _three(answer) == _failing(),
    among=("tangent", "majorizes", "minimizes"),
    slots=("A", "B", "C"),
    slips=(
        Slip(
            lambda: "tangent tangent minimizes",
            "A: a wrong ρ changes the curvature of the surrogate. Its value and its slope at τ stay those of f.",
            lambda answer: _three(answer)[0] != "majorizes",
        ),
        Slip(
            lambda: "majorizes majorizes minimizes",
            "B: with the sign of the gradient turned, the slopes at τ differ. What touches with another slope crosses.",
            lambda answer: _three(answer)[1] != "tangent",
        ),
        Slip(
            lambda: "majorizes tangent tangent",
            "C: S̄, φ and ψ are right, so the surrogate is right. Only the point T(s) was computed wrongly.",
            lambda answer: _three(answer)[2] != "minimizes",
        ),
    ),
    why="MM-1 is about the surrogate, MM-2 about its minimiser; tangent is what the slopes at τ decide.",
)


def _failing() -> list[str]:
    """The last word of what fails first, for A, B and C."""
    return [first_refuted(case).split()[-1] for case in CASES]


def _three(answer: object) -> list[str]:
    """The three words of an answer, with or without commas, else `InvalidInput`."""
    parts = answer.replace(",", " ").replace(";", " ").split() if isinstance(answer, str) else answer
    if not isinstance(parts, (list, tuple)) or not all(isinstance(part, str) for part in parts):
        raise InvalidInput(f"{answer!r} is not three of the words in one string.")
    found = [spelling(part) for part in parts]
    if len(found) != 3 or not set(found) <= {"tangent", "majorizes", "minimizes"}:
        raise InvalidInput(f"{answer!r} is not three of the words in one string.")
    return found


_theta, _z, _s1, _s2 = sp.symbols("theta z s1 s2", real=True)
_LOSS = sp.sqrt(1 + (_z - _theta) ** 2)


def own_model(weight: object) -> Model:
    """ℓ = √(1 + (z − θ)²) with φ = (−θ²/2, θ), S̄ = (w, wz) and the weight w in z and θ (which stands for τ)."""
    w = as_formula(weight, _z, _theta)
    return Model(
        theta=(_theta,), z=(_z,), s=(_s1, _s2), loss=_LOSS, phi=(-(_theta**2) / 2, _theta),
        S_bar=(w, w * _z), T=(_s2 / _s1,), S=(_s1 > 0,), name="own",
    )  # fmt: skip


_MM1 = ("MM-1: S_bar in S", "MM-1: tangent", "MM-1: majorizes")


_r = _z - _theta
_WEIGHT = 1 / sp.sqrt(1 + _r**2)


def _mm1_proved(weight: object) -> bool | None:
    """Whether MM-1 is proved for the weight as it is written, or in the simplest form of it; None where it is open."""
    if _equals(_WEIGHT)(weight):
        weight = _WEIGHT
    return all_proved(own_model(weight), _MM1)


def _equals(other: sp.Expr):
    """Whether a formula is `other` in another form: the same at some points, and then by SymPy's rules everywhere."""
    r = sp.Symbol("r", real=True)
    wanted = sp.sympify(other).subs(_z, _theta + r)

    def equal(weight: object) -> bool:
        given = as_formula(weight, _z, _theta).subs(_z, _theta + r).rewrite(sp.sqrt)
        points = ({_theta: sp.Rational(1, 3), r: at} for at in (sp.Rational(-7, 5), sp.Rational(1, 2), sp.Integer(3)))
        if any(abs(sp.N((given - wanted).xreplace(at))) > 1e-9 for at in points):
            return False
        return any(sp.simplify(way(given) - wanted) == 0 for way in (lambda w: w, sp.expand, sp.factor))

    return equal


own = Exercise(
    asks="w as a formula in z and theta such that MM-1 is proved",
    solution=lambda: _WEIGHT,
    accepts=_mm1_proved,
    against=lambda weight: counterexample(own_model(weight), _MM1),
    slips=(
        Slip(
            lambda: 1 / (1 + _r**2),
            "The slope of the surrogate at τ is −w(z − τ). You have the square of the weight that makes it the loss's.",
            _equals(1 / (1 + _r**2)),
        ),
        Slip(
            lambda: sp.Integer(1),
            "The weight 1 is that of least squares: at τ its slope −(z − τ) is steeper than that of this loss.",
            _equals(sp.Integer(1)),
        ),
        Slip(
            lambda: sp.sqrt(1 + _r**2),
            "Turned over: far samples must count less, not more.",
            _equals(sp.sqrt(1 + _r**2)),
        ),
    ),
    hints=(
        "Touching means: value and slope agree at θ = τ. The value is only a matter of a constant.",
        "At τ the loss has the slope −r/√(1 + r²) with r = z − τ; the surrogate has −w r.",
        "So w = 1/√(1 + r²): write it with sp.sqrt, z and theta.",
    ),
    drawn=lambda weight: draw_failure(own_model(weight), _MM1),
    why="The slope gives w = ℓ'(r)/r, r = z − θ; the parabola then lies above, as √(1 + u) is concave in u = r².",
    nudge="Two slopes at θ = τ must agree: that of the loss, and −w(z − τ) of the surrogate.",
)


SIGNS = Model(
    theta=(_theta,), z=(_z,), s=(sp.Symbol("s", real=True),), loss=_theta**2 / 2 - sp.log(sp.cosh(_z * _theta)),
    psi=_theta**2 / 2, phi=(_theta,), S_bar=(_z * sp.tanh(_z * _theta),), T=(sp.Symbol("s", real=True),), name="signs",
)  # fmt: skip
"""z is θ or −θ plus noise, its sign hidden: S̄(z, τ) = z μ(+ | z, τ) − z μ(− | z, τ), the odds being e^(2zτ)."""


def _signed(z: float, odds: float) -> float:
    """S̄(z, τ) at the τ where + is `odds` times as likely as −."""
    return float(kernel(SIGNS).S_bar(np.array([[z]]), np.array([np.log(odds) / (2 * z)]))[0, 0])


signed = Exercise(
    asks="S̄(3, τ) where the sign + has the weight ⅔, a number",
    solution=lambda: _signed(3.0, 2.0),
    slips=(
        Slip(lambda: 2.0, "The sign − counts, too: it would put the lowest point at −3, and weighs ⅓."),
        Slip(lambda: 3.0, "That is S(3, +), as if the sign were known. Weigh both signs."),
        Slip(lambda: _signed(3.0, 0.5), "The weights are exchanged: + is the likelier one here."),
    ),
    why="The mean of +3 and −3 with the weights ⅔ and ⅓. EM calls this its E-step.",
    nudge="S(3, +) = 3 weighs ⅔, S(3, −) = −3 weighs ⅓: take the mean.",
)
