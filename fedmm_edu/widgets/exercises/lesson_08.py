"""Lesson 8: a constant by hand, the largest step, where the noise stays, which assumption fails, and what is left."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import sympy as sp

from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic, admissible_rho
from fedmm_edu.examples.quadratic import assumptions as quadratic
from fedmm_edu.examples.toy.model import models
from fedmm_edu.federation import Clients
from fedmm_edu.symbolic.constants.derive import constants
from fedmm_edu.theory import Constants, Monotone, bound, diana, largest_gamma, rounds_for
from fedmm_edu.theory.assumptions import QUANTITIES
from fedmm_edu.widgets.answers import Between, as_formula, holding, lacking
from fedmm_edu.widgets.exercise import Exercise, Slip
from fedmm_edu.widgets.written import written

GIVEN = Constants(v_min=1 / 16, v_max=1 / 2, C_star=3 / 8, C_star_star=1 / 2, sup_h=3 / 2, L=1, sigma=0.1, n=10)
"""The toy on 𝒮 = [1, 4] with ten clients, sup‖h‖ = 3/2 and a noise of σ = 1/10."""


@cache
def _toy(name: str, low: int, high: int) -> float:
    return float(sp.sympify(constants(models()["toy"], S=[(low, high)])[name].value))


v_min = Exercise(
    asks="v_min of the toy on 𝒮 = [1, 9], a number",
    solution=lambda: _toy("v_min", 1, 9),
    slips=(
        Slip(lambda: _toy("v_max", 1, 9), "That is v_max, at s = 1. B(s) falls in s: look at the other end."),
        Slip(lambda: _toy("v_min", 1, 4), "That belongs to [1, 4]."),
        Slip(lambda: 2 * _toy("v_min", 1, 9), "A factor ½ is missing: φ(T(s)) = −s^(−1/2) has the slope ½ s^(−3/2)."),
        Slip(lambda: -1 / 3, "That is φ(T(9)) itself. B is its derivative."),
    ),
    why="B(s) = ½ s^(−3/2) is smallest at s = 9.",
    nudge="B(s) is the derivative of φ(T(s)) = −1/√s. Where on [1, 9] is it smallest?",
)

largest = Exercise(
    asks="the supremum of the admissible γ with everyone and no compression, a number",
    solution=lambda: largest_gamma(GIVEN, 0.0),
    slips=(
        Slip(lambda: GIVEN.v_min / (2 * GIVEN.C_star_star), "C̄ = C_⋆⋆ + sup‖h‖ C_⋆ has a second part."),
        Slip(lambda: 2 * largest_gamma(GIVEN, 0.0), "A factor 2: the condition is 2C̄γ < v_min."),
        Slip(lambda: largest_gamma(GIVEN, 1.0), "That is for ω_p = 1, as with p = ½. Here ω_p = 0."),
    ),
    why="γ < v_min/(2C̄) with C̄ = C_⋆⋆ + sup‖h‖ C_⋆.",
    nudge="c = 1 − 2C̄γ/v_min must stay positive.",
)


def _after(rounds: int) -> float:
    return bound(GIVEN, gamma=0.01, rounds=rounds, initial_gap=1.0).total


stays = Exercise(
    asks="the limit of the bound for T → ∞ at γ = 1/100, a number",
    solution=lambda: bound(GIVEN, gamma=0.01, rounds=1, initial_gap=1.0).noise,
    slips=(
        Slip(lambda: 0.0, "Only the first term, Δ/T, has the factor 1/T: the other stays."),
        Slip(lambda: 4 * GIVEN.v_max * GIVEN.sigma**2 / GIVEN.n, "Divide by the slack c = 1 − 2C̄γ/v_min as well."),
        Slip(lambda: _after(1), "That is the bound after one round."),
    ),
    nudge="Let T grow in the bound at the top of the lesson: which terms have no 1/T?",
    why="4 v_max σ²/(n c). No γ makes it 0, as c ≤ 1: Theorem 1's noise stays. Beyond Theorem 1, it need not.",
)


def _rounds(gamma: float, *, sigma: float = GIVEN.sigma) -> float:
    """The least T with a bound of at most 1/20 and Δ = 1."""
    given = replace(GIVEN, sigma=sigma)
    return float(rounds_for(0.05, given, gamma=gamma, initial_gap=1.0) or 0)


rounds_needed = Exercise(
    asks="the least T with a bound of at most 1/20 at γ = 1/100, Δ = 1, a number",
    solution=lambda: _rounds(0.01),
    slips=(
        Slip(
            lambda: _rounds(0.01) - 0.5,
            "Nearly: T is a whole number of rounds, the first at which the bound is at most 1/20.",
            Between(lambda: _rounds(0.01) - 5.0, lambda: _rounds(0.01) + 5.0),
        ),
        Slip(lambda: 4 * 1.0 / (0.01 * 0.05), "You took c = 1 and no noise."),
        Slip(lambda: _rounds(0.01, sigma=0.0), "The noise, which no T removes, takes its part of 1/20 first."),
        Slip(lambda: _rounds(0.005), "That is for half the step."),
    ),
    tolerance=1e-9,
    why="`rounds_for` solves 4Δ/(γ c T) + noise ≤ 1/20 for T.",
    nudge="bound(exercises.GIVEN, gamma=0.01, rounds=T, initial_gap=1.0).total, or `rounds_for`.",
)


@cache
def _lasso_fails() -> frozenset[str]:
    rng = np.random.default_rng(0)
    clients = Clients.of([rng.normal(size=(6, 3)) for _ in range(3)])
    problem = Quadratic(2, admissible_rho(LeastSquares(), clients), penalty=L1(0.1))
    cells = quadratic.cells(problem, clients)
    return frozenset(QUANTITIES[name].assumption for name, cell in cells.items() if not cell.holds)


lasso = Exercise(
    asks="the assumptions among A1 to A8 that fail for least squares with an ℓ1 penalty on 𝒮 = ℝ^d, where each client "
    "sends S̄ of one sample drawn at random, a set of words",
    solution=_lasso_fails,
    among=tuple(f"A{k}" for k in range(1, 9)),
    slips=(
        Slip(lambda: {"A1", "A7"}, "A1 is about ψ − ⟨s, φ⟩, a paraboloid here.", holding("a1")),
        Slip(
            lambda: {"A4", "A7"},
            "A4 is about messages and A5 about clients: no loss can break them.",
            holding("a4", "a5"),
        ),
        Slip(
            lambda: {"A2", "A7"},
            "A2 asks for a smooth f, A8 for a closed convex 𝒮, and both hold.",
            holding("a2", "a8"),
        ),
        Slip(lambda: {"A6", "A7"}, "One more: one random sample has an S̄ whose variance grows with θ."),
        Slip(lambda: {"A3", "A7"}, "One more: h must be bounded on 𝒮, which goes to infinity.", lacking("a6")),
        Slip(lambda: {"A3", "A6"}, "One more: has T a kink?", lacking("a7")),
    ),
    nudge="Look at the line of the matrix above: A2 asks for a smooth f, A8 for a closed convex 𝒮, and both hold.",
    why="A3 and A6(ii) fail as ∇ℓ grows with θ; on a bounded set they hold. A7 fails on any set around the kink.",
)


_s = sp.Symbol("s", real=True)
_SLOPE = sp.diff(-1 / _s, _s)


def _is(other: sp.Expr):
    return lambda B: sp.simplify(as_formula(B, _s) - other) == 0


slope = Exercise(
    asks="B(s) as a formula in s",
    solution=lambda: _SLOPE,
    accepts=_is(_SLOPE),
    slips=(
        Slip(lambda: -1 / _s, "That is φ(T(s)) itself. B is its derivative.", _is(-1 / _s)),
        Slip(lambda: -1 / _s**2, "The sign: −1/s grows.", _is(-1 / _s**2)),
        Slip(
            lambda: _s**-1.5 / 2,
            "That is the toy of Remark 1, with T(s) = 1/√s. Here T(s) = 1/s.",
            _is(_s ** sp.Rational(-3, 2) / 2),
        ),
    ),
    hints=("B(s) is the derivative of s ↦ φ(T(s)).", "φ(T(s)) = −1/s.", "Its derivative is 1/s²."),
    why="B(s) = 1/s²: on [a, b] it lies between v_min = 1/b² and v_max = 1/a².",
    nudge="Insert T(s) = 1/s into φ(θ) = −θ, and take the derivative.",
)


def _largest(v_min: float, C_star: float, C_star_star: float, sup_h: float) -> float:
    given = replace(GIVEN, v_min=v_min, C_star=C_star, C_star_star=C_star_star, sup_h=sup_h, v_max=max(v_min, 1.0))
    return largest_gamma(given, 0.0)


step_size = written(
    "a function `largest(v_min, C_star, C_star_star, sup_h)` that gives the supremum of the admissible γ",
    right=_largest,
    inputs=lambda: [(1 / 16, 3 / 8, 1 / 2, 3 / 2), (1.0, 0.0, 1.0, 5.0), (0.25, 1.0, 1.0, 2.0), (0.5, 0.1, 0.7, 0.0)],
    slips=(
        (lambda v, C, CC, h: v / (2 * CC), "C̄ has a second part, C_⋆ sup‖h‖."),
        (lambda v, C, CC, h: v / (CC + h * C), "A factor 2: c = 1 − 2C̄γ/v_min."),
        (lambda v, C, CC, h: v / (2 * (CC + C)), "C_⋆ is multiplied by sup‖h‖: a larger 𝒮 means smaller steps."),
    ),
    hints=("c must stay positive.", "1 − 2C̄γ/v_min > 0 means γ < v_min/(2C̄).",
           "return v_min / (2 * (C_star_star + sup_h * C_star))"),
    why="The constants go in, the step comes out: from here on Theorem 1 is arithmetic.",
)  # fmt: skip

_H = (3.0, -1.0)


def _in_norm(B: tuple[tuple[float, float], tuple[float, float]]) -> float:
    """‖h‖²_B of exercise 8."""
    return float(np.array(_H) @ np.array(B) @ np.array(_H))


seminorm = Exercise(
    asks="‖h‖²_B for h = (3, −1), a number",
    solution=lambda: _in_norm(((1.0, 1.0), (1.0, 1.0))),
    slips=(
        Slip(lambda: _in_norm(((1.0, 0.0), (0.0, 1.0))), "That is the Euclidean ‖h‖²: put B between."),
        Slip(lambda: 0.0, "B is singular, but h is not in its kernel: that is spanned by (1, −1)."),
        Slip(lambda: 2.0, "That is its root, h_1 + h_2."),
        Slip(lambda: _in_norm(((1.0, -1.0), (-1.0, 1.0))), "The sign: φ∘T has the derivative 1 in every entry."),
    ),
    why="(h_1 + h_2)² = 4. Along (1, −1) nothing is seen, as T does not move there: row own-seminorm bounds this "
    "measure, where v_min = 0 leaves Theorem 1 nothing to say.",
    nudge="φ(T(s)) = (s_1 + s_2, s_1 + s_2), so all four entries of B are 1; then hᵀBh.",
    hints=(
        "B is the derivative of φ∘T: differentiate (s_1 + s_2, s_1 + s_2).",
        "hᵀBh = (h_1 + h_2)².",
        "3 − 1 = 2.",
    ),
)


def _linear(m: float) -> float:
    """The rounds to a thousandth of ‖Ŝ_0 − s_⋆‖² by own-diana-rate, with everyone and whole messages, at its best γ."""
    found = diana(Monotone(m, 1.0, 0.1, 0.0, 10, 1.0), 0.0).fastest(1e-3, initial_gap=1.0)
    return float("nan") if found is None else float(found[1])


linear = Exercise(
    asks="the least T with a certified ‖Ŝ_T − s_⋆‖² of at most a thousandth of the start, a number",
    solution=lambda: _linear(0.25),
    slips=(
        Slip(
            lambda: np.log(1e3) / -np.log(0.75), "T is a whole number of rounds.", Between(lambda: 24.0, lambda: 24.9)
        ),
        Slip(lambda: 28.0, "That is ln 1000/m, from (1 − m)^T ≤ e^(−mT): the factor itself gives a little less."),
        Slip(lambda: 34.0, "That is for γ = ½. The factor 1 − γm(2 − γℓ) is least at γ = 1/ℓ = 1."),
        Slip(lambda: 13.0, "For γ = 1 the factor is 1 − m(2 − ℓ) = 1 − m, not 1 − 2m or its square."),
    ),
    tolerance=1e-9,
    why="At γ = 1 the factor is 1 − m = ¾, and ¾^25 is the first power below 1/1000 (row own-diana-rate).",
    nudge="Find the γ ≤ 1 for which 1 − γm(2 − γℓ) is least, and then the power of that factor.",
    hints=(
        "With everyone and whole messages K = 0: the factor is 1 − γm(2 − γℓ).",
        "γ = 1/ℓ = 1 is best: the factor ¾.",
        "¾^24 = 0.00100…, a little above a thousandth.",
    ),
)
