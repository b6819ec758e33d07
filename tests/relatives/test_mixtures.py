"""Personal weights: in 𝒮 the model's objective falls in every round, in Θ it need not."""

import numpy as np

from fedmm_edu.relatives import Tuning, relatives
from tests.relatives.case import mixed_clients, mixture


def objectives(key: str, theta: np.ndarray, rounds: int) -> np.ndarray:
    """Σ μ_i f_i(θ_t; π_{t,i}) + g(θ_t) of the model with personal weights."""
    fed = relatives()[key].on(mixture(), mixed_clients(), Tuning())
    state, found = relatives()[key].start(fed, theta), []
    for _ in range(rounds):
        theta = fed.theta(state)
        own = [
            fed.problem.with_weights(pi).loss(z, theta).mean() for z, pi in zip(fed.clients, state.memory, strict=True)
        ]
        found.append(fed.clients.mu @ np.array(own) + fed.problem.g(theta))
        state = fed.step(state)
    return np.array(found)


def test_in_S_the_objective_falls_and_ends_lower():
    """EM in (θ, π_1, …, π_n) is monotone; what Θ-aggregation reaches is not below it."""
    for seed in range(3):
        start = np.random.default_rng(seed).normal(size=4) * 2.0
        in_S, in_Theta = (objectives(key, start, 150) for key in ("marfoq-in-s", "marfoq"))
        assert (np.diff(in_S) <= 1e-13).all()
        assert in_S[-1] <= in_Theta[-1] + 1e-9


def test_in_Theta_the_objective_rises_from_the_minimum():
    """From where EM has ended, averaging parameters goes up."""
    fed = relatives()["marfoq-in-s"].on(mixture(), mixed_clients(), Tuning())
    state = relatives()["marfoq-in-s"].start(fed, np.array([-0.5, 0.3, 2.0, 1.0]))
    for _ in range(400):
        state = fed.step(state)
    rises = objectives("marfoq", fed.theta(state), 40)[5:]
    assert np.diff(rises).max() > 1e-8
