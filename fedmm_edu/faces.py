"""A thing owns its faces: who leaves one out is told at once which, of which interface, in which class and file."""

from __future__ import annotations

import inspect
import sys
from abc import ABC
from functools import cache
from typing import Any, Self

from fedmm_edu.errors import MissingFace


class _Signature:
    """A class is called as its `__init__` says, not as the `__new__` below: for `help` and for reference pages."""

    def __get__(self, thing: object | None, owner: type) -> inspect.Signature:
        if thing is not None:
            raise AttributeError("__signature__")  # a thing that can be called has the signature of its call
        if owner.__init__ is object.__init__:
            return inspect.Signature()
        made = inspect.signature(owner.__init__)
        return made.replace(parameters=list(made.parameters.values())[1:], return_annotation=inspect.Signature.empty)


class Faces(ABC):  # noqa: B024  (the abstract methods are those of its interfaces)
    """Base of the interfaces: their abstract methods are the faces, and a class that lacks one makes no object.

    An interface that names ABC among its own bases asks for the names, too, that it only annotates: each leaf has them
    as class variables or fields.
    """

    __signature__ = _Signature()

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if missing := sorted({*getattr(cls, "__abstractmethods__", ()), *_unset(cls)}):
            file = getattr(sys.modules.get(cls.__module__), "__file__", None) or cls.__module__
            lines = "; ".join(f"`{face}` of {_interface(cls, face)}" for face in missing)
            raise MissingFace(f"{cls.__qualname__} ({file}) lacks {lines}: define each of them there.")
        return super().__new__(cls)


@cache
def _unset(cls: type) -> frozenset[str]:
    """What an interface annotates and the class has neither as a class variable nor as a field."""
    interfaces = [base for base in cls.__mro__ if ABC in base.__bases__ and issubclass(base, Faces)]
    asked = {name for base in interfaces for name in inspect.get_annotations(base)}
    fields = {name for base in cls.__mro__ if base not in interfaces for name in inspect.get_annotations(base)}
    return frozenset(name for name in asked - fields if not hasattr(cls, name))


def _interface(cls: type, face: str) -> str:
    """The interface that asks for a face, and what it asks."""
    bases = reversed(cls.__mro__)
    owner = next(base for base in bases if face in vars(base) or face in inspect.get_annotations(base))
    asked = vars(owner).get(face)
    if asked is None:
        return owner.__name__
    said = (getattr(getattr(asked, "fget", asked), "__doc__", None) or "").strip().partition("\n")[0]
    return f"{owner.__name__} ({said.rstrip('.')})" if said else owner.__name__
