"""Networks to start from, and networks on disk."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import torch
from numpy.typing import ArrayLike

from fedmm_edu.arrays import Array, as_array
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.files import write_bytes
from fedmm_edu.transport.network import ICNN
from fedmm_edu.transport.objective import Potentials, array, default_device
from fedmm_edu.transport.pairs import Map

CHUNK = 4096


def as_map(network: Potentials, flat: ArrayLike, dtype: torch.dtype = torch.float32, device: str | None = None) -> Map:
    """x ↦ ∇f(x) on arrays of shape (N, d), computed in `dtype` a few thousand points at a time.

    By default on a GPU where there is one, as in `TransportProblem`.
    """
    device = device or default_device()
    weights = torch.tensor(as_array("flat", flat, shape=(network.size,)), dtype=dtype, device=device)

    def gradient(x: Array) -> Array:
        with torch.no_grad():
            points = torch.tensor(np.asarray(x), dtype=dtype, device=device)
            return array(torch.cat([network.gradient(weights, part) for part in points.split(CHUNK)]))

    return gradient


def pretrain(
    network: ICNN,
    M: ArrayLike | None = None,
    c: ArrayLike | None = None,
    *,
    seed: int = 0,
    steps: int = 1000,
    batch: int = 256,
    rate: float = 5e-3,
    spread: float = 2.0,
) -> Array:
    """Parameters with ∇f(x) ≈ M x + c (the identity by default): shape (P,), feasible, float64.

    It is computed on the processor, so that all runs of a seed start alike on every machine with this PyTorch.

    Adam on E‖∇f(X) − M X − c‖² for X ~ N(0, spread² I), no data needed, with a rate that falls to 0 as a cosine.
    """
    as_count("steps", steps)
    as_count("batch", batch)
    in_interval("rate", rate, low=0.0, high=np.inf, open_low=True)
    d = network.d
    M = torch.tensor(np.eye(d) if M is None else as_array("M", M, shape=(d, d)), dtype=torch.float32)
    c = torch.tensor(np.zeros(d) if c is None else as_array("c", c, shape=(d,)), dtype=torch.float32)
    generator = torch.Generator().manual_seed(seed)
    flat = network.initial(generator).requires_grad_()
    optimiser = torch.optim.Adam([flat], lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        x = spread * torch.randn((batch, d), generator=generator)
        loss = (network.gradient(flat, x) - x @ M - c).square().sum(-1).mean()
        (flat.grad,) = torch.autograd.grad(loss, flat)
        optimiser.step()
        schedule.step()
        with torch.no_grad():
            flat.copy_(network.project(flat))
    return flat.detach().double().numpy()


def save_network(path: str | Path, network: ICNN, flat: ArrayLike) -> Path:
    """Write shape and parameters as a NumPy archive, all at once or not at all."""
    buffer = io.BytesIO()
    shape = np.array([network.d, *network.widths, network.rank])
    np.savez(buffer, shape=shape, kappa=np.array(network.kappa), flat=as_array("flat", flat, shape=(network.size,)))
    return write_bytes(path, buffer.getvalue())


def load_network(path: str | Path) -> tuple[ICNN, Array]:
    """What `save_network` wrote. `InvalidInput` for a file that is missing, damaged or no convex network."""
    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
            shape, kappa, flat = file["shape"], float(file["kappa"]), file["flat"]
            d, *widths, rank = (int(k) for k in shape)
        first, second, third = widths
    except (OSError, KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise InvalidInput(f"{path} is not a saved network ({error}): save it again with save_network.") from error
    network = ICNN(d, (first, second, third), rank, kappa)
    flat = as_array(f"the parameters in {path}", flat, shape=(network.size,))
    if (flat[network.nonnegative.numpy()] < 0.0).any():
        raise InvalidInput(f"{path} holds negative hidden weights: f is not convex; project the parameters first.")
    return network, flat
