"""The ids of all rows and their folders, known before a row is imported: all take seconds, those of one folder less.

`ids.txt` lists them, sorted; `python -m tests.ledger.words` writes it, and a test compares.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from fedmm_edu.errors import InvalidInput

HERE = Path(__file__).parent
IDS = HERE / "ids.txt"


@cache
def listed() -> Mapping[str, str]:
    """The folder of each row, by its id, as they were listed last."""
    return dict(line.split() for line in IDS.read_text(encoding="utf-8").splitlines())


def require_listed(names: Iterable[str]) -> None:
    """`InvalidInput` for an id that no row has; one that may be of a row not listed yet is let pass."""
    for name in names:
        if folder_of(name) is None:
            raise no_such_id(name, listed())


def folder_of(name: str) -> str | None:
    """Where the row is listed; if it is not, where its id stands in a source file, or may be made from a model."""
    if name in listed():
        return listed()[name]
    if name.startswith("example-"):
        return "examples"
    files = (file for file in HERE.rglob("*.py") if f'"{name}"' in file.read_text(encoding="utf-8"))
    return next((file.relative_to(HERE).parts[0] for file in files), None)


def no_such_id(name: str, known: Iterable[str]) -> InvalidInput:
    """That no row has this id, with those that look like it."""
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else "fedmm verify --list shows all."
    return InvalidInput(f"no statement has the id {name!r}: {hint}")
