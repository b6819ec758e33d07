"""A model typed as text, as on a page: read by the grammar of formulas, never evaluated, and judged row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import sympy as sp

from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.symbolic.component_model import ComponentModel
from fedmm_edu.symbolic.formulas import FOLLOWS, FORMULA_FIELDS, SET_FIELDS, as_entries
from fedmm_edu.symbolic.functions.reading import CALLS, read_formula
from fedmm_edu.symbolic.hypotheses.advice import each_advice
from fedmm_edu.symbolic.hypotheses.check import each_row, overall
from fedmm_edu.symbolic.model import Model
from fedmm_edu.text.plain import plain

SYMBOLS = ("theta", "z", "s")
TYPED_FIELDS = (*SYMBOLS, *FORMULA_FIELDS, *FOLLOWS, *SET_FIELDS)
OPTIONAL = ("psi", "g", "T", *SET_FIELDS)
"""Fields that may stay empty: ψ and g are 0 then, T is derived, a set is the whole space."""
RELATIONS: Mapping[str, Any] = {
    "<=": sp.Le, ">=": sp.Ge, "≤": sp.Le, "≥": sp.Ge, "==": sp.Eq, "!=": sp.Ne, "<": sp.Lt, ">": sp.Gt, "=": sp.Eq,
}  # fmt: skip
TAKEN = frozenset({*CALLS, "pi", "oo", "inf"})
"""Names that mean something in formulas."""


def typed_model(fields: Mapping[str, str], *, name: str = "model") -> Model:
    """The model that the fields of `Model` say, each as text; entries are separated by commas or lines.

    Every name is a real number; a set is written with <, <=, = (`0 < theta <= 1, theta1 + theta2 = 1`). Raises
    `InvalidInput` that names the field.

    >>> mean = {"theta": "t", "z": "z", "s": "s", "loss": "(t - z)^2/2", "psi": "t^2/2", "phi": "t", "S_bar": "z"}
    >>> typed_model(mean).psi
    t**2/2
    """
    for key in fields:
        if key not in TYPED_FIELDS:
            raise InvalidInput(f"there is no field {key}: give {', '.join(TYPED_FIELDS)}.")
    read: dict[str, Any] = {}
    for key in TYPED_FIELDS:
        entries = _entries(fields.get(key, ""))
        try:
            read[key] = _read(key, entries)
        except InvalidInput as error:
            raise InvalidInput(f"{key}: {error}") from error
    return Model(**{key: value for key, value in read.items() if value is not None}, name=name)


def _read(key: str, entries: list[str]) -> Any:
    if not entries:
        if key in OPTIONAL:
            return None
        raise InvalidInput("it is empty: write it down.")
    if key in SYMBOLS:
        return tuple(map(_symbol, entries))
    if key in SET_FIELDS:
        return tuple(relation for entry in entries for relation in _relations(entry))
    formulas = [read_formula(entry, _symbol) for entry in entries]
    if key not in FOLLOWS and len(formulas) > 1:
        raise InvalidInput(f"it has {len(formulas)} entries: write one formula.")
    return formulas if key in FOLLOWS else formulas[0]


def _entries(text: str) -> list[str]:
    """The parts between lines, and between commas that stand in no parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character in ",;\n" and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _symbol(name: str) -> sp.Symbol:
    if not re.fullmatch(r"[^\W\d]\w*", name) or name in TAKEN:
        raise InvalidInput(f"{name!r} is no name for a variable: use letters, digits and _, as theta1.")
    return sp.Symbol(name, real=True)


def _relations(text: str) -> Iterator[sp.Basic]:
    """`a < b <= c` says two things."""
    parts = re.split(r"(<=|>=|==|!=|≤|≥|<|>|=)", text)
    if len(parts) < 3:
        raise InvalidInput(f"{text!r} is no relation: write one with <, <=, >, >= or =, as theta > 0.")
    sides = [read_formula(part, _symbol) for part in parts[::2]]
    for left, op, right in zip(sides, parts[1::2], sides[1:], strict=False):
        yield RELATIONS[op](left, right)


def as_typed(model: Model | ComponentModel) -> dict[str, str]:
    """The fields as text that `typed_model` reads back; `InvalidInput` where a formula has cases or sums."""
    if isinstance(model, ComponentModel):
        raise InvalidInput(f"{model.name} has sums over components, which the grammar of formulas does not have.")
    parts = (model.loss, model.psi, model.g, *model.phi, *model.S_bar, *(model.T or ()))
    if any(part.has(sp.Piecewise) for part in parts):
        raise InvalidInput(f"{model.name} has cases, which the grammar of formulas does not have.")
    return {
        key: ", ".join(_written(e) for e in as_entries(getattr(model, key)) if e != 0 or key not in OPTIONAL)
        for key in TYPED_FIELDS
    }


def _written(entry: Any) -> str:
    op = "=" if isinstance(entry, sp.Eq) else "!=" if isinstance(entry, sp.Ne) else ""
    return f"{entry.args[0]} {op} {entry.args[1]}" if op else str(entry)


def judge_typed(fields: Mapping[str, str], *, seed: int = 0) -> Iterator[dict[str, Any]]:
    """What a page shows, as plain values for JSON, each as soon as it is found.

    {"row", "status", "method", "finding", "steps"} for each row, then {"conclusion"} with what they add up to, then
    {"row", "next"} with what to do about a row that is not proved. {"error"} ends a model that is not read, or judged.
    """
    try:
        model, rows = typed_model(fields), {}
        for name, verdict in each_row(model, seed=seed):
            rows[name] = verdict
            steps = [(plain(step.claim), plain(step.why)) for step in verdict.evidence]
            yield {"row": plain(name), "status": verdict.status, "method": verdict.method, "finding": verdict.finding,
                   "steps": steps}  # fmt: skip
        yield {"conclusion": overall(rows)}
        for name, says in each_advice(model, rows, seed=seed):
            yield {"row": plain(name), "next": plain(says)}
    except FedMMError as error:
        yield {"error": plain(str(error))}
