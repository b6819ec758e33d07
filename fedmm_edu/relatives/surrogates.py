"""Relatives that send surrogates, or minimisers of them: FedMM itself, the naive algorithm, EM, acceleration."""

from __future__ import annotations

from fedmm_edu.algorithms.server import Nesterov
from fedmm_edu.algorithms.spaces import ParameterSpace
from fedmm_edu.relatives.relative import LIKELY, OPTIMUM, Bug, Demand, EndPoint, Relative

SURROGATE = frozenset({Demand.SURROGATE})

FEDMM = Relative(
    "fedmm", "FedMM", "this paper, Algorithm 2", (569,),
    lambda problem, n, at: {"compressor": at.compressor, "alpha": at.alpha_for(problem.q, n)},
    ends=EndPoint("a root of h: a stationary point of f + g", OPTIMUM.Q), needs=SURROGATE | {Demand.MEMORY},
)  # fmt: skip

NAIVE = Relative(
    "naive", "parameter aggregation", "the naive algorithm of Section 6", (533,),
    lambda problem, n, at: {
        "space": ParameterSpace(), "compressor": at.compressor, "alpha": at.alpha_for(problem.d, n)},
    ends=EndPoint("Σ μ_i Q_i ∇f_i = 0 with Q_i of the curvature of the client's own surrogate"), needs=SURROGATE,
    equals="FedMM in Θ. On a quadratic surrogate without g: FedMM",
    bugs=(Bug("average of S", "surrogates are averaged and minimised once: FedMM", LIKELY),),
)  # fmt: skip

ACCELERATED = Relative(
    "accelerated", "accelerated FedMM", "ours; FISTA's rule on Ŝ_t", (),
    lambda problem, n, at: {
        "compressor": at.compressor, "alpha": at.alpha_for(problem.q, n), "server": Nesterov()},
    ends=EndPoint("a root of h, where it converges", OPTIMUM.Q), needs=SURROGATE | {Demand.MEMORY},
    equals="g = 0, quadratic surrogate, γ = 1, no compression: Nesterov's gradient method",
    bugs=(Bug("no query", "S̄ at T(Ŝ_t), momentum after it: heavy ball", LIKELY),),
)  # fmt: skip
