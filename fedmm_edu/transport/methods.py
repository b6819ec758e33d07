"""FedMM-OT (Algorithm 3) and FedAdam, ready to run: `FedMM` with the parts of this folder."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from fedmm_edu.algorithms import Adam, FedMM, ServerStep, State
from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.arrays import Array, as_array
from fedmm_edu.federation import Clients
from fedmm_edu.transport.network import ICNN, died
from fedmm_edu.transport.objective import TransportProblem, UnboundedObjective
from fedmm_edu.transport.spaces import JointSpace, JointSteps, PotentialSpace, PotentialSteps


def fedmm_ot(
    problem: TransportProblem,
    clients: Clients,
    *,
    theta0: ArrayLike,
    rate: float,
    K: int = 1,
    b: int = 128,
    server_steps: int = 10,
    server_rate: StepSize = 1e-3,
    server_batch: int = 128,
    gamma: StepSize = 1.0,
    **parts: Any,
) -> FedMM:
    """FedMM-OT from θ_0; `fed.init(ω_0)` is its state. `parts` are further settings of `FedMM`.

    `server=Adam(...)` replaces ω + γ H by an adaptive step on H: then every method moves with an adaptive step.
    `gamma` and `server_rate`, the rate of θ, are numbers or rules t ↦ step, as `Cosine`.
    """
    if problem.lam == 0.0 and K > 1:
        warnings.warn(
            f"λ = 0 with K = {K} local steps: without R_Q a client's objective is linear in f_ω and has no lower bound "
            "(row ot-client-step of the ledger), so that more steps lead further from ω_t; take λ > 0 or K = 1.",
            UnboundedObjective,
            stacklevel=2,
        )
    start = as_array("theta0", theta0, shape=(problem.q,))
    space = PotentialSpace(start, server_steps, server_batch, server_rate)
    return FedMM(problem, clients, gamma, PotentialSteps(rate, K, b), space=space, **parts)  # type: ignore


def fedadam(
    problem: TransportProblem,
    clients: Clients,
    *,
    rate: float = 1.0,
    K: int = 1,
    b: int = 128,
    gamma: StepSize = 1e-3,
    server: ServerStep | None = None,
    **parts: Any,
) -> FedMM:
    """FedAdam (Reddi et al., 2021, Algorithm 2) on (ω, θ); `fed.init(joint(ω_0, θ_0))` is its state.

    γ is their server rate η and `rate` their client rate. `server` exposes τ and the bias correction, and is by
    default Adam with the benchmark's β = (0.9, 0.999); with `server=Plain()` it is FedAvg.
    """
    if server is None:
        server = Adam(beta2=0.999, tau=1e-8, bias_correction=True)
    return FedMM(problem, clients, gamma, JointSteps(rate, K, b), space=JointSpace(), server=server, **parts)  # type: ignore


def joint(omega: ArrayLike, theta: ArrayLike) -> Array:
    """The x of FedAdam."""
    return np.concatenate([np.asarray(omega, dtype=np.float64), np.asarray(theta, dtype=np.float64)])


def health(fed: FedMM, state: State) -> str:
    """ "alive", "diverged" (numbers that are not finite), or which network died: hidden weights all clamped to 0."""
    problem: TransportProblem = fed.problem  # type: ignore
    theta = fed.theta(state)
    if not np.isfinite(theta).all():
        return "diverged"
    network = problem.potentials
    if isinstance(network, ICNN):
        for name, flat in zip("ωθ", problem.split(theta), strict=True):
            if died(network, problem.tensor(flat)):
                return f"f_{name} died"
    return "alive"


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch on one thread inside: the matrices are small, so that more threads cost more than they give."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
