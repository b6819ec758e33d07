"""The curves of runs with steps that fall as a file, from which anybody can judge the statements anew, or go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from fedmm_edu.errors import InvalidInput
from fedmm_edu.studies.record import Line, Recorded, gather, lists, read_lines
from fedmm_edu.studies.transport.scheduled import (
    CurveKey,
    FactorTuning,
    Scheduled,
    ScheduledCurves,
    SchedulePlan,
)

_DIGITS = 17
"""All: what is made of the record is what was made of the runs."""
KEYS = ("d", "schedule", "method", "equal")


def scheduled_lines(curves: Mapping[CurveKey, ScheduledCurves]) -> list[Line]:
    """A line for each curve."""
    return [
        dict(zip(KEYS, at, strict=True)) | {f.name: lists(getattr(of, f.name), _DIGITS) for f in fields(of)}
        for at, of in curves.items()
    ]


def read_scheduled(text: str) -> Recorded[Mapping[CurveKey, ScheduledCurves]]:
    """The curves, and the plan; `InvalidInput` for what is no record."""
    return read_lines(text, lambda head, lines: Recorded(head["plan"], gather(ScheduledCurves, lines, *KEYS)))


@dataclass(frozen=True, eq=False)
class Kept:
    """What a folder has of a plan: dimensions of the comparison, and longer runs by dimension."""

    compared: Scheduled
    hours: Mapping[int, ScheduledCurves]


def read_kept(folder: Path, plan: SchedulePlan) -> Kept:
    """From `runs.jsonl` and `schedules.json`; `InvalidInput` where they are none, or belong to another plan."""
    try:
        record = read_scheduled((folder / "runs.jsonl").read_text(encoding="utf-8"))
        found = json.loads((folder / "schedules.json").read_text(encoding="utf-8"))
        tuned = {(row["d"], row["schedule"], row["method"]): _tuning(row) for row in found["tuning"]}
        references = {int(d): of for d, of in found["references"].items()}
        dimensions = tuple(record.about["dimensions"])
        known = replace(plan, dimensions=dimensions, hours=tuple(record.about["hours"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(
            f"{folder} has no runs to keep, which are runs.jsonl and schedules.json ({error}): leave out --keep."
        ) from error
    same = json.loads(json.dumps(asdict(known)))
    if not record.about == found["plan"] == same or references.keys() != set(dimensions):
        raise InvalidInput(f"{folder} has runs of another plan, {record.about}: leave out --keep, or give its options.")
    curves = {at: of for at, of in record.panels.items() if at[3] != "hour"}
    hours = {at[0]: of for at, of in record.panels.items() if at[3] == "hour"}
    return Kept(Scheduled(known, curves, tuned, references), hours)


def _tuning(row: Mapping[str, Any]) -> FactorTuning:
    uvp = {float(factor): np.inf if value is None else value for factor, value in row["uvp"].items()}
    return FactorTuning(row["method"], uvp, row["round_seconds"])
