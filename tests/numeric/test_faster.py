"""Local steps and restarts in the calculator: exact random rounds, runs that must not pass them, what is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.examples.quadratic import LeastSquares, Quadratic, admissible_rho
from fedmm_edu.federation import Clients
from fedmm_edu.relatives import Tuning, relatives
from fedmm_edu.theory import LocalRounds, fastest_restarts, restarted, scaffold
from proofs_checks.beyond_messages.accelerated import Block
from proofs_checks.beyond_messages.scaffold import KEEP, LEVEL, RATE, SCAFFOLD, Local, parse
from tests.numeric.instances import refusals

numbers = st.fractions(min_value=F(-3), max_value=F(3), max_denominator=9)
slopes = st.fractions(min_value=F(1, 9), max_value=F(1), max_denominator=9)


@given(
    x=numbers, z=st.tuples(numbers, numbers), k=st.tuples(slopes, slopes), K=st.integers(1, 3),
    noise=st.sampled_from([0, 1]),
    active=st.sampled_from([1, 2]), server=st.sampled_from([F(1, 2), F(1)]),
    share=st.fractions(F(1, 9), F(1), max_denominator=9),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_no_random_round_passes_the_rate_of_scaffold(x, z, k, K, noise, active, server, share):
    """Every choice of clients and every coin, with the calculator's factor, weight and noise at an admitted step."""
    mu = sum(k) / 2
    rate = scaffold(LocalRounds(float(1 / mu), K, active, 2, float(noise)), float(server))
    eta = (share * F(rate.most)).limit_denominator(10**4)
    gamma = float(eta)
    if gamma > rate.most:
        return
    speed = server * eta * K
    one = Local(x, z, k, K, active, eta, server, mu, F(rate.weight(gamma)) / speed, noise=F(noise), sigma2=F(noise))
    assert set(SCAFFOLD) - {"step"} <= one.facts()
    held = one.b * speed * sum(w * w for w in z) / 2
    assert float(one.after()) <= (rate.factor(gamma) * float(x * x + held) + rate.noise(gamma)) * (1 + 1e-9)


@pytest.mark.parametrize("condition", [1, 10**6])
@pytest.mark.parametrize(("K", "active", "eta"), [(1, 1, F(1, 8)), (3, 1, F(1, 20)), (2, 2, F(1, 5))])
def test_the_rate_of_scaffold_is_that_of_its_row(K, active, eta, condition):
    """Factor, weight and noise for the least b with which the c_i are no slower, or the largest; η_g = 3/4, σ = 1/2."""
    server, sigma, mu = F(3, 4), 0.5, F(1, condition)
    rate = scaffold(LocalRounds(float(condition), K, active, 2, sigma), float(server))
    one = Local(F(1), (F(0), F(0)), (F(1), F(1)), K, active, eta, server, mu, F(1))
    speed = server * eta * K
    cost = one.at(parse("drift + nu*v"))
    most, slack = (1 - cost - speed) / one.p, one.p - speed * mu
    one = replace(one, b=min(most, cost / slack) if slack > 0 else most)
    assert "step" in one.facts()
    slow, kept, level = (float(one.at(parse(text))) for text in (RATE, KEEP, LEVEL))
    assert rate.factor(float(eta)) == pytest.approx(max(slow, kept), rel=1e-12)
    assert rate.weight(float(eta)) == pytest.approx(float(one.b * speed), rel=1e-12)
    assert rate.noise(float(eta)) == pytest.approx(level * sigma**2, rel=1e-12)


def test_no_run_of_scaffold_passes_its_bound():
    """Five local steps of two of four clients that differ, c_i = 0 at the start; the mean over 20 seeds of runs."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 20, 2))
    y = np.einsum("nij,nj->ni", x, rng.normal(size=(4, 2)) * 2)
    clients = Clients.of(list(np.concatenate([x, y[..., None]], axis=2)))
    rho = admissible_rho(LeastSquares(), clients)
    hessians = [a.T @ a / 20 for a in x]
    best = np.linalg.solve(
        np.mean(hessians, axis=0), np.mean([a.T @ b / 20 for a, b in zip(x, y, strict=True)], axis=0)
    )
    ends = [H @ best - a.T @ b / 20 for H, a, b in zip(hessians, x, y, strict=True)]
    c = LocalRounds(1.0 / (rho * float(np.linalg.eigvalsh(np.mean(hessians, axis=0))[0])), 5, 2, 4)
    rate = scaffold(c)
    gamma, T, far = 0.8 * rate.most, 40, np.zeros(41)
    for seed in range(20):
        fed = relatives()["scaffold"].on(
            Quadratic(2, rho), clients, Tuning(eta=gamma * rho, steps=5, active=2, seed=seed)
        )
        state = fed.init(fed.point(np.zeros(2)), "zero")
        for t in range(T + 1):
            far[t] += float(np.sum((fed.theta(state) - best) ** 2)) / 20
            state = fed.step(state)
    G = rho**2 * float(np.mean([g @ g for g in ends]))
    at = {"initial_gap": far[0], "initial_variates": G}
    limits = [rate.bound(gamma=gamma, rounds=t, **at).total for t in range(1, T + 1)]
    assert (far[1:] <= limits).all()
    assert far[-1] < far[0] / 2


@pytest.mark.parametrize("condition", [4, 100, 2500])
def test_no_block_of_acceleration_passes_its_bound(condition):
    """The worst of parabolas between μ and L, exact, in as many blocks as the calculator asks for."""
    found = fastest_restarts(1e-2, float(condition), initial_gap=1.0)
    assert found.bound <= 1e-2
    assert restarted(float(condition), rounds=found.rounds, initial_gap=1.0).bound <= 1e-2
    for slope in (F(1, condition), F(2, condition), F(1, 2), F(1)):
        left = Block(F(1), F(1), found.block, slope, F(1, condition)).after() / (slope / 2)
        assert float(left) ** found.blocks <= 1e-2
    shorter = found.rounds - 1
    assert restarted(float(condition), rounds=shorter, initial_gap=1.0).bound > 1e-2


def test_few_rounds_promise_nothing_and_a_goal_that_is_met_takes_none():
    assert restarted(100.0, rounds=19, initial_gap=3.0).bound == 3.0
    assert fastest_restarts(3.0, 100.0, initial_gap=3.0).rounds == 0


test_what_is_refused = refusals(
    (lambda: LocalRounds(0.5, 1, 1, 1), "condition"),
    (lambda: LocalRounds(2.0, 0, 1, 1), "K = 0"),
    (lambda: LocalRounds(2.0, 1, 3, 2), "active = 3"),
    (lambda: scaffold(LocalRounds(2.0, 1, 1, 1), 0.0), "server_step"),
    (lambda: restarted(2.0, rounds=0, initial_gap=1.0), "rounds"),
    (lambda: fastest_restarts(0.0, 2.0, initial_gap=1.0), "target"),
)
