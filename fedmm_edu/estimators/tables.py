"""From tables to clients: whose row is whose, columns matched by name, and a message for every table that does not fit.

Nothing here is statistics: a table, or a list of tables, becomes one table with the client of each row beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.errors import InvalidInput

Labels = NDArray[Any]
"""The name of each client, or of each row's client: text or numbers."""


@dataclass(frozen=True, eq=False)
class Table:
    """All rows, as they came: X without the columns of y and clients; `who`, the client of each row, None for one."""

    X: Any
    y: Any
    who: Labels | None
    sample_weight: Any = None

    @staticmethod
    def of(X: Any, y: Any = None, clients: Any = None, sample_weight: Any = None) -> Table:
        """One table whose rows belong to `clients` (a column's name, or a label for each row; None: one client), or
        one table per client in a list or mapping. y: values, or a column's name. `InvalidInput` says what differs.
        """
        who = None
        if (tables := _tables(X)) is not None:
            names, parts = tables
            if clients is not None and not isinstance(clients, str):
                names = [f"{label}" for label in clients]
                if len(names) != len(parts):
                    raise InvalidInput(f"{len(names)} clients are named for {len(parts)} tables: name each once.")
            sizes = _sizes(names, parts)
            who = np.repeat(np.asarray(names), sizes)
            X, y = _stacked(names, parts), _joined("y", y, sizes)
            sample_weight = _joined("sample_weight", sample_weight, sizes)
        if isinstance(clients, str):
            clients, X = _taken(X, clients, "clients")
            who = labels(clients)
        elif clients is not None and tables is None:
            who = labels(clients)
        if isinstance(y, str):
            y, X = _taken(X, y, "y")
        return Table(X, y, who, sample_weight)


def labels(values: Any) -> Labels:
    """A label for each row, text or numbers; `InvalidInput` where one is missing."""
    found = np.asarray(values)
    if found.ndim != 1:
        raise InvalidInput(f"clients has shape {found.shape}: give one label a row, or the name of a column.")
    missing = np.flatnonzero(pd.isna(found))
    if missing.size:
        raise InvalidInput(f"row {missing[0]} has no client: fill the column, or leave the row out.")
    if found.dtype == object:
        found = found.astype(str)
    return found


def without(X: Any, columns: Sequence[str]) -> Any:
    """A table to predict from, without the columns of clients and y where it still has them.

    Several tables are put one below the other.
    """
    tables = _tables(X)
    if tables is not None:
        X = _stacked(*tables)
    return X.drop(columns=list(columns), errors="ignore") if isinstance(X, pd.DataFrame) else X


def text_columns(X: Any) -> list[str]:
    """The columns of a table that hold something other than numbers: text, or dates."""
    if not isinstance(X, pd.DataFrame):
        return []
    found = []
    for name, dtype in X.dtypes.items():
        if not (pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype)):
            try:
                if dtype.kind in "mM":
                    raise TypeError  # pandas would take a date for a number of nanoseconds
                pd.to_numeric(X[name])
            except (TypeError, ValueError):
                found.append(str(name))
    return found


def first_hole(x: Any, names: Sequence[str]) -> str:
    """Where the first entry that is not finite stands, in words; empty where all are finite."""
    try:
        values = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        return ""
    if values.ndim != 2 or np.isfinite(values).all():
        return ""
    row, column = (int(k) for k in np.argwhere(~np.isfinite(values))[0])
    name = f"column {names[column]!r}" if len(names) == values.shape[1] else f"column {column}"
    return f"row {row}, {name} holds {values[row, column]}"


def grouped(who: Labels, order_by: Array) -> tuple[Labels, Indices, Indices]:
    """The names of the clients, how many rows each has, and the rows client by client, each client's by `order_by`.

    So what a client computes, and what is drawn for it, does not depend on how its rows are arranged.
    """
    names, place = np.unique(who, return_inverse=True)
    return names, np.bincount(place, minlength=len(names)), np.lexsort((order_by, place))


def _tables(X: Any) -> tuple[list[str], list[Any]] | None:
    """Names and tables, where X is a list or mapping of tables; None where it is one table."""
    parts = X.values() if isinstance(X, Mapping) else X if isinstance(X, list | tuple) else ()
    if not parts or not all(getattr(part, "ndim", 0) == 2 for part in parts):
        return None
    return [str(name) for name in (X if isinstance(X, Mapping) else range(len(parts)))], list(parts)


def _sizes(names: Sequence[str], parts: Sequence[Any]) -> Indices:
    sizes = np.array([part.shape[0] for part in parts], dtype=np.int64)
    if (sizes == 0).any():
        raise InvalidInput(f"the table of client {names[int(np.argmin(sizes))]} has no rows: leave the client out.")
    if len(set(names)) != len(names):
        raise InvalidInput(f"clients {list(names)}: two tables have one name; give each client its own.")
    return sizes


def _stacked(names: Sequence[str], parts: Sequence[Any]) -> Any:
    """The rows of all tables, columns matched by name; a difference is refused."""
    frames = [isinstance(part, pd.DataFrame) for part in parts]
    if not any(frames):
        widths = [np.shape(part)[1] for part in parts]
        if len(set(widths)) > 1:
            k = next(k for k, width in enumerate(widths) if width != widths[0])
            raise InvalidInput(
                f"client {names[k]} has {widths[k]} columns, client {names[0]} has {widths[0]}: give all the same."
            )
        return np.concatenate([np.asarray(part) for part in parts])
    if not all(frames):
        raise InvalidInput("some clients bring a DataFrame and some an array without names: give all the same kind.")
    first = parts[0].columns
    for name, part in zip(names, parts, strict=True):
        twice = part.columns[part.columns.duplicated()]
        if len(twice):
            raise InvalidInput(f"client {name} has the column {twice[0]!r} twice: rename one of them.")
        lacks, adds = [c for c in first if c not in part.columns], [c for c in part.columns if c not in first]
        if lacks or adds:
            raise InvalidInput(
                f"client {name} lacks the columns {lacks} of client {names[0]} and has {adds} besides: "
                "rename or drop columns until all tables have the same."
            )
    return pd.concat([part[list(first)] for part in parts], ignore_index=True)


def _joined(name: str, values: Any, sizes: Indices) -> Any:
    """What comes beside several tables: one long column, or a column for each table."""
    if values is None or isinstance(values, str):
        return values
    if isinstance(values, Mapping):
        values = list(values.values())
    if len(values) == len(sizes) and all(np.ndim(part) == 1 for part in values):
        lengths = [len(part) for part in values]
        if lengths != list(sizes):
            raise InvalidInput(f"{name} has {lengths} entries for tables of {list(map(int, sizes))} rows: one a row.")
        return np.concatenate([np.asarray(part) for part in values])
    return values


def _taken(X: Any, column: str, role: str) -> tuple[NDArray[Any], Any]:
    """A column of a table, and the table without it."""
    if not isinstance(X, pd.DataFrame):
        raise InvalidInput(f"{role} = {column!r} names a column, but X has no names: give a DataFrame, or the values.")
    if column not in X.columns:
        raise InvalidInput(f"{role} = {column!r}: X has the columns {[str(c) for c in X.columns]}; name one of them.")
    return X[column].to_numpy(), X.drop(columns=[column])
