"""Appendix E and our own rows on A7, re-checked by hand or in floating point."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import pairwise, product

import numpy as np
import pytest
import sympy as sp

from proofs_checks.appendix_e_constants import claims as appendix_e_constants
from proofs_checks.beyond_constants import claims as beyond_constants
from proofs_checks.beyond_constants.gradient import gradient
from proofs_checks.beyond_constants.mixture import mixture_rank
from proofs_checks.beyond_constants.prox import PENALTIES, quadratic_constants
from proofs_checks.beyond_constants.scalar import CASES, bound

CLAIMS = [*appendix_e_constants.CLAIMS, *beyond_constants.CLAIMS]


# ------------------------------------------------------------------------------------- once more, without these checks


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda p: p.name)
@pytest.mark.parametrize("s", [F(-2), F(-1, 2), F(0), F(3, 4), F(3)])
def test_the_proximal_maps_of_the_instances_minimise(penalty, s):
    """prox(s) beats every other point of a grid around it, for ρ = 1."""
    g = {
        "0": lambda x: F(0), "theta": lambda x: x, "theta**2/2": lambda x: x * x / 2, "|theta|": abs,
        "indicator of {0}": lambda x: F(0) if x == 0 else F(10**6), "-theta**2/3 (not convex)": lambda x: -x * x / 3,
    }[penalty.name]  # fmt: skip
    best = F(str(penalty.prox(sp.Rational(s.numerator, s.denominator), sp.S.One)))
    value = lambda x: g(x) + (x - s) ** 2 / 2  # noqa: E731
    assert all(value(best) < value(best + d) for d in map(F, ("-3", "-1/100", "1/100", "3")))


def test_the_printed_quadratic_constants_fail_by_hand():
    """g = θ²/2, ρ = 1: φ∘T = s/2, so the remainder of B = 1 is |s' − s|/2, and C_⋆ = 1 fails below 1/2."""
    for move in (F(1, 10), F(1, 1000), F(1, 10**9)):
        assert abs(move / 2 - move) > move**2
    verdict = quadratic_constants("convex", "1/rho", "1/rho", "1/rho", "1/rho**2", "1/rho")
    assert len([step for step in verdict.evidence if "second method" in step.claim]) == 1


def test_the_printed_poisson_bounds_fail_by_hand():
    """λ = M = 1: B runs from E[Z]/4 to E[Z]; the printed 1/4 and 1 fail for E[Z] = 1/2 and E[Z] = 2."""
    assert F(1, 2) / (1 + 1) ** 2 < F(1, 4)
    assert F(2) / 1**2 > F(1)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["C_star", "C_starstar"])
def test_sampled_pairs_never_exceed_the_best_constants_and_come_close(case, name):
    """In floating point from the formulas of φ∘T, on 𝒮 = [1/2, 3] and [−2, 0]."""
    rng = np.random.default_rng(0)
    mean, weight = 1.7, 0.6
    F_of, B_of, low, high, best = {
        "toy": (lambda s: -1 / np.sqrt(s), lambda s: s**-1.5 / 2, 0.5, 3.0,
                {"C_star": 3 / 8 * 0.5**-2.5, "C_starstar": 0.5**-1.5 / 2}),
        "poisson": (lambda s: mean / (weight - s), lambda s: mean / (weight - s) ** 2, -2.0, 0.0,
                    {"C_star": mean / weight**3, "C_starstar": mean / weight**2}),
    }[case]  # fmt: skip
    s, t = rng.uniform(low, high, (2, 2000))
    end = low if case == "toy" else high
    s, t = np.append(s, end), np.append(t, end + (0.01 if case == "toy" else -0.01))
    change = F_of(t) - F_of(s)
    quotient = {
        "C_star": np.abs(change - B_of(s) * (t - s)) / (t - s) ** 2,
        "C_starstar": np.abs(change * (t - s)) / (t - s) ** 2,
    }[name]  # fmt: skip
    assert quotient.max() <= best[name]
    assert quotient.max() > 0.95 * best[name]


def test_the_mean_of_the_counts_cannot_be_dropped_from_any_poisson_constant():
    for name, value in (
        ("v_min", "1/(lam+M)**2"),
        ("v_max", "1/lam**2"),
        ("C_star", "1/lam**3"),
        ("C_starstar", "1/lam**2"),
    ):
        assert bound("poisson", name, value).status == "refuted"


def test_the_dictionary_derivative_by_finite_differences():
    """p = K = 1 at s = (1.3, −0.7): the amended matrix, not the printed one."""
    s, h = np.array([1.3, -0.7]), 1e-6
    F_of = lambda s: np.array([-((s[1] / s[0]) ** 2), 2 * s[1] / s[0]])  # noqa: E731
    numeric = np.column_stack([(F_of(s + h * e) - F_of(s - h * e)) / (2 * h) for e in np.eye(2)])
    v = np.array([-s[1] / s[0], 1.0])
    assert np.allclose(numeric, 2 / s[0] * np.outer(v, v), atol=1e-8)
    assert not np.allclose(numeric, np.outer([1, v[0]], [1, v[0]]) / s[0], atol=0.1)


def test_a_scaled_dictionary_statistic_changes_nothing():
    rng = np.random.default_rng(1)
    for p, K in product((1, 3), (1, 2)):
        root = rng.normal(size=(K, K))
        first, second = root @ root.T + np.eye(K), rng.normal(size=(p, K))
        assert np.allclose(second @ np.linalg.inv(first), (3 * second) @ np.linalg.inv(3 * first))


def test_mixture_eigenvalues_vanish_exactly_for_dependent_means():
    """B by finite differences of φ∘T, L = 3 and p = 2, Γ = I, λ = 1, from the minimiser of Appendix C.2."""

    mean = np.array([0.3, -0.2])

    def phi_T(s):
        first, weights = s[:4].reshape(2, 2), s[4:]
        m = [first[k] / (weights[k] + 1) for k in range(2)] + [(mean - first.sum(0)) / (2 - weights.sum())]
        return np.concatenate([m[0] - m[2], m[1] - m[2], [-(m[k] @ m[k] - m[2] @ m[2]) / 2 for k in range(2)]])

    def least(s, h=1e-5):
        B = np.column_stack([(phi_T(s + h * e) - phi_T(s - h * e)) / (2 * h) for e in np.eye(6)])
        assert np.allclose(B, B.T, atol=1e-8)
        return np.linalg.eigvalsh((B + B.T) / 2)[0]

    independent = np.array([1.0, 0.0, 0.0, 1.0, 0.3, 0.4])
    equal = np.array([0.0, 0.0, 0.0, 0.0, 0.3, 0.4])
    assert least(independent) > 1e-3
    assert abs(least(equal)) < 1e-8
    assert mixture_rank("affinely independent").status == "proved"


def test_the_bounds_for_every_dictionary_are_never_exceeded():
    """own-A7-dl-upper and own-A7-dl-B in floating point: p = 3, K = 2, random pairs, norms of the paper's product."""
    rng = np.random.default_rng(3)

    def draw():
        root = rng.normal(size=(2, 2))
        return root @ root.T + 0.5 * np.eye(2), rng.normal(size=(3, 2))

    def F_of(first, second):
        T = second @ np.linalg.inv(first)
        return -T.T @ T, 2 * T

    for _ in range(200):
        (a, b), (c, d) = draw(), draw()
        T, size = b @ np.linalg.inv(a), np.sum((c - a) ** 2) + np.sum((d - b) ** 2)
        z = (d - b - T @ (c - a)) @ np.linalg.inv(a)
        slope = (-(T.T @ z + z.T @ T), 2 * z)
        change = [y - x for x, y in zip(F_of(a, b), F_of(c, d), strict=True)]
        pairing = np.sum(change[0] * (c - a)) + np.sum(change[1] * (d - b))
        rest = sum(np.sum((x - y) ** 2) for x, y in zip(change, slope, strict=True)) ** 0.5
        most = max(np.linalg.norm(T, 2), np.linalg.norm(d @ np.linalg.inv(c), 2))
        delta = min(np.linalg.eigvalsh(a)[0], np.linalg.eigvalsh(c)[0])
        assert rest <= 3 * (1 + most**2) / delta**2 * size
        assert -1e-9 <= pairing <= 2 * (1 + most**2) / delta * size


def test_the_bounds_for_every_mixture_are_never_exceeded():
    """own-A7-mixture-upper in floating point: L = 3, p = 2, full covariances, λ = 0.3."""
    rng = np.random.default_rng(4)
    lam, L, p, mean = 0.3, 3, 2, np.array([0.4, -1.0])
    roots = rng.normal(size=(L, p, p))
    inverses = np.linalg.inv(roots @ np.swapaxes(roots, 1, 2) + 0.3 * np.eye(p))
    g = max(np.linalg.eigvalsh(G)[-1] for G in inverses)

    def F_of(first, shares):
        u = np.vstack([first, mean - first.sum(0)])
        w = np.append(shares, 1 - shares.sum())
        m = np.array([np.linalg.solve(lam * np.eye(p) + w[k] * inverses[k], inverses[k] @ u[k]) for k in range(L)])
        c = np.array([np.append(inverses[k] @ m[k], -m[k] @ inverses[k] @ m[k] / 2) for k in range(L)])
        return (c[:-1] - c[-1]).ravel(), np.linalg.norm(m, axis=1).max()

    def point(x):
        blocks = x.reshape(L - 1, p + 1)
        return F_of(blocks[:, :p], blocks[:, p])

    def draw():
        shares = rng.dirichlet(np.ones(L))[:-1]
        return np.column_stack([rng.normal(size=(L - 1, p)), shares]).ravel()

    for _ in range(60):
        a, b = draw(), draw()
        b = a + rng.choice([1.0, 0.1, 0.01]) * (b - a)
        (Fa, Ra), (Fb, Rb) = point(a), point(b)
        slope = np.column_stack([(point(a + e)[0] - point(a - e)[0]) / 2e-6 for e in 1e-6 * np.eye(len(a))])
        size, R = (b - a) @ (b - a), max(Ra, Rb)
        C_star = 1.5 * (1 + R**2) * (1 + (L - 1) ** 1.5) * g**3 / lam**2
        assert np.linalg.norm(Fb - Fa - slope @ (b - a)) <= C_star * size + 1e-7
        assert -1e-9 <= (b - a) @ (Fb - Fa) <= L * (1 + R**2) * g**2 / lam * size


@pytest.mark.parametrize("kind", ["symmetric", "psd"])
def test_the_certificates_about_B_hold_for_matrices(kind):
    """own-A7-symmetric: along the parallelogram a rotation gains on every round, and a gradient does not."""
    turn, even = np.array([[0.0, -1.0], [1.0, 0.0]]), np.array([[2.0, 1.0], [1.0, 1.0]])
    u, v, N = np.array([1.0, 0.0]), np.array([0.0, 1.0]), 200
    corners = [np.zeros(2), u, u + v, v, np.zeros(2)]
    path = [x + k / N * (y - x) for x, y in pairwise(corners) for k in range(N)] + [corners[-1]]
    gain = lambda B: sum((B @ x) @ (y - x) for x, y in pairwise(path))  # noqa: E731
    assert abs(gain(turn)) > 1.9
    assert max(gain(turn), gain(turn.T)) > 0 >= gain(even)
    assert gradient(kind).status == "proved"
