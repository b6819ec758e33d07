"""The curves of runs with steps that fall as a file, from which anybody can judge the statements anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from fedmm_edu.studies.record import Line, Recorded, gather, lists, read_lines
from fedmm_edu.studies.transport.scheduled import CurveKey, ScheduledCurves

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
