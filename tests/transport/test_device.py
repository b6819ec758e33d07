"""Where networks are computed: on a GPU where there is one, else where the user says, and nowhere else.

No GPU is needed: PyTorch's device "meta" holds shapes without numbers, and refuses to be mixed with another device.
"""

from importlib import import_module

import numpy as np
import pytest
import torch

from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Clients
from fedmm_edu.transport import ICNN, TransportProblem, as_map, fedadam, fedmm_ot, joint

NETWORK = ICNN(2, (4, 3, 3))
START = NETWORK.initial(torch.Generator().manual_seed(0), torch.float64).numpy()


def problem(**settings) -> TransportProblem:
    return TransportProblem(NETWORK, np.random.default_rng(1).normal(size=(20, 2)), 0.5, **settings)


@pytest.mark.parametrize(("there", "device"), [(True, "cuda"), (False, "cpu")])
def test_a_gpu_is_used_where_there_is_one(monkeypatch, there, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert problem().device == device


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    """The devices from which results come back."""
    found = []

    def array(x: torch.Tensor) -> np.ndarray:
        found.append(x.device.type)
        return np.zeros(tuple(x.shape))

    for name in ("objective", "spaces", "pretrain"):
        monkeypatch.setattr(import_module(f"fedmm_edu.transport.{name}"), "array", array)
    return found


@pytest.mark.parametrize("K", [1, 2])
@pytest.mark.parametrize("derivatives", ["autograd", "closed"])
@pytest.mark.parametrize("method", [fedmm_ot, fedadam])
def test_a_round_is_computed_on_the_device_of_the_problem(sent, method, derivatives, K):
    """The steps of the clients, and those of the server."""
    clients = Clients.of(list(np.random.default_rng(0).normal(size=(3, 10, 2))), np.full(3, 1 / 3))
    own = {"theta0": START, "server_steps": 2} if method is fedmm_ot else {}
    fed = method(problem(device="meta", derivatives=derivatives), clients, rate=0.1, K=K, b=4, **own)
    state = fed.init(START if method is fedmm_ot else joint(START, START))
    fed.step(state)
    assert sent == ["meta"] * (3 if method is fedmm_ot else 1)


def test_maps_and_losses_are_computed_there_too(sent):
    as_map(NETWORK, START, device="meta")(np.zeros((5, 2)))
    problem(device="meta").loss(np.zeros((5, 2)), joint(START, START))
    assert sent == ["meta", "meta"]


def test_a_device_that_does_not_exist_is_named():
    with pytest.raises(InvalidInput, match="device = 'abacus'"):
        problem(device="abacus")
