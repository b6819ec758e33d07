"""The curves of the figure as a file, from which anybody can judge the statements anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from fedmm_edu.studies.record import Line, Recorded, gather, lists, nested, read_lines
from fedmm_edu.studies.transport.statements import Panel, ScoreCurves

DIGITS = 6


def score_lines(panels: Mapping[int, Panel]) -> list[Line]:
    """A line for each dimension, λ ("own" among them) and method: rounds; CPU seconds and UVP by seed."""
    return [
        {"d": d, "lam": lam, "method": name} | {f.name: lists(getattr(of, f.name), DIGITS) for f in fields(of)}
        for d, panel in panels.items()
        for lam, arms in panel.items()
        for name, of in arms.items()
    ]


def read_scores(text: str) -> Recorded[Mapping[int, Panel]]:
    """The curves, and the plan; `InvalidInput` for what is no record."""
    return read_lines(
        text,
        lambda head, lines: Recorded(head["plan"], nested(gather(ScoreCurves, lines, "d", "lam", "method"))),
    )
