"""The parts of the loop that relatives exchange, where no relative of the registry shows them alone."""

from dataclasses import replace

import numpy as np

from fedmm_edu.algorithms import (
    Differences,
    ErrorFeedback,
    FedMM,
    Fixed,
    LocalSteps,
    Nesterov,
    ParameterSpace,
    run,
)
from fedmm_edu.algorithms import fedmm as fedmm_module
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.examples.toy import Toy
from fedmm_edu.federation import Clients, FixedSize, Purpose, RandK, Stream, TopK, uniforms

D = 3
CLIENTS = Clients.of(list(np.random.default_rng(4).normal(size=(6, 5, D + 1))))
PROBLEM = Quadratic(D, 0.1)


def test_memories_survive_that_the_round_before_gives_up_its_own(monkeypatch):
    """`run` writes V_i and memories onto those of two rounds ago: bit for bit what single steps make."""
    monkeypatch.setattr(fedmm_module, "FEW", 0)  # not even a few are copied as a whole
    fed = FedMM(PROBLEM, CLIENTS, 0.5, participation=FixedSize(2), compressor=TopK(1), alpha=0.3, work=ErrorFeedback(),
                beyond_theorem=True)  # fmt: skip
    start = fed.init(np.ones(D))
    end, _ = run(fed, start, 15)
    state = start
    for _ in range(15):
        state = fed.step(state)
    for name, value in state.arrays().items():
        np.testing.assert_array_equal(end.arrays()[name], value, err_msg=name)
    assert np.count_nonzero(state.memory) > D


def test_each_local_step_draws_samples_of_its_own():
    """Three steps on one fresh sample each, whose draws are named by (seed, client, round, step)."""
    eta, seed = 0.1, 7
    fed = FedMM(
        PROBLEM, CLIENTS, 1.0, oracle=Stream(1), space=ParameterSpace(), work=LocalSteps(eta, Fixed(3)), seed=seed
    )
    state, theta, drawn = fed.init(np.ones(D)), np.ones(D), set()
    for t in range(1, 5):
        ends = []
        for i, z in enumerate(CLIENTS):
            y = theta
            for k in range(3):
                row = int(uniforms(seed, Purpose.ORACLE, [i], t, 1, k)[0, 0] * len(z))
                drawn.add((i, t, row))
                x, target = z[row, :D], z[row, D]
                y = y - eta * x * (x @ y - target)
            ends.append(y)
        theta, state = np.mean(ends, axis=0), fed.step(state)
        np.testing.assert_allclose(state.x, theta, rtol=1e-12, atol=1e-13)
    assert len(drawn) > 1.5 * 6 * 4  # not one sample thrice


def test_a_compressed_downlink_is_counted_for_all_and_ends_at_the_optimum():
    """Who is away hears the difference, too; its error vanishes with what there is to say."""
    fed = FedMM(PROBLEM, CLIENTS, 0.5, participation=FixedSize(2), alpha=1 / 3, downlink=Differences(TopK(1)))
    state = fed.step(fed.init(np.ones(D)))
    assert state.bits_down == len(CLIENTS) * TopK(1).bits(D)
    state, _ = run(fed, fed.init(np.ones(D)), 1500, columns={}, every=())
    assert np.abs(CLIENTS.mean_S_bar(PROBLEM, state.x) - state.x).max() < 1e-10
    held = FedMM(PROBLEM, CLIENTS, 0.5, downlink=Differences(RandK(1), 1 / 3))
    state, _ = run(held, held.init(np.ones(D)), 1500, columns={}, every=())
    assert np.abs(CLIENTS.mean_S_bar(PROBLEM, state.x) - state.x).max() < 1e-10


def test_a_query_point_outside_is_projected():
    """Extrapolation leaves 𝒮, where T has no value: clients are asked at the nearest point of 𝒮."""
    fed = FedMM(Toy(0.5, 2.0), Clients.of([[[0.6]], [[0.7]]]), 0.5, server=Nesterov(0.9))
    state = replace(fed.init([0.6]), moments=np.array([1.9, 5.0]))
    assert fed.sight(state).y.tolist() == [0.5]
    assert fed.step(state).x[0] >= 0.5


def test_momentum_pays():
    """On an ill-conditioned problem Nesterov's query point is nearer after 80 rounds than the plain step."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 4)) * np.array([1.0, 0.5, 0.2, 0.1])
    clients = Clients.of([np.hstack([x, x.sum(axis=1, keepdims=True)])])
    problem = Quadratic(4, 0.5)
    left = {}
    for name, server in (("plain", {}), ("ahead", {"server": Nesterov()})):
        fed = FedMM(problem, clients, 1.0, **server)
        state, _ = run(fed, fed.init(np.zeros(4)), 80, columns={}, every=())
        left[name] = clients.objective(problem, fed.theta(state))
    assert left["ahead"] < 0.5 * left["plain"]
