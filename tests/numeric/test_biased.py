"""Biased compressors: their contraction, where it is attained, and who refuses them; parts that no theorem covers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.algorithms import Adam, AsSeen, AtTheta, Constant, FedMM, LocalSteps, ParameterSpace, Printed, Shorter
from fedmm_edu.errors import BeyondTheorem, InvalidInput
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import (
    Bernoulli,
    ByActiveWeight,
    Clients,
    Draws,
    Everyone,
    FixedSize,
    Identity,
    RandK,
    ScaledSign,
    Sometimes,
    TopK,
)
from fedmm_edu.theory import bound, covered

BIASED = [TopK(1), TopK(3), TopK(5), ScaledSign()]
WORST = {"TopK": np.array([1.0, -1.0, 1.0, 1.0, -1.0]), "ScaledSign": np.array([0.0, -3.0, 0.0, 0.0, 0.0])}
CLIENTS = Clients.of(list(np.random.default_rng(0).normal(size=(4, 6, 6))))
every_biased = pytest.mark.parametrize("compressor", BIASED, ids=repr)


def compressed(compressor, x):
    return compressor.compress(x[None], Draws(0, 1, np.arange(1)))[0]


@every_biased
@given(x=st.lists(st.floats(-1e3, 1e3), min_size=5, max_size=5))
def test_they_contract(compressor, x):
    """‖C(x) − x‖² ≤ (1 − a)‖x‖²."""
    x = np.array(x)
    error = float(np.sum((compressed(compressor, x) - x) ** 2))
    assert error <= (1.0 - compressor.contraction(5)) * float(x @ x) * (1.0 + 1e-12)


@every_biased
def test_the_contraction_is_the_largest(compressor):
    """At the vector that the docstring names the inequality is an equality."""
    x = WORST[type(compressor).__name__]
    error = float(np.sum((compressed(compressor, x) - x) ** 2))
    assert error == pytest.approx((1.0 - compressor.contraction(5)) * float(x @ x), rel=1e-14, abs=1e-14)


def test_an_unbiased_one_with_small_omega_contracts_too():
    assert RandK(4).contraction(5) == pytest.approx(0.75)
    assert RandK(1).contraction(5) < 0


@every_biased
def test_they_are_refused_by_name_where_a_theorem_is_asked(compressor):
    """No ω, a warning at the loop, and no bound."""
    with pytest.raises(InvalidInput, match=f"{type(compressor).__name__}.* is biased: A4 fails"):
        compressor.omega(5)
    with pytest.warns(BeyondTheorem, match=f"{type(compressor).__name__}.* is biased.*beyond_theorem=True"):
        fed = FedMM(Quadratic(5, 0.1), CLIENTS, 0.5, compressor=compressor)
    with pytest.raises(InvalidInput, match="Theorem 1 does not cover compressor"):
        covered(fed)


def test_what_theorem_1_covers_is_handed_on():
    from fedmm_edu.theory import Constants

    fed = FedMM(Quadratic(5, 0.1), CLIENTS, 0.01, participation=Bernoulli(0.5), compressor=RandK(4), alpha=0.3)
    constants = Constants(v_min=1, v_max=1, C_star=0, C_star_star=1, sup_h=np.inf, L=1, sigma=1, n=4)
    assert covered(fed) == {"omega_p": pytest.approx(1.5), "alpha": 0.3}
    assert bound(constants, gamma=0.01, rounds=10, initial_gap=1.0, **covered(fed)).total > 0
    assert covered(FedMM(Quadratic(5, 0.1), CLIENTS, 0.01, downlink=Shorter())) == {"omega_p": 0.0, "alpha": None}


@pytest.mark.parametrize(
    "parts",
    [
        {"work": LocalSteps(0.1)},
        {"reference": AtTheta()},
        {"reference": AsSeen()},
        {"server": Adam()},
        {"space": ParameterSpace()},
        {"participation": FixedSize(2)},
        {"participation": ByActiveWeight(Everyone())},
        {"gamma": lambda t: 1.0 / t},
    ],
    ids=lambda parts: next(iter(parts)),
)
def test_a_part_that_is_not_algorithm_2_is_named(parts):
    fed = FedMM(**{"problem": Quadratic(5, 0.1), "clients": CLIENTS, "gamma": Constant(0.5), **parts})
    with pytest.raises(InvalidInput, match=f"does not cover {next(iter(parts))} = "):
        covered(fed)


def test_the_shared_coin_is_one_for_all_clients():
    """`Sometimes` is the identity or the other operator, for a whole round; its ω is that of the mean."""
    channel = Sometimes(RandK(1), 0.3)
    kinds = [type(channel.of_round(Draws(5, t, np.arange(4)))) for t in range(1, 3001)]
    assert {Identity, RandK} == set(kinds)
    assert kinds.count(Identity) / len(kinds) == pytest.approx(0.3, abs=0.03)
    assert all(
        type(channel.of_round(Draws(5, t, np.arange(i, i + 1)))) is kinds[t - 1] for t in range(1, 50) for i in (0, 3)
    )
    assert channel.omega(5) == pytest.approx(0.7 * 4.0)
    with pytest.raises(InvalidInput, match="ask `of_round`"):
        channel.compress(np.ones((1, 5)), Draws(0, 1, np.arange(1)))


def test_what_goes_down_is_what_the_downlink_says():
    """q + d as printed; the shorter of s and θ where the reference lets clients do with θ."""
    q = 5
    for downlink, reference, numbers in ((Printed(), None, 2 * q), (Shorter(), None, q)):
        parts = {} if reference is None else {"reference": reference}
        fed = FedMM(Quadratic(q, 0.1), CLIENTS, 0.5, downlink=downlink, **parts)
        state = fed.step(fed.init(np.zeros(q)))
        assert state.bits_down == 4 * 64 * numbers


def test_clients_hear_theta_where_it_is_shorter_and_enough():
    from fedmm_edu.algorithms import Origin
    from fedmm_edu.examples.mixture import EXAMPLE

    case = EXAMPLE.cases["means, L = 3, p = 2"]
    rng = np.random.default_rng(0)
    clients = Clients.of([case.draw_z(rng, 9) for _ in range(4)])
    problem = case.problem(clients)
    assert problem.d < problem.q
    for reference, numbers in ((Origin(), problem.d), (None, problem.q)):
        parts = {} if reference is None else {"reference": reference}
        fed = FedMM(problem, clients, 0.5, downlink=Shorter(), **parts)
        state = fed.step(fed.init(fed.point(case.draw_theta(rng))))
        assert state.bits_down == 4 * 64 * numbers


def test_averages_by_the_active_weight():
    """Σ_A μ_i M_i/Σ_A μ_j, and V = Σ μ_i V_i all the same."""
    clients = Clients.of([np.array(z) for z in CLIENTS], np.array([0.1, 0.2, 0.3, 0.4]))
    law = ByActiveWeight(FixedSize(2))
    fed = FedMM(Quadratic(5, 0.1), clients, 1.0, participation=law, alpha=0.1, beyond_theorem=True)
    state = fed.init(np.ones(5))
    for _ in range(6):
        before, state = state, fed.step(state)
        who = np.flatnonzero(state.active)
        aims = np.stack([fed.problem.mean_S_bar(clients[i], before.x) for i in who])
        w = clients.mu[who] / clients.mu[who].sum()
        moved = before.V_server + w @ (aims - before.x - before.V_clients[who])
        np.testing.assert_allclose(state.x, before.x + moved, rtol=0, atol=1e-13)
        np.testing.assert_allclose(state.V_server, clients.mu @ state.V_clients, rtol=0, atol=1e-14)
