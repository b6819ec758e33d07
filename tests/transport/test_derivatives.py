"""Derivatives of a convex network in closed form: those of automatic differentiation, to rounding."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Bernoulli, Clients
from fedmm_edu.transport import ICNN, TransportProblem, fedadam, fedmm_ot, joint
from fedmm_edu.transport.derivatives import NetworkAt
from tests.transport.networks import networks, seeds


def drawn(network: ICNN, seed: int, *shape: int) -> torch.Tensor:
    """Random feasible parameters (*shape, P)."""
    generator = torch.Generator().manual_seed(seed)
    return network.project(torch.randn((*shape, network.size), generator=generator, dtype=torch.float64))


def points(network: ICNN, seed: int, *shape: int) -> torch.Tensor:
    """Points (*shape, d) on both sides of where the network bends."""
    generator = torch.Generator().manual_seed(seed + 1)
    return 2.0 * torch.randn((*shape, network.d), generator=generator, dtype=torch.float64)


def assert_same(a: torch.Tensor, b: torch.Tensor) -> None:
    assert a.shape == b.shape
    assert (a - b).abs().max() <= 1e-11 * (1.0 + b.abs().max())


@settings(max_examples=25)
@given(networks, seeds, st.sampled_from([(), (3,)]))
def test_gradient_hessian_and_slopes_are_those_of_autograd(network, seed, batches):
    """For one network at all points, and for a network of each batch; c f and ⟨r, ∇f⟩ alone and together."""
    x, r = points(network, seed, 3, 5), points(network, seed + 7, 3, 5)
    flat = drawn(network, seed, *batches)
    at = NetworkAt(network, flat, x)
    assert_same(at.gradient(), network.gradient(flat, x))
    there = x.clone().requires_grad_()
    along = torch.autograd.grad(network.gradient(flat, there), there, r)[0]  # the Hessian is symmetric
    assert_same(at.hessian(r), along)
    for c, with_r in ((0.7, False), (0.0, True), (-0.3, True)):
        weights = flat.expand(3, -1).clone().requires_grad_()
        total = c * network.value(weights, x).sum()
        if with_r:
            total = total + (network.gradient(weights, x) * r).sum()
        assert_same(at.slope(c, r if with_r else None), torch.autograd.grad(total, weights)[0])


@settings(max_examples=25)
@given(networks, seeds, st.sampled_from([(0.0, "dual"), (0.7, "dual"), (0.7, "printed")]))
def test_the_gradients_of_algorithm_3_do_not_depend_on_how_they_are_found(network, seed, how):
    """In ω and in θ, for both readings, with networks of each client and with one for all."""
    lam, reading = how
    network = replace(network, kappa=1.0)
    x, y = points(network, seed, 3, 5), points(network, seed + 7, 3, 5)
    plain = TransportProblem(network, np.zeros((2, network.d)), lam, reading, torch.float64, "cpu")
    closed = replace(plain, derivatives="closed")
    own, other = drawn(network, seed, 3), drawn(network, seed + 3, 3)
    for omega, theta in ((own, other), (own, other[0])):
        assert_same(closed.omega_gradient(omega, theta, x, y), plain.omega_gradient(omega, theta, x, y))
    for omega, theta, target in ((own, other, y), (own[0], other[0], y[0])):
        assert_same(closed.theta_gradient(omega, theta, target), plain.theta_gradient(omega, theta, target))
    shared = closed.omega_gradient(own[0], other[0], x, y), closed.theta_gradient(own[0], other[0], y)
    spread = [net.expand(3, -1) for net in (own[0], other[0])]
    assert_same(shared[0], plain.omega_gradient(*spread, x, y))
    assert_same(shared[1], plain.theta_gradient(*spread, y))


@pytest.mark.parametrize("K", [1, 3])
@pytest.mark.parametrize("method", [fedmm_ot, fedadam])
def test_rounds_in_closed_form_are_the_rounds(method, K):
    """In double precision to rounding, with some clients away, control variates and plain steps."""
    network, rng = ICNN(2, (5, 4, 3)), np.random.default_rng(0)
    start = drawn(network, 1).numpy()
    clients = Clients.of(list(rng.normal(size=(3, 20, 2))), np.array([0.5, 0.3, 0.2]))
    plain = TransportProblem(network, rng.normal(size=(30, 2)), 0.7, dtype=torch.float64, device="cpu")
    ends = []
    for problem in (plain, replace(plain, derivatives="closed")):
        parts = {"theta0": start, "server_steps": 2} if method is fedmm_ot else {}
        fed = method(problem, clients, rate=0.02, K=K, b=6, participation=Bernoulli(0.7), alpha=0.2, **parts)
        state = fed.init(start if method is fedmm_ot else joint(start, start))
        for _ in range(3):
            state = fed.step(state)
        ends.append(fed.theta(state))
    np.testing.assert_allclose(*ends, rtol=1e-7, atol=1e-9)
    assert not np.allclose(ends[0], joint(start, start))


def test_they_are_known_of_convex_networks_only():
    class Linear:
        d = size = 2
        kappa = 0.0

    for potentials, derivatives, message in (
        (Linear(), "closed", "derivatives = 'closed' with Linear"),
        (ICNN(2, (2, 2, 2)), "exact", "derivatives = 'exact'"),
    ):
        with pytest.raises(InvalidInput, match=message):
            TransportProblem(potentials, np.zeros((2, 2)), derivatives=derivatives)
