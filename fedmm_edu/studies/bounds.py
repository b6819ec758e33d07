"""`fedmm run bounds`: every theorem against runs of the loop, measured over bound, on problems with proved constants.

Half of the clients are away; unbiased messages are Rand-1, biased ones Top-1 (on the line the whole number). A theorem
on the mean over rounds is judged by the measured mean over the bound, at the step size with the least bound; one on a
linear rate by the rounds to a thousandth of the start over those that it asks for, at the step size for which these are
fewest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from matplotlib.figure import Figure

from fedmm_edu.algorithms import Constant, FedMM, mm, run
from fedmm_edu.algorithms.server import AlongV, Plain
from fedmm_edu.arrays import Array
from fedmm_edu.errors import as_count
from fedmm_edu.examples.quadratic import L1, LeastSquares, Penalty, Quadratic, Ridge, Zero, admissible_rho
from fedmm_edu.examples.toy import Toy
from fedmm_edu.federation import Bernoulli, Clients, Compressor, FullBatch, RandK, TopK, largest_alpha, omega_p
from fedmm_edu.figures import panels
from fedmm_edu.figures.theorem import draw_by_theorem
from fedmm_edu.studies.study import Experiment, Part, Picture, markdown_table
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.text.tables import Progress
from fedmm_edu.theory import (
    Constants,
    Contraction,
    Flat,
    Monotone,
    Rate,
    any_projection,
    best_gamma,
    best_own,
    biased,
    biased_linear,
    biased_monotone,
    bound,
    diana,
    diana_alpha,
    pl,
    projected,
    without_A7,
)

__all__ = ["recorded", "table_of"]

P, SHARE = 0.5, 1e-3
"""The chance to take part, and the part of the start that a linear rate is to reach."""


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A problem with equal clients and exact oracles, its least value and root, and what theorems know of it.

    constants and m (of PL): None where A7 fails. B: the matrix of A7, a multiple of the identity in each of them.
    """

    problem: Surrogate
    clients: Clients
    start: Array
    least: float
    root: Array
    flat: Flat
    monotone: Monotone
    constants: Constants | None = None
    m: float | None = None
    B: Callable[[Array], float] = lambda s: math.nan

    @property
    def n(self) -> int:
        return len(self.clients)

    def field(self, s: Array) -> Array:
        return self.clients.mean_S_bar(self.problem, self.problem.T(s)) - s

    def gap(self, s: Array) -> float:
        return self.clients.objective(self.problem, self.problem.T(s)) - self.least

    def distance(self, s: Array) -> float:
        """‖s − s_⋆‖²."""
        return float((s - self.root) @ (s - self.root))

    def in_norm(self, s: Array) -> float:
        """‖h(s)‖²_B."""
        return self.B(s) * self.plain(s)

    def plain(self, s: Array) -> float:
        """‖h(s)‖²."""
        return float(self.field(s) @ self.field(s))


def toy() -> Benchmark:
    """The toy on [1, 4]: h_i = z̄_i − s, B = s^(−3/2)/2; (‖h‖²_B)/(2 gap) is smallest at an end, as a grid shows."""
    means = np.array([1.5, 2.0, 3.0, 3.5])
    z, n = float(means.mean()), 4
    s = np.linspace(1.0, 4.0, 6001)
    s = s[np.abs(s - z) > 1e-3]
    ratio = (z - s) ** 2 / (4.0 * s**1.5 * (z / np.sqrt(s) + np.sqrt(s) - 2.0 * math.sqrt(z)))
    constants = Constants(1 / 16, 1 / 2, 3 / 8, 1 / 2, max(z - 1.0, 4.0 - z), 1.0, 0.0, n)
    problem, clients = Toy(1.0, 4.0), Clients.of([[[x]] for x in means])
    return Benchmark(
        problem, clients, np.array([3.9]), 2.0 * math.sqrt(z), np.array([z]), Flat(1 / 2, 1e-12, 1.0, 0.0, n),
        Monotone(1.0, 1.0, 1.0 / n, 0.0, n, 1.0), constants, 0.999 * float(ratio.min()),
        lambda s: float(s[0]) ** -1.5 / 2.0,
    )  # fmt: skip


def regression(penalty: Penalty, d: int = 3, n: int = 4) -> Benchmark:
    """Least squares: with ridge or none h is affine, with the slope M = I − κ(I − ρA), κ = 1/(1 + ρλ), B = κI/ρ."""
    rng = np.random.default_rng(11)
    x = rng.normal(size=(n, 20, d))
    y = x @ np.arange(1.0, d + 1.0) + rng.normal(size=(n, 1)) + 0.1 * rng.normal(size=(n, 20))
    clients = Clients.of([np.column_stack([a, b]) for a, b in zip(x, y, strict=True)])
    rho = admissible_rho(LeastSquares(), clients)
    problem, moments = Quadratic(d, rho, penalty=penalty), [a.T @ a / 20 for a in x]
    central = mm(problem, clients.z)
    root = run(central, central.init(np.zeros(d)), 6000)[0].x
    least = clients.objective(problem, problem.T(root))
    flat = Flat(1.0 / rho, rho, 2.0, 0.0, n)  # own-lip-growth: κ = ℓ_φ = 1/ρ, and ℓ_S = 1 as f is convex
    if isinstance(penalty, L1):
        low = float(np.linalg.eigvalsh(np.mean(moments, axis=0))[0])
        rate = Monotone.prox(rho_mu=rho * low, rho_L=1.0, largest_mu=1.0 / n, sigma=0.0, n=n)
        return Benchmark(problem, clients, np.full(d, 3.0), least, root, flat, rate)
    shrink = 1.0 / (1.0 + rho * getattr(penalty, "lam", 0.0))
    slopes = [np.eye(d) - shrink * (np.eye(d) - rho * A) for A in moments]
    ends = np.linalg.eigvalsh(np.mean(slopes, axis=0))
    half = np.linalg.inv(np.linalg.cholesky(np.mean(slopes, axis=0)))
    lam = float(np.linalg.eigvalsh(half @ (np.mean([M @ M for M in slopes], axis=0) / n) @ half.T)[-1])
    L = math.sqrt(float(np.mean([np.linalg.norm(M, 2) ** 2 for M in slopes])))
    constants = Constants(shrink / rho, shrink / rho, 0.0, shrink / rho, math.inf, L, 0.0, n)
    rate = Monotone(float(ends[0]), float(ends[-1]), lam, 0.0, n, L)
    return Benchmark(
        problem, clients, np.full(d, 3.0), least, root, flat, rate, constants, float(ends[0]), lambda s: shrink / rho
    )


CASES: Mapping[str, Callable[[], Benchmark]] = {
    "toy on [1, 4]": toy,
    "least squares": lambda: regression(Zero()),
    "ridge": lambda: regression(Ridge(0.5)),
    "lasso": lambda: regression(L1(0.3)),
}


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
        last(pl(c, together, case.m, alpha), alpha, case.gap, gap)
        last(pl(c, together, case.m, alpha, "projected"), alpha, case.gap, gap)
        last(biased_linear(c, channel, case.m), P, case.gap, gap)
    if q > 1:  # the toy's mean oracle does not move with θ, so that ℓ may be 0, and a infinite
        summed("own-lip", without_A7(case.flat, together, alpha), case.flat, alpha, case.plain, case.flat.a * h0)
    last(diana(case.monotone, together, half), half, case.distance, apart, case.monotone.start * apart)
    last(biased_monotone(case.monotone, channel, 1.0 / n), P, case.distance, apart)
    return found


def measured(case: Benchmark, claimed: Claimed, seeds: int, share: float = SHARE) -> float:
    """The mean over rounds and seeds, or the first round at which the mean over seeds is this share of the start."""
    server = Plain() if claimed.compressor.unbiased else AlongV()
    feds = [
        FedMM(
            case.problem, case.clients, Constant(claimed.gamma), FullBatch(), Bernoulli(claimed.p), claimed.compressor,
            alpha=claimed.alpha, server=server, seed=k, beyond_theorem=True,
        ) for k in range(seeds)
    ]  # fmt: skip
    states, total = [fed.init(case.start, "mean_field") for fed in feds], 0.0
    start = claimed.measure(case.start)
    for t in range(claimed.rounds):
        mean = float(np.mean([claimed.measure(state.x) for state in states]))
        if claimed.bound is None and mean <= share * start:
            return float(t)
        total += mean
        states = [fed.step(state) for fed, state in zip(feds, states, strict=True)]
    return float(claimed.rounds) if claimed.bound is None else total / claimed.rounds


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
    found, progress = [], Progress(len(CASES))
    for name, make in CASES.items():
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
        (name, "rounds" if linear else "mean", *(shown.get((name, at), "—") for at in CASES))
        for name, linear in dict.fromkeys((one.theorem, one.linear) for one in found)
    ]
    return markdown_table(("theorem", "of", *CASES), sorted(rows, key=lambda row: row[1]))


def drawn(found: Sequence[Found]) -> Figure:
    """Two panels: means over rounds, and rounds of linear rates."""
    figure, axes = panels(2, width=5.5, height=3.4)
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
