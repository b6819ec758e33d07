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
    HOUR,
    CurveKey,
    FactorTuning,
    LongRuns,
    Scheduled,
    ScheduledCurves,
    SchedulePlan,
)

_DIGITS = 17
"""All: what is made of the record is what was made of the runs."""
KEYS = ("d", "schedule", "method", "equal")
LONG = {(run.d, run.key): run for run in HOUR}
"""The longer runs by what the first and the last of these are in a record."""


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
    """What a folder has of a plan: dimensions of the comparison, and longer runs."""

    compared: Scheduled
    hours: LongRuns


def read_kept(folder: Path, plan: SchedulePlan) -> Kept:
    """From the files that a record has; `InvalidInput` where they are none, or belong to another plan."""
    try:
        record = read_scheduled((folder / "runs.jsonl").read_text(encoding="utf-8"))
        found = json.loads((folder / "schedules.json").read_text(encoding="utf-8"))
        tuned = {(row["d"], row["schedule"], row["method"]): _tuning(row) for row in found["tuning"]}
        references = {int(d): of for d, of in found["references"].items()}
        dimensions = tuple(record.about["dimensions"])
        known = replace(plan, dimensions=dimensions, hours=tuple(record.about["hours"]))
        hours = _long_runs(record.panels, folder / "hour.json")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(
            f"{folder} has no runs to keep, which are runs.jsonl, schedules.json and, of longer runs, hour.json "
            f"({error}): leave out --keep."
        ) from error
    same = json.loads(json.dumps(asdict(known)))
    if not record.about == found["plan"] == same or references.keys() != set(dimensions):
        raise InvalidInput(f"{folder} has runs of another plan, {record.about}: leave out --keep, or give its options.")
    curves = {at: of for at, of in record.panels.items() if (at[0], at[3]) not in LONG}
    return Kept(Scheduled(known, curves, tuned, references), hours)


def _long_runs(panels: Mapping[CurveKey, ScheduledCurves], file: Path) -> LongRuns:
    """Those among the curves; `file` tells how their steps were chosen."""
    curves = {LONG[at[0], at[3]]: of for at, of in panels.items() if (at[0], at[3]) in LONG}
    rows = json.loads(file.read_text(encoding="utf-8"))["tuning"] if curves else []
    runs = ((LONG[row["d"], row["run"]], _tuning(row)) for row in rows)
    tuned = {run: replace(of, below=run.below) for run, of in runs}
    if tuned.keys() != curves.keys():
        raise ValueError(f"{file.name} does not tell how the steps of the longer runs were chosen")
    return LongRuns(curves, tuned)


def tuning_plain(of: FactorTuning) -> dict[str, Any]:
    """How a step was chosen, as plain values; null for what is not finite."""
    uvp = {str(factor): value if np.isfinite(value) else None for factor, value in of.uvp.items()}
    return {"method": of.name, "chosen": of.method.words, "round_seconds": of.round_seconds, "uvp": uvp}


def _tuning(row: Mapping[str, Any]) -> FactorTuning:
    uvp = {float(factor): np.inf if value is None else value for factor, value in row["uvp"].items()}
    return FactorTuning(row["method"], uvp, row["round_seconds"])
