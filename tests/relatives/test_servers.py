"""Server steps against Flower's strategies, which others maintain."""

import warnings

import numpy as np
import pytest

from fedmm_edu.algorithms import Adagrad, Adam, HeavyBall, Yogi

with warnings.catch_warnings():  # two packages under Flower deprecate each other
    warnings.simplefilter("ignore", DeprecationWarning)
    from flwr.common import Code, FitRes, Status, ndarrays_to_parameters, parameters_to_ndarrays
    from flwr.server.strategy import FedAdagrad, FedAdam, FedAvgM, FedYogi

START = np.array([0.3, -1.0, 2.0])
RATE = 0.1
CHANGES = np.random.default_rng(0).normal(size=(9, 3)) * np.array([1.0, 0.1, 3.0])


def theirs(strategy, start: np.ndarray) -> list[np.ndarray]:
    """Where the strategy goes if the clients' mean is always x + CHANGES[t]."""
    x, out = start, []
    for t, change in enumerate(CHANGES, start=1):
        answer = FitRes(Status(Code.OK, ""), ndarrays_to_parameters([x + change]), 1, {})
        found, _ = strategy.aggregate_fit(t, [(None, answer)], [])
        (x,) = parameters_to_ndarrays(found)
        out.append(x)
    return out


def ours(step, start: np.ndarray, rate: float = RATE) -> list[np.ndarray]:
    x, moments, out = start, step.start(len(start)), []
    for t, change in enumerate(CHANGES, start=1):
        x, moments = step.move(x, change, rate, t, moments)
        out.append(x)
    return out


def given():
    return {"initial_parameters": ndarrays_to_parameters([START])}


@pytest.mark.parametrize(
    ("strategy", "step"),
    [
        (lambda: FedYogi(eta=RATE, beta_1=0.9, beta_2=0.99, tau=1e-2, **given()), Yogi(0.9, 0.99, 1e-2, v0=0.0)),
        (lambda: FedAdagrad(eta=RATE, tau=1e-2, **given()), Adagrad(0.0, 1e-2, v0=0.0)),
        (lambda: FedAvgM(server_learning_rate=RATE, server_momentum=0.8, **given()), HeavyBall(0.8)),
    ],
    ids=["yogi", "adagrad", "momentum"],
)
def test_server_steps_are_those_of_flower(strategy, step):
    """To rounding, from v = 0, where Flower starts."""
    np.testing.assert_allclose(ours(step, START), theirs(strategy(), START), rtol=1e-13, atol=1e-14)


def test_flower_corrects_adam_in_its_own_way():
    """Its step is η√(1 − β₂^{t+1})/(1 − β₁^{t+1}) times m/(√v + τ): neither ours nor Adam's; m, v are shared."""
    found = theirs(FedAdam(eta=RATE, beta_1=0.9, beta_2=0.99, tau=1e-2, **given()), START)
    step, x, moments, plain = Adam(0.9, 0.99, 1e-2, v0=0.0), START, np.zeros(6), []
    for t, change in enumerate(CHANGES, start=1):
        rate = RATE * np.sqrt(1 - 0.99 ** (t + 1)) / (1 - 0.9 ** (t + 1))
        x, moments = step.move(x, change, rate, t, moments)
        plain.append(x)
    np.testing.assert_allclose(plain, found, rtol=1e-13, atol=1e-14)
    assert np.abs(np.array(ours(step, START)) - found).max() > 1e-3
    assert np.abs(np.array(ours(Adam(0.9, 0.99, 1e-2, bias_correction=True), START)) - found).max() > 1e-3


def test_reddi_starts_where_flower_does_not():
    """v_{−1} = τ² unless said otherwise."""
    assert Yogi(tau=0.1).start(2).tolist() == Adam(tau=0.1).start(2).tolist()
    assert Adagrad(tau=0.1).start(1)[1] == pytest.approx(0.01)
    assert Adam(tau=0.1, v0=0.5).start(1).tolist() == [0.0, 0.5]
