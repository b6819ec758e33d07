"""Certified beside measured linear rates, for sparse regression: what `fedmm theorem regression` prints.

The quadratic surrogate with an ℓ1 penalty has no v_min; own-diana-rate and own-biased-monotone hold with m = ρμ,
where μ is the least eigenvalue of the mean of all clients' Hessians, and ℓ = 4/(4 − ρL).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fedmm_edu.algorithms import mm, run
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic, Zero, admissible_rho
from fedmm_edu.federation import Clients, Compressor, omega_p
from fedmm_edu.studies.benchmarks import Benchmark
from fedmm_edu.studies.bounds import Claimed, measured
from fedmm_edu.theory import Contraction, Flat, Monotone, Rate, biased_monotone, diana, diana_alpha

MARGIN = 1e-9
"""Share of the trace by which an eigenvalue is lowered: far more than it can be off by rounding."""


def drawn_clients(seed: int = 0) -> Clients:
    """Ten clients with 50 rows (x₁, x₂, x₃, y), y = x₁ − 2x₂ and noise: with seed 0 the README's example."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(10, 50, 3))
    y = x @ [1.0, -2.0, 0.0] + 0.1 * rng.normal(size=(10, 50))
    return Clients.of(list(np.dstack([x, y])))


def sparse_regression(clients: Clients, l1: float) -> Benchmark:
    """Least squares on rows (x, y) with the penalty l1·‖θ‖₁, from θ = 0; `InvalidInput` where no m > 0 is known."""
    d = clients.z.shape[1] - 1
    in_interval("l1", l1, low=0.0, high=1e150)
    rho, penalty = admissible_rho(LeastSquares(), clients), L1(l1) if l1 > 0.0 else Zero()
    moments = [z[:, :d].T @ z[:, :d] / len(z) for z in clients]
    A = np.tensordot(clients.mu, moments, axes=1)
    mu = float(np.linalg.eigvalsh(A)[0]) - MARGIN * float(np.trace(A))
    if mu <= 0.0:
        raise InvalidInput(
            "the columns of all clients together are linearly dependent, so that the loss is not strongly convex and "
            "no linear rate is certified: leave out a column."
        )
    at = {"rho_mu": rho * mu, "rho_L": 1.0, "largest_mu": float(clients.mu.max()), "sigma": 0.0, "n": len(clients)}
    monotone = Monotone.prox(**at, smooth=l1 == 0.0)
    problem = Quadratic(d, rho, penalty=penalty)
    central = mm(problem, clients.z)
    root = run(central, central.init(np.zeros(d)), min(20000, math.ceil(60.0 / monotone.m)))[0].x
    least, flat = clients.objective(problem, problem.T(root)), Flat(1.0 / rho, rho, 2.0, 0.0, len(clients))
    start = clients.mu @ np.stack([problem.mean_S_bar(z, np.zeros(d)) for z in clients])
    return Benchmark(problem, clients, start, least, root, flat, monotone)


@dataclass(frozen=True)
class Beside:
    """One kind of messages: what its theorem certifies, and what runs do at the same step size.

    Factors are those of ‖Ŝ_t − s_⋆‖² in one round; rounds and bits (up, of all clients) are to the accuracy asked.
    """

    messages: str
    theorem: str
    gamma: float
    factor: float
    rounds: int
    bits: float
    measured_factor: float
    measured_rounds: int

    @property
    def ratio(self) -> float:
        """Measured rounds over certified ones."""
        return self.measured_rounds / self.rounds


def certified(known: Benchmark, compressor: Compressor, p: float) -> tuple[Rate, float, float]:
    """The rate of these messages, α, and G_0 about its targets; own-biased-monotone where A4 fails."""
    q, apart = known.problem.q, known.distance(known.start)
    if compressor.unbiased:
        together = omega_p(compressor.omega(q), p)
        return diana(known.monotone, together), diana_alpha(together), known.monotone.start * apart
    lightest = float(known.clients.mu.min())
    return biased_monotone(known.monotone, Contraction(compressor.contraction(q), p), lightest), p, 0.0


def side_by_side(
    known: Benchmark, compressors: Sequence[Compressor], p: float, share: float, seeds: int = 8
) -> list[Beside]:
    """Each kind of messages at the step size that its theorem asks for; `share` of ‖Ŝ_0 − s_⋆‖² is to be reached."""
    in_interval("share", share, low=0.0, high=1.0, open_low=True)
    found, apart = [], known.distance(known.start)
    for compressor in compressors:
        rate, alpha, G = certified(known, compressor, p)
        reached = rate.fastest(share * apart, initial_gap=apart, initial_variates=G)
        if reached is None:
            raise InvalidInput(f"{compressor}: no step size is certified; send more, or let more clients take part.")
        gamma, T = reached
        rounds = int(measured(known, Claimed(gamma, alpha, compressor, known.distance, T, p=p), seeds, share))
        bits = float(T * len(known.clients) * p * compressor.bits(known.problem.q))
        fall = share ** (1.0 / max(1, rounds))
        found.append(Beside(str(compressor), rate.row, gamma, rate.factor(gamma), T, bits, fall, rounds))
    return found
