"""The benchmarks' page, from `benchmarks/results.json`: what comes out, then every table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.report import Row, cells
from book.generate.text import myst, table
from book.generate.tree import ROOT

LEAD = """\
# How fast it is

{answer}

:::{{figure}} pictures/benchmarks.png
:alt: Left: how many times faster than SPAMS sparse codes are. Right: seconds of a round over the number of clients.

Left: how many times faster than SPAMS the sparse codes are; right of the line ours take less time. The starred setting
was set aside while tuning. Right: seconds of a round; the dashed line grows like the number of clients.
:::

:::{{figure}} pictures/benchmarks_history.png
:alt: How many times longer than ours the peers and floors take, a line for each, over all records.

Each record of `make bench`: the time of a peer, or of a floor that nobody can go below, over ours; higher is better.
:::

## What is not fast

{slow}

## How it was measured

`make bench` on: {machine}. Read the ratios: seconds differ from machine to machine, ratios less. What is measured
beside a peer is measured in turns, in one process, with the same number of threads.
"""
Section = Mapping[str, Any]
CODES, GRID, ROUND, CLIENTS = (
    "Sparse codes, one thread",
    "Sparse codes over a grid",
    "A round of the paper's size",
    "A round of the Gaussian mixture against the number of clients",
)
TRANSPORT, FLOOR = "A round of FedMM-OT", "Rounds of sparse regression against their floor"


def timings_page() -> str:
    """What comes out, what is not fast, and every section of the last run as a table."""
    found = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    machine = ", ".join(f"{key} {value}" for key, value in found["machine"].items())
    sections = found["sections"]
    lead = LEAD.format(answer=answer(sections), slow="\n".join(slow(sections)), machine=myst(machine))
    return "\n".join([lead, *(_section(title, *held.values()) for title, held in sections.items())])


def answer(sections: Mapping[str, Section]) -> str:
    """Three sentences, made from the rows."""
    (codes,) = (row for row in sections[CODES]["rows"] if row["setting"].startswith("geometric mean"))
    warm = [row["warm/floor"] for row in sections[ROUND]["rows"]]
    peer = [1.0 / row["cold/partial_fit"] for row in sections[ROUND]["rows"]]
    last = sections[CLIENTS]["rows"][-1]
    return (
        f"**For sparse codes SPAMS takes {codes['SPAMS/cold']:.2g} times the time that ours take on one thread, and "
        f"{codes['SPAMS/warm']:.2g} times that of a warm start.** A whole round of dictionary learning of the paper's "
        f"size costs {_span(warm)} times the products and codes that nobody can leave out; `partial_fit` of "
        f"scikit-learn takes {_span(peer)} times the time of a cold round on the same rows. A round of a mixture with "
        f"{last['n']:,} clients takes {last['round']:.2g} s, like n to the power {last['slope']:.2g}."
    )


def slow(sections: Mapping[str, Section]) -> list[str]:
    """Where a peer is faster, or a floor far away."""
    transport, theirs = (
        [row[name] for row in sections[TRANSPORT]["rows"]] for name in ("FedMM-OT/FedAdam", "clients, ratio")
    )
    rows = [(row["round"] / row["floor"], row["n"]) for row in sections[FLOOR]["rows"]]
    (most, few), (least, _) = max(rows), min(rows)
    return [
        _lost(sections[GRID]["rows"]),
        f"- A round of FedMM-OT takes {_span(transport)} times as long as one of FedAdam; the part of its clients "
        f"{_span(theirs)} times as long as theirs: its server does the rest.",
        f"- A round of sparse regression with {few} small clients takes {most:.2g} times its floor, which is the "
        f"gradients alone; the round that comes nearest, {least:.2g} times.",
    ]


def _lost(rows: Sequence[Mapping[str, Any]]) -> str:
    """The cells of the grid in which SPAMS is ahead of a cold start."""
    cells = [row for row in rows if "N" in row]
    lost = [row for row in cells if row["SPAMS/cold"] < 1]
    right = [row for row in lost if "SPAMS is wrong" not in row["to note"]]
    single = " (one sample each)" if all(row["N"] == 1 for row in right) else ""
    said = f"- Of {len(cells)} cells of the grid of sparse codes SPAMS is ahead in {len(right)}{single}"
    if right:
        said += f", where it takes {_span([row['SPAMS/cold'] for row in right])} times our time"
    if len(lost) > len(right):
        said += (
            f"; and in {len(lost) - len(right)} more, but its answers there break the optimality condition by up to "
            f"{max(row['violation, SPAMS'] for row in lost if row not in right):.2g}"
        )
    return said + "."


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.2g} to {max(values):.2g}"


def _section(title: str, says: str, rows: Sequence[Row]) -> str:
    """What was measured, and its rows."""
    head, *lines = ([*map(myst, line)] for line in cells(rows))
    return "\n".join([f"## {myst(title)}\n", myst(says) + "\n", table(head, lines)])
