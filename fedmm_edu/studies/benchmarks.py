"""Problems with equal clients whose constants are proved: what `fedmm run bounds` measures theorems on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from fedmm_edu.algorithms import mm, run
from fedmm_edu.arrays import Array
from fedmm_edu.examples.quadratic import L1, LeastSquares, Penalty, Quadratic, Ridge, Zero, admissible_rho
from fedmm_edu.examples.toy import Toy
from fedmm_edu.federation import Clients
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.theory import Constants, Flat, Monotone


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A problem with equal clients and exact oracles, its least value and root, and what theorems know of it.

    constants and m (of PL): None where A7 fails. B: the matrix of A7, a multiple of the identity in each of them.
    condition: κ = L/μ of the quadratic surrogate, None where it is none. smooth: the same without a penalty, where a
    ridge stands in the rows of each client, and the κ of that; None where there is no such.
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
    condition: float | None = None
    smooth: tuple[Quadratic, Clients, float] | None = None

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


def regression(penalty: Penalty, apart: float = 1.0, d: int = 3, n: int = 4) -> Benchmark:
    """Least squares: with ridge or none h is affine, with the slope M = I − k(I − ρA), k = 1/(1 + ρλ), B = kI/ρ.

    apart: how much the clients' targets differ.
    """
    rng = np.random.default_rng(11)
    x = rng.normal(size=(n, 20, d))
    y = x @ np.arange(1.0, d + 1.0) + apart * rng.normal(size=(n, 1)) + 0.1 * rng.normal(size=(n, 20))
    clients = Clients.of([np.column_stack([a, b]) for a, b in zip(x, y, strict=True)])
    rho = admissible_rho(LeastSquares(), clients)
    problem, moments = Quadratic(d, rho, penalty=penalty), [a.T @ a / 20 for a in x]
    central = mm(problem, clients.z)
    root = run(central, central.init(np.zeros(d)), 6000)[0].x
    least = clients.objective(problem, problem.T(root))
    flat = Flat(1.0 / rho, rho, 2.0, 0.0, n)  # own-lip-growth: κ = ℓ_φ = 1/ρ, and ℓ_S = 1 as f is convex
    low, lam = float(np.linalg.eigvalsh(np.mean(moments, axis=0))[0]), float(getattr(penalty, "lam", 0.0))
    if isinstance(penalty, L1):
        rate = Monotone.prox(rho_mu=rho * low, rho_L=1.0, largest_mu=1.0 / n, sigma=0.0, n=n)
        return Benchmark(problem, clients, np.full(d, 3.0), least, root, flat, rate, condition=1.0 / (rho * low))
    shrink = 1.0 / (1.0 + rho * lam)
    slopes = [np.eye(d) - shrink * (np.eye(d) - rho * A) for A in moments]
    ends = np.linalg.eigvalsh(np.mean(slopes, axis=0))
    half = np.linalg.inv(np.linalg.cholesky(np.mean(slopes, axis=0)))
    spread = float(np.linalg.eigvalsh(half @ (np.mean([M @ M for M in slopes], axis=0) / n) @ half.T)[-1])
    L = math.sqrt(float(np.mean([np.linalg.norm(M, 2) ** 2 for M in slopes])))
    constants = Constants(shrink / rho, shrink / rho, 0.0, shrink / rho, math.inf, L, 0.0, n)
    rate = Monotone(float(ends[0]), float(ends[-1]), spread, 0.0, n, L)
    return Benchmark(
        problem, clients, np.full(d, 3.0), least, root, flat, rate, constants, float(ends[0]), lambda s: shrink / rho,
        1.0 / (rho * (low + lam)), in_rows(clients, lam, d),
    )  # fmt: skip


def in_rows(clients: Clients, lam: float, d: int) -> tuple[Quadratic, Clients, float]:
    """Least squares with (λ/2)‖θ‖² as d more rows of each client, which scale the loss by N/(N + d); and its κ."""
    added = [math.sqrt(lam * len(z)) * np.eye(d, d + 1) for z in clients]
    found = Clients.of([np.concatenate([z, rows]) if lam > 0.0 else z for z, rows in zip(clients, added, strict=True)])
    rho = admissible_rho(LeastSquares(), found)
    mean = np.mean([z[:, :d].T @ z[:, :d] / len(z) for z in found], axis=0)
    return Quadratic(d, rho), found, 1.0 / (rho * float(np.linalg.eigvalsh(mean)[0]))


BENCHMARKS: Mapping[str, Callable[[], Benchmark]] = {
    "toy on [1, 4]": toy,
    "least squares": lambda: regression(Zero()),
    "clients far apart": lambda: regression(Zero(), apart=8.0),
    "ridge": lambda: regression(Ridge(0.5)),
    "lasso": lambda: regression(L1(0.3)),
}
