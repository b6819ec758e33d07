"""Public names that load their module when they are first used (PEP 562).

A room that loads slowly, or of which a part needs an extra, lists its names once: in the stub `__init__.pyi` beside its
`__init__.py`, one `from MODULE import NAME as NAME` per line. Type checkers read that file, and so does `attach`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def attach(room: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of the package `room`, from its stub."""
    stub = Path(str(sys.modules[room].__file__)).with_suffix(".pyi")
    homes = {
        alias.name: node.module
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}", name=name, obj=sys.modules[room])
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[room], name, value)  # the second look-up is an ordinary one
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[room]), *homes})

    return load, names, sorted(homes)
