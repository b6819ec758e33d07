"""Relatives that make local steps in Θ, and those that differ in the server step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fedmm_edu.algorithms.local_steps import ControlledSteps, DynamicSteps, Fixed, Geometric, LocalSteps
from fedmm_edu.algorithms.memories import VFromIterates
from fedmm_edu.algorithms.server import Adagrad, Adam, HeavyBall, ServerStep, WithNewV, Yogi
from fedmm_edu.algorithms.spaces import ParameterSpace
from fedmm_edu.algorithms.work import LocalWork
from fedmm_edu.arrays import Array
from fedmm_edu.federation import ByActiveWeight
from fedmm_edu.relatives.relative import (
    LIKELY,
    OPTIMUM,
    PUBLIC,
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

SMOOTH = frozenset({Demand.GRADIENT, Demand.NO_PENALTY})
CONTROLLED = SMOOTH | {Demand.MEMORY, Demand.EQUAL_WEIGHTS}


def drift(H: Array, at: Tuning, pull: float = 0.0) -> Array:
    """η Σ_{k<K} (I − η(H + λI))^k: what K steps make of a gradient at θ_t, for a quadratic f_i with Hessian H."""
    eye = np.eye(len(H))
    powers = [np.linalg.matrix_power(eye - at.eta * (H + pull * eye), k) for k in range(at.steps)]
    return at.eta * np.sum(powers, axis=0)


DRIFT = EndPoint("Σ μ_i Q_i ∇f_i = 0 with Q_i = η Σ_{k<K} (I − ηH_i)^k for quadratic f_i: the optimum for K = 1", drift)


def averaging(at: Tuning, **parts: Any) -> dict[str, Any]:
    """Local steps, averaged with the weights of those who are active."""
    work = LocalSteps(at.eta, Fixed(at.steps))
    return {"space": ParameterSpace(), "work": work, "participation": ByActiveWeight(at.participation), **parts}


def skipping(at: Tuning) -> LocalWork:
    """Steps of everyone with control variates, as many as coins are tossed until the first head; only x comes down."""
    return VFromIterates(at.constant_gamma, ControlledSteps(at.eta, Geometric(at.p)))


def fedopt(kind: type[ServerStep]) -> Callable[[Surrogate, int, Tuning], dict[str, Any]]:
    """FedAvg's clients with another server step."""
    return lambda problem, n, at: averaging(at, server=at.server_of(kind))


FEDAVG = Relative(
    "fedavg", "FedAvg, local SGD", "McMahan et al. 2017; Stich 2019", (233, 560),
    lambda problem, n, at: averaging(at, compressor=at.compressor),
    ends=DRIFT, needs=SMOOTH | {Demand.UNBIASED},
    equals="K = 1, g = 0, all active: FedMM with the quadratic surrogate of ρ = η. With a compressor: FedPAQ.",
    bugs=(Bug("divided by n", "Σ_A μ_i M_i is not divided by the weight of the active", LIKELY),),
    row="own-limit",
)  # fmt: skip

FEDPROX = Relative(
    "fedprox", "FedProx", "Li et al. 2020", (),
    lambda problem, n, at: averaging(at, work=LocalSteps(at.eta, Fixed(at.steps), at.pull)),
    ends=EndPoint(
        "Σ μ_i Q_i ∇f_i = 0 with Q_i = η Σ_{k<K} (I − η(H_i + λI))^k for quadratic f_i, (H_i + λI)⁻¹ in the limit",
        lambda H, at: drift(H, at, at.pull),
    ),
    needs=SMOOTH,
    equals="λ = 0: FedAvg",
    bugs=(
        Bug("always 0", "the proximal term is taken at y = θ_t, where it vanishes", PUBLIC),
        Bug("sign", "the client is pushed away from θ_t", LIKELY),
    ),
)  # fmt: skip

SCAFFOLD = Relative(
    "scaffold", "SCAFFOLD, option II", "Karimireddy et al. 2020, Algorithm 1", (560,),
    lambda problem, n, at: {
        "space": ParameterSpace(), "work": ControlledSteps(at.eta, Fixed(at.steps)), "alpha": at.share(n)},
    ends=OPTIMUM, needs=CONTROLLED,
    equals="FedMM in Θ, V_i = −ηK c_i, α = p. K = 1: FedMM with the quadratic surrogate, FixedSize(m) and α = m/n. It "
    "sends d numbers up, not the 2d of the original: the change of c_i follows from y_K.",
    bugs=(
        Bug("sign", "c_i⁺ adds y − x where the definition has x − y", "pfl 0.6.0"),
        Bug("sends c_i", "the server averages c_i⁺ in the place of c_i⁺ − c_i", PUBLIC),
        Bug("divides by m", "the change of c is divided by the number m of active clients, not by n", PUBLIC),
    ),
    row="own-scaffold",
)  # fmt: skip


def coin(scales: Scales, at: Tuning) -> dict[str, float]:
    """η = 1/L and p = √(m/L), with which communication is accelerated (Mishchenko et al. 2022, Corollary 1)."""
    return {"eta": 1.0 / scales.L, "p": float(np.sqrt(scales.m / scales.L))} if scales.m > 0.0 else {}


def coin_of_folded(scales: Scales, at: Tuning) -> dict[str, float]:
    """The same for f_i + g, with the smoothness that is proved where one is."""
    found = coin(scales, at)
    return found | {"eta": 1.0 / scales.curvature.folded} if found and scales.curvature else found


def coin_rate(scales: Scales, at: Tuning, start: Beginning) -> LinearRate | None:
    """own-proxskip: W − min W ≤ ½(L + λ)Ψ_k, Ψ_k ≤ max(1 − ηλ, 1 − p²)^k Ψ_0, for η ≤ 1/(L + λ) and h_{0,i} = 0."""
    c = scales.curvature
    if c is None or c.lam == 0.0 or at.eta * c.folded > 1.0 + 1e-12:
        return None
    first = start.distance + (at.eta / at.p) ** 2 * start.slopes
    return LinearRate(c.folded / 2.0 * first, max(1.0 - at.eta * c.lam, 1.0 - at.p**2), by_gradients=True)


SCAFFNEW = Relative(
    "scaffnew", "Scaffnew", "Mishchenko et al. 2022, Algorithm 2", (619,),
    lambda problem, n, at: {
        "space": ParameterSpace(), "work": skipping(at), "alpha": 1.0},
    ends=OPTIMUM, needs=CONTROLLED | {Demand.EVERYONE, Demand.STRONG_CONVEXITY},
    equals="SCAFFOLD with everyone and a random number of steps; V_i − V = −(η/p)h_i",
    rate="EΨ_{k+1} ≤ max(1 − ημ, 1 − p²) EΨ_k for each gradient step, Ψ = ‖x − x_⋆‖² + (η²/p²)‖h − h_⋆‖², η ≤ 1/L",
    bugs=(Bug("h not scaled", "h_i moves by x⁺ − x̂_i without p/η", LIKELY),),
    theory=coin_of_folded, certified=coin_rate,
)  # fmt: skip

FEDDYN = Relative(
    "feddyn", "FedDyn", "Acar et al. 2021, Algorithm 1 (arXiv:2111.04263)", (),
    lambda problem, n, at: {
        "space": ParameterSpace(), "work": DynamicSteps(at.eta, at.pull, Fixed(at.steps)), "alpha": at.share(n),
        "server": WithNewV()},
    ends=OPTIMUM, needs=CONTROLLED,
    equals="FedMM in Θ with an implicit step, V_i = −∇f_i(θ_i)/a, α = p, and V_{t+1} where Algorithm 2 has V_t",
    bugs=(
        Bug("θ subtracted once", "h moves by Σ_A θ_i − θ_t in the place of Σ_A (θ_i − θ_t)", PUBLIC),
        Bug("old h", "the server uses h of the round before", LIKELY),
    ),
    row="own-feddyn",
)  # fmt: skip

FEDAVGM = Relative(
    "fedavgm", "FedAvgM", "Hsu, Qi and Brown 2019", (911,), fedopt(HeavyBall), ends=DRIFT, needs=SMOOTH,
    equals="β = 0: FedAvg",
    bugs=(Bug("averaged", "m ← βm + (1 − β)Δ", LIKELY),),
)  # fmt: skip

FEDADAM = Relative(
    "fedadam", "FedAdam", "Reddi et al. 2021, Algorithm 2", (911, 971), fedopt(Adam), ends=DRIFT, needs=SMOOTH,
    bugs=(
        Bug("Δ for m", "the step goes along Δ, not along its average m", PUBLIC),
        Bug("v from 0", "v_{−1} = 0, where they ask for at least τ²", "Flower 1.41"),
    ),
)  # fmt: skip

FEDYOGI = Relative(
    "fedyogi", "FedYogi", "Reddi et al. 2021, Algorithm 2", (911,), fedopt(Yogi), ends=DRIFT, needs=SMOOTH,
    bugs=(Bug("sign", "v + (1 − β₂)Δ² sign(v − Δ²)", LIKELY),),
)  # fmt: skip

FEDADAGRAD = Relative(
    "fedadagrad", "FedAdagrad", "Reddi et al. 2021, Algorithm 2", (911,), fedopt(Adagrad), ends=DRIFT, needs=SMOOTH,
    bugs=(Bug("v forgets", "v ← Δ²", LIKELY),),
)  # fmt: skip
