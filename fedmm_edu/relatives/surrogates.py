"""Relatives that send surrogates, or minimisers of them: FedMM itself, the naive algorithm, EM, acceleration."""

from __future__ import annotations

from typing import Any

from fedmm_edu.algorithms.server import Nesterov
from fedmm_edu.algorithms.spaces import ParameterSpace
from fedmm_edu.federation import omega_p
from fedmm_edu.relatives.relative import (
    LIKELY,
    OPTIMUM,
    Beginning,
    Bug,
    Demand,
    EndPoint,
    LinearRate,
    Relative,
    Scales,
    Tuning,
)
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.theory import Contraction, biased_linear, largest_gamma

SURROGATE = frozenset({Demand.SURROGATE, Demand.UNBIASED})


def surrogates(problem: Surrogate, at: Tuning, dim: int, n: int, **parts: Any) -> dict[str, Any]:
    """Algorithm 2 with the problem's surrogate, of the step ρ that is asked for; messages have the length dim."""
    return {"problem": problem.scaled_rho(at.rho), "compressor": at.compressor, "alpha": at.alpha_for(dim, n),
            "downlink": at.downlink, **parts}  # fmt: skip


def largest_step(scales: Scales, at: Tuning) -> dict[str, float]:
    """γ just below the largest that Theorem 1 admits, for the α that is taken."""
    if scales.constants is None:
        return {}
    together = omega_p(at.compressor.omega(scales.d), at.share(scales.n))
    alpha = at.alpha_for(scales.d, scales.n) if together > 0.0 else None
    return {"gamma": min(1.0, 0.999 * largest_gamma(scales.constants, together, alpha))}


def rate_of_mm(scales: Scales, at: Tuning, start: Beginning) -> LinearRate | None:
    """own-biased-linear with q = 0, the rate of MM: 1 − γm with m = ρκλ, κ = 1/(1 + ρλ), ρ = 1/L; nothing lossy."""
    c = scales.curvature
    if c is None or scales.constants is None or c.lam == 0.0 or callable(at.gamma):
        return None
    exact = at.compressor.unbiased and at.compressor.omega(scales.d) == 0.0 and at.downlink.covered
    if not exact or at.share(scales.n) < 1.0 or at.rho != 1.0:
        return None
    m = c.lam / c.folded
    found = biased_linear(scales.constants, Contraction(1.0), m).bound(gamma=at.gamma, rounds=1, initial_gap=start.gap)
    return LinearRate(start.gap, found.slack)


FEDMM = Relative(
    "fedmm", "FedMM", "this paper, Algorithm 2", (569,),
    lambda problem, n, at: surrogates(problem, at, problem.q, n),
    ends=EndPoint("a root of h: a stationary point of f + g", OPTIMUM.Q), needs=SURROGATE | {Demand.MEMORY},
    rate="Theorem 1; W strongly convex, nothing lossy, everyone: E[W_t] − min W falls by 1 − γm in each round",
    theory=largest_step, certified=rate_of_mm,
)  # fmt: skip

NAIVE = Relative(
    "naive", "parameter aggregation", "the naive algorithm of Section 6", (533,),
    lambda problem, n, at: surrogates(problem, at, problem.d, n, space=ParameterSpace()),
    ends=EndPoint("Σ μ_i Q_i ∇f_i = 0 with Q_i of the curvature of the client's own surrogate"), needs=SURROGATE,
    equals="FedMM in Θ. On a quadratic surrogate without g: FedMM",
    bugs=(Bug("average of S", "surrogates are averaged and minimised once: FedMM", LIKELY),),
)  # fmt: skip

ACCELERATED = Relative(
    "accelerated", "accelerated FedMM", "ours; FISTA's rule on Ŝ_t", (),
    lambda problem, n, at: surrogates(problem, at, problem.q, n, server=at.server_of(Nesterov)),
    ends=EndPoint("a root of h, where it converges", OPTIMUM.Q), needs=SURROGATE | {Demand.MEMORY},
    equals="g = 0, quadratic surrogate, γ = 1, no compression: Nesterov's gradient method",
    bugs=(Bug("no query", "S̄ at T(Ŝ_t), momentum after it: heavy ball", LIKELY),),
)  # fmt: skip
