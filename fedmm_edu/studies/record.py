"""Curves as a file of JSON lines, from which anybody can judge the statements anew."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from fedmm_edu.errors import InvalidInput

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FORMAT = 1
C = TypeVar("C", bound="DataclassInstance")
Line = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Recorded(Generic[T]):
    """Curves by setting, and what was recorded beside them: a plan, or a manifest."""

    about: Mapping[str, Any]
    panels: T


def write_lines(head: Line, lines: Iterable[Line]) -> str:
    """The format and `head`, then the lines."""
    texts = (json.dumps(line, ensure_ascii=False, allow_nan=False) for line in ({"format": FORMAT, **head}, *lines))
    return "".join(f"{text}\n" for text in texts)


def read_lines(text: str, understand: Callable[[Line, list[Line]], T]) -> T:
    """What `understand` makes of head and lines; `InvalidInput` where it cannot."""
    try:
        head, *lines = map(json.loads, text.splitlines())
        if head["format"] != FORMAT:
            raise ValueError(f"format {head['format']}, expected {FORMAT}")
        return understand(head, lines)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"no record of curves ({error!r}): write one with fedmm reproduce --record.") from error


def lists(values: np.ndarray, digits: int) -> list:
    """Numbers with so many digits; None stands for NaN, "inf" for ∞: JSON has neither."""

    def one(value: float) -> float | str | None:
        if math.isnan(value):
            return None
        return float(f"{value:.{digits}g}") if math.isfinite(value) else "inf"

    if values.dtype.kind == "i":
        return values.tolist()
    return [one(v) for v in values] if values.ndim == 1 else [[one(v) for v in row] for row in values]


def gather(kind: type[C], lines: Iterable[Line], *keys: str) -> dict[tuple, C]:
    """The curves of each place, which is named by `keys`, of which a line holds one array or all; `ValueError`: shapes.

    A field of `kind` has the shape (rows,) or (seeds, rows).
    """
    arrays: dict[tuple, dict[str, list]] = {}
    for line in lines:
        held = {line["array"]: line["values"]} if "array" in line else {f.name: line[f.name] for f in fields(kind)}
        arrays.setdefault(tuple(line[key] for key in keys), {}).update(held)
    return {at: _curves(kind, of) for at, of in arrays.items()}


def _curves(kind: type[C], arrays: Mapping[str, list]) -> C:
    made = kind(**{
        name: np.array(values, dtype=np.int64 if all(isinstance(v, int) for v in values) else np.float64)
        for name, values in arrays.items()
    })  # fmt: skip
    shapes = {getattr(made, f.name).shape for f in fields(kind)}
    if len({shape[-1:] for shape in shapes}) > 1 or len(shapes) > 2 or {len(shape) for shape in shapes} != {1, 2}:
        raise ValueError(f"the arrays have shapes {shapes}")
    return made


def nested(found: Mapping[tuple, Any]) -> dict[Any, Any]:
    """{(a, b, …): value} as {a: {b: … value}}."""
    tree: dict[Any, Any] = {}
    for (*path, last), value in found.items():
        at = tree
        for key in path:
            at = at.setdefault(key, {})
        at[last] = value
    return tree


def rounded(value: float) -> float | None:
    """Four digits; nothing for what is not finite."""
    return float(f"{value:.4g}") if np.isfinite(value) else None
