"""Where to start, from means over rows of a client, which for a client with one row are that row."""

from __future__ import annotations

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.estimators.rows import ClientRows
from fedmm_edu.federation import Purpose, uniforms

FEWEST = 5.0
"""Rows that an answer averages at least, where the client has them."""


def spread_centres(rows: ClientRows, x: Array, K: int, seed: int) -> Array:
    """K centres by k-means++ (Arthur and Vassilvitskii 2007) on statistics: shape (K, p).

    In turn k, each client sends Σ_j w_j D_j², D_j being the distance of its row j from the centres so far (1 where
    there is none). The server draws a client in proportion, which draws one of its rows in proportion to w_j D_j² and
    answers with a mean: of the nearest rows around that one, a 4K-th of its rows and `FEWEST` at least. So equal rows,
    and a row with their weight, have equal chances; a client with few rows answers with the mean of all, and one with
    a single row with that row.
    """
    if len(x) < K:
        raise InvalidInput(f"{K} components or clusters for {len(x)} rows: choose at most as many.")
    distance, centres = np.full(len(x), np.inf), np.empty((K, x.shape[1]))
    parts, given = rows.parts, rows.given
    for k in range(K):
        weights = rows.mass * (np.ones(len(x)) if k == 0 else distance)
        if not weights.sum() > 0.0:  # all rows are centres already
            weights = rows.mass
        sent = np.add.reduceat(weights, rows.offsets[:-1])
        rows.sent.numbers(len(rows) + x.shape[1])
        i = _drawn(sent, float(uniforms(seed, Purpose.SERVER, [0], k, 1)[0, 0]))
        part = parts[i]
        j = _drawn(weights[part], float(uniforms(seed, Purpose.DATA, [i], k, 1)[0, 0]))
        centres[k] = _around(x[part], given[part], j, K)
        distance = np.minimum(distance, ((x - centres[k]) ** 2).sum(axis=1))
    return centres


def _drawn(weights: Array, u: float) -> int:
    """The place of the draw u in proportion to the weights: by inversion."""
    ends = np.cumsum(weights)
    return int(min(np.searchsorted(ends, u * ends[-1], side="right"), np.flatnonzero(weights)[-1]))


def _around(x: Array, weights: Array, j: int, K: int) -> Array:
    """The mean of the rows nearest to row j, up to their share of the weight."""
    share = min(float(weights.sum()), max(FEWEST, float(weights.sum()) / (4.0 * K)))
    order = np.argsort(((x - x[j]) ** 2).sum(axis=1), kind="stable")
    before = np.cumsum(weights[order]) - weights[order]
    taken = np.clip(share - before, 0.0, weights[order])
    return taken @ x[order] / taken.sum()
