"""The prices as a file of JSON lines, from which anybody can make the page and judge the sentences anew."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict

from fedmm_edu.studies.record import Line, Recorded, read_lines, rounded
from fedmm_edu.studies.relatives.field import Field, Goal, Paid
from fedmm_edu.studies.relatives.race import Knobs


def recorded_lines(found: Mapping[str, Field]) -> list[Line]:
    """A line for each field, and one for each price."""
    lines: list[Line] = []
    for place, of in found.items():
        nearest = {arm: rounded(gap) for arm, gap in of.nearest.items()}
        lines.append({"field": place, "title": of.title, "active": of.active, "n": of.n, "nearest": nearest,
                      "out": dict(of.out), "runs": of.runs, "arms": list(of.prices)})  # fmt: skip
        for arm, prices in of.prices.items():
            for (accuracy, cost), price in prices.items():
                line = {"of": place, "arm": arm, "accuracy": accuracy, "cost": cost}
                lines.append(line | ({} if price is None else {**price._asdict(), "choice": asdict(price.choice)}))
    return lines


def read_study(text: str) -> Recorded[dict[str, Field]]:
    """What was recorded; `InvalidInput` for anything else."""
    return read_lines(text, lambda head, lines: Recorded(head["plan"], _fields(lines)))


def _fields(lines: list[Line]) -> dict[str, Field]:
    prices: dict[str, dict[str, dict[Goal, Paid | None]]] = {}
    for line in lines:
        if "field" in line:
            prices[line["field"]] = {arm: {} for arm in line["arms"]}
        else:
            held = {f: line[f] for f in Paid._fields if f in line}
            price = Paid(**{**held, "choice": Knobs(**line["choice"])}) if held else None
            prices[line["of"]][line["arm"]][Goal(line["accuracy"], line["cost"])] = price
    return {
        line["field"]: Field(line["title"], line["active"], line["n"], prices[line["field"]],
                             {arm: math.inf if gap is None else gap for arm, gap in line["nearest"].items()},
                             line["out"], line["runs"])
        for line in lines if "field" in line
    }  # fmt: skip
