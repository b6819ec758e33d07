"""The figure of `results.json`: codes as ratios to SPAMS, and the cost of a round against the number of clients."""

from __future__ import annotations

import json
import re

from benchmarks.report import HERE
from fedmm_edu.figures.style import PALETTE, panels, save_png


def draw() -> None:
    """Write `figure.png` beside the results, of those sections that have run."""
    sections = json.loads((HERE / "results.json").read_text(encoding="utf-8"))["sections"]
    codes, clients = (sections.get(name, {}).get("rows") for name in (
        "Sparse codes, one thread", "A round of the Gaussian mixture against the number of clients"))  # fmt: skip
    if not (codes and clients):
        return
    figure, (left, right) = panels(2, width=5.6, height=3.8)
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
    right.loglog(
        [row["n"] for row in clients], [row["round"] for row in clients], "o-", color=PALETTE["S"], label="measured"
    )
    last = clients[-1]
    line = [last["round"] * row["n"] / last["n"] for row in clients]
    right.loglog([row["n"] for row in clients], line, "--", color=PALETTE["light"], label="proportional to n")
    right.set_xlabel("clients n")
    right.set_ylabel("seconds a round")
    right.set_title("Gaussian mixture, 10 points a client", fontsize=10)
    right.legend()
    save_png(figure, HERE / "figure.png")
