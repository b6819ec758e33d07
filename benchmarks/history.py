"""Ratios over time: `make bench` adds a line to `history.jsonl`, and `history.png` shows all of them.

Each number says how many times as long the peer takes, or which share of our time is the floor's: more is better in
every line. Of several settings it is the geometric mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date
from statistics import geometric_mean
from typing import Any

from matplotlib.axes import Axes

from benchmarks.report import HERE
from fedmm_edu.figures.style import PALETTE, panels, save_png
from fedmm_edu.files import write_text

FILE = HERE / "history.jsonl"
Settings = Mapping[str, Any]
EXAMPLES = "Rounds of every example against their floor"

WATCHED: Mapping[str, tuple[str, Callable[[Settings], float]]] = {
    "codes, warm : SPAMS": ("Sparse codes, one thread", lambda row: row["SPAMS/warm"]),
    "codes, cold : SPAMS": ("Sparse codes, one thread", lambda row: row["SPAMS/cold"]),
    "codes on a grid, cold : SPAMS": ("Sparse codes over a grid", lambda row: row["SPAMS/cold"]),
    "dictionary round : partial_fit": ("A round of the paper's size", lambda row: 1 / row["cold/partial_fit"]),
    "dictionary round : floor": ("A round of the paper's size", lambda row: 1 / row["warm/floor"]),
    "regression round : floor": (
        "Rounds of sparse regression against their floor",
        lambda row: row["floor"] / row["round"],
    ),
    "EM step, p = 2 : scikit-learn": (
        "One EM step of the full mixture",
        lambda row: row["scikit-learn"] / row["one step"],
    ),
    "named draws : a generator a client": ("Named draws", lambda row: row["one generator a client"] / row["named"]),
    "FedMM-OT : FedAdam": ("A round of FedMM-OT", lambda row: 1 / row["FedMM-OT/FedAdam"]),
    "every example, paper's size : floor": (EXAMPLES, lambda row: 1 / row["round/floor"]),
    "every example, tiny : floor": (EXAMPLES, lambda row: 1 / row["tiny/floor"]),
    "rounds alone : run": ("What recording costs", lambda row: 1 / row["by default/rounds"]),
}
"""Name → (section, the ratio of one of its rows)."""

STROKES = ("-o", "--s", ":^")
"""Of five names each."""


def ratios(sections: Mapping[str, Any]) -> dict[str, float]:
    """Every watched ratio of the sections that ran."""
    return {
        name: geometric_mean(of(row) for row in _settings(sections[title]["rows"], title))
        for name, (title, of) in WATCHED.items()
        if title in sections
    }


def _settings(rows: list[Settings], title: str) -> list[Settings]:
    """Rows that have been there from the first record on, so that a mean compares like with like."""
    if title == "One EM step of the full mixture":
        rows = [row for row in rows if row["p"] == 2]
    if title == EXAMPLES:  # some have no case of the paper's size
        rows = [row for row in rows if "round/floor" in row]
    return [row for row in rows if not str(next(iter(row.values()))).startswith("geometric mean")]


def remember(sections: Mapping[str, Any]) -> None:
    """Add today's ratios of the sections that ran just now, and draw all records."""
    found = ratios(sections)
    if not found:
        return
    lines = FILE.read_text(encoding="utf-8") if FILE.exists() else ""
    write_text(FILE, lines + json.dumps({"day": date.today().isoformat(), "ratios": found}) + "\n")
    draw()


def draw() -> None:
    """Write `history.png`: a line for each ratio, over the records."""
    records = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    figure, (axes,) = panels(1, width=9.0, height=4.6)
    names = []
    for k, name in enumerate(WATCHED):
        points = [(x, record["ratios"][name]) for x, record in enumerate(records) if name in record["ratios"]]
        if points:
            colour = list(PALETTE.values())[k % 5]
            axes.semilogy(*zip(*points, strict=True), STROKES[k // 5], color=colour, markersize=4)
            names.append((points[-1][1], name, colour))
    _names(axes, sorted(names))
    axes.axhline(1.0, color=PALETTE["light"], linewidth=1.0)
    days = [record["day"] for record in records]
    firsts = [x for x, day in enumerate(days) if day not in days[:x]]
    axes.set_xticks(firsts, [days[x] for x in firsts], rotation=30, ha="right", fontsize=8)
    axes.set_ylabel("time of the peer or the floor, over ours")
    save_png(figure, HERE / "history.png")


def _names(axes: Axes, names: list[tuple[float, str, str]]) -> None:
    """The names at the right of the lines, as high as these end, pushed up where two would meet."""
    least = 0.0
    for value, name, colour in names:
        height = max(value, 1.22 * least)
        axes.text(1.01, height, f"{value:.3g}  {name}", va="center", color=colour, fontsize=9,
                  transform=axes.get_yaxis_transform())  # fmt: skip
        least = height
