"""The curves of the figure as a file, from which anybody can judge the statements anew."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.studies.transport.statements import Curves, Panel

FORMAT = 1
DIGITS = 6


@dataclass(frozen=True, eq=False)
class Recorded:
    """The plan, and the curves by dimension, λ ("own" among them) and method."""

    plan: Mapping[str, Any]
    panels: Mapping[int, Panel]


def record(plan: Mapping[str, Any], panels: Mapping[int, Panel]) -> str:
    """JSON lines: format and plan; then each method's rounds, CPU seconds and UVP, to six digits, by seed."""
    lines: list[Mapping[str, Any]] = [{"format": FORMAT, "plan": plan}]
    for d, panel in panels.items():
        for lam, arms in panel.items():
            for name, of in arms.items():
                arrays = {"t": of.t.tolist(), "seconds": _plain(of.seconds), "uvp": _plain(of.uvp)}
                lines.append({"d": d, "lam": lam, "method": name} | arrays)
    return "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)


def read_record(text: str) -> Recorded:
    """What `record` wrote; `InvalidInput` for anything else."""
    try:
        head, *lines = map(json.loads, text.splitlines())
        if head["format"] != FORMAT:
            raise ValueError(f"format {head['format']}, expected {FORMAT}")
        panels: dict[int, dict[str, dict[str, Curves]]] = {}
        for line in lines:
            t, seconds, uvp = np.array(line["t"]), *(np.array(line[name], dtype=float) for name in ("seconds", "uvp"))
            if uvp.ndim != 2 or seconds.shape != uvp.shape or t.shape != uvp.shape[1:]:
                raise ValueError(f"arrays of shapes {t.shape}, {seconds.shape}, {uvp.shape}")
            panels.setdefault(line["d"], {}).setdefault(line["lam"], {})[line["method"]] = Curves(t, seconds, uvp)
        return Recorded(head["plan"], panels)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"no record of curves ({error!r}): write one with fedmm reproduce fig3 --record.") from error


def _plain(values: Array) -> list[list[float | str]]:
    """Numbers with `DIGITS` digits; "inf" for ∞, which JSON lacks."""
    return [[float(f"{v:.{DIGITS}g}") if np.isfinite(v) else "inf" for v in row] for row in values]
