"""`fedmm run theorem`: Theorem 1 against runs, where its assumptions hold and where one of them fails.

Each problem comes with constants that are proved for it (its docstring says how). For every setting of a grid the mean
of (1/T) Σ_t Ē_t over seeds is compared with the bound. The second part breaks one assumption at a time and reports
what the runs do; the bound printed there is what a person would compute who had not noticed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from matplotlib.figure import Figure

from fedmm_edu.algorithms import Constant, FedMM, State, run
from fedmm_edu.arrays import Array
from fedmm_edu.errors import Diverged, as_count
from fedmm_edu.examples.poisson import Law, Poisson
from fedmm_edu.examples.quadratic import L1, LeastSquares, Penalty, Quadratic, Ridge, Zero, admissible_rho
from fedmm_edu.examples.toy import Toy
from fedmm_edu.federation import (
    Bernoulli,
    Clients,
    Compressor,
    CustomLaw,
    Draws,
    FullBatch,
    Identity,
    MiniBatch,
    Oracle,
    Participation,
    RandK,
    omega_p,
)
from fedmm_edu.figures import panels
from fedmm_edu.figures.theorem import draw_ratios
from fedmm_edu.studies.study import Experiment, Part, Picture
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.text.tables import Progress
from fedmm_edu.theory import Constants, bound, largest_alpha, largest_gamma

__all__ = ["PROBLEMS", "Instance", "Measured", "measure", "path", "violations"]


@dataclass(frozen=True, eq=False)
class Instance:
    """A problem with its clients, oracle, start and proved constants; `least` is min W over T(𝒮).

    kappa: A7 holds with κ B(s), where B(s) is the kernel's own (Appendix E.1 prints κ = 1 for a ridge, too).
    """

    problem: Surrogate
    clients: Clients
    oracle: Oracle
    start: Array
    constants: Constants
    least: float
    kappa: float = 1.0

    def gap(self) -> float:
        """Δ."""
        return self.clients.objective(self.problem, self.problem.T(self.start)) - self.least


def toy(n: int, rng: np.random.Generator) -> Instance:
    """𝒮 = [1, 4]: B(s) = s^{-3/2}/2 in [1/16, 1/2], C_⋆ = 3/8, h_i(s) = E_i[Z] − s, noise of Z without replacement."""
    clients, batch = Clients.of([rng.uniform(1.0 + i / n, 3.0 + i / n, (12, 1)) for i in range(n)]), 4
    mean = float(clients.mu @ [z.mean() for z in clients.data])
    var = [float(z.var()) * (12 - batch) / (batch * 11) for z in clients.data]
    sup_h = max(mean - 1.0, 4.0 - mean)
    constants = Constants(1 / 16, 1 / 2, 3 / 8, 1 / 2, sup_h, 1.0, math.sqrt(n * clients.mu**2 @ var), n)
    return Instance(Toy(1.0, 4.0), clients, MiniBatch(batch), np.array([3.8]), constants, 2.0 * math.sqrt(mean))


def quadratic(n: int, rng: np.random.Generator, penalty: Penalty, d: int = 2) -> Instance:
    """Least squares with every sample (σ = 0), g = 0 or ridge: B = κ I/ρ and ∇h_i = κ(I − ρA_i) − I, κ = 1/(1 + ρλ)."""
    x = rng.uniform(-1.0, 1.0, (n, 15, d))
    y = x @ rng.normal(size=d) + rng.normal(size=(n, 1)) + 0.1 * rng.normal(size=(n, 15))
    clients = Clients.of([np.column_stack([a, b]) for a, b in zip(x, y, strict=True)])
    rho, lam = admissible_rho(LeastSquares(), clients), getattr(penalty, "lam", 0.0)
    shrink = 1.0 / (1.0 + rho * lam)
    moments = [a.T @ a / 15 for a in x]
    slopes = [np.linalg.norm(shrink * (np.eye(d) - rho * A) - np.eye(d), 2) for A in moments]
    constants = Constants(
        shrink / rho, shrink / rho, 0.0, shrink / rho, math.inf, math.sqrt(np.mean(np.square(slopes))), 0.0, n
    )
    problem = Quadratic(d, rho, penalty=penalty)
    target = np.mean([a.T @ b / 15 for a, b in zip(x, y, strict=True)], axis=0)
    best = np.linalg.solve(np.mean(moments, axis=0) + lam * np.eye(d), target)
    least = clients.objective(problem, best)
    return Instance(problem, clients, FullBatch(), np.full(d, 2.0), constants, least, kappa=shrink)


def poisson(n: int, rng: np.random.Generator) -> Instance:
    """Second strategy, 𝒮 = [−max e^h, −min e^h] of length R: h_i' = B(s) E_i[Var(e^h | Z, T(s))] − 1 and Var ≤ R²/4.

    Hence |h_i'| ≤ max(1, v_max R²/4 − 1), |h| ≤ R and σ_i² ≤ (R²/4)/b; W∘T is minimised over a fine grid, from which
    its Lipschitz constant sup|h|·v_max takes off what lies between two points.
    """
    clients = Clients.of([rng.poisson(1.5 + i / n, (15, 1)).astype(float) for i in range(n)])
    mean, lam, b = float(clients.z.mean()), 0.5, 5
    problem = Poisson(lam, Law.discrete([-0.7, 0.3], [0.5, 0.5]), mean)
    R = problem.most - problem.least
    low, high = mean / (lam - problem.least) ** 2, mean / (lam - problem.most) ** 2
    constants = Constants(
        low, high, mean / (lam - problem.most) ** 3, high, R,
        max(1.0, high * R**2 / 4 - 1.0), math.sqrt(R**2 / 4 * (15 - b) / (b * 14)), n,
    )  # fmt: skip
    s = np.linspace(problem.least, problem.most, 401)
    least = min(clients.objective(problem, problem.T(np.array([v]))) for v in s) - R * high * R / 400
    return Instance(problem, clients, MiniBatch(b), np.array([problem.least]), constants, least)


PROBLEMS: dict[str, Callable[[int, np.random.Generator], Instance]] = {
    "toy on [1, 4]": toy,
    "least squares": lambda n, rng: quadratic(n, rng, Zero()),
    "ridge": lambda n, rng: quadratic(n, rng, Ridge(0.5)),
    "Poisson, strategy 2": poisson,
}
"""Problems in which every assumption of Theorem 1 holds: (number of clients, generator) ↦ an instance."""


@dataclass(frozen=True)
class Measured:
    """One setting, what was measured over the seeds (mean and standard error), and the bound."""

    problem: str
    n: int
    p: float
    omega: float
    alpha: float
    gamma: float
    measured: float
    error: float
    bound: float
    printed: float | None

    @property
    def ratio(self) -> float:
        """Measured over bound: the theorem says at most 1."""
        return self.measured / self.bound


def error_bar(fed: FedMM, state: State, gamma: float, kappa: float = 1.0) -> float:
    """Ē_{t+1} = ‖Π(s + γ h(s), B) − s‖²_B/γ² at s = Ŝ_t, where B is κ times B(s) of the kernel."""
    s, B = state.x, kappa * fed.problem.B(state.x)
    h = fed.clients.mean_S_bar(fed.problem, fed.theta(state)) - s
    move = fed.problem.project(s + gamma * h, B) - s
    return float(move @ B @ move) / gamma**2


def path(fed: FedMM, start: Array, gamma: float, rounds: int, V: Literal["zero", "mean_field"] = "mean_field", *,
         kappa: float = 1.0) -> Array:  # fmt: skip
    """Ē_1, …, Ē_T of one run; infinite from the round on in which it leaves the floats."""

    def error(fed: FedMM, before: State | None, after: State) -> float:
        return error_bar(fed, after, gamma, kappa) if np.abs(after.x).max() <= 1e100 else np.inf

    found = np.full(rounds, np.inf)
    try:
        _, history = run(fed, fed.init(start, V), rounds - 1, columns={"error": error}, every=1)
    except Diverged as left:
        history = left.history
    found[: len(history.error)] = history.error
    return found


def admitted(instance: Instance) -> Iterator[tuple[Participation, float, Compressor, float, float]]:
    """Participation, p, compressor, α and γ: shares of the largest that the theorem admits."""
    q = instance.problem.q
    compressors: list[Compressor] = [Identity(), *([RandK(1)] if q > 1 else [])]
    for p, compressor in product((1.0, 0.4), compressors):
        together = omega_p(compressor.omega(q), p)
        for share_alpha, share_gamma in product((1.0, 0.3) if together else (1.0,), (0.95, 0.3)):
            alpha = share_alpha * largest_alpha(together)
            most = largest_gamma(instance.constants, together, alpha)
            yield Bernoulli(p), p, compressor, alpha, share_gamma * most


def measure(name: str, instance: Instance, rounds: int, seeds: int, seed: int) -> list[Measured]:
    """The grid of one problem, with `seeds` runs for each setting."""
    rows = []
    for who, p, compressor, alpha, gamma in admitted(instance):
        omega = compressor.omega(instance.problem.q)
        averages = []
        for k in range(seeds):
            fed = FedMM(instance.problem, instance.clients, Constant(gamma), instance.oracle, who, compressor, alpha,
                        metric="B", seed=seed + k)  # fmt: skip
            averages.append(path(fed, instance.start, gamma, rounds, kappa=instance.kappa).mean())
        together = omega_p(omega, p)
        at = {"rounds": rounds, "initial_gap": instance.gap(), "omega_p": together, "alpha": alpha}
        right = bound(instance.constants, gamma=gamma, **at).total
        known = gamma < largest_gamma(instance.constants, together, alpha, version="printed")
        printed = bound(instance.constants, gamma=gamma, version="printed", **at).total if known else None
        spread = float(np.std(averages, ddof=1) / math.sqrt(seeds)) if seeds > 1 else math.nan
        mean = float(np.mean(averages))
        rows.append(Measured(name, len(instance.clients), p, omega, alpha, gamma, mean, spread, right, printed))
    return rows


@dataclass(frozen=True)
class FirstSamples(Oracle):
    """The first b samples of each client, always: biased, against A3."""

    b: int

    def rows(self, clients: Clients, draws: Draws):
        who = draws.clients
        names = (clients.offsets[who, None] + np.arange(self.b)).ravel()
        return names, np.arange(len(who) + 1, dtype=np.int64) * self.b


def violations(seed: int, rounds: int) -> dict[str, dict]:
    """One broken assumption each: mean of Ē over the run, and over its last tenth, with the bound taken on trust."""
    rng = np.random.default_rng(seed)
    n = 8
    plain, sparse = quadratic(n, rng, Zero()), quadratic(n, rng, L1(0.3))
    law = tuple(np.linspace(0.1, 0.9, n))
    chances = np.array(law)
    unequal = CustomLaw(lambda u: u < chances, 0.5)  # client i takes part with chance law[i], and p = 1/2 is assumed
    together = CustomLaw(lambda u: np.full(len(u), u[0] < 0.5), 0.5)
    half = largest_alpha(1.0)
    cases = {
        "nothing (reference)": (plain, FullBatch(), Bernoulli(0.5), half, 0.9),
        "A7: ℓ1 penalty": (sparse, FullBatch(), Bernoulli(0.5), half, 0.9),
        "A5: unequal chances, control variates": (plain, FullBatch(), unequal, half, 0.9),
        "A5: unequal chances, α = 0": (plain, FullBatch(), unequal, 0.0, 0.9),
        "A5: all or none": (plain, FullBatch(), together, half, 0.9),
        "A3: biased oracle": (plain, FirstSamples(4), Bernoulli(0.5), half, 0.9),
        "α = 1 at ω_p = 1 (most: 1/2)": (plain, FullBatch(), Bernoulli(0.5), 1.0, 0.9),
        "α = 1 at ω_p = 4 (most: 1/5)": (plain, FullBatch(), Bernoulli(0.2), 1.0, 0.9),
        "γ = 1": (plain, FullBatch(), Bernoulli(0.5), half, math.inf),
        "γ = 1 and p = 0.2": (plain, FullBatch(), Bernoulli(0.2), largest_alpha(4.0), math.inf),
    }
    found = {}
    for name, (instance, oracle, who, alpha, share) in cases.items():
        p = float(np.mean(who.probability(n)))
        together_p = omega_p(0.0, p)
        gamma = min(1.0, share * largest_gamma(instance.constants, together_p))
        runs = [FedMM(instance.problem, instance.clients, Constant(gamma), oracle, who, Identity(), alpha, metric="B",
                      seed=seed + k, beyond_theorem=True) for k in range(5)]  # fmt: skip
        paths = np.array([path(fed, instance.start, gamma, rounds, kappa=instance.kappa) for fed in runs])
        trusted = 0.9 * largest_gamma(instance.constants, together_p)
        right = None
        if name != "A7: ℓ1 penalty":  # there min W, hence Δ, has no closed form
            right = bound(instance.constants, gamma=min(gamma, trusted), rounds=rounds, initial_gap=instance.gap(),
                          omega_p=together_p).total  # fmt: skip
        found[name] = {"gamma": gamma, "alpha": alpha, "first": float(paths[:, 0].mean()),
                       "mean": float(paths.mean()), "end": float(paths[:, -rounds // 10 :].mean()),
                       "bound on trust": right}  # fmt: skip
    return found


@dataclass(frozen=True)
class TheoremPlan:
    """How much is run."""

    rounds: Annotated[int, "rounds T of a run"] = 60
    seeds: Annotated[int, "runs of each setting"] = 8
    seed: Annotated[int, "seed of data and draws"] = 0

    def __post_init__(self) -> None:
        as_count("rounds", self.rounds, low=10)
        as_count("seeds", self.seeds)


def results(asked: TheoremPlan) -> Part:
    """Measured over bound for every setting, and what broken assumptions do; status 1 if a mean passes its bound."""
    sizes, rows = (2, 8), []
    progress = Progress(len(PROBLEMS) * len(sizes) + 1)
    for name, make in PROBLEMS.items():
        for n in sizes:
            instance = make(n, np.random.default_rng([asked.seed, n]))
            rows += measure(name, instance, asked.rounds, asked.seeds, asked.seed)
            progress.step(f"{name}, n = {n}")
    broken = violations(asked.seed, 5 * asked.rounds)
    progress.step("violations")
    ratios = {name: [row.ratio for row in rows if row.problem == name] for name in PROBLEMS}
    lines = [f"measured / bound, {len(rows)} settings, {asked.rounds} rounds, {asked.seeds} runs each"]
    lines += [f"  {name:22} {min(values):9.2e} to {max(values):9.2e}" for name, values in ratios.items()]
    lines.append(f"{'broken':40}{'γ':>9}{'Ē_1':>11}{'mean Ē':>11}{'at the end':>11}{'bound on trust':>16}")
    for name, case in broken.items():
        trust = "none" if case["bound on trust"] is None else f"{case['bound on trust']:.2e}"
        lines.append(
            f"{name:40}{case['gamma']:9.2e}{case['first']:11.2e}{case['mean']:11.2e}{case['end']:11.2e}{trust:>16}"
        )
    picture = Picture("figure.png", "Measured over bound", lambda: _draw(ratios))
    cases = {name: {k: "inf" if v == math.inf else v for k, v in case.items()} for name, case in broken.items()}
    numbers = {"rows": [{**asdict(row), "ratio": row.ratio} for row in rows], "violations": cases}
    passed = any(row.measured > row.bound for row in rows)
    return Part("summary", (picture,), numbers, text="\n".join(lines), status=int(passed))


def _draw(ratios: Mapping[str, Sequence[float]]) -> Figure:
    figure, (ax,) = panels(1, width=6.4, height=3.6)
    draw_ratios(ax, ratios)
    return figure


EXPERIMENT = Experiment(TheoremPlan, results, Path("results/theorem"))
