"""One surrogate of the literature: where it stands, its model, and the row that breaks if it is wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from fedmm_edu.symbolic.decide.domain import real


@dataclass(frozen=True)
class Entry:
    """`breaks` names a row of the check that is false for this model; "" for a right surrogate."""

    name: str
    source: str
    make: Callable[[], Any]
    breaks: str = ""

    @property
    def model(self) -> Any:
        """The `Model` or `ComponentModel`, made anew."""
        return self.make()

    def wrong(self, what: str, breaks: str, **changes: Any) -> Entry:
        """The same surrogate with a plausible mistake, which breaks the row `breaks`."""
        changes = {key: tuple(map(_real, v)) if isinstance(v, list | tuple) else _real(v) for key, v in changes.items()}
        return Entry(f"{self.name}: {what}", self.source, lambda: replace(self.make(), **changes), breaks)

    @property
    def digest(self) -> str:
        """Of everything that the check sees; a record of another digest is out of date."""
        return hashlib.sha256(repr(self.model).encode()).hexdigest()[:16]


def _real(entry: Any) -> Any:
    """With the plain real symbols that a finished model has."""
    return real(sp.sympify(entry))


TANGENT, MAJORIZES, IN_S = "MM-1: tangent", "MM-1: majorizes", "MM-1: S_bar in S"
IN_THETA, MINIMIZES = "MM-2: T in Theta", "MM-2: T minimizes"
