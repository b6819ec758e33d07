"""Sparse codes beside SPAMS over a grid: shapes, sizes of the batch, densities, penalties, dictionaries, starts.

One thing changes at a time from a centre of six shapes; λ is set so that the given share of min(p, K) is in use. SPAMS
is called in both its ways, given D, and given Q = DᵀD and q = Dᵀx, which are formed inside the clock; a ratio is to the
faster one. CPU time of interleaved calls on one thread: the median, over repetitions, of the ratio of two neighbours.
"Warm" starts from the codes of the dictionary with every atom moved by the given share of its length; SPAMS has no
warm start. "Far" is the slowest of four starts that are far, as a multiple of the cold time: rows permuted, a tenth of
the penalty, all ones, atoms moved by a tenth.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from fedmm_edu.arrays import Array
from fedmm_edu.sparse_coding import CodePenalty, codes, kkt_violation

WRONG = 1e-6
"""A violation beyond which a peer's result is not a solution: its time is then not one to compare with."""


@dataclass(frozen=True)
class Cell:
    """A problem of the grid."""

    p: int
    K: int
    N: int
    density: float
    ridge: float = 0.0
    nonnegative: bool = False
    coherence: float = 0.0
    duplicates: bool = False
    move: float = 0.02
    centre: bool = False


def cells() -> Iterator[Cell]:
    """The centre, then what differs from it in one respect."""
    shapes = ((64, 256, 600, 0.1), (64, 256, 600, 0.3), (64, 100, 1000, 0.2), (10, 15, 3000, 0.3),
              (500, 50, 1000, 0.1), (100, 200, 400, 0.1))  # fmt: skip
    yield from (Cell(*shape, centre=True) for shape in shapes)
    for p, size, n in (
        (3, 3, 3000), (3, 100, 1000), (3, 2048, 100), (10, 3, 3000), (64, 15, 1000), (64, 512, 200), (64, 1024, 100),
        (64, 2048, 60), (256, 2048, 40), (1000, 3, 400), (1000, 300, 200), (1000, 1000, 60), (2000, 100, 300),
        (5000, 15, 200), (5000, 50, 200), (5000, 300, 100),
    ):  # fmt: skip
        yield Cell(p, size, n, 0.5 if min(p, size) < 15 else 0.1 if min(p, size) < 1000 else 0.03)
    yield from (Cell(10, 15, n, 0.3) for n in (1, 10, 100, 1000, 10_000, 100_000))
    yield from (Cell(p, size, n, 0.2) for p, size in ((64, 256), (500, 50)) for n in (1, 10, 100))
    base = Cell(64, 100, 400, 0.2)
    yield from (replace(base, density=share) for share in (0.002, 0.02, 0.05, 0.45, 0.7, 0.98))
    yield from (replace(base, ridge=ridge) for ridge in (0.01, 0.3))
    yield from (replace(base, nonnegative=True, density=share) for share in (0.1, 0.4))
    yield from (replace(base, coherence=share) for share in (0.5, 0.9, 0.9999))
    yield from (replace(base, K=size, duplicates=True) for size in (16, 100, 256))
    yield from (replace(base, move=share) for share in (0.001, 0.005, 0.1, 0.5))


def problem(cell: Cell) -> tuple[Array, Array, CodePenalty, np.random.Generator]:
    """Samples of random atoms with a tenth of noise, the dictionary, and the penalty for the density, by bisection."""
    rng = np.random.default_rng(cell.p * 10_000 + cell.K)
    theta = rng.normal(size=(cell.p, cell.K))
    theta /= np.linalg.norm(theta, axis=0)
    common = rng.normal(size=(cell.p, 1))
    theta = math.sqrt(1 - cell.coherence) * theta + math.sqrt(cell.coherence) * common / np.linalg.norm(common)
    if cell.duplicates:
        theta[:, cell.K // 2 : 2 * (cell.K // 2)] = theta[:, : cell.K // 2]
    used = max(1, round(cell.density * min(cell.p, cell.K)))
    h = np.zeros((cell.N, cell.K))
    for row in h:
        row[rng.choice(cell.K, used, replace=False)] = rng.normal(size=used)
    z = (np.abs(h) if cell.nonnegative else h) @ theta.T
    z += 0.1 * math.sqrt(float((z**2).mean())) * rng.normal(size=z.shape)
    high = float(np.median(np.abs(z @ theta).max(axis=1)))
    low, probe = 1e-8 * high, z[:30]
    for _ in range(14):
        lam = math.sqrt(low * high)
        found = codes(probe, theta, CodePenalty(lam, cell.ridge, cell.nonnegative), uncertified="return").h
        low, high = (
            (lam, high) if np.count_nonzero(found) > cell.density * min(theta.shape) * len(probe) else (low, lam)
        )
    return z, theta, CodePenalty(high, cell.ridge, cell.nonnegative), rng


def paired(calls: Mapping[str, Callable[[], object]], seconds: float) -> dict[str, list[float]]:
    """CPU seconds of interleaved calls, repeated for about so long, at least five times."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    begin = time.process_time()
    while len(next(iter(times.values()))) < 5 or time.process_time() - begin < seconds:
        for name, call in calls.items():
            before = time.process_time_ns()
            call()
            times[name].append((time.process_time_ns() - before) / 1e9)
    return times


def ratio(times: Mapping[str, list[float]], above: str, below: str) -> float:
    """The median of the ratios of neighbours."""
    return statistics.median(a / b for a, b in zip(times[above], times[below], strict=True))


def measured(cell: Cell, seconds: float = 0.5) -> dict[str, object]:
    """A row of the table."""
    import spams

    z, theta, penalty, rng = problem(cell)
    columns, atoms = np.asfortranarray(z.T), np.asfortranarray(theta)
    settings = {"lambda1": penalty.lam, "lambda2": penalty.ridge, "pos": penalty.nonnegative, "numThreads": 1}

    def coded(start: Array | None = None) -> Array:
        return codes(z, theta, penalty, start=start, threads=1, uncertified="return").h

    def moved(share: float) -> Array:
        step = rng.normal(size=theta.shape)
        step *= share * np.linalg.norm(theta, axis=0) / np.linalg.norm(step, axis=0)
        return codes(z, theta + step, penalty, threads=1, uncertified="return").h

    def by_atoms() -> Any:
        return spams.lasso(columns, D=atoms, **settings)

    def by_products() -> Any:
        return spams.lasso(
            columns, Q=np.asfortranarray(theta.T @ theta), q=np.asfortranarray(theta.T @ columns), **settings
        )

    cold, near = coded(), moved(cell.move)
    tenth = CodePenalty(penalty.lam / 10, penalty.ridge, penalty.nonnegative)
    far = (
        cold[rng.permutation(len(z))],
        codes(z, theta, tenth, uncertified="return").h,
        np.ones_like(cold),
        moved(0.1),
    )
    calls: dict[str, Callable[[], object]] = {
        "cold": coded,
        "warm": lambda: coded(near),
        "D": by_atoms,
        "Q": by_products,
    }
    times = paired(calls, seconds)
    away = [paired({"cold": coded, "far": lambda start=start: coded(start)}, seconds / 8) for start in far]
    peer = min("D", "Q", key=lambda name: statistics.median(times[name]))
    theirs = (by_atoms if peer == "D" else by_products)().toarray().T
    found: dict[str, object] = {
        "p": cell.p, "K": cell.K, "N": cell.N, "in use": np.count_nonzero(cold) / cold.shape[0], "λ₂": cell.ridge,
        "h ≥ 0": "yes" if cell.nonnegative else "", "coherence": cell.coherence,
        "doubled": "yes" if cell.duplicates else "", "move": cell.move,
        "SPAMS/cold": ratio(times, peer, "cold"), "SPAMS/warm": ratio(times, peer, "warm"),
        "warm/cold": ratio(times, "warm", "cold"), "far/cold": max(ratio(pair, "far", "cold") for pair in away),
        "violation, ours": float(kkt_violation(z, theta, penalty, cold).max()),
        "violation, SPAMS": float(kkt_violation(z, theta, penalty, theirs).max()),
    }  # fmt: skip
    return found | {"to note": _note(found)}


def _note(row: Mapping[str, object]) -> str:
    """What a reader should not overlook, in bold."""
    wrong = float(str(row["violation, SPAMS"])) > WRONG
    said = [name for name in ("SPAMS/cold", "SPAMS/warm") if float(str(row[name])) < 1.0]
    said = ["SPAMS is wrong"] if wrong else [f"**{name} below 1**" for name in said]
    said += ["**far starts cost more than a fifth**"] if float(str(row["far/cold"])) > 1.2 else []
    return ", ".join(said)


def rows(seconds: float = 0.5) -> list[dict[str, object]]:
    """A row for each cell, and the geometric means of the centre."""
    grid = list(cells())
    with threadpool_limits(1):
        found = [measured(cell, seconds) for cell in grid]
    names = ("SPAMS/cold", "SPAMS/warm", "warm/cold")
    centre = [row for row, cell in zip(found, grid, strict=True) if cell.centre]
    means = {name: statistics.geometric_mean(float(str(row[name])) for row in centre) for name in names}
    return [*found, {"p": "geometric mean of the first six", **means}]
