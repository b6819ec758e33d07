"""Relatives that send surrogates, or minimisers of them: FedMM itself, the naive algorithm, EM, acceleration."""

from __future__ import annotations

from typing import Any

from fedmm_edu.algorithms.server import Nesterov
from fedmm_edu.algorithms.spaces import ParameterSpace
from fedmm_edu.federation import omega_p
from fedmm_edu.relatives.relative import LIKELY, OPTIMUM, Bug, Demand, EndPoint, Relative, Scales, Tuning
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.theory import largest_gamma

SURROGATE = frozenset({Demand.SURROGATE})


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


FEDMM = Relative(
    "fedmm", "FedMM", "this paper, Algorithm 2", (569,),
    lambda problem, n, at: surrogates(problem, at, problem.q, n),
    ends=EndPoint("a root of h: a stationary point of f + g", OPTIMUM.Q), needs=SURROGATE | {Demand.MEMORY},
    rate="Theorem 1", theory=largest_step,
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
    lambda problem, n, at: surrogates(problem, at, problem.q, n, server=Nesterov()),
    ends=EndPoint("a root of h, where it converges", OPTIMUM.Q), needs=SURROGATE | {Demand.MEMORY},
    equals="g = 0, quadratic surrogate, γ = 1, no compression: Nesterov's gradient method",
    bugs=(Bug("no query", "S̄ at T(Ŝ_t), momentum after it: heavy ball", LIKELY),),
)  # fmt: skip
