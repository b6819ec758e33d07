"""The ids of all rows, known before a row is imported, which takes seconds: what is mistyped is told at once.

`ids.txt` lists them, sorted; `python -m tests.ledger.words` writes it, and a test compares.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

from fedmm_edu.errors import InvalidInput

HERE = Path(__file__).parent
IDS = HERE / "ids.txt"


def listed() -> list[str]:
    """The ids of all rows as they were listed last."""
    return IDS.read_text(encoding="utf-8").split()


def require_listed(names: Iterable[str]) -> None:
    """`InvalidInput` for an id that no row has; one that may be of a row not listed yet is let pass."""
    known = listed()
    for name in names:
        if name not in known and not _may_be_new(name):
            raise no_such_id(name, known)


def no_such_id(name: str, known: Sequence[str]) -> InvalidInput:
    """That no row has this id, with those that look like it."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else "fedmm verify --list shows all."
    return InvalidInput(f"no statement has the id {name!r}: {hint}")


def _may_be_new(name: str) -> bool:
    """Whether the id stands in a source file, or may be made from a model of an example."""
    if name.startswith("example-"):
        return True
    return any(f'"{name}"' in file.read_text(encoding="utf-8") for file in HERE.rglob("*.py"))
