"""The convex network: convexity, its closed-form gradient, feasibility, starts, files."""

import io
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput
from fedmm_edu.transport import ICNN, as_map, died, load_network, pretrain, save_network
from tests.transport.networks import networks, seeds


def draw(network: ICNN, seed: int, *shape: int, far: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    """Random feasible parameters, larger than those of `initial`, and points (*shape, d)."""
    generator = torch.Generator().manual_seed(seed)
    flat = network.project(torch.randn(network.size, generator=generator, dtype=torch.float64))
    return flat, far * torch.randn((*shape, network.d), generator=generator, dtype=torch.float64)


@given(networks, seeds, st.floats(0.0, 1.0))
def test_f_is_strongly_convex_along_every_chord(network, seed, t):
    """f(tx + (1 − t)y) ≤ t f(x) + (1 − t) f(y) − κ/2 t(1 − t)‖x − y‖² for feasible parameters."""
    flat, ends = draw(network, seed, 2, 20, far=3.0)
    x, y = ends
    at_x, at_y, between = (network.value(flat, point) for point in (x, y, t * x + (1 - t) * y))
    bound = t * at_x + (1 - t) * at_y - 0.5 * network.kappa * t * (1 - t) * (x - y).square().sum(-1)
    assert (between <= bound + 1e-9 * (1 + at_x.abs() + at_y.abs())).all()


@given(networks, seeds)
def test_the_hessian_is_at_least_kappa(network, seed):
    """Autograd's Hessian of f has no eigenvalue below κ."""
    flat, x = draw(network, seed, 1)
    hessian = torch.autograd.functional.hessian(lambda point: network.value(flat, point[None])[0], x[0])
    values = torch.linalg.eigvalsh(hessian)
    assert values[0] >= network.kappa - 1e-9 * (1 + values[-1])


def test_a_negative_hidden_weight_can_break_convexity():
    """Why the constraint is there: f(x) = −x² for v = −1."""
    network = ICNN(1, (1, 1, 1), kappa=0.0)
    flat = network.pack({name: torch.ones(shape) for name, shape in network.shapes.items()} | {"v": -torch.ones(1)})
    ends = network.value(flat, torch.tensor([[0.0], [1.0], [2.0]]))
    assert ends[1] > 0.5 * (ends[0] + ends[2])


@given(networks, seeds)
def test_the_closed_form_is_the_gradient_of_autograd(network, seed):
    flat, x = draw(network, seed, 7)
    x.requires_grad_()
    (expected,) = torch.autograd.grad(network.value(flat, x).sum(), x)
    torch.testing.assert_close(network.gradient(flat, x), expected, rtol=1e-10, atol=1e-10)


@given(networks, seeds)
def test_a_stack_of_networks_is_evaluated_network_by_network(network, seed):
    flats = torch.stack([draw(network, seed + k, 1)[0] for k in range(3)])
    _, x = draw(network, seed, 3, 5)
    for function in (network.value, network.gradient):
        singly = torch.stack([function(flat, points) for flat, points in zip(flats, x, strict=True)])
        torch.testing.assert_close(function(flats, x), singly, rtol=1e-10, atol=1e-10)


@given(networks, seeds)
def test_projection_is_the_nearest_feasible_point_and_pack_inverts_unpack(network, seed):
    raw = torch.randn(network.size, generator=torch.Generator().manual_seed(seed))
    parts, near = network.unpack(raw), network.unpack(network.project(raw))
    for name, part in parts.items():
        expected = part.clamp(min=0.0) if name in ("C1", "C2", "v") else part
        assert (near[name] == expected).all()
    assert (network.pack(parts) == raw).all()
    assert (network.project(network.initial(torch.Generator().manual_seed(seed))) >= 0)[network.nonnegative].all()


@pytest.mark.parametrize("layer", ["C1", "C2", "v"])
def test_a_dead_network_is_detected(layer):
    """With a layer of hidden weights at 0, f no longer depends on what is below."""
    network = ICNN(2, (4, 4, 3))
    flat = network.initial(torch.Generator().manual_seed(0))
    assert not died(network, flat)
    parts = network.unpack(flat)
    assert died(network, network.pack({**parts, layer: torch.zeros_like(parts[layer])}))
    alive = parts[layer].clone().reshape(-1)
    alive[1:] = 0.0
    assert not died(network, network.pack({**parts, layer: alive}))


@pytest.mark.parametrize("wrong", [{"d": 0}, {"widths": (4, 0, 4)}, {"rank": 0}, {"kappa": -1.0}])
def test_shapes_that_are_no_network_are_refused(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        ICNN(**({"d": 2, "widths": (4, 4, 4)} | wrong))
    with pytest.raises(InvalidInput, match="parameters, got 3"):
        ICNN(2, (4, 4, 4)).unpack(torch.zeros(3))


def test_pretraining_reaches_the_identity_and_a_linear_map_and_repeats():
    """E‖∇f(X) − target‖² below a thousandth of the variance; feasible; the same bits for the same seed."""
    network, x = ICNN(3, (24, 24, 12)), np.random.default_rng(0).normal(size=(2000, 3))
    flat = pretrain(network, steps=300)
    assert ((as_map(network, flat)(x) - x) ** 2).sum(axis=1).mean() < 3e-3
    assert (flat[network.nonnegative.numpy()] >= 0).all()
    assert (flat == pretrain(network, steps=300)).all()
    M, c = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 0.7]]), np.array([1.0, 0.0, -1.0])
    linear = pretrain(network, M, c, steps=600)
    assert ((as_map(network, linear)(x) - x @ M - c) ** 2).sum(axis=1).mean() < 1e-2


def test_a_network_survives_the_disk(tmp_path):
    network = ICNN(2, (5, 4, 3), rank=2, kappa=0.25)
    flat = network.initial(torch.Generator().manual_seed(1), torch.float64).numpy()
    again, loaded = load_network(save_network(tmp_path / "f.npz", network, flat))
    assert again == network
    assert (loaded == flat).all()


def test_files_that_are_no_network_are_named(tmp_path):
    network, path = ICNN(2, (5, 4, 3)), tmp_path / "f.npz"
    flat = network.initial(torch.Generator().manual_seed(1)).double().numpy()
    with pytest.raises(InvalidInput, match="not a saved network"):
        load_network(tmp_path / "missing.npz")
    save_network(path, network, flat)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InvalidInput, match="not a saved network"):
        load_network(path)
    negative = np.where(network.nonnegative.numpy(), -1.0, flat)
    with pytest.raises(InvalidInput, match="negative hidden weights"):
        load_network(save_network(path, network, negative))
    pickled = io.BytesIO()
    np.savez(pickled, shape=np.array([2, 5, 4, 3, 1]), kappa=np.array(1e-4), flat=np.array([{}], dtype=object))
    path.write_bytes(pickled.getvalue())
    with pytest.raises(InvalidInput, match="not a saved network"):  # nothing is unpickled
        load_network(path)


def test_without_torch_the_error_names_the_extra():
    code = "import sys; sys.modules['torch'] = None; import fedmm_edu.transport"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 1
    assert "MissingExtra" in found.stderr
    assert "fedmm-edu[transport]" in found.stderr
