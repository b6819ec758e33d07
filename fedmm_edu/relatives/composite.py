"""Relatives for f + g with a prox of g."""

from __future__ import annotations

from fedmm_edu.algorithms.local_steps import DualSteps, Fixed, ProximalSteps
from fedmm_edu.algorithms.spaces import DualSpace, ProximalAverage, ProximalSpace
from fedmm_edu.relatives.local import coin, skipping
from fedmm_edu.relatives.relative import LIKELY, OPTIMUM, Bug, Demand, EndPoint, Relative

COMPOSITE = frozenset({Demand.GRADIENT, Demand.PROX, Demand.EQUAL_WEIGHTS})
MINIMISER = EndPoint("the minimiser of f + g", OPTIMUM.Q)

PROXSKIP = Relative(
    "proxskip", "ProxSkip", "Mishchenko et al. 2022, Algorithm 1, on copies of θ that must agree", (619,),
    lambda problem, n, at: {
        "space": ProximalSpace(at.eta / at.p), "work": skipping(at), "alpha": 1.0},
    ends=MINIMISER, needs=COMPOSITE | {Demand.EVERYONE, Demand.MEMORY, Demand.STRONG_CONVEXITY},
    equals="Scaffnew in 𝒮 of the quadratic surrogate with ρ = η/p; g = 0: Scaffnew",
    rate="EΨ_{k+1} ≤ max(1 − ημ, 1 − p²) EΨ_k for each gradient step, η ≤ 1/L",
    bugs=(Bug("prox of η", "prox_{ηg} in the place of prox_{(η/p)g}", LIKELY),),
    theory=coin,
)  # fmt: skip

FEDMID = Relative(
    "fedmid", "FedMiD", "Yuan, Zaheer and Reddi 2021 (arXiv:2011.08474)", (624,),
    lambda problem, n, at: {
        "space": ProximalAverage(at.constant_gamma * at.eta * at.steps),
        "work": ProximalSteps(at.eta, Fixed(at.steps))},
    ends=EndPoint("where g counts twice: for one client and K = 1 in the limit of small η at the minimiser of f + 2g"),
    needs=COMPOSITE,
    bugs=(
        Bug("one prox", "the server averages and takes no prox: zeros are lost", LIKELY),
        Bug("γ forgotten", "g has the weight ηK at the server, whatever its step γ", LIKELY),
    ),
    row="own-two-proxes",
)  # fmt: skip

FEDDUALAVG = Relative(
    "feddualavg", "FedDualAvg", "Yuan, Zaheer and Reddi 2021 (arXiv:2011.08474)", (624, 626),
    lambda problem, n, at: {
        "space": DualSpace(at.constant_gamma * at.eta * at.steps),
        "work": DualSteps(at.eta, at.constant_gamma * at.eta * at.steps, Fixed(at.steps))},
    ends=EndPoint("g = 0: where FedAvg ends; else nowhere in particular for K > 1 and fixed η"), needs=COMPOSITE,
    equals="K = 1: SA-SSMM with γ_t = 1/t on tangent planes, which are lower bounds for convex f",
    bugs=(
        Bug("g not weighed", "prox_{ηg} in every round: proximal gradient, not dual averaging", LIKELY),
        Bug("γ forgotten", "the weight of g grows by ηK in a round, whatever the server's step γ", LIKELY),
    ),
    row="own-feddualavg",
)  # fmt: skip
