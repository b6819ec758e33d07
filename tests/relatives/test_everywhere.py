"""Gradients come from the surrogate: gradient relatives run on every example that has them, and on one's own model."""

import numpy as np
import pytest
import sympy as sp

from fedmm_edu.algorithms import run
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples import examples
from fedmm_edu.federation import Clients, RandK, TopK
from fedmm_edu.relatives import Tuning, relatives
from fedmm_edu.surrogate import mean_loss
from fedmm_edu.symbolic import Model
from fedmm_edu.symbolic.numeric import kernel
from tests.numeric.instances import every_case, instance

WITHOUT = {"GaussianMixture", "PooledGaussianMeans", "Poisson"}
"""Kernels with no gradients of each client: the first is not worked out, of the others ψ belongs to all clients."""


def _found(it):
    z = it.clients[0]
    return it.problem.gradient(it.theta, it.problem.mean_S_bar(z, it.theta))


@every_case
def test_gradients_of_the_surrogate_are_those_of_f(case):
    """∇ψ − JφᵀE[S̄] against differences of the loss; who has none says so by name."""
    it = instance(case, 5, least=4)
    if type(it.problem).__name__ in WITHOUT:
        with pytest.raises(InvalidInput, match=r"grad_psi|belongs to all clients"):
            _found(it)
        return
    step = 1e-6 * max(1.0, float(np.abs(it.theta).max()))
    for j, e in enumerate(np.eye(it.problem.d)):
        ends = [mean_loss(it.problem, it.clients[0], it.theta + sign * step * e) for sign in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * step)
        assert _found(it)[j] == pytest.approx(slope, rel=1e-4, abs=1e-4 * max(1.0, abs(ends[0])))


@pytest.mark.parametrize("key", ["fedavg", "scaffold", "diana", "ef21", "marina", "feddyn"])
def test_they_run_on_every_example(key):
    """Ten rounds of small steps on every problem with gradients: V = Σ μ_i V_i, and points of Θ."""
    relative, tried = relatives()[key], 0
    for example in examples():
        for case in example.cases.values():
            rng = np.random.default_rng(2)
            clients = Clients.of([case.draw_z(rng, 6) for _ in range(3)])
            problem = case.problem(clients)
            if type(problem).__name__ in WITHOUT:
                continue
            compressor = TopK(1) if key == "ef21" else RandK(max(1, problem.d - 1))
            fed = relative.on(problem, clients, Tuning(eta=1e-4, steps=2, compressor=compressor, pull=10.0))
            state, _ = run(fed, relative.start(fed, case.draw_theta(rng)), 10, columns={}, every=())
            size = max(1.0, float(np.abs(state.V_clients).max()))
            np.testing.assert_allclose(state.V_server, clients.mu @ state.V_clients, rtol=0, atol=1e-12 * size)
            assert problem.Theta.contains(fed.theta(state), tol=1e-9)
            tried += 1
    assert tried >= 20


def test_scaffold_finds_the_optimum_of_a_model_of_ones_own():
    """E[softplus(θ − z)] − θ/2 with the bound of its curvature, from SymPy: SCAFFOLD ends at a root, FedAvg not."""
    theta, z, s = sp.symbols("theta z s", real=True)
    slope = 1 / (1 + sp.exp(z - theta)) - sp.Rational(1, 2)
    model = Model(theta=theta, z=z, s=s, loss=sp.log(1 + sp.exp(theta - z)) - theta / 2, psi=theta**2 / 8,
                  phi=theta / 4, S_bar=theta - 4 * slope, T=s, name="softplus")  # fmt: skip
    problem = kernel(model)
    clients = Clients.of([np.array([[0.0], [0.5]]), np.array([[4.0], [5.0]])])
    slopes = {}
    for key in ("scaffold", "fedavg"):
        fed = relatives()[key].on(problem, clients, Tuning(eta=0.5, steps=10))
        state, _ = run(fed, relatives()[key].start(fed, [0.0]), 300, columns={}, every=())
        at = fed.theta(state)[0]
        slopes[key] = float(np.mean(1 / (1 + np.exp(clients.z - at)) - 0.5))
    assert abs(slopes["scaffold"]) < 1e-10
    assert abs(slopes["fedavg"]) > 1e-4
