"""The curves of the two figures as a file, from which anybody can judge the statements anew."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.studies.dictionary.criteria import Curves
from fedmm_edu.studies.dictionary.reproduce import Reproduction
from fedmm_edu.studies.dictionary.statements import Panels

FORMAT = 1
DIGITS = 10
"""Significant digits of a number: rounding is below the finest tolerance of a criterion, 1e-9."""


@dataclass(frozen=True, eq=False)
class Recorded:
    """A figure as it was recorded: its manifest, and its curves by data set and algorithm."""

    manifest: Mapping[str, Any]
    panels: Panels


def record(done: Iterable[Reproduction]) -> str:
    """JSON lines: the format; then for each figure its manifest, and a line for each array of its curves."""
    lines: list[Mapping[str, Any]] = [{"format": FORMAT}]
    for found in done:
        lines.append({"figure": found.figure, "manifest": found.manifest()})
        lines += [
            {"figure": found.figure, "data": data, "algorithm": name, "array": f.name, "values": _plain(curves, f.name)}
            for data, arms in found.curves.items()
            for name, curves in arms.items()
            for f in fields(Curves)
        ]
    return "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)


def read_record(text: str) -> dict[str, Recorded]:
    """What `record` wrote, by figure; `InvalidInput` for anything else."""
    try:
        head, *lines = map(json.loads, text.splitlines())
        if head["format"] != FORMAT:
            raise ValueError(f"format {head['format']}, expected {FORMAT}")
        manifests = {line["figure"]: line["manifest"] for line in lines if "manifest" in line}
        arrays: dict[str, dict[str, dict[str, dict[str, Array]]]] = {figure: {} for figure in manifests}
        for line in lines:
            if "array" in line:
                arms = arrays[line["figure"]].setdefault(line["data"], {})
                arms.setdefault(line["algorithm"], {})[line["array"]] = _array(line["values"])
        return {
            figure: Recorded(manifests[figure], {data: _curves(arms) for data, arms in panels.items()})
            for figure, panels in arrays.items()
        }
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"no record of curves ({error!r}): write one with fedmm reproduce --record.") from error


def _curves(arms: Mapping[str, Mapping[str, Array]]) -> dict[str, Curves]:
    made = {name: Curves(**arrays) for name, arrays in arms.items()}
    for name, curves in made.items():
        shapes = {getattr(curves, f.name).shape for f in fields(Curves)}
        if shapes != {curves.t.shape, curves.objective.shape} or curves.objective.shape[1:] != curves.t.shape:
            raise ValueError(f"the arrays of {name} have shapes {shapes}")
    return made


def _plain(curves: Curves, name: str) -> list:
    """Numbers with `DIGITS` digits; None stands for NaN, "inf" for ∞: JSON has neither."""

    def one(value: float) -> float | str | None:
        if math.isnan(value):
            return None
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else "inf"

    values = getattr(curves, name)
    return [one(v) for v in values] if values.ndim == 1 else [[one(v) for v in row] for row in values]


def _array(values: list) -> Array:
    return np.array(values, dtype=np.float64)  # None becomes NaN, "inf" ∞
