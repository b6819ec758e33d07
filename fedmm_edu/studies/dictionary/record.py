"""The curves of the two figures as a file, from which anybody can judge the statements anew."""

from __future__ import annotations

from dataclasses import fields

from fedmm_edu.studies.dictionary.criteria import Curves
from fedmm_edu.studies.dictionary.statements import Panels
from fedmm_edu.studies.record import Line, Recorded, gather, lists, nested, read_lines

DIGITS = 10
"""Significant digits of a number: rounding is below the finest tolerance of a criterion, 1e-9."""


def figure_lines(figure: str, manifest: Line, panels: Panels) -> list[Line]:
    """The manifest, and a line for each array of the curves."""
    arrays = [
        {"data": data, "algorithm": name, "array": f.name, "values": lists(getattr(of, f.name), DIGITS)}
        for data, arms in panels.items()
        for name, of in arms.items()
        for f in fields(Curves)
    ]
    return [{"figure": figure, "manifest": manifest}, *({"figure": figure, **line} for line in arrays)]


def read_figures(text: str) -> dict[str, Recorded[Panels]]:
    """Each figure that was recorded, with its manifest; `InvalidInput` for anything else."""
    return read_lines(text, _figures)


def _figures(head: Line, lines: list[Line]) -> dict[str, Recorded[Panels]]:
    panels = nested(gather(Curves, [line for line in lines if "array" in line], "figure", "data", "algorithm"))
    manifests = {line["figure"]: line["manifest"] for line in lines if "manifest" in line}
    return {figure: Recorded(manifests[figure], of) for figure, of in panels.items()}
