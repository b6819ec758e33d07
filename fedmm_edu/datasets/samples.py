"""Samples from a person's own CSV file: the columns that a model names, and whose row is whose."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, as_count


def read_samples(path: Path, columns: Sequence[str], client: str, parts: int) -> list[Array]:
    """One array (N_i, len(columns)) for each value of the column `client`, in the order in which they come first.

    Without such a column the rows are cut into `parts` of nearly equal size. `InvalidInput` names what is missing.
    """
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))  # some write a byte-order mark
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8, and try again.") from error
    except (OSError, ValueError, csv.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise InvalidInput(f"cannot read {path}: {why}; give a CSV file with a header.") from error
    if not rows or any(name not in rows[0] for name in columns):
        raise InvalidInput(
            f"{path} lacks rows, or one of the columns {', '.join(columns)}: write them in its first line."
        )
    z = np.array([[_number(name, row[name] or "") for name in columns] for row in rows])
    if client in rows[0]:
        owners = [row[client] for row in rows]
        return [z[[o == owner for o in owners]] for owner in dict.fromkeys(owners)]
    return np.array_split(z, as_count("n", parts, high=len(z)))


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InvalidInput(f"{name} = {text!r} is no number: write one such as 0.5.") from error
