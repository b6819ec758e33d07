"""Relatives for mixtures: common components, and weights that each client keeps for itself."""

from __future__ import annotations

from fedmm_edu.algorithms.memories import PersonalWeights
from fedmm_edu.algorithms.spaces import ParameterSpace
from fedmm_edu.federation import ByActiveWeight
from fedmm_edu.relatives.relative import LIKELY, Bug, Demand, EndPoint, Relative
from fedmm_edu.relatives.surrogates import surrogates

PERSONAL = frozenset({Demand.MIXTURE, Demand.SURROGATE, Demand.MEMORY})

MARFOQ = Relative(
    "marfoq", "FedEM of Marfoq et al.", "Marfoq et al. 2021, Algorithm 1, with an exact M-step", (239, 533, 632),
    lambda problem, n, at: {
        "space": ParameterSpace(), "work": PersonalWeights(), "participation": ByActiveWeight(at.participation)},
    ends=EndPoint("for means: Σ μ_i Q_i ∇f_i = 0 with Q_i the inverse count of the component at client i"),
    needs=PERSONAL, equals="aggregation in Θ with weights π_i in the memory; its objective need not fall",
    bugs=(Bug("common weights", "π is averaged over the clients", LIKELY),),
    row="own-marfoq-not-monotone",
)  # fmt: skip

MARFOQ_IN_S = Relative(
    "marfoq-in-s", "Marfoq's model in 𝒮", "ours", (),
    lambda problem, n, at: surrogates(problem, at, problem.q, n, work=PersonalWeights()),
    ends=EndPoint("a stationary point in (θ, π_1, …, π_n)"),
    needs=PERSONAL | {Demand.UNBIASED},
    equals="FedMM with weights π_i in the memory. γ = 1, everyone: exact EM for (θ, π_1, …, π_n), whose objective "
    "falls in every round",
    bugs=(Bug("in Θ", "the clients' minimisers are averaged: marfoq", LIKELY),),
    row="own-personal-monotone",
)  # fmt: skip
