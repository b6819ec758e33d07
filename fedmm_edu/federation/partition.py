"""How one data set becomes the data of n clients."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.arrays import Array, Indices, Mask, as_array
from fedmm_edu.errors import InvalidInput, as_count


def by_covariate(z: ArrayLike, covariate: ArrayLike, n: int) -> list[Array]:
    """Split the rows of z, shape (N, p), into n parts of nearly equal size along a covariate, shape (N,).

    Client 0 gets the rows with the smallest values, client n − 1 those with the largest: clients differ as much as
    the covariate can make them. Ties keep their order.
    """
    rows = as_array("z", z, shape=(None, None))
    values = as_array("covariate", covariate, shape=(len(rows),))
    as_count("n", n)
    if n > len(rows):
        raise InvalidInput(f"n = {n} clients for {len(rows)} samples: every client needs at least one.")
    return [rows[part] for part in np.array_split(np.argsort(values, kind="stable"), n)]


def balanced_clusters(z: ArrayLike, n: int, seed: int, *, rounds: int = 100) -> Indices:
    """Constrained k-means: the client, 0 to n − 1, of each row of z, shape (N, p), clients of equal size.

    Lloyd's iteration with the optimal balanced assignment in place of the nearest centre, from the centres of
    k-means++, until no row moves or for `rounds` iterations: Σ_j ‖z_j − centre of its client‖² never grows. Sizes are
    exactly N/n; where n does not divide N, the first N mod n clients get one row more.
    """
    rows = as_array("z", z, shape=(None, None))
    as_count("n", n)
    as_count("rounds", rounds)
    if n > len(rows):
        raise InvalidInput(f"n = {n} clients for {len(rows)} samples: every client needs at least one.")
    sizes = np.full(n, len(rows) // n)
    sizes[: len(rows) % n] += 1
    centres = _kmeans_plusplus(rows, n, np.random.default_rng(seed))
    labels, prices = np.full(len(rows), -1), np.zeros(n)
    for _ in range(rounds):
        cost = (rows**2).sum(axis=1)[:, None] - 2.0 * rows @ centres.T + (centres**2).sum(axis=1)
        moved, prices = balanced_assignment(cost, sizes, prices)
        if (moved == labels).all():
            break
        labels = moved
        centres = np.stack([rows[labels == i].mean(axis=0) for i in range(n)])
    return labels


def _kmeans_plusplus(rows: Array, n: int, rng: np.random.Generator) -> Array:
    """n of the rows, each drawn with a chance that grows as the squared distance from those before it."""
    chosen = [int(rng.integers(len(rows)))]
    distance = np.full(len(rows), np.inf)
    while len(chosen) < n:
        distance = np.minimum(distance, ((rows - rows[chosen[-1]]) ** 2).sum(axis=1))
        total = float(distance.sum())
        chances = distance / total if total > 0.0 else np.full(len(rows), 1.0 / len(rows))  # 0: all rows are equal
        chosen.append(int(rng.choice(len(rows), p=chances)))
    return rows[chosen]


MANY, SKIP = 200, 8
"""So many rows for each group are many; of them each SKIP-th gives the first prices."""


def balanced_assignment(cost: Array, sizes: Indices, prices: Array | None = None) -> tuple[Indices, Array]:
    """Labels with `sizes[i]` rows in group i that minimise Σ_j cost[j, labels[j]], and prices that prove it.

    The optimality condition is cost[j, labels[j]] + prices[labels[j]] ≤ cost[j, i] + prices[i] for all i. Each row
    begins where this holds; then, while a group has too many rows, one row moves along each edge of a cheapest path to
    a group with too few (Ahuja, Magnanti and Orlin, "Network flows", 1993, section 9.7: successive shortest paths),
    which keeps the condition. Prices of a similar problem, given as a start, leave few rows to move; that of some of
    the rows is one.
    """
    n = cost.shape[1]
    prices = np.zeros(n) if prices is None else prices
    labels, excess = _cheapest(cost, sizes, prices)
    if len(cost) >= MANY * n and np.abs(excess).sum() > len(cost) / 25:
        some = cost[::SKIP]
        ends = np.cumsum(sizes) * len(some) // len(cost)
        prices = balanced_assignment(some, np.diff(ends, prepend=0), prices)[1]
        labels, excess = _cheapest(cost, sizes, prices)
    edge, mover = np.full((n, n), np.inf), np.zeros((n, n), dtype=np.int64)
    changed = range(n)
    while True:
        for i in changed:  # edge[i, k]: the least increase of the cost by which one row goes from group i to group k
            members = np.flatnonzero(labels == i)
            if len(members) == 0:
                edge[i] = np.inf
                continue
            gain = cost[members] - cost[members, i][:, None]
            best = gain.argmin(axis=0)
            edge[i], mover[i] = gain[best, np.arange(n)], members[best]
        reduced = np.maximum(edge + prices - prices[:, None], 0.0)  # ≥ 0 but for rounding
        if not (excess > 0).any():
            return labels, prices
        distance, before = _shortest(reduced, excess > 0)
        end = int(np.argmin(np.where(excess < 0, distance, np.inf)))
        prices = prices - np.minimum(distance, distance[end])
        path = [end]
        while before[path[-1]] >= 0:
            path.append(int(before[path[-1]]))
        for to, source in pairwise(path):
            labels[mover[source, to]] = to
        excess[path[-1]] -= 1
        excess[end] += 1
        changed = path


def _cheapest(cost: Array, sizes: Indices, prices: Array) -> tuple[Indices, Indices]:
    """The group that each row likes best at these prices, and by how many rows each group is too large."""
    labels = np.argmin(cost + prices, axis=1)
    return labels, np.bincount(labels, minlength=len(sizes)) - sizes


def _shortest(length: Array, sources: Mask) -> tuple[Array, Indices]:
    """Dijkstra's distances from the nearest source over lengths ≥ 0, and the node before each (−1: none)."""
    n = len(length)
    distance, before = np.where(sources, 0.0, np.inf), np.full(n, -1)
    done = np.zeros(n, dtype=bool)
    for _ in range(n):
        node = int(np.argmin(np.where(done, np.inf, distance)))
        done[node] = True
        through = distance[node] + length[node]
        better = ~done & (through < distance)
        distance[better], before[better] = through[better], node
    return distance, before
