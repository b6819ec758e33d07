"""The benchmarks' page, from `benchmarks/results.json`."""

from __future__ import annotations

import json

from book.generate.text import myst, table
from book.generate.tree import ROOT

LEAD = """\
# How fast it is

Made by `make bench` on: {machine}. Read the ratios: seconds differ from machine to machine, ratios less. What is
measured beside a peer is measured in turns, in one process, with the same number of threads.

![The timings as ratios to their peers and floors](pictures/benchmarks.png)
"""


def timings_page() -> str:
    """Every section of the last run as a table."""
    found = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    machine = ", ".join(f"{key} {value}" for key, value in found["machine"].items())
    parts = [LEAD.format(machine=myst(machine))]
    parts += [section(title) for title in found["sections"]]
    return "\n".join(parts)


def section(title: str, level: str = "##") -> str:
    """One section: what was measured, and its rows."""
    found = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))["sections"][title]
    columns = list(dict.fromkeys(key for row in found["rows"] for key in row))
    rows = [[_shown(row.get(column, "")) for column in columns] for row in found["rows"]]
    return "\n".join([f"{level} {myst(title)}\n", myst(found["says"]) + "\n", table([*map(myst, columns)], rows)])


def _shown(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else myst(str(value))
