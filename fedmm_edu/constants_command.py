"""`fedmm constants`: B, v_min, v_max, C_⋆ and C_⋆⋆ of assumption `hyp:DL2` for an example or a person's own model."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from difflib import get_close_matches
from typing import TYPE_CHECKING

from fedmm_edu.errors import InvalidInput
from fedmm_edu.plain import plain
from fedmm_edu.terminal import MARKS, table, terminal_width

if TYPE_CHECKING:
    from fedmm_edu.symbolic.constants import Constant, Constants
    from fedmm_edu.symbolic.model import Model

SYMBOLS = {"B": "B(s)", "v_min": "v_min", "v_max": "v_max", "C_star": "C_⋆", "C_starstar": "C_⋆⋆"}


def run(args: argparse.Namespace) -> int:
    """The exit status: 1 if some constant does not exist, else 0."""
    from fedmm_edu.symbolic.constants import constants

    S = [_interval(text) for text in args.S] or None
    values = dict(_setting(text) for text in args.set)
    found = {name: constants(model, S=S, values=values) for name, model in chosen(args.what).items()}
    if args.json:
        print(json.dumps([asdict(entry) for entry in found.values()], ensure_ascii=False, indent=1))
    else:
        print("\n\n".join(as_table(name, entry) for name, entry in found.items()))
    return int(any(row.verdict.status == "refuted" for entry in found.values() for row in entry.rows))


def chosen(what: str) -> dict[str, Model]:
    """The models that `what` names: EXAMPLE, EXAMPLE:MODEL or a Python file. `InvalidInput` lists what there is."""
    from fedmm_edu.examples import examples
    from fedmm_edu.symbolic.check import load_model

    if what.endswith(".py"):
        return load_model(what)
    known = {example.name: example for example in examples()}
    name, _, wanted = what.partition(":")
    if name not in known:
        raise InvalidInput(f"there is no example {name!r}{_hint(name, known)} (a file of your own ends in .py).")
    models = known[name].models()
    if wanted and wanted not in models:
        raise InvalidInput(f"{name} has no model {wanted!r}{_hint(wanted, models)}.")
    return {wanted: models[wanted]} if wanted else models


def _hint(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1)
    return f": did you mean {close[0]!r}?" if close else f": choose one of {', '.join(map(repr, known))}"


def _interval(text: str) -> tuple[str, str]:
    low, colon, high = text.partition(":")
    if not (colon and low.strip() and high.strip()):
        raise InvalidInput(f"--S={text} is no interval: write --S=LOW:HIGH, once per coordinate of s, as in --S=-1:0.")
    return low.strip(), high.strip()


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (equals and name.strip() and value.strip()):
        raise InvalidInput(f"--set {text} gives no value: write --set NAME=VALUE, as in --set lambda=1/2.")
    return name.strip(), value.strip()


def as_table(name: str, found: Constants) -> str:
    """The constants as a table under one line with 𝒮, and one line that says what they add up to."""
    given = f" for {', '.join(found.given)}" if found.given else ""
    cells = [
        (SYMBOLS[row.name], f"{MARKS[row.verdict.status]} {row.verdict.status}", _value(row), _remark(row))
        for row in found.rows
    ]
    header = ("constant", "verdict", "best value", "attained, or why there is none")
    text = table(header, cells, columns=terminal_width(), shares=(10, 13, 30, 47))
    return f"{name}: 𝒮 = {{{found.S}}}{given}\n{text}\n\n{name}: {conclusion(found)}"


def _value(row: Constant) -> str:
    return row.value or ("none" if row.verdict.status == "refuted" else "not found")


def _remark(row: Constant) -> str:
    if row.verdict.witness is not None:
        point = _listed(row.verdict.witness.point)
        return plain((f"at {point}: " if point else "") + row.verdict.witness.says)
    if row.verdict.status == "open":
        return plain(f"{row.verdict.evidence[-1].claim}: {row.verdict.evidence[-1].why}")
    return row.tight


def _listed(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def conclusion(found: Constants) -> str:
    """What the rows say about A7 (`hyp:DL2`, "A8" in the labels of its constants)."""
    missing = {status: [SYMBOLS[row.name] for row in found.rows if row.verdict.status == status] for status in MARKS}
    if missing["refuted"]:
        return f"A7 fails on this 𝒮: there is no {', no '.join(missing['refuted'])}."
    if missing["open"]:
        return f"open: {', '.join(missing['open'])}."
    return "A7 holds on this 𝒮, and these are the best constants."
