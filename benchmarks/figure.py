"""The figure of `results.json`: codes as ratios to SPAMS, time and memory of a round over its size."""

from __future__ import annotations

import json
import re

from matplotlib.axes import Axes

from benchmarks.report import HERE
from benchmarks.sizes import MEMORY
from fedmm_edu.figures.style import PALETTE, panels, save_png


def draw() -> None:
    """Write `figure.png` beside the results, of those sections that have run."""
    sections = json.loads((HERE / "results.json").read_text(encoding="utf-8"))["sections"]
    codes, sizes = (sections.get(name, {}).get("rows") for name in (
        "Sparse codes, one thread", "Time and memory of a round over size"))  # fmt: skip
    if not (codes and sizes):
        return
    figure, (left, middle, right) = panels(3, width=5.2, height=4.0)
    names = [re.sub(r" \(.*?\)", "", row["setting"]) for row in codes]
    names[-2] += "*"  # the setting set aside while tuning
    places = range(len(names))
    for k, (key, colour, hatch) in enumerate((("SPAMS/cold", "S", ""), ("SPAMS/warm", "Theta", "//"))):
        offset = 0.38 * (k - 0.5)
        values = [row[key] for row in codes]
        left.barh([y + offset for y in places], values, 0.36, color=PALETTE[colour], hatch=hatch, label=key[6:])
    left.axvline(1.0, color=PALETTE["reference"], linewidth=1.0)
    left.set_yticks(list(places), names, fontsize=8)
    left.invert_yaxis()
    left.set_xlabel("times faster than SPAMS, one thread")
    left.legend(title="our start", loc="lower right")
    _over_size(middle, sizes, "round", "seconds a round, CPU")
    _over_size(right, sizes, "peak", "bytes at the peak, beyond the imports")
    right.axhline(MEMORY, color=PALETTE["reference"], linewidth=1.0)
    right.annotate("24 GB: here it breaks", (10, 0.5 * MEMORY), fontsize=9, va="top")
    save_png(figure, HERE / "figure.png")


KINDS = {"clients": ("clients", "S", "o-"), "q": ("numbers q", "Theta", "s--"), "rows": ("samples", "other", "^:")}


def _over_size(axes: Axes, rows: list[dict], key: str, label: str) -> None:
    """One line for what grows, with its slope over the last three sizes."""
    for kind, (name, colour, style) in KINDS.items():
        mine = [row for row in rows if row["grows"] == kind and row[key] > 0]
        slope = mine[-1][f"slope of {key}"]
        axes.loglog(
            [row["size"] for row in mine], [row[key] for row in mine], style, color=PALETTE[colour],
            label=f"{name}, slope {slope:.2f}",
        )  # fmt: skip
    axes.set_xlabel("how many of what grows")
    axes.set_ylabel(label)
    axes.legend(loc="upper left" if key == "round" else "lower right", fontsize=9)
