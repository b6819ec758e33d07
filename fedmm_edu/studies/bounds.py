"""`fedmm run bounds`: every theorem against runs of the loop, measured over bound, on problems with proved constants.

Half of the clients are away; unbiased messages are Rand-1, biased ones Top-1 (on the line the whole number). A theorem
on the mean over rounds is judged by the measured mean over the bound, at the step size with the least bound; one on a
linear rate by the rounds to a thousandth of the start over those that it asks for, at the step size for which these are
fewest. SCAFFOLD makes three local steps, also with half of the clients away; acceleration has everyone in full, or one
client with all of the data whose messages are Rand-1, and lost half of the time.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import count, islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from matplotlib.figure import Figure

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.algorithms.server import AlongV, Plain
from fedmm_edu.arrays import Array
from fedmm_edu.errors import as_count
from fedmm_edu.federation import Bernoulli, Compressor, FullBatch, Identity, RandK, TopK, largest_alpha, omega_p
from fedmm_edu.figures import stack
from fedmm_edu.figures.theorem import draw_by_theorem
from fedmm_edu.relatives import Tuning, relatives
from fedmm_edu.studies.benchmarks import BENCHMARKS, Benchmark
from fedmm_edu.studies.study import Experiment, Part, Picture, markdown_table
from fedmm_edu.text.tables import Progress
from fedmm_edu.theory import (
    Constants,
    Contraction,
    Flat,
    LocalRounds,
    Rate,
    Seminorm,
    any_projection,
    best_gamma,
    best_own,
    biased,
    biased_linear,
    biased_monotone,
    bound,
    diana,
    diana_alpha,
    fastest_restarts,
    pl,
    projected,
    scaffold,
    without_A7,
    without_v_min,
)
from fedmm_edu.theory.own import steepness

__all__ = ["recorded", "table_of"]

P, SHARE = 0.5, 1e-3
"""The chance to take part, and the part of the start that a linear rate is to reach."""


@dataclass(frozen=True)
class Claimed:
    """What a theorem says of a case with these messages: γ, α; a bound on a mean over T rounds, or T."""

    gamma: float
    alpha: float
    compressor: Compressor
    measure: Callable[[Array], float]
    rounds: int
    bound: float | None = None
    p: float = P
    local: int = 0  # SCAFFOLD with so many local steps
    block: int = 0  # acceleration, begun anew after so many rounds
    lossy: bool = False  # acceleration of one client whose messages lose something


def claims(case: Benchmark, rounds: int) -> dict[str, Claimed]:
    """Every theorem that applies."""
    q, n = case.problem.q, case.n
    together, channel = omega_p(q - 1.0, P), Contraction(1.0 / q, P)
    alpha, half = largest_alpha(together), diana_alpha(together)
    gap, h0, apart = case.gap(case.start), case.plain(case.start), case.distance(case.start)
    found, sent = {}, (RandK(1), TopK(1))

    def summed(name: str, terms: Any, c: Constants | Flat, size: float, measure: Any, more: float = 0.0) -> None:
        gamma, limit = best_own(terms, c, rounds=rounds, initial_gap=gap + more)
        found[name] = Claimed(gamma, size, sent[name == "own-biased"], measure, rounds, limit.total)

    def last(rate: Rate, size: float, measure: Any, start: float, G: float = 0.0) -> None:
        reached = rate.fastest(SHARE * start, initial_gap=start, initial_variates=G)
        if reached is not None:
            found[rate.row] = Claimed(reached[0], size, sent["biased" in rate.row], measure, reached[1])

    if case.constants is not None and case.m is not None:
        c = case.constants
        gamma = best_gamma(c, rounds=rounds, initial_gap=gap, omega_p=together, alpha=alpha)
        limit = bound(c, gamma=gamma, rounds=rounds, initial_gap=gap, omega_p=together, alpha=alpha).total
        found["own-thm1-B-best"] = Claimed(gamma, alpha, RandK(1), case.in_norm, rounds, limit)
        summed("own-any", any_projection(c, together, alpha), c, alpha, case.in_norm)
        summed("own-projected", projected(c, together, alpha), c, alpha, case.in_norm)
        summed("own-biased", biased(c, channel), c, P, case.in_norm)
        if c.C_star == 0.0:  # φ∘T is affine, and 𝒮 is the whole space
            flat = case.flat
            semi = Seminorm.under_A7(
                steepness(c), 0.0, v_max=c.v_max, lam=math.sqrt(flat.L_T) * flat.ell, h0=math.sqrt(h0), L=c.L,
                sigma=c.sigma, n=n,
            )  # fmt: skip
            bounds = [
                best_own(terms, semi, rounds=rounds, initial_gap=gap) for terms in without_v_min(semi, together, alpha)
            ]
            gamma, limit = min(bounds, key=lambda pair: pair[1].total)
            found["own-seminorm"] = Claimed(gamma, alpha, RandK(1), case.in_norm, rounds, limit.total)
        last(pl(c, together, case.m, alpha), alpha, case.gap, gap)
        last(pl(c, together, case.m, alpha, "projected"), alpha, case.gap, gap)
        last(biased_linear(c, channel, case.m), P, case.gap, gap)
    if q > 1:  # the toy's mean oracle does not move with θ, so that ℓ may be 0, and a infinite
        summed("own-lip", without_A7(case.flat, together, alpha), case.flat, alpha, case.plain, case.flat.a * h0)
    last(diana(case.monotone, together, half), half, case.distance, apart, case.monotone.start * apart)
    last(biased_monotone(case.monotone, channel, 1.0 / n), P, case.distance, apart)
    return found | faster(case)


def faster(case: Benchmark) -> dict[str, Claimed]:
    """SCAFFOLD with three local steps, half of the clients away, c_i = 0; acceleration in full, and of one client."""
    found = {}
    if case.smooth is not None:
        problem, clients, condition = case.smooth
        theta, start = case.problem.T(case.root), case.problem.T(case.start)
        rate = scaffold(LocalRounds(condition, 3, case.n // 2, case.n))
        slopes = [problem.mean_S_bar(z, theta) - theta for z in clients]  # −ρ∇f_i(θ_⋆)
        at = {
            "initial_gap": float(np.sum((start - theta) ** 2)),
            "initial_variates": float(np.mean(np.square(slopes).sum(1))),
        }
        reached = rate.fastest(SHARE * at["initial_gap"], **at)
        if reached is not None:
            gamma, T = reached
            found[rate.row] = Claimed(gamma, 0.0, Identity(), lambda x: float(np.sum((x - theta) ** 2)), T, local=3)
        least, kept = clients.objective(problem, theta), 1.0 + omega_p(problem.d - 1.0, P)
        goal = SHARE * (clients.objective(problem, start) - least)
        T = math.ceil(kept * math.sqrt(2.0 * at["initial_gap"] / (problem.rho * goal)))
        found["own-accelerated-message"] = Claimed(
            1.0 / kept, 0.0, RandK(1), lambda x: clients.objective(problem, x) - least, T, lossy=True
        )
    if case.condition is not None:
        blocks = fastest_restarts(SHARE, case.condition, initial_gap=1.0)
        found["own-accelerated-restart"] = Claimed(1.0, 0.0, Identity(), case.gap, blocks.rounds, block=blocks.block)
    return found


def measured(case: Benchmark, claimed: Claimed, seeds: int, share: float = SHARE) -> float:
    """The mean over rounds and seeds, or the first round at which the mean over seeds is this share of the start."""
    total, start = 0.0, 0.0
    for t, points in enumerate(islice(rounds_of(case, claimed, seeds), claimed.rounds)):
        mean = float(np.mean([claimed.measure(x) for x in points]))
        start = mean if t == 0 else start
        if claimed.bound is None and mean <= share * start:
            return float(t)
        total += mean
    return float(claimed.rounds) if claimed.bound is None else total / claimed.rounds


def rounds_of(case: Benchmark, claimed: Claimed, seeds: int) -> Iterator[Sequence[Array]]:
    """Where each run is before each round."""
    if claimed.lossy:
        yield from zip(*(one_client(case, claimed.gamma, k) for k in range(seeds)), strict=True)
        return
    if claimed.block > 0:
        yield from ([s] for s in accelerated(case, claimed.block))
        return
    feds, start, V = [loop(case, claimed, k) for k in range(seeds)], case.start, "mean_field"
    if claimed.local > 0:
        start, V = case.problem.T(start), "zero"
    states = [fed.init(start, V) for fed in feds]
    while True:
        yield [state.x for state in states]
        states = [fed.step(state) for fed, state in zip(feds, states, strict=True)]


def loop(case: Benchmark, claimed: Claimed, seed: int) -> FedMM:
    """The loop with the parts that are claimed."""
    if claimed.local > 0 and case.smooth is not None:
        problem, clients, _ = case.smooth
        at = Tuning(eta=claimed.gamma * problem.rho, steps=claimed.local, active=case.n // 2, seed=seed)
        return relatives()["scaffold"].on(problem, clients, at)
    server = Plain() if claimed.compressor.unbiased else AlongV()
    return FedMM(
        case.problem, case.clients, Constant(claimed.gamma), FullBatch(), Bernoulli(claimed.p), claimed.compressor,
        alpha=claimed.alpha, server=server, seed=seed, beyond_theorem=True,
    )  # fmt: skip


def accelerated(case: Benchmark, block: int) -> Iterator[Array]:
    """Ŝ_t of own-accelerated, t_k = (k + 1)/2 and z = x at the beginning of each block; θ ↦ T(E S̄(Z, θ)) is a step."""
    s = case.start
    x = case.problem.T(s)
    while True:
        z = x
        for k in range(1, block + 1):
            yield s
            t = (k + 1) / 2
            s = case.clients.mean_S_bar(case.problem, (1.0 - 1.0 / t) * x + z / t)
            before, x = (1.0 - 1.0 / t) * x + z / t, case.problem.T(s)
            z = z + t * (x - before)


def one_client(case: Benchmark, step: float, seed: int) -> Iterator[Array]:
    """θ_t of own-accelerated-message, t_k = (k + 1)/2, η = ρ·`step` and ζ = ρ·`step`²; θ − E S̄(Z, θ) is ρ∇f(θ)."""
    assert case.smooth is not None
    problem, clients, _ = case.smooth
    rng, x = np.random.default_rng([seed, 1]), case.problem.T(case.start)
    z = x
    for k in count(1):
        yield x
        t = (k + 1) / 2
        y = (1.0 - 1.0 / t) * x + z / t
        sent = np.zeros_like(y)
        j = int(rng.integers(problem.d))
        if rng.random() < P:
            sent[j] = (y - clients.mean_S_bar(problem, y))[j] * problem.d / P
        x, z = y - step * sent, z - step**2 * t * sent


@dataclass(frozen=True)
class Found:
    """One theorem on one problem: measured over claimed, of a value or (of a linear rate) of rounds."""

    theorem: str
    problem: str
    gamma: float
    measured: float
    claimed: float
    linear: bool

    @property
    def ratio(self) -> float:
        """Measured over claimed."""
        return self.measured / self.claimed


@dataclass(frozen=True)
class BoundsPlan:
    """How much is run."""

    rounds: Annotated[int, "rounds T of a mean"] = 200
    seeds: Annotated[int, "runs of each setting"] = 8

    def __post_init__(self) -> None:
        as_count("rounds", self.rounds, low=2)
        as_count("seeds", self.seeds)


def results(asked: BoundsPlan) -> Part:
    """All theorems on all problems; status 1 where something measured is above what is claimed."""
    found, progress = [], Progress(len(BENCHMARKS))
    for name, make in BENCHMARKS.items():
        case = make()
        for theorem, claimed in claims(case, asked.rounds).items():
            linear = claimed.bound is None
            limit = float(claimed.rounds) if claimed.bound is None else claimed.bound
            found.append(Found(theorem, name, claimed.gamma, measured(case, claimed, asked.seeds), limit, linear))
        progress.step(name)
    table = table_of(found)
    picture = Picture("figure.png", "Measured over bound", lambda: drawn(found))
    numbers = {"plan": asdict(asked), "found": [asdict(one) for one in found]}
    failed = any(one.ratio > 1.0 for one in found)
    return Part("bounds", (picture, table), numbers, text=table, status=int(failed))


def table_of(found: Sequence[Found]) -> str:
    """Markdown: a row per theorem with its ratio on each problem, "—" where it does not apply."""
    ratios = {(one.theorem, one.problem): one.ratio for one in found}
    shown = {key: f"{ratio:.2g}" for key, ratio in ratios.items()}
    rows = [
        (name, "rounds" if linear else "mean", *(shown.get((name, at), "—") for at in BENCHMARKS))
        for name, linear in dict.fromkeys((one.theorem, one.linear) for one in found)
    ]
    return markdown_table(("theorem", "of", *BENCHMARKS), sorted(rows, key=lambda row: row[1]))


def drawn(found: Sequence[Found]) -> Figure:
    """Two panels: means over rounds, and rounds of linear rates."""
    figure, axes = stack(2, width=6.0, height=3.4)
    for ax, linear, title in zip(axes, (False, True), ("mean over bound", "rounds over certified rounds"), strict=True):
        part = [one for one in found if one.linear == linear]
        ratios = {name: {one.problem: one.ratio for one in part if one.theorem == name} for name in
                  dict.fromkeys(one.theorem for one in part)}  # fmt: skip
        draw_by_theorem(ax, ratios, title)
    return figure


def recorded(path: Path) -> list[Found]:
    """What a run has written."""
    return [Found(**one) for one in json.loads(path.read_text(encoding="utf-8"))["found"]]


EXPERIMENT = Experiment(BoundsPlan, results, Path("results/bounds"))
