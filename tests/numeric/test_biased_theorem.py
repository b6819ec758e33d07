"""EF21-MM in the calculator: the formulas of its rows, and runs whose measured error its bounds must not pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction as F
from typing import NamedTuple

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.examples.toy import Toy
from fedmm_edu.federation import Clients
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.theory import (
    Constants,
    Contraction,
    biased,
    biased_linear,
    own_bound,
    per_client,
)
from proofs_checks.appendix_d_theorem.theorem import C, V, g, v
from proofs_checks.beyond_messages.rates import BEND, LEVEL, WEIGHT, Lam, condition, parse, q, r

CONSTANTS = Constants(0.5, 2.0, 0.25, 1.0, 4.0, 0.5, 0.0, 4)  # C̄ = 1/2 + 4/4 = 3/2
POINT = {v: F(1, 2), V: F(2), C: F(3, 2), Lam: F(1, 4)}


def at(text: str | sp.Expr, **values: float) -> float:
    """A formula of a row at the constants above."""
    symbols = {"q": q, "r": r, "gamma": g}
    known = {x: sp.Rational(y.numerator, y.denominator) for x, y in POINT.items()}
    formula = parse(text) if isinstance(text, str) else text
    return float(formula.subs(known | {symbols[name]: value for name, value in values.items()}))


@given(a=st.floats(0.05, 0.95), p=st.floats(0.1, 1.0), m=st.floats(0.01, 0.5))
@settings(max_examples=40, deadline=None)
def test_the_terms_are_those_of_the_rows(a, p, m):
    """Initial term and condition at r = 1, and with PL at r = √(1 − γm), where the longest step meets the condition."""
    channel = Contraction(a, p)
    root, terms = math.sqrt(1 - p * a), biased(CONSTANTS, channel)
    assert terms.initial == pytest.approx(at(WEIGHT, q=root, r=1.0), rel=1e-9)
    assert at(condition(BEND), q=root, r=1.0, gamma=terms.most) == pytest.approx(0.0, abs=1e-6)
    rate = biased_linear(CONSTANTS, channel, m)
    gamma = rate.most
    left = math.sqrt(1 - gamma * m)
    assert left > root
    assert at(condition(BEND), q=root, r=left, gamma=gamma) == pytest.approx(0.0, abs=1e-5)
    found = rate.bound(gamma=gamma, rounds=3, initial_gap=1.0, initial_variates=2.0)
    hand = left**6 * (1.0 + at(WEIGHT, q=root, r=left) * gamma * 2.0)
    assert found.total == pytest.approx(hand, rel=1e-6)


@given(a=st.floats(0.05, 0.95), p=st.floats(0.1, 1.0), sigma=st.floats(0.01, 2.0))
@settings(max_examples=40, deadline=None)
def test_the_noise_is_that_of_its_row_for_one_eta(a, p, sigma):
    """q² = (1+η)(1−pa) and ν = p((1+η)(1−a)+1+1/η)σ̃² for one η; its floor is not above that of other η."""
    channel = Contraction(a, p)
    root, level = channel.of_noise(sigma)
    eta = root**2 / (1 - p * a) - 1
    assert level == pytest.approx(p * ((1 + eta) * (1 - a) + 1 + 1 / eta), rel=1e-6)
    noisy = Constants(0.5, 2.0, 0.25, 1.0, 4.0, 0.5, sigma, 4)
    found = own_bound(biased(noisy, channel), noisy, gamma=1e-6, rounds=1, initial_gap=0.0)
    assert found.noise == pytest.approx(2 * at(LEVEL, q=root, r=1.0) * level * sigma**2, rel=1e-9)
    for other in (eta / 2, eta * 1.3):
        rate = math.sqrt((1 + other) * (1 - p * a))
        if rate < 1:
            assert level / (1 - root) <= 1.01 * p * ((1 + other) * (1 - a) + 1 + 1 / other) / (1 - rate)


def test_nothing_lost_is_mm():
    """a = p = 1: the initial variates do not matter, the noise counts once, and the linear rate is that of MM."""
    noisy = Constants(0.5, 2.0, 0.0, 1.0, math.inf, 0.5, 0.5, 4)
    terms = biased(noisy, Contraction(1.0))
    assert (terms.initial, terms.level, terms.most) == (0.0, 4 * 2.0 / 2, 0.5)
    exact = Constants(1.0, 1.0, 0.0, 1.0, math.inf, 1.0, 0.0, 4)
    assert biased_linear(exact, Contraction(1.0), 0.25).bound(gamma=1.0, rounds=2, initial_gap=1.0).total == 0.75**2


def test_unequal_weights_are_on_the_safe_side():
    c = Constants(0.5, 2.0, 0.25, 1.0, 4.0, 0.5, 0.1, 2)
    assert per_client(c, 0.5) == c
    sizes, mu = np.array([0.3, 0.9]), np.array([0.8, 0.2])
    L = math.sqrt(2 * float(mu**2 @ sizes**2))
    held = per_client(Constants(0.5, 2.0, 0.25, 1.0, 4.0, L, 0.0, 2), 0.2)
    assert math.sqrt(float(mu @ sizes**2)) <= held.L


def test_what_is_refused():
    with pytest.raises(InvalidInput, match="a = 0"):
        Contraction(0.0)
    with pytest.raises(InvalidInput, match="mu_min"):
        per_client(CONSTANTS, 0.9)
    with pytest.raises(InvalidInput, match="gamma"):
        biased_linear(CONSTANTS, Contraction(0.5), 0.1).bound(gamma=0.9, rounds=1, initial_gap=1.0)
    noisy = Constants(0.5, 2.0, 0.25, 1.0, 4.0, 0.5, 5.0, 4)
    assert biased_linear(noisy, Contraction(0.5), 0.1).fastest(1e-9, initial_gap=1.0) is None


# ------------------------------------------------------------------------------------------------------ measured runs


class Case(NamedTuple):
    """A problem with its constants by hand, m of PL, the least value, and a message of contraction a."""

    problem: Surrogate
    clients: Clients
    constants: Constants
    m: float
    least: float
    start: np.ndarray
    a: float
    C: Callable[[np.ndarray], np.ndarray]


def top_1(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) == np.abs(x).max(axis=1, keepdims=True), x, 0.0)


def toy() -> Case:
    """The README's toy on [1, 4] with messages that are halved: h_i = z̄_i − s, W(T(s)) = z̄/√s + √s."""
    clients = Clients.of([[[1.0], [2.0]], [[3.0], [4.0]], [[1.5], [1.5]]])
    z = float(clients.mu @ [1.5, 3.5, 1.5])
    c = Constants(1 / 16, 1 / 2, 3 / 8, 1 / 2, max(z - 1, 4 - z), 1.0, 0.0, 3)
    s = np.linspace(1.0, 4.0, 4001)
    gap = z / np.sqrt(s) + np.sqrt(s) - 2 * math.sqrt(z)
    ratio = ((z - s) ** 2 * 0.5 * s**-1.5)[gap > 1e-9] / (2 * gap[gap > 1e-9])
    m = 0.999 * float(ratio.min())
    return Case(Toy(1.0, 4.0), clients, c, m, 2 * math.sqrt(z), np.array([4.0]), 0.75, lambda x: x / 2)


def least_squares() -> Case:
    """Least squares in ℝ⁴ with Top-1: h_i = −ρ∇f_i, B = I/ρ, C̄ = 1/(2ρ), PL with m = ρλ_min."""
    rng = np.random.default_rng(3)
    data = [np.hstack([rng.normal(size=(12, 4)) * (1 + k), rng.normal(size=(12, 1)) + k]) for k in range(3)]
    H = [z[:, :4].T @ z[:, :4] / 12 for z in data]
    rho = 1 / max(np.linalg.norm(A, 2) for A in H)
    clients, problem = Clients.of(data), Quadratic(4, rho)
    pooled = np.mean(H, axis=0)
    best = np.linalg.solve(pooled, np.mean([z[:, :4].T @ z[:, 4] / 12 for z in data], axis=0))
    L = math.sqrt(float(np.mean([np.linalg.norm(rho * A, 2) ** 2 for A in H])))
    c = Constants(1 / rho, 1 / rho, 0.0, 1 / rho, math.inf, L, 0.0, 3)
    m = rho * float(np.linalg.eigvalsh(pooled)[0])
    return Case(problem, clients, c, m, clients.objective(problem, best), np.full(4, 3.0), 0.25, top_1)


def run(case: Case, gamma: float, p: float, rounds: int, seed: int) -> tuple[list[float], list[float], float]:
    """‖h(Ŝ_t)‖²_B for t < T, W_t − min W for t ≤ T, and G̃_0 with V_0 = 0; nothing of the project's own loop."""
    problem, (_, clients, *_), rng = case.problem, case, np.random.default_rng(seed)
    s, held, errors, values, start = case.start, np.zeros((len(clients), problem.q)), [], [], math.nan
    for t in range(rounds + 1):
        theta = problem.T(s)
        fields = np.stack([problem.mean_S_bar(z, theta) for z in clients]) - s
        values.append(clients.objective(problem, theta) - case.least)
        if t == 0:
            start = float(clients.mu @ (fields**2).sum(axis=1))
        h = clients.mu @ fields
        errors.append(float(h @ problem.B(s) @ h))
        active = rng.random(len(clients)) < p
        held = held + active[:, None] * case.C(fields - held)
        s = problem.project(s + gamma * clients.mu @ held)
    return errors[:-1], values, start


@pytest.mark.parametrize("make", [toy, least_squares])
@pytest.mark.parametrize("p", [1.0, 0.5])
@pytest.mark.parametrize("share", [1.0, 0.2])
def test_no_run_passes_its_bound(make, p, share):
    """The mean of ‖h‖²_B, and W_T − min W under PL: one run where nothing is random, else the mean over 40."""
    case = make()
    channel, T, seeds = Contraction(case.a, p), 60, range(1 if p == 1.0 else 40)
    terms, c = biased(case.constants, channel), case.constants
    gamma = share * terms.most
    found = [run(case, gamma, p, T, seed) for seed in seeds]
    errors, values, start = (np.mean([entry[k] for entry in found], axis=0) for k in range(3))
    at_start = {"initial_gap": float(values[0]), "initial_variates": float(start)}
    assert 0 < errors.mean() <= own_bound(terms, c, gamma=gamma, rounds=T, **at_start).total
    rate = biased_linear(c, channel, case.m)
    gamma = share * rate.most
    found = [run(case, gamma, p, T, seed) for seed in seeds]
    values = np.mean([entry[1] for entry in found], axis=0)
    for t in range(T + 1):
        limit = rate.bound(gamma=gamma, rounds=t, **at_start).total if t else math.inf
        assert -1e-9 <= values[t] <= limit + 1e-12
    assert values[-1] < values[0]
