"""Schedules of faults over nodes in memory: V = Σ W_k = Σ μ_i V_i in each round, and the limit when they have ended.

One in eight is of secure sums, where V = Σ μ_i V_i whenever all nodes have their V_i, and when the faults have ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from random import Random

import numpy as np

from fedmm_edu.distributed import Fault, Misbehaving, NobodyAnswered, one_round
from fedmm_edu.federation import (
    BlockQuantization,
    Everyone,
    FixedScaleQuantization,
    Identity,
    RandK,
    UniformQuantization,
)
from tests.campaigns.campaign import Try
from tests.distributed.federations import error, gap, held, limit, nodes_of, regression

ROUNDS, FAULTY, SUMS = 90, 35, 14
EXACT = (Identity(), UniformQuantization(8))
COMPRESSORS = (*EXACT, UniformQuantization(4), BlockQuantization(2), RandK(2))
"""`EXACT` have reached the limit after `ROUNDS`; of the others the noise goes more slowly, and it is only near."""
APART = "a node has another history than the server when the faults have ended"


@cache
def _limit():
    return limit(regression())


def tries(rng: Random) -> Iterator[Try]:
    """A rate of faults, their kinds, attempts, a delay, a compressor, a start of V_i, a number of nodes."""
    while True:
        if rng.random() < 0.125:
            seed, rate = rng.randrange(2**32), rng.choice([0.02, 0.1, 0.2])
            attempts, K = rng.randint(1, 3), rng.randint(2, 4)
            what = f"secure sums, seed {seed}, rate {rate}, {attempts} attempts, {K} nodes"
            yield Try(what, lambda a=(seed, rate, attempts, K): _hold_sums(*a))
            continue
        seed, rate = rng.randrange(2**32), rng.choice([0.1, 0.3, 0.6])
        delay, attempts = rng.randint(1, 9), rng.randint(1, 3)
        compressor = rng.choice(COMPRESSORS)
        parts = {"compressor": compressor} | ({"participation": Everyone()} if rng.random() < 0.5 else {})
        parts["alpha"] = 0.2 if isinstance(compressor, (BlockQuantization, RandK)) else 0.5
        V, K = rng.choice(["zero", "mean_field"]), rng.randint(1, 6)
        what = f"seed {seed}, rate {rate}, delay {delay}, {attempts} attempts, {parts}, V = {V}, {K} nodes"
        yield Try(what, lambda a=(seed, rate, delay, attempts, parts, V, K): _hold(*a))


def _hold_sums(seed: int, rate: float, attempts: int, K: int) -> str | None:
    rng = Random(seed)
    grid = FixedScaleQuantization(16, 4.0, halve_every=8)
    fed = regression(compressor=grid, participation=Everyone(), alpha=0.5, secure_sum=True)
    plan, nodes, state = nodes_of(fed, K)
    kinds = [kind for kind in Fault if kind is not Fault.NOT_A_NUMBER]  # a wrong term is believed
    faulty = True
    engine = Misbehaving(nodes.nodes, lambda c, k: rng.choice(kinds) if faulty and rng.random() < rate else None, 5)
    for round_ in range(SUMS):
        faulty = round_ < SUMS - 3
        with suppress(NobodyAnswered):
            state, _ = one_round(plan, engine, state, attempts=attempts)
        if (apart := gap(plan, engine, state)) > 1e-12:
            return f"round {state.t}: V − Σ μ_i V_i = {apart:.1e}"
    return None if len(held(engine, state)) == K else APART


def _hold(seed: int, rate: float, delay: int, attempts: int, parts: dict, V, K: int) -> str | None:
    rng, fed = Random(seed), regression(**parts)
    plan, nodes, state = nodes_of(fed, K, V)
    kinds = rng.sample(list(Fault), rng.randint(1, len(Fault)))
    faulty = True
    engine = Misbehaving(nodes.nodes, lambda c, k: rng.choice(kinds) if faulty and rng.random() < rate else None, delay)
    for round_ in range(ROUNDS):
        faulty = round_ < FAULTY
        try:
            state, _ = one_round(plan, engine, state, attempts=attempts)
        except NobodyAnswered:
            continue
        for k, node in engine.nodes.items():
            kept = node.at(state.base[k].tobytes())
            if kept is not None and np.abs(plan.mu[plan.nodes[k]] @ kept.V - state.W[k]).max() > 1e-12:
                return f"round {state.t}: W_{k} is not the sum of its node"
        if np.abs(state.V - state.W.sum(axis=0)).max() > 1e-12:
            return f"round {state.t}: V is not the sum of the shares"
    if len(held(engine, state)) < K:
        return APART
    if (apart := gap(plan, engine, state)) > 1e-12:
        return f"V − Σ μ_i V_i = {apart:.1e}"
    found = error(state.x, _limit())
    return None if found < (1e-6 if fed.compressor in EXACT else 1.0) else f"error {found:.1e} at the end"
