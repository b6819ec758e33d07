"""Dictionary learning, Sections 4 and 6 of the ledger: witnesses re-checked by hand."""

from __future__ import annotations

import math
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from proofs_checks.s2_3_dictionary import claims as s2_3_dictionary
from proofs_checks.s4_related import claims as s4_related
from proofs_checks.s6_experiments import claims as s6_experiments
from proofs_checks.s6_experiments.sentences_told import code, fedmm_H, objective
from proofs_checks.shared.traces import inner, letter, square, trace

MODULES = (s2_3_dictionary, s4_related, s6_experiments)
CLAIMS = {claim.id: claim for module in MODULES for claim in module.CLAIMS}


# ------------------------------------------------------------------------------------------------- traces of words


entries = st.integers(-5, 5)


@given(st.lists(entries, min_size=12, max_size=12))
def test_equal_words_are_equal_traces(numbers):
    """What the algebra identifies (rotations, transposes) is equal in numbers, for a 2 × 3 and a 3 × 2 matrix."""
    A, B = sp.Matrix(2, 3, numbers[:6]), sp.Matrix(3, 2, numbers[6:])
    a, b = letter("A"), letter("B")
    for f, g in ((lambda x, y: x @ y, lambda x, y: y @ x), (lambda x, y: x @ y, lambda x, y: y.T @ x.T)):
        assert trace(f(a, b)) == trace(g(a, b))
        assert trace(f(A, B)) == trace(g(A, B))


def test_different_words_stay_different():
    a, b = letter("A"), letter("B")
    assert trace(a @ b) != trace(a @ b.T)
    assert trace(a @ a @ b @ b) != trace(a @ b @ a @ b)
    assert sp.expand(square(a - b) - square(a) + 2 * inner(a, b) - square(b)) == 0


# ------------------------------------------------------------------- witnesses and amended statements, by other means


def test_the_printed_model_minimises_another_function():
    """p = K = 1, s = (1, 1), η = 1/5: the surrogate of (28) at the two minimisers."""
    value = lambda theta: theta**2 / 2 - theta + F(1, 5) * theta**2  # noqa: E731
    assert value(F(5, 7)) < value(F(5, 6))
    assert all(value(F(5, 7)) <= value(F(k, 70)) for k in range(140))


def test_two_equal_atoms_have_many_codes():
    value = lambda a, b: (2 - a - b) ** 2 + abs(a) + abs(b)  # noqa: E731
    least = value(F(3, 2), F(0))
    assert least == value(F(0), F(3, 2)) == value(F(1, 2), F(1))
    assert all(value(F(i, 8), F(j, 8)) >= least for i, j in product(range(-8, 24), repeat=2))


def test_the_kink_of_the_lasso_is_seen_by_a_solver():
    """ℓ(θ(t)) by brute force over codes on both sides of t = 0: the one-sided slopes are −2 and 2."""
    grid = np.linspace(0, 4, 2001)
    a, b = np.meshgrid(grid, grid)
    loss = lambda t: ((2 - (1 + t) / 2 * a - (1 - t) / 2 * b) ** 2 + a + b).min()  # noqa: E731
    assert (loss(0.01) - loss(0)) / 0.01 == pytest.approx(-2, abs=0.1)
    assert (loss(-0.01) - loss(0)) / -0.01 == pytest.approx(2, abs=0.1)


def test_a_singular_first_block_has_no_minimiser_without_a_ridge():
    J = lambda theta: 0 * theta**2 - 2 * theta  # noqa: E731
    assert J(F(1000)) < J(F(10)) < J(F(1))


def test_the_first_dictionary_forgets_the_start_only_with_a_first_step_of_one():
    x, start = F(8), F(1, 2)
    h = (start * x - 1) / start**2
    assert x / h == F(2, 3)
    assert (start + x * h) / (1 + h**2) == F(193, 290)


def test_clients_with_the_same_data_have_different_control_variates():
    """10 of 20, twice the same: the second direction misses h by α times the first field, as by hand."""
    s, alpha, n = (F(0), F(0)), F(1, 100), 20
    V = [(F(0), F(0))] * n
    field = (F(3), F(-2))
    assert fedmm_H([field] * n, s, V, range(10), alpha) == field
    again = fedmm_H([field] * n, s, V, range(10), alpha)
    others = fedmm_H(
        [field] * n, s, [(F(0), F(0))] * 10 + [(alpha * 2 * x, F(0)) for x in (F(3),)] * 10, range(10), alpha
    )
    assert again == tuple(x - alpha * x for x in field)
    assert others[0] == field[0] + alpha * field[0]


@given(st.integers(-40, 40), st.integers(-20, 20))
def test_the_exact_code_minimises_on_a_grid(z, theta):
    z, theta = F(z, 10), F(theta, 10)
    value = lambda h: (z - theta * h) ** 2 / 2 + F(1, 10) * abs(h)  # noqa: E731
    best = value(code(z, theta))
    assert all(best <= value(F(k, 4)) for k in range(-60, 61))
    assert objective([z], theta) == best + F(1, 5) * theta**2


def test_the_metric_contains_the_noise():
    H = (F(-1), F(3))
    mean = sum(H) / 2
    assert sum(x * x for x in H) / 2 == mean**2 + sum((x - mean) ** 2 for x in H) / 2 == 5


def test_the_open_ball_has_no_minimiser_in_fractions():
    """odl-set: J(θ) = θ² − 4θ decreases on (−1, 1) and is least at its end 1, which the open ball leaves out."""
    J = lambda x: x * x - 4 * x  # noqa: E731
    values = [J(1 - F(1, n)) for n in range(1, 60)]
    assert values == sorted(values, reverse=True)
    assert values[-1] > J(F(1)) == -3


def test_the_scale_of_lambda_by_both_codes():
    """odl-lambda: (2 − h)² + h is least at 3/2, ½(2 − h)² + h at 1; half of λ repairs it."""
    whole, half = (lambda h: (2 - h) ** 2 + h), (lambda h: (2 - h) ** 2 / 2 + h)
    grid = [F(k, 8) for k in range(33)]
    assert min(grid, key=whole) == F(3, 2)
    assert min(grid, key=half) == 1
    assert min(grid, key=lambda h: (2 - h) ** 2 / 2 + h / 2) == F(3, 2)


def test_no_single_rho_starts_stochastic_mm():
    """mairal2013: θ_1 from ρ/2·(θ − 2)² with γ = 1/2 equals T(Ŝ_1) at ρ = 1 for Z_1 = 0 and ρ = 9/5 for Z_1 = −6."""

    def soft(x: F, t: F) -> F:
        return x - t if x > t else x + t if x < -t else F(0)

    def theirs(rho: F, z: F) -> F:
        weight = rho / 2 + F(1, 2)
        return soft((rho / 2 * 2 + z / 2) / weight, F(1, 2) / weight)

    ours = {z: soft((F(3) + z) / 2, F(1)) for z in (F(0), F(-6))}
    assert theirs(F(1), F(0)) == ours[F(0)]
    assert theirs(F(9, 5), F(-6)) == ours[F(-6)]
    assert theirs(F(1), F(-6)) != ours[F(-6)]
    assert theirs(F(9, 5), F(0)) != ours[F(0)]


def test_codes_are_not_values():
    """fmf-problem: p = K = N = 1, χ = h², Z = 2: the code 2θ/(θ²+1) grows on [0, 1], the value 4/(θ²+1) falls."""
    points = [F(k, 10) for k in range(11)]
    code = [2 * x / (x * x + 1) for x in points]
    value = [(2 - x * h) ** 2 + h * h for x, h in zip(points, code, strict=True)]
    assert value == [4 / (x * x + 1) for x in points]
    assert code == sorted(code)
    assert value == sorted(value, reverse=True)


def test_lloyds_step_is_T_of_the_averaged_mirrors():
    """fmf-kmeans in the plane, three samples on two clients: nearest centre, s1 and s2 averaged, T = s2 s1^{-1}."""
    clients = (((F(0), F(0)),), ((F(2), F(0)), (F(9), F(1))))
    centres = ((F(1), F(1)), (F(8), F(0)))
    far = lambda z, c: (z[0] - c[0]) ** 2 + (z[1] - c[1]) ** 2  # noqa: E731
    mu = [F(len(own), 3) for own in clients]
    s1, s2 = [F(0), F(0)], [[F(0), F(0)], [F(0), F(0)]]
    for weight, own in zip(mu, clients, strict=True):
        for z in own:
            k = min((0, 1), key=lambda j: far(z, centres[j]))
            s1[k] += weight / len(own)
            s2[k] = [a + weight / len(own) * b for a, b in zip(s2[k], z, strict=True)]
    assert [[x / s1[k] for x in s2[k]] for k in (0, 1)] == [[1, 0], [9, 1]]


@pytest.mark.parametrize("tau", [-1.0, 0.0, 2.5])
def test_mm_is_mirror_descent_for_the_identity_and_not_for_exp(tau):
    """mm-mirror-descent, with f = e^θ/2: ψ = e^θ and φ = θ (ψ − f is convex, S̄ = e^τ/2, T = log), and then
    ψ = −θ, φ = e^θ for f = e^θ − θ (S̄ = −1, T(s) = −log(−s))."""
    after = math.log(math.exp(tau) / 2)
    assert math.exp(after) == pytest.approx(math.exp(tau) - math.exp(tau) / 2)
    slope = math.exp(tau) - 1
    assert (pytest.approx(-1 - slope) == -1) == (slope == 0)


def test_one_round_of_mini_batches_can_raise_the_objective():
    """dl-monotone: λ = 1/10, η = 1/5, p = K = 1; 200 times 1 and 50 times 2, only 1 drawn, γ = 101/2550."""
    lam, eta, gamma = F(1, 10), F(1, 5), F(101, 2550)
    best = lambda z, t: (t * z - lam) / t**2  # noqa: E731  # θz > λ here

    def value(t: F) -> F:
        cost = lambda z: (z - t * best(z, t)) ** 2 / 2 + lam * best(z, t)  # noqa: E731
        return (200 * cost(F(1)) + 50 * cost(F(2))) / 250 + eta * t * t

    s = (F(8, 5), F(6, 5))
    before = s[1] / (s[0] + 2 * eta)
    h = best(F(1), before)
    after_s = (s[0] + gamma * (h * h - s[0]), s[1] + gamma * (h - s[1]))
    assert value(after_s[1] / (after_s[0] + 2 * eta)) > value(before)
