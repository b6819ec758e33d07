"""Numbers of all clients, and the first statistics that they send: sizes, means and variances, and how many bits.

A statistic is a sum over the rows of a client. For a client with one row it is that row, or tells it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from fedmm_edu.arrays import Array, Indices, Offsets, counts_of
from fedmm_edu.errors import InvalidInput
from fedmm_edu.estimators.tables import Labels, grouped
from fedmm_edu.federation import Clients
from fedmm_edu.federation.compressor import FLOAT_BITS


@dataclass
class Tally:
    """What the clients sent to the server before the first round, as exact numbers."""

    bits: int = 0

    def numbers(self, count: int) -> None:
        """Add so many numbers."""
        self.bits += FLOAT_BITS * count


@dataclass(frozen=True, eq=False)
class ClientRows:
    """Client i, called names[i], holds the rows offsets[i]:offsets[i+1] of x, shape (N, p), and of y, shape (N,).

    weights: that of each row, shape (N,), positive; None where all are equal. table: x as the table has it, rows of
    weight 0 among them.
    """

    x: Array
    y: Array | None
    weights: Array | None
    names: Labels
    offsets: Offsets
    table: Array
    sent: Tally = field(default_factory=Tally)
    """Counts what `sum`, and whoever else asks the clients, has them send."""

    @staticmethod
    def of(x: Array, y: Array | None, who: Labels, weights: Array | None) -> ClientRows:
        """Rows client by client; those of weight 0 are left out, and a client that has no others."""
        kept = np.arange(len(x)) if weights is None else np.flatnonzero(weights > 0.0)
        if not kept.size:
            raise InvalidInput("every sample weight is zero: give at least one row a positive weight.")
        table, x, who = x, x[kept], who[kept]
        columns = x if y is None else np.column_stack([x, y[kept]])
        key = np.nan_to_num(columns) @ np.cos(1.0 + np.arange(columns.shape[1]))
        names, sizes, order = grouped(who, key)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        equal = weights is None or bool((weights[kept] == weights[kept[0]]).all())
        found = None if weights is None or equal else weights[kept][order]
        return ClientRows(x[order], None if y is None else y[kept][order], found, names, offsets, table)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> Indices:
        """How many rows each client holds: shape (n,)."""
        return counts_of(self.offsets)

    @property
    def parts(self) -> Sequence[slice]:
        """The rows of each client."""
        return [slice(int(a), int(b)) for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True)]

    @property
    def given(self) -> Array:
        """The weight of each row as it was given, 1 where all are equal: shape (N,)."""
        return np.ones(len(self.x)) if self.weights is None else self.weights

    @cached_property
    def mass(self) -> Array:
        """The weight of each row, their mean being 1: shape (N,)."""
        return np.ones(len(self.x)) if self.weights is None else self.weights / self.weights.mean()

    @property
    def totals(self) -> Array:
        """The weight of each client: shape (n,)."""
        return np.add.reduceat(self.mass, self.offsets[:-1])

    @property
    def mu(self) -> Array:
        """μ_i, the share of client i in the weight of all rows: shape (n,)."""
        return self.totals / self.totals.sum()

    @property
    def local(self) -> Array:
        """The weight of each row within its client, their mean over the client's rows being 1: shape (N,)."""
        return self.mass * np.repeat(self.sizes / self.totals, self.sizes)

    def sum(self, values: Array) -> Array:
        """Σ of weighted rows of `values`, shape (N, k), as the sum of what the clients send: shape (k,)."""
        self.sent.numbers(len(self) * values.shape[1])
        return np.add.reduceat(self.mass[:, None] * values, self.offsets[:-1], axis=0).sum(axis=0)

    def mean(self, values: Array) -> Array:
        """The weighted mean over all rows, from the clients' sums: shape (k,)."""
        return self.sum(values) / self.mass.sum()

    def clients(self, z: Array) -> Clients:
        """Clients with the samples z, shape (N, k), in the order of these rows, and the weights μ."""
        mu = self.mu
        return Clients.of_rows(z, self.sizes, mu / mu.sum())


@dataclass(frozen=True, eq=False)
class Standard:
    """The map x ↦ (x − mean)/scale, column by column: shape (p,) each. var: the variance of each column."""

    mean: Array
    scale: Array
    var: Array
    total: float
    """The weight of the rows from which it was made."""

    @staticmethod
    def of(rows: ClientRows, center: bool = True) -> Standard:
        """From two statistics of each client, after the largest size of each column: Σx, then Σ(x − mean)².

        Entries that are missing (NaN) do not count. A column that is constant up to rounding has the scale 1. Without
        `center` the mean is taken for 0, so that the scale is the root mean square.
        """
        seen = np.isfinite(rows.x)
        rows.sent.numbers(len(rows) * (rows.x.shape[1] + 1))  # the largest sizes, and the weight of all rows
        size = np.abs(np.where(seen, rows.x, 0.0)).max(axis=0)
        size[size == 0.0] = 1.0
        unit = np.where(seen, rows.x / size, 0.0)
        counts = np.maximum(rows.sum(seen.astype(np.float64)), np.finfo(np.float64).tiny)
        mean = rows.sum(unit) / counts if center else np.zeros(len(size))
        var = rows.sum(np.where(seen, unit - mean, 0.0) ** 2) / counts
        rounding = 8.0 * np.finfo(np.float64).eps * np.sqrt(len(rows.x)) * np.abs(mean)
        spread = np.where(np.sqrt(var) > rounding, np.sqrt(var), 0.0)
        with np.errstate(over="ignore", under="ignore"):
            scale = np.where(spread > 0.0, spread * size, 1.0)
            return Standard(mean * size, scale, np.where(spread > 0.0, scale, 0.0) ** 2, float(rows.mass.sum()))

    def common(self) -> Standard:
        """The same centre with one scale, the root of the mean variance: distances stay in proportion."""
        size = float(self.scale.max())
        spread = size * float(np.sqrt(np.mean((np.sqrt(self.var) / size) ** 2)))
        return replace(self, scale=np.full(len(self.scale), spread if spread > 0.0 else 1.0))

    def to(self, x: Array) -> Array:
        """(x − mean)/scale, finite also where x − mean would overflow."""
        return (
            x / self.scale - self.mean / self.scale if np.abs(self.mean).max() > 1e300 else (x - self.mean) / self.scale
        )
