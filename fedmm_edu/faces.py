"""A thing owns its faces: who leaves one out is told at once which, of which interface, in which class and file."""

from __future__ import annotations

import sys
from abc import ABC
from typing import Any, Self

from fedmm_edu.errors import MissingFace


class Faces(ABC):  # noqa: B024  (the abstract methods are those of its interfaces)
    """Base of the interfaces: their abstract methods are the faces, and a class that lacks one makes no object."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if missing := sorted(getattr(cls, "__abstractmethods__", ())):
            file = getattr(sys.modules.get(cls.__module__), "__file__", None) or cls.__module__
            lines = "; ".join(f"`{face}` of {_interface(cls, face)}" for face in missing)
            raise MissingFace(f"{cls.__qualname__} ({file}) lacks {lines}: define each of them there.")
        return super().__new__(cls)


def _interface(cls: type, face: str) -> str:
    """The interface that asks for a face, and what it asks."""
    owner = next(base for base in reversed(cls.__mro__) if face in vars(base))
    asked = vars(owner)[face]
    said = (getattr(getattr(asked, "fget", asked), "__doc__", None) or "").strip().partition("\n")[0]
    return f"{owner.__name__} ({said.rstrip('.')})" if said else owner.__name__
