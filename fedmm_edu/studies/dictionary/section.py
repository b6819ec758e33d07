"""A part of the page on results, with its numbers and its picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Section:
    """What a study beyond the two figures found. `name`: of its files; `numbers`: plain values for NAME.json.

    about: what was done, in Markdown, above the picture. found: lines of Markdown below it. draw: makes the picture,
    described by `caption`.
    """

    name: str
    title: str
    about: str
    numbers: Mapping[str, Any]
    found: tuple[str, ...] = ()
    draw: Callable[[], Figure] | None = None
    caption: str = ""
