"""The calculator of Theorem 1 against the printed formula and against runs."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.quadratic import LeastSquares, Quadratic, admissible_rho
from fedmm_edu.federation import Bernoulli, Clients, MiniBatch, UniformQuantization, omega_p
from fedmm_edu.surrogate import mean_field
from fedmm_edu.theory import (
    Constants,
    best_gamma,
    bound,
    factors,
    fastest_gamma,
    full_price,
    largest_alpha,
    largest_gamma,
    price,
    rounds_for,
)

positive = st.floats(0.1, 10.0)
CONSTANTS = st.builds(
    lambda v, r, c, d, h, L, s, n: Constants(v, v * (1 + r), c, d, h, L, s, n),
    positive, st.floats(0, 3), positive, positive, positive, positive, positive, st.integers(1, 50),
)  # fmt: skip


@given(constants=CONSTANTS, omega=st.floats(0.01, 5.0), share=st.floats(0.01, 0.99), T=st.integers(1, 10**6))
def test_part_B_is_the_printed_inequality(constants, omega, share, T):
    alpha = largest_alpha(omega)
    gamma = share * largest_gamma(constants, omega, version="printed")
    c = constants
    slack = 1 - 2 * (c.C_star_star + c.sup_h * c.C_star) / c.v_min * gamma
    slack -= 64 * omega / alpha**2 * c.v_max / c.v_min * c.L**2 / c.n * gamma**2
    assert slack > 0
    right = 3.0 + 4 * omega * c.v_max / alpha * gamma * 0.7
    right += 2 * c.v_max * (1 + 5 * omega) * c.sigma**2 / c.n * gamma * T
    found = bound(c, gamma=gamma, rounds=T, initial_gap=3.0, omega_p=omega, initial_variates=0.7, version="printed")
    assert T * gamma / 4 * slack * found.total == pytest.approx(right, rel=1e-9)
    # the condition that the paper prints on γ_1 is implied
    assert gamma <= alpha / (4 * math.sqrt(omega)) * math.sqrt(c.v_min / c.v_max) * math.sqrt(c.n) / c.L


@given(constants=CONSTANTS, omega=st.floats(0.0, 5.0))
def test_the_largest_step_is_where_the_bound_stops(constants, omega):
    most = largest_gamma(constants, omega)
    bound(constants, gamma=0.999 * most, rounds=10, initial_gap=1.0, omega_p=omega)
    if most < 1:
        with pytest.raises(InvalidInput, match="Theorem 1 admits step sizes below"):
            bound(constants, gamma=min(1.0, 1.001 * most), rounds=10, initial_gap=1.0, omega_p=omega)
    half = largest_gamma(constants, omega, slack=0.5)
    assert bound(constants, gamma=0.999 * half, rounds=10, initial_gap=1.0, omega_p=omega).slack >= 0.5


@given(constants=CONSTANTS, omega=st.floats(0.0, 5.0), target=st.floats(1e-3, 1e3))
def test_rounds_for_is_the_least_number(constants, omega, target):
    gamma = 0.5 * largest_gamma(constants, omega)
    T = rounds_for(target, constants, gamma=gamma, initial_gap=2.0, omega_p=omega)
    at = {"gamma": gamma, "initial_gap": 2.0, "omega_p": omega}
    if T is None:
        assert bound(constants, rounds=10**12, **at).noise >= target
    else:
        assert bound(constants, rounds=T, **at).total <= target * (1 + 1e-9)
        assert T == 1 or bound(constants, rounds=T - 1, **at).total > target * (1 - 1e-9)


def test_a_run_stays_below_the_bound():
    """Least squares, g = 0: B = I/ρ, C_⋆ = 0, C_⋆⋆ = 1/ρ, and h_i(s) = −ρ∇f_i(s) is 1-Lipschitz as ρ ≤ 1/L_i."""
    rng = np.random.default_rng(0)
    n, d, N, b, p = 8, 3, 40, 10, 0.5
    clients = Clients.of([rng.normal(loc=i / 4, size=(N, d + 1)) for i in range(n)])
    rho = admissible_rho(LeastSquares(), clients)
    problem, quant = Quadratic(d, rho), UniformQuantization(8)
    z, weights = clients.pooled()
    start = np.full(d, 2.0)
    omega = omega_p(quant.omega(d), p)
    # S̄ = s − ρ x(xᵀs − y): on ‖s‖ ≤ R its variance is at most ρ²E‖x(xᵀs − y)‖² ≤ 2ρ²E[‖x‖²(‖x‖²R² + y²)], over b.
    R = 7.0
    squares = [(np.sum(z_i[:, :d] ** 2, axis=1), z_i[:, d] ** 2) for z_i in clients.data]
    sigma = math.sqrt(max(2 * rho**2 * np.mean(x2 * (x2 * R**2 + y2)) / b for x2, y2 in squares))
    constants = Constants(1 / rho, 1 / rho, 0.0, 1 / rho, math.inf, 1.0, sigma, n)
    gamma = 0.5 * largest_gamma(constants, omega)
    least = np.linalg.lstsq(z[:, :d], z[:, d], rcond=None)[0]
    gap = clients.objective(problem, start) - clients.objective(problem, least)
    T, measured = 200, []
    for seed in range(5):
        fed = FedMM(
            problem, clients, Constant(gamma), MiniBatch(b), Bernoulli(p), quant, largest_alpha(omega), seed=seed
        )
        state = fed.init(start, "mean_field")
        for _ in range(T):
            h = mean_field(problem, z, state.x, weights)
            measured.append(h @ h / rho)
            state = fed.step(state)
            assert np.linalg.norm(state.x) <= R
    right = bound(constants, gamma=gamma, rounds=T, initial_gap=gap, omega_p=omega).total
    assert 0 < np.mean(measured) <= right


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"v_min": 0.0}, "v_min = 0.0"),
        ({"v_min": 3.0}, "v_min = 3.0"),
        ({"sup_h": math.inf}, "A6"),
        ({"L": math.inf}, "L = inf"),
        ({"n": 0}, "n = 0"),
    ],
)
def test_constants_that_the_theorem_does_not_allow(change, says):
    good = {"v_min": 1.0, "v_max": 2.0, "C_star": 1.0, "C_star_star": 1.0, "sup_h": 1.0, "L": 1.0, "sigma": 1.0, "n": 2}
    with pytest.raises(InvalidInput, match=says):
        Constants(**{**good, **change})
    with pytest.raises(InvalidInput, match=r"alpha = 0\.9"):
        largest_gamma(Constants(**good), 1.0, 0.9)


def test_the_sharper_terms_by_hand():
    """ω_p = 3, α = 15/64 (so √(1 − α) = 7/8), every term in fractions."""
    constants = Constants(0.5, 2.0, 0.25, 1.0, 4.0, 0.5, 0.25, 4)
    alpha, gamma, T, w = F(15, 64), F(1, 1024), 50, 3
    root, ratio, L2n, noise = F(7, 8), F(4), F(1, 16), F(1, 64)
    slack = 1 - 2 * (1 + 4 * F(1, 4)) / F(1, 2) * gamma - 10 * (1 + root) ** 2 * w / alpha**2 * ratio * L2n * gamma**2
    initial = 4 / (gamma * slack) * F(3) / T
    variates = 4 / slack * F(5, 4) * (1 + root) * w * 2 / alpha * F(7) / T
    level = 4 / slack * F(15, 8) * (1 + 2 * w) * 2 * noise
    found = bound(constants, gamma=float(gamma), rounds=T, initial_gap=3.0, omega_p=3.0, alpha=float(alpha),
                  initial_variates=7.0)  # fmt: skip
    hand = [float(v) for v in (initial, variates, level, slack)]
    assert [found.initial, found.control_variates, found.noise, found.slack] == pytest.approx(hand, rel=1e-13)


@given(constants=CONSTANTS, omega=st.floats(0.0, 5.0), share=st.floats(0.01, 0.99), T=st.integers(1, 10**6))
def test_sharper_is_never_more_than_printed(constants, omega, share, T):
    """In each term, and in the range of γ; in part (A) the two are equal."""
    alpha = 0.7 * largest_alpha(omega)
    gamma = share * largest_gamma(constants, omega, alpha, version="printed")
    assert gamma < largest_gamma(constants, omega, alpha)
    at = {"gamma": gamma, "rounds": T, "initial_gap": 1.0, "omega_p": omega, "alpha": alpha, "initial_variates": 2.0}
    printed, sharper = bound(constants, version="printed", **at), bound(constants, **at)
    for name in ("initial", "control_variates", "noise", "total"):
        assert getattr(sharper, name) <= getattr(printed, name)
    if omega == 0.0:
        assert sharper == printed
    else:
        assert all(a < b for a, b in zip(factors(omega, alpha), factors(omega, alpha, "printed"), strict=True))


@given(constants=CONSTANTS, omega=st.floats(0.1, 5.0), more=st.floats(1.01, 3.0), T=st.integers(1, 10**5))
def test_the_bound_is_monotone(constants, omega, more, T):
    """It falls with T and α, and grows with ω_p, Δ and G₀."""
    alpha = largest_alpha(more * omega) / more
    base = {"gamma": 0.5 * largest_gamma(constants, more * omega, alpha), "rounds": T, "initial_gap": 1.0,
            "omega_p": omega, "alpha": alpha, "initial_variates": 1.0}  # fmt: skip
    here = bound(constants, **base).total
    assert bound(constants, **{**base, "rounds": 2 * T}).total <= here
    assert bound(constants, **{**base, "alpha": alpha * more}).total <= here
    for name in ("omega_p", "initial_gap", "initial_variates"):
        assert bound(constants, **{**base, name: more * base[name]}).total >= here


@given(constants=CONSTANTS, omega=st.floats(0.0, 3.0), T=st.integers(1, 10**5), share=st.floats(0.001, 0.999))
def test_no_step_size_beats_the_recommended_one(constants, omega, T, share):
    at = {"rounds": T, "initial_gap": 1.0, "omega_p": omega}
    best, other = best_gamma(constants, **at), share * largest_gamma(constants, omega)
    least = bound(constants, gamma=best, **at).total
    assert least <= bound(constants, gamma=other, **at).total * (1 + 1e-9)
    target = 2 * least
    fastest = fastest_gamma(target, constants, initial_gap=1.0, omega_p=omega)
    assert fastest is not None
    rounds = rounds_for(target, constants, gamma=fastest, initial_gap=1.0, omega_p=omega)
    assert rounds is not None
    slower = rounds_for(target, constants, gamma=other, initial_gap=1.0, omega_p=omega)
    assert slower is None or rounds <= slower * (1 + 1e-9) + 1


@given(constants=CONSTANTS, omega=st.floats(0.0, 3.0), p=st.floats(0.1, 1.0))
def test_compression_never_saves_rounds(constants, omega, p):
    at = {"initial_gap": 1.0}
    target = 3 * bound(constants, gamma=0.3 * largest_gamma(constants, 40.0), rounds=10, omega_p=40.0, **at).total
    ours = price(target, constants, omega=omega, p=p, bits_per_message=10.0, **at)
    none = full_price(target, constants, q=2, **at)
    assert ours.rounds is not None
    assert none.rounds is not None
    assert ours.rounds >= none.rounds * (1 - 1e-6)
    assert ours.bits == pytest.approx(ours.rounds * constants.n * p * 10.0)
    assert none.bits == none.rounds * constants.n * 128
