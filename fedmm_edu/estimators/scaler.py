"""Standardisation over clients: two exact statistics, no rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from fedmm_edu.arrays import Array
from fedmm_edu.estimators.base import TableReader
from fedmm_edu.estimators.rows import Standard


@dataclass(eq=False, repr=False)
class FederatedScaler(OneToOneFeatureMixin, TransformerMixin, TableReader):
    """(x − mean)/scale of each column, as scikit-learn's StandardScaler; missing entries (NaN) do not count, and stay.

    Each client sends the largest size, the sum and the sum of squares about the mean of each column. They add up to
    the statistics of the pooled table. A column that is constant up to rounding has the scale 1.

    After `fit`: mean_, var_, scale_, shape (p,) each; n_samples_seen_, the weight of all rows.
    """

    with_mean: bool = True
    with_std: bool = True
    _missing: ClassVar[bool] = True

    def fit(self, X: Any, y: Any = None, clients: Any = None, sample_weight: Any = None) -> Self:
        """Fit to a table, or to one table for each client. y is not used; where it
        names a column, that is left out."""
        rows = self._read(X, y, clients, sample_weight)
        found = Standard.of(rows)
        self._keep(found.mean, found.var, found.scale, float(rows.given.sum()))
        return self

    def partial_fit(self, X: Any, y: Any = None, clients: Any = None, sample_weight: Any = None) -> Self:
        """Add the rows of a table to those seen before: mean and variance of all."""
        if not hasattr(self, "mean_"):
            return self.fit(X, y, clients, sample_weight)
        rows = self._read(X, y, clients, sample_weight, reset=False)
        new = Standard.of(rows)
        total = float(rows.given.sum())
        share = total / (self.n_samples_seen_ + total)
        apart = new.mean - self.mean_
        mean = self.mean_ + share * apart
        var = (1.0 - share) * self.var_ + share * new.var + share * (1.0 - share) * apart**2
        self._keep(mean, var, np.where(var > 0.0, np.sqrt(var), 1.0), self.n_samples_seen_ + total)
        return self

    def of(self, units: Standard, columns: NDArray[Any]) -> Self:
        """Fitted: these units of these columns."""
        self.taken_columns_, self.n_features_in_, self.feature_names_in_ = [], len(columns), columns
        self._keep(units.mean, units.var, units.scale, units.total)
        return self

    def _keep(self, mean: Array, var: Array, scale: Array, total: float) -> None:
        self.mean_, self.var_, self.scale_, self.n_samples_seen_ = mean, var, scale, total

    def transform(self, X: Any) -> Array:
        """(x − mean)/scale of each row: shape (N, p)."""
        x = self._new(X)
        return (x - (self.mean_ if self.with_mean else 0.0)) / (self.scale_ if self.with_std else 1.0)

    def inverse_transform(self, X: Any) -> Array:
        """The rows that `transform` made these of: shape (N, p)."""
        x = np.asarray(X, dtype=np.float64)
        return x * (self.scale_ if self.with_std else 1.0) + (self.mean_ if self.with_mean else 0.0)
