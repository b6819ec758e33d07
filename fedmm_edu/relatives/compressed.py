"""Relatives that compress: gradient methods whose messages are differences from something that both sides know.

Here clients aim at θ_t − η∇f_i(θ_t), in ℝ^d, for every problem with gradients; the quadratic surrogate with ρ = η aims
at the same points.
"""

from __future__ import annotations

import math
from typing import Any

from fedmm_edu.algorithms.downlink import Differences
from fedmm_edu.algorithms.local_steps import LocalSteps
from fedmm_edu.algorithms.memories import ErrorFeedback, FreshDifferences
from fedmm_edu.algorithms.reference import AsSeen, AtTheta, Origin
from fedmm_edu.algorithms.server import AlongV
from fedmm_edu.algorithms.spaces import ParameterSpace, ProximalSpace
from fedmm_edu.federation import Sometimes, largest_alpha
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
from fedmm_edu.theory import Constants, Contraction, biased_linear

SMOOTH = frozenset({Demand.GRADIENT, Demand.NO_PENALTY})
UNBIASED = SMOOTH | {Demand.UNBIASED}
CONTRACTED = SMOOTH | {Demand.MEMORY, Demand.CONTRACTION}
AROUND = EndPoint("in a ball around the optimum: Q(∇f_i) has a variance where ∇f_i(θ_⋆) ≠ 0")


def gradient_step(at: Tuning, **parts: Any) -> dict[str, Any]:
    """θ_t − η∇f_i(θ_t) in Θ."""
    return {"space": ParameterSpace(), "work": LocalSteps(at.eta), "compressor": at.compressor, **parts}


QSGD = Relative(
    "qsgd", "QSGD", "Alistarh et al. 2017", (239, 696), lambda problem, n, at: gradient_step(at),
    ends=AROUND, needs=UNBIASED, equals="FedMM with the quadratic surrogate and α = 0; with local steps: FedPAQ",
)  # fmt: skip

GDCI = Relative(
    "gdci", "GDCI", "Khaled and Richtárik 2019; Chraibi et al. 2019", (560,),
    lambda problem, n, at: gradient_step(at, reference=Origin()),
    ends=EndPoint("in a ball around the optimum: Q(θ) has a variance where θ_⋆ ≠ 0"), needs=UNBIASED,
    equals="FedMM with V = 0 and r_t = 0: the iterate is compressed, not its change",
    bugs=(Bug("compresses ∇f", "Q(∇f_i), which is QSGD", LIKELY),),
    row="own-gdci",
)  # fmt: skip

DIANA = Relative(
    "diana", "DIANA", "Mishchenko et al. 2019, Algorithm 1", (239, 560),
    lambda problem, n, at: gradient_step(at, alpha=at.alpha_for(problem.d, n)),
    ends=OPTIMUM, needs=UNBIASED | {Demand.MEMORY},
    equals="FedMM with the quadratic surrogate, g = 0 and everyone: V_i = −ηh_i",
    bugs=(
        Bug("α on the server only", "h_i stays, h moves: V = Σ μ_i V_i is broken", LIKELY),
        Bug("h after", "the server's direction uses h of the round after", LIKELY),
    ),
    row="own-diana",
)  # fmt: skip

PROX_DIANA = Relative(
    "prox-diana", "prox-DIANA", "Mishchenko et al. 2019; Horváth et al. 2019", (239, 564),
    lambda problem, n, at: gradient_step(
        at, alpha=at.alpha_for(problem.d, n), space=ProximalSpace(at.eta), reference=AtTheta()
    ),
    ends=EndPoint("the minimiser of f + g", OPTIMUM.Q),
    needs=frozenset({Demand.GRADIENT, Demand.PROX, Demand.MEMORY, Demand.UNBIASED}),
    equals="FedMM with γ = 1 and reference θ_t; not FedMM itself where g ≠ 0, whose reference is Ŝ_t. g = 0: DIANA",
    bugs=(Bug("reference", "differences from Ŝ_t: FedMM", LIKELY),),
    row="own-prox-diana",
)  # fmt: skip


def ef21_step(scales: Scales, at: Tuning) -> dict[str, float]:
    """η = 1/(L + L̃√(β/θ)) of Richtárik, Sokolov and Fatkhullin 2021, Theorem 1."""
    if (a := at.compressor.contraction(scales.d)) <= 0.0:
        return {}
    theta = 1.0 - math.sqrt(1.0 - a)
    beta = (1.0 - a) / theta
    return {"eta": 1.0 / (scales.L + scales.L_mean * math.sqrt(beta / theta))}


def ef21_rate(scales: Scales, at: Tuning, start: Beginning) -> LinearRate | None:
    """own-biased-linear for f_i + g with ρ = 1/(L + λ), m = ρλ and γ = η/ρ, V_{0,i} = h_i; None for a longer η."""
    c = scales.curvature
    if c is None or c.lam == 0.0 or (a := at.compressor.contraction(scales.d)) <= 0.0:
        return None
    bent, channel, m = c.folded, Contraction(a, at.share(scales.n)), c.lam / c.folded
    of = Constants(bent, bent, 0.0, bent, math.inf, c.L_mean / bent, 0.0, scales.n)
    gamma = at.eta * bent
    rate = biased_linear(of, channel, m)
    if gamma > rate.most:
        return None
    found = rate.bound(gamma=gamma, rounds=1, initial_gap=start.gap)
    return LinearRate(start.gap, found.slack)


def marina_step(scales: Scales, at: Tuning) -> dict[str, float]:
    """η = 1/(L(1 + √((1 − p)ω/(pn)))) of Gorbunov et al. 2021, Theorem 2.1, with L̃ for L."""
    omega = at.compressor.omega(scales.d)
    return {"eta": 1.0 / (scales.L_mean * (1.0 + math.sqrt((1.0 - at.p) * omega / (at.p * scales.n))))}


EF21 = Relative(
    "ef21", "EF21", "Richtárik, Sokolov and Fatkhullin 2021", (560,),
    lambda problem, n, at: gradient_step(at, alpha=at.share(n), server=AlongV()),
    ends=OPTIMUM, needs=CONTRACTED,
    equals="FedMM with a contraction in the place of A4, α = 1 and V_i = −ηg_i; some clients away: EF21-PP",
    rate="O(1/T) for smooth f, with contraction a: γ ≤ 1/(L + L̃√(β/θ)), θ = 1 − √(1 − a), β = (1 − a)/θ",
    bugs=(
        Bug("no memory", "C(∇f_i) is sent: plain Top-K, which ends elsewhere", LIKELY),
        Bug("old g", "the step uses g of the round before, as DIANA's h", LIKELY),
    ),
    V="mean_field", theory=ef21_step, certified=ef21_rate,
    row="own-ef21",
)  # fmt: skip

MARINA = Relative(
    "marina", "MARINA", "Gorbunov et al. 2021, Algorithm 1 (arXiv:2102.07845)", (811,),
    lambda problem, n, at: gradient_step(
        at, alpha=1.0, work=FreshDifferences(at.p, LocalSteps(at.eta)), compressor=Sometimes(at.compressor, at.p)
    ),
    ends=OPTIMUM, needs=UNBIASED | {Demand.MEMORY, Demand.EVERYONE},
    equals="FedMM with α = 1 and V_i = −ηg_i whose clients aim at V_i plus a change; biased: E[g_t | past] ≠ ∇f",
    rate="O(1/T) for smooth f: η ≤ 1/(L(1 + √((1 − p)ω/(pn))))",
    bugs=(
        Bug("own coins", "each client tosses its own coin", LIKELY),
        Bug("stale", "differences from the gradient of the last full round", LIKELY),
    ),
    V="mean_field", theory=marina_step,
    row="own-marina",
)  # fmt: skip

EF_SIGN = Relative(
    "ef-sgd", "error feedback (EF-signSGD)", "Seide et al. 2014; Karimireddy et al. 2019", (560,),
    lambda problem, n, at: gradient_step(at, work=ErrorFeedback(LocalSteps(at.eta))),
    ends=EndPoint("near the optimum, nearer for a smaller η; with one client at the optimum"),
    needs=CONTRACTED, equals="V = 0 and a memory of what was not sent; no compression: gradient descent",
    bugs=(Bug("forgets", "e_i ← what was not sent of this round alone", LIKELY),),
)  # fmt: skip

MCM = Relative(
    "mcm", "MCM", "Philippenko and Dieuleveut 2021 (arXiv:2102.12528)", (560,),
    lambda problem, n, at: gradient_step(
        at, alpha=at.alpha_for(problem.d, n), reference=AsSeen(),
        downlink=Differences(at.compressor, largest_alpha(at.compressor.omega(problem.d))),
    ),
    ends=OPTIMUM, needs=UNBIASED | {Demand.MEMORY, Demand.EVERYONE},
    equals="DIANA whose gradients are taken at what the clients know of θ_t; the server keeps its own θ_t",
    bugs=(Bug("degraded", "the server goes on from what the clients know (Artemis' downlink)", LIKELY),),
    row="own-mcm",
)  # fmt: skip
