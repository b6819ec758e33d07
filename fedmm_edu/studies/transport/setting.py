"""What a run depends on: the pair and its clients, and the method with its rates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fedmm_edu.algorithms import Adam, FedMM, Plain, State
from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.federation import Bernoulli, Clients, Everyone
from fedmm_edu.federation.partition import balanced_clusters
from fedmm_edu.transport import (
    ICNN,
    Pair,
    TransportProblem,
    baselines,
    fedadam,
    fedmm_ot,
    joint,
    load_benchmark,
    log_sum_exp,
    pretrain,
    score,
)

__all__ = ["METHODS", "Federation", "Setting", "federation_of"]

PAIRS = ("log-sum-exp", "benchmark")


@dataclass(frozen=True)
class Setting:
    """The pair and its dimension, the samples, what a client uses of them in a round, and the seed of all draws."""

    d: int = 16
    pair: str = "log-sum-exp"
    clients: int = 10
    samples: int = 10_000
    target: int = 20_000
    batch: int = 128
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("d", "clients", "samples", "target", "batch"):
            as_count(name, getattr(self, name))
        if self.pair not in PAIRS:
            raise InvalidInput(f"pair = {self.pair!r}: choose one of {', '.join(PAIRS)}.")


@dataclass(frozen=True, eq=False)
class Federation:
    """A pair, its clients, the problem, the common start of both networks, and points that only the score sees."""

    pair: Pair
    clients: Clients
    problem: TransportProblem
    start: Array
    test: Array

    @property
    def network(self) -> ICNN:
        return self.problem.potentials  # type: ignore

    def closed(self) -> Federation:
        """With derivatives in closed form: the same but for rounding, in three quarters of the time."""
        return replace(self, problem=replace(self.problem, derivatives="closed"))

    def references(self) -> dict[str, float]:
        """UVP of the maps that need the moments alone."""
        maps = baselines(self.pair)
        return {name: score(self.pair, *maps[name], self.test).uvp for name in ("identity", "linear")}


@lru_cache(maxsize=2)
def federation_of(setting: Setting, folder: Path | None = None) -> Federation:
    """Samples, clients and pretrained networks; each kind of sample has a seed of its own."""
    pair = load_benchmark(setting.d, folder) if setting.pair == "benchmark" else log_sum_exp(setting.d)
    data, target, test = (3 * setting.seed + k for k in range(3))
    x, n = pair.sample(setting.samples, data), setting.clients
    labels = balanced_clusters(x, n, setting.seed, rounds=30)
    clients = Clients.of([x[labels == i] for i in range(n)], np.full(n, 1.0 / n))
    network = ICNN.of_benchmark(pair.d)
    problem = TransportProblem(network, pair.sample_target(setting.target, target))
    return Federation(pair, clients, problem, _start(network, setting.seed), pair.sample(8192, test))


@lru_cache(maxsize=4)
def _start(network: ICNN, seed: int) -> Array:
    """Where both networks begin, in all settings of this dimension and seed: it takes seconds to pretrain them."""
    flat = pretrain(network, seed=seed, steps=500)
    flat.flags.writeable = False
    return flat


@dataclass(frozen=True)
class OTMethod:
    """λ; the clients' rate and their K steps; the server's γ; the rate of the server's θ and its M steps; p and α.

    adaptive: Adam on H in place of ω + γ H. joint: FedAdam, or FedAvg if not adaptive, on both networks together.
    """

    lam: float = 0.0
    rate: float = 1.0
    gamma: float = 1.0
    server_rate: float = 1e-3
    adaptive: bool = False
    joint: bool = False
    K: int = 1
    M: int = 10
    p: float = 1.0
    alpha: float = 0.0

    @property
    def rates(self) -> tuple[str, ...]:
        """The learning rates that matter. Adam does not feel the size of what it is given (its τ is 1e-8)."""
        first = "gamma" if self.adaptive else "rate"
        return (first,) if self.joint else (first, "server_rate")

    @property
    def words(self) -> str:
        """Its rates."""
        names = {"rate": "η", "gamma": "γ", "server_rate": "η of θ"}
        return ", ".join(f"{names[name]} = {getattr(self, name):g}" for name in self.rates)

    def start(
        self, given: Federation, setting: Setting, schedule: Callable[[float], StepSize] = float
    ) -> tuple[FedMM, State]:
        """The settings of its run, and the state at t = 0. `schedule` makes a rule of the server's steps, γ and θ's."""
        problem = replace(given.problem, lam=self.lam)
        parts: dict[str, Any] = {"rate": self.rate, "gamma": schedule(self.gamma), "K": self.K, "b": setting.batch}
        parts["server"] = Adam(beta2=0.999, tau=1e-8, bias_correction=True) if self.adaptive else Plain()
        parts |= {"participation": Bernoulli(self.p) if self.p < 1.0 else Everyone(), "alpha": self.alpha}
        parts["seed"] = setting.seed
        if self.joint:
            fed = fedadam(problem, given.clients, **parts)
            return fed, fed.init(joint(given.start, given.start))
        parts |= {"server_rate": schedule(self.server_rate), "server_steps": self.M}
        fed = fedmm_ot(problem, given.clients, theta0=given.start, **parts)
        return fed, fed.init(given.start)


METHODS: Mapping[str, OTMethod] = {
    "FedMM-OT": OTMethod(rate=0.05, server_rate=3e-3),
    "FedMM-OT, adaptive server": OTMethod(gamma=3e-3, server_rate=1e-3, adaptive=True),
    "FedAdam": OTMethod(lam=1.0, gamma=3e-3, adaptive=True, joint=True),
}
"""The methods that Section 7 compares, by name."""
